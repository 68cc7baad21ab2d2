"""States with labels, and what to know of them in numbers."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sing import _core
from sing.base.budget import Budget
from sing.base.outcome import Status
from sing.samples.npz import write_npz
from sing.task.task import Task

if TYPE_CHECKING:
    import numpy.typing as npt

STATUS_OF = {
    _core.SamplingStatus.COMPLETE: None,
    _core.SamplingStatus.OUT_OF_TIME: Status.OUT_OF_TIME,
    _core.SamplingStatus.OUT_OF_MEMORY: Status.OUT_OF_MEMORY,
    _core.SamplingStatus.INTERRUPTED: Status.INTERRUPTED,
}
_NO_PARENT = 2**32 - 1
# Bytes of states that are written together.
_BLOCK_BYTES = 4 << 20


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
    """States with labels, whatever learner made them.

    The states stay packed in the core; arrays are made when asked for.
    `config` says how they came about; it is written beside them. `status` is None where all that was to be sampled was,
    else what stopped it early. With `keeps_least` only one of the states with the same atoms is kept, with the least
    label.
    """

    def __init__(
        self,
        task: Task,
        core: _core.Samples,
        *,
        config: Any,
        seed: int,
        time_s: float,
        status: Status | None = None,
        keeps_least: bool = False,
        note: str = "",
        budget: Budget | None = None,
    ) -> None:
        self.config = config
        self.seed = seed
        self.time_s = time_s
        self.status = status
        self.note = note  # on what went wrong on the way, for people
        self._task = task
        self._core = core
        self._labels: npt.NDArray[np.uint32] = core.labels
        self._firsts: npt.NDArray[np.uint32] | None = None
        all_samples = np.arange(len(core), dtype=np.uint32)
        self._selection = self._least_labels(budget) if keeps_least else all_samples

    @property
    def title(self) -> str:
        """What was sampled and how, in a few words."""
        return str(self.config.title)

    @property
    def atoms(self) -> tuple[str, ...]:
        return self._task.atoms

    def _least_labels(self, budget: Budget | None) -> npt.NDArray[np.uint32]:
        """Of each set of samples with the same atoms the one with the least label, in order."""
        firsts = self._find_firsts(budget)
        order = np.lexsort((self._labels, firsts))
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
        return self._labels[self._selection].astype(np.float32)

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
        self,
        task: Task,
        features: _core.Features,
        mlp: _core.Mlp,
        *,
        judge: _core.Mlp | None = None,
        jobs: int = 1,
        budget: Budget,
    ) -> npt.NDArray[np.float32]:
        """The labels after a Bellman update.

        label ← min(label, 1 + least estimate of a successor): no state is further than one step more than its nearest
        successor. With a `judge`, another network, `mlp` says which successor is the nearest and the judge how far that
        one is: the least of many noisy estimates would be too low. Partial states keep their labels, as do those that
        the budget leaves no time for.
        """
        return self._core.relabel(
            self._selection,
            labels=self.labels,
            task=task.core,
            features=features,
            mlp=mlp,
            judge=judge,
            num_threads=jobs,
            time_limit_s=budget.remaining_s,
            memory_limit_bytes=budget.remaining_bytes,
            progress=lambda num_done: not budget.interrupted,
        )

    def operators(self, sample: int) -> list[int]:
        """The operators that lead from a sample to where its search started, by position in the task.

        They are as many as the label says, unless labels were lowered.
        """
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
