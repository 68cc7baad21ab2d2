"""Several attempts at one task at once, in threads; the first to decide stops the others."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from sing.base.budget import Budget
from sing.base.outcome import Status
from sing.base.reporter import MemberReporter, Reporter
from sing.planners.attempt import Attempt

# The work of one of them, by its position, with a part of the budget and a reporter of its own.
Work = Callable[[int, Budget, Reporter], list[Attempt]]


def side_by_side(names: list[str], work: Work, jobs: int, budget: Budget, reporter: Reporter) -> list[Attempt]:
    """All attempts of all of them, `jobs` at a time, each with an equal share of the memory.

    The last one decides: of those that found a plan the one with the shortest. Raises what one of them raised where
    none decides.
    """
    lock = threading.Lock()
    parts = [budget.slice(budget.remaining_s, 1 / len(names)) for _ in names]
    attempts: list[Attempt] = []

    def run(position: int) -> None:
        own = work(position, parts[position], MemberReporter(reporter, names[position], lock))
        with lock:
            attempts.extend(own)
            if any(attempt.is_decisive for attempt in own):
                for part in parts:
                    part.interrupt()

    with ThreadPoolExecutor(min(jobs, len(names))) as pool:
        try:
            futures = [pool.submit(run, position) for position in range(len(names))]
            errors = [error for error in (future.exception() for future in futures) if error]
        finally:
            for part in parts:
                part.interrupt()
    attempts.sort(key=decisiveness)
    if errors and not (attempts and attempts[-1].is_decisive):
        raise errors[0]
    return attempts


def decisiveness(attempt: Attempt) -> tuple[bool, int]:
    """Grows with what an attempt decides: an answer above none, of plans the shorter one."""
    length = len(attempt.found.plan) if attempt.found and attempt.status is Status.SOLVED else 0
    return attempt.is_decisive, -length
