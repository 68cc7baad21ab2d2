"""How the phases of a run tell what they are doing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from sing import _core
    from sing.task import Task
    from sing.training import EpochLoss

# Labels are made only for those who want to see them.
GetLabels = Callable[[], npt.NDArray[np.float32]]


class Reporter:
    """Hears what a run is doing. This one stays silent; the command line has one that speaks."""

    def working(self, phase: str, news: str = "") -> None:
        """Called some times a second while a phase runs."""

    def done(self, phase: str, time_s: float, summary: str) -> None:
        """Called once when a phase ends."""

    def sampled(self, labels: GetLabels) -> None:
        """Called where a network is to be trained: the labels it will see, in any order."""

    def trained(self, losses: Sequence[EpochLoss]) -> None:
        """Called where a network has been trained."""

    def searching(self, statistics: _core.SearchStatistics, searcher: str = "") -> None:
        """Called some times a second by a search, and at its end; one of several side by side has a name."""

    def solved(self, task: Task, operators: Sequence[int], heuristic: _core.Heuristic) -> None:
        """Called once with the plan and the heuristic of the search that found it."""


class Reporters(Reporter):
    """Tells several."""

    def __init__(self, *reporters: Reporter) -> None:
        self._reporters = reporters

    def working(self, phase: str, news: str = "") -> None:
        for reporter in self._reporters:
            reporter.working(phase, news)

    def done(self, phase: str, time_s: float, summary: str) -> None:
        for reporter in self._reporters:
            reporter.done(phase, time_s, summary)

    def sampled(self, labels: GetLabels) -> None:
        for reporter in self._reporters:
            reporter.sampled(labels)

    def trained(self, losses: Sequence[EpochLoss]) -> None:
        for reporter in self._reporters:
            reporter.trained(losses)

    def searching(self, statistics: _core.SearchStatistics, searcher: str = "") -> None:
        for reporter in self._reporters:
            reporter.searching(statistics, searcher)

    def solved(self, task: Task, operators: Sequence[int], heuristic: _core.Heuristic) -> None:
        for reporter in self._reporters:
            reporter.solved(task, operators, heuristic)


class MemberReporter(Reporter):
    """Speaks for one of several runs side by side, through a reporter that serves them all."""

    def __init__(self, reporter: Reporter, name: str, lock: threading.Lock) -> None:
        self._reporter = reporter
        self._name = name
        self._lock = lock

    def working(self, phase: str, news: str = "") -> None:
        with self._lock:
            self._reporter.working(phase, f"{self._name}: {news}")

    def done(self, phase: str, time_s: float, summary: str) -> None:
        with self._lock:
            self._reporter.done(phase, time_s, f"{self._name}: {summary}")

    def sampled(self, labels: GetLabels) -> None:
        with self._lock:
            self._reporter.sampled(labels)

    def trained(self, losses: Sequence[EpochLoss]) -> None:
        with self._lock:
            self._reporter.trained(losses)

    def searching(self, statistics: _core.SearchStatistics, searcher: str = "") -> None:
        with self._lock:
            self._reporter.searching(statistics, searcher or self._name)
