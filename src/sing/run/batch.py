"""Many problems of one domain in one call, one after the other or side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any

from sing.base.budget import Budget
from sing.base.errors import SingError
from sing.base.files import Source
from sing.base.outcome import Status
from sing.base.reporter import Reporter
from sing.planners.anytime import OnPlan
from sing.planners.configs import get_config
from sing.planners.planner import Planner
from sing.run.results import SolveResult, error_json
from sing.run.solve import solve
from sing.translate.translator import TRANSLATORS


@dataclass(frozen=True)
class BatchItem:
    """What became of one problem: a result, or an error that was its own."""

    problem: str
    result: SolveResult | None
    error: SingError | None = None

    @property
    def is_solved(self) -> bool:
        return self.result is not None and self.result.status is Status.SOLVED

    @property
    def exit_code(self) -> int:
        if self.result is not None:
            return self.result.status.exit_code
        return self.error.exit_code if self.error else SingError.exit_code

    def to_json(self, files: tuple[str, ...]) -> dict[str, Any]:
        """A line of `sing solve --json` for several problems; see docs/file-formats.md."""
        if self.result is not None:
            return {"problem": self.problem, **self.result.to_json(files)}
        return {"problem": self.problem, **error_json(self.error or SingError("unknown"), files)}


def solve_all(
    domain: Source,
    problems: tuple[str, ...],
    *,
    config: str | Planner,
    time_limit_s: float,
    budget: Budget,
    seed: int,
    jobs: int,
    on_done: Callable[[BatchItem], object],
    reporter_of: Callable[[str], Reporter | None] = lambda problem: None,
    translator: str = TRANSLATORS[0],
    on_plan_of: Callable[[str], OnPlan | None] = lambda problem: None,
) -> list[BatchItem]:
    """Solve each problem within `time_limit_s`, `jobs` at a time; they share the memory of `budget`.

    A problem that is malformed or of another search space is reported as its item, and the others go on. `on_done`
    hears of each as it ends, in this thread; `reporter_of` gives each a reporter, and `on_plan_of` what hears of its
    plans where better ones are to be looked for until its limit. Interrupting the budget ends those
    that run and leaves out the rest.
    Raises InputError where the planner needs what is not installed: that is no fault of any problem.
    """
    (get_config(config) if isinstance(config, str) else config).check_installed()

    jobs = min(jobs, len(problems))

    def work(problem: str) -> BatchItem | None:
        if budget.interrupted:
            return None
        part = budget.slice(time_limit_s, 1 / jobs)
        try:
            result = solve(
                domain, problem, config=config, seed=seed, budget=part, reporter=reporter_of(problem),
                translator=translator,
                on_plan=on_plan_of(problem),
            )  # fmt: skip
        except SingError as error:
            return BatchItem(problem, None, error)
        return BatchItem(problem, result)

    items = []
    with ThreadPoolExecutor(jobs) as pool:
        try:
            for item in _as_they_end(work, problems, pool if jobs > 1 else None):
                if item is not None:
                    items.append(item)
                    on_done(item)
        except BaseException:
            budget.interrupt()
            raise
    return items


def _as_they_end(
    work: Callable[[str], BatchItem | None], problems: tuple[str, ...], pool: ThreadPoolExecutor | None
) -> Iterator[BatchItem | None]:
    if pool is None:  # in this thread: here signals reach the core by themselves
        yield from map(work, problems)
    else:
        for future in as_completed([pool.submit(work, problem) for problem in problems]):
            yield future.result()
