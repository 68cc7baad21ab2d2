"""Plans as they come, from a run in a thread of its own."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable, Generator
from queue import SimpleQueue

from sing.base.budget import Budget
from sing.planners.anytime import OnPlan
from sing.run.results import SolveResult
from sing.task.plan import Plan

# A call of solve() with this budget, which tells of each plan.
Run = Callable[[OnPlan], SolveResult]


def stream(run: Run, budget: Budget) -> Generator[Plan | SolveResult, None, None]:
    """Each plan as the run tells of it, then its result. Raises what the run raises.

    The run starts with the first item asked for, and closing the generator ends it.
    """
    news: SimpleQueue[Plan | SolveResult | BaseException] = SimpleQueue()

    def work() -> None:
        try:
            news.put(run(news.put))
        except BaseException as error:
            news.put(error)

    # At its end Python waits for threads before it closes generators. It does not wait for daemons; this one is ended
    # then by ourselves, since it must not be inside the core when Python goes.
    thread = threading.Thread(target=work, name="sing", daemon=True)

    def stop() -> None:
        budget.interrupt()
        thread.join()

    thread.start()
    atexit.register(stop)
    try:
        while True:
            item = news.get()
            if isinstance(item, BaseException):
                raise item
            yield item
            if isinstance(item, SolveResult):
                return
    finally:
        stop()
        atexit.unregister(stop)
