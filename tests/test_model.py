"""Models as files: ours, others', and broken ones."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys

import numpy as np
import onnx
import onnxruntime
import pytest
import reference
from clocks import Clock
from onnx import TensorProto, helper, numpy_helper
from puzzles import sliding_tiles
from random_tasks import TaskText

from sing import _core
from sing.base.budget import Budget, LimitReached, current_memory_bytes
from sing.base.errors import InputError
from sing.base.reporter import Reporter
from sing.learning.learn import learn_model
from sing.networks.encoding import ENCODINGS, Encoding
from sing.networks.model import Model
from sing.planners.configs import CONFIGS
from sing.planners.single import Config
from sing.search.search import SearchConfig, search
from sing.task.task import Task

LEARNED = [config for config in CONFIGS.values() if isinstance(config, Config) and config.learning]


@pytest.fixture(scope="module")
def task() -> Task:
    return sliding_tiles(3)


def small(config: Config) -> Config:
    config = config.override(nsearches=10, nsamples=30, max_epochs=3)
    if config.learning.value_iteration.iterations:
        config = config.override(**{"value_iteration.iterations": 3, "value_iteration.nsearches": 2})
    return config


def learned(task: Task, config: Config, seed: int = 1) -> Model:
    config = small(config)
    return learn_model(
        task, config.learning, config.origin, seed=seed, jobs=1, budget=Budget(), reporter=Reporter(),
        search_follows=False,
    ).model  # fmt: skip


def random_states(task: Task, count: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.array([rng.permutation(len(task.variables)) for _ in range(count)], dtype=np.int32)


@pytest.mark.parametrize("config", LEARNED, ids=lambda config: config.name)
def test_onnx_runtime_agrees_on_every_configuration(task, tmp_path, config):
    model = learned(task, config)
    path = tmp_path / "m.onnx"
    model.save(path)
    states = random_states(task, 50)
    inputs = np.array([reference.encoded(task, model.encoding.kind, state) for state in states], dtype=np.float32)
    (expected,) = onnxruntime.InferenceSession(path).run(["estimate"], {"state": inputs})
    features = model.encoding.features(task)
    found = _core.Network(task.core, features, _core.Mlp(list(Model.load(path).layers))).evaluate(states)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", ENCODINGS)
def test_another_goal_is_another_search_space(kind):
    def task(*goal):
        return Task.from_sas(TaskText(False, (3, 3), (), (0, 0), goal, ()).to_sas())

    encoding = Encoding.of(task((0, 1), (1, 2)), kind)
    encoding.features(task((1, 2), (0, 1)))
    for goal, message in (
        ([(0, 1)], "it has goals that the task lacks: Atom at(x1, v2)"),
        ([(0, 1), (1, 0)], "the task has goals that the model lacks: Atom at(x1, v0)"),
    ):
        with pytest.raises(InputError, match=re.escape(message)):
            encoding.features(task(*goal))
        encoding.features(task(*goal), force=True)


def test_a_model_that_was_saved_gives_the_same_plan(task, tmp_path):
    model = learned(task, CONFIGS["c4"])
    model.save(tmp_path / "m.onnx")
    loaded = Model.load(tmp_path / "m.onnx")
    assert (loaded.encoding, loaded.seed, loaded.version) == (model.encoding, model.seed, model.version)
    assert loaded.config == json.loads(json.dumps(model.config))
    results = [search(task, one.heuristic(task), SearchConfig(), Budget()) for one in (model, loaded)]
    assert results[0].plan and results[0].plan == results[1].plan
    assert results[0].initial_estimate == results[1].initial_estimate


def test_the_same_seed_gives_the_same_file(task):
    files = {learned(task, CONFIGS["sing"], seed).to_bytes() for seed in (1, 1, 2)}
    assert len(files) == 2


def test_the_file_says_where_it_comes_from(task, tmp_path):
    learned(task, CONFIGS["sing-l"]).save(tmp_path / "m.onnx")
    proto = onnx.load(tmp_path / "m.onnx")
    onnx.checker.check_model(proto, full_check=True)
    metadata = {entry.key: entry.value for entry in proto.metadata_props}
    keys = "sing.atoms sing.config sing.encoding sing.goal sing.seed sing.variables sing.version"
    assert sorted(metadata) == keys.split()
    assert json.loads(metadata["sing.atoms"]) == list(task.atoms)
    assert json.loads(metadata["sing.goal"]) == sorted(f"Atom at({tile}, {tile})" for tile in range(9))
    assert metadata["sing.encoding"] == "sas"
    config = json.loads(metadata["sing.config"])
    assert config["name"].startswith("sing-l ")
    assert config["search"] == {"queues": ["h"], "ties": "fifo", "goal_orders": False, "shorten_share": 0.0}


def reordered(task: Task, seed: int) -> Task:
    """The same task with its variables and their values in another order."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(task.variables))
    values = [rng.permutation(len(variable.value_names)) for variable in task.variables]

    def fact(variable: int, value: int) -> str:
        return f"{list(order).index(variable)} {list(values[variable]).index(value)}"

    lines = ["begin_version", 3, "end_version", "begin_metric", 0, "end_metric", len(order)]
    for variable in order:
        names = [task.variables[variable].value_names[value] for value in values[variable]]
        lines += ["begin_variable", f"v{variable}", -1, len(names), *names, "end_variable"]
    lines += [0, "begin_state"]
    lines += [fact(variable, task.initial_state[variable]).split()[1] for variable in order]
    lines += ["end_state", "begin_goal", len(task.goal), *(fact(*goal) for goal in task.goal), "end_goal"]
    lines.append(task.num_operators)
    for operator in task.operators:
        before = dict(operator.preconditions)
        lines += ["begin_operator", operator.name, 0, len(operator.effects)]
        for effect in operator.effects:
            variable = effect.fact.variable
            old, new = fact(variable, before[variable]).split()[1], fact(*effect.fact)
            lines.append(f"0 {new.split()[0]} {old} {new.split()[1]}")
        lines += [1, "end_operator"]
    return Task.from_sas("\n".join(map(str, [*lines, 0])))


