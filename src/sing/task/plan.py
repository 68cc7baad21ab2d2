"""Plans, their file format, and their execution on a task."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from sing import _core
from sing.base.errors import PlanError
from sing.task.task import Effect, Task

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


def execute(task: Task, positions: Iterable[int], guard: _core.Guard | None = None) -> Plan:
    """Execute operators, given by position in the task, from the initial state. Raises PlanError where that fails.

    It needs nothing but the task, so that it checks every part of a search. Raises also what the guard raises.
    """
    positions = list(positions)
    num_steps, missing, cost = task.core.execute(positions, guard)
    names = {position: task.core.operator(position).name for position in set(positions)}
    if missing:
        facts = and_more([fact_name(task, *fact) for fact in missing])
        if num_steps == len(positions):
            raise PlanError(f"the goal is not reached after {num_steps} steps: {facts} missing")
        name = names[positions[num_steps]]
        raise PlanError(f"step {num_steps + 1}: '{name}' is not applicable: {facts} does not hold")
    return Plan(tuple(names[position] for position in positions), cost, task.core.uses_costs)


def states_along(task: Task, positions: Iterable[int]) -> Iterator[State]:
    """The initial state, and the one after each of these operators; they must be applicable."""
    derived = derived_values(task)
    state = task.initial_state
    yield state
    for position in positions:
        state = successor(task.operator(position).effects, state, derived)
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


def derived_values(task: Task) -> _core.DerivedValues | None:
    """What computes the derived values of states, where the task has any."""
    return _core.DerivedValues(task.core) if task.core.has_axioms else None


def successor(effects: Iterable[Effect], state: State, derived: _core.DerivedValues | None) -> State:
    """Of several effects on one variable whose conditions hold, the last one takes place."""
    values = list(state)
    for conditions, (variable, value) in effects:
        if all(state[condition.variable] == condition.value for condition in conditions):
            values[variable] = value
    return tuple(derived.complete(values) if derived else values)


def missing_goals(task: Task, state: State) -> list[str]:
    return [fact_name(task, *goal) for goal in task.goal if state[goal.variable] != goal.value]


def check_goal(task: Task, state: State, num_steps: int) -> None:
    if missing := missing_goals(task, state):
        raise PlanError(f"the goal is not reached after {num_steps} steps: {and_more(missing)} missing")


def fact_name(task: Task, variable: int, value: int) -> str:
    return task.variables[variable].value_names[value].removeprefix("Atom ")


def and_more(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} (and {len(names) - 1} more)"
