"""Tasks without operators that lead to no plan."""

from __future__ import annotations

from sing.base.budget import LimitReached
from sing.base.outcome import Status
from sing.planners.context import Context
from sing.task.task import Task

PRUNE_WORK = 1_500_000_000
PRUNE_MEANING = (
    "work, some tenths of a nanosecond each, to find operators that lead to no plan, by pairs of facts that hold "
    "together on no way to the goal; 0: none"
)
# It may use at most these shares of what is left; the new task stays, and searches need room beside it.
_TIME_SHARE, _MEMORY_SHARE = 0.1, 0.25


def pruned(task: Task, max_work: int, context: Context) -> Task:
    """The task without what leads to no plan; the task itself where that is nothing, or time or memory is too short."""
    if max_work == 0:
        return task
    budget, reporter = context.budget, context.reporter
    start_s = budget.elapsed_s
    reporter.working("prune")
    try:
        found = task.pruned(max_work, budget.slice(_TIME_SHARE * budget.remaining_s, _MEMORY_SHARE).guard())
    except (LimitReached, MemoryError) as error:
        budget.check()  # it is over, and not this share of it alone
        status = error.status if isinstance(error, LimitReached) else Status.OUT_OF_MEMORY
        reporter.done("prune", budget.elapsed_s - start_s, f"nothing: {status.words}")
        return task
    if found is None:
        reporter.done("prune", budget.elapsed_s - start_s, "nothing")
        return task
    smaller, num_dead, num_conditions = found
    summary = f"{num_dead:,} of {task.num_operators:,} operators"
    if num_conditions:
        summary += f", {num_conditions:,} conditions on others"
    reporter.done("prune", budget.elapsed_s - start_s, summary)
    return smaller
