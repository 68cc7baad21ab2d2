"""Cheaper plans from a plan, window by window, through the core."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sing import _core
from sing.base.budget import Budget
from sing.task.task import Task


class WindowSearch:
    """Plans parts of a plan anew, longer ones and with more work whenever shorter ones no longer help.

    It goes on where the last call ended, also with another plan, and the same seed gives the same plans where time does
    not end a call. Making it raises LimitReached or MemoryError at the budget's limits.
    """

    def __init__(self, task: Task, seed: int, budget: Budget) -> None:
        self._improver = _core.PlanImprover(task.core, seed, budget.guard())

    @property
    def window_length(self) -> int:
        """Steps of the windows that are planned anew at present."""
        return self._improver.window_length

    @property
    def work(self) -> int:
        """What all calls have done, in units of a successor."""
        return self._improver.work

    @property
    def is_exhausted(self) -> bool:
        """Whether more work promises nothing."""
        return self._improver.is_exhausted

    def improve(
        self,
        plan: Sequence[int],
        budget: Budget,
        max_work: int,
        on_progress: Callable[[int, int], object] = lambda work, cost: None,
    ) -> tuple[int, ...]:
        """A plan that never costs more: a cheaper one as soon as there is one, else after about `max_work` successors.

        Plans are operators by position in the task. `on_progress` is called about ten times a second with the work so
        far and the cost at present.
        """

        def poll(work: int, cost: int) -> bool:
            on_progress(work, cost)
            return not budget.interrupted

        return tuple(
            self._improver.improve(list(plan), time_limit_s=budget.remaining_s, max_work=max_work, progress=poll)
        )
