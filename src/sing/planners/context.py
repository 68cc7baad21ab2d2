"""What a planner runs with."""

from __future__ import annotations

from dataclasses import dataclass, field

from sing.base.budget import Budget
from sing.base.reporter import Reporter


@dataclass(frozen=True)
class Context:
    """Time and memory, a seed, threads, and who hears of the run."""

    budget: Budget
    seed: int = 0
    jobs: int = 1
    reporter: Reporter = field(default_factory=Reporter)
