"""Fuzzes model files: what is read, what it estimates, and searches with it."""

from __future__ import annotations

import random
import zlib
from pathlib import Path

import google.protobuf.message
import numpy as np
import onnx
import onnx.reference
from fuzzer import Case, Fault, Fuzzer, check_length
from mutations import NUMBERS, mutated_bytes, mutated_word
from sas_model import read_sas

import sing

_FLOATS = (0.0, -0.0, 1.0, -1.5, 1e-40, 1e30, 3.4e38, float("inf"), float("nan"))
_OPERATORS = (
    "Add", "Cast", "Clip", "Concat", "Dropout", "Exp", "Flatten", "Gemm", "Identity", "If", "LayerNormalization",
    "Loop", "MatMul", "Mul", "Pow", "ReduceSum", "Relu", "Reshape", "Sigmoid", "Slice", "Softmax", "Split", "Tile",
    "Transpose",
)  # fmt: skip
# Estimates above this have no digits left for what two ways of adding numbers differ in.
_LARGEST_COMPARED = 1e6


class OnnxFuzzer(Fuzzer):
    name = "onnx"

    def mutated(self, case: Case, other: Case, rng: random.Random) -> Case:
        data = case["model.onnx"]
        if rng.random() < 0.2:
            return {**case, "model.onnx": mutated_bytes(data, other["model.onnx"], rng)}
        try:
            model = onnx.ModelProto.FromString(data)
            for _ in range(rng.choice((1, 1, 2, 3))):
                change_message(model, rng)
            return {**case, "model.onnx": model.SerializeToString()}
        except (google.protobuf.message.Error, ValueError, TypeError):  # not a message, or not one any more
            return {**case, "model.onnx": mutated_bytes(data, other["model.onnx"], rng)}

    def run(self, case: Case, folder: Path) -> str:
        try:
            model = sing.Model.from_bytes(case["model.onnx"])
        except sing.InputError as error:
            check_length(str(error))
            return "refused"
        text = case["task.sas"].decode()
        task = sing.Task.from_sas(text)
        kind = "native" if model.graph is None else "ONNX Runtime"
        try:
            heuristic = model.heuristic(task)
            estimate = heuristic.evaluate(task.initial_state)
            heuristic.evaluate_successors(task.initial_state, list(range(task.num_operators)))
        except sing.InputError as error:
            check_length(str(error))
            return f"{kind}, another space or not finite"
        _check_estimate(case["model.onnx"], model, task, estimate)
        if zlib.crc32(case["model.onnx"]) % 4 == 0:
            _solve(model, text, folder / "task.sas")
        return kind


def _check_estimate(data: bytes, model: sing.Model, task: sing.Task, estimate: int | None) -> None:
    """Compare with what ONNX's own evaluation in NumPy says, where it says something."""
    proto = onnx.ModelProto.FromString(data)
    names = {variable.value_names[value] for variable, value in zip(task.variables, task.initial_state, strict=True)}
    if model.encoding.kind == "boolean":
        inputs = [float(atom in names) for atom in model.encoding.atoms]
    else:
        inputs = [
            float(next(i for i, name in enumerate(values) if name in names)) for values in model.encoding.variables
        ]
    try:
        with np.errstate(all="ignore"):
            evaluator = onnx.reference.ReferenceEvaluator(proto)
            outputs = evaluator.run(None, {evaluator.input_names[-1]: np.array([inputs], dtype=np.float32)})
        expected = float(np.asarray(outputs[0]).reshape(-1)[0])
    except Exception:  # it does not know all versions of all operators
        return
    if not np.isfinite(expected) or abs(expected) > _LARGEST_COMPARED:
        return
    if estimate is None or abs(estimate - max(0.0, expected)) > 0.51 + 1e-3 * abs(expected):
        raise Fault(f"the estimate is {estimate}, and the model says {expected}")


def _solve(model: sing.Model, text: str, file: Path) -> None:
    try:
        result = sing.solve(file, model=model, time_limit_s=0.2, memory_limit_bytes=8 << 30)
    except sing.InputError as error:  # a network can give numbers that are not finite for some states
        check_length(str(error))
        return
    if result.plan is not None and result.plan.cost not in read_sas(text).plan_costs(result.plan.operators):
        raise Fault("the plan fails")
    if result.status is sing.Status.UNSOLVABLE:
        raise Fault("it says that there is no plan, and there is one")


def _messages(message: google.protobuf.message.Message) -> list[google.protobuf.message.Message]:
    """The message and all within it."""
    found = [message]
    for item in found:
        for field, value in item.ListFields():
            if field.message_type is not None:
                found.extend(value if _is_repeated(value) else [value])
    return found


def _is_repeated(value: object) -> bool:
    return hasattr(value, "extend")


def change_message(message: google.protobuf.message.Message, rng: random.Random) -> None:
    """Change one field somewhere in a message, or give a node another operator."""
    place = rng.choice(_messages(message))
    if isinstance(place, onnx.NodeProto) and rng.random() < 0.3:
        place.op_type = rng.choice(_OPERATORS)
        return
    fields = place.ListFields()
    if not fields:
        return
    field, value = rng.choice(fields)
    if not _is_repeated(value):
        if field.message_type is None:
            setattr(place, field.name, _changed(value, rng))
        elif rng.random() < 0.2:
            place.ClearField(field.name)
        return
    items = list(value)
    position = rng.randrange(len(items)) if items else 0
    kind = rng.randrange(4)
    if kind == 0 and items:
        del items[position]
    elif kind == 1 and items:
        items.insert(position, items[position])
    elif kind == 2:
        rng.shuffle(items)
    elif items and field.message_type is None:
        items[position] = _changed(items[position], rng)
    copies = [_copied(item) for item in items]
    place.ClearField(field.name)
    getattr(place, field.name).extend(copies)


def _copied(item: object) -> object:
    if not isinstance(item, google.protobuf.message.Message):
        return item
    copy = type(item)()
    copy.CopyFrom(item)
    return copy


def _changed(value: object, rng: random.Random) -> object:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        number = rng.choice((value + 1, value - 1, rng.choice(NUMBERS)))
        return number if -(2**31) <= number < 2**31 else rng.choice((0, 2**31 - 1))
    if isinstance(value, float):
        return rng.choice(_FLOATS)
    if isinstance(value, bytes):
        return mutated_bytes(value, value, rng)
    return mutated_word(str(value), rng).replace("\x00", "")
