"""The signals that ask a program to end. Imports next to nothing, so that it can be the first thing that runs."""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False  # that of `typing`, which takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def on_signals(handler: Callable[[int, Any], Any]) -> None:
    """Handle the signals that ask us to end."""
    for number in ENDING:
        signal.signal(number, handler)


def exit_at_once(number: int, frame: object) -> NoReturn:
    """A handler for where there is nothing to put in order."""
    os._exit(128 + number)


def exit_in_order(number: int, frame: object) -> NoReturn:
    """A handler for where files in the making are to be removed on the way out."""
    sys.exit(128 + number)
