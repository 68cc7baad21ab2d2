"""Programs run under a budget."""

from __future__ import annotations

import subprocess
import tempfile
from typing import IO

from sing.budget import Budget

_POLL_S = 0.1


def run_process(command: list[str], budget: Budget, stdin: IO[str] | None = None) -> tuple[int, str]:
    """The exit code of a program and what it wrote, standard error included.

    It is killed when the budget ends, and LimitReached is raised.
    """
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(
            command, stdin=stdin or subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, text=True
        )
        try:
            while True:
                try:
                    process.wait(_POLL_S)
                    break
                except subprocess.TimeoutExpired:
                    budget.check()
        finally:
            process.kill()
            process.wait()
        output.seek(0)
        return process.returncode, output.read()
