"""Moves as tables on a device: which apply to many states at once, and what they lead to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain, islice

import numpy as np
import torch

from sing.base.budget import Budget
from sing.tensors.moves import Move

# Instead of a value in a precondition: any value will do; no value will, because there is no such move.
_ANY, _NEVER = -1, -2
# Numbers that one step on a batch of states makes on the way: what a CPU's cache and a GPU's memory like.
_NUMBERS_PER_CHUNK = {"cpu": 1 << 20}
_NUMBERS_PER_CHUNK_ELSEWHERE = 1 << 26
_BYTES_PER_NUMBER = 8
_PER_POLL = 1024


class MoveTables:
    """States are integers [states, variables]; moves are numbered as given, and one more changes nothing and never
    applies, to fill rows that are shorter than others.

    One variable, the key, divides the moves: for each of its values there is a list of candidates, those moves that
    need this value or none. So a state is compared with a few moves and not with all.
    """

    def __init__(self, moves: Sequence[Move], sizes: tuple[int, ...], device: torch.device, budget: Budget) -> None:
        self.num_moves = len(moves)
        self.sizes = sizes
        self.device = device
        self.dtype = torch.int8 if max(sizes, default=1) <= 127 else torch.int16
        self.key = _choose_key(moves, sizes)
        width = max((sum(v != self.key for v, _ in move.preconditions) for move in moves), default=0)
        num_effects = max((len(move.effects) for move in moves), default=0)
        by_value = _candidates(moves, self.key, sizes)
        self.num_candidates = max(1, *map(len, by_value))
        most = max(sizes, default=1)
        maps = {tuple(range(most)): 0}
        num_numbers = (self.num_moves + 1) * (2 * num_effects + 1) + len(by_value) * self.num_candidates * (
            2 * width + 1
        )
        _require_room(num_numbers, budget)

        effect_variables = np.zeros((self.num_moves + 1, max(1, num_effects)), dtype=np.int64)
        effect_maps = np.zeros_like(effect_variables)
        operators = np.full(self.num_moves + 1, -1, dtype=np.int64)
        for position, move in enumerate(moves):
            if position % _PER_POLL == 0:
                budget.check_memory()
                _require_room(len(maps) * most, budget)
            operators[position] = move.operator
            # A scatter of two values to one place is not determined: rows are filled with variables of their own.
            used = {variable for variable, _ in move.effects}
            free = (variable for variable in range(len(sizes)) if variable not in used)
            effect_variables[position] = list(
                islice(chain((variable for variable, _ in move.effects), free), effect_variables.shape[1])
            )
            for place, (_, by_old) in enumerate(move.effects):
                full = (*by_old, *range(len(by_old), most))
                effect_maps[position, place] = maps.setdefault(full, len(maps))
        effect_variables[self.num_moves] = np.arange(effect_variables.shape[1])
        self.operators = torch.from_numpy(operators).to(device)
        self.effect_variables = torch.from_numpy(effect_variables).to(device)
        self.effect_maps = torch.from_numpy(effect_maps * most).to(device)
        self.maps = torch.tensor(list(maps), dtype=self.dtype, device=device).reshape(-1)
        self._make_candidates(moves, by_value, width)

    def _make_candidates(self, moves: Sequence[Move], by_value: list[list[int]], width: int) -> None:
        shape = (len(by_value), self.num_candidates)
        candidates = np.full(shape, self.num_moves, dtype=np.int64)
        variables = np.zeros((*shape, max(1, width)), dtype=np.int64)
        values = np.full((*shape, max(1, width)), _ANY, dtype=np.int16)
        for value, positions in enumerate(by_value):
            values[value, len(positions) :, 0] = _NEVER
            candidates[value, : len(positions)] = positions
            for place, position in enumerate(positions):
                others = [fact for fact in moves[position].preconditions if fact.variable != self.key]
                for number, fact in enumerate(others):
                    variables[value, place, number], values[value, place, number] = fact
        self.candidates = torch.from_numpy(candidates).to(self.device)
        self.needed_variables = torch.from_numpy(variables).to(self.device)
        self.needed_values = torch.from_numpy(values).to(self.device, self.dtype)
        self.is_always_needed = not bool((values == _ANY).any())

    def states(self, states: Sequence[tuple[int, ...]]) -> torch.Tensor:
        return torch.tensor(states, dtype=self.dtype, device=self.device).reshape(-1, len(self.sizes))

    @property
    def chunk_size(self) -> int:
        """How many states applicable() had better look at in one call."""
        numbers = _NUMBERS_PER_CHUNK.get(self.device.type, _NUMBERS_PER_CHUNK_ELSEWHERE)
        return max(1, numbers // (self.num_candidates * self.needed_variables.shape[2] + len(self.sizes)))

    def applicable(self, states: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Candidates [states, candidates], and which of them apply."""
        keys = states[:, self.key].long()
        variables = self.needed_variables[keys]
        found = states.gather(1, variables.flatten(1)).view_as(variables)
        wanted = self.needed_values[keys]
        fits = found == wanted
        if not self.is_always_needed:
            fits |= wanted == _ANY
        return self.candidates[keys], fits.all(2)

    def apply(self, states: torch.Tensor, moves: torch.Tensor) -> torch.Tensor:
        """The states that the moves [states] lead to; they are not asked whether they apply."""
        variables, values = self.changes(states, moves)
        return states.scatter(1, variables, values)

    def changes(self, states: torch.Tensor, moves: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Variables and their values after the moves, [states, effects]; in a row each variable stands once."""
        variables = self.effect_variables[moves]
        values = states.gather(1, variables).long()
        return variables, self.maps[values + self.effect_maps[moves]]


def _require_room(num_numbers: int, budget: Budget) -> None:
    if num_numbers * _BYTES_PER_NUMBER > budget.remaining_bytes:
        raise MemoryError("the task's operators do not fit the memory limit")


def _choose_key(moves: Sequence[Move], sizes: tuple[int, ...]) -> int:
    """The variable that leaves the fewest candidates for its worst value."""
    needing = Counter(fact for move in moves for fact in move.preconditions)
    having = Counter(fact.variable for move in moves for fact in move.preconditions)
    worst: Counter[int] = Counter()
    for (variable, _), count in needing.items():
        worst[variable] = max(worst[variable], count)
    return min(range(len(sizes)), key=lambda variable: len(moves) - having[variable] + worst[variable])


def _candidates(moves: Sequence[Move], key: int, sizes: tuple[int, ...]) -> list[list[int]]:
    """By value of the key: the moves that may apply, in their order."""
    by_value: list[list[int]] = [[] for _ in range(sizes[key])]
    for position, move in enumerate(moves):
        needed = dict(move.preconditions).get(key)
        for value in range(sizes[key]) if needed is None else (needed,):
            by_value[value].append(position)
    return by_value
