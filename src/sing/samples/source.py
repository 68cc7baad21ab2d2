"""Where states with labels come from: the one interface of all learners."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from sing.base.budget import Budget
from sing.base.errors import InputError
from sing.samples.samples import Samples
from sing.task.task import Task

# Hears how many samples there are, about ten times a second.
OnProgress = Callable[[int], object]


class SampleSource(ABC):
    """A configuration that makes states with labels for a task: backward sampling, teacher searches and others.

    To add a learner, derive a frozen dataclass of knobs from this class; `LearningConfig(sampling=...)` trains on what
    it samples, and a configuration in planners/catalog.py gives it a name.
    """

    @abstractmethod
    def sample(
        self,
        task: Task,
        *,
        seed: int = 0,
        jobs: int = 1,
        budget: Budget | None = None,
        on_progress: OnProgress = lambda num_samples: None,
    ) -> Samples:
        """States with labels. The same seed gives the same ones whatever `jobs`, the number of threads.

        When the budget ends first, what there is by then is returned, and its `status` says why. Raises what check_task
        raises, and LimitReached or MemoryError where the budget ends before there can be anything.
        """

    def check_task(self, task: Task) -> None:  # noqa: B027, most sources work on every task
        """Raise UnsupportedError where there is nothing to sample by these means on such a task."""

    @property
    @abstractmethod
    def gives_full_states(self) -> bool:
        """Whether every variable of a sample has a value, but for those that none was consistent for."""

    @property
    @abstractmethod
    def title(self) -> str:
        """What was sampled and how, in a few words."""

    @property
    @abstractmethod
    def why_nothing(self) -> str:
        """Why there may be no samples at all, although no limit was reached."""


def check_run(seed: int, jobs: int) -> None:
    """Raise InputError for a seed or a number of threads that cannot be."""
    if jobs < 1:
        raise InputError(f"the number of jobs is {jobs}; it must be at least 1")
    if not 0 <= seed < 2**64:
        raise InputError(f"the seed is {seed}; it must be between 0 and 2^64 - 1")
