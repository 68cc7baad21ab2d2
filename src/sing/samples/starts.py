"""Full states that learners search or estimate from: by random walks from either end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sing import _core
from sing.base.budget import Budget
from sing.base.errors import InputError
from sing.base.knobs import check, knob
from sing.task.task import Task

if TYPE_CHECKING:
    import numpy.typing as npt

DIRECTIONS = ("forward", "backward")
_COMPLETION = {"random": _core.Completion.RANDOM, "walk": _core.Completion.WALK}
_NO_LIMIT = 2**32 - 1
_NO_PARENT = 2**32 - 1
# Of the time, for backward walks; the rest is for completing their states, which has a moment in any case.
_WALKS_SHARE, _GRACE_S = 0.7, 0.3


@dataclass(frozen=True)
class StartsConfig:
    """Random walks whose last states are full states to begin from."""

    direction: str = knob(
        "backward",
        "where walks begin: `forward` from the initial state, or `backward` from the goal by regression, and completed",
        choices=DIRECTIONS,
    )
    num_starts: int = knob(200, "how many walks there are, and so states", least=1)
    min_steps: int = knob(1, "the least length of a walk", least=0)
    max_steps: int = knob(200, "the greatest length of a walk", least=0)
    completion: str = knob(
        "walk",
        "how backward walks get full states: `random` mutex-consistent values, or those of forward walks (`walk`)",
        choices=tuple(_COMPLETION),
    )

    def __post_init__(self) -> None:
        check(self)
        if self.min_steps > self.max_steps:
            raise InputError(f"walks have at least {self.min_steps} and at most {self.max_steps} steps")
        if self.num_starts * (self.max_steps + 1) >= 2**32 - 1:
            raise InputError(f"{self.num_starts} walks of {self.max_steps} steps are too many")

    def draw(self, task: Task, *, seed: int, jobs: int, budget: Budget) -> _core.Samples:
        """The last states of the walks, as samples with the number of steps as labels; 0 for forward walks.

        The same seed gives the same states with any number of threads. Fewer than wanted where the time is too short
        for all. Raises LimitReached or MemoryError where there is no time or memory even to begin.
        """
        if self.direction == "forward":
            return _core.last_states_of_walks(
                task.core, count=self.num_starts, min_steps=self.min_steps, max_steps=self.max_steps, seed=seed,
                time_limit_s=budget.remaining_s, memory_limit_bytes=budget.remaining_bytes,
                progress=lambda: not budget.interrupted,
            )  # fmt: skip
        sampler = _core.Sampler(
            task.core,
            space="r",
            strategy=_core.Strategy.RANDOM_WALK,
            collection=_core.Collection.EXPANDED,
            num_searches=self.num_starts,
            num_samples=self.max_steps + 1,
            num_breadth_first=1,
            max_depth=_NO_LIMIT,
            consistent_starts=False,
            seed=seed,
            guard=budget.guard(),
        )
        walks = sampler.run(
            num_threads=jobs,
            time_limit_s=_WALKS_SHARE * budget.remaining_s,
            memory_limit_bytes=budget.remaining_bytes,
            progress=lambda num_samples: not budget.interrupted,
        )
        last = walks.chosen(self._last_of_walks(walks, seed))
        last.complete(
            task.core, _COMPLETION[self.completion], seed=seed, num_threads=jobs,
            time_limit_s=max(budget.remaining_s, _GRACE_S), memory_limit_bytes=budget.remaining_bytes,
            progress=lambda: not budget.interrupted,
        )  # fmt: skip
        return last

    def _last_of_walks(self, walks: _core.Samples, seed: int) -> npt.NDArray[np.uint32]:
        """Of each walk the state after a random number of steps, or its last where it ended before."""
        begins = np.flatnonzero(walks.parents == _NO_PARENT)
        ends = np.append(begins[1:], len(walks)) - 1
        generator = np.random.default_rng(np.random.SeedSequence([seed, 1]))
        steps = generator.integers(self.min_steps, self.max_steps, size=self.num_starts, endpoint=True)
        last: npt.NDArray[np.int64] = np.minimum(begins + steps[: len(begins)], ends)
        return last.astype(np.uint32)
