"""One search of a run, with what was learned before it and how its plan was made shorter."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from sing import _core
from sing.base.budget import Budget, LimitReached
from sing.base.outcome import Status
from sing.networks.training import TrainingResult
from sing.planners.beams import Beams, MakeHeuristic, better_plan, first_plan
from sing.planners.context import Context
from sing.search.beam import BeamConfig
from sing.search.search import NO_LIMIT, SearchConfig, SearchResult, SearchStatistics, search
from sing.search.shortening import shorten
from sing.search.windows import WindowSearch
from sing.task.task import Task

# Work (successors generated) for shorter plans, at the least: a tenth of a second on most tasks. Time only guards it,
# so that a seed gives one plan on any machine.
_LEAST_SHORTENING, _LEAST_SHORTENING_S = 300_000, 3.0
_LEAST_WINDOWS_S = 3.0
# Beams that look for a better plan may use this share of the time that is left.
_IMPROVE_SHARE = 0.1
IMPROVE_MEANING = (
    "successors for beams that look for a better plan than the first, in at most a tenth of the time left, and where "
    "they find none for windows; 0: none"
)


@dataclass
class Attempt:
    """The result of one search, as counts that can be summed over several."""

    name: str
    status: Status = Status.OUT_OF_TIME
    found: SearchResult | None = None
    plan: tuple[int, ...] = ()  # operators by position in the task; empty unless solved
    heuristic: _core.Heuristic | None = None  # what it searched with, where it is solved
    task: Task | None = None  # what it searched, where it is solved: perhaps with landmarks as goals
    lower_bound: int | None = None  # every plan of the task costs at least so much, where that is known
    beams: Beams | None = None  # that may go on to look for better plans
    is_learned: bool = False  # the heuristic, and it was learned
    is_restart: bool = False  # another attempt of the same planner came before it
    num_samples: int = 0
    num_epochs: int = 0
    num_reseeds: int = 0
    validation_error: float | None = None
    num_iterations: int = 0  # of value iteration
    sample_time_s: float = 0.0
    train_time_s: float = 0.0
    search_time_s: float = 0.0
    shorten_time_s: float = 0.0
    improve_time_s: float = 0.0

    def note_training(self, training: TrainingResult) -> None:
        """Copies the counts of `training` into this attempt."""
        self.num_epochs, self.num_reseeds = len(training.losses), training.num_reseeds
        self.validation_error = training.validation_error

    @property
    def learned_heuristic(self) -> _core.Heuristic | None:
        """What was learned to estimate steps, where it found the plan."""
        return self.heuristic if self.is_learned else None

    @property
    def is_decisive(self) -> bool:
        return self.status in (Status.SOLVED, Status.UNSOLVABLE)

    def search(
        self,
        task: Task,
        heuristic: _core.Heuristic,
        config: SearchConfig,
        context: Context,
        *,
        max_work: int = NO_LIMIT,
        max_links: int = 0,
        interchangeable: _core.InterchangeableObjects | None = None,
    ) -> _core.Search | None:
        """Search, and return what the search has seen where links were to be kept. Raises LimitReached."""
        budget, reporter = context.budget, context.reporter
        start_s = budget.elapsed_s
        reporter.working("search")

        def tell(statistics: SearchStatistics) -> None:
            reporter.working("search", describe(statistics))
            reporter.searching(statistics)

        try:
            found = search(
                task,
                heuristic,
                config,
                budget,
                seed=context.seed,
                max_work=max_work,
                max_links=max_links,
                interchangeable=interchangeable,
                on_progress=tell,
            )
        finally:
            time_s = budget.elapsed_s - start_s
            self.search_time_s += time_s
        self.status, self.plan = found.status, found.plan
        self.found = dataclasses.replace(found, seen=None)
        if self.status is Status.SOLVED:  # a network for every round would fill the memory
            self.heuristic, self.task = heuristic, task
        reporter.searching(found.statistics)
        reporter.done("search", time_s, describe(found.statistics))
        return found.seen

    def search_with_beams(self, task: Task, make: MakeHeuristic, config: BeamConfig, context: Context) -> None:
        """Search with beams that grow until one finds a plan. Raises LimitReached or MemoryError."""
        self.beams = beams = Beams.of(task, make, config, context)
        start_s = context.budget.elapsed_s
        try:
            self.found = first_plan(beams)
        finally:
            self.search_time_s += context.budget.elapsed_s - start_s
        self.status, self.plan = self.found.status, self.found.plan
        if self.status is Status.SOLVED:
            self.heuristic, self.task = beams.heuristic, task

    def improve(self, task: Task, make: MakeHeuristic, config: BeamConfig, max_work: int, context: Context) -> None:
        """Look for a plan that costs less with beams, where there is a plan; where they find none, with windows."""
        if self.status is not Status.SOLVED or max_work == 0:
            return
        start_s = context.budget.elapsed_s
        self.beams = Beams.of(task, make, config, context)
        self.beams.budget = context.budget.slice(_IMPROVE_SHARE * context.budget.remaining_s)
        better = None
        with suppress(LimitReached, MemoryError):
            better = better_plan(self.beams, _cost(task, self.plan), max_work)
        self.beams.budget = context.budget
        self.improve_time_s = context.budget.elapsed_s - start_s
        if better is None:
            self.improve_windows(task, 0.0, max_work, context)
        else:
            self.plan = better.plan

    def shorten(self, task: Task, share: float, context: Context) -> None:
        """Make the plan shorter, for a share of the search's work and of the time so far, but never next to nothing."""
        if self.found is None or self.status is not Status.SOLVED or share <= 0:
            return
        budget = context.budget
        start_s = budget.elapsed_s
        context.reporter.working("shorten")
        max_generated = max(_LEAST_SHORTENING, int(min(share * self.found.statistics.num_generated, NO_LIMIT)))
        time = budget.slice(max(_LEAST_SHORTENING_S, share * budget.elapsed_s))

        def tell(num_generated: int) -> None:
            context.reporter.working("shorten", f"{len(self.plan)} operators, {num_generated:,} successors")

        try:
            shorter = shorten(task, self.plan, time, max_generated, tell).operators
        except MemoryError:  # the plan found so far is kept
            shorter = self.plan
        summary = f"{len(self.plan)} operators, then "
        self.plan = shorter
        self.shorten_time_s = budget.elapsed_s - start_s
        context.reporter.done("shorten", self.shorten_time_s, f"{summary}{len(self.plan)}")

    def improve_windows(self, task: Task, share: float, least_work: int, context: Context) -> None:
        """Plan parts of the plan anew with a share of the search's work, and with `least_work` at the least.

        Time guards it: the same share of the time so far, but never next to nothing.
        """
        if self.found is None or self.status is not Status.SOLVED or not (share or least_work):
            return
        budget, before = context.budget, len(self.plan)
        start_s = budget.elapsed_s
        work = max(least_work, int(min(share * self.found.statistics.num_generated, NO_LIMIT)))
        time = budget.slice(max(_LEAST_WINDOWS_S, share * budget.elapsed_s))
        with suppress(LimitReached, MemoryError):
            search = WindowSearch(task, context.seed, time)
            while work > 0 and time.remaining_s > 0 and not (budget.interrupted or search.is_exhausted):
                done = self._replan_window(task, search, work, time, context)
                if not done:  # the plan costs nothing
                    break
                work -= done
        self.improve_time_s += budget.elapsed_s - start_s
        summary = f"{before} operators, then {len(self.plan)}, cost {_cost(task, self.plan)}"
        context.reporter.done("improve", budget.elapsed_s - start_s, summary)

    def _replan_window(self, task: Task, search: WindowSearch, max_work: int, time: Budget, context: Context) -> int:
        """The work it took: all that it may do, or less where there is a cheaper plan."""

        def tell(work: int, cost: int) -> None:
            context.reporter.working("improve", f"cost {cost}, windows of {search.window_length} steps")

        before = search.work
        self.plan = search.improve(self.plan, time, max_work, tell)
        return search.work - before


def _cost(task: Task, operators: Sequence[int]) -> int:
    _, _, cost = task.core.execute(list(operators))
    return cost


def describe(statistics: SearchStatistics) -> str:
    """One line on how a search is doing."""
    rate = statistics.num_expanded / statistics.time_s if statistics.time_s > 0 else 0.0
    best = "none" if statistics.best_estimate is None else statistics.best_estimate
    return (
        f"{statistics.num_expanded:,} expanded, {rate:,.0f}/s, {statistics.num_registered:,} states, "
        f"{statistics.memory_bytes >> 20:,} MiB, best h {best}, open goals {statistics.fewest_open_goals}"
    )
