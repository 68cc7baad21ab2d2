"""What a planner is: a named configuration that can be run on a task."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from sing.base.errors import InputError
from sing.base.knobs import UnknownFieldError, changed, parsed, text_of
from sing.learning.learn import Learned, LearningConfig, learn_model
from sing.networks.model import Model
from sing.networks.train import check_trainer
from sing.networks.training import TrainingConfig
from sing.planners.attempt import Attempt
from sing.planners.context import Context
from sing.task.task import Task

AnyPlanner = TypeVar("AnyPlanner", bound="Planner")


@dataclass(frozen=True)
class Planner(ABC):
    """A configuration by name. The fields of its subclasses say how it learns and searches.

    To add a kind of planner, derive from this class, say in `attempts` how it runs, and name one in configs.py.
    """

    name: str
    description: str

    @abstractmethod
    def attempts(self, task: Task, context: Context) -> list[Attempt]:
        """Try to solve a task within the budget. The last attempt says how it ended.

        Reaching a limit is the status of an attempt and not an exception.
        """

    @property
    @abstractmethod
    def is_random(self) -> bool:
        """Whether another seed may give another plan."""

    @property
    def parts(self) -> tuple[Planner, ...]:
        """The planners whose fields make it up: itself, or its members."""
        return (self,)

    @property
    def learning(self) -> LearningConfig | None:
        """How it learns one heuristic from samples; None where it does not."""
        return None

    @property
    def trainings(self) -> tuple[TrainingConfig, ...]:
        """How it trains networks; empty where it does not."""
        return () if self.learning is None else (self.learning.training,)

    def check_installed(self) -> None:
        """Raise InputError where a trainer or its device is not there: before a run rather than within it."""
        for training in self.trainings:
            check_trainer(training)

    def check_task(self, task: Task) -> None:
        """Raise UnsupportedError where the planner learns in a space that the task has not."""
        if self.learning is not None:
            self.learning.sampling.check_task(task)

    @property
    def learns(self) -> bool:
        """Whether learn() makes a model."""
        return self.learning is not None

    def learn(self, task: Task, context: Context) -> Learned:
        """Learn the heuristic and nothing else. Raises LimitReached, and NothingLearnedError where that fails."""
        if self.learning is None:
            raise InputError(f"configuration '{self.name}' does not learn one heuristic")
        return learn_model(
            task, self.learning, self.origin, seed=context.seed, jobs=context.jobs, budget=context.budget,
            reporter=context.reporter, search_follows=False,
        )  # fmt: skip

    @property
    def origin(self) -> dict[str, Any]:
        """What a model file records about the planner that learned it."""
        return {"name": self.name}

    def with_model(self, model: Model, force: bool) -> Planner:
        """The planner that searches like this one, but with a model instead of learning. Raises InputError."""
        raise InputError(f"configuration '{self.name}' does not search with one learned heuristic")

    def first_only(self: AnyPlanner) -> AnyPlanner:
        """The planner that ends with its first plan."""
        return self

    def override(self: AnyPlanner, **values: Any) -> AnyPlanner:
        """The same with fields replaced, such as `hidden=(64, 64)`; None changes nothing.

        A field is named by its path, as in `**{"search.queues": ("h", "nh")}`, or by the end of it where that is
        enough.
        Raises InputError where there is no such field or it cannot have that value.
        """
        given = {name: value for name, value in values.items() if value is not None}
        return self.set(given) if given else self

    def with_settings(self: AnyPlanner, assignments: Iterable[str]) -> AnyPlanner:
        """The same with fields replaced as texts such as `search.queues=h,nh` say. Raises InputError."""
        values = dict(self.parse(assignment) for assignment in assignments)
        return self.set(values) if values else self

    def parse(self, assignment: str) -> tuple[str, Any]:
        """The name and the value of a field from a text such as `search.queues=h,nh`. Raises InputError."""
        with self._named_in_errors():
            return parsed(self, assignment)

    def set(self: AnyPlanner, values: dict[str, Any]) -> AnyPlanner:
        """The same with fields replaced; None is a value like others. See override()."""
        with self._named_in_errors():
            new = changed(self, values)
        words = " ".join(f"{name}={text_of(value)}" for name, value in values.items())
        return dataclasses.replace(new, name=f"{self.name} {words}")

    @contextmanager
    def _named_in_errors(self) -> Iterator[None]:
        try:
            yield
        except UnknownFieldError as error:
            raise UnknownFieldError(
                f"configuration '{self.name}' has no {error}; `sing configs {self.name.split()[0]}` lists its fields",
                error.field,
            ) from None
