"""Reading and writing files so that users get clear errors and never half a file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from sing.base.errors import InputError


def read_text(path: str | Path, what: str) -> str:
    """The text of a file. Raises InputError naming `what` the file was to be."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError) as error:  # ValueError: a name with a null byte
        raise InputError(f"cannot read the {what} '{path}': {reason(error)}") from None


def read_bytes(path: str | Path, what: str, max_bytes: int) -> bytes:
    """The content of a file. Raises InputError also where there is more than `max_bytes` of it."""
    try:
        if Path(path).exists() and not Path(path).is_file():  # a device or a pipe may never end
            raise InputError(f"cannot read the {what} '{path}': it is not a regular file")
        with Path(path).open("rb") as file:
            content = file.read(max_bytes + 1)
    except (OSError, ValueError, MemoryError) as error:
        raise InputError(f"cannot read the {what} '{path}': {reason(error)}") from None
    if len(content) > max_bytes:
        raise InputError(f"cannot read the {what} '{path}': it is larger than {max_bytes >> 20:,} MiB")
    return content


def check_writable(path: str | Path, what: str) -> None:
    """Fail now, rather than after a long run, where `path` could not be written."""
    path = Path(path)
    try:
        if path.is_dir():
            problem = "it is a directory"
        elif path.exists() and not path.is_file():  # /dev/null, a named pipe
            problem = "" if os.access(path, os.W_OK) else "no permission to write to it"
        elif not path.parent.is_dir():
            problem = f"there is no directory '{path.parent}'"
        else:
            problem = "" if os.access(path.parent, os.W_OK) else f"no permission to write in '{path.parent}'"
    except (OSError, ValueError) as error:
        problem = reason(error)
    if problem:
        raise InputError(f"cannot write the {what} '{path}': {problem}")


def write_text(path: str | Path, text: str, what: str) -> None:
    """Replace the file in one step: readers see the old content or all of the new."""
    write_bytes(path, lambda file: file.write(text.encode()), what)


def write_bytes(path: str | Path, write: Callable[[BinaryIO], object], what: str) -> None:
    """As write_text, for what `write` writes to the file it is given."""
    temporary = None
    try:
        if Path(path).exists() and not Path(path).is_file():  # /dev/null, a pipe: nothing to replace
            with Path(path).open("wb") as file:
                write(file)
            return
        target = Path(path).resolve()  # a link stays, its target is replaced
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".sing-")
        temporary = Path(name)
        with os.fdopen(handle, "wb") as file:
            write(file)
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(target)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot write the {what} '{path}': {reason(error)}") from None
    finally:
        if temporary:
            temporary.unlink(missing_ok=True)


def reason(error: Exception) -> str:
    """What went wrong, in a few words."""
    return (getattr(error, "strerror", None) or str(error)).lower()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
