"""Several runs at one task at once, in threads; the first to decide stops the others."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable

from sing.base.outcome import Status
from sing.base.reporter import MemberReporter
from sing.planners.attempt import Attempt
from sing.planners.context import Context
from sing.task.task import Task

# What one of them does, by its position, with a part of the budget and a reporter of its own.
Run = Callable[[int, Context], list[Attempt]]


def side_by_side(task: Task, names: list[str], run: Run, context: Context) -> list[Attempt]:
    """All attempts of all runs, `context.jobs` at a time, each with an equal share of the memory.

    The last attempt decides: of those that found a plan the one with the cheapest. Raises what one of the runs raised
    where none decides.
    """
    from concurrent.futures import ThreadPoolExecutor  # which runs with one job need not wait for

    lock = threading.Lock()
    budget = context.budget
    parts = [budget.slice(budget.remaining_s, 1 / len(names)) for _ in names]
    attempts: list[Attempt] = []

    def work(position: int) -> None:
        reporter = MemberReporter(context.reporter, names[position], lock)
        own = run(position, dataclasses.replace(context, budget=parts[position], reporter=reporter, jobs=1))
        with lock:
            attempts.extend(own)
            if any(attempt.is_decisive for attempt in own):
                for part in parts:
                    part.interrupt()

    with ThreadPoolExecutor(min(context.jobs, len(names))) as pool:
        try:
            futures = [pool.submit(work, position) for position in range(len(names))]
            errors = [error for error in (future.exception() for future in futures) if error]
        finally:
            for part in parts:
                part.interrupt()
    attempts.sort(key=lambda attempt: decisiveness(task, attempt))
    if errors and not (attempts and attempts[-1].is_decisive):
        raise errors[0]
    return attempts


def decisiveness(task: Task, attempt: Attempt) -> tuple[bool, int, int]:
    """Ranks attempts: decisive ones above others, cheaper plans above dearer ones, and then shorter ones first."""
    if attempt.status is not Status.SOLVED:
        return attempt.is_decisive, 0, 0
    _, _, cost = task.core.execute(list(attempt.plan))
    return True, -cost, -len(attempt.plan)
