"""A learned heuristic as one ONNX file: weights, what the inputs mean, and where it came from."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sing import _core
from sing.encoding import ENCODINGS, Encoding
from sing.errors import InputError
from sing.files import read_bytes, write_bytes
from sing.task import Task
from sing.training import Floats, Layers

if TYPE_CHECKING:
    import onnx

# What protobuf can hold in one message.
_MAX_FILE_BYTES = 2 << 30
_OPSET, _IR_VERSION = 13, 8
# Operators that change nothing when a network is only evaluated.
_PASS_THROUGH = ("Identity", "Dropout", "Flatten")
# What ONNX Runtime may be asked to do: operators whose cost follows the size of what they are given and give.
_FORESEEABLE = frozenset(
    [
        "Abs",
        "Add",
        "BatchNormalization",
        "Cast",
        "Ceil",
        "Clip",
        "Concat",
        "Div",
        "Dropout",
        "Elu",
        "Exp",
        "Flatten",
        "Floor",
        "Gelu",
        "Gemm",
        "HardSigmoid",
        "HardSwish",
        "Identity",
        "LayerNormalization",
        "LeakyRelu",
        "Log",
        "MatMul",
        "Max",
        "Mean",
        "Min",
        "Mul",
        "Neg",
        "PRelu",
        "Pow",
        "Reciprocal",
        "ReduceMax",
        "ReduceMean",
        "ReduceMin",
        "ReduceSum",
        "Relu",
        "Reshape",
        "Round",
        "Selu",
        "Sigmoid",
        "Slice",
        "Softmax",
        "Softplus",
        "Softsign",
        "Split",
        "Sqrt",
        "Squeeze",
        "Sub",
        "Sum",
        "Tanh",
        "ThresholdedRelu",
        "Transpose",
        "Unsqueeze",
    ]
)
# Of one call of ONNX Runtime: the states of a batch (as in the core), and operations.
_MAX_BATCH, _MAX_COST = 64, 1e10


@dataclass(frozen=True)
class Model:
    """A network and the search space it estimates distances in.

    `config` and `seed` say how it was learned. `graph` is there instead of `layers` where the network is
    not a plain one of dense layers and ReLU: ONNX Runtime evaluates it.
    """

    encoding: Encoding
    layers: Layers
    config: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    version: str = field(default_factory=lambda: version("sing-planner"))
    graph: bytes | None = None

    def heuristic(self, task: Task, force: bool = False) -> _core.Heuristic:
        """The heuristic on a task. Raises InputError where the task is of another search space and not `force`."""
        features = self.encoding.features(task, force)
        if self.graph is not None:
            return _core.Heuristic.foreign(task.core, features, _runtime(self.graph, self.encoding.num_inputs))
        return _core.Heuristic.network(task.core, features, _core.Mlp(list(self.layers)))

    def save(self, path: str | Path) -> None:
        """Write the file in one step; see docs/file-formats.md."""
        data = self.to_bytes()
        write_bytes(path, lambda file: file.write(data), "model file")

    def to_bytes(self) -> bytes:
        if self.graph is not None:
            return self.graph
        return bytes(_to_onnx(self).SerializeToString(deterministic=True))

    @classmethod
    def load(cls, path: str | Path, max_bytes: int = _MAX_FILE_BYTES) -> Model:
        """Read a model file, ours or another's. Raises InputError that says what is wrong with it."""
        data = read_bytes(path, "model file", max_bytes=min(max_bytes, _MAX_FILE_BYTES))
        try:
            return cls.from_bytes(data)
        except InputError as error:
            raise InputError(f"model file '{path}': {error}") from None

    @classmethod
    def from_bytes(cls, data: bytes) -> Model:
        proto = _parse(data)
        metadata = {entry.key: entry.value for entry in proto.metadata_props}
        encoding = _read_encoding(metadata)
        origin: dict[str, Any] = {
            "config": _json(metadata, "sing.config", dict, {}),
            "seed": _json(metadata, "sing.seed", int, 0),
            "version": metadata.get("sing.version", ""),
        }
        try:
            layers = _read_layers(proto.graph, encoding.num_inputs)
        except _NotNativeError as reason:
            try:
                _require_modest(proto, encoding.num_inputs)
                _runtime(data, encoding.num_inputs)
            except InputError as error:
                raise InputError(f"not a plain network, {reason}; {error}") from None
            return cls(encoding, (), graph=data, **origin)
        try:
            _core.Mlp(list(layers))
        except ValueError as error:
            raise InputError(str(error)) from None
        return cls(encoding, layers, **origin)


class _NotNativeError(Exception):
    """A graph that may be fine, but is not a plain chain of dense layers."""


