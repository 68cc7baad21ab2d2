"""PDDL to a task: by the core, or by Fast Downward's translator."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from sing import _core
from sing.base.budget import Budget, LimitReached
from sing.base.errors import InputError, PddlError
from sing.base.files import Source, Text, read_text
from sing.base.outcome import Status
from sing.task.task import Task

# Characters of a file that say what it defines, behind comments.
_BEGINNING = 10_000

# The first is the default. Both make the same tasks; Fast Downward's has to be installed.
TRANSLATORS = ("native", "fd")

# Told some times a second how far a translation is.
OnNews = Callable[[str], None]


def translate(
    domain: Source,
    problem: Source,
    budget: Budget,
    *,
    keeps_all: bool = False,
    translator: str = TRANSLATORS[0],
    on_news: OnNews = lambda news: None,
) -> Task:
    """Translate a PDDL domain and problem.

    With `keeps_all` the task has also operators and variables that cannot help to reach the goal, which may occur in
    somebody's plan. Raises PddlError for bad PDDL, LimitReached when the budget ends, InputError for unreadable files.
    """
    texts = _read_pddl(domain, problem, budget)
    if _is_native(translator):
        core = _translate(*texts, budget, keeps_all, True, on_news)
        return Task(core, partial(initial_atoms, texts[1].text))
    sas = _fd_sas(*texts, budget, keeps_all, on_news)
    task = Task.from_sas(sas, "translator output", budget.guard())
    return Task(task.core, partial(initial_atoms, texts[1].text))


def translate_to_sas(
    domain: Source,
    problem: Source,
    budget: Budget,
    *,
    keeps_all: bool = False,
    translator: str = TRANSLATORS[0],
    on_news: OnNews = lambda news: None,
) -> str:
    """The task in Fast Downward's format, as text; as translate()."""
    texts = _read_pddl(domain, problem, budget)
    if not _is_native(translator):
        return _fd_sas(*texts, budget, keeps_all, on_news)
    core = _translate(*texts, budget, keeps_all, False, on_news)
    try:
        return _core.to_sas(core, budget.guard())
    except MemoryError:
        raise LimitReached(Status.OUT_OF_MEMORY) from None


def _is_native(translator: str) -> bool:
    if translator not in TRANSLATORS:
        raise InputError(f"there is no translator '{translator}'; there are {' and '.join(TRANSLATORS)}")
    return translator == TRANSLATORS[0]


def _translate(
    domain: Text, problem: Text, budget: Budget, keeps_all: bool, completes: bool, on_news: OnNews
) -> _core.Task:
    progress = _core.TranslationProgress()

    def check() -> None:
        budget.check()
        if progress.num_operators:
            on_news(f"{progress.num_operators:,} operators")
        else:
            on_news(f"{progress.num_matches:,} reachable operators and axioms" if progress.num_matches else "")

    guard = _core.Guard(memory_limit_bytes=budget.remaining_bytes, check=check)
    try:
        return _core.translate(
            (domain.name, domain.text), (problem.name, problem.text), progress,
            keeps_everything=keeps_all, completes=completes, guard=guard,
        )  # fmt: skip
    except ValueError as error:
        raise PddlError(str(error)) from None
    except MemoryError:
        raise LimitReached(Status.OUT_OF_MEMORY) from None


def _fd_sas(domain: Text, problem: Text, budget: Budget, keeps_all: bool, on_news: OnNews) -> str:
    from sing.translate import fd_translator  # only here are child processes needed

    options = fd_translator.KEEP_ALL if keeps_all else ()
    return fd_translator.translate_to_sas(domain, problem, budget, options, lambda: on_news(""))


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
