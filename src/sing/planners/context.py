"""What a planner runs with."""

from __future__ import annotations

from dataclasses import dataclass, field

from sing.base.budget import Budget
from sing.base.reporter import Reporter


@dataclass(frozen=True)
class Context:
    """The budget, the seed, the number of threads and the reporter of a run."""

    budget: Budget
    seed: int = 0
    jobs: int = 1
    reporter: Reporter = field(default_factory=Reporter)
