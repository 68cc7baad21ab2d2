"""Training samples: states sampled by backward search, labelled with their depth."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sing import _core
from sing.base.budget import Budget
from sing.base.errors import InputError, UnsupportedError
from sing.base.knobs import check, knob
from sing.base.outcome import Status
from sing.samples.npz import write_npz
from sing.task.task import Task

SPACES = ("eo", "ei", "r")
STRATEGIES = ("dfs", "rw")
COLLECTIONS = ("generated", "expanded")
COMPLETIONS = ("none", "random", "walk")
# The depth limit ⌈facts / mean effects of an operator⌉ of Bettker et al. (2022).
FACTS_PER_EFFECT = "facts"

_STRATEGY = {"dfs": _core.Strategy.DFS, "rw": _core.Strategy.RANDOM_WALK}
_COLLECTION = {"generated": _core.Collection.GENERATED, "expanded": _core.Collection.EXPANDED}
_COMPLETION = {
    "none": _core.Completion.NONE,
    "random": _core.Completion.RANDOM,
    "walk": _core.Completion.WALK,
}
_STATUS = {
    _core.SamplingStatus.COMPLETE: None,
    _core.SamplingStatus.OUT_OF_TIME: Status.OUT_OF_TIME,
    _core.SamplingStatus.OUT_OF_MEMORY: Status.OUT_OF_MEMORY,
    _core.SamplingStatus.INTERRUPTED: Status.INTERRUPTED,
}
_NO_DEPTH_LIMIT = 2**32 - 1
_NO_PARENT = 2**32 - 1
# Bytes of states that are written together.
_BLOCK_BYTES = 4 << 20


def parse_depth(text: str) -> int | str:
    """A depth limit from `100` or `facts`."""
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else text


@dataclass(frozen=True)
class SamplingConfig:
    """What to sample and how. Names and defaults are the paper's where it has them."""

    space: str = knob(
        "r",
        "the backward search space: `eo` full states and the forward operators, `ei` full states and inverse "
        "operators, `r` regression",
        choices=SPACES,
    )
    strategy: str = knob("dfs", "`dfs`, depth-first search, or `rw`, random walks", choices=STRATEGIES)
    collect: str = knob(
        "expanded",
        "which states of a depth-first search are samples: all `generated` ones, or those on `expanded` paths",
        choices=COLLECTIONS,
    )
    nsearches: int = knob(500, "how many backward searches there are", least=1)
    nsamples: int = knob(200, "how many samples each search gives at most", least=1)
    max_depth: int | str | None = knob(
        None, "how deep searches go: a number, or `facts` for ⌈facts / mean effects of an operator⌉", parse=parse_depth
    )
    completion: str = knob(
        "none",
        "undefined values stay (`none`), become `random` mutex-consistent ones, or come from forward walks (`walk`)",
        choices=COMPLETIONS,
    )
    consistent_starts: bool = knob(False, "whether full starts are drawn free of mutexes")
    min_label: bool = knob(False, "whether only one of states with the same atoms is kept, with the least label")

    def __post_init__(self) -> None:
        check(self)
        if self.nsearches * self.nsamples >= 2**32 - 1:
            raise InputError(f"{self.nsearches} × {self.nsamples} samples are too many; there can be four billion")
        if self.max_depth not in (None, FACTS_PER_EFFECT) and not _is_count(self.max_depth):
            raise InputError(
                f"the depth limit is {self.max_depth!r}; it must be a whole number or '{FACTS_PER_EFFECT}'"
            )