@pytest.mark.parametrize("name", ["sing", "sing-l"])
def test_atoms_are_matched_by_name_whatever_their_order(task, name):
    model = learned(task, CONFIGS[name])
    other = reordered(task, seed=3)
    assert other.atoms != task.atoms
    assert model.heuristic(task).evaluate(task.initial_state) == model.heuristic(other).evaluate(other.initial_state)


def test_another_search_space_is_refused_with_the_difference(task):
    model = learned(task, CONFIGS["sing"])
    with pytest.raises(InputError, match=r"goals that the model lacks: Atom at\(1, 2\)"):
        model.heuristic(sliding_tiles(3, swap_goal=True))
    with pytest.raises(InputError, match=r"the model lacks: .* and 13 more"):
        model.heuristic(sliding_tiles(5))
    known = Encoding("boolean", model.encoding.atoms[1:], model.encoding.goal)
    with pytest.raises(InputError, match=r"atoms that the model lacks: Atom at\(0, 0\)$"):
        known.features(task)


# Graphs of others.


def graph(nodes: list[onnx.NodeProto], tensors: dict[str, np.ndarray], num_inputs: int = 81, **options) -> bytes:
    output = options.get("output_shape", ["n", 1])
    proto = helper.make_model(
        helper.make_graph(
            nodes,
            "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", num_inputs])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, output)],
            [numpy_helper.from_array(array, name) for name, array in tensors.items()],
        ),
        opset_imports=[helper.make_opsetid("", 13)],
        ir_version=8,
    )
    helper.set_model_props(proto, options.get("metadata", {"sing.atoms": json.dumps(sliding_tiles(3).atoms)}))
    return proto.SerializeToString()


RNG = np.random.default_rng(0)
W1, W2 = (RNG.normal(0, 1, shape).astype(np.float32) for shape in ((81, 8), (8, 1)))
B1, B2 = np.arange(8, dtype=np.float32), np.array([30], dtype=np.float32)
node = helper.make_node
TENSORS = {"w1": W1, "b1": B1, "w2": W2, "b2": B2, "w1t": np.ascontiguousarray(W1.T), "w2t": W2.T.copy()}

