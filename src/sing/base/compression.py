"""Files compressed by gzip, bzip2 or xz, read as if they were not."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, BinaryIO

from sing.base.budget import Budget, LimitReached
from sing.base.outcome import Status

# By what such files begin with: their names may say nothing, as of a pipe.
_KINDS = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz"}
_CHUNK_BYTES = 1 << 20


def decompressed(data: bytes, room_bytes: int, budget: Budget) -> bytes:
    """The content, the same where it is not compressed.

    Raises ValueError for damaged content, and LimitReached where it is larger than `room_bytes` or time is up.
    """
    for beginning, name in _KINDS.items():
        if data.startswith(beginning):
            return _unpacked(name, data, room_bytes, budget)
    return data


def _unpacked(name: str, data: bytes, room_bytes: int, budget: Budget) -> bytes:
    import bz2  # few inputs are compressed, and others need not wait for these
    import gzip
    import lzma
    import zlib

    openers: dict[str, Callable[[BinaryIO], Any]] = {"gzip": gzip.open, "bzip2": bz2.open, "xz": lzma.open}
    try:
        with openers[name](io.BytesIO(data)) as file:
            return _read_all(file, room_bytes, budget)
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise ValueError(f"it is damaged {name}: {error}") from None


def _read_all(file: BinaryIO, room_bytes: int, budget: Budget) -> bytes:
    content = bytearray()
    while chunk := file.read(_CHUNK_BYTES):
        content += chunk
        budget.check()
        if len(content) > room_bytes:  # a small file can hold gigabytes
            raise LimitReached(Status.OUT_OF_MEMORY)
    return bytes(content)
