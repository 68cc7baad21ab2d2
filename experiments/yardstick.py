"""Fast Downward's search binary, from the up-fast-downward wheel: what we measure ourselves against."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from processes import run_process

from sing.base.budget import Budget, LimitReached
from sing.base.errors import SingError
from sing.base.outcome import Status
from sing.run.fast_downward import LAMA_FIRST, LANDMARK_COUNT, UNIT, binary

HEURISTICS = {"blind": "blind()", "goalcount": "goalcount()", "ff": "ff()", "landmark": LANDMARK_COUNT}
# The same where the heuristics, too, take every cost as 1, as the search does in any case.
HEURISTICS |= {f"{name}-unit": UNIT.format(HEURISTICS[name]) for name in ("ff", "landmark")}
# Whole searches; {limit} is the time limit in seconds.
SEARCHES = {
    "lama-first": LAMA_FIRST,
    # These two take costs as they are.
    "astar-blind": "astar(blind(), max_time={limit})",
    "astar-lmcut": "astar(lmcut(), max_time={limit})",
}
PLANNERS = tuple(f"fd-{name}" for name in (*HEURISTICS, *SEARCHES))
# Fast Downward ends by itself at its time limit; what hangs beyond is killed.
_GRACE_S = 30.0
_OUT_OF_MEMORY = 22


@dataclass(frozen=True)
class Run:
    exit_code: int
    log: str

    @property
    def is_solvable(self) -> bool | None:
        """None where a limit ended the search without an answer. Raises SingError where it failed."""
        answers = {0: True, 11: False, 12: None, 22: None, 23: None}
        if self.exit_code not in answers:
            raise SingError(f"Fast Downward failed with exit code {self.exit_code}: {self.log[-500:]}")
        return answers[self.exit_code]

    def number(self, pattern: str) -> float:
        """The first group of `pattern` in the log."""
        match = re.search(pattern, self.log)
        if not match:
            raise SingError(f"Fast Downward printed no '{pattern}': {self.log[-500:]}")
        return float(match[1])


def greedy_search(
    sas: str,
    heuristic: str,
    time_limit_s: float,
    *,
    memory_limit_bytes: int | None = None,
    budget: Budget | None = None,
) -> Run:
    """Eager greedy best-first search on a translated task, every operator one step; `heuristic` is one of HEURISTICS.

    Or one of SEARCHES, as it is.

    Interrupting the budget kills the process.
    """
    if heuristic in SEARCHES:
        search = SEARCHES[heuristic].format(limit=time_limit_s)
    else:
        search = f"eager_greedy([{HEURISTICS[heuristic]}], cost_type=one, max_time={time_limit_s})"
    return _run(sas, search, budget or Budget(time_limit_s + _GRACE_S), memory_limit_bytes)


def outcome(
    sas: str, heuristic: str, time_limit_s: float, memory_limit_bytes: int, budget: Budget
) -> tuple[Status, str]:
    """How greedy_search() ends within its limits, and its log. Raises SingError where it fails, LimitReached where the
    budget ends.

    Its own limit is for the search alone; what takes longer, such as finding landmarks, is out of time a second later.
    """
    try:
        run = greedy_search(
            sas, heuristic, time_limit_s, memory_limit_bytes=memory_limit_bytes, budget=budget.slice(time_limit_s + 1)
        )
    except LimitReached:
        if budget.interrupted:
            raise
        return Status.OUT_OF_TIME, ""
    if run.is_solvable is None:
        return (Status.OUT_OF_MEMORY if run.exit_code == _OUT_OF_MEMORY else Status.OUT_OF_TIME), run.log
    return (Status.SOLVED if run.is_solvable else Status.UNSOLVABLE), run.log


def initial_estimates(sas: str, heuristics: tuple[str, ...], budget: Budget) -> dict[str, int]:
    """What some of HEURISTICS say about the initial state."""
    terms = ", ".join(HEURISTICS[name] for name in heuristics)
    run = _run(sas, f"eager_greedy([{terms}], cost_type=one, bound=0)", budget)
    names = {name: HEURISTICS[name].split("(")[0] for name in heuristics}
    return {name: int(run.number(rf"Initial heuristic value for {told}\w*: (\d+)")) for name, told in names.items()}


def _run(sas: str, search: str, budget: Budget, memory_limit_bytes: int | None = None) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        task_file, plan_file = Path(folder, "task"), Path(folder, "plan")
        task_file.write_text(sas)
        command = [str(binary()), "--internal-plan-file", str(plan_file), "--search", search]
        with task_file.open("rb") as task:
            exit_code, log = run_process(command, budget, stdin=task, memory_limit_bytes=memory_limit_bytes)
    return Run(exit_code, log)