PLAIN_GRAPHS = {
    "gemm": [
        node("Gemm", ["x", "w1", "b1"], ["a"]),
        node("Relu", ["a"], ["b"]),
        node("Gemm", ["b", "w2", "b2"], ["y"]),
    ],
    "transposed, scaled": [
        node("Gemm", ["x", "w1t", "b1"], ["a"], transB=1, alpha=0.5, beta=2.0),
        node("Relu", ["a"], ["b"]),
        node("Gemm", ["b", "w2t"], ["y"], transB=1),
    ],
    "matmul and add": [
        node("MatMul", ["x", "w1"], ["a"]),
        node("Add", ["b1", "a"], ["b"]),
        node("Relu", ["b"], ["c"]),
        node("Identity", ["c"], ["d"]),
        node("MatMul", ["d", "w2"], ["e"]),
        node("Add", ["e", "b2"], ["y"]),
    ],
    "relu at the end": [
        node("Flatten", ["x"], ["f"]),
        node("Gemm", ["f", "w1", "b1"], ["a"]),
        node("Gemm", ["a", "w2", "b2"], ["b"]),
        node("Relu", ["b"], ["y"]),
    ],
}


@pytest.mark.parametrize("name", PLAIN_GRAPHS)
def test_a_plain_network_trained_elsewhere_runs_natively(task, name):
    data = graph(PLAIN_GRAPHS[name], TENSORS)
    model = Model.from_bytes(data)
    assert model.graph is None
    states = random_states(task, 20)
    inputs = np.array([reference.encoded(task, "boolean", state) for state in states], dtype=np.float32)
    (expected,) = onnxruntime.InferenceSession(data).run(None, {"x": inputs})
    network = _core.Network(task.core, model.encoding.features(task), _core.Mlp(list(model.layers)))
    np.testing.assert_allclose(network.evaluate(states), expected, rtol=1e-4, atol=1e-3)


SIGMOID = [
    node("Gemm", ["x", "w1", "b1"], ["a"]),
    node("Sigmoid", ["a"], ["b"]),
    node("Gemm", ["b", "w2", "b2"], ["y"]),
]


def test_another_graph_is_evaluated_by_onnx_runtime(task):
    data = graph(SIGMOID, TENSORS)
    model = Model.from_bytes(data)
    assert model.graph == data
    state = random_states(task, 1)[0]
    inputs = reference.encoded(task, "boolean", state).astype(np.float32)[None]
    (expected,) = onnxruntime.InferenceSession(data).run(None, {"x": inputs})
    assert model.heuristic(task).evaluate(list(map(int, state))) == max(0, round(float(expected[0, 0])))
    assert search(task, model.heuristic(task), SearchConfig(), Budget()).plan


