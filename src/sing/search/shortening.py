"""Cheaper plans from a plan, through the core."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from sing import _core
from sing.base.budget import Budget
from sing.task.task import Task


class ShorterPlan(NamedTuple):
    operators: tuple[int, ...]  # by position in the task
    is_cheapest: bool  # every reachable state was explored, so no plan costs less


def shorten(
    task: Task,
    plan: Sequence[int],
    budget: Budget,
    max_generated: int,
    on_progress: Callable[[int], object] = lambda num_generated: None,
) -> ShorterPlan:
    """A plan that never costs more, nor the same with more operators, from at most `max_generated` successors.

    Operators that others do not need are left out, and cheaper ways are looked for in a growing neighbourhood of the
    plan's states. Where the budget does not end it, one plan gives the same shorter one every time. `on_progress` is
    called about ten times a second with the number of successors so far.
    """

    def poll(num_generated: int) -> bool:
        on_progress(num_generated)
        return not budget.interrupted

    operators, is_cheapest = _core.shorten_plan(
        task.core,
        list(plan),
        time_limit_s=budget.remaining_s,
        memory_limit_bytes=budget.remaining_bytes,
        max_generated=max_generated,
        progress=poll,
    )
    return ShorterPlan(tuple(operators), is_cheapest)
