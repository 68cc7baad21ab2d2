"""Whole runs: PDDL in, a checked plan or a model out, under one time and memory budget."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

from sing.base.budget import DEFAULT_TIME_LIMIT_S, Budget, LimitReached, MemoryLimit, TimeLimit
from sing.base.errors import InputError, PlanError, SingError
from sing.base.files import Source
from sing.base.names import listed
from sing.base.outcome import Status
from sing.base.reporter import Reporter
from sing.networks.model import Model
from sing.planners.attempt import Attempt
from sing.planners.chorus import seed_of_searcher
from sing.planners.configs import DEFAULT_CONFIG, DEFAULT_LEARNING_CONFIG, get_config
from sing.planners.context import Context
from sing.planners.planner import Planner
from sing.planners.single import config_of
from sing.run.results import LearnResult, SolveResult, ended_early
from sing.task.plan import Plan, atoms_along, execute, states_along
from sing.task.task import Task
from sing.translate.translator import TRANSLATORS, read_task, translate

if TYPE_CHECKING:
    from sing.planners.anytime import OnPlan

_LEAST_BYTES_PER_JOB = 64 << 20


def solve(
    domain: Source,
    problem: Source | None = None,
    *,
    config: str | Planner | None = None,
    model: Model | str | Path | None = None,
    force: bool = False,
    time_limit_s: TimeLimit = DEFAULT_TIME_LIMIT_S,
    memory_limit_bytes: MemoryLimit = None,
    seed: int = 0,
    jobs: int = 1,
    on_plan: OnPlan | None = None,
    budget: Budget | None = None,
    reporter: Reporter | None = None,
    translator: str = TRANSLATORS[0],
) -> SolveResult:
    """Solve a PDDL problem, or a SAS file where `problem` is None.

    `config` is DEFAULT_CONFIG unless given. With a `model` nothing is learned: it is the heuristic, in the way `config`
    searches, or unless given in the way the model was learned for; `force` uses it also on a task of another search
    space. Translation, sampling, training and search share the limits; `budget` replaces the two and can be interrupted
    from outside. `jobs` threads sample, and members of a portfolio or searchers of a chorus run side by side. With
    `on_plan` the run goes on until the limits, for better plans: it hears of each, and the result has the last.
    `translator` is "native", or "fd" for Fast Downward's.
    Raises a SingError for bad input; reaching a limit is a result, not an error.
    """
    budget = budget or Budget(time_limit_s, memory_limit_bytes)
    planner = get_config(config) if isinstance(config, str) else config
    if model is not None and not isinstance(model, Model):
        try:
            model = Model.load(model, budget)
        except LimitReached as limit:
            return ended_early(limit.status, f"model {model}", seed, "reading the model", budget.elapsed_s)
    if model is not None:
        planner = config_of(model, force) if planner is None else planner.with_model(model, force)
    planner = planner or get_config(DEFAULT_CONFIG)
    planner.check_installed()
    context = _context(budget, seed, jobs, reporter)
    return _Run(planner, context, on_plan, translator).solve(domain, problem)


def learn(
    domain: Source,
    problem: Source | None = None,
    *,
    config: str | Planner = DEFAULT_LEARNING_CONFIG,
    time_limit_s: TimeLimit = DEFAULT_TIME_LIMIT_S,
    memory_limit_bytes: MemoryLimit = None,
    seed: int = 0,
    jobs: int = 1,
    budget: Budget | None = None,
    reporter: Reporter | None = None,
    translator: str = TRANSLATORS[0],
) -> LearnResult:
    """Learn a heuristic for the search space of a problem; parameters as in solve().

    Time that ends the training leaves the best network so far, and so does an interruption. Raises a SingError for bad
    input or where there is nothing to learn from.
    """
    budget = budget or Budget(time_limit_s, memory_limit_bytes)
    planner = get_config(config) if isinstance(config, str) else config
    if not planner.learns:
        from sing.planners.configs import CONFIGS

        learning = [known.name for known in CONFIGS.values() if known.learns]
        raise InputError(f"configuration '{planner.name}' does not learn one heuristic; these do: {listed(learning)}")
    planner.check_installed()
    context = _context(budget, seed, jobs, reporter)
    times_s = {"translate": 0.0, "search": 0.0, "sample": 0.0, "train": 0.0}
    status, learned = None, None
    try:
        start_s = budget.elapsed_s
        task = load_task(domain, problem, budget, context.reporter, translator)
        times_s["translate"] = budget.elapsed_s - start_s
        learned = planner.learn(task, context)
        times_s |= {"sample": learned.sample_time_s, "train": learned.train_time_s, "search": learned.search_time_s}
        status = Status.INTERRUPTED if budget.interrupted else None
    except LimitReached as limit:
        status = limit.status
    except MemoryError:
        status = Status.OUT_OF_MEMORY
    return LearnResult(status, learned, {**times_s, "total": budget.elapsed_s})


def _context(budget: Budget, seed: int, jobs: int, reporter: Reporter | None) -> Context:
    if not 0 <= seed < 2**64:
        raise InputError(f"the seed is {seed}; it must be between 0 and 2^64 - 1")
    if jobs < 1:
        raise InputError(f"the number of jobs is {jobs}; it must be at least 1")
    # Each of them holds states of its own. Of the limit, not of what is left: that differs from run to run.
    jobs = max(1, min(jobs, budget.memory_limit_bytes // _LEAST_BYTES_PER_JOB))
    return Context(budget, seed, jobs, reporter or Reporter())


def load_task(
    domain: Source, problem: Source | None, budget: Budget, reporter: Reporter, translator: str = TRANSLATORS[0]
) -> Task:
    """Translate PDDL, or read a SAS file where `problem` is None. Raises also where the task is not supported."""
    start_s = budget.elapsed_s
    reporter.working("translate")
    if problem is None:
        task = read_task(domain, budget)
    else:
        task = translate(
            domain, problem, budget, translator=translator, on_news=lambda news: reporter.working("translate", news)
        )
    budget.check()
    summary = (
        f"{task.core.num_variables} variables, {task.core.num_atoms} atoms, {task.num_operators} operators, "
        f"{task.core.num_goals} goals"
    )
    reporter.done("translate", budget.elapsed_s - start_s, summary)
    return task


class _Run:
    """One call of solve(): translation, then the attempts of the planner."""

    def __init__(self, planner: Planner, context: Context, on_plan: OnPlan | None, translator: str) -> None:
        self.planner = planner
        self.translator = translator
        self.context = context
        self.on_plan = on_plan
        self.translate_time_s = 0.0
        self.ended_while: str | None = None
        self.costs: list[tuple[float, int]] = []

    def solve(self, domain: Source, problem: Source | None) -> SolveResult:
        try:
            self.ended_while = "reading" if problem is None else "translating"
            task = self._translate(domain, problem)
            self.ended_while = None
            attempts = self._planner.attempts(task, self.context)
        except LimitReached as limit:
            return self._result(limit.status, None, [])
        except MemoryError:
            return self._result(Status.OUT_OF_MEMORY, None, [])
        last = attempts[-1]
        if last.status is not Status.SOLVED:
            return self._result(last.status, None, attempts)
        try:
            operators, plan = self._deliver(task, last)
        except PlanError as error:
            raise SingError(f"the search made a plan that is wrong, please report this: {error}") from None
        if (heuristic := last.heuristic) is not None:
            searched = last.task or task
            self.context.reporter.solved(
                lambda: [heuristic.evaluate(state) for state in states_along(searched, operators)],
                lambda steps: atoms_along(task, operators, steps),
            )
        return self._result(Status.SOLVED, plan, attempts)

    @property
    def _planner(self) -> Planner:
        """Where better plans are looked for anyway, the first one is told of as soon as it is there."""
        return self.planner if self.on_plan is None else self.planner.first_only()

    def _translate(self, domain: Source, problem: Source | None) -> Task:
        budget = self.context.budget
        start_s = budget.elapsed_s
        try:
            return load_task(domain, problem, budget, self.context.reporter, self.translator)
        finally:
            self.translate_time_s = budget.elapsed_s - start_s

    def _deliver(self, task: Task, last: Attempt) -> tuple[tuple[int, ...], Plan]:
        """The plan, or the best of several where the caller asked for better ones. Raises PlanError."""
        plan = execute(task, last.plan)
        if self.on_plan is None or (last.lower_bound is not None and last.lower_bound >= plan.cost):
            self._note(plan)
            return last.plan, plan

        from sing.planners.anytime import Improver  # ways to better plans, which other runs need not wait for

        def find_another(number: int, context: Context) -> tuple[int, ...] | None:
            if last.beams is not None:  # each takes longer than the one before, as long as there is time
                last.beams.reporter = context.reporter
                return last.beams.another(improver.best.cost)
            seed = seed_of_searcher(self.context.seed, self.context.jobs + number)
            other = planner.attempts(task, dataclasses.replace(context, seed=seed, jobs=self.context.jobs))[-1]
            return other.plan if other.status is Status.SOLVED else None

        planner = self._planner
        has_others = planner.is_random or last.beams is not None
        improver = Improver(
            task, last.plan, find_another if has_others else None, self._note, self.context,
            searched=last.task, learned=last.learned_heuristic,
        )  # fmt: skip
        start_s = self.context.budget.elapsed_s
        plan = improver.run()
        last.improve_time_s += self.context.budget.elapsed_s - start_s
        last.lower_bound = improver.lower_bound(last.lower_bound)
        return improver.operators, plan

    def _note(self, plan: Plan) -> None:
        self.costs.append((self.context.budget.elapsed_s, plan.cost))
        if self.on_plan is not None:
            self.on_plan(plan)

    def _result(self, status: Status, plan: Plan | None, attempts: list[Attempt]) -> SolveResult:
        found = [attempt.found for attempt in attempts if attempt.found]
        last = attempts[-1] if attempts else None
        times_s = {
            "translate": self.translate_time_s,
            "sample": sum(attempt.sample_time_s for attempt in attempts),
            "train": sum(attempt.train_time_s for attempt in attempts),
            "search": sum(attempt.search_time_s for attempt in attempts),
            "shorten": sum(attempt.shorten_time_s for attempt in attempts),
            "improve": sum(attempt.improve_time_s for attempt in attempts),
            "total": self.context.budget.elapsed_s,
        }
        return SolveResult(
            status,
            plan,
            self.planner.name,
            self.context.seed,
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
            num_restarts=sum(attempt.is_restart for attempt in attempts),
            solved_by=last.name if last and status is Status.SOLVED else None,
            ended_while=self.ended_while,
            lower_bound=max(
                (bound for attempt in attempts if (bound := attempt.lower_bound) is not None), default=None
            ),
            costs=tuple(self.costs),
        )
