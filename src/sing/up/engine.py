"""A unified-planning engine, as a oneshot planner and as an anytime planner.

It needs unified-planning (`pip install '.[up]'` in the folder of sing's sources), and one line makes it known there by
the name `sing`:

>>> from unified_planning.shortcuts import OneshotPlanner, get_environment
>>> get_environment().factory.add_engine("sing", "sing.up", "SingEngine")

Then it is used as any other engine:

>>> from unified_planning.test.examples import get_example_problems
>>> get_environment().credits_stream = None
>>> with OneshotPlanner(name="sing", params={"seed": 1, "memory_limit": "8G"}) as planner:
...     result = planner.solve(get_example_problems()["robot_loader"].problem, timeout=60)
>>> result.status.name, len(result.plan.actions)
('SOLVED_SATISFICING', 4)
"""

from __future__ import annotations

import math
import warnings
import weakref
from collections.abc import Callable, Generator
from contextlib import closing
from pathlib import Path
from typing import IO, Any

from rich.console import Console
from unified_planning.engines import Credits, Engine, PlanGenerationResult
from unified_planning.engines import PlanGenerationResultStatus as UpStatus
from unified_planning.engines.mixins import AnytimePlannerMixin, OneshotPlannerMixin
from unified_planning.engines.mixins.anytime_planner import AnytimeGuarantee
from unified_planning.engines.mixins.oneshot_planner import OptimalityGuarantee
from unified_planning.engines.results import LogLevel, LogMessage
from unified_planning.exceptions import UPUsageError
from unified_planning.model import AbstractProblem, ProblemKind
from unified_planning.plans import SequentialPlan

from sing.base.budget import Budget, parse_memory_bytes, parse_time_s
from sing.base.errors import InputError, PddlError, SingError, UnsupportedError
from sing.base.outcome import Status
from sing.networks.model import Model
from sing.planners.anytime import OnPlan
from sing.planners.configs import get_config
from sing.planners.planner import Planner
from sing.report.console import ConsoleReporter
from sing.run.results import SolveResult
from sing.run.solve import solve
from sing.run.streaming import stream
from sing.task.plan import Plan
from sing.up.pddl import KIND_VERSION, SUPPORTED, PddlProblem

_PARAMETERS = ("config", "model", "force", "seed", "jobs", "time_limit", "memory_limit")

_Results = Generator[PlanGenerationResult, None, None]

_STATUSES = {
    Status.SOLVED: UpStatus.SOLVED_SATISFICING,
    Status.UNSOLVABLE: UpStatus.UNSOLVABLE_PROVEN,
    Status.OUT_OF_MEMORY: UpStatus.MEMOUT,
    Status.OUT_OF_TIME: UpStatus.TIMEOUT,
    Status.OUT_OF_WORK: UpStatus.UNSOLVABLE_INCOMPLETELY,
    Status.INTERRUPTED: UpStatus.UNSOLVABLE_INCOMPLETELY,
}


