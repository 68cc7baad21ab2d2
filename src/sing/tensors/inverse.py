"""Moves backward: from a state to the states that a move could have come from."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from sing.base.budget import Budget
from sing.task.task import Fact
from sing.tensors.moves import Map, Move, MoveTask

# Backward moves of one operator: one that forgets much, such as "clear the table", is left out.
_MAX_CHOICES = 64
_PER_POLL = 64


def backward_moves(task: MoveTask, budget: Budget) -> tuple[Move, ...]:
    """For each operator the moves that undo it, exactly.

    Where a map of the operator can be inverted, so it is. Where several old values have become one, there is a move
    for each of them, unless mutex groups exclude what would have held then; an operator with more than 64 such moves
    has none. Raises LimitReached.
    """
    mutexes = _Mutexes(task)
    moves = []
    for position, move in enumerate(task.moves):
        if position % _PER_POLL == 0:
            budget.check_memory()
        moves += [undone for undone, before in _inverses(task, move) if not mutexes.exclude(before)]
    return tuple(moves)


def _inverses(task: MoveTask, move: Move) -> Iterator[tuple[Move, list[Fact]]]:
    """The inverse moves, each with what is known to hold behind it: before the operator, that is."""
    needed = dict(move.preconditions)
    changed = {variable for variable, _ in move.effects}
    prevail = [fact for fact in move.preconditions if fact.variable not in changed]
    fixed: list[tuple[int, Map]] = []
    choices: list[list[tuple[int, int, int]]] = []  # by variable: (variable, value now, value before)
    for variable, places in move.effects:
        if variable in needed:
            choices.append([(variable, places[needed[variable]], needed[variable])])
        elif len(set(places)) == len(places):
            fixed.append((variable, tuple(sorted(range(len(places)), key=places.__getitem__))))
        else:
            choices.append([(variable, now, before) for before, now in enumerate(places)])
    num_choices = 1
    for options in choices:
        num_choices *= len(options)
        if num_choices > _MAX_CHOICES:
            return
    for chosen in product(*choices):
        preconditions = sorted([*prevail, *(Fact(variable, now) for variable, now, _ in chosen)])
        constants = [
            (variable, (before,) * task.sizes[variable]) for variable, now, before in chosen if now != before
        ]  # fmt: skip
        before_facts = [*prevail, *(Fact(variable, before) for variable, _, before in chosen)]
        yield Move(move.operator, tuple(preconditions), tuple(sorted([*fixed, *constants]))), before_facts


class _Mutexes:
    """Which facts cannot hold together, by the translator's groups."""

    def __init__(self, task: MoveTask) -> None:
        self.groups_of: dict[Fact, set[int]] = {}
        for number, group in enumerate(task.mutex_groups):
            for fact in group:
                self.groups_of.setdefault(fact, set()).add(number)

    def exclude(self, facts: list[Fact]) -> bool:
        seen: dict[int, int] = {}
        for fact in facts:
            for group in self.groups_of.get(fact, ()):
                if seen.setdefault(group, fact.variable) != fact.variable:
                    return True
        return False
