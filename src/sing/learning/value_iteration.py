"""Value iteration: a network that gets better by its own estimates one step on."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sing import _core
from sing.base.budget import Budget, LimitReached
from sing.base.errors import InputError
from sing.base.knobs import check, knob
from sing.base.outcome import Status
from sing.networks.train import train
from sing.networks.training import Layers, TrainingConfig
from sing.samples.sampling import SamplingConfig, sample
from sing.task.task import Task

# Entries of an iteration's input vectors: 40,000 samples of 100 true bits. Wider states make smaller iterations.
_MAX_ENTRIES = 4 << 20
# Bytes of the memory limit for each of them.
_LIMIT_BYTES_PER_ENTRY = 64
# Of an iteration's samples, to see whether the network is alive and to report its error.
_VALIDATION_SHARE = 0.02


@dataclass(frozen=True)
class ValueIterationConfig:
    """Value iteration after the first training.

    Every iteration samples new states by backward search, lowers each label to one step more than the network's least
    estimate of a successor, where that is less, and trains the network for one epoch on them, squared error, from the
    weights it has.
    """

    iterations: int = knob(0, "how many iterations of value iteration follow the first training", least=0)
    nsearches: int = knob(40, "backward searches of an iteration", least=1)
    nsamples: int = knob(1000, "samples of each of them", least=1)
    learning_rate: float = knob(0.002, "learning rate of Adam in the iterations")
    double: bool = knob(
        False, "two networks learn in turns: one chooses the nearest successor, the other one says how far that is"
    )

    def __post_init__(self) -> None:
        check(self)
        if not 0 < self.learning_rate < math.inf:
            raise InputError(f"the learning rate of value iteration is {self.learning_rate}; it must be above 0")


@dataclass(frozen=True)
class IteratedNetwork:
    """The network after some iterations, and why they ended."""

    layers: Layers
    judge: Layers | None = None  # where two learn in turns: the other one, which learned last but one
    num_iterations: int = 0  # complete ones
    error: float | None = None  # squared, on held-out samples of the last of them
    num_samples: int = 0  # of the last of them
    ended_by: str = ""  # where not all iterations were done: the reason


def iterate_values(
    task: Task,
    features: _core.Features,
    layers: Layers,
    config: ValueIterationConfig,
    sampling: SamplingConfig,
    training: TrainingConfig,
    *,
    seed: int,
    jobs: int,
    budget: Budget,
    on_iteration: Callable[[IteratedNetwork], object] = lambda news: None,
) -> IteratedNetwork:
    """Improve a network for so many iterations, or as many of them as the budget allows."""
    num_samples = _samples_per_iteration(task, config, budget)
    nsamples = min(config.nsamples, num_samples)
    sampling = dataclasses.replace(sampling, nsearches=max(1, num_samples // nsamples), nsamples=nsamples)
    training = dataclasses.replace(
        training,
        loss="mse",
        max_epochs=1,
        max_reseeds=0,
        learning_rate=config.learning_rate,
        validation_share=_VALIDATION_SHARE,
    )
    news = IteratedNetwork(layers, layers if config.double else None)
    while news.num_iterations < config.iterations:
        try:
            news = _iterate(task, features, news, sampling, training, seed=seed, jobs=jobs, budget=budget)
        except LimitReached as limit:
            return dataclasses.replace(news, ended_by=limit.status.words)
        except MemoryError:
            return dataclasses.replace(news, ended_by=Status.OUT_OF_MEMORY.words)
        if news.ended_by:
            return news
        on_iteration(news)
    return news


def _iterate(
    task: Task,
    features: _core.Features,
    news: IteratedNetwork,
    sampling: SamplingConfig,
    training: TrainingConfig,
    *,
    seed: int,
    jobs: int,
    budget: Budget,
) -> IteratedNetwork:
    """One more iteration; `ended_by` says why where there is none. Raises LimitReached."""
    iteration_seed = int(np.random.SeedSequence([seed, news.num_iterations]).generate_state(1, np.uint64)[0])
    samples = sample(task, sampling, seed=iteration_seed, jobs=jobs, budget=budget)
    if samples.status is not None or not len(samples):
        return dataclasses.replace(news, ended_by=samples.status.words if samples.status else "no samples")
    dataset = samples.dataset(features, budget=budget)
    start, judge = (news.layers, None) if news.judge is None else (news.judge, _core.Mlp(list(news.layers)))
    labels = samples.relabelled(task, features, _core.Mlp(list(start)), judge=judge, jobs=jobs, budget=budget)
    dataset.set_labels(labels[:, np.newaxis])
    budget.check()
    trained = train(dataset, training, seed=iteration_seed, budget=budget, start=start)
    budget.check()
    if not trained.losses:
        return dataclasses.replace(news, ended_by=Status.OUT_OF_TIME.words)
    if trained.is_constant:
        return dataclasses.replace(news, ended_by="the network died")
    judging = None if judge is None else news.layers
    return IteratedNetwork(trained.layers, judging, news.num_iterations + 1, trained.validation_error, len(samples))


def _samples_per_iteration(task: Task, config: ValueIterationConfig, budget: Budget) -> int:
    """As many as wanted, or as there is room for. A variable has at most one true bit, or one number."""
    max_entries = min(_MAX_ENTRIES, budget.memory_limit_bytes // _LIMIT_BYTES_PER_ENTRY)
    entries_per_sample = max(1, task.core.num_variables)
    return max(1, min(config.nsearches * config.nsamples, max_entries // entries_per_sample))
