"""Programs run under a budget."""

from __future__ import annotations

import resource
import subprocess
import tempfile
from contextlib import suppress
from typing import IO

from sing.base.budget import Budget
from sing.base.processes import wait_for


def run_process(
    command: list[str], budget: Budget, *, stdin: IO[bytes] | None = None, memory_limit_bytes: int | None = None
) -> tuple[int, str]:
    """The exit code of a program and what it wrote, standard error included. Ends with the budget, as wait_for()."""
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(
            command,
            stdin=stdin or subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        if memory_limit_bytes is not None and hasattr(resource, "prlimit"):
            with suppress(ProcessLookupError, PermissionError):  # it may have ended already
                resource.prlimit(child.pid, resource.RLIMIT_AS, (memory_limit_bytes, memory_limit_bytes))
        exit_code = wait_for(child, budget)
        output.seek(0)
        return exit_code, output.read().decode(errors="replace")
