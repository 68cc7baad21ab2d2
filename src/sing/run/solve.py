"""The pipeline: PDDL in, a checked plan or a model out, under one time and memory budget."""

from __future__ import annotations

import dataclasses
import threading
from pathlib import Path
from typing import Any

from sing.base.budget import DEFAULT_TIME_LIMIT_S, Budget, LimitReached
from sing.base.errors import InputError, NothingLearnedError, PlanError, SingError
from sing.base.outcome import Status
from sing.base.reporter import MemberReporter, Reporter
from sing.learning.learn import learn_model
from sing.networks.model import Model
from sing.planners.anytime import Improver, OnPlan
from sing.planners.attempt import Attempt
from sing.planners.chorus import sing_in_rounds
from sing.planners.configs import (
    DEFAULT_CONFIG,
    DEFAULT_LEARNING_CONFIG,
    AnyConfig,
    Chorus,
    Config,
    get_config,
    get_learning_config,
)
from sing.planners.side_by_side import side_by_side
from sing.run.results import LearnResult, SolveResult
from sing.search.search import FALLBACK_HEURISTIC, NETWORK, SearchConfig
from sing.task.plan import Plan, execute, states_along
from sing.task.task import Task
from sing.translate.translator import is_emptied, read_task, translate

# Between the seeds of searchers side by side: far enough that nobody else's are met.
_SEEDS_APART = 0x9E3779B97F4A7C15


