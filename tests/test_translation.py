"""Tasks say what their PDDL says: compared state by state with PDDL that is executed as it is written."""

from __future__ import annotations

import random

import pddl
import pddl_maker
import pytest
from pddl_reference import Pddl
from translation_cases import CASES

from sing import _core
from sing.base.budget import Budget
from sing.base.files import Text
from sing.task.task import Task
from sing.translate import translate

_MAX_STATES = 60
_MAX_PLAN = 4

# Fast Downward's translator takes a condition on the outer of two variables for one on the inner.
TEXTS = {
    **CASES,
    "errands": (pddl.ERRANDS, pddl.ERRANDS_PROBLEM),
    "lamps": (pddl.CONDITIONAL, pddl.CONDITIONAL_PROBLEM),
}
RANDOM = {f"random {seed}": pddl_maker.make(random.Random(1000 + seed)) for seed in range(60)}


def task_of(texts: tuple[str, str], *, keeps_all: bool = False) -> Task:
    domain, problem = texts
    return translate(Text("domain", domain), Text("problem", problem), Budget(60), keeps_all=keeps_all)


def atoms_in(task: Task, state: list[int]) -> set[str]:
    """The atoms that the task has and that hold."""
    names = (variable.value_names[value] for variable, value in zip(task.variables, state, strict=True))
    return {name.removeprefix("Atom ") for name in names if name.startswith("Atom ")}


def known_atoms(task: Task, twin: Pddl) -> set[str]:
    """Those whose values are kept up to date: derived ones that nothing needs are not."""
    return {
        name.removeprefix("Atom ")
        for variable in task.variables
        for name in variable.value_names
        if name.startswith("Atom ")
        and "new-axiom@" not in name
        and (variable.axiom_layer >= 0 or name.removeprefix("Atom ").split("(")[0] not in twin.derived)
    }


def step(task: Task, space: _core.StateSpace, state: list[int]) -> dict[str, list[int]]:
    """Successors by operator name. Several operators of one name must lead to the same state."""
    result: dict[str, list[int]] = {}
    for position in space.applicable(state):
        after = space.successor(state, position)
        assert result.setdefault(task.core.operator(position).name, after) == after
    return result


def is_goal(task: Task, state: list[int]) -> bool:
    return all(state[fact.variable] == fact.value for fact in task.goal)


@pytest.mark.parametrize("name", [*TEXTS, *RANDOM])
def test_tasks_and_their_pddl_go_the_same_ways(name: str) -> None:
    texts = (TEXTS | RANDOM)[name]
    twin, task = Pddl(*texts), task_of(texts, keeps_all=True)
    if task.is_emptied:
        compare_emptied(twin, task)
        return
    space = _core.StateSpace(task.core)
    atoms = known_atoms(task, twin)
    queue = [(twin.initial_state, list(task.initial_state))]
    seen = {twin.initial_state}
    while queue and len(seen) < _MAX_STATES:
        state, values = queue.pop(0)
        facts = twin.completed(state)
        assert atoms_in(task, values) & atoms == facts & atoms
        assert is_goal(task, values) == twin.is_goal(state)
        of_twin, of_task = twin.successors(state), step(task, space, values)
        assert set(of_twin) == set(of_task)
        for operator, after in of_twin.items():
            if after not in seen:
                seen.add(after)
                queue.append((after, of_task[operator]))
    assert len(seen) > 1 or not any(
        after != twin.initial_state for after in twin.successors(twin.initial_state).values()
    )


def compare_emptied(twin: Pddl, task: Task) -> None:
    """Where the goal is known to hold never or always."""
    states = reachable(twin)
    solved = is_goal(task, list(task.initial_state))
    assert all(twin.is_goal(state) for state in states) if solved else not any(map(twin.is_goal, states))


def reachable(twin: Pddl) -> list[frozenset[str]]:
    states = [twin.initial_state]
    for state in states:
        for after in twin.successors(state).values():
            if after not in states and len(states) < _MAX_STATES:
                states.append(after)
    return states


@pytest.mark.parametrize("name", [*TEXTS, *RANDOM])
def test_relevant_parts_have_the_same_plans(name: str) -> None:
    """The task without what cannot matter has exactly the PDDL's plans of up to four steps, but for idle operators.

    Both go all ways at once: from equal pairs of states equal ways go on.
    """
    texts = (TEXTS | RANDOM)[name]
    twin, task = Pddl(*texts), task_of(texts)
    if task.is_emptied:
        compare_emptied(twin, task)
        return
    space = _core.StateSpace(task.core)
    atoms = known_atoms(task, twin)
    ends = {(twin.initial_state, tuple(task.initial_state))}
    seen = set(ends)
    for length in range(_MAX_PLAN + 1):
        longer = set()
        for state, values in ends:
            assert is_goal(task, list(values)) == twin.is_goal(state)
            if length == _MAX_PLAN:
                continue
            of_twin, of_task = twin.successors(state), step(task, space, list(values))
            assert set(of_task) <= set(of_twin)
            # What is left out, perhaps for one of several reasons why an action is applicable, changes nothing here.
            facts = twin.completed(state) & atoms
            assert all(twin.completed(of_twin[idle]) & atoms == facts for idle in set(of_twin) - set(of_task))
            longer |= {(after, tuple(of_task.get(operator, values))) for operator, after in of_twin.items()}
        ends = longer - seen
        seen |= ends


@pytest.mark.parametrize("name", [*TEXTS, *RANDOM])
def test_one_atom_of_a_mutex_group_holds_at_most(name: str) -> None:
    texts = (TEXTS | RANDOM)[name]
    twin, task = Pddl(*texts), task_of(texts, keeps_all=True)
    names = [[task.variables[fact.variable].value_names[fact.value] for fact in group] for group in task.mutex_groups]
    names += [list(variable.value_names) for variable in task.variables]
    groups = [{name.removeprefix("Atom ") for name in group if name.startswith("Atom ")} for group in names]
    for state in reachable(twin):
        facts = twin.completed(state)
        assert all(len(group & facts) <= 1 for group in groups)
