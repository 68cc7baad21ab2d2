"""PDDL to SAS+ by Fast Downward's translator, in a child process under the run's limits."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

from sing.base.budget import Budget, LimitReached
from sing.base.errors import PddlError, TranslatorError
from sing.base.files import READING_SHARE, Source, Text, read_text, reason
from sing.base.outcome import Status
from sing.base.processes import converse
from sing.base.words import shortened
from sing.task.task import Task

_CHILD = Path(__file__).with_name("translator_child.py")

# The translator's own exit codes.
_OUT_OF_MEMORY = 20
_INPUT_ERROR = 31
# Characters of its report that people are shown: it can repeat the whole file.
_MAX_REPORT = 500
# Characters of a file that say what it defines, behind comments.
_BEGINNING = 10_000

# Keeps operators that cannot help to reach the goal but may occur in a plan that is to be validated.
KEEP_ALL_OPERATORS = ("--keep-unimportant-variables", "--keep-no-ops", "--keep-unreachable-facts")


def translate(
    domain: Source,
    problem: Source,
    budget: Budget,
    options: tuple[str, ...] = (),
    on_wait: Callable[[], None] = lambda: None,
) -> Task:
    """Translate a PDDL domain and problem; see translate_to_sas."""
    texts = _read_pddl(domain, problem, budget)
    sas = translate_to_sas(*texts, budget, options, on_wait)
    task = Task.from_sas(sas, "translator output", budget.guard())
    task.initial_atoms = initial_atoms(texts[1].text)
    return task


def initial_atoms(problem: str) -> frozenset[str]:
    """The facts of a problem's `:init` as the translator names them. For PDDL that the translator accepts.

    >>> initial_atoms("(define (problem p) (:init (At t1 P3) (handempty) (= (total-cost) 0)))") == {
    ...     "Atom at(t1, p3)", "Atom handempty()"}
    True
    """
    tokens = re.findall(r"[()]|[^\s()]+", re.sub(r";[^\n]*", " ", problem.lower()))
    if ":init" not in tokens:
        return frozenset()
    atoms: set[str] = set()
    fact: list[str] = []  # the words of the list at depth 1, "(" for each list within it
    depth = 0
    for token in tokens[tokens.index(":init") + 1 :]:
        depth += {"(": 1, ")": -1}.get(token, 0)
        if depth < 0:
            break
        if token == "(" and depth == 1:
            fact = []
        elif token != ")":
            fact.append(token)
        elif depth == 0 and fact and "(" not in fact and fact[0] != "=":
            atoms.add(f"Atom {fact[0]}({', '.join(fact[1:])})")
    return frozenset(atoms)


def translate_to_sas(
    domain: Source,
    problem: Source,
    budget: Budget,
    options: tuple[str, ...] = (),
    on_wait: Callable[[], None] = lambda: None,
) -> str:
    """The translator's output as text.

    `options` go to the translator; `on_wait` is called some times a second meanwhile. Raises
    PddlError for bad PDDL, LimitReached when the budget ends, InputError for unreadable files.
    """
    texts = _read_pddl(domain, problem, budget)
    exit_code, log, sas = _run(texts, options, budget, on_wait)
    if exit_code != 0:
        _raise_failure(exit_code, log, *texts)
    return sas


def _read_pddl(domain: Source, problem: Source, budget: Budget) -> tuple[Text, Text]:
    texts = read_text(domain, "PDDL domain", budget), read_text(problem, "PDDL problem", budget)
    for text, what in zip(texts, ("domain", "problem"), strict=True):
        if "(" not in text.text:
            raise PddlError(f"'{text}' is not a PDDL {what}: it holds no '(define …)'")
    if [_defined(text) for text in texts] == ["problem", "domain"]:
        raise PddlError(f"'{texts[0]}' is a problem and '{texts[1]}' a domain; give the domain first")
    return texts


def _defined(text: Text) -> str:
    """What the first definition of a file defines: a domain, a problem, or something else."""
    match = re.match(r"(?:\s|;[^\n]*\n)*\(\s*define\s*\(\s*(\w+)", text.text[:_BEGINNING], re.IGNORECASE)
    return match[1].lower() if match else ""


def read_task(path: Source, budget: Budget) -> Task:
    """Read a SAS file. Raises SasError, InputError, and LimitReached."""
    sas = read_text(path, "SAS file", budget)
    if not sas.text.startswith("begin_version") and "(define" in sas.text.lower():
        raise PddlError(f"'{sas}' is PDDL; give the domain file and the problem file")
    return Task.from_sas(sas.text, f"'{sas}'", budget.guard())


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
