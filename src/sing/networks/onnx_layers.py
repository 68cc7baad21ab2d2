"""Dense layers from an ONNX graph, however it writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sing.base.errors import InputError
from sing.networks.training import Floats, Layers

if TYPE_CHECKING:
    import onnx

# Operators that change nothing when a network is only evaluated.
_PASS_THROUGH = ("Identity", "Dropout", "Flatten")


class NotNativeError(Exception):
    """A graph that may be fine, but is not a plain chain of dense layers."""


def read_layers(graph: onnx.GraphProto, num_inputs: int, num_outputs: int = 1) -> tuple[Layers, tuple[int, ...]]:
    """Dense layers with ReLU between them, and the positions of those that end residual blocks.

    Raises NotNativeError where the graph is anything else.
    """
    tensors = _tensors(graph)
    inputs = [value.name for value in graph.input if value.name not in tensors]
    if len(inputs) != 1 or len(graph.output) != 1:
        raise NotNativeError("it has several inputs or outputs")
    name = inputs[0]
    layers: list[tuple[Floats, Floats]] = []
    residual: list[int] = []
    same_names = {name}  # of the numbers that the next node is given
    given: list[set[str]] = []  # the names of what each layer is given
    starts_layer = True  # the next affine step begins a layer; otherwise it is merged into the last one
    for node in graph.node:
        if name not in node.input:
            raise NotNativeError(f"its operators do not form a chain at '{node.op_type}'")
        if node.op_type == "Relu":
            if starts_layer:
                raise NotNativeError("it has ReLU where no dense layer stands before")
            starts_layer = True
            same_names = set()
        elif node.op_type in _PASS_THROUGH:
            if _attributes(node).get("axis", 1) != 1 or len(node.input) > (3 if node.op_type == "Dropout" else 1):
                raise NotNativeError(f"it has a '{node.op_type}' that reshapes")
        elif node.op_type == "Add" and not any(other in tensors for other in node.input):
            _require_block(node, name, given, residual, starts_layer)
            residual.append(len(layers) - 1)
        else:
            width = layers[-1][1].size if layers else num_inputs
            weights, biases = _affine(node, name, tensors, width)
            if weights is not None and weights.shape[0] != width:
                there = f"the layer before gives {width}" if layers else f"its metadata names {width} inputs"
                raise InputError(f"a '{node.op_type}' takes {weights.shape[0]} numbers, {there}")
            if weights is not None and starts_layer:
                given.append(same_names)
            elif weights is not None and residual[-1:] == [len(layers) - 1]:
                raise NotNativeError("it has a residual block without ReLU behind it")
            if weights is None and not starts_layer:
                layers[-1] = (layers[-1][0], layers[-1][1] + biases)
            elif weights is None:
                raise NotNativeError("it has 'Add' where no dense layer stands before")
            elif starts_layer:
                layers.append((weights, biases))
                starts_layer = False
            else:
                layers[-1] = _merged(layers[-1], (weights, biases))
        name = node.output[0]
        same_names = {*same_names, name}
    if name != graph.output[0].name or not layers:
        raise NotNativeError("its operators do not form a chain to its output")
    if layers[-1][1].size != num_outputs:
        expected = "a heuristic has one" if num_outputs == 1 else f"its metadata names {num_outputs} goals"
        raise InputError(f"the network has {layers[-1][1].size} outputs; {expected}")
    if starts_layer:  # a ReLU ends it: a last layer that passes on what it is given says the same
        layers.append((np.eye(num_outputs, dtype=np.float32), np.zeros(num_outputs, dtype=np.float32)))
    if residual[-1:] == [len(layers) - 1]:
        raise NotNativeError("its last layer is residual")
    return tuple(layers), tuple(residual)


def _require_block(
    node: onnx.NodeProto, name: str, given: list[set[str]], residual: list[int], starts_layer: bool
) -> None:
    """Raise NotNativeError unless the sum ends a block of two layers: the last layer's output and the block's input."""
    others = [other for other in node.input if other != name]
    last = len(given) - 1
    if starts_layer or len(others) != 1 or last < 2 or others[0] not in given[last - 1]:
        raise NotNativeError("it has an 'Add' that ends no residual block of two layers")
    if residual and residual[-1] >= last - 1:
        raise NotNativeError("it has residual blocks within each other")


def _merged(first: tuple[Floats, Floats], second: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Two layers without ReLU between them as one."""
    if first[0].shape[0] * second[0].shape[1] > first[0].size + second[0].size:
        raise NotNativeError("it has layers without ReLU between them that are smaller apart")
    with np.errstate(all="ignore"):
        return to_float32(first[0] @ second[0]), to_float32(first[1] @ second[0] + second[1])


def _tensors(graph: onnx.GraphProto) -> dict[str, Floats]:
    import onnx
    from onnx import numpy_helper

    tensors = {}
    for tensor in graph.initializer:
        if tensor.data_type not in (onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE, onnx.TensorProto.FLOAT16):
            continue
        try:
            tensors[tensor.name] = to_float32(numpy_helper.to_array(tensor))
        except (ValueError, TypeError, OverflowError, MemoryError) as error:
            raise InputError(f"the weights '{tensor.name}' are damaged: {error}") from None
    return tensors


def to_float32(array: Any) -> Floats:
    with np.errstate(all="ignore"):
        return np.ascontiguousarray(array, dtype=np.float32)


def _affine(node: onnx.NodeProto, name: str, tensors: dict[str, Floats], width: int) -> tuple[Floats | None, Floats]:
    """Weights [inputs, outputs] and biases of a Gemm or MatMul; of an Add its biases, for `width` outputs, alone."""
    if node.op_type not in ("Gemm", "MatMul", "Add"):
        raise NotNativeError(f"it has a '{node.op_type}'")
    others = [tensors.get(other) for other in node.input if other != name]
    arrays = [array for array in others if array is not None]
    if len(arrays) != len(others) or not arrays or list(node.input).count(name) != 1:
        raise NotNativeError(f"it has a '{node.op_type}' whose operands are not all numbers")
    attributes = _attributes(node)
    if node.op_type == "Add":
        return None, _biases(arrays[0], width)
    if node.input[0] == name and arrays[0].ndim == 2:
        if attributes.get("transA", 0):
            raise NotNativeError("it has a 'Gemm' with transA")
        with np.errstate(all="ignore"):
            weights = attributes.get("alpha", 1.0) * (arrays[0].T if attributes.get("transB", 0) else arrays[0])
            biases = np.zeros(weights.shape[1], dtype=np.float32)
            if len(arrays) > 1:
                biases = biases + attributes.get("beta", 1.0) * _biases(arrays[1], len(biases))
        return to_float32(weights), to_float32(biases)
    raise NotNativeError(f"it has a '{node.op_type}' that is not states times weights")


def _biases(array: Floats, width: int) -> Floats:
    """One number for each of `width` outputs, from an array that ONNX would broadcast to a row."""
    if array.size not in (1, width) or array.shape not in ((), (array.size,), (1, array.size)):
        raise NotNativeError(f"it adds an array of shape {array.shape} to {width} numbers")
    return np.broadcast_to(array.reshape(-1), (width,)).astype(np.float32)


def _attributes(node: onnx.NodeProto) -> dict[str, Any]:
    from onnx import helper

    return {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
