"""Beams of growing width: for a first plan, and for better ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sing import _core
from sing.base.budget import Budget
from sing.base.outcome import Status
from sing.base.reporter import Reporter
from sing.planners.context import Context
from sing.search.beam import BeamConfig, BeamResult, BeamStatistics, beam_search
from sing.search.search import NO_LIMIT
from sing.task.task import Task

# Makes one more heuristic like all others that it made: threads have heuristics of their own.
MakeHeuristic = Callable[[], _core.Heuristic]

# A beam is so many times as wide as the one before, where nothing says how much work is left.
GROWTH = 2
# The width of the first beam that looks for a better plan.
_FIRST_WIDTH = 256
# A beam that is to do all the work that is left is planned to do this share of it: some layers take more than others.
_PLANNED_SHARE = 0.8
_MAX_WIDTH = 1 << 40


@dataclass
class Beams:
    """Beams over one task with one heuristic. Whoever runs them chooses how wide the next one is."""

    task: Task
    make: MakeHeuristic
    config: BeamConfig
    budget: Budget
    seed: int
    jobs: int
    reporter: Reporter

    def __post_init__(self) -> None:
        self.width = self.config.width
        self._heuristics: list[_core.Heuristic] = []

    @classmethod
    def of(cls, task: Task, make: MakeHeuristic, config: BeamConfig, context: Context) -> Beams:
        return cls(task, make, config, context.budget, context.seed, context.jobs, context.reporter)

    @property
    def heuristic(self) -> _core.Heuristic:
        """One of those that it searches with."""
        return self._heuristics[0]

    def run(self, cost_limit: int | None = None, max_work: int = NO_LIMIT) -> BeamResult:
        """One beam. Raises LimitReached or MemoryError where the budget does not allow the heuristics."""
        while len(self._heuristics) < self.jobs:
            self._heuristics.append(self.make())
        start_s = self.budget.elapsed_s
        config = replace(self.config, width=self.width)
        name = f"width {self.width:,}" if self.width else "as wide as memory allows"
        name += ", novel states first" if config.novelty else ""
        self.reporter.working("beam", name)

        def tell(statistics: BeamStatistics) -> None:
            self.reporter.working("beam", f"{name}, layer {statistics.num_layers:,}, {_counts(statistics.search)}")
            self.reporter.searching(statistics.search)

        result = beam_search(
            self.task, self._heuristics, config, self.budget,
            seed=self.seed, max_work=max_work, cost_limit=cost_limit, on_progress=tell,
        )  # fmt: skip
        self.reporter.searching(result.statistics)
        narrowed = f", narrowed to {result.width:,} by memory" if result.width < self.width else ""
        time_s = self.budget.elapsed_s - start_s
        self.reporter.done("beam", time_s, f"{name}{narrowed}: {_outcome(result)}, {_counts(result.statistics)}")
        return result

    def widen(self, factor: float = GROWTH) -> None:
        self.width = min(_MAX_WIDTH, int(factor * self.width))

    def another(self, cost: int) -> tuple[int, ...] | None:
        """A plan that costs less, by the next wider beam; by one of another seed where memory allows no wider one."""
        self.widen()
        result = self.run(cost)
        if result.width < self.width:
            self.width //= GROWTH
            self.seed = (self.seed + 1) % 2**64
        return result.plan if result.status is Status.SOLVED else None


def first_plan(beams: Beams) -> BeamResult:
    """What the first beam found that is wide enough, or how the last one ended. Raises as Beams.run() does."""
    while True:
        result = beams.run()
        if not result.was_cut:
            return result
        if result.width < beams.width or not beams.width:  # a wider one would be no wider
            return replace(result, status=Status.OUT_OF_MEMORY)
        beams.widen()


def better_plan(beams: Beams, cost: int, max_work: int) -> BeamResult | None:
    """The best plan by beams with so much work together that costs less; None where there is none.

    Two narrow beams, one of them with novel states first, say how much work the problem takes and which suits it; the
    third goes on in the way of the better one, as wide as the work that is left allows. Raises as Beams.run() does.
    """
    best, work_left, work = None, max_work, 1
    chosen = beams.config
    for novelty in (chosen.novelty, not chosen.novelty):
        beams.config, beams.width = replace(beams.config, novelty=novelty), _FIRST_WIDTH
        narrow = beams.run(cost, work_left)
        work_left -= narrow.statistics.num_generated
        if narrow.status is Status.SOLVED:
            best, chosen, cost = narrow, beams.config, _cost(beams.task, narrow.plan)
        if chosen == beams.config or work == 1:
            work = max(1, narrow.statistics.num_generated)
        if not (narrow.was_cut or best) or work_left <= 0:  # everything was seen, or a limit ended it
            return best
    beams.config = chosen
    factor = _PLANNED_SHARE * work_left / work
    if factor >= GROWTH:
        beams.widen(factor)
        wide = beams.run(cost, work_left)
        best = wide if wide.status is Status.SOLVED else best
    return best


def _cost(task: Task, operators: tuple[int, ...]) -> int:
    _, _, cost = task.core.execute(list(operators))
    return cost


def _outcome(result: BeamResult) -> str:
    if result.status is Status.SOLVED:
        return f"{len(result.plan)} operators"
    if result.status is Status.UNSOLVABLE:
        return "everything seen"
    return "no plan" if result.was_cut else result.status.words


def _counts(statistics: _core.SearchStatistics) -> str:
    rate = statistics.num_expanded / statistics.time_s if statistics.time_s > 0 else 0.0
    return f"{statistics.num_expanded:,} expanded, {rate:,.0f}/s, {statistics.memory_bytes >> 20:,} MiB"
