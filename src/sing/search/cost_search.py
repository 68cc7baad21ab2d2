"""(Weighted) A* on the costs of operators, through the core: cheaper and cheaper plans, and in the end a proof."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sing import _core
from sing.base.budget import Budget
from sing.base.knobs import check, knob
from sing.base.outcome import Status
from sing.search.search import NO_LIMIT, SearchStatistics
from sing.task.task import Task

LOWER_BOUNDS = ("lmcut", "blind")
_ORDERS = {"cost": _core.CostKind.REAL, "plusone": _core.CostKind.PLUS_ONE, "steps": _core.CostKind.UNIT}
_MOST = 2**31 - 1

_STATUS = {
    _core.SearchStatus.SOLVED: Status.SOLVED,
    _core.SearchStatus.EXHAUSTED: Status.UNSOLVABLE,
    _core.SearchStatus.OUT_OF_TIME: Status.OUT_OF_TIME,
    _core.SearchStatus.OUT_OF_MEMORY: Status.OUT_OF_MEMORY,
    _core.SearchStatus.OUT_OF_WORK: Status.OUT_OF_WORK,
    _core.SearchStatus.INTERRUPTED: Status.INTERRUPTED,
}


@dataclass(frozen=True)
class CostSearchConfig:
    """How to search by cost. As it stands here it is A* with the landmark-cut heuristic."""

    bound: str = knob(
        "lmcut",
        "the admissible heuristic that drops states: `lmcut`, or `blind`, which knows no more than the least cost",
        choices=LOWER_BOUNDS,
    )
    weight: int = knob(1, "how many times the estimate counts beside the cost of the way so far", least=0)
    order: str = knob(
        "cost",
        "what the way so far counts in the order of states: its `cost`, the same and one for each step (`plusone`), or "
        "its `steps`; plans and bounds have real costs always",
        choices=tuple(_ORDERS),
    )
    preferred: bool = knob(False, "whether preferred operators have a second queue")
    boost: int = knob(0, "turns that this queue gets ahead of the other whenever h is the least so far", least=0)

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class CostSearchResult:
    """What a call of `CostSearch.run` came to. UNSOLVABLE means that no plan is cheaper than those known before."""

    status: Status
    plan: tuple[int, ...]  # operators by position in the task; empty unless solved
    cost: int | None  # of the plan
    lower_bound: int | None  # every plan of the task costs at least so much; None: there is no plan
    initial_bound: int | None  # what the admissible heuristic says of the initial state
    statistics: SearchStatistics  # of all calls so far


class CostSearch:
    """A search that can be called again and again: each call finds a cheaper plan, or says why there is none.

    `estimate` orders the states and need not be admissible; without it the lower bound does, and with a weight of 1
    the search is A*. Of states that differ only in which of `interchangeable` objects is which, the one that is
    reached most cheaply is kept. After a limit of time or work another call goes on where this one stopped.

    Making it raises LimitReached or MemoryError at the budget's limits.
    """

    _held_bytes = 0  # by the search, so far

    def __init__(
        self, task: Task, config: CostSearchConfig, budget: Budget, estimate: _core.Heuristic | None = None,
        interchangeable: _core.InterchangeableObjects | None = None,
    ) -> None:  # fmt: skip
        self._task = task
        bound = _core.LowerBound.named(task.core, config.bound, budget.guard())
        self._search = _core.CostSearch(
            task.core,
            bound,
            estimate,
            weight=min(config.weight, _MOST),
            order=_ORDERS[config.order],
            preferred=config.preferred,
            boost=min(config.boost, _MOST),
            interchangeable=interchangeable,
        )

    def run(
        self,
        budget: Budget,
        *,
        bound: int | None = None,
        max_work: int = NO_LIMIT,
        on_progress: Callable[[SearchStatistics], object] = lambda statistics: None,
    ) -> CostSearchResult:
        """Look for a plan that costs less than `bound` and than the plans of earlier calls.

        UNSOLVABLE: there is none, so the cheapest plan known is proved cheapest. The call ends, OUT_OF_WORK, after
        about `max_work` successors, the work of heuristics counted as successors. `on_progress` is called about ten
        times a second.
        """

        def poll(statistics: SearchStatistics) -> bool:
            on_progress(statistics)
            return not budget.interrupted

        result = self._search.run(
            time_limit_s=budget.remaining_s,
            memory_limit_bytes=budget.remaining_bytes + self._held_bytes,
            max_work=max_work,
            bound=bound,
            progress=poll,
        )
        self._held_bytes = result.statistics.memory_bytes
        status, plan = _STATUS[result.status], tuple(result.plan)
        cost = self._task.core.execute(list(plan))[2] if status is Status.SOLVED else None
        statistics = result.statistics
        return CostSearchResult(status, plan, cost, statistics.lower_bound, result.initial_bound, statistics)


def cheaper_plans(
    task: Task,
    cost: int | None,
    budget: Budget,
    config: CostSearchConfig | None = None,
    interchangeable: _core.InterchangeableObjects | None = None,
    on_progress: Callable[[SearchStatistics], object] = lambda statistics: None,
) -> Iterator[CostSearchResult]:
    """Plans that cost less than `cost`, cheaper and cheaper, by A* unless `config` says otherwise.

    The last result has no plan and says how it ended. UNSOLVABLE: no plan is cheaper than the last one, or where there
    was none than `cost`. Its `lower_bound` holds in any case. Raises LimitReached or MemoryError where a limit comes
    before the search.
    """
    search = CostSearch(task, config or CostSearchConfig(), budget, interchangeable=interchangeable)
    while True:
        result = search.run(budget, bound=cost, on_progress=on_progress)
        yield result
        if result.status is not Status.SOLVED:
            return
