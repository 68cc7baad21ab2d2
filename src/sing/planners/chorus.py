"""Rounds of learning and searching: the first search teaches the voices of all others."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np

from sing import _core
from sing.base.budget import Budget, LimitReached
from sing.base.errors import NothingLearnedError
from sing.base.outcome import Status
from sing.base.reporter import Reporter
from sing.learning.voices import VoicesConfig, learn_voices, max_links
from sing.planners.attempt import Attempt
from sing.planners.configs import Chorus
from sing.search.search import FALLBACK_HEURISTIC, NO_LIMIT
from sing.task.task import Task

# Of the time, for the first search at most.
_FIRST_SHARE = 0.2
# A search that fills its memory before this many successors would only do so again.
_LEAST_GENERATED = 100_000


def sing_in_rounds(task: Task, config: Chorus, *, seed: int, budget: Budget, reporter: Reporter) -> list[Attempt]:
    """The first search, then rounds with more to do each, until one is decisive or the budget ends.

    The last attempt says how it ended. The same seed gives the same attempts, unless time or memory ends one of them.
    """
    return _Searcher(task, config, seed, budget, reporter).run()


class _Searcher:
    def __init__(self, task: Task, config: Chorus, seed: int, budget: Budget, reporter: Reporter) -> None:
        self.task = task
        self.config = config
        self.seed = seed
        self.budget = budget
        self.reporter = reporter
        self.seen: _core.Search | None = None  # what the first search has seen
        self.round_generated = config.round_generated  # successors of the next round

    def run(self) -> list[Attempt]:
        attempts: list[Attempt] = []
        for number in itertools.count():
            attempt = Attempt(f"{self.config.name}, round {number}" if number else f"{self.config.name}, first search")
            attempts.append(attempt)
            try:
                self._round(number, attempt)
            except LimitReached as limit:
                attempt.status = limit.status
            except MemoryError:
                attempt.status = Status.OUT_OF_MEMORY
            if not _goes_on(attempt, self.budget):
                break
        return attempts

    def _round(self, number: int, attempt: Attempt) -> None:
        seed = int(np.random.SeedSequence([self.seed, number]).generate_state(1, np.uint64)[0])
        if number == 0:
            self.seen = attempt.search(
                self.task,
                self.config.first,
                None,
                self.budget.slice(_FIRST_SHARE * self.budget.remaining_s),
                self.reporter,
                seed=seed,
                max_generated=self.config.first_generated,
                max_links=max_links(self.task, self.budget) if self.config.voices else 0,
            )
        else:
            heuristic = self._learn(attempt, seed, self._voices_config(number))
            config = self.config.search
            if heuristic is None:
                config = dataclasses.replace(config, heuristic=FALLBACK_HEURISTIC)
            max_generated, self.round_generated = self.round_generated, _grown(self.round_generated, self.config.growth)
            attempt.search(
                self.task, config, heuristic, self.budget, self.reporter, seed=seed, max_generated=max_generated
            )
        attempt.shorten(self.task, self.config.shorten_share, self.budget, self.reporter)

    def _voices_config(self, number: int) -> VoicesConfig | None:
        """Every second round also regresses by pairs of facts: what one round cannot see the next may."""
        config = self.config.voices
        return config if config is None or number % 2 else dataclasses.replace(config, max_width=2)

    def _learn(self, attempt: Attempt, seed: int, config: VoicesConfig | None) -> _core.Heuristic | None:
        """None where nothing is to be learned, or nothing could be."""
        if config is None or self.seen is None:
            return None
        try:
            voices = learn_voices(
                self.task, self.seen, config, self.config.training,
                seed=seed, budget=self.budget, reporter=self.reporter,
            )  # fmt: skip
        except (NothingLearnedError, MemoryError) as error:
            why = str(error) or "no memory to learn"
            self.reporter.done("learn", 0.0, f"{why}; searching with {FALLBACK_HEURISTIC} instead")
            return None
        attempt.note_training(voices.training)
        attempt.num_samples = voices.num_samples
        attempt.sample_time_s, attempt.train_time_s = voices.sample_time_s, voices.train_time_s
        return voices.heuristic


def _grown(max_generated: int, growth: float) -> int:
    return int(min(growth * max_generated, NO_LIMIT))


def _goes_on(attempt: Attempt, budget: Budget) -> bool:
    if attempt.is_decisive:
        return False
    if budget.interrupted:
        attempt.status = Status.INTERRUPTED
        return False
    if budget.remaining_s <= 0:
        attempt.status = Status.OUT_OF_TIME
        return False
    if attempt.status is Status.OUT_OF_MEMORY:
        return attempt.found is not None and attempt.found.statistics.num_generated >= _LEAST_GENERATED
    return True
