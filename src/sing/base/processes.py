"""Waiting for a child process under a budget."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

from sing.base.budget import Budget

_POLL_S = 0.05


def wait_for(child: subprocess.Popen[bytes], budget: Budget, on_wait: Callable[[], object] = lambda: None) -> int:
    """The exit code of a child process. It is killed where the budget ends first, and LimitReached is raised.

    Children should have a session of their own: Ctrl-C then reaches us alone, and we end the child.
    """
    try:
        while True:
            try:
                return child.wait(timeout=_POLL_S)
            except subprocess.TimeoutExpired:
                budget.check()
                on_wait()
    finally:
        child.kill()
        child.wait()
