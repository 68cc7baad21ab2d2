"""Costs of plans, slow and obvious: what searches by cost and lower bounds are compared with."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence

import reference

from sing.task.task import Operator, Task

State = tuple[int, ...]


def costs_to_goal(task: Task) -> dict[State, int | None]:
    """Of every reachable state: the cost of a cheapest plan from there, None where there is none."""
    before: dict[State, list[tuple[State, int]]] = {state: [] for state in reference.distances(task)}
    for state in before:
        for operator in task.operators:
            if reference.is_applicable(operator, state):
                before[reference.successor(task, operator, state)].append((state, task.cost(operator)))
    costs: dict[State, int | None] = dict.fromkeys(before)
    queue = [(0, state) for state in before if reference.num_open_goals(task, state) == 0]
    while queue:
        cost, state = heapq.heappop(queue)
        if costs[state] is None:
            costs[state] = cost
            for other, step in before[state]:
                heapq.heappush(queue, (cost + step, other))
    return costs


def _relaxed(task: Task, operators: Sequence[tuple[Operator, int]], state: Sequence[int]) -> int | None:
    """h_max of the goal for operators with these costs, None where it cannot be reached.

    An operator that is used is paid once, whenever its conditional effects take place; axioms cost nothing.
    """
    costs = {(variable, value): 0 for variable, value in enumerate(state)}

    def dearest(facts: Collection[tuple[int, int]]) -> int | None:
        known = [costs.get(tuple(fact)) for fact in facts]
        return None if None in known else max(known, default=0)

    changed = True
    while changed:
        found = []
        for operator, own in operators:
            if (first := dearest(operator.preconditions)) is not None:
                for effect in operator.effects:
                    if (needed := dearest(effect.conditions)) is not None:
                        found.append((tuple(effect.fact), max(first + own, needed)))
        for axiom in task.axioms:
            if (needed := dearest(axiom.conditions)) is not None:
                found.append((tuple(axiom.fact), needed))
        found += reference.default_costs(task, costs, lambda values: max(values, default=0))
        changed = False
        for fact, cost in found:
            if cost < costs.get(fact, cost + 1):
                costs[fact] = cost
                changed = True
    return dearest(task.goal)


def h_max(task: Task, state: Sequence[int]) -> int | None:
    return _relaxed(task, [(operator, task.cost(operator)) for operator in task.operators], state)


def check_landmarks(task: Task, state: Sequence[int], landmarks: Sequence[tuple[Sequence[int], int]]) -> None:
    """Each is needed even without deletes, no operator pays more than it costs, and nothing is left to be found."""
    left = [task.cost(operator) for operator in task.operators]
    for members, cost in landmarks:
        assert cost > 0
        others = [(operator, 0) for i, operator in enumerate(task.operators) if i not in members]
        assert _relaxed(task, others, state) is None
        for member in members:
            left[member] -= cost
    assert min(left, default=0) >= 0
    assert not _relaxed(task, list(zip(task.operators, left, strict=True)), state)
