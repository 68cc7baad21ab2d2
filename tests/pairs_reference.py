"""Pairs of facts that are on no way to the goal, and tasks without what leads there: slow and obvious versions."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import reference

from sing.task.task import Fact, Operator, Task

Pair = tuple[Fact, Fact]  # the lower fact first; twice the same one stands for the fact


def pair(a: Fact, b: Fact) -> Pair:
    return (a, b) if a <= b else (b, a)


def pairs_of(facts: Iterable[Fact]) -> set[Pair]:
    facts = list(facts)
    return {pair(a, b) for a in facts for b in facts}


def all_facts(task: Task) -> list[Fact]:
    return [Fact(v, value) for v, variable in enumerate(task.variables) for value in range(len(variable.value_names))]


def sides(operator: Operator) -> tuple[dict[int, int], dict[int, int]]:
    """What holds before the operator, and what holds after it, as far as it says."""
    before = dict(operator.preconditions)
    return before, before | {effect.fact.variable: effect.fact.value for effect in operator.effects}


def excluded_pairs(task: Task) -> tuple[set[Pair], list[bool]]:
    """Forward and backward in turns, each time to the end, until neither finds more, or until there is no plan."""
    facts = all_facts(task)
    excluded = {pair(a, b) for a in facts for b in facts if a.variable == b.variable and a != b}
    is_dead = [False] * task.num_operators
    start = {Fact(variable, value) for variable, value in enumerate(task.initial_state)}
    is_forward, num_idle = True, 0
    while num_idle < 2:
        if is_forward:
            holds = pairs_of(start)
            if holds & excluded:
                return excluded, [True] * task.num_operators
        else:
            goals = set(task.goal)
            possible = [fact for fact in facts if not pairs_of({fact, *goals}) & excluded]
            if not goals <= set(possible):
                return excluded, [True] * task.num_operators
            holds = pairs_of(possible) - excluded
        taken = _fixpoint(task, holds, excluded, is_dead, is_forward)
        found = {pair(a, b) for a in facts for b in facts} - holds
        now_dead = [dead or not hit for dead, hit in zip(is_dead, taken, strict=True)]
        num_idle = num_idle + 1 if (found, now_dead) == (excluded, is_dead) else 0
        excluded, is_dead, is_forward = found, now_dead, not is_forward
    return excluded, is_dead


def _fixpoint(task: Task, holds: set[Pair], excluded: set[Pair], is_dead: list[bool], is_forward: bool) -> list[bool]:
    """Adds to `holds` what steps reach; which operators have a step."""
    facts = all_facts(task)
    taken = [False] * task.num_operators
    has_grown = True
    while has_grown:
        size = len(holds)
        for position, operator in enumerate(task.operators):
            if is_dead[position]:
                continue
            before, after = sides(operator)
            changed = {effect.fact.variable for effect in operator.effects}
            near, far = (before, after) if is_forward else (after, before)
            if not is_forward:  # what is needed and not changed holds on both sides; what is changed may be unknown
                far = dict(before)
            near_facts, far_facts = {Fact(*fact) for fact in near.items()}, {Fact(*fact) for fact in far.items()}
            if not pairs_of(near_facts) <= holds or pairs_of(far_facts) & excluded:
                continue
            unknown = sorted(changed - far.keys())
            choices = [
                fact for fact in facts if fact.variable in unknown and not pairs_of({fact, *far_facts}) & excluded
            ]
            if {fact.variable for fact in choices} != set(unknown):
                continue
            taken[position] = True
            kept = {
                fact
                for fact in facts
                if fact.variable not in changed
                and all(pair(fact, other) in holds for other in {fact, *near_facts})
                and not any(pair(fact, other) in excluded for other in far_facts)
            }
            for a, b in product({*far_facts, *choices}, {*far_facts, *choices, *kept}):
                if pair(a, b) not in excluded:
                    holds.add(pair(a, b))
        has_grown = len(holds) > size
    return taken


def pruned_conditions(task: Task, excluded: set[Pair], is_dead: list[bool]) -> list[set[Fact] | None]:
    """For each operator the conditions that it gets; None where it is left out."""
    return [
        None if dead else _conditions(task, operator, excluded)
        for operator, dead in zip(task.operators, is_dead, strict=True)
    ]


def _conditions(task: Task, operator: Operator, excluded: set[Pair]) -> set[Fact] | None:
    effects = {effect.fact.variable: effect.fact.value for effect in operator.effects}
    known = {Fact(*fact) for fact in operator.preconditions}
    while True:
        news = set()
        for variable in range(len(task.variables)):
            values = [fact for fact in all_facts(task) if fact.variable == variable]
            before = [fact for fact in values if not pairs_of({fact}) & excluded]
            before = [fact for fact in before if not any(pair(fact, other) in excluded for other in known)]
            after = before
            if variable not in effects:
                after = [fact for fact in before if not any(pair(fact, Fact(*e)) in excluded for e in effects.items())]
            if not after:
                return None
            if len(after) == 1 < len(before) and after[0] not in known:
                news.add(after[0])
        if not news:
            return known - {Fact(*fact) for fact in operator.preconditions}
        known |= news


def states_on_ways(task: Task) -> set[reference.State]:
    """All states that can be reached and from which the goal can be."""
    before: dict[reference.State, set[reference.State]] = {}
    states = set(reference.distances(task))
    for state in states:
        for operator in task.operators:
            if reference.is_applicable(operator, state):
                before.setdefault(reference.successor(task, operator, state), set()).add(state)
    queue = [state for state in states if reference.num_open_goals(task, state) == 0]
    found = set(queue)
    for state in queue:
        for parent in before.get(state, set()) - found:
            found.add(parent)
            queue.append(parent)
    return found