def _is_count(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and 0 <= number < _NO_DEPTH_LIMIT


@dataclass(frozen=True)
class SampleSummary:
    """What was sampled, in numbers."""

    num_samples: int
    num_unique: int
    deepest_label: int
    label_quantiles: dict[str, float]  # "0", "0.25", "0.5", "0.75", "1"
    num_dead_ends: int
    num_redraws: int
    num_searches: int
    num_searches_without_start: int
    share_inexact: float  # of backward steps that the forward operator does not undo
    num_incomplete: int
    samples_per_s: float


class Samples:
    """States with labels. The states stay packed in the core; arrays are made when asked for."""

    def __init__(
        self, task: Task, config: SamplingConfig, seed: int, core: _core.Samples, time_s: float, budget: Budget
    ) -> None:
        self.config = config
        self.seed = seed
        self.time_s = time_s
        self._task = task
        self._core = core
        self._depths: npt.NDArray[np.uint32] = core.depths
        self._firsts: npt.NDArray[np.uint32] | None = None
        all_samples = np.arange(len(core), dtype=np.uint32)
        self._selection = self._least_labels(budget) if config.min_label else all_samples

    @property
    def atoms(self) -> tuple[str, ...]:
        return self._task.atoms

    @property
    def status(self) -> Status | None:
        """None where all searches ran, else what stopped them early."""
        return _STATUS[self._core.status]

    def _least_labels(self, budget: Budget) -> npt.NDArray[np.uint32]:
        """Of each set of samples with the same atoms the one with the least depth, in order."""
        firsts = self._find_firsts(budget)
        order = np.lexsort((self._depths, firsts))
        is_first = np.ones(len(order), dtype=bool)
        is_first[1:] = np.diff(firsts[order]) != 0
        return np.sort(order[is_first]).astype(np.uint32)

    def _find_firsts(self, budget: Budget | None) -> npt.NDArray[np.uint32]:
        """For each sample collected the first one with the same atoms."""
        if self._firsts is None:
            self._firsts = self._core.firsts(budget.guard() if budget else None)
        return self._firsts

    def __len__(self) -> int:
        return len(self._selection)

    @property
    def labels(self) -> npt.NDArray[np.float32]:
        """Estimated distances to the goal, float32 [n]."""
        return self._depths[self._selection].astype(np.float32)

    @property
    def states(self) -> npt.NDArray[np.uint8]:
        """The boolean vectors, packed: bit a % 8 of byte a // 8 is atom a, uint8 [n, ⌈num_atoms / 8⌉]."""
        return self._core.bits(self._selection)

    @property
    def values(self) -> npt.NDArray[np.int32]:
        """The SAS+ vectors: the value of each variable, -1 where it is undefined, int32 [n, num_variables]."""
        return self._core.values(self._selection)

    def dataset(
        self,
        features: _core.Features,
        chosen: npt.NDArray[np.integer[Any]] | None = None,
        budget: Budget | None = None,
    ) -> _core.Dataset:
        """Input vectors and labels to train on, of all samples or of those at the positions `chosen`.

        Raises LimitReached or MemoryError at the limits of the budget, as save() and summary() do.
        """
        selection = self._selection if chosen is None else self._selection[chosen]
        return self._core.dataset(selection, features, budget.guard() if budget else None)

    def relabelled(
        self, task: Task, features: _core.Features, mlp: _core.Mlp, *, jobs: int = 1, budget: Budget
    ) -> npt.NDArray[np.float32]:
        """The labels after a Bellman update.

        label ← min(label, 1 + least estimate of a successor): no state is further than one step more than its nearest
        successor. Partial states keep their labels, as do those that the budget leaves no time for.
        """
        return self._core.relabel(
            self._selection,
            labels=self.labels,
            task=task.core,
            features=features,
            mlp=mlp,
            num_threads=jobs,
            time_limit_s=budget.remaining_s,
            memory_limit_bytes=budget.remaining_bytes,
            progress=lambda num_done: not budget.interrupted,
        )

    def operators(self, sample: int) -> list[int]:
        """The operators that lead from a sample to where its search started, by position in the task."""
        parents, operators = self.links
        position = int(self._selection[sample])
        path = []
        while parents[position] != _NO_PARENT:
            path.append(int(operators[position]))
            position = int(parents[position])
        return path

    @cached_property
    def links(self) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
        """For every sample collected, before `min_label`: the sample one step closer to the goal and the operator
        that leads there; 2^32 - 1 for a start."""
        return self._core.parents, self._core.operators

    def summary(self, budget: Budget | None = None) -> SampleSummary:
        firsts = self._find_firsts(budget)
        statistics = self._core.statistics
        labels = self.labels
        quantiles = (0, 0.25, 0.5, 0.75, 1)
        values = np.quantile(labels, quantiles) if len(labels) else np.zeros(len(quantiles))
        return SampleSummary(
            num_samples=len(self),
            num_unique=int(np.count_nonzero(firsts == np.arange(len(firsts)))),
            deepest_label=int(labels.max(initial=0)),
            label_quantiles={f"{q:g}": float(value) for q, value in zip(quantiles, values, strict=True)},
            num_dead_ends=statistics.num_dead_ends,
            num_redraws=statistics.num_redraws,
            num_searches=statistics.num_searches,
            num_searches_without_start=statistics.num_without_start,
            share_inexact=statistics.num_inexact / statistics.num_steps if statistics.num_steps else 0.0,
            num_incomplete=statistics.num_incomplete,
            samples_per_s=len(self._core) / self.time_s if self.time_s > 0 else 0.0,
        )

    def save(self, path: str | Path, budget: Budget | None = None) -> None:
        """Write an `.npz` file that plain NumPy reads, in one step; see docs/file-formats.md.

        Raises LimitReached or MemoryError at the limits of the budget, also while a pipe has no reader.
        """
        config: dict[str, Any] = {**dataclasses.asdict(self.config), "seed": self.seed}
        arrays = {
            "labels": self.labels,
            "atoms": np.array(self.atoms, dtype=np.str_),
            "num_atoms": np.int64(len(self.atoms)),
            "config": np.array(json.dumps(config)),
        }
        bytes_per_state = (len(self.atoms) + 7) // 8
        write_npz(path, self._packed_states(bytes_per_state, budget), (len(self), bytes_per_state), arrays, budget)

    def _packed_states(self, bytes_per_state: int, budget: Budget | None) -> Iterator[bytes]:
        """The rows of `states`, some at a time; each time it looks at the limits."""
        size = max(1, _BLOCK_BYTES // max(1, bytes_per_state))
        for start in range(0, len(self), size):
            block = self._selection[start : start + size]
            yield self._core.bits(block, budget.guard() if budget else None).tobytes()


def sample(
    task: Task,
    config: SamplingConfig | None = None,
    *,
    seed: int = 0,
    jobs: int = 1,
    budget: Budget | None = None,
    on_progress: Callable[[int], object] = lambda num_samples: None,
) -> Samples:
    """Sample states backward from the goal.

    The same seed gives the same samples whatever `jobs`, the number of threads. `on_progress` hears the
    number of samples about ten times a second. When the budget ends first, the samples collected so far
    are returned and their `status` says why. Raises UnsupportedError.
    """
    config = config or SamplingConfig()
    budget = budget or Budget()
    if jobs < 1:
        raise InputError(f"the number of jobs is {jobs}; it must be at least 1")
    if not 0 <= seed < 2**64:
        raise InputError(f"the seed is {seed}; it must be between 0 and 2^64 - 1")
    check_space(task, config.space)
    start_s = time.monotonic()
    sampler = _core.Sampler(
        task.core,
        space=config.space,
        strategy=_STRATEGY[config.strategy],
        collection=_COLLECTION[config.collect],
        completion=_COMPLETION[config.completion],
        num_searches=config.nsearches,
        num_samples=config.nsamples,
        max_depth=_max_depth(task, config),
        consistent_starts=config.consistent_starts,
        seed=seed,
        guard=budget.guard(),
    )

    def poll(num_samples: int) -> bool:
        on_progress(num_samples)
        return not budget.interrupted

    # The arrays made of the samples later need memory too: their bits, and some numbers for each.
    packed_bytes = sampler.bytes_per_sample
    array_bytes = (task.core.num_atoms + 7) // 8 + 32
    memory_limit_bytes = budget.remaining_bytes * packed_bytes // (packed_bytes + array_bytes)
    core = sampler.run(
        num_threads=jobs, time_limit_s=budget.remaining_s, memory_limit_bytes=memory_limit_bytes, progress=poll
    )
    return Samples(task, config, seed, core, time.monotonic() - start_s, budget)


def check_space(task: Task, space: str) -> None:
    """Raise UnsupportedError where the space has no backward steps over operators of the task."""
    if space != "r" and not task.core.has_fixed_effects:
        feature = "axioms" if task.core.has_axioms else "conditional effects"
        raise UnsupportedError(
            f"this task has {feature}, and the space '{space}' has no backward steps over these; regression has: "
            "--set space=r"
        )


def _max_depth(task: Task, config: SamplingConfig) -> int:
    if config.max_depth is None:
        return _NO_DEPTH_LIMIT
    return regression_depth(task) if isinstance(config.max_depth, str) else config.max_depth


def regression_depth(task: Task) -> int:
    """⌈facts / mean effects of an operator⌉: about how many steps change every fact once."""
    num_effects = task.core.num_effects
    return math.ceil(task.core.num_atoms * task.num_operators / num_effects) if num_effects else 1
