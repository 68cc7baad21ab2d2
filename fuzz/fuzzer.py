"""What a fuzzer is, and how sing is called by one."""

from __future__ import annotations

import contextlib
import io
import random
import sys
import time
import unicodedata
from abc import ABC, abstractmethod
from pathlib import Path

from sing.cli.main import main

# The files of one input, by name.
Case = dict[str, bytes]

CORPUS = Path(__file__).with_name("corpus")
# What a message of sing may have at most; longer ones bury what they say.
_MAX_MESSAGE = 2000


class Fault(Exception):
    """sing did something that it promises not to do."""


class Fuzzer(ABC):
    """Makes inputs out of others and checks what sing does with them. The options of a run follow from its files."""

    name: str
    uses_files = True  # run() reads them

    def seeds(self) -> list[Case]:
        """The committed inputs, a folder for each."""
        entries = sorted((CORPUS / self.name).iterdir())
        return [{file.name: file.read_bytes() for file in sorted(entry.iterdir())} for entry in entries]

    @abstractmethod
    def mutated(self, case: Case, other: Case, rng: random.Random) -> Case:
        """A new input made of two."""

    @abstractmethod
    def run(self, case: Case, folder: Path) -> str:
        """The outcome in a word or two; `folder` holds the case's files where it uses them. Raises Fault."""


def run_command(arguments: list[str]) -> tuple[int, str, str]:
    """The exit code of `sing` with these arguments, run in this process, and what it printed on both streams."""
    out, err = io.StringIO(), io.StringIO()
    before, sys.argv = sys.argv, ["sing", *arguments]
    code: object = 0
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main(time.monotonic())
    except SystemExit as end:
        code = end.code
    finally:
        sys.argv = before
    if not isinstance(code, int):
        raise Fault(f"it ended with {code!r} instead of an exit code")
    check_message(err.getvalue())
    return code, out.getvalue(), err.getvalue()


def check_message(text: str) -> None:
    """Raise Fault for a traceback, for a message too long to read, and for one that would move the cursor."""
    if "Traceback" in text:
        raise Fault(f"a traceback: {text[-500:]}")
    check_length(text)
    if strange := {c for c in text if unicodedata.category(c) == "Cc" and c not in "\n\t"}:
        raise Fault(f"a message with the control characters {sorted(strange)}")


def check_length(text: str) -> None:
    if len(text) > _MAX_MESSAGE:
        raise Fault(f"a message of {len(text):,} characters")
