"""Model files that are damaged, hostile or not there: each gets a clear error, within the limits."""

from __future__ import annotations

import contextlib
import json
import os

import numpy as np
import onnx
import pytest
from clocks import Clock
from graphs import GEMM, SIGMOID, TENSORS, W1, graph, node
from onnx import TensorProto, helper, numpy_helper
from puzzles import sliding_tiles

from sing.base.budget import Budget, LimitReached, current_memory_bytes
from sing.base.errors import InputError
from sing.networks.model import Model

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


def test_files_that_cannot_be_read_or_written(tmp_path):
    with pytest.raises(InputError, match="cannot read the model file"):
        Model.load(tmp_path / "absent.onnx")
    with pytest.raises(InputError, match="cannot read the model file"):
        Model.load(tmp_path)
    with pytest.raises(InputError, match="cannot write the model file"):
        Model.from_bytes(graph(GEMM, TENSORS)).save(tmp_path / "absent" / "m.onnx")
    assert list(tmp_path.iterdir()) == []


def field(number: int, content: bytes) -> bytes:
    """A field of protobuf that holds bytes, a text or a message."""
    length, digits = len(content), []
    while length >= 128:
        digits.append(length % 128 + 128)
        length //= 128
    return bytes([8 * number + 2, *digits, length]) + content


MANY = 1_000_000
# A million inputs without a name, a million numbers of a byte each and a million fields that nobody knows.
LARGE = {
    "texts": field(7, field(1, field(1, b"") * MANY)),
    "messages": field(7, field(1, field(5, b"") * MANY)),
    "numbers": field(7, field(5, field(7, b"\1" * 9 * MANY))),
    "unknown": field(9, b"") * MANY,
    "JSON": graph(GEMM, TENSORS, metadata={"sing.atoms": "[" + "[]," * MANY + "[]]"}),
}


@pytest.mark.parametrize("name", LARGE)
def test_what_would_become_large_is_not_parsed(name):
    """What files say takes many times their size in memory: the objects are counted before they are made."""
    with pytest.raises(LimitReached, match="out_of_memory"):
        Model.from_bytes(LARGE[name], Budget(60, current_memory_bytes() + (64 << 20)))


def test_counting_what_a_file_holds_ends_with_the_time():
    with pytest.raises(LimitReached, match="out_of_time"):
        Model.from_bytes(LARGE["texts"], Budget(10, clock=Clock(tick_s=1)))
