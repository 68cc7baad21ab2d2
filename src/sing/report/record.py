"""What a run did, in numbers: kept as it goes, for the page that shows it."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from sing import _core
from sing.base.reporter import GetAtoms, GetEstimates, GetLabels, Losses, Reporter
from sing.report.boards import evenly

# Points of a curve; with more, every second is dropped and every second of those to come.
_MAX_POINTS = 1000
_MAX_BARS = 60
# States along the plan that can be drawn.
_MAX_STATES = 8


@dataclass(frozen=True)
class Phase:
    name: str
    start_s: float
    time_s: float
    summary: str


@dataclass(frozen=True)
class Moment:
    time_s: float  # since the run began
    num_expanded: int  # in all searches so far
    fewest_open_goals: int  # of the search under way


class Trace:
    """How a search, or several one after the other, went on."""

    def __init__(self) -> None:
        self._moments: list[Moment] = []
        self._last: Moment | None = None  # the newest, also where it is not one of the moments kept
        self._search_time_s = 0.0
        self._before = 0  # expansions of the searches that have ended
        self._stride, self._skipped = 1, 0

    @property
    def moments(self) -> list[Moment]:
        is_kept = not self._moments or self._moments[-1] == self._last
        return self._moments if is_kept or self._last is None else [*self._moments, self._last]

    def add(self, time_s: float, statistics: _core.SearchStatistics) -> None:
        if self._last is None or statistics.time_s < self._search_time_s:  # another search
            if self._last is not None:
                self._keep(self._last)
                self._before = self._last.num_expanded
            self._keep(Moment(time_s - statistics.time_s, self._before, statistics.fewest_open_goals))
        self._search_time_s = statistics.time_s
        self._last = Moment(time_s, self._before + statistics.num_expanded, statistics.fewest_open_goals)
        self._skipped += 1
        if self._skipped >= self._stride:
            self._skipped = 0
            self._keep(self._last)

    def _keep(self, moment: Moment) -> None:
        if self._moments and self._moments[-1] == moment:
            return
        self._moments.append(moment)
        if len(self._moments) > _MAX_POINTS:
            self._stride *= 2
            del self._moments[1::2]


class RunRecord(Reporter):
    """Where a run learns several times, the last network's labels and losses are kept.

    Its times count from when the clock of the system said `start_s`; unless given, from when it is made.
    """

    def __init__(self, start_s: float | None = None) -> None:
        self._start_s = time.monotonic() if start_s is None else start_s
        self.phases: list[Phase] = []
        self.bars: list[tuple[float, float, float]] = []  # of a histogram of labels: left, right, how many
        self.num_labels = 0
        self.losses: list[tuple[float, float]] = []
        self.traces: dict[str, Trace] = {}  # by the name of the searcher
        self.estimates: list[int | None] = []  # along the plan; None: a dead end
        self.states: list[tuple[int, frozenset[str]]] = []  # some steps of the plan with the atoms that hold then
        self.num_networks = 0

    def done(self, phase: str, time_s: float, summary: str) -> None:
        start_s = max(0.0, self._elapsed_s - time_s)
        self.phases.append(Phase(phase, start_s, time_s, summary))

    def sampled(self, labels: GetLabels) -> None:
        values = labels()
        values = values[np.isfinite(values)]
        self.num_labels = len(values)
        self.bars = histogram_of(values)

    def trained(self, losses: Losses) -> None:
        self.losses = list(losses)
        self.num_networks += 1

    def searching(self, statistics: _core.SearchStatistics, searcher: str = "") -> None:
        self.traces.setdefault(searcher, Trace()).add(self._elapsed_s, statistics)

    def solved(self, estimates: GetEstimates, atoms: GetAtoms) -> None:
        self.estimates = estimates()
        steps = evenly(len(self.estimates) - 1, _MAX_STATES)
        self.states = list(zip(steps, atoms(steps), strict=True))

    @property
    def _elapsed_s(self) -> float:
        return time.monotonic() - self._start_s


def histogram_of(values: np.ndarray) -> list[tuple[float, float, float]]:
    """Bars of equal width, one for each whole number as long as there are few.

    >>> histogram_of(np.array([1, 1, 3.2]))
    [(0.5, 1.5, 2.0), (1.5, 2.5, 0.0), (2.5, 3.5, 1.0)]
    """
    if not len(values):
        return []
    least, most = np.floor(values.min() + 0.5), np.floor(values.max() + 0.5)
    width = max(1.0, np.ceil((most - least + 1) / _MAX_BARS))
    edges = np.arange(least - 0.5, most + 0.5 + width, width)
    counts, edges = np.histogram(values, edges)
    bars = [(float(a), float(b), float(n)) for a, b, n in zip(edges, edges[1:], counts, strict=False)]
    while bars and not bars[-1][2]:
        bars.pop()
    return bars
