"""Fuzzes the parser of PDDL and the translation: clear messages, and tasks that can be read."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

from fuzzer import Case, Fault, check_length
from pddl_fuzzer import NAMES, PddlFuzzer

from sing import _core

_TIME_LIMIT_S, _MEMORY_BYTES = 1.0, 100 << 20


class TranslationFuzzer(PddlFuzzer):
    """The same inputs through the parser and the translation alone, some hundred times as fast."""

    name = "translation"
    uses_files = False

    def seeds(self) -> list[Case]:
        return PddlFuzzer().seeds()

    def run(self, case: Case, folder: Path) -> str:
        texts = [(name, case[name].decode(errors="replace")) for name in NAMES]
        guard = _core.Guard(memory_limit_bytes=_MEMORY_BYTES, check=time_limit(_TIME_LIMIT_S))
        try:
            task = _core.translate(*texts, _core.TranslationProgress(), completes=False, guard=guard)
            sas = _core.to_sas(task, guard)
        except ValueError as error:
            check_length(str(error))
            if not re.match(rf"'({'|'.join(NAMES)})'(, line \d+, column \d+| with '{NAMES[1]}'): ", str(error)):
                raise Fault(f"a message that names no place: {error}") from None
            return "bad PDDL"
        except (MemoryError, TimeoutError) as error:
            return type(error).__name__
        try:
            again = _core.Task.from_sas(sas)
        except ValueError as error:
            raise Fault(f"the task cannot be read: {error}") from None
        if again.num_operators != task.num_operators or again.num_variables != task.num_variables:
            raise Fault("the task is another one when it is read")
        return "a task"


def time_limit(time_s: float) -> Callable[[], None]:
    """A check that raises TimeoutError from then on."""
    until_s = time.monotonic() + time_s

    def check() -> None:
        if time.monotonic() > until_s:
            raise TimeoutError

    return check
