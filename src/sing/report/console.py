"""Shows a person what a run is doing: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Mapping
from types import TracebackType

from rich.console import Console
from rich.status import Status as Spinner

from sing.base.reporter import Reporter
from sing.base.words import printable
from sing.samples.sampling import SampleSummary

# Between two lines about one phase where there is no terminal to update in place.
_PLAIN_INTERVAL_S = 5.0


class ConsoleReporter(Reporter):
    """A context manager, so that the terminal is left in order however the run ends."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._spinner = _spinner(console)
        self._phase = ""
        self._phase_start_s = 0.0
        self._last_line_s = 0.0

    def __enter__(self) -> ConsoleReporter:
        if self._spinner:
            self._spinner.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._spinner:
            self._spinner.stop()

    def say(self, text: str) -> None:
        self._console.print(text)

    def working(self, phase: str, news: str = "") -> None:
        now_s = time.monotonic()
        if phase != self._phase:
            self._phase, self._phase_start_s, self._last_line_s = phase, now_s, now_s
        line = f"{phase:<10}{now_s - self._phase_start_s:8.2f} s  {news}"
        if self._spinner:
            self._spinner.update(printable(line))
        elif now_s - self._last_line_s >= _PLAIN_INTERVAL_S:
            self._last_line_s = now_s
            self.say(f"{line} …")

    def done(self, phase: str, time_s: float, summary: str) -> None:
        self.say(f"{phase:<10}{time_s:8.2f} s  {summary}")


def _spinner(console: Console) -> Spinner | None:
    """A line that is updated in place, where there is a terminal to show it."""
    return Spinner("", console=console, spinner="line") if console.is_terminal and not console.quiet else None


class BatchLine:
    """A live line about several problems: how many are done, and what the one heard of last is doing.

    A context manager, so that the terminal is left in order however the run ends.
    """

    def __init__(self, console: Console, names: Mapping[str, str]) -> None:
        self._names = names
        self._spinner = _spinner(console)
        self._num_done = self._num_solved = 0

    def __enter__(self) -> BatchLine:
        if self._spinner:
            self._spinner.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._spinner:
            self._spinner.stop()

    def ended(self, problem: str, is_solved: bool) -> None:
        self._num_done += 1
        self._num_solved += is_solved

    def reporter_of(self, problem: str) -> Reporter | None:
        return _BatchReporter(self, self._names[problem]) if self._spinner else None

    def show(self, news: str) -> None:
        if self._spinner:
            done = f"{self._num_done} of {len(self._names)} done, {self._num_solved} solved"
            self._spinner.update(printable(f"{done}; {news}"))


class _BatchReporter(Reporter):
    """Tells the line what one of the problems is doing."""

    def __init__(self, line: BatchLine, name: str) -> None:
        self._line = line
        self._name = name

    def working(self, phase: str, news: str = "") -> None:
        self._line.show(f"{self._name}: {phase} {news}")


def describe_summary(summary: SampleSummary) -> str:
    """A sampling summary as lines for people."""
    quantiles = ", ".join(f"{value:g}" for value in summary.label_quantiles.values())
    return "\n".join(
        (
            f"  unique states    {summary.num_unique:,}",
            f"  deepest label    {summary.deepest_label}",
            f"  label quantiles  {quantiles} (least, quarters, most)",
            f"  dead ends        {summary.num_dead_ends:,}",
            f"  start redraws    {summary.num_redraws:,}",
            f"  without a start  {summary.num_searches_without_start:,} of {summary.num_searches:,} searches",
            f"  inexact steps    {summary.share_inexact:.1%}",
            f"  left undefined   {summary.num_incomplete:,} samples that no value could complete",
        )
    )
