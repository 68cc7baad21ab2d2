"""Inputs that are small on disk and large in every other way: each attacks one part of a run's limits."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path

Fact = tuple[int, int]


def sas(sizes: list[int], start: list[int], goal: list[Fact], operators: list[tuple[list[Fact], list[Fact]]]) -> str:
    """The text of a SAS file; an operator is what it needs and what it changes, on other variables."""
    lines = ["begin_version", "3", "end_version", "begin_metric", "0", "end_metric", str(len(sizes))]
    for number, size in enumerate(sizes):
        values = [f"Atom v{number}({value})" for value in range(size)]
        lines += ["begin_variable", f"var{number}", "-1", str(size), *values, "end_variable"]
    lines += ["0", "begin_state", *map(str, start), "end_state", "begin_goal", str(len(goal))]
    lines += [*(f"{variable} {value}" for variable, value in goal), "end_goal", str(len(operators))]
    for number, (needed, changed) in enumerate(operators):
        lines += ["begin_operator", f"o{number}", str(len(needed)), *(f"{v} {x}" for v, x in needed)]
        lines += [str(len(changed)), *(f"0 {v} -1 {x}" for v, x in changed), "1", "end_operator"]
    return "\n".join([*lines, "0"]) + "\n"


def scattered(num_variables: int = 300, size: int = 400, num_operators: int = 20_000) -> str:
    """Operators that test many variables of many values each: tables over variables grow large."""
    rng = random.Random(1)
    operators = []
    for _ in range(num_operators):
        first, *others = rng.sample(range(num_variables), 4)
        needed = [(variable, rng.choice((0, rng.randrange(size)))) for variable in others]
        operators.append((needed, [(first, rng.randrange(size))]))
    goal = [changed[0] for _, changed in operators[:100]]
    return sas([size] * num_variables, [0] * num_variables, list(dict(goal).items()), operators)


def sweeping(num_variables: int = 3000, num_operators: int = 60) -> str:
    """Operators that change everything: whatever pairs effects with effects grows by their square."""
    rng = random.Random(2)
    operators: list[tuple[list[Fact], list[Fact]]] = [
        ([], [(variable, rng.randrange(2)) for variable in range(num_variables)]) for _ in range(num_operators)
    ]
    operators += [([], [(variable, value)]) for variable in range(num_operators) for value in range(2)]
    return sas([2] * num_variables, [0] * num_variables, [(v, 1) for v in range(num_variables)], operators)


def conditioned(num_variables: int = 2000, num_operators: int = 400) -> str:
    """Operators with hundreds of conditions, and goals behind them: patterns of regression get as long."""
    rng = random.Random(3)
    operators = []
    for number in range(num_operators):
        needed = rng.sample(range(num_operators, num_variables), 500)
        operators.append(([(variable, 0) for variable in needed], [(number, 1), (needed[0] - 1, rng.randrange(2))]))
    goal = [(variable, 1) for variable in range(num_operators)]
    return sas([2] * num_variables, [0] * num_variables, goal, operators)


def many_variables(num_variables: int = 60_000) -> str:
    """States of many words and as many goals, one operator for each."""
    operators: list[tuple[list[Fact], list[Fact]]] = [([], [(v, 1)]) for v in range(num_variables)]
    return sas([2] * num_variables, [0] * num_variables, [(v, 1) for v in range(num_variables)], operators)


def broad_model(width: int = 60_000) -> bytes:
    """A constant of two short vectors whose sum has width² numbers."""
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper

    row = np.ones((1, width), dtype=np.float32)
    tensors = [numpy_helper.from_array(row, "row"), numpy_helper.from_array(row.T.copy(), "column")]
    nodes = [
        helper.make_node("Add", ["row", "column"], ["square"]),
        helper.make_node("ReduceSum", ["square"], ["sum"], keepdims=0),
        helper.make_node("ReduceSum", ["state"], ["rest"], keepdims=1),
        helper.make_node("Add", ["rest", "sum"], ["estimate"]),
    ]
    return _model(helper, TensorProto, nodes, tensors)


def long_model(num_nodes: int = 400_000) -> bytes:
    """A chain of nodes that each do next to nothing."""
    from onnx import TensorProto, helper

    names = ["sum", *(f"x{number}" for number in range(num_nodes - 1)), "estimate"]
    nodes = [helper.make_node("ReduceSum", ["state"], ["sum"], keepdims=1)]
    nodes += [helper.make_node("Sigmoid", [names[i]], [names[i + 1]]) for i in range(num_nodes)]
    return _model(helper, TensorProto, nodes, [])


def _model(helper, tensor_proto, nodes, tensors) -> bytes:
    """For MODEL_TASK, which has two atoms."""
    inputs = [helper.make_tensor_value_info("state", tensor_proto.FLOAT, ["batch", 2])]
    outputs = [helper.make_tensor_value_info("estimate", tensor_proto.FLOAT, ["batch", 1])]
    graph = helper.make_graph(nodes, "graph", inputs, outputs, tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    helper.set_model_props(model, {"sing.atoms": json.dumps(["Atom v0(0)", "Atom v0(1)"])})
    return bytes(model.SerializeToString())


MODEL_TASK = sas([2], [0], [(0, 1)], [([], [(0, 1)])])
INPUTS: dict[str, Callable[[], str | bytes]] = {
    "scattered.sas": scattered,
    "sweeping.sas": sweeping,
    "conditioned.sas": conditioned,
    "many-variables.sas": many_variables,
    "broad.onnx": broad_model,
    "long.onnx": long_model,
    "model-task.sas": lambda: MODEL_TASK,
}


def write_inputs(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in INPUTS.items():
        if not (folder / name).exists():
            content = make()
            (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


if __name__ == "__main__":
    write_inputs(Path(sys.argv[1]))
