"""Plans: the IPC file format, and replay on a task."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from sing.base.errors import InputError, PlanError
from sing.task.task import Operator, Task

State = tuple[int, ...]


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


def execute(task: Task, positions: Iterable[int]) -> Plan:
    """Execute operators, given by position in the task, from the initial state. Raises PlanError where that fails.

    Independent of the search: it works on the task's Python view alone.
    """
    state = task.initial_state
    names = []
    cost = 0
    for step, position in enumerate(positions, start=1):
        operator = task.operator(position)
        if unmet := _unmet(task, operator, state):
            raise PlanError(f"step {step}: '{operator.name}' is not applicable: {unmet}")
        state = _successor(operator, state)
        names.append(operator.name)
        cost += task.cost(operator)
    _check_goal(task, state, len(names))
    return Plan(tuple(names), cost, task.core.uses_costs)


def states_along(task: Task, positions: Iterable[int]) -> Iterator[State]:
    """The initial state, and the one after each of these operators; they must be applicable."""
    state = task.initial_state
    yield state
    for position in positions:
        state = _successor(task.operator(position), state)
        yield state


def atoms_along(task: Task, positions: Iterable[int], steps: Collection[int]) -> list[frozenset[str]]:
    """The atoms that hold after these steps, in rising order, with those that never change as far as they are known."""
    constant = task.initial_atoms - set(task.atoms)
    found = []
    for step, state in enumerate(states_along(task, positions)):
        if step in steps:
            names = (variable.value_names[value] for variable, value in zip(task.variables, state, strict=True))
            found.append(constant | {name for name in names if name.startswith("Atom ")})
    return found


def replay(task: Task, names: Iterable[str]) -> Plan:
    """Execute operators given by name. Raises PlanError where that fails.

    Several operators can have one name (a disjunctive condition is split into several): the plan is valid where
    some choice among them reaches the goal.
    """
    names = tuple(names)
    positions = defaultdict(list)
    wanted = set(names)
    for position, name in enumerate(task.core.operator_names):
        if name in wanted:
            positions[name].append(position)
    reached = {task.initial_state: 0}  # every state the plan may be in, with the least cost of getting there
    for step, name in enumerate(names, start=1):
        operators = [task.operator(position) for position in positions[name]]
        if not operators:
            raise PlanError(f"step {step}: there is no operator '{name}', or it can never be applied")
        before, reached = reached, {}
        for state, cost in before.items():
            for operator in operators:
                if not _unmet(task, operator, state):
                    after, total = _successor(operator, state), cost + task.cost(operator)
                    reached[after] = min(total, reached.get(after, total))
        if not reached:
            unmet = _unmet(task, operators[0], next(iter(before)))
            raise PlanError(f"step {step}: '{name}' is not applicable: {unmet}")
    at_goal = [cost for state, cost in reached.items() if not _missing_goals(task, state)]
    if not at_goal:
        _check_goal(task, next(iter(reached)), len(names))
    return Plan(names, min(at_goal), task.core.uses_costs)


def _successor(operator: Operator, state: State) -> State:
    values = list(state)
    for effect in operator.effects:
        values[effect.fact.variable] = effect.fact.value
    return tuple(values)


def _missing_goals(task: Task, state: State) -> list[str]:
    return [_name(task, *goal) for goal in task.goal if state[goal.variable] != goal.value]


def _check_goal(task: Task, state: State, num_steps: int) -> None:
    if missing := _missing_goals(task, state):
        raise PlanError(f"the goal is not reached after {num_steps} steps: {_and_more(missing)} missing")


def _unmet(task: Task, operator: Operator, state: State) -> str | None:
    unmet = [_name(task, *fact) for fact in operator.preconditions if state[fact.variable] != fact.value]
    return f"{_and_more(unmet)} does not hold" if unmet else None


def _name(task: Task, variable: int, value: int) -> str:
    return task.variables[variable].value_names[value].removeprefix("Atom ")


def _and_more(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} (and {len(names) - 1} more)"