class SingEngine(Engine, OneshotPlannerMixin, AnytimePlannerMixin):  # type: ignore[misc]
    """The planner in unified-planning's terms.

    Parameters are those of `sing.solve`: `config`, `model`, `force`, `seed` and `jobs`. `time_limit` (90 or "30m")
    holds for every call, beside its `timeout`; without either there is none. `memory_limit` (bytes or "8G") is about
    this process, with whatever else it holds. Raises UPUsageError for parameters that cannot be used.
    """

    def __init__(
        self,
        config: str | Planner | None = None,
        model: Model | str | Path | None = None,
        force: bool = False,
        seed: int | str = 0,
        jobs: int | str = 1,
        time_limit: float | str | None = None,
        memory_limit: int | str | None = None,
        **unknown: object,
    ) -> None:
        Engine.__init__(self)
        OneshotPlannerMixin.__init__(self)
        AnytimePlannerMixin.__init__(self)
        if unknown:
            raise UPUsageError(f"sing has no parameter {', '.join(unknown)}; there are {', '.join(_PARAMETERS)}")
        self._open: weakref.WeakSet[_Results] = weakref.WeakSet()
        self._time_limit_s = math.inf
        try:
            if isinstance(config, str):
                config = get_config(config)
            if time_limit is not None:
                self._time_limit_s = parse_time_s(str(time_limit))
            if isinstance(memory_limit, str):
                memory_limit = parse_memory_bytes(memory_limit)
            self._memory_limit_bytes = None if memory_limit is None else _whole("memory_limit", memory_limit)
            self._options: dict[str, Any] = {
                "config": config,
                "model": model,
                "force": force,
                "seed": _whole("seed", seed),
                "jobs": _whole("jobs", jobs),
            }
            self._budget(None)
        except InputError as error:
            raise UPUsageError(str(error)) from error

    @property
    def name(self) -> str:
        return "sing"

    @staticmethod
    def supported_kind() -> ProblemKind:
        return ProblemKind(SUPPORTED, version=KIND_VERSION)

    @staticmethod
    def supports(problem_kind: ProblemKind) -> bool:
        return bool(problem_kind <= SingEngine.supported_kind())

    @staticmethod
    def satisfies(optimality_guarantee: OptimalityGuarantee) -> bool:
        return bool(optimality_guarantee == OptimalityGuarantee.SATISFICING)

    @staticmethod
    def ensures(anytime_guarantee: AnytimeGuarantee) -> bool:
        return bool(anytime_guarantee == AnytimeGuarantee.INCREASING_QUALITY)

    @staticmethod
    def get_credits(**kwargs: object) -> Credits:
        return Credits(
            name="sing",
            author="The sing developers",
            contact="",
            website="",
            license="GPL-3.0-or-later",
            short_description="A planner that teaches itself its heuristic, from one problem, in seconds.",
            long_description=(
                "A planner that teaches itself its heuristic: from one problem it searches backward from each goal\n"
                "and forward from the start, trains a small network, and searches with it. After Liu, Kuroiwa,\n"
                "Fukunaga: Learning Search-Space Specific Heuristics Using Neural Networks, 2021."
            ),
        )

    def destroy(self) -> None:
        """End whatever anytime planning still goes on."""
        for solutions in list(self._open):
            solutions.close()

    def _solve(
        self,
        problem: AbstractProblem,
        heuristic: Callable[..., float | None] | None = None,
        timeout: float | None = None,
        output_stream: IO[str] | None = None,
    ) -> PlanGenerationResult:
        return self._solve_with_params(problem, heuristic, timeout, output_stream)

    def _solve_with_params(
        self,
        problem: AbstractProblem,
        heuristic: Callable[..., float | None] | None = None,
        timeout: float | None = None,
        output_stream: IO[str] | None = None,
        warm_start_plan: object = None,
        **unknown: object,
    ) -> PlanGenerationResult:
        _ignore(unknown, heuristic=heuristic, warm_start_plan=warm_start_plan)
        try:
            budget = self._budget(timeout)
            pddl = PddlProblem(problem)
            return self._final_result(pddl, self._run(pddl, budget, output_stream))
        except SingError as error:
            return self._failure(error, output_stream)

    def _get_solutions(
        self, problem: AbstractProblem, timeout: float | None = None, output_stream: IO[str] | None = None
    ) -> _Results:
        return self._get_solutions_with_params(problem, timeout, output_stream)

    def _get_solutions_with_params(
        self,
        problem: AbstractProblem,
        timeout: float | None = None,
        output_stream: IO[str] | None = None,
        warm_start_plan: object = None,
        **unknown: object,
    ) -> _Results:
        _ignore(unknown, warm_start_plan=warm_start_plan)
        solutions = self._solutions(problem, timeout, output_stream)
        self._open.add(solutions)
        return solutions

    def _solutions(self, problem: AbstractProblem, timeout: float | None, output_stream: IO[str] | None) -> _Results:
        """Plans of less and less cost as intermediate results, then the best of them as the final one."""
        try:
            budget = self._budget(timeout)
            pddl = PddlProblem(problem)
            run = stream(lambda on_plan: self._run(pddl, budget, output_stream, on_plan), budget)
            with closing(run) as news:
                for item in news:
                    if isinstance(item, Plan):
                        yield PlanGenerationResult(UpStatus.INTERMEDIATE, pddl.plan(item.operators), self.name)
                    else:
                        yield self._final_result(pddl, item)
        except SingError as error:
            yield self._failure(error, output_stream)

    def _budget(self, timeout: float | None) -> Budget:
        time_limit_s = self._time_limit_s if timeout is None else min(timeout, self._time_limit_s)
        # Meta engines hand on what is left of their time, which can be nothing.
        return Budget(time_limit_s or 1e-9, self._memory_limit_bytes)

    def _run(
        self, pddl: PddlProblem, budget: Budget, output_stream: IO[str] | None, on_plan: OnPlan | None = None
    ) -> SolveResult:
        console = Console(
            file=output_stream, quiet=output_stream is None, highlight=False, markup=False, emoji=False, soft_wrap=True
        )
        files = pddl.domain, pddl.problem
        with ConsoleReporter(console) as reporter:
            result = solve(*files, **self._options, on_plan=on_plan, budget=budget, reporter=reporter)
            reporter.say(_summary(result))
        return result

    def _final_result(self, pddl: PddlProblem, result: SolveResult) -> PlanGenerationResult:
        plan = None if result.plan is None else pddl.plan(result.plan.operators)
        message = LogMessage(LogLevel.INFO, _summary(result))
        status = UpStatus.SOLVED_OPTIMALLY if result.is_optimal else _STATUSES[result.status]
        return PlanGenerationResult(status, plan, self.name, metrics=_metrics(result, plan), log_messages=[message])

    def _failure(self, error: SingError, output_stream: IO[str] | None) -> PlanGenerationResult:
        """The result that says so. Raises UPUsageError where the fault is the caller's."""
        if isinstance(
            error, UnsupportedError | PddlError
        ):  # the PDDL is ours, so the problem uses an unsupported feature
            status = UpStatus.UNSUPPORTED_PROBLEM
        elif isinstance(error, InputError):
            raise UPUsageError(str(error)) from error
        else:
            status = UpStatus.INTERNAL_ERROR
        if output_stream is not None:
            output_stream.write(f"error: {error}\n")
        message = LogMessage(LogLevel.ERROR, str(error))
        return PlanGenerationResult(status, None, self.name, log_messages=[message])


