"""How the phases of a run tell what they are doing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from sing import _core

if TYPE_CHECKING:
    import numpy.typing as npt

# Made only for those who want to see them: the labels of samples, and estimates of the states along a plan.
GetLabels = Callable[[], "npt.NDArray[np.float32]"]
GetEstimates = Callable[[], list[int | None]]
# Of some steps of a plan: the atoms that hold after them; 0 is the initial state.
GetAtoms = Callable[[Sequence[int]], list[frozenset[str]]]
# Of each epoch: the mean loss while it trained, and the loss on the validation set after it.
Losses = Sequence[tuple[float, float]]


class Reporter:
    """Receives what a run is doing. This class does nothing; subclasses print or record it."""

    def working(self, phase: str, news: str = "") -> None:
        """Called some times a second while a phase runs."""

    def done(self, phase: str, time_s: float, summary: str) -> None:
        """Called once when a phase ends."""

    def sampled(self, labels: GetLabels) -> None:
        """Called where a network is to be trained: the labels it will see, in any order."""

    def trained(self, losses: Losses) -> None:
        """Called where a network has been trained."""

    def searching(self, statistics: _core.SearchStatistics, searcher: str = "") -> None:
        """Called some times a second by a search, and at its end; one of several side by side has a name."""

    def solved(self, estimates: GetEstimates, atoms: GetAtoms) -> None:
        """Called once where there is a plan: what the heuristic that found it says along it, None for a dead end."""


class Reporters(Reporter):
    """Forwards every call to several reporters."""

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

    def trained(self, losses: Losses) -> None:
        for reporter in self._reporters:
            reporter.trained(losses)

    def searching(self, statistics: _core.SearchStatistics, searcher: str = "") -> None:
        for reporter in self._reporters:
            reporter.searching(statistics, searcher)

    def solved(self, estimates: GetEstimates, atoms: GetAtoms) -> None:
        for reporter in self._reporters:
            reporter.solved(estimates, atoms)


class PartReporter(Reporter):
    """Speaks for runs within a phase of another one: says what is going on as news of that phase, and no more."""

    def __init__(self, reporter: Reporter, phase: str, news: str | Callable[[], str]) -> None:
        self._reporter = reporter
        self._phase = phase
        self._news = news  # said before that of the run; where it changes, a function that tells it

    def working(self, phase: str, news: str = "") -> None:
        before = self._news if isinstance(self._news, str) else self._news()
        self._reporter.working(self._phase, f"{before}, {phase}: {news}" if news else f"{before}, {phase}")


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

    def trained(self, losses: Losses) -> None:
        with self._lock:
            self._reporter.trained(losses)

    def searching(self, statistics: _core.SearchStatistics, searcher: str = "") -> None:
        with self._lock:
            self._reporter.searching(statistics, searcher or self._name)
