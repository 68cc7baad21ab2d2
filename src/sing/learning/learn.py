"""From a task to a model: sampling and training under one budget."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from sing import _core
from sing.base.budget import Budget, LimitReached, parse_time_s
from sing.base.errors import InputError, NoSamplesError, NothingLearnedError
from sing.base.knobs import check, knob, part
from sing.base.outcome import Status
from sing.base.reporter import Reporter
from sing.learning.accuracy import accuracy, some_of
from sing.learning.value_iteration import IteratedNetwork, ValueIterationConfig, iterate_values
from sing.networks.encoding import ENCODINGS, Encoding
from sing.networks.model import Model
from sing.networks.train import has_room, num_weights, train
from sing.networks.training import EpochLoss, Layers, TrainingConfig, TrainingNews, TrainingResult
from sing.samples.samples import Samples, SampleSummary
from sing.samples.sampling import SamplingConfig
from sing.samples.source import SampleSource
from sing.task.task import Task

if TYPE_CHECKING:
    import numpy.typing as npt

# A phase may use at most this share of the time that is left when it begins; more where no search follows.
SAMPLING_SHARE, SAMPLING_SHARE_ALONE = 1 / 4, 1 / 2
TRAINING_SHARE = 1 / 3
# Of the training's time, for the first network where value iteration follows.
_FIRST_TRAINING_SHARE = 1 / 4
# Entries of all input vectors together, 4 or 8 bytes each: with more, short trainings end before a few epochs.
_MAX_ENTRIES = 32 << 20
# Bytes of the memory limit for each of them. Of the limit, not of what is left: that differs from run to run.
_LIMIT_BYTES_PER_ENTRY = 64
# From random weights to the first step of Adam, on a slow machine.
_SETUP_S_PER_WEIGHT = 40e-9
# To write them into a model file.
_KEEPING_S_PER_WEIGHT = 100e-9


@dataclass(frozen=True)
class LearningConfig:
    """How to learn a heuristic for one search space."""

    encoding: str = knob(
        "boolean", "inputs of the network: `boolean`, one bit per atom, or `sas`, one number per variable",
        choices=ENCODINGS,
    )  # fmt: skip
    sampling: SampleSource = part(SamplingConfig, "the samples of the first training")
    training: TrainingConfig = part(TrainingConfig, "the network and its training")
    value_iteration: ValueIterationConfig = part(
        ValueIterationConfig, "what follows the first training", by_path_only=True
    )
    learn_time_s: float | None = knob(None, "how long sampling and training may take together", parse=parse_time_s)

    def __post_init__(self) -> None:
        check(self)
        if self.value_iteration.iterations and not isinstance(self.sampling, SamplingConfig):
            raise InputError("value iteration samples backward from the goal; this configuration does not")
        if self.value_iteration.iterations and not self.sampling.gives_full_states:
            raise InputError(
                "value iteration needs full states, and regression leaves values undefined; "
                "choose the space ei or a completion"
            )
        if self.learn_time_s is not None and not 0 < self.learn_time_s < math.inf:
            raise InputError(f"the time to learn is {self.learn_time_s} s; it must be above 0")


@dataclass(frozen=True)
class Learned:
    """A model and how it came about."""

    model: Model
    num_samples: int
    training: TrainingResult
    sample_time_s: float
    train_time_s: float
    num_iterations: int = 0  # of value iteration
    search_time_s: float = 0.0  # where it learned from a search

    def __str__(self) -> str:
        iterations = f", {self.num_iterations} iterations of value iteration" if self.num_iterations else ""
        samples = f"{self.num_samples:,} samples"
        return f"{self.model}\nlearned from {samples}: {describe_training(self.training)}{iterations}"


def learned_from(
    training: TrainingResult, layers: Layers, some: _core.Dataset | None, num_samples: int
) -> dict[str, Any]:
    """What a model file records about how its network was learned and, on some of its samples, how well."""
    return {
        "num_samples": num_samples,
        "num_epochs": len(training.losses),
        "validation_loss": training.validation_error,
        "accuracy": accuracy(layers, some) if some else [],
    }


def learn_model(
    task: Task,
    learning: LearningConfig,
    origin: dict[str, Any],
    *,
    seed: int,
    jobs: int,
    budget: Budget,
    reporter: Reporter,
    search_follows: bool,
) -> Learned:
    """Sample and train. Where time ends a phase early, what it has by then is used; an interruption of the training
    leaves the best network so far.

    `origin` is kept in the model, beside the configuration: who learned it, and what else its users may want to know.
    Raises NothingLearnedError, LimitReached where it is interrupted or time is up before there is anything to use,
    MemoryError where samples leave no room to train, and InputError for a network that never fits the memory limit.
    """
    encoding = Encoding.of(task, learning.encoding)
    if encoding.num_inputs == 0:
        raise NothingLearnedError("the task names no atoms, so states have no input vector")
    weights = num_weights(learning.training.hidden, encoding.num_inputs)
    if not has_room(weights, budget):
        raise InputError(f"a network of {weights:,} weights does not fit the memory limit; choose smaller layers")
    is_kept = not search_follows  # as a model, whose users may want to know its accuracy
    if learning.learn_time_s is not None:  # whoever names a time wants it used, but a search must have some too
        budget = budget.slice(min(learning.learn_time_s, budget.remaining_s / 2 if search_follows else math.inf))
        search_follows = False
    start_s = budget.elapsed_s
    sampling_share = SAMPLING_SHARE if search_follows else SAMPLING_SHARE_ALONE
    samples = _sample(task, learning, seed, jobs, budget, sampling_share, reporter)
    summary = samples.summary(budget)
    sample_time_s = budget.elapsed_s - start_s
    reporter.done("sample", sample_time_s, describe_samples(summary, samples.note))
    reporter.sampled(partial(getattr, samples, "labels"))

    start_s = budget.elapsed_s
    features = encoding.features(task)
    dataset = samples.dataset(features, choose_samples(samples, features, budget, seed), budget)
    some = some_of(dataset, learning.training.hidden) if is_kept else None
    del samples
    kept_s = weights * _KEEPING_S_PER_WEIGHT if is_kept else 0.0
    training_budget = budget.slice((budget.remaining_s - kept_s) * (TRAINING_SHARE if search_follows else 1))
    if weights * _SETUP_S_PER_WEIGHT > training_budget.remaining_s:
        raise NothingLearnedError(f"no time to train a network of {weights:,} weights")
    iterations = learning.value_iteration.iterations
    first_share = _FIRST_TRAINING_SHARE if iterations else 1
    result = train(
        dataset,
        learning.training,
        seed=seed,
        budget=training_budget.slice(first_share * training_budget.remaining_s),
        on_progress=lambda news: reporter.working("train", _describe_news(news)),
    )
    del dataset
    reporter.trained(result.losses)
    layers, num_iterations, description = result.layers, 0, describe_training(result)
    if iterations and not result.is_constant and isinstance(learning.sampling, SamplingConfig):
        iterated = iterate_values(
            task, features, layers, learning.value_iteration, learning.sampling, learning.training,
            seed=seed, jobs=jobs, budget=training_budget,
            on_iteration=lambda news: reporter.working(
                "train", f"iteration {news.num_iterations}/{iterations}, {_error_text(news)}"
            ),
        )  # fmt: skip
        layers, num_iterations = iterated.layers, iterated.num_iterations
        ended = f" ({iterated.ended_by})" if iterated.ended_by else ""
        description += (
            f", then {num_iterations} of {iterations} iterations of value iteration{ended}, {_error_text(iterated)}"
        )
    train_time_s = budget.elapsed_s - start_s
    if budget.interrupted and (result.is_constant or not result.losses):
        raise LimitReached(Status.INTERRUPTED)
    reporter.done("train", train_time_s, description)
    if result.is_constant:
        raise NothingLearnedError("every network gave one estimate for all states")
    learned = learned_from(result, layers, some, summary.num_samples)
    told = {**dataclasses.asdict(learning), "num_iterations": num_iterations, "learned": learned, **origin}
    model = Model(encoding, layers, told, seed)
    return Learned(model, summary.num_samples, result, sample_time_s, train_time_s, num_iterations)


def _error_text(news: IteratedNetwork) -> str:
    return "no error known" if news.error is None else f"squared error {news.error:.3f}"


def _sample(
    task: Task, config: LearningConfig, seed: int, jobs: int, budget: Budget, share: float, reporter: Reporter
) -> Samples:
    reporter.working("sample")
    budget.check()
    try:
        samples = config.sampling.sample(
            task,
            seed=seed,
            jobs=jobs,
            budget=budget.slice(share * budget.remaining_s),
            on_progress=lambda count: reporter.working("sample", f"{count:,} samples"),
        )
    except (LimitReached, MemoryError) as error:  # while it was prepared
        budget.check()
        status = error.status if isinstance(error, LimitReached) else Status.OUT_OF_MEMORY
        raise NoSamplesError(f"no samples: {status.words}") from None
    if samples.status is Status.INTERRUPTED:
        raise LimitReached(Status.INTERRUPTED)
    if not len(samples):
        why = samples.status.words if samples.status else config.sampling.why_nothing
        raise NoSamplesError(f"no samples: {why}{samples.note and f' ({samples.note})'}")
    if not samples.labels.any():
        raise NothingLearnedError("nothing leads to the goal: every sample is a goal state")
    return samples


def choose_samples(samples: Samples, features: _core.Features, budget: Budget, seed: int) -> npt.NDArray[np.int64]:
    """All samples, or as many random ones as there is room for."""
    order = np.random.default_rng(seed).permutation(len(samples))
    probe = samples.dataset(features, order[:200], budget)
    entries_per_sample = max(1.0, probe.num_entries / len(probe))
    max_entries = min(_MAX_ENTRIES, budget.memory_limit_bytes // _LIMIT_BYTES_PER_ENTRY)
    return np.sort(order[: max(1, int(max_entries / entries_per_sample))])


def describe_samples(summary: SampleSummary, note: str = "") -> str:
    return (
        f"{summary.num_samples:,} samples, {summary.num_unique:,} different, {summary.samples_per_s:,.0f}/s, "
        f"deepest label {summary.deepest_label}{note and f'; {note}'}"
    )


def describe_training(result: TrainingResult) -> str:
    """One line on a training that ended."""
    error = result.validation_error
    parts = [
        f"{len(result.losses)} epochs, {result.samples_per_s:,.0f} samples/s",
        "no epoch completed" if error is None else f"validation loss {error:.4f}  {sparkline(result.losses)}",
    ]
    if result.num_reseeds:
        parts.append(f"started anew {result.num_reseeds} times")
    if result.is_constant:
        parts.append("the network is constant")
    return ", ".join(parts)


def _describe_news(news: TrainingNews) -> str:
    text = f"epoch {news.num_epochs + 1}, {news.samples_per_s:,.0f} samples/s"
    if news.losses:
        last = news.losses[-1]
        text += f", loss {last.training:.4f}, validation {last.validation:.4f}  {sparkline(news.losses)}"
    return text


def sparkline(losses: tuple[EpochLoss, ...], width: int = 24) -> str:
    """The validation loss over time as a line of blocks.

    >>> sparkline((EpochLoss(1, 1), EpochLoss(1, 0.5), EpochLoss(1, 0)))
    '█▅▁'
    """
    values = [epoch.validation for epoch in losses]
    if len(values) > width:
        values = [values[i * (len(values) - 1) // (width - 1)] for i in range(width)]
    least, most = min(values), max(values)
    if not most > least:
        return "▁" * len(values)
    return "".join("▁▂▃▄▅▆▇█"[min(7, int(8 * (value - least) / (most - least)))] for value in values)
