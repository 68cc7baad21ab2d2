"""Plans: the IPC file format, and replay on a task."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from sing.errors import InputError, PlanError
from sing.task import Operator, Task


@dataclass(frozen=True)
class Plan:
    """A sequence of operators that was replayed on its task and reaches the goal."""

    operators: tuple[str, ...]  # names without parentheses
    cost: int
    uses_costs: bool

    def __len__(self) -> int:
        return len(self.operators)

    def to_ipc(self) -> str:
        """The text of a plan file.

        >>> print(Plan(("pick-up a", "stack a b"), 2, False).to_ipc(), end="")
        (pick-up a)
        (stack a b)
        ; cost = 2 (unit cost)
        """
        lines = [f"({name})" for name in self.operators]
        lines.append(f"; cost = {self.cost} ({'general' if self.uses_costs else 'unit'} cost)")
        return "\n".join(lines) + "\n"


def parse_ipc(text: str, source: str = "plan") -> tuple[str, ...]:
    """Operator names of an IPC plan file: `(name arguments)` lines, `;` starts a comment.

    Raises InputError for anything else, naming the line.

    >>> parse_ipc("(pick-up A) ; first\\n(stack a  b)")
    ('pick-up a', 'stack a b')
    """
    names = []
    for number, line in enumerate(text.splitlines(), start=1):
        step = line.split(";", 1)[0].strip().lower()
        if not step:
            continue
        match = re.fullmatch(r"(?:[\d.]+\s*:)?\s*\(\s*([^()]+?)\s*\)\s*(?:\[[\d.]+\])?", step)
        if not match:
            hint = "; is the file cut off?" if step.count("(") > step.count(")") else ""
            raise InputError(f"{source}, line {number}: expected '(operator arguments)', found '{step[:60]}'{hint}")
        names.append(" ".join(match[1].split()))
    return tuple(names)


def replay(task: Task, names: Iterable[str]) -> Plan:
    """Execute the named operators from the initial state. Raises PlanError where that fails.

    Independent of the search: it works on the task's Python view alone. Operators of one name
    (a disjunctive condition is split into several) have equal effects, so any applicable one will do.
    """
    names = tuple(names)
    positions = defaultdict(list)
    wanted = set(names)
    for position, name in enumerate(task.core.operator_names):
        if name in wanted:
            positions[name].append(position)
    state = list(task.initial_state)
    cost = 0
    for step, name in enumerate(names, start=1):
        candidates = [task.operator(position) for position in positions[name]]
        if not candidates:
            raise PlanError(f"step {step}: there is no operator '{name}', or it can never be applied")
        operator = next((op for op in candidates if _unmet(task, op, state) is None), None)
        if operator is None:
            raise PlanError(f"step {step}: '{name}' is not applicable: {_unmet(task, candidates[0], state)}")
        for effect in operator.effects:
            state[effect.fact.variable] = effect.fact.value
        cost += task.cost(operator)
    missing = [_name(task, *goal) for goal in task.goal if state[goal.variable] != goal.value]
    if missing:
        raise PlanError(f"the goal is not reached after {len(names)} steps: {_and_more(missing)} missing")
    return Plan(names, cost, task.core.uses_costs)


def _unmet(task: Task, operator: Operator, state: list[int]) -> str | None:
    unmet = [_name(task, *fact) for fact in operator.preconditions if state[fact.variable] != fact.value]
    return f"{_and_more(unmet)} does not hold" if unmet else None


def _name(task: Task, variable: int, value: int) -> str:
    return task.variables[variable].value_names[value].removeprefix("Atom ")


def _and_more(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} (and {len(names) - 1} more)"
