"""States as numbers of 64 bits, to find equal ones among millions."""

from __future__ import annotations

import torch

from sing.tensors.tables import MoveTables

_STATES_PER_CHUNK = 1 << 18


class StateHash:
    """A sum of one random number for each value of a state, which moves update by what they change.

    Two of a hundred million different states have the same sum with a probability of about one in two thousand; then
    one of them is taken for the other.
    """

    def __init__(self, tables: MoveTables, random: torch.Generator) -> None:
        self.tables = tables
        num_values = sum(tables.sizes)
        self.keys = torch.randint(-(2**63), 2**63 - 1, (num_values,), generator=random, device=tables.device)
        offsets = [0]
        for size in tables.sizes[:-1]:
            offsets.append(offsets[-1] + size)
        self.offsets = torch.tensor(offsets, device=tables.device)

    def of(self, states: torch.Tensor) -> torch.Tensor:
        """[states]"""
        chunks = [self.keys[chunk + self.offsets].sum(1) for chunk in torch.split(states, _STATES_PER_CHUNK)]
        return torch.cat(chunks)

    def after(self, hashes: torch.Tensor, states: torch.Tensor, moves: torch.Tensor) -> torch.Tensor:
        """Those of the states that the moves lead to, from those of the states before."""
        variables, values = self.tables.changes(states, moves)
        offsets = self.offsets[variables]
        before = states.gather(1, variables)
        return hashes + (self.keys[values + offsets] - self.keys[before + offsets]).sum(1)


class SeenHashes:
    """Numbers that were met, in a few sorted runs: each is longer than the ones after it, so that adding is cheap."""

    def __init__(self) -> None:
        self.runs: list[torch.Tensor] = []

    def __len__(self) -> int:
        return sum(map(len, self.runs))

    def add(self, numbers: torch.Tensor) -> None:
        while self.runs and len(self.runs[-1]) <= len(numbers):
            numbers = torch.cat([self.runs.pop(), numbers])
        self.runs.append(numbers.sort().values)

    def has(self, numbers: torch.Tensor) -> torch.Tensor:
        """Which of the numbers were added before."""
        found = torch.zeros(len(numbers), dtype=torch.bool, device=numbers.device)
        for run in self.runs:
            places = torch.searchsorted(run, numbers).clamp_(max=len(run) - 1)
            found |= run[places] == numbers
        return found


def first_of_equal(numbers: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The positions of the numbers in their order, and which of these positions hold the first of equal numbers."""
    ordered, positions = numbers.sort(stable=True)
    is_first = torch.ones_like(ordered, dtype=torch.bool)
    is_first[1:] = ordered[1:] != ordered[:-1]
    return positions, is_first


def least_of_equal(numbers: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """For each number the least label among those of equal numbers."""
    positions, is_first = first_of_equal(numbers)
    group = is_first.cumsum(0) - 1
    least = torch.full_like(labels, torch.inf).scatter_reduce_(0, group, labels[positions], "amin")
    return torch.empty_like(labels).scatter_(0, positions, least[group])
