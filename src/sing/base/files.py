"""Reading and writing files under a run's limits, so that users get clear errors and never half a file.

Standard input, pipes and devices are files too: `-`, `/dev/stdin`, `/dev/fd/3`, a named pipe.
"""

from __future__ import annotations

import errno
import io
import os
import re
import select
import stat
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from sing.base.budget import Budget, LimitReached
from sing.base.compression import decompressed
from sing.base.errors import InputError
from sing.base.outcome import Status

# Of the memory that is left, for what a file holds: it is copied, decoded, and becomes something larger.
READING_SHARE = 1 / 4
_CHUNK_BYTES = 1 << 20
_POLL_S = 0.05
# A pipe whose reader is slow gets at least this long, also where a run ends with its last second.
_WRITING_GRACE_S = 0.5


@dataclass(frozen=True)
class Text:
    """What a text file holds, and the name by which messages call it."""

    name: str
    text: str

    def __str__(self) -> str:
        return self.name


# What is read, or what was read before: standard input can be read only once.
Source = str | Path | Text


def read_text(source: Source, what: str, budget: Budget) -> Text:
    """The text of a file, as read_bytes(); in UTF-8, or in UTF-16 where it begins with such a byte-order mark."""
    if isinstance(source, Text):
        return source
    data = read_bytes(source, what, budget)
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    text = data.decode(encoding, errors="replace")
    return Text(shown_name(source), text.replace("\r\n", "\n").replace("\r", "\n"))


def read_bytes(path: str | Path, what: str, budget: Budget, share: float = READING_SHARE) -> bytes:
    """What a file holds, without its compression by gzip, bzip2 or xz: at most this share of the memory that is left.

    Raises InputError, naming `what` the file was to be, and LimitReached where the budget ends first, also where the
    file has no end.
    """
    room_bytes = int(share * budget.remaining_bytes)
    try:
        handle = _open_to_read(path)
        try:
            data = _read_all(handle, room_bytes, budget)
        finally:
            os.close(handle)
        return decompressed(data, room_bytes, budget)
    except (OSError, ValueError, EOFError, MemoryError) as error:  # ValueError: a name with a null byte
        raise InputError(f"cannot read the {what} '{shown_name(path)}': {reason(error)}") from None


def _open_to_read(path: str | Path) -> int:
    number = descriptor(path, of_dash=0)
    if number is not None:
        if number == 0 and sys.stdin is None:  # another file may have got its number
            raise OSError(errno.EBADF, "standard input is closed")
        return os.dup(number)
    # Without O_NONBLOCK, opening a named pipe waits for its writer, whatever the limits say.
    return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)


def _read_all(handle: int, room_bytes: int, budget: Budget) -> bytes:
    poller = select.poll()
    poller.register(handle, select.POLLIN)
    data = bytearray()
    while True:
        budget.check()
        if not poller.poll(1000 * _POLL_S):
            continue
        try:
            chunk = os.read(handle, _CHUNK_BYTES)
        except BlockingIOError:
            continue
        if not chunk:
            return bytes(data)
        data += chunk
        if len(data) > room_bytes:
            raise LimitReached(Status.OUT_OF_MEMORY)


