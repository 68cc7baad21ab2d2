"""Processes of an experiment on this machine: who runs it, and how what they started is ended."""

from __future__ import annotations

import fcntl
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from lab.calls.call import get_direct_children

from sing.base.errors import InputError

_LOCK_FILE, PROCESS_FILE = "running", "process"
_POLL_S = 0.02
# For processes to end in order once they were told to.
_TERMINATE_S = 5.0


@contextmanager
def sole_runner(experiment: str | Path) -> Iterator[None]:
    """Hold the experiment for this process. Raises InputError where another one does."""
    with (Path(experiment) / _LOCK_FILE).open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.seek(0)
            raise InputError(
                f"'{experiment}' is being run by process {lock.read().strip()}; the step `watch` shows how far it is"
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


def has_runner(experiment: str | Path) -> bool:
    try:
        with (Path(experiment) / _LOCK_FILE).open() as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def note_process(run_dir: Path, pid: int) -> None:
    """Keep who runs Lab's script in a folder, for those who come after a crash of ours."""
    (run_dir / PROCESS_FILE).write_text(f"{pid}\n")


def end_orphans(run_dirs: list[Path]) -> None:
    """End runs that a killed process of ours has left behind."""
    for run_dir in run_dirs:
        with suppress(OSError, ValueError):  # none was noted, or it is gone
            pid = int((run_dir / PROCESS_FILE).read_text())
            process = Path("/proc", str(pid))
            is_ours = process.joinpath("cmdline").read_bytes().split(b"\0")[-2:] == [b"run", b""]
            if is_ours and process.joinpath("cwd").resolve(strict=True) == run_dir.resolve():
                end_all([pid, *descendants(pid)])


def descendants(pid: int) -> list[int]:
    """The processes that a process started, and those that they started."""
    children = get_direct_children(pid)
    return children + [other for child in children for other in descendants(child)]


def end_all(pids: list[int]) -> None:
    """Ask processes to end, and kill those that do not."""
    _signal(pids, signal.SIGTERM)
    end_s = time.monotonic() + _TERMINATE_S
    while time.monotonic() < end_s and any(_is_alive(pid) for pid in pids):
        time.sleep(_POLL_S)
    _signal(pids, signal.SIGKILL)


def _signal(pids: list[int], number: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
