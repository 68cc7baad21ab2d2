"""One search with one heuristic."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from sing.base.budget import LimitReached
from sing.base.errors import InputError
from sing.base.knobs import check, knob, part
from sing.base.outcome import Status
from sing.learning.learn import LearningConfig
from sing.networks.model import Model
from sing.planners.attempt import IMPROVE_MEANING, Attempt
from sing.planners.context import Context
from sing.planners.heuristics import HeuristicSource, ModelHeuristic, NamedHeuristic
from sing.planners.landmarks import LANDMARKS_MEANING, with_landmarks
from sing.planners.planner import Planner
from sing.search.beam import BeamConfig
from sing.search.search import SearchConfig
from sing.task.task import Task

SHORTEN_MEANING = "the share of the search's work that goes into making its plan shorter; 0: none"
BEST_FIRST, BEAM = "best-first", "beam"


@dataclass(frozen=True)
class Config(Planner):
    """Makes a heuristic, searches with it, and makes the plan shorter; then beams may look for a better one."""

    heuristic: HeuristicSource = part(NamedHeuristic, "where the heuristic comes from")
    search: SearchConfig = part(SearchConfig, "how it searches")
    shorten_share: float = knob(0.0, SHORTEN_MEANING, least=0.0)
    algorithm: str = knob(
        BEST_FIRST,
        "how it searches: `best-first`, or with a `beam`, the best states of each layer, twice as wide where it fails",
        choices=(BEST_FIRST, BEAM),
    )
    beam: BeamConfig = part(BeamConfig, "what beams are like")
    improve_work: int = knob(0, IMPROVE_MEANING, least=0)
    landmarks: int = knob(0, LANDMARKS_MEANING, least=0)

    def __post_init__(self) -> None:
        check(self)

    def attempts(self, task: Task, context: Context) -> list[Attempt]:
        is_learned = isinstance(self.heuristic, ModelHeuristic) or self.learning is not None
        attempt = Attempt(self.name, is_learned=is_learned)
        try:
            searched = with_landmarks(task, self.landmarks, context)
            make = self.heuristic.maker(searched, context, attempt, self.origin)
            if self.algorithm == BEAM:
                attempt.search_with_beams(searched, make, self.beam, context)
            else:
                attempt.search(searched, make(), self.search, context)
            attempt.shorten(task, self.shorten_share, context)
            if self.algorithm == BEST_FIRST:
                attempt.improve(searched, make, self.beam, self.improve_work, context)
        except LimitReached as limit:
            attempt.status = limit.status
        except MemoryError:
            attempt.status = Status.OUT_OF_MEMORY
        return [attempt]

    @property
    def is_random(self) -> bool:
        return self.heuristic.is_random or self.search.ties == "random" or self.algorithm == BEAM

    @property
    def learning(self) -> LearningConfig | None:
        return self.heuristic.learning

    def first_only(self) -> Config:
        return dataclasses.replace(self, improve_work=0)

    def with_model(self, model: Model, force: bool) -> Config:
        if self.learning is None:
            return super().with_model(model, force)  # type: ignore[return-value]
        return dataclasses.replace(self, heuristic=ModelHeuristic(model, force))

    @property
    def origin(self) -> dict[str, Any]:
        """What a model file records about the configuration: its name, and how to search with the model."""
        return {"name": self.name, "search": search_of_model(self.search, self.shorten_share, self.improve_work)}


def search_of_model(search: SearchConfig, shorten_share: float, improve_work: int = 0) -> dict[str, Any]:
    """How to search with a model, as config_of() reads it."""
    return {**dataclasses.asdict(search), "shorten_share": shorten_share, "improve_work": improve_work}


def config_of(model: Model, force: bool = False) -> Config:
    """The configuration that searches as the model's file says, in the plainest way where it does not say."""
    told = model.config.get("search", {})
    heuristic = ModelHeuristic(model, force)
    try:
        search = SearchConfig(
            tuple(told["queues"]), told["ties"], bool(told.get("goal_orders", False)), int(told.get("boost", 0))
        )
        shorten_share, improve_work = float(told.get("shorten_share", 0)), int(told.get("improve_work", 0))
        return Config("model", "", heuristic, search, shorten_share, improve_work=improve_work)
    except (KeyError, TypeError, ValueError, InputError):
        return Config("model", "", heuristic)
