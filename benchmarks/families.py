"""The generated tasks that benchmarks run on."""

from __future__ import annotations

import tempfile
from pathlib import Path

from sing.base.budget import Budget
from sing.translate import generators
from sing.translate.translator import translate_to_sas

# The first of Korf and Felner's fifty 24-puzzles.
_KORF_1 = [14, 5, 9, 2, 18, 8, 23, 19, 12, 17, 15, 0, 10, 20, 4, 6, 11, 21, 1, 7, 24, 3, 16, 22, 13]

FAMILIES = {
    "24-puzzle": generators.npuzzle(5, 5, board=_KORF_1),
    "blocks 25": generators.blocks(25, seed=1),
    "pancake 14": generators.pancake(14, seed=1),
}


def sas_of(name: str) -> str:
    """The first problem of a family, translated."""
    family = FAMILIES[name]
    with tempfile.TemporaryDirectory() as folder:
        domain, problem = Path(folder, "domain.pddl"), Path(folder, "problem.pddl")
        domain.write_text(family.domain)
        problem.write_text(family.problems[0])
        return translate_to_sas(domain, problem, Budget(600))
