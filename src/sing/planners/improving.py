"""The ways to a cheaper plan: each knows one, and is asked again and again with more work."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from sing import _core
from sing.base.budget import Budget, LimitReached
from sing.base.outcome import Status
from sing.base.reporter import PartReporter, Reporter
from sing.planners.beams import Beams, MakeHeuristic, better_plan
from sing.planners.context import Context
from sing.planners.pruning import PRUNE_WORK, pruned
from sing.planners.symmetries import SYMMETRY_WORK, interchangeable_objects
from sing.search.beam import BeamConfig
from sing.search.cost_search import CostSearch, CostSearchConfig
from sing.search.search import NO_LIMIT, SearchStatistics, named_heuristic
from sing.search.shortening import shorten
from sing.search.windows import WindowSearch
from sing.task.plan import execute
from sing.task.task import Task

Operators = tuple[int, ...]
# Another plan, found in this context by a search of this number; None where there is none.
FindAnother = Callable[[int, Context], Operators | None]

# A search by cost may hold this share of the memory, so that several have room.
_MEMORY_SHARE = 0.4
# Seconds for another plan: as long as the first took, at least the first number, and more each time.
_LEAST_SEARCH_S, _SEARCH_GROWTH = 1.0, 1.5


@dataclass
class Best:
    """The cheapest plan known, and what is known of cheaper ones."""

    operators: Operators
    cost: int
    lower_bound: int = 0  # every plan costs at least so much

    @property
    def is_cheapest(self) -> bool:
        return self.cost <= self.lower_bound

    def prove(self) -> None:
        """No plan is cheaper."""
        self.raise_bound(self.cost)

    def raise_bound(self, bound: int) -> None:
        """Every plan costs at least so much. The core adds up costs to 63 bits, and cannot tell those beyond apart."""
        self.lower_bound = max(self.lower_bound, min(bound, _core.INFINITE_COST - 1))


class Way(ABC):
    """One way to a cheaper plan. It may raise LimitReached, or MemoryError where it has no more room."""

    share: float  # of the work that all have in turn
    is_done = False  # it leads to nothing any more

    @abstractmethod
    def run(self, best: Best, max_work: int, context: Context) -> Operators | None:
        """A plan that may be cheaper, or None after so much work. It goes on where it ended the last time."""


def _alike(task: Task, context: Context) -> _core.InterchangeableObjects | None:
    return interchangeable_objects(task, SYMMETRY_WORK, dataclasses.replace(context, reporter=Reporter()))


class Windows(Way):
    """Plans parts of the plan anew."""

    share = 2.0

    def __init__(self, task: Task) -> None:
        self._task = task
        self._search: WindowSearch | None = None

    def run(self, best: Best, max_work: int, context: Context) -> Operators | None:
        if self._search is None:
            self._search = WindowSearch(self._task, context.seed, context.budget)
        search = self._search

        def tell(work: int, cost: int) -> None:
            steps = min(search.window_length, len(best.operators))
            context.reporter.working("windows", f"of {steps} steps")

        plan = search.improve(best.operators, context.budget, max_work, tell)
        self.is_done = search.is_exhausted
        return plan


class Neighbourhood(Way):
    """Leaves out what is not needed, and looks for ways through the states around the plan."""

    share = 0.5

    def __init__(self, task: Task) -> None:
        self._task = task

    def run(self, best: Best, max_work: int, context: Context) -> Operators | None:
        def tell(num_generated: int) -> None:
            context.reporter.working("states around the plan", f"{num_generated:,} successors")

        shorter = shorten(self._task, best.operators, context.budget, max_work, tell)
        if shorter.is_cheapest:
            best.raise_bound(execute(self._task, shorter.operators).cost)
        return shorter.operators


@dataclass(frozen=True)
class Estimator:
    """What orders a search by cost: a heuristic, and what it counts."""

    make: Callable[[Budget], _core.Heuristic]
    order: str


def estimators(task: Task, learned: _core.Heuristic | None) -> list[Estimator]:
    """By relaxed plans with costs, and by what was learned, which counts steps."""
    found = []
    for name, order in (("relaxed-plusone", "plusone"), ("relaxed-cost", "cost")):
        found.append(Estimator(partial(named_heuristic, task, name), order))
    if not task.core.uses_costs:
        found = found[1:]
    if learned is not None:
        found.insert(0, Estimator(lambda budget: learned, "steps"))
    return found


class WeightedSearches(Way):
    """Weighted A* with falling weights, each until it finds a plan or has had its share of work."""

    share = 1.0
    _WEIGHTS = (5, 3, 2, 1)
    # Each search is given up after so many turns without a plan.
    _PATIENCE = 3

    def __init__(self, task: Task, searched: Task, learned: _core.Heuristic | None) -> None:
        self._plain_task = task
        self._task = searched
        self._todo = self._searches(learned)
        self._search: CostSearch | None = None
        self._weight = 0
        self._num_turns = 0

    def _searches(self, learned: _core.Heuristic | None) -> Iterator[tuple[int, Estimator]]:
        while True:
            for weight in self._WEIGHTS:
                for estimator in estimators(self._task, learned):
                    yield weight, estimator

    def _next(self, context: Context) -> CostSearch:
        self._weight, estimator = next(self._todo)
        self._num_turns = 0
        config = CostSearchConfig("blind", self._weight, estimator.order, preferred=True, boost=1000)
        estimate = estimator.make(context.budget)
        return CostSearch(self._task, config, context.budget, estimate, _alike(self._plain_task, context))

    def run(self, best: Best, max_work: int, context: Context) -> Operators | None:
        self._search = search = self._search or self._next(context)
        self._num_turns += 1

        def tell(statistics: SearchStatistics) -> None:
            context.reporter.working(f"A* with weight {self._weight}", f"{statistics.num_expanded:,} expanded")

        budget = context.budget.slice(context.budget.remaining_s, _MEMORY_SHARE)
        result = search.run(budget, bound=best.cost, max_work=max_work, on_progress=tell)
        if result.status is Status.SOLVED:
            self._search = None  # the next weight starts anew, with the new bound
            return result.plan
        if result.status is Status.UNSOLVABLE:
            best.prove()
        elif result.status is Status.OUT_OF_MEMORY or self._num_turns >= self._PATIENCE:
            self._search = None
        return None


class BeamsBelow(Way):
    """Beams in which every state stays below the cost of the plan."""

    share = 0.5

    def __init__(self, task: Task, learned: MakeHeuristic | None) -> None:
        self._task = task
        self._learned = learned
        self._beams: Beams | None = None

    def run(self, best: Best, max_work: int, context: Context) -> Operators | None:
        if self._beams is None:
            quiet = dataclasses.replace(context, jobs=1)
            make = self._learned or partial(named_heuristic, self._task, "ff", context.budget)
            self._beams = Beams.of(self._task, make, BeamConfig(), quiet)
        self._beams.reporter, self._beams.budget = context.reporter, context.budget
        better = better_plan(self._beams, best.cost, max_work)
        return None if better is None else better.plan


class OtherPlans(Way):
    """Plans from other seeds as material: they are made cheaper as the best one was."""

    share = 1.0

    def __init__(self, task: Task, find_another: FindAnother, first_s: float) -> None:
        self._task = task
        self._find_another = find_another
        self._search_s = max(_LEAST_SEARCH_S, first_s)
        self._number = 0
        self._windows: WindowSearch | None = None

    def run(self, best: Best, max_work: int, context: Context) -> Operators | None:
        self._number += 1
        reporter = PartReporter(context.reporter, "another plan", f"try {self._number}")
        own = dataclasses.replace(context, budget=context.budget.slice(self._search_s), reporter=reporter)
        plan = self._find_another(self._number, own)
        self._search_s *= _SEARCH_GROWTH
        if plan is None:
            return None
        plan = shorten(self._task, plan, context.budget, max_work // 2).operators
        if self._windows is None:
            self._windows = WindowSearch(self._task, context.seed + self._number, context.budget)
        work, cost = max_work // 4, None
        while (now := execute(self._task, plan).cost) != cost and context.budget.remaining_s > 0:
            cost = now
            context.reporter.working("another plan", f"try {self._number}, cost {cost}")
            plan = self._windows.improve(plan, context.budget, work)
        return plan


class Proof(Way):
    """A* with the landmark-cut heuristic: it proves in the end, raises the lower bound on the way, and may find a plan.

    On large tasks it gets nowhere; its bound of the initial state still says something.
    """

    share = 0.5

    def __init__(self, task: Task) -> None:
        self._task = task
        self._search: CostSearch | None = None

    def run(self, best: Best, max_work: int, context: Context) -> Operators | None:
        if self._search is None:
            searched = pruned(self._task, PRUNE_WORK, dataclasses.replace(context, reporter=Reporter()))
            alike = _alike(self._task, context)
            self._search = CostSearch(searched, CostSearchConfig(), context.budget, interchangeable=alike)

        def tell(statistics: SearchStatistics) -> None:
            context.reporter.working("proof", f"{statistics.num_expanded:,} expanded")

        budget = context.budget.slice(context.budget.remaining_s, _MEMORY_SHARE)
        result = self._search.run(budget, bound=best.cost, max_work=max_work, on_progress=tell)
        if result.status is Status.UNSOLVABLE:
            best.prove()
        elif result.lower_bound is not None:
            best.raise_bound(result.lower_bound)
        if result.status is Status.OUT_OF_MEMORY:
            self.is_done, self._search = True, None
        return result.plan if result.status is Status.SOLVED else None


def run_way(way: Way, best: Best, work: float, context: Context) -> Operators | None:
    """What a way found; one that needs more memory than there is gets no other turn."""
    try:
        return way.run(best, int(min(way.share * work, NO_LIMIT)), context)
    except MemoryError:
        way.is_done = True
    except LimitReached:
        if context.budget.interrupted or context.budget.remaining_s <= 0:
            raise
    return None
