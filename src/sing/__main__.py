"""The program `sing`, also as `python -m sing`."""

from __future__ import annotations

import os
import time

from sing.base.signals import exit_at_once, on_signals

TYPE_CHECKING = False  # that of `typing`, which takes longer to import than all of this
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> NoReturn:
    """The entry point. What it needs is imported after the clock of the time limit has started and signals are handled:
    that takes a good part of a second."""
    start_s = time.monotonic()
    on_signals(exit_at_once)
    _occupy_standard_streams()
    from sing.base.lazy import delay_numpy

    delay_numpy()
    from sing.cli.main import main as run

    run(start_s)


def _occupy_standard_streams() -> None:
    """Open nothing in place of standard streams that are closed: another file would get their number, and what is
    written to the stream."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free


if __name__ == "__main__":
    main()
