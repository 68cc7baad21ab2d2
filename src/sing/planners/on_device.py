"""Learning and beams on a device of PyTorch."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from sing.base.budget import LimitReached
from sing.base.errors import InputError, NothingLearnedError
from sing.base.knobs import check, knob, part
from sing.base.outcome import Status
from sing.learning.learn import Learned
from sing.networks.model import Model
from sing.planners.attempt import IMPROVE_MEANING, Attempt, describe
from sing.planners.context import Context
from sing.planners.heuristics import FALLBACK_HEURISTIC
from sing.planners.planner import Planner
from sing.planners.single import SHORTEN_MEANING, search_of_model
from sing.search.search import SearchConfig, named_heuristic
from sing.task.task import Task
from sing.tensors.config import TensorBeamConfig, TensorLearningConfig

# Of the time that is left, for learning where a search follows.
_LEARNING_SHARE = 1 / 2


@dataclass(frozen=True)
class OnDevice(Planner):
    """Learns from backward walks on a device, or is given a model, and searches by beams there.

    PyTorch is imported when it runs. `search` is kept in the models, for those who search with them without PyTorch.
    """

    device: str = knob("cuda", "where PyTorch computes: cuda, cpu or another of its devices")
    learn_on_device: TensorLearningConfig = part(TensorLearningConfig, "how it learns")
    beam: TensorBeamConfig = part(TensorBeamConfig, "how it searches")
    search: SearchConfig = part(
        SearchConfig, "how its models are used where there is no such device", by_path_only=True
    )
    shorten_share: float = knob(0.1, SHORTEN_MEANING, least=0.0)
    improve_work: int = knob(0, "of its models where there is no such device: " + IMPROVE_MEANING, least=0)

    def __post_init__(self) -> None:
        check(self)

    def check_installed(self) -> None:
        from sing.networks.torch_device import find_device  # imports PyTorch, which takes seconds

        find_device(self.device)

    @property
    def learns(self) -> bool:
        return True

    @property
    def is_random(self) -> bool:
        return True

    @property
    def origin(self) -> dict[str, Any]:
        return {"name": self.name, "search": search_of_model(self.search, self.shorten_share, self.improve_work)}

    def with_model(self, model: Model, force: bool) -> ModelOnDevice:
        if model.has_voices or model.graph is not None:
            raise InputError("a device evaluates models with one output and dense layers; drop --device for this one")
        return ModelOnDevice(
            self.name, self.description, self.device, self.learn_on_device, self.beam, self.search, self.shorten_share,
            self.improve_work, model, force,
        )  # fmt: skip

    def learn(self, task: Task, context: Context) -> Learned:
        self.check_installed()
        from sing.tensors.learn import learn_on_device

        return learn_on_device(
            task, self.learn_on_device, self.device, self.origin,
            seed=context.seed, jobs=context.jobs, budget=context.budget, reporter=context.reporter,
        )  # fmt: skip

    def attempts(self, task: Task, context: Context) -> list[Attempt]:
        attempt = Attempt(self.name)
        try:
            if task.is_emptied:  # the goal is static: nothing is left to learn or to estimate
                heuristic = named_heuristic(task, FALLBACK_HEURISTIC, context.budget)
                attempt.search(task, heuristic, self.search, context)
            else:
                model, force = self._model(task, attempt, context)
                if model is None:
                    heuristic = named_heuristic(task, FALLBACK_HEURISTIC, context.budget)
                    attempt.search(task, heuristic, self.search, context)
                else:
                    self._search(task, model, force, attempt, context)
                attempt.shorten(task, self.shorten_share, context)
        except LimitReached as limit:
            attempt.status = limit.status
        except MemoryError as error:
            attempt.status = Status.OUT_OF_MEMORY
            if str(error):
                context.reporter.done("search", 0.0, str(error))
        return [attempt]

    def _model(self, task: Task, attempt: Attempt, context: Context) -> tuple[Model | None, bool]:
        """A model, and whether it may be one of another search space; None where nothing could be learned."""
        budget = context.budget.slice(_LEARNING_SHARE * context.budget.remaining_s)
        try:
            learned = self.learn(task, dataclasses.replace(context, budget=budget))
        except NothingLearnedError as error:
            context.reporter.done("learn", 0.0, f"{error}; searching with {FALLBACK_HEURISTIC} instead")
            return None, False
        attempt.note_training(learned.training)
        attempt.num_samples = learned.num_samples
        attempt.sample_time_s, attempt.train_time_s = learned.sample_time_s, learned.train_time_s
        return learned.model, False

    def _search(self, task: Task, model: Model, force: bool, attempt: Attempt, context: Context) -> None:
        from sing.tensors.solve import DeviceBeams

        budget, reporter = context.budget, context.reporter
        start_s = budget.elapsed_s
        reporter.working("search")
        try:
            beams = DeviceBeams(
                task, model, force, self.device, seed=context.seed, jobs=context.jobs, budget=budget, reporter=reporter
            )
            attempt.found = beams.run(self.beam)
        finally:
            attempt.search_time_s += budget.elapsed_s - start_s
        attempt.status, attempt.plan = attempt.found.status, attempt.found.plan
        if attempt.status is Status.SOLVED:
            attempt.heuristic, attempt.task = model.heuristic(task, force, budget), task
        reporter.searching(attempt.found.statistics)
        reporter.done("search", attempt.search_time_s, describe(attempt.found.statistics))


@dataclass(frozen=True)
class ModelOnDevice(OnDevice):
    """Searches by beams on a device with a model that was learned before. With `force` also on another search space."""

    model: Model | None = None
    force: bool = False

    @property
    def learns(self) -> bool:
        return False

    def _model(self, task: Task, attempt: Attempt, context: Context) -> tuple[Model | None, bool]:
        return self.model, self.force
