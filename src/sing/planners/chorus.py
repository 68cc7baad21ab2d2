"""Rounds of learning and searching: all rounds learn from what the first search has seen."""

from __future__ import annotations

import dataclasses
import itertools
from dataclasses import dataclass
from typing import Any

from sing import _core
from sing.base.budget import Budget, LimitReached
from sing.base.errors import NothingLearnedError
from sing.base.knobs import check, knob, part
from sing.base.outcome import Status
from sing.base.seeds import derived_seed
from sing.learning.learn import Learned
from sing.learning.voices import VoicesConfig, learn_voices, max_links, voices_model
from sing.networks.model import Model
from sing.networks.training import TrainingConfig
from sing.planners.attempt import Attempt
from sing.planners.context import Context
from sing.planners.heuristics import FALLBACK_HEURISTIC, ModelHeuristic
from sing.planners.landmarks import LANDMARKS_MEANING, with_landmarks
from sing.planners.planner import Planner
from sing.planners.pruning import PRUNE_MEANING, PRUNE_WORK, pruned
from sing.planners.side_by_side import side_by_side
from sing.planners.single import SHORTEN_MEANING, Config, search_of_model
from sing.planners.symmetries import SYMMETRY_MEANING, SYMMETRY_WORK, interchangeable_objects
from sing.search.search import HEURISTICS, NO_LIMIT, SearchConfig, named_heuristic
from sing.task.task import Task

# The first search may use at most this share of the time.
_FIRST_SHARE = 0.2
# A search that fills its memory before this many successors would only do so again.
_LEAST_GENERATED = 100_000
# Rounds take turns.
_KINDS = ("greedy", "broad", "voices")
# Between the seeds of searchers: so far that no searcher meets the seeds of another.
_SEEDS_APART = 0x9E3779B97F4A7C15


def _first_search() -> SearchConfig:
    return SearchConfig(("o", "no", "l", "nl"), "random", goal_orders=True)


def _greedy_search() -> SearchConfig:
    return SearchConfig(("nh", "h", "ph", "nlh", "l", "nl", "*ld"), "random", goal_orders=True, boost=300)


def _broad_search() -> SearchConfig:
    return SearchConfig(("nh", "h", "ph", "noh", "o", "no", "*od", "l", "nl"), "random", goal_orders=True)


def _voices_search() -> SearchConfig:
    return SearchConfig(("nh", "h", "ph", "noh", "o", "no", "*od"), "random", goal_orders=True)


def _training() -> TrainingConfig:
    return TrainingConfig(hidden=(32,), max_epochs=10)


