"""Value iteration: a network that gets better by its own estimates one step on."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sing import _core
from sing.budget import Budget
from sing.errors import InputError
from sing.sampling import SamplingConfig, sample
from sing.task import Task
from sing.training import Layers, TrainingConfig, train

# Of a round's samples, to see whether the network is alive and to report its error.
_VALIDATION_SHARE = 0.02


@dataclass(frozen=True)
class ImprovementConfig:
    """Rounds of value iteration after the first training.

    Every round samples `round_searches` new backward searches of `round_samples` states, lowers each label to one step
    more than the network's least estimate of a successor, where that is less, and trains the network for one
    epoch on them, squared error, from the weights it has.
    """

    rounds: int = 0
    round_searches: int = 40
    round_samples: int = 1000
    round_learning_rate: float = 0.002

    def __post_init__(self) -> None:
        if self.rounds < 0:
            raise InputError(f"the number of rounds is {self.rounds}; it must be 0 or more")
        if self.round_searches < 1 or self.round_samples < 1:
            raise InputError("a round needs at least one search and one sample")
        if not 0 < self.round_learning_rate < math.inf:
            raise InputError(f"the learning rate of rounds is {self.round_learning_rate}; it must be above 0")


@dataclass(frozen=True)
class Improvement:
    layers: Layers
    num_rounds: int  # complete ones
    error: float | None  # squared, on held-out samples of the last of them


def improve(
    task: Task,
    features: _core.Features,
    layers: Layers,
    config: ImprovementConfig,
    sampling: SamplingConfig,
    training: TrainingConfig,
    *,
    seed: int,
    jobs: int,
    budget: Budget,
    on_round: Callable[[Improvement], object] = lambda news: None,
) -> Improvement:
    """Improve a network for so many rounds, or as many of them as the budget allows."""
    sampling = dataclasses.replace(sampling, nsearches=config.round_searches, nsamples=config.round_samples)
    training = dataclasses.replace(
        training,
        loss="mse",
        max_epochs=1,
        max_reseeds=0,
        learning_rate=config.round_learning_rate,
        validation_share=_VALIDATION_SHARE,
    )
    news = Improvement(layers, 0, None)
    while news.num_rounds < config.rounds:
        round_seed = int(np.random.SeedSequence([seed, news.num_rounds]).generate_state(1, np.uint64)[0])
        samples = sample(task, sampling, seed=round_seed, jobs=jobs, budget=budget)
        if samples.status is not None or not len(samples):
            break
        dataset = samples.dataset(features)
        labels = samples.relabelled(task, features, _core.Mlp(list(news.layers)), jobs=jobs, budget=budget)
        dataset.set_labels(labels[:, np.newaxis])
        trained = train(dataset, training, seed=round_seed, budget=budget, start=news.layers)
        if budget.interrupted or budget.remaining_s <= 0 or trained.is_constant or not trained.losses:
            break
        news = Improvement(trained.layers, news.num_rounds + 1, trained.validation_error)
        on_round(news)
    return news