def test_another_graph_is_refused_where_onnx_runtime_is_absent(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(InputError, match=r"it has a 'Sigmoid'; to evaluate it install ONNX Runtime"):
        Model.from_bytes(graph(SIGMOID, TENSORS))


GEMM = PLAIN_GRAPHS["gemm"]
ATOMS = json.dumps(sliding_tiles(3).atoms)


def external() -> bytes:
    proto = onnx.load_from_string(graph(GEMM, TENSORS))
    tensor = proto.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    entry = tensor.external_data.add()
    entry.key, entry.value = "location", "/etc/passwd"
    return proto.SerializeToString()


def oversized() -> bytes:
    proto = onnx.load_from_string(graph(GEMM, TENSORS))
    proto.graph.initializer[0].dims[:] = [1 << 40, 1 << 20]
    return proto.SerializeToString()


def branching() -> bytes:
    branch = helper.make_graph([], "branch", [], [helper.make_tensor_value_info("b1", TensorProto.FLOAT, [8])])
    nodes = [node("If", ["c"], ["y"], then_branch=branch, else_branch=branch)]
    return graph(nodes, {**TENSORS, "c": np.array(True)})


def external_constant() -> bytes:
    tensor = numpy_helper.from_array(W1, "c")
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    entry = tensor.external_data.add()
    entry.key, entry.value = "location", "weights.bin"
    return graph([node("Constant", [], ["c"], value=tensor), node("MatMul", ["x", "c"], ["y"])], TENSORS)


def fixed_batch() -> bytes:
    nodes = [node("Add", ["x", "two"], ["a"]), node("Sigmoid", ["a"], ["b"]), node("MatMul", ["b", "w"], ["y"])]
    return graph(nodes, {"two": np.ones((2, 81), np.float32), "w": np.ones((81, 1), np.float32)})


def two_outputs() -> bytes:
    proto = onnx.load_from_string(graph(SIGMOID, TENSORS))
    proto.graph.output.append(helper.make_tensor_value_info("b", TensorProto.FLOAT, ["n", 8]))
    return proto.SerializeToString()


def outer_sum(size: int) -> bytes:
    nodes = [
        node("Add", ["row", "column"], ["a"]),
        node("ReduceSum", ["a"], ["b"]),
        node("Sigmoid", ["x"], ["c"]),
        node("MatMul", ["c", "w"], ["d"]),
        node("Add", ["d", "b"], ["y"]),
    ]
    tensors = {"row": np.ones((1, size), np.float32), "column": np.ones((size, 1), np.float32)}
    return graph(nodes, {**tensors, "w": np.ones((81, 1), np.float32)})


def long_chain(length: int) -> bytes:
    steps = [node("Sigmoid", [f"h{i}"], [f"h{i + 1}"]) for i in range(length)]
    return graph([node("MatMul", ["x", "w1"], ["h0"]), *steps, node("MatMul", [f"h{length}", "w2"], ["y"])], TENSORS)


def sparse() -> bytes:
    proto = onnx.load_from_string(graph(SIGMOID, TENSORS))
    values, indices = np.ones(1, np.float32), np.zeros(1, np.int64)
    tensors = numpy_helper.from_array(values, "s"), numpy_helper.from_array(indices, "i")
    proto.graph.sparse_initializer.append(helper.make_sparse_tensor(*tensors, [1 << 20, 1 << 20]))
    return proto.SerializeToString()


BROKEN = {
    "empty": (b"", "not an ONNX file"),
    "no protobuf": (b"\x89PNG\r\n\x1a\n" * 40, "not an ONNX file"),
    "text": (b"(define (domain d))", "not an ONNX file"),
    "truncated": (graph(GEMM, TENSORS)[:-900], "not an ONNX|not a valid|without a network|damaged|sing.atoms"),
    "no atoms": (graph(GEMM, TENSORS, metadata={}), "no 'sing.atoms'"),
    "atoms no JSON": (graph(GEMM, TENSORS, metadata={"sing.atoms": "[["}), "'sing.atoms' is not a JSON list"),
    "atoms nested": (graph(GEMM, TENSORS, metadata={"sing.atoms": "[" * 100_000}), "'sing.atoms' is not a JSON list"),
    "atoms no names": (graph(GEMM, TENSORS, metadata={"sing.atoms": "[1, 2]"}), "different names"),
    "atoms twice": (graph(GEMM, TENSORS, metadata={"sing.atoms": '["a", "a"]'}), "different names"),
    "too few atoms": (
        graph(GEMM, TENSORS, metadata={"sing.atoms": '["a", "b"]'}),
        "takes 81 numbers, its metadata names 2 inputs",
    ),
    "encoding": (graph(GEMM, TENSORS, metadata={"sing.atoms": ATOMS, "sing.encoding": "hex"}), "'hex'"),
    "no variables": (
        graph(GEMM, TENSORS, metadata={"sing.atoms": ATOMS, "sing.encoding": "sas"}),
        "sing.variables",
    ),
    "seed": (graph(GEMM, TENSORS, metadata={"sing.atoms": ATOMS, "sing.seed": "x"}), "'sing.seed' is not a JSON int"),
    "layers that do not fit": (
        graph([node("Gemm", ["x", "w2"], ["y"]), *[]], TENSORS),
        "takes 8 numbers, its metadata names 81 inputs",
    ),
    "chain that does not fit": (
        graph([node("Gemm", ["x", "w1"], ["a"]), node("Gemm", ["a", "w1"], ["y"])], TENSORS),
        "takes 81 numbers, the layer before gives 8",
    ),
    "two outputs": (graph([node("Gemm", ["x", "w1", "b1"], ["y"])], TENSORS), "8 outputs; a heuristic has one"),
    "not finite": (graph(GEMM, {**TENSORS, "w1": W1 * np.float32(np.nan)}), "not finite"),
    "external weights": (external(), "weights in another file"),
    "larger than its data": (oversized(), "damaged|not a valid ONNX"),
    "control flow": (branching(), "control flow is not accepted"),
    "other operators": (
        graph([helper.make_node("Evil", ["x"], ["y"], domain="evil.org")], TENSORS),
        "not a valid ONNX|standard ONNX",
    ),
    "no such operator": (graph([node("Frobnicate", ["x"], ["y"])], TENSORS), "not a valid ONNX|ONNX Runtime cannot"),
    "not one number a state": (graph([node("ReduceSum", ["x"], ["y"], keepdims=0)], TENSORS), "1 numbers for 3 states"),
    "weights of a constant elsewhere": (external_constant(), "weights in another file"),
    "numbers that are not finite": (
        graph([node("Log", ["x"], ["a"]), node("ReduceSum", ["a"], ["y"])], TENSORS),
        "finite",
    ),
    "a fixed batch": (fixed_batch(), "ONNX Runtime cannot run it|shapes do not fit"),
    "two graph outputs": (two_outputs(), "one input and one output"),
    "a bomb of a constant": (
        graph([node("ConstantOfShape", ["s"], ["y"])], {**TENSORS, "s": np.array([1 << 40, 1])}),
        "cannot be foreseen",
    ),
    "a bomb of a sum": (outer_sum(10**6), "operations"),
    "a bomb of numbers": (outer_sum(30_000), "9e.08 numbers on the way"),
    "a long chain": (long_chain(3000), "more than 2,000 nodes"),
    "sparse weights": (sparse(), "sparse weights"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_get_a_clear_error(tmp_path, name):
    data, problem = BROKEN[name]
    path = tmp_path / "m.onnx"
    path.write_bytes(data)
    with pytest.raises(InputError, match=problem) as caught:
        Model.load(path)
    assert "\n" not in str(caught.value)
    assert "m.onnx" in str(caught.value)


def test_no_truncation_and_no_damaged_byte_crashes():
    data = graph(GEMM, TENSORS)
    rng = np.random.default_rng(1)
    damaged = [data[:length] for length in rng.integers(0, len(data), 60)]
    for position in rng.integers(0, len(data), 200):
        damaged.append(data[:position] + bytes([int(rng.integers(256))]) + data[position + 1 :])
    for text in damaged:
        with contextlib.suppress(InputError):
            Model.from_bytes(text)


def test_small_files_do_not_become_large_ones():
    """A sum over many outputs, and products that are smaller apart than together."""
    wide = {
        "u": np.ones((81, 50_000), np.float32),
        "b": np.ones(50_000, np.float32),
        "v": np.ones((50_000, 1), np.float32),
    }
    nodes = [node("MatMul", ["x", "u"], ["a"]), node("Add", ["a", "b"], ["c"]), node("MatMul", ["c", "v"], ["y"])]
    assert Model.from_bytes(graph(nodes, wide)).layers[0][0].shape == (81, 1)
    narrow = {
        "u": np.ones((81, 1), np.float32),
        "v": np.ones((1, 10**5), np.float32),
        "w": np.ones((10**5, 1), np.float32),
    }
    nodes = [node("MatMul", ["x", "u"], ["a"]), node("MatMul", ["a", "v"], ["b"]), node("MatMul", ["b", "w"], ["y"])]
    assert Model.from_bytes(graph(nodes, narrow)).graph is not None


def test_what_never_ends_is_not_read_beyond_the_limits(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(LimitReached, match="out_of_time"):
        Model.load(tmp_path / "pipe", Budget(10, clock=Clock(tick_s=1)))
    with pytest.raises(LimitReached, match="out_of_memory"):
        Model.load("/dev/zero", Budget(60, current_memory_bytes() + (64 << 20)))


def test_files_that_cannot_be_read_or_written(task, tmp_path):
    with pytest.raises(InputError, match="cannot read the model file"):
        Model.load(tmp_path / "absent.onnx")
    with pytest.raises(InputError, match="cannot read the model file"):
        Model.load(tmp_path)
    model = learned(task, CONFIGS["sing"])
    with pytest.raises(InputError, match="cannot write the model file"):
        model.save(tmp_path / "absent" / "m.onnx")
    assert list(tmp_path.iterdir()) == []
