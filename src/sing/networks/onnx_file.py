"""ONNX files as protobuf objects: how large these get, foreseen from the bytes, and what is not accepted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sing.base.budget import Budget, LimitReached
from sing.base.errors import InputError
from sing.base.outcome import Status

if TYPE_CHECKING:
    import onnx
    from google.protobuf.descriptor import Descriptor

# Reading a graph takes time for every node.
_MAX_NODES = 2000
# What protobuf takes for a message, for a text beside its characters, and for a number.
_MESSAGE_BYTES, _TEXT_BYTES, _NUMBER_BYTES = 256, 64, 8
_FIELDS_PER_POLL = 10_000
# How the bytes of a field end, in protobuf's numbers.
_VARINT, _FIXED_64, _WITH_LENGTH, _FIXED_32 = 0, 1, 2, 5


def parse(data: bytes, budget: Budget) -> onnx.ModelProto:
    """An ONNX model that passes its own checker, refers to no other file and holds no control flow.

    Raises InputError, and LimitReached where the budget does not allow it.
    """
    import onnx
    from google.protobuf.message import DecodeError

    _require_modest(data, onnx.ModelProto.DESCRIPTOR, budget)
    try:
        proto = onnx.load_model_from_string(data)
    except (DecodeError, ValueError) as error:
        raise InputError(f"not an ONNX file, or a damaged one: {error}") from None
    if not proto.graph.node:
        raise InputError("not an ONNX file, or one without a network")
    if proto.graph.sparse_initializer:
        raise InputError("sparse weights are not read; save them as they are when they are used")
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


def _require_modest(data: bytes, kind: Descriptor, budget: Budget) -> None:
    """Raise where the objects that protobuf would make of the bytes are too many, or larger than there is room for.

    Two bytes of a file can become an object of fifty. Bytes that are no message are left to the parser, which refuses
    them.
    """
    room_bytes, num_nodes, num_fields = budget.remaining_bytes, 0, 0
    messages = [(kind, 0, len(data))]
    try:
        while messages:
            kind, position, end = messages.pop()
            while position < end:
                num_fields += 1
                if num_fields % _FIELDS_PER_POLL == 0:
                    budget.check()
                tag, position = _varint(data, position)
                field = kind.fields_by_number.get(tag >> 3)
                if tag & 7 != _WITH_LENGTH:
                    room_bytes -= _NUMBER_BYTES
                    position = _behind_number(data, position, tag & 7)
                else:
                    length, position = _varint(data, position)
                    if field is not None and field.message_type is not None:
                        room_bytes -= _MESSAGE_BYTES
                        num_nodes += kind.name == "GraphProto" and field.name in ("node", "initializer")
                        messages.append((field.message_type, position, min(end, position + length)))
                    else:
                        is_text = field is None or field.type in (field.TYPE_STRING, field.TYPE_BYTES)
                        room_bytes -= _TEXT_BYTES + length if is_text else _NUMBER_BYTES * length
                    position += length
                if num_nodes > _MAX_NODES:
                    raise InputError(f"a network of more than {_MAX_NODES:,} nodes and tensors is not read")
                if room_bytes < 0:
                    raise LimitReached(Status.OUT_OF_MEMORY)
    except (IndexError, ValueError):
        return


def _varint(data: bytes, position: int) -> tuple[int, int]:
    """A number of seven bits a byte, and where the next field begins. Raises IndexError at the end of the data."""
    number = shift = 0
    while True:
        byte = data[position]
        number |= (byte & 127) << shift
        position, shift = position + 1, shift + 7
        if byte < 128:
            return number, position
        if shift > 63:
            raise ValueError("no number")


def _behind_number(data: bytes, position: int, wire: int) -> int:
    if wire == _VARINT:
        return _varint(data, position)[1]
    if wire == _FIXED_64:
        return position + 8
    if wire == _FIXED_32:
        return position + 4
    raise ValueError("no field of a message of today")
