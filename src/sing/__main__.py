"""The program `sing`, also as `python -m sing`."""

from __future__ import annotations

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
    from sing.cli.main import main as run

    run(start_s)


if __name__ == "__main__":
    main()
