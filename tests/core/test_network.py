from itertools import pairwise

import numpy as np
import pytest
import reference
from hypothesis import assume, given
from hypothesis import strategies as st
from puzzles import sliding_tiles
from random_tasks import states, task_texts

from sing import _core
from sing._core import testing
from sing.networks.encoding import ENCODINGS, Encoding
from sing.task.task import Task

SIZES = [(1,), (16,), (17,), (64,), (5, 3), (64, 64, 64, 64), (16, 33, 1)]


@pytest.fixture(params=_core.kernel_names())
def kernels(request):
    """Every instruction set of this machine in turn."""
    testing.select_kernels(request.param)
    yield
    testing.select_kernels(_core.kernel_names()[-1])


def random_layers(seed: int, sizes: tuple[int, ...]) -> reference.Layers:
    rng = np.random.default_rng(seed)
    return [
        (rng.normal(0, a**-0.5, (a, b)).astype(np.float32), rng.normal(0, 1, b).astype(np.float32))
        for a, b in pairwise(sizes)
    ]


def network(task: Task, kind: str, layers: reference.Layers) -> _core.Network:
    return _core.Network(task.core, Encoding.of(task, kind).features(task), _core.Mlp(layers))


@given(task_texts(), st.data(), st.sampled_from(ENCODINGS), st.sampled_from(SIZES), st.integers(1, 3))
def test_a_network_equals_its_twin(text, data, kind, hidden, num_outputs):
    task = Task.from_sas(text.to_sas())
    num_inputs = Encoding.of(task, kind).num_inputs
    assume(num_inputs > 0)
    layers = random_layers(len(hidden), (num_inputs, *hidden, num_outputs))
    batch = np.array(data.draw(st.lists(states(text.domain_sizes), min_size=1, max_size=4)), dtype=np.int32)
    inputs = np.array([reference.encoded(task, kind, state) for state in batch])
    found = network(task, kind, layers).evaluate(batch)
    np.testing.assert_allclose(found, reference.outputs(layers, inputs), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", ENCODINGS)
@pytest.mark.parametrize("hidden", SIZES)
def test_updating_equals_recomputing_along_random_walks(kernels, kind, hidden):
    task = sliding_tiles(5)
    net = network(task, kind, random_layers(1, (Encoding.of(task, kind).num_inputs, *hidden, 2)))
    space = _core.StateSpace(task.core)
    rng = np.random.default_rng(0)
    state = task.initial_state
    for _ in range(50):
        operators = space.applicable(state)
        successors = [reference.successor(task, task.operator(op), state) for op in operators]
        updated = net.evaluate_successors(state, operators)
        recomputed = net.evaluate(np.array(successors, dtype=np.int32))
        np.testing.assert_allclose(updated, recomputed, rtol=1e-5, atol=1e-5 * max(1.0, np.abs(recomputed).max()))
        state = successors[rng.integers(len(successors))]


@given(task_texts(), st.data(), st.sampled_from(ENCODINGS))
def test_updating_equals_recomputing_on_random_tasks(text, data, kind):
    task = Task.from_sas(text.to_sas())
    num_inputs = Encoding.of(task, kind).num_inputs
    assume(num_inputs > 0)
    net = network(task, kind, random_layers(2, (num_inputs, 16, 1)))
    state = data.draw(states(text.domain_sizes))
    operators = _core.StateSpace(task.core).applicable(state)
    updated = net.evaluate_successors(state, operators)
    assert updated.shape == (len(operators), 1)
    for op, row in zip(operators, updated, strict=True):
        after = np.array([reference.successor(task, task.operator(op), state)], dtype=np.int32)
        np.testing.assert_allclose(row, net.evaluate(after)[0], rtol=1e-5, atol=1e-5)


def test_estimates_are_outputs_rounded_and_never_below_zero():
    task = sliding_tiles(3)
    features = Encoding.of(task, "boolean").features(task)
    zeros = np.zeros((81, 1), dtype=np.float32)
    for bias, estimate in ((-3.0, 0), (0.4, 0), (0.6, 1), (41.5, 42), (3e38, 1_000_000_000)):
        mlp = _core.Mlp([(zeros, np.array([bias], dtype=np.float32))])
        heuristic = _core.Heuristic.network(task.core, features, mlp)
        assert heuristic.evaluate(task.initial_state) == estimate


def test_a_foreign_network_gives_the_same_search():
    task = sliding_tiles(3)
    layers = random_layers(3, (81, 16, 1))
    features = Encoding.of(task, "boolean").features(task)
    batch_sizes = []

    def evaluate(inputs: np.ndarray) -> np.ndarray:
        batch_sizes.append(len(inputs))
        return reference.outputs(layers, inputs).astype(np.float32)[:, 0]

    results = []
    for heuristic in (
        _core.Heuristic.network(task.core, features, _core.Mlp(layers)),
        _core.Heuristic.foreign(task.core, features, evaluate),
    ):
        search = _core.Search(
            task.core, heuristic, queues=["h"], ties=_core.Ties.FIFO, goal_orders=False, boost=0, max_links=0, seed=0
        )
        result = search.run(time_limit_s=60, memory_limit_bytes=1 << 30, max_work=2**64 - 1, progress=lambda news: True)
        results.append((result.plan, result.statistics.num_expanded))
    assert results[0] == results[1]
    assert max(batch_sizes) > 1


def test_errors_of_a_foreign_network_reach_the_caller():
    task = sliding_tiles(3)
    features = Encoding.of(task, "boolean").features(task)
    for evaluate, error in ((lambda inputs: 1 / 0, ZeroDivisionError), (lambda inputs: inputs[:, :2], Exception)):
        heuristic = _core.Heuristic.foreign(task.core, features, evaluate)
        with pytest.raises(error):
            heuristic.evaluate(task.initial_state)


def test_malformed_networks_are_refused():
    task = sliding_tiles(3)
    features = Encoding.of(task, "boolean").features(task)
    ones = np.ones((81, 4), dtype=np.float32)
    for layers, problem in (
        ([], "at least one layer"),
        ([(ones, np.ones(3, dtype=np.float32))], "another shape"),
        ([(ones, np.ones(4, dtype=np.float32)), (ones, np.ones(4, dtype=np.float32))], "the one before gives 4"),
        ([(ones * np.nan, np.ones(4, dtype=np.float32))], "not finite"),
        ([(np.ones((81, 0), dtype=np.float32), np.ones(0, dtype=np.float32))], "is empty"),
    ):
        with pytest.raises(ValueError, match=problem):
            _core.Mlp(layers)
    with pytest.raises(ValueError, match="one output"):
        _core.Heuristic.network(task.core, features, _core.Mlp([(ones, np.ones(4, dtype=np.float32))]))
    with pytest.raises(ValueError, match="80 inputs"):
        _core.Heuristic.network(task.core, features, _core.Mlp([(ones[:80, :1], np.ones(1, dtype=np.float32))]))


def test_states_and_operators_from_outside_are_checked():
    task = sliding_tiles(3)
    net = network(task, "boolean", random_layers(1, (81, 4, 1)))
    with pytest.raises(ValueError, match="another task"):
        net.evaluate(np.zeros((1, 8), dtype=np.int32))
    with pytest.raises(ValueError, match="does not have"):
        net.evaluate(np.full((1, 9), 9, dtype=np.int32))
    with pytest.raises(IndexError):
        net.evaluate_successors(task.initial_state, [task.num_operators])
    with pytest.raises(ValueError, match="no kernels"):
        testing.select_kernels("abacus")
