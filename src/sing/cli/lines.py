"""What a command prints to where there is no terminal: rich, which draws on terminals, takes long to import."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, TextIO

from sing.base.words import printable

if TYPE_CHECKING:
    from sing.cli.log import Log

# By these people tell rich what a stream is.
_SETTINGS = ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")


def is_drawn_on(stream: TextIO | None) -> bool:
    """Whether rich may do more on the stream than write lines; a stream that was closed from the start is None."""
    return stream is not None and (stream.isatty() or any(name in os.environ for name in _SETTINGS))


def without_escapes(items: tuple[Any, ...]) -> tuple[Any, ...]:
    """Texts are printed as they are, names of inputs among them, but for the escape sequences that these may hold."""
    return tuple(printable(item) if isinstance(item, str) else item for item in items)


class Lines:
    """Prints texts, and tables as rich draws them.

    Writes to the log what it prints, and also what it does not print because it is quiet.
    """

    is_terminal = False

    def __init__(self, *, stderr: bool, quiet: bool, log: Log | None) -> None:
        self.quiet = quiet
        self._stderr = stderr
        self._log = log

    def print(self, *items: Any, **options: Any) -> None:
        items = without_escapes(items)
        stream = sys.stderr if self._stderr else sys.stdout
        if not self.quiet and stream is not None:
            if all(isinstance(item, str) for item in items):
                print(*items, file=stream, flush=True)
            else:
                from rich.console import Console

                console = Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=True)
                console.print(*items, **options)
        if self._log:
            self._log.write(*items)
