"""How the phases of a run tell what they are doing."""

from __future__ import annotations

import threading


class Reporter:
    """Hears what a run is doing. This one stays silent; the command line has one that speaks."""

    def working(self, phase: str, news: str = "") -> None:
        """Called some times a second while a phase runs."""

    def done(self, phase: str, time_s: float, summary: str) -> None:
        """Called once when a phase ends."""


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