def _to_onnx(model: Model) -> onnx.ModelProto:
    from onnx import TensorProto, helper, numpy_helper

    nodes, tensors, name = [], [], "state"
    for position, (weights, biases) in enumerate(model.layers, start=1):
        is_last = position == len(model.layers)
        tensors.append(numpy_helper.from_array(weights, f"weights{position}"))
        tensors.append(numpy_helper.from_array(biases, f"biases{position}"))
        after = "estimate" if is_last else f"sum{position}"
        nodes.append(helper.make_node("Gemm", [name, f"weights{position}", f"biases{position}"], [after]))
        name = after
        if not is_last:
            name = f"hidden{position}"
            nodes.append(helper.make_node("Relu", [after], [name]))
    num_inputs, num_outputs = model.layers[0][0].shape[0], model.layers[-1][0].shape[1]
    graph = helper.make_graph(
        nodes,
        "sing",
        [helper.make_tensor_value_info("state", TensorProto.FLOAT, ["batch", num_inputs])],
        [helper.make_tensor_value_info("estimate", TensorProto.FLOAT, ["batch", num_outputs])],
        tensors,
    )
    proto = helper.make_model(
        graph,
        producer_name="sing",
        producer_version=model.version,
        opset_imports=[helper.make_opsetid("", _OPSET)],
        ir_version=_IR_VERSION,
    )
    metadata = {
        "sing.atoms": json.dumps(model.encoding.atoms),
        "sing.encoding": model.encoding.kind,
        "sing.config": json.dumps(model.config),
        "sing.seed": str(model.seed),
        "sing.version": model.version,
    }
    if model.encoding.goal is not None:
        metadata["sing.goal"] = json.dumps(model.encoding.goal)
    if model.encoding.kind == "sas":
        metadata["sing.variables"] = json.dumps(model.encoding.variables)
    helper.set_model_props(proto, metadata)
    return proto


def _parse(data: bytes) -> onnx.ModelProto:
    """An ONNX model that passes its own checker, refers to no other file and holds no control flow."""
    import onnx
    from google.protobuf.message import DecodeError

    try:
        proto = onnx.load_model_from_string(data)
    except (DecodeError, ValueError) as error:
        raise InputError(f"not an ONNX file, or a damaged one: {error}") from None
    if not proto.graph.node:
        raise InputError("not an ONNX file, or one without a network")
    if any(tensor.data_location == onnx.TensorProto.EXTERNAL for tensor in _all_tensors(proto.graph)):
        raise InputError("weights in another file are not read; save them into the model file")
    if any(opset.domain not in ("", "ai.onnx") for opset in proto.opset_import) or proto.functions:
        raise InputError("only operators of standard ONNX are accepted")
    graphs = (onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS)
    for node in proto.graph.node:
        if any(attribute.type in graphs for attribute in node.attribute):
            raise InputError(f"control flow is not accepted, and '{node.op_type}' is that")
    try:
        onnx.checker.check_model(proto)
    except (onnx.checker.ValidationError, ValueError, TypeError) as error:
        raise InputError(f"not a valid ONNX model: {str(error).splitlines()[0]}") from None
    return proto


def _all_tensors(graph: onnx.GraphProto) -> Iterator[onnx.TensorProto]:
    """Every tensor of a graph without subgraphs, also those in attributes."""
    sparse = list(graph.sparse_initializer)
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            yield attribute.t
            yield from attribute.tensors
            sparse += [attribute.sparse_tensor, *attribute.sparse_tensors]
    for tensor in sparse:
        yield tensor.values
        yield tensor.indices


def _read_encoding(metadata: dict[str, str]) -> Encoding:
    if "sing.atoms" not in metadata:
        raise InputError(
            "the metadata has no 'sing.atoms', the names of the inputs as a JSON list; see docs/file-formats.md"
        )
    kind = metadata.get("sing.encoding", "boolean")
    if kind not in ENCODINGS:
        raise InputError(f"the metadata's 'sing.encoding' is '{kind}'; it must be one of {', '.join(ENCODINGS)}")
    atoms = _names(_json(metadata, "sing.atoms", list, []), "sing.atoms")
    goal = _names(_json(metadata, "sing.goal", list, []), "sing.goal") if "sing.goal" in metadata else None
    variables: tuple[tuple[str, ...], ...] = ()
    if kind == "sas":
        if "sing.variables" not in metadata:
            raise InputError("the encoding is 'sas', and the metadata has no 'sing.variables'")
        lists = _json(metadata, "sing.variables", list, [])
        if not all(isinstance(names, list) for names in lists):
            raise InputError("the metadata's 'sing.variables' is not a list of lists of names")
        variables = tuple(_names(names, "sing.variables") for names in lists)
    return Encoding(kind, atoms, goal, variables)


