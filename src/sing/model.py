"""A learned heuristic as one ONNX file: weights, what the inputs mean, and where it came from."""

from __future__ import annotations

import json
import math
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

    @property
    def hidden(self) -> tuple[int, ...]:
        return tuple(len(biases) for _, biases in self.layers[:-1])

    def heuristic(self, task: Task) -> _core.Heuristic:
        """The heuristic on a task. Raises InputError where the task is of another search space."""
        features = self.encoding.features(task)
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
    def load(cls, path: str | Path) -> Model:
        """Read a model file, ours or another's. Raises InputError that says what is wrong with it."""
        data = read_bytes(path, "model file", max_bytes=_MAX_FILE_BYTES)
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
            layers = _read_layers(proto.graph)
        except _NotNativeError as reason:
            try:
                _runtime(data, encoding.num_inputs)
            except InputError as error:
                raise InputError(f"not a plain network, {reason}; {error}") from None
            return cls(encoding, (), graph=data, **origin)
        num_inputs = layers[0][0].shape[0]
        if num_inputs != encoding.num_inputs:
            raise InputError(f"the network has {num_inputs} inputs, its metadata names {encoding.num_inputs}")
        if layers[-1][0].shape[1] != 1:
            raise InputError(f"the network has {layers[-1][0].shape[1]} outputs; a heuristic has one")
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
    for tensor in proto.graph.initializer:
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
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


def _read_layers(graph: onnx.GraphProto) -> Layers:
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
            weights, biases = _affine(node, name, tensors, layers[-1][1].size if layers else None)
            if starts_layer:
                layers.append((weights, biases))
                starts_layer = False
            else:
                before, before_biases = layers[-1]
                layers[-1] = (_float32(before @ weights), _float32(before_biases @ weights + biases))
        name = node.output[0]
    if name != graph.output[0].name or not layers:
        raise _NotNativeError("its operators do not form a chain to its output")
    if starts_layer:  # a ReLU ends it: a last layer that passes on what it is given says the same
        size = layers[-1][1].size
        layers.append((np.eye(size, dtype=np.float32), np.zeros(size, dtype=np.float32)))
    return tuple(layers)


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
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(array, dtype=np.float32)


def _affine(node: onnx.NodeProto, name: str, tensors: dict[str, Floats], width: int | None) -> tuple[Floats, Floats]:
    """Weights [inputs, outputs] and biases of a Gemm, MatMul or Add that follows a layer of `width` outputs."""
    others = [tensors.get(other) for other in node.input if other != name]
    arrays = [array for array in others if array is not None]
    if len(arrays) != len(others) or list(node.input).count(name) != 1:
        raise _NotNativeError(f"it has a '{node.op_type}' whose operands are not all numbers")
    attributes = _attributes(node)
    if node.op_type == "Add" and width is not None and arrays[0].size == width:
        return np.eye(width, dtype=np.float32), arrays[0].reshape(-1)
    if node.op_type in ("Gemm", "MatMul") and node.input[0] == name and arrays[0].ndim == 2:
        if attributes.get("transA", 0):
            raise _NotNativeError("it has a 'Gemm' with transA")
        weights = arrays[0].T if attributes.get("transB", 0) else arrays[0]
        weights = _float32(attributes.get("alpha", 1.0) * weights)
        outputs = weights.shape[1]
        biases = np.zeros(outputs, dtype=np.float32)
        if len(arrays) > 1:
            if arrays[1].size not in (1, outputs):
                raise InputError(f"a 'Gemm' has {arrays[1].size} biases for {outputs} outputs")
            biases = biases + _float32(attributes.get("beta", 1.0) * arrays[1].reshape(-1))
        if width is not None and weights.shape[0] != width:
            raise InputError(f"a '{node.op_type}' takes {weights.shape[0]} numbers, the layer before gives {width}")
        return weights, biases
    raise _NotNativeError(f"it has a '{node.op_type}'")


def _attributes(node: onnx.NodeProto) -> dict[str, Any]:
    from onnx import helper

    return {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}


def _runtime(graph: bytes, num_inputs: int) -> Any:
    """A function from input vectors [n, inputs] to outputs [n] through ONNX Runtime, tried once."""
    try:
        import onnxruntime
    except ImportError:
        raise InputError("to evaluate it install ONNX Runtime: pip install 'sing-planner[onnxruntime]'") from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        input_name = session.get_inputs()[0].name

        def evaluate(inputs: Floats) -> Floats:
            (outputs, *_) = session.run(None, {input_name: inputs})
            return _float32(outputs).reshape(-1)

        outputs = evaluate(np.zeros((2, num_inputs), dtype=np.float32))
    except Exception as error:  # ONNX Runtime's exceptions have no common class of their own
        raise InputError(f"ONNX Runtime cannot run it: {str(error).splitlines()[0]}") from None
    if outputs.size != 2 or not math.isfinite(float(outputs.sum())):
        raise InputError(f"it gives {outputs.size} numbers for two states; a heuristic gives one for each")
    return evaluate
