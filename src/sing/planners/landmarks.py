"""Landmarks as goals of a task that is searched."""

from __future__ import annotations

from sing.base.budget import LimitReached
from sing.base.outcome import Status
from sing.planners.context import Context
from sing.task.task import Task

LANDMARKS_MEANING = (
    "landmarks, of which every plan makes one fact true at some time, are goals, too: "
    "0 none, 1 single facts, more also disjunctions of up to so many facts"
)
# Looking for them may use at most these shares of what is left; the new task stays, and searches need room beside it.
_TIME_SHARE, _MEMORY_SHARE = 0.1, 0.25


def with_landmarks(task: Task, max_facts: int, context: Context) -> Task:
    """The task with its landmarks as goals; the task itself where time or memory is too short to find them."""
    if max_facts == 0:
        return task
    budget, reporter = context.budget, context.reporter
    start_s = budget.elapsed_s
    reporter.working("landmarks")
    try:
        found = task.with_landmarks(max_facts, budget.slice(_TIME_SHARE * budget.remaining_s, _MEMORY_SHARE).guard())
        summary = f"{found.core.num_goals - task.core.num_goals:,} beside the goals"
    except (LimitReached, MemoryError) as error:
        budget.check()  # it is over, and not this share of it alone
        found = task
        status = error.status if isinstance(error, LimitReached) else Status.OUT_OF_MEMORY
        summary = f"none: {status.words}"
    reporter.done("landmarks", budget.elapsed_s - start_s, summary)
    return found
