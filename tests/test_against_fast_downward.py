"""Solvability agrees with Fast Downward's search on IPC tasks."""

import pytest
import suites
import yardstick

from sing.base.budget import Budget
from sing.base.outcome import Status
from sing.search.search import SearchConfig, named_heuristic, search
from sing.task.plan import execute
from sing.task.task import Task
from sing.translate.translator import translate_to_sas

# Each is decided by goal count or FF within seconds; mystery has unsolvable tasks.
TASKS = [
    ("blocks", "probBLOCKS-11-0.pddl", "goalcount"),
    ("depot", "p07.pddl", "goalcount"),
    ("driverlog", "p14.pddl", "ff"),
    ("freecell", "p03.pddl", "goalcount"),
    ("gripper", None, "goalcount"),
    ("logistics98", "prob07.pddl", "ff"),
    ("miconic", None, "goalcount"),
    ("movie", None, "blind"),
    ("mystery", None, "ff"),
    ("psr-small", None, "goalcount"),
    ("satellite", "p05-pfile5.pddl", "ff"),
    ("zenotravel", "p14.pddl", "ff"),
]
TIME_LIMIT_S = 10


def problems(folder, name):
    if name:
        return [folder / name]
    return sorted(path for path in folder.glob("*.pddl") if "domain" not in path.name)[:3]


@pytest.mark.parametrize(("domain", "name", "heuristic"), TASKS, ids=str)
def test_solvability_agrees(benchmarks, domain, name, heuristic):
    folder = benchmarks / domain
    if not folder.is_dir():
        pytest.skip(f"there is no domain {domain}")
    decided = 0
    for problem in problems(folder, name):
        sas = translate_to_sas(suites.domain_of(problem), problem, Budget())
        task = Task.from_sas(sas)
        result = search(task, named_heuristic(task, heuristic), SearchConfig(), Budget(TIME_LIMIT_S))
        expected = yardstick.greedy_search(sas, heuristic, TIME_LIMIT_S).is_solvable
        if result.status is Status.SOLVED:
            execute(task, result.plan)
        if expected is not None and result.status in (Status.SOLVED, Status.UNSOLVABLE):
            assert expected == (result.status is Status.SOLVED)
            decided += 1
    assert decided
