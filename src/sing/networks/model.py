"""A learned heuristic as one ONNX file: weights, what the inputs mean, and where it came from."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sing import _core
from sing.base.budget import Budget, LimitReached
from sing.base.errors import InputError
from sing.base.files import read_bytes, write_bytes
from sing.base.outcome import Status
from sing.base.version import own_version
from sing.networks.encoding import ENCODINGS, Encoding, goal_names
from sing.networks.onnx_file import parse
from sing.networks.onnx_layers import NotNativeError, read_layers
from sing.networks.onnx_runtime import evaluator, require_modest
from sing.networks.training import Layers
from sing.task.task import Task

if TYPE_CHECKING:
    import onnx

_OPSET, _IR_VERSION = 13, 8
# Of the memory that is left, for the file: its content, as protobuf, as arrays, checked, and in the core.
_READING_SHARE = 1 / 6
# What an entry of JSON takes in Python: as an object, in lists, and in a set that finds it again.
_BYTES_PER_ENTRY = 160


@dataclass(frozen=True)
class Model:
    """A network and the search space it estimates distances in.

    With `has_voices` it has an output for each goal of the encoding, in that order; otherwise it has one output.
    `residual` are the positions of layers that end a residual block: what the layer before was given is added to their
    output. `config` and `seed` say how it was learned. `graph` is there instead of `layers` where the network is
    not a plain one of dense layers and ReLU: ONNX Runtime evaluates it.
    """

    encoding: Encoding = field(repr=False)  # names of all atoms, and
    layers: Layers = field(repr=False)  # all weights: too much to print
    config: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    version: str = field(default_factory=own_version)
    graph: bytes | None = field(default=None, repr=False)
    has_voices: bool = False
    residual: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"model of {self.config.get('name', 'unknown origin')}: {self.shape}"

    @property
    def shape(self) -> str:
        """The widths of its layers.

        >>> Model(Encoding("boolean", ("a", "b"), None), ((np.zeros((2, 1)), np.zeros(1)),)).shape
        '2 inputs, 1 output, 3 weights'
        """
        if not self.layers:
            return f"{self.encoding.num_inputs} inputs, a graph for ONNX Runtime"
        widths = [biases.size for _, biases in self.layers]
        hidden = f"hidden layers of {', '.join(map(str, widths[:-1]))}, " if widths[1:] else ""
        outputs = f"{widths[-1]} output{'s' if widths[-1] > 1 else ''}"
        num_weights = sum(weights.size + biases.size for weights, biases in self.layers)
        blocks = f", {len(self.residual)} residual" if self.residual else ""
        return f"{self.encoding.num_inputs:,} inputs, {hidden}{outputs}, {num_weights:,} weights{blocks}"

    def heuristic(self, task: Task, force: bool = False, budget: Budget | None = None) -> _core.Heuristic:
        """The heuristic on a task. Raises InputError where the task is of another search space and not `force`.

        At the limits of the budget it raises LimitReached or MemoryError.
        """
        features = self.encoding.features(task, force)
        guard = budget.guard() if budget else None
        if self.has_voices:
            mlp = _core.Mlp(list(self._layers_for(task)), list(self.residual))
            return _core.Heuristic.voices(task.core, features, mlp, guard)
        if self.graph is not None:
            return _core.Heuristic.foreign(task.core, features, evaluator(self.graph, self.encoding.num_inputs), guard)
        return _core.Heuristic.network(task.core, features, self.mlp, guard)

    @property
    def mlp(self) -> _core.Mlp:
        """The network for the core."""
        return _core.Mlp(list(self.layers), list(self.residual))

    def _layers_for(self, task: Task) -> Layers:
        """The layers with one output for each goal of the task, in its order.

        A goal that is not known here, which only `force` lets in, counts as one step.
        """
        weights, biases = self.layers[-1]
        weights = np.hstack([weights, np.zeros((len(weights), 1), dtype=np.float32)])
        biases = np.append(biases, np.float32(1))
        place_of = {name: position for position, name in enumerate(self.encoding.goal or ())}
        places = [place_of.get(name, len(biases) - 1) for name in goal_names(task)]
        return (*self.layers[:-1], (np.ascontiguousarray(weights[:, places]), biases[places]))

    def save(self, path: str | Path, budget: Budget | None = None) -> None:
        """Write the file in one step; see docs/file-formats.md. The budget ends waiting for the reader of a pipe."""
        data = self.to_bytes()
        write_bytes(path, lambda file: file.write(data), "model file", budget)

    def to_bytes(self) -> bytes:
        if self.graph is not None:
            return self.graph
        return bytes(_to_onnx(self).SerializeToString(deterministic=True))

    @classmethod
    def load(cls, path: str | Path, budget: Budget | None = None) -> Model:
        """Read a model file of sing or of another program.

        Raises InputError that says what is wrong with it, and LimitReached where the budget does not allow it.
        """
        budget = budget or Budget()
        data = read_bytes(path, "model file", budget, _READING_SHARE)
        try:
            return cls.from_bytes(data, budget)
        except InputError as error:
            raise InputError(f"model file '{path}': {error}") from None

    @classmethod
    def from_bytes(cls, data: bytes, budget: Budget | None = None) -> Model:
        budget = budget or Budget()
        proto = parse(data, budget)
        budget.check_memory()
        metadata = _read_metadata(proto, budget)
        encoding = _read_encoding(metadata)
        origin: dict[str, Any] = {
            "config": _json(metadata, "sing.config", dict, {}),
            "seed": _json(metadata, "sing.seed", int, 0),
            "version": metadata.get("sing.version", ""),
            "has_voices": _has_voices(metadata, encoding),
        }
        num_outputs = len(encoding.goal or ()) if origin["has_voices"] else 1
        try:
            layers, residual = read_layers(proto.graph, encoding.num_inputs, num_outputs)
        except NotNativeError as reason:
            if origin["has_voices"]:
                raise InputError(f"not a plain network, {reason}; one with an output for each goal must be") from None
            try:
                require_modest(proto, encoding.num_inputs, budget)
                evaluator(data, encoding.num_inputs)
            except InputError as error:
                raise InputError(f"not a plain network, {reason}; {error}") from None
            return cls(encoding, (), graph=data, **origin)
        try:
            _core.Mlp(list(layers), list(residual))
        except ValueError as error:
            raise InputError(str(error)) from None
        if origin["has_voices"] and len(layers) < 2:
            raise InputError("a network with an output for each goal needs a hidden layer")
        return cls(encoding, layers, residual=residual, **origin)


def _to_onnx(model: Model) -> onnx.ModelProto:
    from onnx import TensorProto, helper, numpy_helper

    nodes, tensors, name = [], [], "state"
    given = []  # what each layer is given
    for position, (weights, biases) in enumerate(model.layers, start=1):
        is_last = position == len(model.layers)
        tensors.append(numpy_helper.from_array(weights, f"weights{position}"))
        tensors.append(numpy_helper.from_array(biases, f"biases{position}"))
        after = "estimate" if is_last else f"sum{position}"
        given.append(name)
        ends_block = position - 1 in model.residual
        product = f"product{position}" if ends_block else after
        nodes.append(helper.make_node("Gemm", [name, f"weights{position}", f"biases{position}"], [product]))
        if ends_block:
            nodes.append(helper.make_node("Add", [product, given[-2]], [after]))
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
    if model.has_voices:
        metadata["sing.outputs"] = "goals"
    if model.encoding.goal is not None:
        metadata["sing.goal"] = json.dumps(model.encoding.goal)
    if model.encoding.kind == "sas":
        metadata["sing.variables"] = json.dumps(model.encoding.variables)
    helper.set_model_props(proto, metadata)
    return proto


def _read_metadata(proto: onnx.ModelProto, budget: Budget) -> dict[str, str]:
    """Raises LimitReached where what its JSON says would not fit the memory that is left."""
    metadata = {entry.key: entry.value for entry in proto.metadata_props}
    for key, value in metadata.items():
        if not isinstance(value, str):  # protobuf hands out damaged texts as bytes
            raise InputError(f"the metadata's '{key}' is not text")
    num_entries = sum(value.count(character) for value in metadata.values() for character in ",[{")
    if num_entries * _BYTES_PER_ENTRY > budget.remaining_bytes:
        raise LimitReached(Status.OUT_OF_MEMORY)
    return metadata


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


def _has_voices(metadata: dict[str, str], encoding: Encoding) -> bool:
    outputs = metadata.get("sing.outputs", "distance")
    if outputs not in ("distance", "goals"):
        raise InputError(f"the metadata's 'sing.outputs' is '{outputs}'; it must be distance or goals")
    if outputs == "goals" and encoding.goal is None:
        raise InputError("the outputs are those of goals, and the metadata has no 'sing.goal'")
    return outputs == "goals"


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
