"""PDDL to SAS+ by Fast Downward's translator, in a child process under the run's limits."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from sing.base.budget import Budget, LimitReached
from sing.base.errors import PddlError, TranslatorError
from sing.base.files import read_text
from sing.base.outcome import Status
from sing.base.processes import wait_for
from sing.task.task import Task

_CHILD = Path(__file__).with_name("translator_child.py")

# The translator's own exit codes.
_OUT_OF_MEMORY = 20
_INPUT_ERROR = 31

# Keeps operators that cannot help to reach the goal but may occur in a plan that is to be validated.
KEEP_ALL_OPERATORS = ("--keep-unimportant-variables", "--keep-no-ops", "--keep-unreachable-facts")


def translate(
    domain: str | Path,
    problem: str | Path,
    budget: Budget,
    options: tuple[str, ...] = (),
    on_wait: Callable[[], None] = lambda: None,
) -> Task:
    """Translate a PDDL domain and problem; see translate_to_sas."""
    task = Task.from_sas(translate_to_sas(domain, problem, budget, options, on_wait), "translator output")
    task.initial_atoms = initial_atoms(read_text(problem, "PDDL problem"))
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
    domain: str | Path,
    problem: str | Path,
    budget: Budget,
    options: tuple[str, ...] = (),
    on_wait: Callable[[], None] = lambda: None,
) -> str:
    """The translator's output as text.

    `options` go to the translator; `on_wait` is called some times a second meanwhile. Raises
    PddlError for bad PDDL, LimitReached when the budget ends, InputError for unreadable files.
    """
    for path, what in ((domain, "domain"), (problem, "problem")):
        if "(" not in read_text(path, f"PDDL {what}"):
            raise PddlError(f"'{path}' is not a PDDL {what}: it holds no '(define …)'")
    with tempfile.TemporaryDirectory(prefix="sing-") as folder:
        sas_file = Path(folder, "output.sas")
        log_file = Path(folder, "log")
        # Absolute, so that no name can look like an option.
        arguments = [str(Path(domain).absolute()), str(Path(problem).absolute()), "--sas-file", str(sas_file), *options]
        exit_code = _run(arguments, log_file, budget, on_wait)
        if exit_code != 0:
            log = log_file.read_text(encoding="utf-8", errors="replace")
            _raise_failure(exit_code, log, domain, problem)
        return sas_file.read_text(encoding="utf-8")


def read_task(path: str | Path) -> Task:
    """Read a SAS file. Raises SasError or InputError."""
    text = read_text(path, "SAS file")
    if not text.startswith("begin_version") and "(define" in text.lower():
        raise PddlError(f"'{path}' is PDDL; give the domain file and the problem file")
    return Task.from_sas(text, f"'{path}'")


def _run(arguments: list[str], log_file: Path, budget: Budget, on_wait: Callable[[], None]) -> int:
    budget.check()
    command = [sys.executable, str(_CHILD), str(budget.memory_limit_bytes), *arguments]
    with log_file.open("wb") as log:
        child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        return wait_for(child, budget, on_wait)
    finally:
        if child.stdin:
            child.stdin.close()


def _raise_failure(exit_code: int, log: str, domain: str | Path, problem: str | Path) -> None:
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    if exit_code == _OUT_OF_MEMORY or any(line.startswith("MemoryError") for line in lines):
        raise LimitReached(Status.OUT_OF_MEMORY)
    if exit_code == _INPUT_ERROR:
        raise PddlError(f"PDDL error in '{domain}' or '{problem}': {_diagnosis(lines)}")
    last_line = lines[-1] if lines else "it printed nothing"
    if exit_code > 0:
        raise PddlError(f"the translator cannot handle '{domain}' with '{problem}': {last_line}")
    raise TranslatorError(f"the translator was ended by signal {-exit_code}: {last_line}")


def _diagnosis(lines: list[str]) -> str:
    """The translator's report on one line: where it was (`->` steps), then what is wrong."""
    report = lines[lines.index("Parsing...") + 1 :] if "Parsing..." in lines else lines
    steps = [line.removeprefix("->") for line in report if line.startswith(("->", "Parsing "))]
    reasons = [line for line in report if not line.startswith(("->", "Parsing "))]
    return ": ".join(filter(None, [" > ".join(steps), "; ".join(reasons)])) or "unknown"
