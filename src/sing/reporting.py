"""Shows a person what a run is doing: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.status import Status as Spinner

from sing.planner import Reporter

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
