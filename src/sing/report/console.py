"""Shows a person what a run is doing: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.status import Status as Spinner

from sing.base.reporter import Reporter
from sing.samples.sampling import SampleSummary

# Between two lines about one phase where there is no terminal to update in place.
_PLAIN_INTERVAL_S = 5.0


class ConsoleReporter(Reporter):
    """A context manager, so that the terminal is left in order however the run ends."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._spinner = (
            Spinner("", console=console, spinner="line") if console.is_terminal and not console.quiet else None
        )
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
            self._spinner.update(line)
        elif now_s - self._last_line_s >= _PLAIN_INTERVAL_S:
            self._last_line_s = now_s
            self.say(f"{line} …")

    def done(self, phase: str, time_s: float, summary: str) -> None:
        self.say(f"{phase:<10}{time_s:8.2f} s  {summary}")


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
