"""The input that is being run, kept where another process finds it after a crash."""

from __future__ import annotations

import json
import mmap
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fuzzer import Case

# Of an input in memory. No fuzzer makes one that is as large.
_MAX_BYTES = 1 << 20


def write_files(case: Case, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in case.items():
        (folder / name).write_bytes(data)


class CaseInFiles:
    """Files in FOLDER/current, for fuzzers that run commands on them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "current"

    def keep(self, case: Case) -> None:
        write_files(case, self._folder)


class CaseInMemory:
    """Memory that is shared with FOLDER/memory and outlives the process; nothing is opened for an input."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "memory").write_bytes(bytes(_MAX_BYTES))
        with (folder / "memory").open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), _MAX_BYTES)

    def keep(self, case: Case) -> None:
        line = json.dumps({name: data.decode("latin-1") for name, data in case.items()}).encode() + b"\n"
        self._memory[: len(line)] = line


def copy_current(folder: Path, target: Path) -> None:
    """Write the input that a process of a fuzzer ran last in FOLDER as files; nothing where it ran none."""
    if (folder / "memory").exists():
        line, _, _ = (folder / "memory").read_bytes().partition(b"\n")
        if line.startswith(b"{"):
            write_files({name: text.encode("latin-1") for name, text in json.loads(line).items()}, target)
    elif (folder / "current").is_dir():
        shutil.copytree(folder / "current", target, dirs_exist_ok=True)
