"""Labels from the estimates of a network one step on: value iteration on a device."""

from __future__ import annotations

from collections.abc import Callable

import torch

from sing.base.budget import Budget
from sing.tensors.device import wait_for
from sing.tensors.tables import MoveTables
from sing.tensors.walks import GoalTest


@torch.no_grad()
def lowered_labels(
    tables: MoveTables,
    goal: GoalTest,
    states: torch.Tensor,
    labels: torch.Tensor,
    estimate: Callable[[torch.Tensor], torch.Tensor],
    budget: Budget,
) -> torch.Tensor:
    """label ← min(label, 1 + the least estimate of a successor), where goal states count 0 and others at least 1.

    Goal states keep the label 0. The tables are those of the forward moves. Raises LimitReached.
    """
    lowered = []
    for some, old in zip(torch.split(states, tables.chunk_size), torch.split(labels, tables.chunk_size), strict=True):
        wait_for(tables.device)
        budget.check()
        candidates, fits = tables.applicable(some)
        parents, places = fits.nonzero(as_tuple=True)
        successors = tables.apply(some[parents], candidates[parents, places])
        costs = torch.where(goal(successors), 0.0, estimate(successors).clamp(min=1.0)) + 1
        least = old.scatter_reduce(0, parents, costs, "amin")
        lowered.append(torch.where(old == 0, old, least))
    return torch.cat(lowered)
