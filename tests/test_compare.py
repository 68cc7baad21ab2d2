"""`sing compare`: planners side by side on the user's problems, through the real command line."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pddl
import pytest

from sing.run import fast_downward
from sing.translate import generators

SING = str(Path(sys.executable).with_name("sing"))


@pytest.fixture
def folder(tmp_path):
    pddl.write(tmp_path, pddl.ERRANDS, pddl.ERRANDS_PROBLEM)
    (tmp_path / "never.pddl").write_text(pddl.UNSOLVABLE_PROBLEM)
    (tmp_path / "cut.pddl").write_text(pddl.ERRANDS_PROBLEM[:150])
    return tmp_path


def run(folder, command, **environment):
    return subprocess.run(
        [SING, "compare", *command.split()], capture_output=True, text=True, check=False, cwd=folder,
        env={**os.environ, "COLUMNS": "80", **environment},
    )  # fmt: skip


@pytest.mark.skipif(not fast_downward.is_installed(), reason="Fast Downward is not installed")
def test_one_table_has_every_planner_and_every_problem(folder):
    done = run(folder, "chorus ff domain.pddl problem.pddl never.pddl --time-limit 60 --json runs.json")
    assert done.returncode == 0, done.stderr
    header, *rows = done.stdout.splitlines()[-6:-1]
    assert header.split() == ["chorus", "ff", "fd-lama-first"]
    assert [row.split()[0] for row in rows] == ["problem.pddl", "never.pddl", "solved", "seconds"]
    assert rows[1].split() == ["never.pddl", *["unsolvable"] * 3]
    assert rows[2].split() == ["solved", *["1", "of", "2"] * 3]
    runs = [json.loads(line) for line in (folder / "runs.json").read_text().splitlines()]
    assert [(one["planner"], one["problem"]) for one in runs] == [
        (planner, problem)
        for problem in ("problem.pddl", "never.pddl")
        for planner in ("chorus", "ff", "fd-lama-first")
    ]
    costs = [one["plan_cost"] for one in runs[:3]]
    assert rows[0].count("*") == costs.count(min(costs)) and all(one["plan_length"] > 0 for one in runs[:3])
    assert max(map(len, done.stdout.splitlines()[:-1])) <= 80


def test_the_least_cost_is_marked(tmp_path):
    family = generators.blocks(12)
    pddl.write(tmp_path, family.domain, family.problems[0])
    done = run(tmp_path, "chorus ff domain.pddl problem.pddl --alone --json runs.json")
    costs = [json.loads(line)["plan_cost"] for line in (tmp_path / "runs.json").read_text().splitlines()]
    assert costs[0] < costs[1]
    cells = done.stdout.splitlines()[-4].split()
    assert cells[1] == f"{costs[0]}*" and str(costs[1]) in cells


def test_problems_of_one_name_are_told_apart(folder):
    (folder / "other").mkdir()
    (folder / "other" / "problem.pddl").write_text(pddl.ERRANDS_PROBLEM)
    done = run(folder, "ff domain.pddl problem.pddl other/problem.pddl --alone")
    assert [line.split()[0] for line in done.stdout.splitlines()[-5:-3]] == ["problem.pddl", "other/problem.pddl"]


def test_a_problem_that_cannot_be_read_is_an_error_of_its_own(folder):
    done = run(folder, "ff blind domain.pddl cut.pddl problem.pddl --alone")
    assert done.returncode == 31
    assert "cut.pddl, ff: " in done.stdout and "this '(' has no ')'" in done.stdout
    assert "fd-lama-first" not in done.stdout
    assert "1 of 2" in done.stdout.splitlines()[-3]


def test_without_a_planner_the_default_runs(folder):
    (folder / "up_fast_downward.py").write_text("raise ImportError")
    done = run(folder, "domain.pddl problem.pddl", PYTHONPATH=str(folder))
    assert done.returncode == 0
    assert done.stdout.splitlines()[-5].split() == ["chorus"]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("chors domain.pddl problem.pddl", "there is no planner or file 'chors'; did you mean chorus?"),
        ("fd-lama domain.pddl problem.pddl", "did you mean fd-lama-first?"),
        ("chorus ff", "give a domain and at least one problem"),
        ("chorus domain.pddl", "give a domain and at least one problem"),
        ("absent.onnx domain.pddl problem.pddl", "cannot read the model file 'absent.onnx'"),
        ("ff domain.pddl problem.pddl --json no/x", "there is no directory 'no'"),
    ],
)
def test_mistakes_are_told_before_anything_runs(folder, command, message):
    done = run(folder, command)
    assert done.returncode == 36 and message in done.stderr
    assert done.stdout == ""
