"""One clock and one memory limit for all phases of a run, and the texts users write limits in."""

from __future__ import annotations

import copy
import math
import os
import re
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

from sing import _core
from sing.base.errors import InputError
from sing.base.outcome import Status

DEFAULT_TIME_LIMIT_S = 1800.0
DEFAULT_MEMORY_LIMIT_BYTES = 8 << 30
# Python and the core themselves need about this much.
MIN_MEMORY_LIMIT_BYTES = 32 << 20
# More than any machine has, and well within what a 64-bit number of bytes can hold.
MAX_MEMORY_LIMIT_BYTES = 1 << 60

# As numbers, or as people write them: "1m30s", "8G". None: the default.
TimeLimit = float | str
MemoryLimit = int | str | None

_BYTES = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


class LimitReached(Exception):
    """Unwinds a phase when the budget ends; `planner.solve` turns it into a result."""

    def __init__(self, status: Status) -> None:
        super().__init__(status.value)
        self.status = status


class Budget:
    """What is left of a run's time and memory, and whether it was asked to stop.

    The run began when the clock, a function that tells seconds, said `start_s`; unless given, when the object is made.
    """

    def __init__(
        self,
        time_limit_s: TimeLimit = DEFAULT_TIME_LIMIT_S,
        memory_limit_bytes: MemoryLimit = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        start_s: float | None = None,
    ) -> None:
        if isinstance(time_limit_s, str):
            time_limit_s = parse_time_s(time_limit_s)
        if isinstance(memory_limit_bytes, str):
            memory_limit_bytes = parse_memory_bytes(memory_limit_bytes)
        if memory_limit_bytes is None:
            memory_limit_bytes = default_memory_limit_bytes()
        if not time_limit_s > 0:  # also refuses NaN
            raise InputError(f"the time limit is {time_limit_s:g} s; it must be above 0")
        if not MIN_MEMORY_LIMIT_BYTES <= memory_limit_bytes <= MAX_MEMORY_LIMIT_BYTES:
            raise InputError(
                f"the memory limit is {memory_limit_bytes} bytes; it must be a real machine's, "
                f"and the planner alone needs {MIN_MEMORY_LIMIT_BYTES >> 20}M"
            )
        self.time_limit_s = time_limit_s
        self.memory_limit_bytes = memory_limit_bytes
        self._interrupted = False
        self._clock = clock
        self._start_s = clock() if start_s is None else start_s
        self._whole: Budget | None = None
        self._memory_share = 1.0

    def slice(self, time_s: float, memory_share: float = 1.0) -> Budget:
        """A part of this budget for one of its phases, or for one of several runs side by side.

        It ends after `time_s`, or with the whole; interrupting it leaves the whole running.
        """
        part = copy.copy(self)  # the constructor would refuse a small share of a small limit
        part.time_limit_s = max(time_s, 1e-9)
        part.memory_limit_bytes = int(memory_share * self.memory_limit_bytes)
        part._interrupted = False
        part._start_s = self._clock()
        part._whole = self
        part._memory_share = memory_share
        return part

    @property
    def interrupted(self) -> bool:
        return self._interrupted or (self._whole is not None and self._whole.interrupted)

    def interrupt(self) -> None:
        """Ask the run to stop soon. Safe to call from a signal handler or another thread."""
        self._interrupted = True

    @property
    def elapsed_s(self) -> float:
        return self._clock() - self._start_s

    @property
    def remaining_s(self) -> float:
        own_s = max(0.0, self.time_limit_s - self.elapsed_s)
        return own_s if self._whole is None else min(own_s, self._whole.remaining_s)

    @property
    def remaining_bytes(self) -> int:
        """Memory a phase may still allocate: the limit less what the process holds and a margin."""
        if self._whole is not None:
            return int(self._memory_share * self._whole.remaining_bytes)
        margin = max(4 << 20, self.memory_limit_bytes // 50)
        return max(0, self.memory_limit_bytes - current_memory_bytes() - margin)

    def guard(self) -> _core.Guard:
        """Limits what the core prepares before a phase: it raises LimitReached, or MemoryError."""
        return _core.Guard(memory_limit_bytes=self.remaining_bytes, check=self.check)

    def check(self) -> None:
        """Raise LimitReached when the run must stop."""
        if self.interrupted:
            raise LimitReached(Status.INTERRUPTED)
        if self.remaining_s <= 0:
            raise LimitReached(Status.OUT_OF_TIME)

    def check_memory(self) -> None:
        """As check(), and raise also where the process holds all the memory that it may. Takes some microseconds."""
        self.check()
        if self.remaining_bytes <= 0:
            raise LimitReached(Status.OUT_OF_MEMORY)


def parse_time_s(text: str) -> float:
    """Seconds from `90`, `90s`, `30m`, `2h` or `1m30s`.

    >>> parse_time_s("30m"), parse_time_s("1m30s")
    (1800.0, 90.0)
    """
    number = r"(\d+(?:\.\d+)?)"
    match = re.fullmatch(rf"(?:{number}h)?(?:{number}m)?(?:{number}s?)?", text.strip().lower())
    seconds = math.nan
    if match and match[0]:
        seconds = sum(float(part) * unit for part, unit in zip(match.groups(), (3600, 60, 1), strict=True) if part)
    if not 0 < seconds < math.inf:
        raise InputError(f"'{text}' is not a time limit; write for example 90, 90s, 30m, 2h or 1m30s")
    return seconds


def parse_memory_bytes(text: str) -> int:
    """Bytes from `512M` or `8G`.

    >>> parse_memory_bytes("512M")
    536870912
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([kmgt])(?:i?b)?", text.strip().lower())
    if not match or len(match[1]) > 18:
        raise InputError(f"'{text}' is not a memory limit; write for example 512M or 8G")
    bytes_ = int(float(match[1]) * _BYTES[match[2]])
    if bytes_ > MAX_MEMORY_LIMIT_BYTES:
        raise InputError(f"the memory limit '{text}' is more than any machine has; write for example 512M or 8G")
    if bytes_ < MIN_MEMORY_LIMIT_BYTES:
        raise InputError(
            f"the memory limit '{text}' is too low; the planner alone needs {MIN_MEMORY_LIMIT_BYTES >> 20}M"
        )
    return bytes_


def default_memory_limit_bytes() -> int:
    """8 GiB, or nine tenths of what the machine has free where that is less."""
    return min(DEFAULT_MEMORY_LIMIT_BYTES, int(0.9 * _available_bytes()))


def _available_bytes() -> int:
    """Free memory of the machine, of the control group we run in or under `ulimit -v`, whichever is least."""
    candidates = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    if match := re.search(r"MemAvailable:\s+(\d+) kB", _read("/proc/meminfo")):
        candidates.append(int(match[1]) * 1024)
    soft_limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if soft_limit != resource.RLIM_INFINITY:
        candidates.append(soft_limit)
    group = re.search(r"^0::(/.*)$", _read("/proc/self/cgroup"), re.MULTILINE)
    for folder in {"/sys/fs/cgroup", "/sys/fs/cgroup" + (group[1] if group else "")}:
        limit, used = _read(f"{folder}/memory.max"), _read(f"{folder}/memory.current")
        if limit.strip().isdigit() and used.strip().isdigit():
            # What caches files is given up when it is needed.
            cache = re.search(r"^inactive_file (\d+)$", _read(f"{folder}/memory.stat"), re.MULTILINE)
            candidates.append(int(limit) - int(used) + (int(cache[1]) if cache else 0))
    return max(MIN_MEMORY_LIMIT_BYTES * 2, min(candidates))


def _read(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""


def current_memory_bytes() -> int:
    """Resident memory of this process now (its peak where the system tells only that)."""
    try:
        resident_pages = int(Path("/proc/self/statm").read_text().split()[1])
        return resident_pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return peak_memory_kb() * 1024


def peak_memory_kb() -> int:
    """The largest resident memory of this process or of any child it waited for, in KiB."""
    unit = 1024 if sys.platform == "darwin" else 1
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // unit
    # What getrusage tells of ourselves on Linux includes the memory of the process that started us.
    if match := re.search(r"VmHWM:\s+(\d+) kB", _read("/proc/self/status")):
        return max(int(match[1]), children)
    return max(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit, children)
