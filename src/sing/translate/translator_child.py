"""Runs Fast Downward's translator in this process under a memory limit.

Started by file name, not as a module of sing, so that it imports nothing it does not need.
Arguments: memory limit in bytes, then the translator's own. Standard input is a pipe that the
parent never writes to: when it closes, the parent is gone and so are we.
"""

import contextlib
import os
import resource
import runpy
import sys
import threading


def exit_with_parent() -> None:
    os.read(0, 1)  # not sys.stdin, whose lock the interpreter wants when it shuts down
    os._exit(1)


def main() -> None:
    # Before the limit: a thread that finds no memory to begin with would leave start() waiting for ever.
    threading.stack_size(1 << 18)
    threading.Thread(target=exit_with_parent, daemon=True).start()
    limit_bytes = int(sys.argv[1])
    # Some systems do not let RLIMIT_AS be set; the parent's time limit still holds there.
    with contextlib.suppress(ValueError, OSError, OverflowError):
        resource.setrlimit(resource.RLIMIT_AS, (limit_bytes, limit_bytes))
    sys.argv = ["translate", *sys.argv[2:]]
    # Drop this file's folder: the translator must not import modules of sing by accident.
    sys.path.pop(0)
    runpy.run_module("fast_downward.translate", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
