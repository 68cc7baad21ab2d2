"""Reading and writing files so that users get clear errors and never half a file."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from sing.errors import InputError


def read_text(path: str | Path, what: str) -> str:
    """The text of a file. Raises InputError naming `what` the file was to be."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"cannot read the {what} '{path}': {_reason(error)}") from None


def check_writable(path: str | Path, what: str) -> None:
    """Fail now, rather than after a long run, where `path` could not be written."""
    path = Path(path)
    if path.is_dir():
        raise InputError(f"cannot write the {what} '{path}': it is a directory")
    if not path.parent.is_dir():
        raise InputError(f"cannot write the {what} '{path}': there is no directory '{path.parent}'")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"cannot write the {what} '{path}': no permission to write in '{path.parent}'")


def write_text(path: str | Path, text: str, what: str) -> None:
    """Replace the file in one step: readers see the old content or all of the new."""
    path = Path(path)
    if path.exists() and not path.is_file():  # /dev/stdout, a named pipe
        path.write_text(text, encoding="utf-8")
        return
    temporary = None
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        temporary = Path(name)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        raise InputError(f"cannot write the {what} '{path}': {_reason(error)}") from None
    finally:
        if temporary:
            temporary.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