def _json(metadata: dict[str, str], key: str, kind: type, default: Any) -> Any:
    if key not in metadata:
        return default
    try:
        value = json.loads(metadata[key])
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, kind):
        raise InputError(f"the metadata's '{key}' is not a JSON {kind.__name__}")
    return value


def _names(items: list[Any], key: str) -> tuple[str, ...]:
    if not items or not all(isinstance(item, str) for item in items) or len(set(items)) != len(items):
        raise InputError(f"the metadata's '{key}' must be a list of different names")
    return tuple(items)


def _read_layers(graph: onnx.GraphProto, num_inputs: int) -> Layers:
    """Dense layers with ReLU between them. Raises _NotNativeError where the graph is anything else."""
    tensors = _tensors(graph)
    inputs = [value.name for value in graph.input if value.name not in tensors]
    if len(inputs) != 1 or len(graph.output) != 1:
        raise _NotNativeError("it has several inputs or outputs")
    name = inputs[0]
    layers: list[tuple[Floats, Floats]] = []
    starts_layer = True  # the next affine step begins a layer; otherwise it is merged into the last one
    for node in graph.node:
        if name not in node.input:
            raise _NotNativeError(f"its operators do not form a chain at '{node.op_type}'")
        if node.op_type == "Relu":
            if starts_layer:
                raise _NotNativeError("it has ReLU where no dense layer stands before")
            starts_layer = True
        elif node.op_type in _PASS_THROUGH:
            if _attributes(node).get("axis", 1) != 1 or len(node.input) > (3 if node.op_type == "Dropout" else 1):
                raise _NotNativeError(f"it has a '{node.op_type}' that reshapes")
        else:
            width = layers[-1][1].size if layers else num_inputs
            weights, biases = _affine(node, name, tensors, width)
            if weights is not None and weights.shape[0] != width:
                there = f"the layer before gives {width}" if layers else f"its metadata names {width} inputs"
                raise InputError(f"a '{node.op_type}' takes {weights.shape[0]} numbers, {there}")
            if weights is None and not starts_layer:
                layers[-1] = (layers[-1][0], layers[-1][1] + biases)
            elif weights is None:
                raise _NotNativeError("it has 'Add' where no dense layer stands before")
            elif starts_layer:
                layers.append((weights, biases))
                starts_layer = False
            else:
                layers[-1] = _merged(layers[-1], (weights, biases))
        name = node.output[0]
    if name != graph.output[0].name or not layers:
        raise _NotNativeError("its operators do not form a chain to its output")
    if layers[-1][1].size != 1:
        raise InputError(f"the network has {layers[-1][1].size} outputs; a heuristic has one")
    if starts_layer:  # a ReLU ends it: a last layer that passes on what it is given says the same
        layers.append((np.ones((1, 1), dtype=np.float32), np.zeros(1, dtype=np.float32)))
    return tuple(layers)


