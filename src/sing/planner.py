"""The pipeline: PDDL in, a checked plan or a model out, under one time and memory budget."""

from __future__ import annotations

import dataclasses
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from sing.budget import DEFAULT_TIME_LIMIT_S, Budget, LimitReached
from sing.configs import (
    DEFAULT_CONFIG,
    DEFAULT_LEARNING_CONFIG,
    Config,
    Portfolio,
    get_config,
    get_learning_config,
)
from sing.errors import InputError, NothingLearnedError, PlanError, SingError
from sing.learning import Learned, learn_model
from sing.model import Model
from sing.outcome import Status
from sing.plan import Plan, execute
from sing.reporter import MemberReporter, Reporter
from sing.results import LearnResult, SolveResult
from sing.search import NETWORK, SearchConfig, SearchResult, SearchStatistics, search
from sing.shortening import shorten
from sing.task import Task
from sing.translate import is_emptied, read_task, translate

# Serves where nothing could be learned.
FALLBACK_HEURISTIC = "goalcount"
# Work (successors generated) and time for shorter plans, at the least: a tenth of a second on most tasks.
_LEAST_SHORTENING, _LEAST_SHORTENING_S = 300_000, 0.3


def solve(
    domain: str | Path,
    problem: str | Path | None = None,
    *,
    config: str | Config | Portfolio | None = None,
    model: Model | str | Path | None = None,
    force: bool = False,
    time_limit_s: float = DEFAULT_TIME_LIMIT_S,
    memory_limit_bytes: int | None = None,
    seed: int = 0,
    jobs: int = 1,
    budget: Budget | None = None,
    reporter: Reporter | None = None,
) -> SolveResult:
    """Solve a PDDL problem, or a SAS file where `problem` is None.

    `config` is DEFAULT_CONFIG unless given. With a `model` nothing is learned: it is the heuristic, in the way `config`
    searches, or unless given in the way the model was learned for; `force` uses it also on a task of another search
    space. Translation, sampling, training and search share the limits; `budget` replaces the two and can be interrupted
    from outside. `jobs` threads sample, and members of a portfolio run side by side.
    Raises a SingError for bad input; reaching a limit is a result, not an error.
    """
    budget = budget or Budget(time_limit_s, memory_limit_bytes)
    if isinstance(config, str):
        config = get_config(config)
    if model is not None:
        model = model if isinstance(model, Model) else Model.load(model, max_bytes=budget.memory_limit_bytes // 4)
        config = config_for_model(model, config)
    elif config is None:
        config = get_config(DEFAULT_CONFIG)
    elif isinstance(config, Config) and config.search.heuristic == NETWORK and config.learning is None:
        raise InputError(f"configuration '{config.name}' needs a model, and there is none")
    _check(seed, jobs)
    return _Run(config, model, force, seed, jobs, budget, reporter or Reporter()).solve(domain, problem)


def learn(
    domain: str | Path,
    problem: str | Path | None = None,
    *,
    config: str | Config = DEFAULT_LEARNING_CONFIG,
    time_limit_s: float = DEFAULT_TIME_LIMIT_S,
    memory_limit_bytes: int | None = None,
    seed: int = 0,
    jobs: int = 1,
    budget: Budget | None = None,
    reporter: Reporter | None = None,
) -> LearnResult:
    """Learn a heuristic for the search space of a problem; parameters as in solve().

    Time that ends the training leaves the best network so far. Raises a SingError for bad input or where there is
    nothing to learn from.
    """
    budget = budget or Budget(time_limit_s, memory_limit_bytes)
    reporter = reporter or Reporter()
    if isinstance(config, str):
        config = get_learning_config(config)
    _check(seed, jobs)
    times_s = {"translate": 0.0, "sample": 0.0, "train": 0.0}
    status, learned = None, None
    try:
        task = load_task(domain, problem, budget, reporter)
        times_s["translate"] = budget.elapsed_s
        learned = learn_model(
            task, config, seed=seed, jobs=jobs, budget=budget, reporter=reporter,
            search_follows=False,
        )  # fmt: skip
        times_s["sample"], times_s["train"] = learned.sample_time_s, learned.train_time_s
    except LimitReached as limit:
        status = limit.status
    except MemoryError:
        status = Status.OUT_OF_MEMORY
    return LearnResult(status, learned, {**times_s, "total": budget.elapsed_s})


def _check(seed: int, jobs: int) -> None:
    if not 0 <= seed < 2**64:
        raise InputError(f"the seed is {seed}; it must be between 0 and 2^64 - 1")
    if jobs < 1:
        raise InputError(f"the number of jobs is {jobs}; it must be at least 1")


def config_for_model(model: Model, config: Config | Portfolio | None = None) -> Config:
    """The configuration that searches with a model instead of learning one. Raises InputError for one that cannot."""
    if config is None:
        search, shorten_share = _search_of(model)
        return Config("model", "", search, shorten_share=shorten_share)
    if isinstance(config, Portfolio) or config.search.heuristic != NETWORK:
        raise InputError(f"configuration '{config.name}' does not search with one learned heuristic")
    return config


def _search_of(model: Model) -> tuple[SearchConfig, float]:
    """How the model's configuration searches, and its share for shorter plans; plain where the file does not say."""
    told = model.config.get("search", {})
    try:
        config = Config("", "", SearchConfig(NETWORK, tuple(told["queues"]), told["ties"]))
        config = config.override(shorten_share=float(told.get("shorten_share", 0)))
    except (KeyError, TypeError, ValueError, InputError):
        return SearchConfig(NETWORK), 0.0
    return config.search, config.shorten_share


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


@dataclass
class _Attempt:
    """What one configuration did on the task."""

    name: str
    status: Status = Status.OUT_OF_TIME
    learned: Learned | None = None
    found: SearchResult | None = None
    search_time_s: float = 0.0
    shorten_time_s: float = 0.0


class _Run:
    """One call of solve(): translation, then one attempt after the other or side by side."""

    def __init__(
        self,
        config: Config | Portfolio,
        model: Model | None,
        force: bool,
        seed: int,
        jobs: int,
        budget: Budget,
        reporter: Reporter,
    ) -> None:
        self.config = config
        self.model = model
        self.force = force
        self.seed = seed
        self.jobs = jobs
        self.budget = budget
        self.reporter = reporter
        self.translate_time_s = 0.0

    def solve(self, domain: str | Path, problem: str | Path | None) -> SolveResult:
        try:
            task = self._translate(domain, problem)
            if isinstance(self.config, Config):
                attempts = [self._attempt(task, self.config, self.budget, self.reporter, self.jobs)]
            elif self.jobs == 1:
                attempts = self._take_turns(task, self.config.members)
            else:
                attempts = self._side_by_side(task, self.config.members)
        except LimitReached as limit:
            return self._result(limit.status, None, [])
        except MemoryError:
            return self._result(Status.OUT_OF_MEMORY, None, [])
        last = attempts[-1]
        if last.status is not Status.SOLVED or last.found is None:
            return self._result(last.status, None, attempts)
        try:
            plan = execute(task, last.found.plan)
        except PlanError as error:
            raise SingError(f"the search made a plan that is wrong, please report this: {error}") from None
        return self._result(Status.SOLVED, plan, attempts)

    def _translate(self, domain: str | Path, problem: str | Path | None) -> Task:
        start_s = self.budget.elapsed_s
        try:
            return load_task(domain, problem, self.budget, self.reporter)
        finally:
            self.translate_time_s = self.budget.elapsed_s - start_s

    def _take_turns(self, task: Task, members: tuple[Config, ...]) -> list[_Attempt]:
        """Each member gets an equal share of the time that those before it left over. The decisive attempt is last."""
        attempts = []
        for position, member in enumerate(members):
            part = self.budget.slice(self.budget.remaining_s / (len(members) - position))
            reporter = MemberReporter(self.reporter, member.name, threading.Lock())
            attempts.append(self._attempt(task, member, part, reporter, self.jobs))
            if attempts[-1].status in (Status.SOLVED, Status.UNSOLVABLE, Status.INTERRUPTED):
                break
        return attempts

    def _side_by_side(self, task: Task, members: tuple[Config, ...]) -> list[_Attempt]:
        """All members at once, in threads; the first to decide stops the others. The decisive attempt is last."""
        lock = threading.Lock()
        parts = [self.budget.slice(self.budget.remaining_s, 1 / len(members)) for _ in members]
        order: list[_Attempt] = []

        def work(member: Config, part: Budget) -> None:
            reporter = MemberReporter(self.reporter, member.name, lock)
            attempt = self._attempt(task, member, part, reporter, max(1, self.jobs // len(members)))
            with lock:
                order.append(attempt)
                if attempt.status in (Status.SOLVED, Status.UNSOLVABLE):
                    for other in parts:
                        other.interrupt()

        with ThreadPoolExecutor(min(self.jobs, len(members))) as pool:
            try:
                for future in [pool.submit(work, member, part) for member, part in zip(members, parts, strict=True)]:
                    future.result()
            finally:
                for part in parts:
                    part.interrupt()
        order.sort(key=lambda attempt: attempt.status in (Status.SOLVED, Status.UNSOLVABLE))
        return order

    def _attempt(self, task: Task, config: Config, budget: Budget, reporter: Reporter, jobs: int) -> _Attempt:
        """Learn where there is something to learn, then search. A limit that is reached is the attempt's status."""
        attempt = _Attempt(config.name)
        try:
            model = self.model
            if is_emptied(task):  # the goal is static: nothing is left to learn or to estimate
                model = None
            elif config.learning is not None and model is None:
                attempt.learned = self._learn(task, config, budget, reporter, jobs)
                model = attempt.learned.model if attempt.learned else None
            self._search(task, config, model, budget, reporter, attempt)
        except LimitReached as limit:
            attempt.status = limit.status
        except MemoryError:
            attempt.status = Status.OUT_OF_MEMORY
        return attempt

    def _learn(self, task: Task, config: Config, budget: Budget, reporter: Reporter, jobs: int) -> Learned | None:
        """None where nothing could be learned."""
        try:
            return learn_model(
                task, config, seed=self.seed, jobs=jobs, budget=budget, reporter=reporter,
                search_follows=True,
            )  # fmt: skip
        except NothingLearnedError as error:
            reporter.done("learn", 0.0, f"{error}; searching with {FALLBACK_HEURISTIC} instead")
            return None

    def _search(
        self, task: Task, config: Config, model: Model | None, budget: Budget, reporter: Reporter, attempt: _Attempt
    ) -> None:
        start_s = budget.elapsed_s
        reporter.working("search")
        search_config = config.search
        if search_config.heuristic == NETWORK and model is None:
            search_config = dataclasses.replace(search_config, heuristic=FALLBACK_HEURISTIC)
        try:
            attempt.found = search(
                task,
                search_config,
                budget,
                heuristic=model.heuristic(task, self.force) if model else None,
                seed=self.seed,
                on_progress=lambda statistics: reporter.working("search", describe(statistics)),
            )
        finally:
            attempt.search_time_s = budget.elapsed_s - start_s
        attempt.status = attempt.found.status
        reporter.done("search", attempt.search_time_s, describe(attempt.found.statistics))
        if attempt.status is Status.SOLVED and config.shorten_share > 0:
            self._shorten(task, config.shorten_share, budget, reporter, attempt)

    def _shorten(self, task: Task, share: float, budget: Budget, reporter: Reporter, attempt: _Attempt) -> None:
        """A share of the search's work, and of the time in all, but never so little that nothing comes of it."""
        assert attempt.found is not None
        start_s = budget.elapsed_s
        reporter.working("shorten")
        max_generated = max(_LEAST_SHORTENING, int(share * attempt.found.statistics.num_generated))
        part = budget.slice(max(_LEAST_SHORTENING_S, share * budget.elapsed_s))
        before = attempt.found.plan
        plan = shorten(task, before, part, max_generated)
        attempt.found = dataclasses.replace(attempt.found, plan=plan)
        attempt.shorten_time_s = budget.elapsed_s - start_s
        reporter.done("shorten", attempt.shorten_time_s, f"{len(before)} operators, then {len(plan)}")

    def _result(self, status: Status, plan: Plan | None, attempts: list[_Attempt]) -> SolveResult:
        learned = [attempt.learned for attempt in attempts if attempt.learned]
        found = [attempt.found for attempt in attempts if attempt.found]
        last = attempts[-1] if attempts else None
        times_s = {
            "translate": self.translate_time_s,
            "sample": sum(item.sample_time_s for item in learned),
            "train": sum(item.train_time_s for item in learned),
            "search": sum(attempt.search_time_s for attempt in attempts),
            "shorten": sum(attempt.shorten_time_s for attempt in attempts),
            "total": self.budget.elapsed_s,
        }
        return SolveResult(
            status,
            plan,
            self.config.name,
            self.seed,
            times_s,
            initial_estimate=last.found.initial_estimate if last and last.found else None,
            num_expanded=sum(item.statistics.num_expanded for item in found),
            num_evaluated=sum(item.statistics.num_evaluated for item in found),
            num_generated=sum(item.statistics.num_generated for item in found),
            num_registered=sum(item.statistics.num_registered for item in found),
            num_samples=sum(item.samples.num_samples for item in learned),
            num_epochs=sum(len(item.training.losses) for item in learned),
            num_reseeds=sum(item.training.num_reseeds for item in learned),
            num_rounds=sum(item.num_rounds for item in learned),
            validation_error=last.learned.training.validation_error if last and last.learned else None,
            solved_by=last.name if last and status is Status.SOLVED else None,
        )


def describe(statistics: SearchStatistics) -> str:
    """One line on how a search is doing."""
    rate = statistics.num_expanded / statistics.time_s if statistics.time_s > 0 else 0.0
    best = "none" if statistics.best_estimate is None else statistics.best_estimate
    return (
        f"{statistics.num_expanded:,} expanded, {rate:,.0f}/s, {statistics.num_registered:,} states, "
        f"{statistics.memory_bytes >> 20:,} MiB, best h {best}, open goals {statistics.fewest_open_goals}"
    )
