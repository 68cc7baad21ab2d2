"""Where the heuristic of a search comes from: a name, learning, or a model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Any

from sing.base.errors import InputError, NothingLearnedError
from sing.base.knobs import knob, part
from sing.base.names import unknown
from sing.learning.learn import LearningConfig, learn_model
from sing.networks.model import Model
from sing.planners.attempt import Attempt
from sing.planners.beams import MakeHeuristic
from sing.planners.context import Context
from sing.search.search import HEURISTICS, named_heuristic
from sing.task.task import Task

# The heuristic that is used where nothing could be learned.
FALLBACK_HEURISTIC = "goalcount"


class HeuristicSource(ABC):
    """Makes the heuristic of a search for a task."""

    learning: LearningConfig | None = None  # where it learns one

    @abstractmethod
    def maker(self, task: Task, context: Context, attempt: Attempt, origin: dict[str, Any]) -> MakeHeuristic:
        """What makes the heuristic, as often as there are threads to search with it.

        What was learned on the way is counted in the attempt; `origin` is kept with it. Raises LimitReached, as what it
        returns does, and InputError where a model is for another search space.
        """

    @property
    def is_random(self) -> bool:
        """Whether another seed gives another heuristic."""
        return False


@dataclass(frozen=True)
class NamedHeuristic(HeuristicSource):
    """One that the core computes by itself."""

    name: str = knob(FALLBACK_HEURISTIC, "the heuristic: " + ", ".join(HEURISTICS))

    def __post_init__(self) -> None:
        if self.name not in HEURISTICS:
            raise InputError(unknown("heuristic", self.name, HEURISTICS))

    def maker(self, task: Task, context: Context, attempt: Attempt, origin: dict[str, Any]) -> MakeHeuristic:
        return partial(named_heuristic, task, self.name, context.budget)


@dataclass(frozen=True)
class LearnedHeuristic(HeuristicSource):
    """A network learned for the search space of the task before the search; goal count where that fails."""

    learning: LearningConfig = part(LearningConfig, "how the heuristic is learned")

    def maker(self, task: Task, context: Context, attempt: Attempt, origin: dict[str, Any]) -> MakeHeuristic:
        if task.is_emptied:  # the goal is static: nothing is left to learn or to estimate
            return partial(named_heuristic, task, FALLBACK_HEURISTIC, context.budget)
        try:
            learned = learn_model(
                task, self.learning, origin, seed=context.seed, jobs=context.jobs, budget=context.budget,
                reporter=context.reporter, search_follows=True,
            )  # fmt: skip
        except (NothingLearnedError, MemoryError) as error:
            why = "no memory to learn" if isinstance(error, MemoryError) else str(error)
            context.reporter.done("learn", 0.0, f"{why}; searching with {FALLBACK_HEURISTIC} instead")
            return partial(named_heuristic, task, FALLBACK_HEURISTIC, context.budget)
        attempt.note_training(learned.training)
        attempt.num_samples, attempt.num_iterations = learned.num_samples, learned.num_iterations
        attempt.sample_time_s, attempt.train_time_s = learned.sample_time_s, learned.train_time_s
        return partial(learned.model.heuristic, task, budget=context.budget)

    @property
    def is_random(self) -> bool:
        return True


@dataclass(frozen=True)
class ModelHeuristic(HeuristicSource):
    """A model that was learned before. With `force` it is used also on a task of another search space."""

    model: Model
    force: bool = False

    def maker(self, task: Task, context: Context, attempt: Attempt, origin: dict[str, Any]) -> MakeHeuristic:
        if task.is_emptied:
            return partial(named_heuristic, task, FALLBACK_HEURISTIC, context.budget)
        return partial(self.model.heuristic, task, self.force, context.budget)
