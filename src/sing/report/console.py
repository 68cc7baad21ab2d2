"""Shows a person what a run is doing: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, cast

from sing.base.reporter import Reporter
from sing.base.words import printable
from sing.samples.samples import SampleSummary

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text
    from typing_extensions import Self

# By verbosity: seconds between two lines about a phase that is not done. On a terminal such lines come with -v only.
_INTERVALS_S = (5.0, 1.0, 0.0)
_SPINNER = "line"


class Printer(Protocol):
    """What lines are printed to: a console of rich where it is a terminal."""

    quiet: bool

    @property
    def is_terminal(self) -> bool: ...
    def print(self, *items: Any, **options: Any) -> None: ...


class _Live:
    """A line that is updated in place while this context lasts, where there is a terminal to show it.

    However a run ends, the terminal is left in order.
    """

    def __init__(self, console: Printer, line: RenderableType) -> None:
        self._spinner = None
        if console.is_terminal and not console.quiet:
            from rich.status import Status  # which runs without a terminal need not wait for

            self._spinner = Status(line, console=cast("Console", console), spinner=_SPINNER)

    def __enter__(self) -> Self:
        if self._spinner:
            self._spinner.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._spinner:
            self._spinner.stop()


class ConsoleReporter(_Live, Reporter):
    """Prints a line for each phase that is done, and shows what the present one is doing."""

    def __init__(self, console: Printer, verbosity: int = 0, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self.verbosity = verbosity
        self._interval_s = _INTERVALS_S[min(verbosity, len(_INTERVALS_S) - 1)]
        self._clock = clock
        self._line = _LiveLine(clock)
        super().__init__(console, self._line)
        self._last_line_s = clock()

    @property
    def line(self) -> str:
        """The live line as it is now."""
        return str(self._line)

    def say(self, text: str, verbosity: int = 0) -> None:
        """Print a line, where people asked for so many."""
        if self.verbosity >= verbosity:
            self._console.print(text)

    def working(self, phase: str, news: str = "") -> None:
        now_s = self._clock()
        if self._line.change(phase, news):
            self._last_line_s = now_s
        if now_s - self._last_line_s >= self._interval_s and (self.verbosity or not self._spinner):
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
        return _one_line(str(self) if self._phase else "")


def _phase_line(phase: str, time_s: float, text: str) -> str:
    return f"{phase:<10}{time_s:8.2f} s  {text}"


def _one_line(text: str) -> Text:
    from rich.text import Text

    return Text(printable(text), no_wrap=True, overflow="ellipsis")


class BatchLine(_Live):
    """A live line about several problems: how many are done, and what the one heard of last is doing."""

    def __init__(self, console: Printer, names: Mapping[str, str]) -> None:
        super().__init__(console, "")
        self._names = names
        self._num_done = self._num_solved = 0
        self._last = ("", "")  # problem and phase that are shown

    def ended(self, problem: str, is_solved: bool) -> None:
        self._num_done += 1
        self._num_solved += is_solved

    def reporter_of(self, problem: str) -> Reporter | None:
        return _BatchReporter(self, self._names[problem]) if self._spinner else None

    def show(self, name: str, phase: str, news: str) -> None:
        if self._spinner:
            done = f"{self._num_done} of {len(self._names)} done, {self._num_solved} solved"
            # A new phase is drawn at once, which naming the spinner does; what happens within it when the line is next.
            spinner = _SPINNER if self._last != (name, phase) else None
            self._last = name, phase
            self._spinner.update(_one_line(f"{done}; {name}: {phase} {news}"), spinner=spinner)


class _BatchReporter(Reporter):
    """Tells the line what one of the problems is doing."""

    def __init__(self, line: BatchLine, name: str) -> None:
        self._line = line
        self._name = name

    def working(self, phase: str, news: str = "") -> None:
        self._line.show(self._name, phase, news)


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
