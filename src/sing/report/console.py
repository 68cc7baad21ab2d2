"""Shows a person what a run is doing: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType

from rich.console import Console
from rich.status import Status as Spinner
from rich.text import Text

from sing.base.reporter import Reporter
from sing.samples.sampling import SampleSummary

# By verbosity: seconds between two lines about a phase that is not done. On a terminal such lines come with -v only.
_INTERVALS_S = (5.0, 1.0, 0.0)


class ConsoleReporter(Reporter):
    """A context manager, so that the terminal is left in order however the run ends."""

    def __init__(self, console: Console, verbosity: int = 0, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._verbosity = verbosity
        self._interval_s = _INTERVALS_S[min(verbosity, len(_INTERVALS_S) - 1)]
        self._clock = clock
        self._line = _LiveLine(clock)
        has_line = console.is_terminal and not console.quiet
        self._spinner = Spinner(self._line, console=console, spinner="line") if has_line else None
        self._last_line_s = clock()

    def __enter__(self) -> ConsoleReporter:
        if self._spinner:
            self._spinner.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._spinner:
            self._spinner.stop()

    @property
    def line(self) -> str:
        """The live line as it is now."""
        return str(self._line)

    def say(self, text: str, verbosity: int = 0) -> None:
        """Print a line, where people asked for so many."""
        if self._verbosity >= verbosity:
            self._console.print(text)

    def working(self, phase: str, news: str = "") -> None:
        now_s = self._clock()
        if self._line.change(phase, news):
            self._last_line_s = now_s
        if now_s - self._last_line_s >= self._interval_s and (self._verbosity or not self._spinner):
            self._last_line_s = now_s
            self.say(f"{self.line} …")

    def done(self, phase: str, time_s: float, summary: str) -> None:
        self.say(_phase_line(phase, time_s, summary))


class _LiveLine:
    """What is going on. It is drawn some times a second, and its seconds go on where no phase tells any news."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._start_s = clock()
        self._phase, self._news = "", ""

    def change(self, phase: str, news: str) -> bool:
        """Whether another phase has begun."""
        is_other = phase != self._phase
        if is_other:
            self._start_s = self._clock()
        self._phase, self._news = phase, news
        return is_other

    def __str__(self) -> str:
        return _phase_line(self._phase, self._clock() - self._start_s, self._news)

    def __rich__(self) -> Text:
        return Text(str(self) if self._phase else "", no_wrap=True, overflow="ellipsis")


def _phase_line(phase: str, time_s: float, text: str) -> str:
    return f"{phase:<10}{time_s:8.2f} s  {text}"


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
