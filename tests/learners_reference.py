"""Slow, obvious twins of the parts that make samples and labels better."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import reference
from reference import State

from sing.task.task import Task

UNDEFINED = -1


def after(task: Task, position: int, state: Sequence[int]) -> tuple[int, ...] | None:
    """The partial state behind an operator without conditional effects; None where a precondition may not hold."""
    operator = task.operators[position]
    if any(state[variable] != value for variable, value in operator.preconditions):
        return None
    values = list(state)
    for effect in operator.effects:
        values[effect.fact.variable] = effect.fact.value
    return tuple(values)


def holds(partial: Sequence[int], state: Sequence[int]) -> bool:
    return all(wanted in (UNDEFINED, value) for wanted, value in zip(partial, state, strict=True))


def lowered(task: Task, states: list[tuple[int, ...]], labels: list[int], by_successors: bool) -> list[int]:
    """Labels lowered over equal samples, and over successors, until nothing changes."""
    labels = list(labels)
    steps = [
        (i, j)
        for i, state in enumerate(states)
        for position in range(task.num_operators if by_successors else 0)
        if (behind := after(task, position, state)) is not None
        for j, other in enumerate(states)
        if holds(other, behind)
    ]
    equals = [(i, j) for i, state in enumerate(states) for j, other in enumerate(states) if state == other]
    changed = True
    while changed:
        before = list(labels)
        for i, j in equals:
            labels[i] = min(labels[i], labels[j])
        for i, j in steps:
            labels[i] = min(labels[i], labels[j] + 1)
        changed = labels != before
    return labels


def goal_distances(task: Task, states: Iterable[Sequence[int]]) -> dict[State, float]:
    """The true distance to the goal of these full states and of all that are reached from them."""
    successors: dict[State, set[State]] = {}
    pending = [tuple(state) for state in states]
    while pending:
        state = pending.pop()
        if state not in successors:
            successors[state] = {
                reference.successor(task, operator, state)
                for operator in task.operators
                if reference.is_applicable(operator, state)
            }
            pending.extend(successors[state])
    distances = {state: math.inf if reference.num_open_goals(task, state) else 0.0 for state in successors}
    changed = True
    while changed:
        changed = False
        for state, after_it in successors.items():
            nearest = 1 + min((distances[other] for other in after_it), default=math.inf)
            if nearest < distances[state]:
                distances[state], changed = nearest, True
    return distances


def typed_level(items: Sequence[tuple[int, int, float]], max_types: int, seed: int) -> list[tuple[int, float]]:
    """Of each type, in the order in which types come, the state that stands for it and the weight of all of them."""
    rng = reference.SplitMix(seed)
    level: dict[int, tuple[int, float]] = {}
    for state, kind, weight in items:
        kind = kind % max_types if max_types else kind
        if kind not in level:
            level[kind] = (state, weight)
            continue
        before, total = level[kind][0], level[kind][1] + weight
        takes_over = (rng.next() >> 11) / 2**53 * total < weight
        level[kind] = (state if takes_over else before, total)
    return list(level.values())