@dataclass(frozen=True)
class Chorus(Planner):
    """A first search, then rounds that search on in three ways in turns: greedily, broadly, with learned voices.

    The first two follow relaxed plans and landmarks. The third learns one voice per goal from what a first search has
    seen. With several jobs as many searchers work side by side, each with seeds of its own and with another kind of
    round first.
    """

    first_heuristic: str = knob(FALLBACK_HEURISTIC, "the heuristic of the first search", choices=HEURISTICS)
    first: SearchConfig = part(_first_search, "how the first search searches", by_path_only=True)
    first_generated: int = knob(800_000, "successors after which the first search ends", least=1)
    prune_work: int = knob(PRUNE_WORK, PRUNE_MEANING, least=0)
    landmarks: int = knob(1, LANDMARKS_MEANING, least=0)
    symmetry_work: int = knob(SYMMETRY_WORK, SYMMETRY_MEANING, least=0)
    greedy: SearchConfig = part(_greedy_search, "how rounds 1, 4, 7, … search, with relaxed plans", by_path_only=True)
    broad: SearchConfig = part(_broad_search, "how rounds 2, 5, 8, … search, with relaxed plans", by_path_only=True)
    search: SearchConfig = part(_voices_search, "how rounds 3, 6, 9, … search, with voices")
    round_work: int = knob(
        5_000_000, "successors after which the first greedy search ends; relaxed plans count, too", least=1
    )
    breadth: float = knob(3.0, "how many times as much work the other two rounds have as the greedy one", least=0.0)
    growth: float = knob(4.0, "how many times as much work all have the next time", least=1.0)
    voices: VoicesConfig | None = part(
        VoicesConfig, "what the voices learn from; none: goal count searches in their place, the control"
    )
    training: TrainingConfig = part(_training, "the network of the voices and its training")
    shorten_share: float = knob(0.1, SHORTEN_MEANING, least=0.0)
    windows_share: float = knob(
        1.0,
        "the share of the search's work, and of the time so far, that goes into a cheaper plan by windows",
        least=0.0,
    )
    windows_work: int = knob(
        300_000, "successors for that at the least, about a tenth of a second; 0 with a share of 0: none", least=0
    )

    def __post_init__(self) -> None:
        check(self)

    def attempts(self, task: Task, context: Context) -> list[Attempt]:
        """The same seed gives the same attempts, unless time or memory ends one of them."""
        try:
            searched = with_landmarks(pruned(task, self.prune_work, context), self.landmarks, context)
            interchangeable = interchangeable_objects(task, self.symmetry_work, context)
        except LimitReached as limit:
            return [Attempt(self.name, limit.status)]
        if context.jobs == 1:
            return _Searcher(task, searched, interchangeable, self, context).run()

        def run(position: int, own: Context) -> list[Attempt]:
            seed = seed_of_searcher(context.seed, position)
            own = dataclasses.replace(own, seed=seed)
            return _Searcher(task, searched, interchangeable, self, own, first_kind=position % len(_KINDS)).run()

        names = [f"searcher {position + 1}" for position in range(context.jobs)]
        return side_by_side(task, names, run, context)

    @property
    def learns(self) -> bool:
        return self.voices is not None

    def learn(self, task: Task, context: Context) -> Learned:
        """The voices of one round, from a first search, as a model."""
        return _Searcher(task, task, None, self, context).learn()

    def first_only(self) -> Chorus:
        return dataclasses.replace(self, windows_share=0.0, windows_work=0)

    @property
    def origin(self) -> dict[str, Any]:
        return {"name": self.name, "search": search_of_model(self.search, self.shorten_share)}

    def with_model(self, model: Model, force: bool) -> Config:
        return Config(self.name, self.description, ModelHeuristic(model, force), self.search, self.shorten_share)

    @property
    def trainings(self) -> tuple[TrainingConfig, ...]:
        return (self.training,) if self.voices else ()

    @property
    def is_random(self) -> bool:
        return True


CHORUS = Chorus(
    "chorus", "ours: landmarks and relaxed plans, greedily and broadly, then one learned voice per goal, in turns"
)


def seed_of_searcher(seed: int, position: int) -> int:
    """The seeds of those that work side by side; the first has the seed that it would have alone."""
    return (seed + _SEEDS_APART * position) % 2**64


