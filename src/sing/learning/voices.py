"""One voice per goal: samples from a search that has run and from regression, and the network that learns them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from sing import _core
from sing.base.budget import Budget, LimitReached
from sing.base.errors import InputError, NothingLearnedError
from sing.base.outcome import Status
from sing.base.reporter import Reporter
from sing.networks.encoding import Encoding
from sing.networks.train import train
from sing.networks.training import TrainingConfig, TrainingResult
from sing.task.task import Task

# Numbers in the states and labels of all samples, 4 bytes each: larger tasks have fewer samples.
_MAX_NUMBERS = 8 << 20
# Bytes of the memory limit for each of them: states, labels, input vectors and what training adds.
_LIMIT_BYTES_PER_NUMBER = 128
# Facts in all patterns, about 200 bytes each with what finds them again, and bytes of the memory limit for each.
_MAX_FACTS, _LIMIT_BYTES_PER_FACT = 2_000_000, 2048
# Of the time that is left when each begins.
_SAMPLES_SHARE, _TRAINING_SHARE = 0.2, 0.3


@dataclass(frozen=True)
class VoicesConfig:
    """What voices learn from.

    At most `num_states` states of the search, labelled in hindsight, and `num_completed` patterns of regression from
    each goal fact: `num_searches` breadth-first searches and `num_walks` walks for each goal, with `max_steps` steps in all,
    `max_branching` at random from one pattern; every second search is pruned by novelty of `max_width`. `far_labels`:
    states from which no way to a goal is known count as further than those from which one is.
    """

    num_states: int = 15_000
    num_completed: int = 10_000
    far_labels: bool = True
    num_searches: int = 2
    max_width: int = 1
    num_walks: int = 4
    max_steps: int = 600_000
    max_branching: int = 32

    def __post_init__(self) -> None:
        for name in (
            "num_states",
            "num_completed",
            "num_searches",
            "num_walks",
            "max_steps",
            "max_branching",
            "max_width",
        ):
            value = getattr(self, name)
            if not isinstance(value, int) or not 0 <= value < 2**32:
                raise InputError(f"{name} is {value!r}; it must be a whole number, 0 or more")


@dataclass(frozen=True)
class Voices:
    """A network with one output for each goal fact, and how it came about."""

    heuristic: _core.Heuristic
    training: TrainingResult
    num_samples: int
    sample_time_s: float
    train_time_s: float


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

    Raises NothingLearnedError, and LimitReached where it is interrupted or time is up.
    """
    encoding = Encoding.of(task, "boolean")
    if encoding.num_inputs == 0:
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
    features = encoding.features(task)
    result = train(
        samples.dataset(features),
        training,
        seed=seed,
        budget=budget.slice(_TRAINING_SHARE * budget.remaining_s),
        on_progress=lambda news: reporter.working("train", f"epoch {news.num_epochs + 1}"),
    )
    train_time_s = budget.elapsed_s - start_s
    reporter.trained(result.losses)
    if budget.interrupted:
        raise LimitReached(Status.INTERRUPTED)
    error = result.validation_error
    loss = "no epoch completed" if error is None else f"validation loss {error:.4f}"
    reporter.done("train", train_time_s, f"{len(result.losses)} epochs, {len(task.goal)} voices, {loss}")
    if result.is_constant or error is None:
        raise NothingLearnedError("the network learned nothing")
    heuristic = _core.Heuristic.voices(task.core, features, _core.Mlp(list(result.layers)))
    return Voices(heuristic, result, len(samples), sample_time_s, train_time_s)


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
        progress=lambda: not budget.interrupted,
    )


def _scaled(task: Task, config: VoicesConfig, budget: Budget) -> VoicesConfig:
    """As many samples as wanted, or as there is room for."""
    max_numbers = min(_MAX_NUMBERS, budget.memory_limit_bytes // _LIMIT_BYTES_PER_NUMBER)
    max_samples = max(1, max_numbers // (len(task.variables) + len(task.goal)))
    wanted = config.num_states + config.num_completed
    if wanted <= max_samples:
        return config
    share = max_samples / wanted
    return dataclasses.replace(
        config, num_states=int(share * config.num_states), num_completed=int(share * config.num_completed)
    )


def max_links(task: Task, budget: Budget) -> int:
    """Steps that a search had better keep for samples: more take longer, once for every goal."""
    wanted = min(4_000_000, max(200_000, 40_000_000 // max(1, len(task.goal))))
    return min(wanted, budget.memory_limit_bytes // 256)
