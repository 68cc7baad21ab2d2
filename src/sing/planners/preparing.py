"""Work on a task before it is searched."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from sing import _core
from sing.base.budget import LimitReached
from sing.base.outcome import Status
from sing.planners.context import Context

T = TypeVar("T")

# It may use at most these shares of what is left; the new task stays, and searches need room beside it.
_TIME_SHARE, _MEMORY_SHARE = 0.1, 0.25


def prepared(otherwise: T, phase: str, make: Callable[[_core.Guard], tuple[T, str]], context: Context) -> T:
    """What `make` makes, which says in a few words what that is; what `otherwise` says where time or memory is too
    short for it. Raises LimitReached where the whole budget ends.
    """
    budget, reporter = context.budget, context.reporter
    start_s = budget.elapsed_s
    reporter.working(phase)
    try:
        found, summary = make(budget.slice(_TIME_SHARE * budget.remaining_s, _MEMORY_SHARE).guard())
    except (LimitReached, MemoryError) as error:
        budget.check()  # it is over, and not this share of it alone
        status = error.status if isinstance(error, LimitReached) else Status.OUT_OF_MEMORY
        found, summary = otherwise, f"nothing: {status.words}"
    reporter.done(phase, budget.elapsed_s - start_s, summary)
    return found
