"""Goal states: where backward walks begin."""

from __future__ import annotations

import random

from sing.base.budget import Budget
from sing.tensors.moves import MoveTask

# Goal states that are drawn where the goal leaves variables open, and tries for each of them.
_NUM_STARTS, _NUM_TRIES = 256, 20


def goal_states(task: MoveTask, seed: int, budget: Budget) -> list[tuple[int, ...]]:
    """Different states in which the goal holds, random in what it leaves open, as far as mutex groups allow.

    Empty where none was found. Raises LimitReached.
    """
    rng = random.Random(seed)
    groups_of: dict[tuple[int, int], list[int]] = {}
    for number, group in enumerate(task.mutex_groups):
        for fact in group:
            groups_of.setdefault(fact, []).append(number)
    fixed = dict(task.goal)
    open_variables = [variable for variable in range(len(task.sizes)) if variable not in fixed]
    found: dict[tuple[int, ...], None] = {}
    for _ in range(_NUM_STARTS if open_variables else 1):
        budget.check()
        for _ in range(_NUM_TRIES):
            state = _complete(task, fixed, open_variables, groups_of, rng)
            if state is not None:
                found[state] = None
                break
    return list(found)


def _complete(
    task: MoveTask,
    fixed: dict[int, int],
    open_variables: list[int],
    groups_of: dict[tuple[int, int], list[int]],
    rng: random.Random,
) -> tuple[int, ...] | None:
    """One goal state; None where the values drawn first left none for a later variable."""
    values = dict(fixed)
    taken = {group for fact in fixed.items() for group in groups_of.get(fact, ())}
    for variable in rng.sample(open_variables, len(open_variables)):
        possible = [
            value
            for value in range(task.sizes[variable])
            if not taken.intersection(groups_of.get((variable, value), ()))
        ]
        if not possible:
            return None
        values[variable] = rng.choice(possible)
        taken.update(groups_of.get((variable, values[variable]), ()))
    return tuple(values[variable] for variable in range(len(task.sizes)))
