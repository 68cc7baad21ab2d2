"""Finds tasks in a folder laid out like the public downward-benchmarks repository."""

from __future__ import annotations

from pathlib import Path

from sing.base.budget import Budget
from sing.base.files import write_text
from sing.translate.translator import translate_to_sas


def find_tasks(benchmarks: Path) -> list[tuple[Path, Path]]:
    """All (domain, problem) pairs, sorted by problem."""
    problems = (path for path in sorted(benchmarks.glob("*/*.pddl")) if "domain" not in path.name)
    return [(domain_of(problem), problem) for problem in problems]


def domain_of(problem: Path) -> Path:
    """The domain beside a problem: one of its own where there is one, else `domain.pddl`.

    For `p32-s50.pddl` that is `p32-domain.pddl`, for `p07.pddl` it is `domain_p07.pddl` or `domain-p07.pddl`.
    """
    names = [f"{problem.stem.split('-')[0]}-domain.pddl", f"domain_{problem.name}", f"domain-{problem.name}"]
    own = (problem.with_name(name) for name in names)
    return next((path for path in own if path.exists()), problem.with_name("domain.pddl"))


def name_of(problem: Path) -> str:
    return f"{problem.parent.name}/{problem.name}"


def sas_path(problem: Path, cache: Path) -> Path:
    """Where the translated task of a problem is kept in the folder `cache`."""
    return cache / (name_of(problem).replace("/", "__") + ".sas")


def sas_file(domain: Path, problem: Path, cache: Path) -> Path:
    """The translated task in the folder `cache`, made now where it is not there. Raises as translation does."""
    file = sas_path(problem, cache)
    if not file.exists():
        cache.mkdir(parents=True, exist_ok=True)
        write_text(file, translate_to_sas(domain, problem, Budget(600, 6 << 30)), "SAS file")
    return file
