"""The file of --log: everything that a run prints, line by line, with the time."""

from __future__ import annotations

import shlex
import sys
import time
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any

import click
from rich.console import Console

from sing.base.errors import InputError, SingError
from sing.base.files import check_writable, reason
from sing.base.version import own_version


class Log:
    """A context manager. A line is in the file as soon as it is written, so that a run that was killed leaves its log.

    It begins with the date, the version and the command, and ends with the error where one ended the run.
    """

    def __init__(self, path: str) -> None:
        if path == "-" or Path(path).is_fifo():  # whose reader would have to come first
            raise InputError("--log needs the name of a file")
        check_writable(path, "log file")
        self._path = path
        self._start_s = time.monotonic()
        try:
            self._file = Path(path).open("w", buffering=1, encoding="utf-8", errors="replace")  # noqa: SIM115
        except OSError as error:
            raise InputError(f"cannot write the log file '{path}': {reason(error)}") from None
        self._console = Console(file=self._file, highlight=False, markup=False, emoji=False, soft_wrap=True)
        now = datetime.now().astimezone().isoformat(" ", "seconds")
        self.write(f"{now}, sing {own_version()}: {shlex.join(['sing', *sys.argv[1:]])}")

    def write(self, *items: Any) -> None:
        """Texts, or tables as a console draws them."""
        with self._console.capture() as lines:
            self._console.print(*items)
        try:
            for line in lines.get().splitlines():
                self._file.write(f"{time.monotonic() - self._start_s:9.2f} {line.rstrip()}\n")
        except OSError as error:
            raise InputError(f"cannot write the log file '{self._path}': {reason(error)}") from None

    def __enter__(self) -> Log:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, SingError | click.ClickException):
            self.write(f"error: {error}")
        elif error is not None:
            self.write(f"ended by {type(error).__name__} {error}")
        self._file.close()
