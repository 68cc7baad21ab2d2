"""Plans, their file format, and their execution on a task."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from sing.base.errors import PlanError
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
    check_goal(task, state, len(names))
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


def _successor(operator: Operator, state: State) -> State:
    values = list(state)
    for effect in operator.effects:
        values[effect.fact.variable] = effect.fact.value
    return tuple(values)


def missing_goals(task: Task, state: State) -> list[str]:
    return [fact_name(task, *goal) for goal in task.goal if state[goal.variable] != goal.value]


def check_goal(task: Task, state: State, num_steps: int) -> None:
    if missing := missing_goals(task, state):
        raise PlanError(f"the goal is not reached after {num_steps} steps: {and_more(missing)} missing")


def _unmet(task: Task, operator: Operator, state: State) -> str | None:
    unmet = [fact_name(task, *fact) for fact in operator.preconditions if state[fact.variable] != fact.value]
    return f"{and_more(unmet)} does not hold" if unmet else None


def fact_name(task: Task, variable: int, value: int) -> str:
    return task.variables[variable].value_names[value].removeprefix("Atom ")


def and_more(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} (and {len(names) - 1} more)"
