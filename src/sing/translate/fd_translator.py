"""PDDL to SAS+ by Fast Downward's translator, in a child process under the run's limits.

It is not needed for planning: sing translates in its core. What the two say can be compared.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable
from pathlib import Path

from sing.base.budget import Budget, LimitReached
from sing.base.errors import InputError, PddlError, TranslatorError
from sing.base.extras import how_to_install
from sing.base.files import READING_SHARE, Text, reason
from sing.base.outcome import Status
from sing.base.processes import converse
from sing.base.words import shortened

_CHILD = Path(__file__).with_name("translator_child.py")

# The translator's own exit codes.
_OUT_OF_MEMORY = 20
_INPUT_ERROR = 31
# Characters of its report that people are shown: it can repeat the whole file.
_MAX_REPORT = 500

# Keeps operators that cannot help to reach the goal but may occur in a plan that is to be validated.
KEEP_ALL = ("--keep-unimportant-variables", "--keep-no-ops", "--keep-unreachable-facts")


def check_installed() -> None:
    """Raise InputError where Fast Downward's translator is not installed."""
    if importlib.util.find_spec("fast_downward") is None:
        raise InputError(f"Fast Downward's translator is not installed; {how_to_install('fd')}")


def translate_to_sas(
    domain: Text,
    problem: Text,
    budget: Budget,
    options: tuple[str, ...] = (),
    on_wait: Callable[[], None] = lambda: None,
) -> str:
    """The translator's output as text.

    `options` go to the translator; `on_wait` is called some times a second meanwhile. Raises PddlError for bad PDDL,
    LimitReached when the budget ends, InputError where the translator is not installed.
    """
    check_installed()
    exit_code, log, sas = _run((domain, problem), options, budget, on_wait)
    if exit_code != 0:
        _raise_failure(exit_code, log, domain, problem)
    return sas


def _run(
    texts: tuple[Text, Text], options: tuple[str, ...], budget: Budget, on_wait: Callable[[], None]
) -> tuple[int, str, str]:
    """The translator's exit code, what it printed, and the task that it wrote."""
    names: list[str] = []

    def command(files: list[str]) -> list[str]:
        names.extend(files[:2])
        limit = str(budget.memory_limit_bytes)
        return [sys.executable, str(_CHILD), limit, *names, "--sas-file", files[2], *options]

    budget.check()
    room_bytes = int(READING_SHARE * budget.remaining_bytes)
    try:
        answer = converse(command, [text.text.encode() for text in texts], 1, budget, room_bytes, on_wait)
    except OSError as error:
        raise TranslatorError(f"cannot start the translator: {reason(error)}") from None
    printed = answer.printed
    for name, text in zip(names, texts, strict=True):
        printed = str(text).join(re.split(rf"{name}\b", printed))
    return answer.exit_code, printed, answer.written[0].decode(errors="replace")


def _raise_failure(exit_code: int, log: str, domain: Text, problem: Text) -> None:
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    if exit_code == _OUT_OF_MEMORY or any(line.startswith("MemoryError") for line in lines):
        raise LimitReached(Status.OUT_OF_MEMORY)
    if exit_code == _INPUT_ERROR:
        raise PddlError(f"PDDL error in '{domain}' or '{problem}': {_diagnosis(lines)}")
    last_line = shortened(lines[-1], _MAX_REPORT) if lines else "it printed nothing"
    if exit_code > 0 and "[Errno " not in last_line:
        raise PddlError(f"the translator cannot handle '{domain}' with '{problem}': {last_line}")
    how = "failed" if exit_code > 0 else f"was ended by signal {-exit_code}"
    raise TranslatorError(f"the translator {how}: {last_line}")


def _diagnosis(lines: list[str]) -> str:
    """The translator's report on one line: where it was (`->` steps), then what is wrong."""
    report = lines[lines.index("Parsing...") + 1 :] if "Parsing..." in lines else lines
    steps = [line.removeprefix("->") for line in report if line.startswith(("->", "Parsing "))]
    reasons = [line for line in report if not line.startswith(("->", "Parsing "))]
    return shortened(": ".join(filter(None, [" > ".join(steps), "; ".join(reasons)])), _MAX_REPORT) or "unknown"
