"""One voice per goal: samples from a search that has run and from regression, and the network that learns them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sing import _core
from sing.base.budget import Budget, LimitReached
from sing.base.errors import InputError, NothingLearnedError
from sing.base.knobs import check, knob
from sing.base.outcome import Status
from sing.base.reporter import Reporter
from sing.learning.accuracy import some_of
from sing.learning.learn import learned_from
from sing.networks.encoding import Encoding, goal_names
from sing.networks.model import Model
from sing.networks.train import train
from sing.networks.training import TrainingConfig, TrainingResult
from sing.task.task import Task

# Numbers in the states and labels of all samples, 4 bytes each: larger tasks have fewer samples.
_MAX_NUMBERS = 8 << 20
# Bytes of the memory limit for each of them: states, labels, input vectors and what training adds.
_LIMIT_BYTES_PER_NUMBER = 128
# Facts in all patterns, about 200 bytes each with what finds them again, and bytes of the memory limit for each.
_MAX_FACTS, _LIMIT_BYTES_PER_FACT = 2_000_000, 2048
# Each phase may use at most this share of the time that is left when it begins.
_SAMPLES_SHARE, _TRAINING_SHARE = 0.2, 0.3


@dataclass(frozen=True)
class VoicesConfig:
    """What voices learn from: states that a search has seen, and patterns found by regression from each goal."""

    num_states: int = knob(15_000, "states of the search at most, labelled in hindsight", least=0)
    num_completed: int = knob(10_000, "patterns that are completed to states, at most", least=0)
    far_labels: bool = knob(
        True, "whether states from which no way to a goal is known count as further than those from which one is"
    )
    num_searches: int = knob(2, "breadth-first regression searches from each goal", least=0)
    max_width: int = knob(1, "novelty that prunes every second of these searches: of 1 fact or of 2", least=0)
    num_walks: int = knob(4, "regression walks from each goal", least=0)
    max_steps: int = knob(600_000, "steps of all regression searches together", least=0)
    max_branching: int = knob(32, "steps tried from one pattern, chosen at random", least=0)

    def __post_init__(self) -> None:
        check(self)
        for entry in dataclasses.fields(self):
            if getattr(self, entry.name) >= 2**32:
                raise InputError(f"{entry.name} is {getattr(self, entry.name)}; it must be below 2^32")


@dataclass(frozen=True)
class Voices:
    """A network with one output for each goal fact, and how it came about."""

    task: Task
    features: _core.Features
    dataset: _core.Dataset
    training: TrainingResult
    num_samples: int
    sample_time_s: float
    train_time_s: float
    budget: Budget

    @cached_property
    def heuristic(self) -> _core.Heuristic:
        """Made when a search needs it. Raises LimitReached and MemoryError at the limits of the budget."""
        mlp = _core.Mlp(list(self.training.layers))
        return _core.Heuristic.voices(self.task.core, self.features, mlp, self.budget.guard())


def learn_voices(
    task: Task,
    seen: _core.Search,
    config: VoicesConfig,
    training: TrainingConfig,
    *,
    seed: int,
    budget: Budget,
    reporter: Reporter,
) -> Voices:
    """Make samples from a search that has kept its links, and train one head for each goal on them.

    An interruption of the training leaves the best network so far. Raises NothingLearnedError, and LimitReached where
    it is interrupted or time is up before there is one.
    """
    features = _core.Features.of_atoms(task.core)
    if features.num_inputs == 0:
        raise NothingLearnedError("voices need atoms to look at")
    start_s = budget.elapsed_s
    reporter.working("sample")
    samples = _make_goal_samples(task, seen, config, seed, budget)
    sample_time_s = budget.elapsed_s - start_s
    budget.check()
    summary = f"{len(samples):,} samples, {samples.num_patterns:,} patterns, {samples.num_reached} goals seen"
    reporter.done("sample", sample_time_s, summary)
    if not len(samples):
        raise NothingLearnedError("there are no samples")
    reporter.sampled(lambda: samples.labels.ravel())

    start_s = budget.elapsed_s
    dataset = samples.dataset(features, budget.guard())
    result = train(
        dataset,
        training,
        seed=seed,
        budget=budget.slice(_TRAINING_SHARE * budget.remaining_s),
        on_progress=lambda news: reporter.working("train", f"epoch {news.num_epochs + 1}"),
    )
    train_time_s = budget.elapsed_s - start_s
    reporter.trained(result.losses)
    error = result.validation_error
    if budget.interrupted and (result.is_constant or error is None):
        raise LimitReached(Status.INTERRUPTED)
    loss = "no epoch completed" if error is None else f"validation loss {error:.4f}"
    reporter.done("train", train_time_s, f"{len(result.losses)} epochs, {task.core.num_goals} voices, {loss}")
    if result.is_constant or error is None:
        raise NothingLearnedError("the network learned nothing")
    return Voices(task, features, dataset, result, len(samples), sample_time_s, train_time_s, budget)


def voices_model(task: Task, voices: Voices, origin: dict[str, Any], seed: int) -> Model:
    """The network as a model, its outputs in the order of the encoding's goals."""
    names = goal_names(task)
    order = sorted(range(len(names)), key=lambda position: names[position])
    weights, biases = voices.training.layers[-1]
    last = np.ascontiguousarray(weights[:, order]), biases[order]
    layers = voices.training.layers
    some = some_of(voices.dataset, tuple(len(biases) for _, biases in layers[:-1]))
    told = {"learned": learned_from(voices.training, layers, some, voices.num_samples)}
    return Model(Encoding.of(task, "boolean"), (*layers[:-1], last), told | origin, seed, has_voices=True)


def _make_goal_samples(
    task: Task, seen: _core.Search, config: VoicesConfig, seed: int, budget: Budget
) -> _core.GoalSamples:
    config = _scaled(task, config, budget)
    max_facts = min(_MAX_FACTS, budget.memory_limit_bytes // _LIMIT_BYTES_PER_FACT)
    patterns = _core.PatternConfig(
        num_searches=config.num_searches,
        max_width=config.max_width,
        num_walks=config.num_walks,
        max_steps=config.max_steps,
        max_facts=max_facts,
        max_branching=config.max_branching,
        seed=seed,
    )
    return _core.make_goal_samples(
        task.core,
        seen,
        num_states=config.num_states,
        num_completed=config.num_completed,
        far_labels=config.far_labels,
        patterns=patterns,
        seed=seed,
        time_limit_s=_SAMPLES_SHARE * budget.remaining_s,
        memory_limit_bytes=budget.remaining_bytes // 2,
        progress=lambda: not budget.interrupted,
    )


def _scaled(task: Task, config: VoicesConfig, budget: Budget) -> VoicesConfig:
    """As many samples as wanted, or as there is room for."""
    max_numbers = min(_MAX_NUMBERS, budget.memory_limit_bytes // _LIMIT_BYTES_PER_NUMBER)
    max_samples = max(1, max_numbers // (task.core.num_variables + task.core.num_goals))
    wanted = config.num_states + config.num_completed
    if wanted <= max_samples:
        return config
    share = max_samples / wanted
    return dataclasses.replace(
        config, num_states=int(share * config.num_states), num_completed=int(share * config.num_completed)
    )


def max_links(task: Task, budget: Budget) -> int:
    """Steps that a search had better keep for samples: more take longer, once for every goal."""
    wanted = min(4_000_000, max(200_000, 40_000_000 // max(1, task.core.num_goals)))
    return min(wanted, budget.memory_limit_bytes // 256)