def solve(
    domain: str | Path,
    problem: str | Path | None = None,
    *,
    config: str | AnyConfig | None = None,
    model: Model | str | Path | None = None,
    force: bool = False,
    time_limit_s: float = DEFAULT_TIME_LIMIT_S,
    memory_limit_bytes: int | None = None,
    seed: int = 0,
    jobs: int = 1,
    on_plan: OnPlan | None = None,
    budget: Budget | None = None,
    reporter: Reporter | None = None,
) -> SolveResult:
    """Solve a PDDL problem, or a SAS file where `problem` is None.

    `config` is DEFAULT_CONFIG unless given. With a `model` nothing is learned: it is the heuristic, in the way `config`
    searches, or unless given in the way the model was learned for; `force` uses it also on a task of another search
    space. Translation, sampling, training and search share the limits; `budget` replaces the two and can be interrupted
    from outside. `jobs` threads sample, and members of a portfolio or searchers of a chorus run side by side. With
    `on_plan` the run goes on until the limits, for better plans: it hears of each, and the result has the last.
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
    return _Run(config, model, force, seed, jobs, on_plan, budget, reporter or Reporter()).solve(domain, problem)


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
    if config.learning is None:
        raise InputError(f"configuration '{config.name}' does not learn")
    times_s = {"translate": 0.0, "sample": 0.0, "train": 0.0}
    status, learned = None, None
    try:
        task = load_task(domain, problem, budget, reporter)
        times_s["translate"] = budget.elapsed_s
        learned = learn_model(
            task, config.learning, origin_of(config), seed=seed, jobs=jobs, budget=budget, reporter=reporter,
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


def config_for_model(model: Model, config: AnyConfig | None = None) -> Config:
    """The configuration that searches with a model instead of learning one. Raises InputError for one that cannot."""
    if config is None:
        search, shorten_share = _search_of(model)
        return Config("model", "", search, shorten_share=shorten_share)
    if not isinstance(config, Config) or config.search.heuristic != NETWORK:
        raise InputError(f"configuration '{config.name}' does not search with one learned heuristic")
    return config


def origin_of(config: Config) -> dict[str, Any]:
    """What a model file tells of the configuration that learned it: its name, and how to search with the model."""
    search = {"queues": config.search.queues, "ties": config.search.ties, "shorten_share": config.shorten_share}
    return {"name": config.name, "search": search}


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


class _Run:
    """One call of solve(): translation, then one attempt after the other or side by side."""

    def __init__(
        self,
        config: AnyConfig,
        model: Model | None,
        force: bool,
        seed: int,
        jobs: int,
        on_plan: OnPlan | None,
        budget: Budget,
        reporter: Reporter,
    ) -> None:
        self.config = config
        self.model = model
        self.force = force
        self.seed = seed
        self.jobs = jobs
        self.on_plan = on_plan
        self.budget = budget
        self.reporter = reporter
        self.translate_time_s = 0.0

    def solve(self, domain: str | Path, problem: str | Path | None) -> SolveResult:
        try:
            task = self._translate(domain, problem)
            if isinstance(self.config, Config):
                attempts = [self._attempt(task, self.config, self.budget, self.reporter, self.jobs)]
            elif isinstance(self.config, Chorus):
                attempts = self._searchers(task, self.config)
            elif self.jobs == 1:
                attempts = self._take_turns(task, self.config.members)
            else:
                attempts = self._members(task, self.config.members)
        except LimitReached as limit:
            return self._result(limit.status, None, [])
        except MemoryError:
            return self._result(Status.OUT_OF_MEMORY, None, [])
        last = attempts[-1]
        if last.status is not Status.SOLVED or last.found is None:
            return self._result(last.status, None, attempts)
        try:
            operators, plan = self._deliver(task, last.found.plan)
        except PlanError as error:
            raise SingError(f"the search made a plan that is wrong, please report this: {error}") from None
        if (heuristic := last.found.heuristic) is not None:
            self.reporter.solved(lambda: [heuristic.evaluate(state) for state in states_along(task, operators)])
        return self._result(Status.SOLVED, plan, attempts)

    def _translate(self, domain: str | Path, problem: str | Path | None) -> Task:
        start_s = self.budget.elapsed_s
        try:
            return load_task(domain, problem, self.budget, self.reporter)
        finally:
            self.translate_time_s = self.budget.elapsed_s - start_s

    def _deliver(self, task: Task, operators: tuple[int, ...]) -> tuple[tuple[int, ...], Plan]:
        """The plan, or where somebody waits for better ones the best of them. Raises PlanError."""
        if self.on_plan is None:
            return operators, execute(task, operators)

        def find_another(number: int, part: Budget) -> tuple[int, ...] | None:
            if not isinstance(self.config, Chorus):
                return None
            seed = (self.seed + _SEEDS_APART * (self.jobs + number)) % 2**64
            last = sing_in_rounds(task, self.config, seed=seed, budget=part, reporter=Reporter())[-1]
            return last.found.plan if last.found and last.status is Status.SOLVED else None

        improver = Improver(task, operators, find_another, self.on_plan, self.budget, self.reporter)
        plan = improver.run()
        return improver.operators, plan

    def _take_turns(self, task: Task, members: tuple[Config, ...]) -> list[Attempt]:
        """Each member gets an equal share of the time that those before it left over. The decisive attempt is last."""
        attempts = []
        for position, member in enumerate(members):
            part = self.budget.slice(self.budget.remaining_s / (len(members) - position))
            reporter = MemberReporter(self.reporter, member.name, threading.Lock())
            attempts.append(self._attempt(task, member, part, reporter, self.jobs))
            if attempts[-1].is_decisive or attempts[-1].status is Status.INTERRUPTED:
                break
        return attempts

    def _members(self, task: Task, members: tuple[Config, ...]) -> list[Attempt]:
        """The members of a portfolio, as many at a time as there are jobs."""
        jobs = max(1, self.jobs // len(members))

        def work(position: int, part: Budget, reporter: Reporter) -> list[Attempt]:
            return [self._attempt(task, members[position], part, reporter, jobs)]

        return side_by_side([member.name for member in members], work, self.jobs, self.budget, self.reporter)

    def _searchers(self, task: Task, config: Chorus) -> list[Attempt]:
        """As many searchers as there are jobs; the first has the seeds it would have alone."""
        if self.jobs == 1:
            return sing_in_rounds(task, config, seed=self.seed, budget=self.budget, reporter=self.reporter)

        def work(position: int, part: Budget, reporter: Reporter) -> list[Attempt]:
            seed = (self.seed + _SEEDS_APART * position) % 2**64
            return sing_in_rounds(task, config, seed=seed, budget=part, reporter=reporter)

        names = [f"searcher {position + 1}" for position in range(self.jobs)]
        return side_by_side(names, work, self.jobs, self.budget, self.reporter)

    def _attempt(self, task: Task, config: Config, budget: Budget, reporter: Reporter, jobs: int) -> Attempt:
        """Learn where there is something to learn, then search. A limit that is reached is the attempt's status."""
        attempt = Attempt(config.name)
        try:
            model = self.model
            if is_emptied(task):  # the goal is static: nothing is left to learn or to estimate
                model = None
            elif config.learning is not None and model is None:
                model = self._learn(task, config, attempt, budget, reporter, jobs)
            search_config = config.search
            if search_config.heuristic == NETWORK and model is None:
                search_config = dataclasses.replace(search_config, heuristic=FALLBACK_HEURISTIC)
            heuristic = model.heuristic(task, self.force) if model else None
            attempt.search(task, search_config, heuristic, budget, reporter, seed=self.seed)
            attempt.shorten(task, config.shorten_share, budget, reporter)
        except LimitReached as limit:
            attempt.status = limit.status
        except MemoryError:
            attempt.status = Status.OUT_OF_MEMORY
        return attempt

    def _learn(
        self, task: Task, config: Config, attempt: Attempt, budget: Budget, reporter: Reporter, jobs: int
    ) -> Model | None:
        """None where nothing could be learned."""
        assert config.learning is not None
        try:
            learned = learn_model(
                task, config.learning, origin_of(config), seed=self.seed, jobs=jobs, budget=budget, reporter=reporter,
                search_follows=True,
            )  # fmt: skip
        except NothingLearnedError as error:
            reporter.done("learn", 0.0, f"{error}; searching with {FALLBACK_HEURISTIC} instead")
            return None
        attempt.note_training(learned.training)
        attempt.num_samples, attempt.num_iterations = learned.samples.num_samples, learned.num_iterations
        attempt.sample_time_s, attempt.train_time_s = learned.sample_time_s, learned.train_time_s
        return learned.model

    def _result(self, status: Status, plan: Plan | None, attempts: list[Attempt]) -> SolveResult:
        found = [attempt.found for attempt in attempts if attempt.found]
        last = attempts[-1] if attempts else None
        times_s = {
            "translate": self.translate_time_s,
            "sample": sum(attempt.sample_time_s for attempt in attempts),
            "train": sum(attempt.train_time_s for attempt in attempts),
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
            num_samples=sum(attempt.num_samples for attempt in attempts),
            num_epochs=sum(attempt.num_epochs for attempt in attempts),
            num_reseeds=sum(attempt.num_reseeds for attempt in attempts),
            num_iterations=sum(attempt.num_iterations for attempt in attempts),
            validation_error=last.validation_error if last else None,
            num_restarts=max(0, len(attempts) - self.jobs) if isinstance(self.config, Chorus) else 0,
            solved_by=last.name if last and status is Status.SOLVED else None,
        )
