"""How far a Lab experiment is, seen from the folders of its runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from lab_runs import outcome_of, run_dirs

from sing.base.budget import Budget

# Between two lines where there is no terminal to update in place, and between two looks at folders.
_PLAIN_INTERVAL_S = 10.0
_LOOK_INTERVAL_S = 2.0


class Progress:
    """Counts runs as they end, and guesses the time left from those that ended under its eyes."""

    def __init__(self, folders: list[Path]) -> None:
        self._open = set(folders)
        self._total = len(folders)
        self._solved = self._failed = 0
        self.look()
        self._start_s = time.monotonic()
        self._before = self.done
        self._last_line_s = 0.0

    @property
    def done(self) -> int:
        return self._total - len(self._open)

    @property
    def is_over(self) -> bool:
        return not self._open

    def look(self) -> None:
        for folder in list(self._open):
            self.note(folder)

    def note(self, folder: Path) -> None:
        outcome = outcome_of(folder)
        if outcome.has_ended:
            self._open.discard(folder)
            self._solved += outcome.is_solved
            self._failed += outcome.failure is not None

    def line(self) -> str:
        """`12 of 20 runs done, 9 solved, 1 failed, about 3 min left`."""
        text = f"{self.done} of {self._total} runs done, {self._solved} solved, {self._failed} failed"
        seen = self.done - self._before
        if self._open and seen:
            left_s = (time.monotonic() - self._start_s) / seen * len(self._open)
            text += f", about {left_s / 60:.0f} min left" if left_s >= 90 else f", about {left_s:.0f} s left"
        return text

    def show(self, is_last: bool = False) -> None:
        now_s = time.monotonic()
        if sys.stdout.isatty():
            print(f"\r\033[K{self.line()}", end="\n" if is_last else "", flush=True)
        elif is_last or now_s - self._last_line_s >= _PLAIN_INTERVAL_S:
            self._last_line_s = now_s
            print(self.line(), flush=True)


def watch(experiment: str | Path, is_running: Callable[[], bool], budget: Budget) -> None:
    """Show how far an experiment is until all its runs have ended, wherever they run, or nobody runs them any more."""
    progress = Progress(run_dirs(experiment))
    while not progress.is_over and is_running():
        progress.show()
        time.sleep(_LOOK_INTERVAL_S)
        budget.check()
        progress.look()
    progress.look()
    progress.show(is_last=True)
    if not progress.is_over:
        print("nobody is running the others; call the experiment again to go on")
