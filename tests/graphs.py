"""ONNX graphs as other programs write them."""

from __future__ import annotations

import json

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from puzzles import sliding_tiles


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


SIGMOID = [
    node("Gemm", ["x", "w1", "b1"], ["a"]),
    node("Sigmoid", ["a"], ["b"]),
    node("Gemm", ["b", "w2", "b2"], ["y"]),
]


GEMM = PLAIN_GRAPHS["gemm"]
