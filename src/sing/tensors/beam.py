"""Beam search on a device: whole layers of states are expanded, compared and evaluated at once."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import torch

from sing.base.budget import Budget
from sing.base.outcome import Status
from sing.tensors.device import wait_for
from sing.tensors.hashes import SeenHashes, StateHash, first_of_equal
from sing.tensors.tables import MoveTables
from sing.tensors.walks import GoalTest

Evaluate = Callable[[torch.Tensor], torch.Tensor]

# What a state of a layer takes on the way: its successors' parents, moves and hashes, sorted; evaluated states.
_BYTES_PER_SUCCESSOR = 96
# Of a state that was kept: its hash, and how it was reached.
_BYTES_PER_KEPT = 20
_MAX_ROWS_PER_EVALUATION = {"cpu": 1 << 13}
_MAX_ROWS_ELSEWHERE = 1 << 18


@dataclass
class BeamStatistics:
    num_layers: int = 0
    num_expanded: int = 0
    num_generated: int = 0
    num_evaluated: int = 0
    num_registered: int = 0
    best_estimate: float = math.inf
    fewest_open_goals: int = 0
    is_cut: bool = False  # some state was left out, so that not finding a plan proves nothing


@dataclass
class BeamResult:
    status: Status  # OUT_OF_WORK: a beam of that width leads nowhere
    plan: tuple[int, ...]  # operators of the task; empty unless solved
    initial_estimate: float
    statistics: BeamStatistics


@dataclass
class BeamSearch:
    """From each layer of states all successors that no layer before had, and of these the `width` best.

    Without a limit to the width this is breadth-first search. States of equal estimates are ordered by their hashes,
    that is by the seed. Equal hashes count as equal states. Goals are tested when states are generated, and so a plan
    has as many steps as there are layers.
    """

    tables: MoveTables  # of the forward moves
    goal: GoalTest
    hash: StateHash
    evaluate: Evaluate
    budget: Budget
    on_layer: Callable[[BeamStatistics], object] = lambda statistics: None
    statistics: BeamStatistics = field(default_factory=BeamStatistics)

    @torch.no_grad()
    def run(self, initial_state: torch.Tensor, width: int, max_layers: int) -> BeamResult:
        """Search from one state [variables]. Raises LimitReached, and MemoryError where a layer does not fit."""
        self.statistics = statistics = BeamStatistics()
        layer = initial_state[None]
        initial = float(self.evaluate(layer)[0])
        statistics.best_estimate = initial
        if bool(self.goal(layer)[0]):
            return BeamResult(Status.SOLVED, (), initial, statistics)
        hashes = self.hash.of(layer)
        seen = SeenHashes()
        seen.add(hashes)
        history: list[tuple[torch.Tensor, torch.Tensor]] = []  # of each layer: parents in the one before, and moves
        while len(history) < max_layers:
            parents, moves, new_hashes = self._successors(layer, hashes, seen)
            if not len(parents):
                return self._exhausted(initial)
            new_layer, is_goal, estimates = self._evaluated(layer, parents, moves)
            if len(is_goal):
                first = int(is_goal[0])
                history.append((parents[first : first + 1], moves[first : first + 1]))
                return BeamResult(Status.SOLVED, self._plan(history), initial, statistics)
            kept = estimates.sort(stable=True).indices[:width]
            statistics.is_cut |= len(kept) < len(parents)
            layer, hashes = new_layer[kept], new_hashes[kept]
            seen.add(hashes)
            history.append((parents[kept].int(), moves[kept].int()))
            statistics.num_layers += 1
            statistics.num_registered += len(kept)
            statistics.best_estimate = min(statistics.best_estimate, float(estimates[kept[0]]))
            statistics.fewest_open_goals = int((~self.goal.holds(layer)).sum(1).min())
            self.on_layer(statistics)
        return BeamResult(Status.OUT_OF_WORK, (), initial, statistics)

    def _exhausted(self, initial: float) -> BeamResult:
        status = Status.OUT_OF_WORK if self.statistics.is_cut else Status.UNSOLVABLE
        return BeamResult(status, (), initial, self.statistics)

    def _successors(
        self, layer: torch.Tensor, hashes: torch.Tensor, seen: SeenHashes
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Parents, moves and hashes of the successors that are new, each once, in the order of their hashes."""
        found: list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]] = []
        size = self.tables.chunk_size
        for begin in range(0, len(layer), size):
            self._poll()
            states = layer[begin : begin + size]
            candidates, fits = self.tables.applicable(states)
            parents, places = fits.nonzero(as_tuple=True)
            moves = candidates[parents, places]
            after = self.hash.after(hashes[begin + parents], states[parents], moves)
            self.statistics.num_generated += len(parents)
            order, is_first = first_of_equal(after)
            some = order[is_first]
            some = some[~seen.has(after[some])]
            found.append((begin + parents[some], moves[some], after[some]))
        self.statistics.num_expanded += len(layer)
        parents, moves, after = (torch.cat(parts) for parts in zip(*found, strict=True))
        order, is_first = first_of_equal(after)
        some = order[is_first]
        self._require_room(len(some))
        return parents[some], moves[some], after[some]

    def _evaluated(
        self, layer: torch.Tensor, parents: torch.Tensor, moves: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The successors, which of them are goal states, and their estimates where none is."""
        size = _MAX_ROWS_PER_EVALUATION.get(self.tables.device.type, _MAX_ROWS_ELSEWHERE)
        parts = [
            self.tables.apply(layer[p], m)
            for p, m in zip(torch.split(parents, size), torch.split(moves, size), strict=True)
        ]
        states = torch.cat(parts)
        is_goal = torch.cat([self.goal(part) for part in parts]).nonzero()[:, 0]
        if len(is_goal):
            return states, is_goal, torch.empty(0)
        estimates = []
        for part in parts:
            self._poll()
            estimates.append(self.evaluate(part))
        self.statistics.num_evaluated += len(states)
        return states, is_goal, torch.cat(estimates)

    def _plan(self, history: list[tuple[torch.Tensor, torch.Tensor]]) -> tuple[int, ...]:
        place, moves = 0, []
        for parents, taken in reversed(history):
            moves.append(int(taken[place]))
            place = int(parents[place])
        return tuple(int(self.tables.operators[move]) for move in reversed(moves))

    def _poll(self) -> None:
        wait_for(self.tables.device)
        self.budget.check()

    def _require_room(self, num_successors: int) -> None:
        if self.tables.device.type == "cpu":
            needed = num_successors * (_BYTES_PER_SUCCESSOR + 2 * len(self.tables.sizes))
            if needed > self.budget.remaining_bytes:
                raise MemoryError