def descriptor(path: str | Path, of_dash: int) -> int | None:
    """The number of the open stream that a name means, None for other files; `of_dash` is the one that `-` means."""
    numbers = {"-": of_dash, "/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
    if match := re.fullmatch(r"/(?:dev|proc/self)/fd/(\d{1,4})", str(path)):
        return int(match[1])
    return numbers.get(str(path))


def shown_name(path: str | Path) -> str:
    return "standard input" if str(path) == "-" else str(path)


def check_writable(path: str | Path, what: str) -> None:
    """Fail now, rather than after a long run, where `path` could not be written."""
    try:
        problem = _why_not_writable(path)
    except (OSError, ValueError) as error:
        problem = reason(error)
    if problem:
        raise InputError(f"cannot write the {what} '{path}': {problem}")


def _why_not_writable(path: str | Path) -> str:
    name, number = str(path), descriptor(path, of_dash=1)
    if number is not None:
        if number == 1 and sys.stdout is None:  # another file may have got its number
            return "standard output is closed"
        os.fstat(number)
        return ""
    path = Path(path)
    if path.is_dir():
        return "it is a directory" if name else "it has no name"
    # Of a regular file the mode counts, too: whoever may replace it may still have wanted to keep it.
    if path.exists() and (not os.access(path, os.W_OK) or (path.is_file() and not path.stat().st_mode & 0o222)):
        return "no permission to write to it"
    if path.exists() and not path.is_file():  # /dev/null, a named pipe
        return ""
    if not path.parent.is_dir():
        return f"there is no directory '{path.parent}'"
    if not os.access(path.parent, os.W_OK):
        return f"no permission to write in '{path.parent}'"
    probe = _temporary_beside(path)  # some folders hold no files, such as /proc and those that were removed
    try:
        os.close(_open_new(probe))
    finally:
        probe.unlink(missing_ok=True)
    return ""


def write_text(path: str | Path, text: str, what: str, budget: Budget | None = None) -> None:
    """Replace the file in one step: readers see the old content or all of the new."""
    write_bytes(path, lambda file: file.write(text.encode()), what, budget)


def write_bytes(path: str | Path, write: Callable[[BinaryIO], object], what: str, budget: Budget | None = None) -> None:
    """As write_text, for what `write` writes to the file it is given.

    Where the path is no regular file, what it gets is added to it; the budget ends waiting for its reader.
    """
    check_writable(path, what)
    try:
        if is_stream(path):
            content = io.BytesIO()
            write(content)
            _write_to_stream(path, content.getvalue(), budget)
        else:
            _replace(Path(path).resolve(), write)  # a link stays, its target is replaced
    except BrokenPipeError:  # whoever read it has ended, and wants no more of it
        raise
    except (OSError, ValueError) as error:
        raise InputError(f"cannot write the {what} '{path}': {reason(error)}") from None


def is_stream(path: str | Path) -> bool:
    """Whether it is an open stream, a pipe or a device, rather than a file that can be replaced."""
    return descriptor(path, of_dash=1) is not None or (Path(path).exists() and not Path(path).is_file())


def _replace(target: Path, write: Callable[[BinaryIO], object]) -> None:
    """Where the system has files without names, even `kill -9` leaves nothing behind while one is written."""
    temporary = _temporary_beside(target)
    try:
        with os.fdopen(_open_new(temporary), "wb") as file:
            write(file)
            file.flush()
            os.fchmod(file.fileno(), stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask())
            if not temporary.exists():
                _give_name(file.fileno(), temporary)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _temporary_beside(target: Path) -> Path:
    return target.parent / f".sing-{os.urandom(8).hex()}"


def _open_new(path: Path) -> int:
    """A new file, which gets its name later where the system has files without names."""
    if Path("/proc/self/fd").exists():
        with suppress(AttributeError, OSError):  # of Linux, and not of all its file systems
            return os.open(path.parent, os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    return os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)


def _give_name(handle: int, path: Path) -> None:
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:  # with the number of a folder, whichever it is, the link that the system has for the file is followed
        os.link(f"/proc/self/fd/{handle}", path, src_dir_fd=folder, follow_symlinks=True)
    finally:
        os.close(folder)


def _write_to_stream(path: str | Path, data: bytes, budget: Budget | None) -> None:
    number = descriptor(path, of_dash=1)
    if number is not None:  # opening it by its name would begin at the start of the file behind it
        if number == 1:  # behind what Python has in its buffer for it
            sys.stdout.flush()
        with os.fdopen(os.dup(number), "wb") as file:
            file.write(data)
        return
    patience = _Patience(budget)
    handle = _open_to_write(path, patience)
    try:
        poller = select.poll()
        poller.register(handle, select.POLLOUT)
        while data:
            if not poller.poll(1000 * _POLL_S):
                patience.wait()
                continue
            try:
                data = data[os.write(handle, data[:_CHUNK_BYTES]) :]
            except BlockingIOError:
                patience.wait()
    finally:
        os.close(handle)


def _open_to_write(path: str | Path, patience: _Patience) -> int:
    while True:
        try:
            return os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        except OSError as error:
            if error.errno != errno.ENXIO:  # a named pipe without a reader
                raise
        patience.wait()
        time.sleep(_POLL_S)


class _Patience:
    """How long the reader of a pipe is waited for."""

    def __init__(self, budget: Budget | None) -> None:
        self._budget = budget
        self._start_s = time.monotonic()

    def wait(self) -> None:
        """Raise OSError where that was long enough."""
        if self._budget is None or time.monotonic() - self._start_s < _WRITING_GRACE_S:
            return
        if self._budget.interrupted or self._budget.remaining_s <= 0:
            raise OSError(errno.ETIMEDOUT, "nobody reads it")


def reason(error: BaseException) -> str:
    """What went wrong, in a few words."""
    text = (getattr(error, "strerror", None) or str(error)).lower()
    return text or type(error).__name__


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
