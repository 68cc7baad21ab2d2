"""Both translators make the same task: variables, values, operators, axioms, mutex groups, goals, costs."""

from __future__ import annotations

import random

import pddl
import pddl_maker
import pytest
import suites
from translation_cases import CASES

from sing import _core
from sing.base.budget import Budget
from sing.translate import generators
from sing.translate.logistics import logistics
from sing.translate.translator import TRANSLATORS, translate_to_sas

# The smallest tasks of domains that differ in what they use: costs, axioms, conditional effects, constants, "either".
IPC_DOMAINS = (
    "airport", "barman-sat14-strips", "blocks", "data-network-sat18-strips", "depot", "freecell", "gripper",
    "logistics98", "miconic", "parcprinter-sat11-strips", "pathways", "pegsol-sat11-strips", "psr-small", "rovers",
    "scanalyzer-sat11-strips", "storage", "tpp", "trucks-strips", "woodworking-sat11-strips", "zenotravel",
)  # fmt: skip


def read_back(sas: str) -> str:
    """The task as text after it was read, with the conditions of each operator in order."""
    return _core.to_sas(_core.Task.from_sas(sas))


def same_tasks(domain, problem, *, keeps_all: bool = False) -> None:
    native, fd = (
        read_back(translate_to_sas(domain, problem, Budget(120), keeps_all=keeps_all, translator=translator))
        for translator in TRANSLATORS
    )
    assert native == fd


@pytest.mark.parametrize("keeps_all", [False, True])
@pytest.mark.parametrize("name", ["errands", "unsolvable errands", "lamps", *sorted(CASES)])
def test_on_small_domains(tmp_path, name, keeps_all):
    texts = {
        "errands": (pddl.ERRANDS, pddl.ERRANDS_PROBLEM),
        "unsolvable errands": (pddl.ERRANDS, pddl.UNSOLVABLE_PROBLEM),
        "lamps": (pddl.CONDITIONAL, pddl.CONDITIONAL_PROBLEM),
        **CASES,
    }
    same_tasks(*pddl.write(tmp_path, *texts[name]), keeps_all=keeps_all)


@pytest.mark.parametrize(
    "family",
    [generators.npuzzle(3, 3), generators.blocks(6), generators.pancake(5), logistics(2, 3, 1, 3)],
    ids=["npuzzle", "blocks", "pancake", "logistics"],
)
def test_on_generated_domains(tmp_path, family):
    same_tasks(*pddl.write(tmp_path, family.domain, family.problems[0]))


@pytest.mark.parametrize("seed", range(30))
def test_on_random_domains(tmp_path, seed):
    same_tasks(*pddl.write(tmp_path, *pddl_maker.make(random.Random(seed))))


@pytest.mark.parametrize("name", IPC_DOMAINS)
def test_on_ipc_domains(benchmarks, name):
    if not (benchmarks / name).is_dir():
        pytest.skip(f"there is no domain {name}")
    problem = min(
        (path for path in (benchmarks / name).glob("*.pddl") if "domain" not in path.name),
        key=lambda path: path.stat().st_size,
    )
    same_tasks(suites.domain_of(problem), problem)