def _whole(name: str, value: int | str) -> int:
    try:
        return int(str(value))  # through text, so that 1.5 is refused and not cut off
    except ValueError:
        raise InputError(f"{name} is '{value}'; it must be a whole number") from None


def _ignore(unknown: dict[str, object], **unused: object) -> None:
    """Warn of arguments that this engine has no use for, and refuse those that it does not know."""
    if unknown:
        raise UPUsageError(f"sing does not know the argument {', '.join(unknown)}; parameters go to the engine")
    for name, value in unused.items():
        if value is not None:
            warnings.warn(f"sing ignores the argument '{name}'", UserWarning, stacklevel=4)


def _summary(result: SolveResult) -> str:
    cost = "" if result.plan is None else f", cost {result.plan.cost}"
    return (
        f"config {result.config}, seed {result.seed}: {result.status.words}{cost}, "
        f"{result.num_expanded:,} expanded, {result.times_s['total']:.2f} s"
    )


def _metrics(result: SolveResult, plan: SequentialPlan | None) -> dict[str, str]:
    numbers = result.to_json()
    times_s = numbers.pop("times_s")
    numbers.update({f"{phase}_time_s": time_s for phase, time_s in times_s.items()})
    numbers["engine_internal_time"] = times_s["total"]  # unified-planning's own name for it
    numbers["plan_length"] = None if plan is None else len(plan.actions)
    return {name: str(value) for name, value in numbers.items() if isinstance(value, (str, int, float))}
