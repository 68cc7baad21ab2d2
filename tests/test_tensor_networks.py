"""Residual networks in the core, in ONNX files and on tensors: one network, the same estimates everywhere."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import onnxruntime
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import helper, numpy_helper
from puzzles import sliding_tiles
from random_tasks import strips_tasks
from turning import pieces, switches

from sing import _core
from sing.base.budget import Budget
from sing.networks.encoding import Encoding
from sing.networks.model import Model
from sing.networks.onnx_layers import NotNativeError, read_layers
from sing.task.task import Task
from sing.tensors.device import random_source
from sing.tensors.inputs import StateInputs
from sing.tensors.moves import to_moves
from sing.tensors.network import Evaluator, LearningNetwork, residual_positions
from sing.tensors.tables import MoveTables

CPU = torch.device("cpu")
BUDGET = Budget(600)
SHAPES = [(8,), (16, 16), (17, 17, 17), (24, 8, 24, 24, 24), (16, 16, 16, 16, 16)]


def random_layers(seed: int, sizes: tuple[int, ...]) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    rng = np.random.default_rng(seed)
    return tuple(
        (rng.normal(0, a**-0.5, (a, b)).astype(np.float32), rng.normal(1, 1, b).astype(np.float32))
        for a, b in pairwise(sizes)
    )


def outputs(layers, residual, inputs):
    """The slow twin of all of them."""
    given, x = [], inputs
    for position, (weights, biases) in enumerate(layers):
        given.append(x)
        x = x @ weights + biases
        if position in residual:
            x = x + given[position - 1]
        if position + 1 < len(layers):
            x = np.maximum(x, 0)
    return x[:, 0]


def input_vectors(task: Task, encoding: Encoding, states) -> np.ndarray:
    facts = encoding.fact_inputs(task)
    first = np.cumsum([0, *(len(variable.value_names) for variable in task.variables)])
    rows = np.tile(facts.constant, (len(states), 1))
    for row, state in zip(rows, states, strict=True):
        for variable, value in enumerate(state):
            fact = first[variable] + value
            if facts.inputs[fact] >= 0:
                row[facts.inputs[fact]] += facts.coefficients[fact]
    return rows


TASKS = st.one_of(strips_tasks(), st.integers(0, 999).map(switches), st.integers(0, 999).map(pieces))


@settings(max_examples=60)
@given(TASKS, st.sampled_from(SHAPES), st.sampled_from(["boolean", "sas"]), st.integers(0, 10**6))
def test_core_onnx_runtime_and_tensors_agree(task, hidden, kind, seed):
    encoding = Encoding.of(task, kind)
    residual = residual_positions(hidden)
    layers = random_layers(seed, (encoding.num_inputs, *hidden, 1))
    model = Model(encoding, layers, residual=residual)
    again = Model.from_bytes(model.to_bytes())
    assert again.residual == residual and again.graph is None
    for one, other in zip(again.layers, layers, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))

    moves = to_moves(task, BUDGET)
    tables = MoveTables(moves.moves, moves.sizes, CPU, BUDGET)
    rng = np.random.default_rng(seed)
    batch = [tuple(int(rng.integers(size)) for size in moves.sizes) for _ in range(5)]
    states = [moves.core_state(state) for state in batch]
    inputs = input_vectors(task, encoding, states)
    expected = outputs(layers, residual, inputs)

    found = Evaluator(StateInputs.of(task, moves, tables, encoding.fact_inputs(task)), again.layers, again.residual)
    np.testing.assert_allclose(found(tables.states(batch)).numpy(), expected, rtol=1e-3, atol=1e-3)
    core = _core.Network(task.core, encoding.features(task), again.mlp)
    np.testing.assert_allclose(core.evaluate(np.array(states, np.int32))[:, 0], expected, rtol=1e-3, atol=1e-3)
    session = onnxruntime.InferenceSession(model.to_bytes(), providers=["CPUExecutionProvider"])
    (by_runtime,) = session.run(None, {"state": inputs})
    np.testing.assert_allclose(by_runtime[:, 0], expected, rtol=1e-3, atol=1e-3)
    assert (
        again.heuristic(task).evaluate(states[0]) == max(0, int(expected[0] + 0.5)) or abs(expected[0] % 1 - 0.5) < 1e-2
    )


def test_residual_layers_follow_successors_in_the_core():
    task = sliding_tiles(3)
    encoding = Encoding.of(task, "boolean")
    layers = random_layers(1, (encoding.num_inputs, 33, 33, 33, 33, 33, 1))
    net = _core.Network(task.core, encoding.features(task), _core.Mlp(list(layers), [2, 4]))
    space = _core.StateSpace(task.core)
    operators = space.applicable(task.initial_state)
    successors = [space.successor(task.initial_state, operator) for operator in operators]
    expected = outputs(layers, (2, 4), input_vectors(task, encoding, successors))
    found = net.evaluate_successors(task.initial_state, operators)[:, 0]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("first_layer", ["gather", "product"])
@pytest.mark.parametrize("hidden", SHAPES)
def test_a_network_that_learns_says_what_its_layers_say(first_layer, hidden):
    for task in (sliding_tiles(3), pieces(3), switches(4)):
        moves = to_moves(task, BUDGET)
        tables = MoveTables(moves.moves, moves.sizes, CPU, BUDGET)
        encoding = Encoding.of(task, "boolean")
        inputs = StateInputs.of(task, moves, tables, encoding.fact_inputs(task))
        residual = residual_positions(hidden)
        network = LearningNetwork(inputs, hidden, residual, first_layer, random_source(CPU, 1, 0))
        rng = np.random.default_rng(0)
        states = tables.states([tuple(int(rng.integers(size)) for size in moves.sizes) for _ in range(9)])
        found = network(states).detach() * 7 + 3
        expected = Evaluator(inputs, network.layers(7, 3), residual)(states)
        torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-3)


def test_both_first_layers_have_the_same_gradients():
    task = sliding_tiles(3)
    moves = to_moves(task, BUDGET)
    tables = MoveTables(moves.moves, moves.sizes, CPU, BUDGET)
    inputs = StateInputs.of(task, moves, tables, Encoding.of(task, "boolean").fact_inputs(task))
    gradients = []
    for first_layer in ("gather", "product"):
        network = LearningNetwork(inputs, (8, 8, 8), (2,), first_layer, random_source(CPU, 1, 0))
        network(tables.states([task.initial_state, tuple(range(9))])).square().sum().backward()
        gradients.append([parameter.grad for parameter in network.parameters()])
    for one, other in zip(*gradients, strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize(
    ("residual", "problem"),
    [
        ([1], "layer 2 cannot end a residual block"),
        ([5], "layer 6 cannot end a residual block"),
        ([2], "layer 3 ends a residual block that takes 4 numbers, and gives 5"),
        ([3, 4], "layer 5 ends a residual block within another"),
        ([9], "no such layer"),
    ],
)
def test_blocks_that_cannot_be_are_refused(residual, problem):
    layers = random_layers(0, (3, 4, 5, 5, 5, 5, 1))
    if residual == [2]:
        layers = random_layers(0, (3, 4, 4, 5, 1))
    with pytest.raises((ValueError, IndexError), match=problem):
        _core.Mlp(list(layers), residual)


def chain(nodes: list[tuple[str, list[str], list[str]]], names: dict[str, np.ndarray]):
    tensors = [numpy_helper.from_array(array.astype(np.float32), name) for name, array in names.items()]
    given = [helper.make_tensor_value_info("x", 1, ["n", 3])]
    wanted = [helper.make_tensor_value_info("y", 1, ["n", 1])]
    return helper.make_graph([helper.make_node(*node) for node in nodes], "g", given, wanted, tensors)


FIRST = [("MatMul", ["x", "a"], ["s1"]), ("Relu", ["s1"], ["h1"])]
BLOCK = [*FIRST, ("MatMul", ["h1", "b"], ["s2"]), ("Relu", ["s2"], ["h2"]), ("MatMul", ["h2", "c"], ["p3"])]
LAST = [("Relu", ["s3"], ["h3"]), ("MatMul", ["h3", "d"], ["y"])]
WEIGHTS = {"a": np.ones((3, 4)), "b": np.ones((4, 4)), "c": np.ones((4, 4)), "d": np.ones((4, 1)), "e": np.ones(4)}


@pytest.mark.parametrize(
    "middle",
    [
        [("Add", ["p3", "h1"], ["s3"])],
        [("Add", ["h1", "p3"], ["s3"])],
        [("Add", ["p3", "e"], ["q3"]), ("Add", ["q3", "h1"], ["s3"])],
        [("Add", ["p3", "h1"], ["q3"]), ("Add", ["q3", "e"], ["s3"])],
    ],
)
def test_residual_blocks_are_read_however_they_are_written(middle):
    layers, residual = read_layers(chain([*BLOCK, *middle, *LAST], WEIGHTS), 3)
    assert residual == (2,) and len(layers) == 4
    assert layers[2][1].tolist() == ([1.0] * 4 if len(middle) == 2 else [0.0] * 4)


def test_a_name_that_only_passes_something_on_begins_a_block_too():
    first = [FIRST[0], FIRST[1], ("Identity", ["h1"], ["i1"])]
    rest = [(kind, ["i1" if name == "h1" else name for name in names], to) for kind, names, to in BLOCK[2:]]
    _, residual = read_layers(chain([*first, *rest, ("Add", ["p3", "h1"], ["s3"]), *LAST], WEIGHTS), 3)
    assert residual == (2,)


@pytest.mark.parametrize(
    "nodes",
    [
        [*BLOCK, ("Add", ["p3", "s1"], ["s3"]), *LAST],  # what was there before ReLU
        [*BLOCK, ("Add", ["p3", "h2"], ["s3"]), *LAST],  # a block of one layer
        [*BLOCK, ("Add", ["p3", "p3"], ["s3"]), *LAST],
        [*BLOCK, ("Add", ["p3", "h1"], ["s3"]), ("MatMul", ["s3", "d"], ["y"])],  # no ReLU behind it
        [*FIRST, ("Add", ["h1", "s1"], ["s3"]), *LAST],
    ],
)
def test_other_sums_are_not_taken_for_blocks(nodes):
    with pytest.raises(NotNativeError):
        read_layers(chain(nodes, WEIGHTS), 3)
