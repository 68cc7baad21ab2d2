"""Random walks backward from the goal, many at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

from sing.base.budget import Budget
from sing.task.task import Fact
from sing.tensors.device import wait_for
from sing.tensors.moves import Move, MoveTask
from sing.tensors.tables import MoveTables

# A move after another one is redundant where both together do what one or none does: those of a task with so many
# moves at most are all tried, in others only those that undo the move before.
_MAX_TO_COMPOSE = 256
# Steps between two looks at the clock.
_STEPS_PER_POLL = 8


@dataclass(frozen=True)
class WalkedStates:
    """What walks have seen, in the order of steps."""

    states: torch.Tensor  # [steps + 1, walks, variables]
    labels: torch.Tensor  # [steps + 1, walks]: steps since the walk last stood at a goal state that it began from
    moves: torch.Tensor  # [steps, walks]: the backward move to the next state; the number of moves where it began anew


class Walks:
    """Walks by backward moves. A move that undoes the one before, or does with it what one move does, is not taken.

    A walk that can go nowhere begins anew.
    """

    def __init__(self, task: MoveTask, tables: MoveTables, moves: tuple[Move, ...], starts: torch.Tensor) -> None:
        self.tables = tables
        self.starts = starts
        self.redundant = redundant_moves(moves, task.sizes).to(tables.device)
        self.goal = GoalTest(task.goal, tables)

    def run(
        self,
        num_walks: int,
        length: int,
        random: torch.Generator,
        budget: Budget,
        on_step: Callable[[int], object] = lambda step: None,
    ) -> WalkedStates:
        """Raises LimitReached."""
        device = self.tables.device
        none = self.tables.num_moves
        states = torch.empty((length + 1, num_walks, len(self.tables.sizes)), dtype=self.tables.dtype, device=device)
        labels = torch.zeros((length + 1, num_walks), dtype=torch.float32, device=device)
        taken = torch.empty((length, num_walks), dtype=torch.int64, device=device)
        states[0] = self._draw_starts(num_walks, random)
        last = torch.full((num_walks,), none, device=device)
        for step in range(length):
            if step % _STEPS_PER_POLL == 0:
                wait_for(device)
                budget.check()
                on_step(step)
            last = self._choose(states[step], last, random, budget)
            is_stuck = last == none
            moved = self.tables.apply(states[step], last)
            states[step + 1] = torch.where(is_stuck[:, None], self._draw_starts(num_walks, random), moved)
            labels[step + 1] = torch.where(is_stuck, 0, labels[step] + 1)
            taken[step] = last
        labels = torch.where(self.goal(states.flatten(0, 1)).view_as(labels), 0, labels)
        return WalkedStates(states, labels, taken)

    def _draw_starts(self, count: int, random: torch.Generator) -> torch.Tensor:
        if len(self.starts) == 1:
            return self.starts.expand(count, -1)
        return self.starts[torch.randint(len(self.starts), (count,), generator=random, device=self.starts.device)]

    def _choose(
        self, states: torch.Tensor, last: torch.Tensor, random: torch.Generator, budget: Budget
    ) -> torch.Tensor:
        """For each state one of its moves, each with the same probability."""
        draws = torch.rand(len(states), generator=random, device=states.device)
        size = self.tables.chunk_size
        chosen = []
        for begin in range(0, len(states), size):
            budget.check()
            some = slice(begin, begin + size)
            chosen.append(self._choose_some(states[some], last[some], draws[some]))
        return torch.cat(chosen)

    def _choose_some(self, states: torch.Tensor, last: torch.Tensor, draws: torch.Tensor) -> torch.Tensor:
        candidates, fits = self.tables.applicable(states)
        redundant = self.redundant[last]
        for place in range(redundant.shape[1]):
            fits &= candidates != redundant[:, place, None]
        ranks = fits.cumsum(1, dtype=torch.int32)
        count = ranks[:, -1]
        wanted = torch.minimum((draws * count).int() + 1, count)
        # The first candidate of that rank; where none applies, the first of all, which is not taken.
        places = (ranks >= wanted[:, None]).to(torch.int8).argmax(1, keepdim=True)
        return torch.where(count > 0, candidates.gather(1, places)[:, 0], self.tables.num_moves)


class GoalTest:
    """Whether the goal holds in states."""

    def __init__(self, goal: tuple[Fact, ...], tables: MoveTables) -> None:
        self.variables = torch.tensor([fact.variable for fact in goal], dtype=torch.int64, device=tables.device)
        self.values = torch.tensor([fact.value for fact in goal], dtype=tables.dtype, device=tables.device)

    def __call__(self, states: torch.Tensor) -> torch.Tensor:
        return self.holds(states).all(1)

    def holds(self, states: torch.Tensor) -> torch.Tensor:
        """[states, goals]"""
        return states[:, self.variables] == self.values


def redundant_moves(moves: tuple[Move, ...], sizes: tuple[int, ...]) -> torch.Tensor:
    """By move: those that had better not follow it, [moves + 1, most]; the number of moves fills the rows."""
    rows: list[list[int]] = [[] for _ in range(len(moves) + 1)]
    if len(moves) <= _MAX_TO_COMPOSE and not any(move.preconditions for move in moves):
        whole = [_whole_maps(move, sizes) for move in moves]
        alone = {*whole, tuple(tuple(range(size)) for size in sizes)}
        for first, one in enumerate(whole):
            for second, other in enumerate(whole):
                if tuple(tuple(b[value] for value in a) for a, b in zip(one, other, strict=True)) in alone:
                    rows[first].append(second)
    else:
        known: dict[_Form | None, int] = {
            _form(move.preconditions, _constants(move)): position for position, move in enumerate(moves)
        }
        for position, move in enumerate(moves):
            back = _undone(move)
            if back in known:
                rows[position].append(known[back])
    if all(len(row) >= len(moves) for row in rows[:-1]):  # nothing would be left to do
        rows = [[] for _ in rows]
    most = max(1, *map(len, rows))
    return torch.tensor([row + [len(moves)] * (most - len(row)) for row in rows])


def _whole_maps(move: Move, sizes: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    maps = dict(move.effects)
    return tuple(maps.get(variable, tuple(range(size))) for variable, size in enumerate(sizes))


_Form = tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]


def _form(needed: tuple[Fact, ...], after: tuple[tuple[int, int], ...]) -> _Form:
    return tuple((variable, value) for variable, value in needed), after


def _constants(move: Move) -> tuple[tuple[int, int], ...]:
    """What holds after the move, of the variables that it needs."""
    maps = dict(move.effects)
    return tuple(
        (variable, maps[variable][value] if variable in maps else value) for variable, value in move.preconditions
    )


def _undone(move: Move) -> _Form | None:
    """The move that leads back, where this one knows all that it changes."""
    if {variable for variable, _ in move.effects} <= {variable for variable, _ in move.preconditions}:
        return _constants(move), tuple((variable, value) for variable, value in move.preconditions)
    return None
