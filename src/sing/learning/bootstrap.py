"""Bootstrapping: a heuristic that learns from the problems that the one before it could solve."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass

from sing import _core
from sing.base.budget import Budget
from sing.base.errors import InputError
from sing.base.knobs import check, knob
from sing.base.reporter import Reporter
from sing.base.seeds import derived_seed
from sing.learning.learn import choose_samples
from sing.learning.teacher import PlanSearches, search_plans
from sing.networks.encoding import Encoding
from sing.networks.train import train
from sing.networks.training import TrainingConfig, TrainingResult
from sing.samples.samples import Samples
from sing.samples.starts import StartsConfig
from sing.search.search import HEURISTICS, SearchConfig, named_heuristic
from sing.task.task import Task

# Of the time that is left, for the walks, the searches and the training of a round.
_STARTS_SHARE, _SEARCH_SHARE, _TRAINING_SHARE = 0.05, 0.25, 0.25


@dataclass(frozen=True)
class BootstrapConfig:
    """How problems become harder from round to round, and when a round has taught enough."""

    first_heuristic: str = knob("goalcount", "the heuristic of the first round", choices=HEURISTICS)
    num_problems: int = knob(200, "problems of a round: states of random walks backward from the goal", least=1)
    min_solved: int = knob(75, "how many of them must be solved for the network to learn from their plans", least=1)
    first_steps: int = knob(10, "the length of the first round's walks", least=1)
    step_growth: float = knob(2.0, "how many times as long walks are after a round that taught enough", least=1.0)
    greatest_steps: int = knob(500, "how long walks get at most", least=1)
    first_work: int = knob(10_000, "successors after which a search of the first round is given up", least=1)
    work_growth: float = knob(2.0, "how many times as much searches may do after a round that did not", least=1.0)
    greatest_work: int = knob(1_000_000, "where searches would need more than so much, rounds end", least=1)
    max_rounds: int = knob(100, "how many rounds there are at most", least=1)
    completion: str = knob("walk", "how the states of walks are completed", choices=("random", "walk"))

    def __post_init__(self) -> None:
        check(self)
        if self.min_solved > self.num_problems:
            raise InputError(f"{self.min_solved} problems cannot be solved of {self.num_problems}")


@dataclass(frozen=True)
class Round:
    """One round: its problems, what was solved of them, and what was learned."""

    number: int  # from 1 on
    num_steps: int  # of its walks
    max_work: int  # of each of its searches
    searches: PlanSearches
    training: TrainingResult | None  # None: too few were solved to learn from
    num_samples: int
    search_time_s: float
    train_time_s: float

    @property
    def has_taught(self) -> bool:
        return self.training is not None

    def __str__(self) -> str:
        lengths = self.searches.lengths
        solved = f"{len(lengths)} of {self.searches.num_starts} solved"
        text = f"round {self.number}: walks of {self.num_steps} steps, {solved}"
        return text + (f", mean length {lengths.mean():.1f}" if len(lengths) else "")


@dataclass
class Bootstrapping:
    """Rounds of one run. `heuristics` are those of the present round, one for each thread."""

    task: Task
    config: BootstrapConfig
    encoding: Encoding
    training: TrainingConfig
    search: SearchConfig
    seed: int
    jobs: int
    budget: Budget
    reporter: Reporter
    heuristics: list[_core.Heuristic] = dataclasses.field(default_factory=list)
    result: TrainingResult | None = None  # of the last training
    learned_from: _core.Samples | None = None  # the states along all plans so far

    def rounds(self) -> Iterator[Round]:
        """One round after the other, until searches would have to do too much. Raises LimitReached or MemoryError."""
        config = self.config
        if not self.heuristics:
            self.heuristics = [
                named_heuristic(self.task, config.first_heuristic, self.budget) for _ in range(self.jobs)
            ]
        num_steps, max_work = config.first_steps, config.first_work
        for number in range(1, config.max_rounds + 1):
            self.budget.check()
            done = self._run(number, num_steps, max_work)
            self.reporter.done("learn", done.search_time_s + done.train_time_s, str(done))
            yield done
            if done.has_taught:
                num_steps = min(math.ceil(num_steps * config.step_growth), config.greatest_steps)
            elif max_work >= config.greatest_work:
                return
            else:
                max_work = math.ceil(min(max_work * config.work_growth, config.greatest_work))

    def _run(self, number: int, num_steps: int, max_work: int) -> Round:
        budget = self.budget
        seed = derived_seed(self.seed, number)
        start_s = budget.elapsed_s
        self.reporter.working("learn", f"round {number}, walks of {num_steps} steps")
        walks = StartsConfig("backward", self.config.num_problems, num_steps, num_steps, self.config.completion)
        first = budget.slice(_STARTS_SHARE * budget.remaining_s)
        starts = walks.draw(self.task, seed=seed, jobs=self.jobs, budget=first)
        searches = search_plans(
            self.task, starts, self.heuristics, self.search, from_plan="all", max_work=max_work, seed=seed,
            budget=budget.slice(_SEARCH_SHARE * budget.remaining_s),
            on_progress=lambda count: self.reporter.working("learn", f"round {number}, {count:,} samples"),
        )  # fmt: skip
        budget.check()
        search_time_s = budget.elapsed_s - start_s
        result = None
        if len(searches.lengths) >= self.config.min_solved:
            result = self._learn(searches, seed)
        return Round(
            number, num_steps, max_work, searches, result, len(searches.core), search_time_s,
            budget.elapsed_s - start_s - search_time_s,
        )  # fmt: skip

    def _learn(self, searches: PlanSearches, seed: int) -> TrainingResult | None:
        """Put the heuristic that these plans teach in the place of the present one. None where nothing was learned."""
        budget = self.budget
        if self.learned_from is None:
            self.learned_from = searches.core
        else:
            self.learned_from.append(searches.core)
        samples = Samples(self.task, self.learned_from, config=self.config, seed=seed, time_s=0.0)
        if not samples.labels.any():  # every problem was solved before it began: walks are too short
            return None
        features = self.encoding.features(self.task)
        dataset = samples.dataset(features, choose_samples(samples, features, budget, seed), budget)
        result = train(dataset, self.training, seed=seed, budget=budget.slice(_TRAINING_SHARE * budget.remaining_s))
        budget.check()
        if result.is_constant or not result.losses:
            return None
        mlp = _core.Mlp(list(result.layers))
        self.heuristics = [
            _core.Heuristic.network(self.task.core, features, mlp, budget.guard()) for _ in range(self.jobs)
        ]
        self.result = result
        return result
