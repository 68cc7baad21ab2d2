"""What a command prints to where there is a terminal, which live lines can be drawn on."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from sing.cli.lines import without_escapes
from sing.cli.log import Log


class Terminal(Console):
    """Writes to the log what it prints, and also what it does not print because it is quiet."""

    def __init__(self, *, stderr: bool, quiet: bool, log: Log | None) -> None:
        super().__init__(stderr=stderr, quiet=quiet, highlight=False, markup=False, emoji=False, soft_wrap=True)
        self._log_to = log

    def print(self, *items: Any, **options: Any) -> None:
        items = without_escapes(items)
        super().print(*items, **options)
        if self._log_to:
            self._log_to.write(*items)
