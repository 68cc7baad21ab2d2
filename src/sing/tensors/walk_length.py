"""How long backward walks should be, from the task alone."""

from __future__ import annotations

import torch

from sing.base.budget import Budget
from sing.tensors.walks import Walks

# Walks that are looked at, their steps at first, and at most.
_NUM_PROBES, _FIRST_LENGTH, _MAX_LENGTH = 256, 64, 4096


def walk_length(walks: Walks, changes: float, random: torch.Generator, budget: Budget) -> int:
    """The steps after which a variable has changed so many times, in the mean over walks and in the median over the
    variables that change at all.

    A puzzle is mixed up when its pieces have been moved several times each, whatever one move does: a turn of Rubik's
    cube moves 8 of its 20 pieces, a step in the 24-puzzle one of its 24 tiles. Raises LimitReached.
    """
    length = _FIRST_LENGTH
    while True:
        states = walks.run(_NUM_PROBES, length, random, budget).states
        counts = (states[1:] != states[:-1]).float().mean(1).cumsum(0)  # [steps, variables]
        changing = counts[:, counts[-1] > 0]
        if not changing.shape[1]:
            return 1
        is_enough = changing.median(1).values >= changes
        if bool(is_enough[-1]):
            return int(is_enough.int().argmax()) + 1
        if length >= _MAX_LENGTH:
            return length
        length *= 2
