"""What comes of a run: plain values, and the JSON object they become."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sing.base.budget import peak_memory_kb
from sing.base.errors import SingError
from sing.base.outcome import Status
from sing.base.version import own_version
from sing.learning.learn import Learned
from sing.networks.model import Model
from sing.task.plan import Plan

# Their times are reported, and then that of all together.
PHASES = ("translate", "sample", "train", "search", "shorten", "improve")


@dataclass(frozen=True)
class SolveResult:
    """The outcome of a run. `plan` is there exactly when `status` is SOLVED.

    Counts and phase times of a portfolio are the sums over its members; the estimate and the validation
    error are those of the member that found the plan, or of the last one.
    """

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
    num_epochs: int = 0
    num_reseeds: int = 0
    num_iterations: int = 0  # of value iteration
    validation_error: float | None = None
    num_restarts: int = 0
    solved_by: str | None = None
    ended_while: str | None = None  # `reading`, `translating`, …, where a limit ended the run before its search
    lower_bound: int | None = None  # no plan costs less; None: nothing is known
    costs: tuple[tuple[float, int], ...] = ()  # seconds and cost of each plan, better and better
    peak_memory_kb: int = field(default_factory=peak_memory_kb)

    @property
    def is_optimal(self) -> bool:
        """Whether the plan is proved cheapest."""
        return self.plan is not None and self.lower_bound is not None and self.lower_bound >= self.plan.cost

    def __str__(self) -> str:
        found = "no plan" if self.plan is None else f"{len(self.plan)} operators, cost {self.plan.cost}"
        found += ", proved cheapest" if self.is_optimal else ""
        by = f" by {self.solved_by}" if self.solved_by else f" with {self.config}"
        return (
            f"{self.status.words}{by}: {found}\n"
            f"{self.num_expanded:,} expanded, {self.num_samples:,} samples, {_times(self.times_s)}"
        )

    def to_json(self, files: Sequence[str] = ()) -> dict[str, Any]:
        """The object that `sing solve --json` writes; see docs/file-formats.md. `files` are the inputs by name."""
        return {
            "status": self.status.value,
            "error": None,
            "files": list(files),
            "ended_while": self.ended_while,
            "plan": None if self.plan is None else list(self.plan.operators),
            "plan_length": None if self.plan is None else len(self.plan),
            "plan_cost": None if self.plan is None else self.plan.cost,
            "is_optimal": self.is_optimal,
            "lower_bound": self.lower_bound,
            "costs": [{"time_s": round(time_s, 6), "cost": cost} for time_s, cost in self.costs],
            "initial_estimate": self.initial_estimate,
            "expanded": self.num_expanded,
            "evaluated": self.num_evaluated,
            "generated": self.num_generated,
            "registered_states": self.num_registered,
            "peak_memory_kb": self.peak_memory_kb,
            "times_s": {phase: round(seconds, 6) for phase, seconds in self.times_s.items()},
            "num_samples": self.num_samples,
            "num_epochs": self.num_epochs,
            "num_reseeds": self.num_reseeds,
            "num_rounds": self.num_iterations,
            "validation_error": _finite(self.validation_error),
            "num_restarts": self.num_restarts,
            "solved_by": self.solved_by,
            "config": self.config,
            "seed": self.seed,
            "version": own_version(),
        }


def ended_early(status: Status, config: str, seed: int, ended_while: str, elapsed_s: float) -> SolveResult:
    """The result of a run that a limit ended before it began."""
    times_s = {**dict.fromkeys(PHASES, 0.0), "total": elapsed_s}
    return SolveResult(status, None, config, seed, times_s, ended_while=ended_while)


def error_json(error: SingError, files: Sequence[str]) -> dict[str, Any]:
    """The object that `sing solve --json` writes where there is no result."""
    return {"status": "error", "error": str(error), "files": list(files), "exit_code": error.exit_code}


def _finite(number: float | None) -> float | None:
    """JSON has neither NaN nor infinity."""
    return number if number is not None and math.isfinite(number) else None


@dataclass(frozen=True)
class LearnResult:
    """A model and how it came about. `model` is None where a limit ended the run before there was one."""

    status: Status | None  # None: it went well; else what ended it
    learned: Learned | None
    times_s: dict[str, float]

    @property
    def model(self) -> Model | None:
        return self.learned.model if self.learned else None

    def __str__(self) -> str:
        if self.learned is None:
            return f"no model: {self.status.words if self.status else 'nothing learned'}, {_times(self.times_s)}"
        return f"{self.learned}\n{_times(self.times_s)}"


def _times(times_s: dict[str, float]) -> str:
    """The phases that took any time.

    >>> _times({"sample": 0.5, "train": 0.0, "total": 0.75})
    '0.75 s (sample 0.50 s)'
    """
    phases = ", ".join(f"{name} {time_s:.2f} s" for name, time_s in times_s.items() if time_s and name != "total")
    return f"{times_s['total']:.2f} s" + (f" ({phases})" if phases else "")
