"""The pipeline: PDDL in, a checked plan out, under one time and memory budget."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sing.budget import DEFAULT_TIME_LIMIT_S, Budget, LimitReached, peak_memory_kb
from sing.configs import DEFAULT_CONFIG, Config, get_config
from sing.errors import InputError, PlanError, SingError
from sing.outcome import Status
from sing.plan import Plan, execute
from sing.search import SearchResult, SearchStatistics, search
from sing.task import Task
from sing.translate import read_task, translate


class Reporter:
    """Hears what a run is doing. This one stays silent; the command line has one that speaks."""

    def working(self, phase: str, news: str = "") -> None:
        """Called some times a second while a phase runs."""

    def done(self, phase: str, time_s: float, summary: str) -> None:
        """Called once when a phase ends."""


@dataclass(frozen=True)
class SolveResult:
    """The outcome of a run. `plan` is there exactly when `status` is SOLVED."""

    status: Status
    plan: Plan | None
    config: str
    seed: int
    times_s: dict[str, float]
    initial_estimate: int | None = None
    num_expanded: int = 0
    num_evaluated: int = 0
    num_generated: int = 0
    num_registered: int = 0
    num_samples: int = 0
    num_restarts: int = 0
    peak_memory_kb: int = field(default_factory=peak_memory_kb)

    def to_json(self) -> dict[str, Any]:
        """The object that `sing solve --json` writes; see docs/file-formats.md."""
        return {
            "status": self.status.value,
            "plan_length": None if self.plan is None else len(self.plan),
            "plan_cost": None if self.plan is None else self.plan.cost,
            "initial_estimate": self.initial_estimate,
            "expanded": self.num_expanded,
            "evaluated": self.num_evaluated,
            "generated": self.num_generated,
            "registered_states": self.num_registered,
            "peak_memory_kb": self.peak_memory_kb,
            "times_s": {phase: round(seconds, 6) for phase, seconds in self.times_s.items()},
            "num_samples": self.num_samples,
            "num_restarts": self.num_restarts,
            "config": self.config,
            "seed": self.seed,
            "version": version("sing-planner"),
        }


def solve(
    domain: str | Path,
    problem: str | Path | None = None,
    *,
    config: str | Config = DEFAULT_CONFIG,
    time_limit_s: float = DEFAULT_TIME_LIMIT_S,
    memory_limit_bytes: int | None = None,
    seed: int = 0,
    budget: Budget | None = None,
    reporter: Reporter | None = None,
) -> SolveResult:
    """Solve a PDDL problem, or a SAS file where `problem` is None.

    Translation and search share the limits; `budget` replaces the two and can be interrupted from
    outside. Raises a SingError for bad input; reaching a limit is a result, not an error.
    """
    if isinstance(config, str):
        config = get_config(config)
    if not 0 <= seed < 2**64:
        raise InputError(f"the seed is {seed}; it must be between 0 and 2^64 - 1")
    run = _Run(config, seed, budget or Budget(time_limit_s, memory_limit_bytes), reporter or Reporter())
    return run.solve(domain, problem)


def load_task(domain: str | Path, problem: str | Path | None, budget: Budget, reporter: Reporter) -> Task:
    """Translate PDDL, or read a SAS file where `problem` is None. Raises also where the task is not supported."""
    start_s = budget.elapsed_s
    reporter.working("translate")
    if problem is None:
        task = read_task(domain)
    else:
        task = translate(domain, problem, budget, on_wait=lambda: reporter.working("translate"))
    task.require_supported()
    budget.check()
    summary = (
        f"{len(task.variables)} variables, {len(task.atoms)} atoms, {task.num_operators} operators, "
        f"{len(task.goal)} goals"
    )
    reporter.done("translate", budget.elapsed_s - start_s, summary)
    return task


class _Run:
    """One call of solve(): the phases, their times, and what they found so far."""

    def __init__(self, config: Config, seed: int, budget: Budget, reporter: Reporter) -> None:
        self.config = config
        self.seed = seed
        self.budget = budget
        self.reporter = reporter
        self.times_s = {"translate": 0.0, "sample": 0.0, "train": 0.0, "search": 0.0}

    def solve(self, domain: str | Path, problem: str | Path | None) -> SolveResult:
        try:
            task = self._translate(domain, problem)
            found = self._search(task)
            plan = execute(task, found.plan) if found.status is Status.SOLVED else None
        except LimitReached as limit:
            return self._result(limit.status, None, None)
        except MemoryError:
            return self._result(Status.OUT_OF_MEMORY, None, None)
        except PlanError as error:
            raise SingError(f"the search made a plan that is wrong, please report this: {error}") from None
        return self._result(found.status, plan, found)

    def _translate(self, domain: str | Path, problem: str | Path | None) -> Task:
        start_s = self.budget.elapsed_s
        try:
            return load_task(domain, problem, self.budget, self.reporter)
        finally:
            self.times_s["translate"] = self.budget.elapsed_s - start_s

    def _search(self, task: Task) -> SearchResult:
        start_s = self.budget.elapsed_s
        self.budget.check()
        try:
            found = search(
                task,
                self.config.search,
                self.budget,
                seed=self.seed,
                on_progress=lambda statistics: self.reporter.working("search", describe(statistics)),
            )
        finally:
            self.times_s["search"] = self.budget.elapsed_s - start_s
        self.reporter.done("search", self.times_s["search"], describe(found.statistics))
        return found

    def _result(self, status: Status, plan: Plan | None, found: SearchResult | None) -> SolveResult:
        counts: dict[str, Any] = {}
        if found:
            counts = {
                "initial_estimate": found.initial_estimate,
                "num_expanded": found.statistics.num_expanded,
                "num_evaluated": found.statistics.num_evaluated,
                "num_generated": found.statistics.num_generated,
                "num_registered": found.statistics.num_registered,
            }
        times_s = {**self.times_s, "total": self.budget.elapsed_s}
        return SolveResult(status, plan, self.config.name, self.seed, times_s, **counts)


def describe(statistics: SearchStatistics) -> str:
    """One line on how a search is doing."""
    rate = statistics.num_expanded / statistics.time_s if statistics.time_s > 0 else 0.0
    best = "none" if statistics.best_estimate is None else statistics.best_estimate
    return (
        f"{statistics.num_expanded:,} expanded, {rate:,.0f}/s, {statistics.num_registered:,} states, "
        f"{statistics.memory_bytes >> 20:,} MiB, best h {best}, open goals {statistics.fewest_open_goals}"
    )