def _merged(first: tuple[Floats, Floats], second: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Two layers without ReLU between them as one."""
    if first[0].shape[0] * second[0].shape[1] > first[0].size + second[0].size:
        raise _NotNativeError("it has layers without ReLU between them that are smaller apart")
    with np.errstate(all="ignore"):
        return _float32(first[0] @ second[0]), _float32(first[1] @ second[0] + second[1])


def _tensors(graph: onnx.GraphProto) -> dict[str, Floats]:
    import onnx
    from onnx import numpy_helper

    tensors = {}
    for tensor in graph.initializer:
        if tensor.data_type not in (onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE, onnx.TensorProto.FLOAT16):
            continue
        try:
            tensors[tensor.name] = _float32(numpy_helper.to_array(tensor))
        except (ValueError, TypeError, OverflowError, MemoryError) as error:
            raise InputError(f"the weights '{tensor.name}' are damaged: {error}") from None
    return tensors


def _float32(array: Any) -> Floats:
    with np.errstate(all="ignore"):
        return np.ascontiguousarray(array, dtype=np.float32)


def _affine(node: onnx.NodeProto, name: str, tensors: dict[str, Floats], width: int) -> tuple[Floats | None, Floats]:
    """Weights [inputs, outputs] and biases of a Gemm or MatMul; of an Add its biases, for `width` outputs, alone."""
    if node.op_type not in ("Gemm", "MatMul", "Add"):
        raise _NotNativeError(f"it has a '{node.op_type}'")
    others = [tensors.get(other) for other in node.input if other != name]
    arrays = [array for array in others if array is not None]
    if len(arrays) != len(others) or not arrays or list(node.input).count(name) != 1:
        raise _NotNativeError(f"it has a '{node.op_type}' whose operands are not all numbers")
    attributes = _attributes(node)
    if node.op_type == "Add":
        return None, _biases(arrays[0], width)
    if node.input[0] == name and arrays[0].ndim == 2:
        if attributes.get("transA", 0):
            raise _NotNativeError("it has a 'Gemm' with transA")
        with np.errstate(all="ignore"):
            weights = attributes.get("alpha", 1.0) * (arrays[0].T if attributes.get("transB", 0) else arrays[0])
            biases = np.zeros(weights.shape[1], dtype=np.float32)
            if len(arrays) > 1:
                biases = biases + attributes.get("beta", 1.0) * _biases(arrays[1], len(biases))
        return _float32(weights), _float32(biases)
    raise _NotNativeError(f"it has a '{node.op_type}' that is not states times weights")


def _biases(array: Floats, width: int) -> Floats:
    """One number for each of `width` outputs, from an array that ONNX would broadcast to a row."""
    if array.size not in (1, width) or array.shape not in ((), (array.size,), (1, array.size)):
        raise _NotNativeError(f"it adds an array of shape {array.shape} to {width} numbers")
    return np.broadcast_to(array.reshape(-1), (width,)).astype(np.float32)


def _attributes(node: onnx.NodeProto) -> dict[str, Any]:
    from onnx import helper

    return {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}


def _require_modest(proto: onnx.ModelProto, num_inputs: int) -> None:
    """Raise InputError where evaluating 64 states could take seconds or gigabytes, or that cannot be foreseen."""
    import onnx

    if len(proto.graph.output) != 1 or len([v for v in proto.graph.input if v.name not in _initial(proto)]) != 1:
        raise InputError("a heuristic has one input and one output")
    if unknown := sorted({node.op_type for node in proto.graph.node} - _FORESEEABLE):
        raise InputError(f"what it costs to evaluate '{unknown[0]}' cannot be foreseen")
    sized = onnx.ModelProto()
    sized.CopyFrom(proto)
    for value in sized.graph.input:
        if value.name not in _initial(proto):
            dimensions = value.type.tensor_type.shape.dim
            if len(dimensions) != 2:
                raise InputError("its input is not of shape [batch, inputs]")
            dimensions[0].dim_value, dimensions[1].dim_value = _MAX_BATCH, num_inputs
    sized.graph.output[0].type.tensor_type.ClearField("shape")
    try:
        inferred = onnx.shape_inference.infer_shapes(sized, strict_mode=True, data_prop=True).graph
    except Exception as error:  # of several kinds, some of them the C++ library's own
        raise InputError(f"its shapes do not fit: {str(error).splitlines()[0]}") from None
    sizes = {tensor.name: tuple(tensor.dims) for tensor in proto.graph.initializer}
    for value in (*inferred.value_info, *inferred.output):
        dimensions = value.type.tensor_type.shape.dim
        if value.type.tensor_type.HasField("shape") and all(dim.HasField("dim_value") for dim in dimensions):
            sizes[value.name] = tuple(dim.dim_value for dim in dimensions)
    cost = 0
    for node in proto.graph.node:
        for name in node.output:
            if name and name not in sizes:
                raise InputError(f"the size of what '{node.op_type}' gives cannot be foreseen")
        first = sizes.get(node.input[0], (_MAX_BATCH, num_inputs)) if node.input else ()
        inner = max(first, default=1) if node.op_type in ("MatMul", "Gemm") else 1
        cost += inner * sum(math.prod(sizes[name]) for name in node.output if name)
    if cost > _MAX_COST:
        raise InputError(f"evaluating {_MAX_BATCH} states would take {cost:.0e} operations")


def _initial(proto: onnx.ModelProto) -> set[str]:
    return {tensor.name for tensor in proto.graph.initializer}


def _runtime(graph: bytes, num_inputs: int) -> Callable[[Floats], Floats]:
    """A function from input vectors [n, inputs] to outputs [n] through ONNX Runtime, tried first."""
    try:
        import onnxruntime
    except ImportError:
        raise InputError("to evaluate it install ONNX Runtime: pip install 'sing-planner[onnxruntime]'") from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime's exceptions have no common class of their own
        raise InputError(f"ONNX Runtime cannot read it: {str(error).splitlines()[0]}") from None
    input_name = session.get_inputs()[0].name

    def evaluate(inputs: Floats) -> Floats:
        try:
            outputs = _float32(session.run(None, {input_name: inputs})[0]).reshape(-1)
        except Exception as error:
            raise InputError(f"ONNX Runtime cannot run it: {str(error).splitlines()[0]}") from None
        if outputs.size != len(inputs):
            raise InputError(
                f"it gives {outputs.size} numbers for {len(inputs)} states; a heuristic gives one for each"
            )
        return outputs

    for num_states in (1, 3):
        if not np.isfinite(evaluate(np.zeros((num_states, num_inputs), dtype=np.float32))).all():
            raise InputError("it gives numbers that are not finite")
    return evaluate
