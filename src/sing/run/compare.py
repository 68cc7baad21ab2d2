"""Several planners on several problems, one run after the other, so that their times can be compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sing.base.budget import Budget, LimitReached
from sing.base.errors import SingError
from sing.base.files import Text, read_text
from sing.base.outcome import Status
from sing.base.reporter import PartReporter, Reporter
from sing.planners.planner import Planner
from sing.run import fast_downward
from sing.run.solve import solve
from sing.translate.translator import translate_to_sas

# A planner of ours, or the name of one of Fast Downward's searches.
Contestant = Planner | str


@dataclass(frozen=True)
class Outcome:
    """What one planner did on one problem."""

    planner: str
    problem: str
    status: Status | None  # None: an error
    time_s: float  # translation included
    num_operators: int | None = None
    cost: int | None = None
    error: SingError | None = None

    def __str__(self) -> str:
        if self.status is None:
            return "error"
        return self.status.words if self.cost is None else f"cost {self.cost}, {self.time_s:.2f} s"

    def to_json(self) -> dict[str, Any]:
        """A line of `sing compare --json`."""
        return {
            "planner": self.planner,
            "problem": self.problem,
            "status": "error" if self.status is None else self.status.value,
            "plan_length": self.num_operators,
            "plan_cost": self.cost,
            "time_s": round(self.time_s, 3),
            **({"error": str(self.error)} if self.error else {}),
        }


def compare(
    contestants: dict[str, Contestant],
    domain: str | None,
    problems: tuple[str, ...],
    *,
    time_limit_s: float,
    budget: Budget,
    seed: int,
    reporter: Reporter,
    on_done: Callable[[Outcome], object],
) -> None:
    """Run each planner on each problem within `time_limit_s`; SAS files have no domain.

    `on_done` hears of each run as it ends. Interrupting the budget ends the run under way, which is not told, and all.
    """
    for contestant in contestants.values():
        if isinstance(contestant, Planner):
            contestant.check_installed()
        else:
            fast_downward.binary()
    texts: dict[str, Text] = {}  # read once: one may be a pipe
    for problem in problems:
        for name, contestant in contestants.items():
            part = budget.slice(time_limit_s)
            news = PartReporter(reporter, name, Path(problem).name)
            try:
                for file in (problem,) if domain is None else (domain, problem):
                    texts[file] = texts.get(file) or read_text(file, "input", part)
                files = (texts[problem],) if domain is None else (texts[domain], texts[problem])
                outcome = _run(name, contestant, files, problem, part, seed, news)
            except SingError as error:
                outcome = Outcome(name, problem, None, part.elapsed_s, error=error)
            except LimitReached as limit:
                outcome = Outcome(name, problem, limit.status, part.elapsed_s)
            if budget.interrupted:
                return
            on_done(outcome)


def _run(
    name: str,
    contestant: Contestant,
    files: tuple[Text, ...],
    problem: str,
    part: Budget,
    seed: int,
    reporter: Reporter,
) -> Outcome:
    """Raises LimitReached where Fast Downward gets no task in time, and SingError."""
    if isinstance(contestant, Planner):
        result = solve(*files, config=contestant, seed=seed, budget=part, reporter=reporter)
        plan = (None, None) if result.plan is None else (len(result.plan), result.plan.cost)
        return Outcome(name, problem, result.status, part.elapsed_s, *plan)
    reporter.working("translate")
    sas = files[0].text if len(files) == 1 else translate_to_sas(files[0], files[1], part)
    reporter.working("search")
    status, found = fast_downward.search(sas, contestant, part)
    plan = (None, None) if found is None else (found.num_operators, found.cost)
    return Outcome(name, problem, status, part.elapsed_s, *plan)