class _Searcher:
    """The first search, then rounds with more to do each, until one is decisive or the budget ends."""

    def __init__(
        self, plain_task: Task, task: Task, interchangeable: _core.InterchangeableObjects | None, config: Chorus,
        context: Context, first_kind: int = 0,
    ) -> None:  # fmt: skip
        self.plain_task = plain_task
        self.task = task  # perhaps pruned, with landmarks as goals
        self.interchangeable = interchangeable
        self.config = config
        self.context = context
        self.first_kind = first_kind
        self.seen: _core.Search | None = None  # what voices learn from

    def learn(self) -> Learned:
        """Raises LimitReached, and NothingLearnedError where nothing is to be learned, or nothing could be."""
        if self.config.voices is None:
            raise NothingLearnedError(f"configuration '{self.config.name}' learns nothing")
        attempt = Attempt(self.config.name)
        seen = self._explore(attempt, self._context_of(0))
        self.context.budget.check()
        if seen is None:
            raise NothingLearnedError("the first search has seen no state")
        context = self._context_of(1)
        voices = learn_voices(
            self.plain_task, seen, self.config.voices, self.config.training,
            seed=context.seed, budget=context.budget, reporter=context.reporter,
        )  # fmt: skip
        model = voices_model(self.plain_task, voices, self.config.origin, self.context.seed)
        return Learned(
            model, voices.num_samples, voices.training, voices.sample_time_s, voices.train_time_s,
            search_time_s=attempt.search_time_s,
        )  # fmt: skip

    def _context_of(self, number: int) -> Context:
        """Each round has a seed of its own."""
        seed = derived_seed(self.context.seed, number)
        return dataclasses.replace(self.context, seed=seed)

    def run(self) -> list[Attempt]:
        attempts: list[Attempt] = []
        for number in itertools.count():
            name = f"{self.config.name}, round {number}" if number else f"{self.config.name}, first search"
            attempt = Attempt(name, is_restart=number > 0)
            attempts.append(attempt)
            context = self._context_of(number)
            try:
                if number == 0:
                    self._search_first(self.task, attempt, context)
                else:
                    self._search_round(number, attempt, context)
                attempt.shorten(self.plain_task, self.config.shorten_share, self.context)
                share, least_work = self.config.windows_share, self.config.windows_work
                attempt.improve_windows(self.plain_task, share, least_work, context)
            except LimitReached as limit:
                attempt.status = limit.status
            except MemoryError:
                attempt.status = Status.OUT_OF_MEMORY
            if not _goes_on(attempt, self.context.budget):
                break
        return attempts

    def _search_first(self, task: Task, attempt: Attempt, context: Context, num_links: int = 0) -> _core.Search | None:
        budget = context.budget
        return attempt.search(
            task,
            named_heuristic(task, self.config.first_heuristic, budget),
            self.config.first,
            dataclasses.replace(context, budget=budget.slice(_FIRST_SHARE * budget.remaining_s)),
            max_work=self.config.first_generated,
            max_links=num_links,
            # What is learned from a search is about each object by its name.
            interchangeable=None if num_links else self.interchangeable,
        )

    def _explore(self, attempt: Attempt, context: Context) -> _core.Search | None:
        """What a first search of the plain task sees: its goals alone have voices."""
        return self._search_first(self.plain_task, attempt, context, max_links(self.plain_task, context.budget))

    def _search_round(self, number: int, attempt: Attempt, context: Context) -> None:
        cycle, position = divmod(number - 1, len(_KINDS))
        kind = _KINDS[(self.first_kind + position) % len(_KINDS)]
        max_work = self._work(cycle, 1.0 if kind == "greedy" else self.config.breadth)
        if kind == "voices":
            voices = self._learn(cycle, attempt, context)
            if voices is not None:
                attempt.search(
                    self.plain_task, voices, self.config.search, context,
                    max_work=max_work, interchangeable=self.interchangeable,
                )  # fmt: skip
            return
        search = self.config.greedy if kind == "greedy" else self.config.broad
        heuristic = named_heuristic(self.task, "adjusted", context.budget)
        attempt.search(
            self.task, heuristic, search, context, max_work=max_work, interchangeable=self.interchangeable
        )  # fmt: skip

    def _work(self, cycle: int, share: float) -> int:
        try:
            return int(min(share * self.config.round_work * self.config.growth**cycle, NO_LIMIT))
        except OverflowError:
            return NO_LIMIT

    def _learn(self, cycle: int, attempt: Attempt, context: Context) -> _core.Heuristic | None:
        """The heuristic of a round of voices; goal count where nothing is to be learned, or nothing could be.

        None where the exploration before it was decisive already.
        """
        config = self.config.voices
        if config is None:
            return named_heuristic(self.plain_task, FALLBACK_HEURISTIC, context.budget)
        if self.seen is None:
            self.seen = self._explore(attempt, context)
            if attempt.is_decisive:
                return None
        if cycle % 2 == 1:  # every second time it also regresses by pairs of facts: what one cannot see the next may
            config = dataclasses.replace(config, max_width=2)
        try:
            if self.seen is None:
                raise NothingLearnedError("the first search has seen no state")
            voices = learn_voices(
                self.plain_task, self.seen, config, self.config.training,
                seed=context.seed, budget=context.budget, reporter=context.reporter,
            )  # fmt: skip
            heuristic = voices.heuristic
        except (NothingLearnedError, MemoryError) as error:
            why = "no memory to learn" if isinstance(error, MemoryError) else str(error)
            context.reporter.done("learn", 0.0, f"{why}; searching with {FALLBACK_HEURISTIC} instead")
            return named_heuristic(self.plain_task, FALLBACK_HEURISTIC, context.budget)
        attempt.note_training(voices.training)
        attempt.num_samples = voices.num_samples
        attempt.sample_time_s, attempt.train_time_s = voices.sample_time_s, voices.train_time_s
        return heuristic


def _goes_on(attempt: Attempt, budget: Budget) -> bool:
    """Whether another round follows an attempt, whose status says how the run ended where none does."""
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
