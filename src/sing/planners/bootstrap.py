"""Bootstrapping as a planner: after each round of learning the given problem is tried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sing.base.budget import LimitReached
from sing.base.errors import NothingLearnedError
from sing.base.knobs import check, knob, part
from sing.base.outcome import Status
from sing.learning.bootstrap import BootstrapConfig, Bootstrapping, Round
from sing.learning.learn import Learned, learned_from
from sing.networks.encoding import ENCODINGS, Encoding
from sing.networks.model import Model
from sing.networks.training import TrainingConfig
from sing.planners.attempt import Attempt
from sing.planners.context import Context
from sing.planners.heuristics import ModelHeuristic
from sing.planners.planner import Planner
from sing.planners.single import SHORTEN_MEANING, Config, search_of_model
from sing.search.search import NO_LIMIT, SearchConfig, named_heuristic
from sing.task.task import Task


def _search() -> SearchConfig:
    """Goal count beside what was learned: Arfaee et al. give their networks weak heuristics as inputs."""
    return SearchConfig(("h", "o"))


@dataclass(frozen=True)
class Bootstrap(Planner):
    """Learns from ever harder problems that the present heuristic solves, and tries the given one after each round.

    What a round's searches did is also what the attempt after it may do, times `try_share`, which grows. After the last
    round the given problem has all the time that is left.
    """

    bootstrap: BootstrapConfig = part(BootstrapConfig, "the rounds of learning")
    encoding: str = knob(
        "boolean", "inputs of the network: `boolean`, one bit per atom, or `sas`, one number per variable",
        choices=ENCODINGS,
    )  # fmt: skip
    training: TrainingConfig = part(TrainingConfig, "the network and its training")
    search: SearchConfig = part(_search, "how it searches, for the problems of rounds and for the given one")
    try_share: float = knob(
        1.0, "how much the given problem may take after the first round, as a share of that round's work", least=0.0
    )
    try_growth: float = knob(1.5, "how many times as large the share is after the next round", least=1.0)
    shorten_share: float = knob(0.0, SHORTEN_MEANING, least=0.0)

    def __post_init__(self) -> None:
        check(self)

    def attempts(self, task: Task, context: Context) -> list[Attempt]:
        attempts: list[Attempt] = []
        try:
            rounds = self._bootstrapping(task, context)
            heuristic = rounds.heuristics[0]
            for done in () if task.is_emptied else rounds.rounds():
                attempt = self._attempt_after(done, is_restart=bool(attempts))
                attempts.append(attempt)
                heuristic = rounds.heuristics[0]
                share = self.try_share * self.try_growth ** (done.number - 1)
                max_work = max(self.bootstrap.first_work, int(min(share * done.searches.work, NO_LIMIT)))
                attempt.search(task, heuristic, self.search, context, max_work=max_work)
                if attempt.is_decisive:
                    break
            if not (attempts and attempts[-1].is_decisive):
                attempts.append(Attempt(f"{self.name}, last search", is_restart=bool(attempts)))
                if rounds.result is None:
                    why = f"no round taught enough; searching with {self.bootstrap.first_heuristic}"
                    context.reporter.done("learn", 0.0, why)
                attempts[-1].search(task, heuristic, self.search, context)
            attempts[-1].shorten(task, self.shorten_share, context)
        except (LimitReached, MemoryError) as limit:
            if not attempts or attempts[-1].is_decisive:
                attempts.append(Attempt(self.name, is_restart=bool(attempts)))
            attempts[-1].status = limit.status if isinstance(limit, LimitReached) else Status.OUT_OF_MEMORY
        return attempts

    def _attempt_after(self, done: Round, *, is_restart: bool) -> Attempt:
        attempt = Attempt(f"{self.name}, round {done.number}", is_restart=is_restart)
        attempt.num_samples = done.num_samples
        attempt.sample_time_s, attempt.train_time_s = done.search_time_s, done.train_time_s
        if done.training is not None:
            attempt.note_training(done.training)
        return attempt

    def _bootstrapping(self, task: Task, context: Context) -> Bootstrapping:
        first = [named_heuristic(task, self.bootstrap.first_heuristic, context.budget) for _ in range(context.jobs)]
        return Bootstrapping(
            task, self.bootstrap, Encoding.of(task, self.encoding), self.training, self.search, context.seed,
            context.jobs, context.budget, context.reporter, first,
        )  # fmt: skip

    @property
    def learns(self) -> bool:
        return True

    def learn(self, task: Task, context: Context) -> Learned:
        """The network of the last round that taught enough, as a model."""
        if task.is_emptied:
            raise NothingLearnedError("the goal is static: there is nothing to learn")
        rounds = self._bootstrapping(task, context)
        num_samples, search_time_s, train_time_s = 0, 0.0, 0.0
        try:
            for done in rounds.rounds():
                num_samples += done.num_samples if done.has_taught else 0
                search_time_s += done.search_time_s
                train_time_s += done.train_time_s
        except LimitReached:
            if rounds.result is None:
                raise
        if rounds.result is None:
            raise NothingLearnedError("no round solved enough problems to learn from")
        told = {**self.origin, "learned": learned_from(rounds.result, rounds.result.layers, None, num_samples)}
        model = Model(rounds.encoding, rounds.result.layers, told, context.seed)
        return Learned(model, num_samples, rounds.result, search_time_s, train_time_s)

    @property
    def origin(self) -> dict[str, Any]:
        return {"name": self.name, "search": search_of_model(self.search, self.shorten_share)}

    def with_model(self, model: Model, force: bool) -> Config:
        return Config(self.name, self.description, ModelHeuristic(model, force), self.search, self.shorten_share)

    @property
    def trainings(self) -> tuple[TrainingConfig, ...]:
        return (self.training,)

    @property
    def is_random(self) -> bool:
        return True
