"""Networks that are not native, evaluated by ONNX Runtime, as far as their cost can be foreseen."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from sing.base.budget import Budget
from sing.base.errors import InputError
from sing.base.extras import how_to_install
from sing.networks.onnx_layers import to_float32
from sing.networks.training import Floats

if TYPE_CHECKING:
    import onnx

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
# Of one call of ONNX Runtime: the states of a batch (as in the core), multiplications, and the numbers that all nodes
# give together. It computes what does not depend on the input when a session is made, so these hold for that, too.
_MAX_BATCH, _MAX_COST, _MAX_NUMBERS = 64, 2e9, 1 << 25
_BYTES_PER_NUMBER = 8
# Of the memory that is left.
_INTERMEDIATES_SHARE = 1 / 4
# Tensors up to this size may say what shapes others have; of larger ones the shape is enough.
_MAX_SHAPE_NUMBERS = 64


def require_modest(proto: onnx.ModelProto, num_inputs: int, budget: Budget) -> None:
    """Raise InputError where evaluating 64 states could take a second or gigabytes, or that cannot be foreseen."""
    import onnx

    if len(proto.graph.output) != 1 or len([v for v in proto.graph.input if v.name not in _initial(proto)]) != 1:
        raise InputError("a heuristic has one input and one output")
    if unknown := sorted({node.op_type for node in proto.graph.node} - _FORESEEABLE):
        raise InputError(f"what it costs to evaluate '{unknown[0]}' cannot be foreseen")
    try:
        inferred = onnx.shape_inference.infer_shapes(_sized(proto, num_inputs), strict_mode=True, data_prop=True).graph
    except InputError:
        raise
    except Exception as error:  # of several kinds, some of them the C++ library's own
        raise InputError(f"its shapes do not fit: {str(error).splitlines()[0]}") from None
    sizes = {tensor.name: tuple(tensor.dims) for tensor in proto.graph.initializer}
    for value in (*inferred.value_info, *inferred.output):
        dimensions = value.type.tensor_type.shape.dim
        if value.type.tensor_type.HasField("shape") and all(dim.HasField("dim_value") for dim in dimensions):
            sizes[value.name] = tuple(dim.dim_value for dim in dimensions)
    cost = num_numbers = 0
    for node in proto.graph.node:
        for name in node.output:
            if name and name not in sizes:
                raise InputError(f"the size of what '{node.op_type}' gives cannot be foreseen")
        first = sizes.get(node.input[0], (_MAX_BATCH, num_inputs)) if node.input else ()
        inner = max(first, default=1) if node.op_type in ("MatMul", "Gemm") else 1
        num_given = sum(math.prod(sizes[name]) for name in node.output if name)
        cost += inner * num_given
        num_numbers += num_given
    if cost > _MAX_COST:
        raise InputError(f"evaluating {_MAX_BATCH} states would take {cost:.0e} operations")
    if num_numbers > min(_MAX_NUMBERS, _INTERMEDIATES_SHARE * budget.remaining_bytes / _BYTES_PER_NUMBER):
        raise InputError(f"evaluating {_MAX_BATCH} states would take {num_numbers:.0e} numbers on the way")


def _sized(proto: onnx.ModelProto, num_inputs: int) -> onnx.ModelProto:
    """The same graph for a full batch, without the numbers of its weights: it is copied several times."""
    import onnx

    sized = onnx.ModelProto(ir_version=proto.ir_version, opset_import=proto.opset_import)
    sized.graph.name = proto.graph.name
    sized.graph.node.extend(proto.graph.node)
    sized.graph.output.extend(proto.graph.output)
    sized.graph.output[0].type.tensor_type.ClearField("shape")
    for value in proto.graph.input:
        if value.name not in _initial(proto):
            if len(value.type.tensor_type.shape.dim) != 2:
                raise InputError("its input is not of shape [batch, inputs]")
            sized.graph.input.append(value)
            dimensions = sized.graph.input[-1].type.tensor_type.shape.dim
            dimensions[0].dim_value, dimensions[1].dim_value = _MAX_BATCH, num_inputs
    for tensor in proto.graph.initializer:
        if math.prod(tensor.dims) <= _MAX_SHAPE_NUMBERS:
            sized.graph.initializer.append(tensor)
        else:
            value = onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, list(tensor.dims))
            sized.graph.input.append(value)
    return sized


def _initial(proto: onnx.ModelProto) -> set[str]:
    return {tensor.name for tensor in proto.graph.initializer}


def evaluator(graph: bytes, num_inputs: int) -> Callable[[Floats], Floats]:
    """A function from input vectors [n, inputs] to outputs [n] through ONNX Runtime, tried first."""
    try:
        import onnxruntime
    except ImportError:
        raise InputError(f"to evaluate it install ONNX Runtime {how_to_install('onnxruntime')}") from None
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
            outputs = to_float32(session.run(None, {input_name: inputs})[0]).reshape(-1)
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
