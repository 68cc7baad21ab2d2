"""Samples as a file that plain NumPy reads, written piece by piece: all states together may not fit the memory."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from sing.base.budget import Budget
from sing.base.files import write_bytes

# Compressing more than this takes longer than sampling it.
_MAX_COMPRESSED_BYTES = 32 << 20


def write_npz(
    path: str | Path,
    states: Iterable[bytes],
    shape: tuple[int, int],
    arrays: dict[str, Any],
    budget: Budget | None,
) -> None:
    """`states` are the rows of a matrix of bytes of that shape, some at a time; `arrays` are the others by name."""
    import zipfile  # here alone: it takes long to import

    method = zipfile.ZIP_DEFLATED if shape[0] * shape[1] <= _MAX_COMPRESSED_BYTES else zipfile.ZIP_STORED

    def write(file: BinaryIO) -> None:
        with zipfile.ZipFile(file, "w", method) as archive:
            with archive.open("states.npy", "w", force_zip64=True) as entry:
                header = {"descr": "|u1", "fortran_order": False, "shape": shape}
                np.lib.format.write_array_header_1_0(entry, header)
                for rows in states:
                    entry.write(rows)
            for name, array in arrays.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                    np.lib.format.write_array(entry, np.asanyarray(array), allow_pickle=False)

    write_bytes(path, write, "samples file", budget)
