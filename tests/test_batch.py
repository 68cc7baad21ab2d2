"""One model for many problems: atoms that differ between instances, and many problems in one call."""

from __future__ import annotations

import json
import math
import re
import signal
import subprocess

import numpy as np
import onnxruntime
import pytest
from clocks import Clock
from pddl import ERRANDS, ERRANDS_PROBLEM, UNSOLVABLE_PROBLEM, is_valid, write
from test_cli import SING, run

import sing
from sing import Budget
from sing.base.errors import InputError
from sing.run.batch import solve_all
from sing.translate import generators, translate
from sing.translate.translator import initial_atoms

# The shop is closed here, so opening it is a thing that can happen; in ERRANDS_PROBLEM it is open for good.
CLOSED_PROBLEM = ERRANDS_PROBLEM.replace("(open shop) ", "")


def learned(files, name="sing"):
    return sing.learn(*files, config=sing.CONFIGS[name].override(nsearches=50, nsamples=50), seed=1).model


def onnx_estimates(model, bits: dict[str, bool]) -> float:
    """ONNX Runtime's output for a state written down by hand, atom by atom."""
    inputs = np.array([[bits.get(atom, False) for atom in model.encoding.atoms]], dtype=np.float32)
    return float(onnxruntime.InferenceSession(model.to_bytes()).run(None, {"state": inputs})[0][0, 0])


@pytest.fixture
def closed(tmp_path):
    return write(tmp_path / "closed", ERRANDS, CLOSED_PROBLEM)


@pytest.fixture
def open_(tmp_path):
    return write(tmp_path / "open", ERRANDS, ERRANDS_PROBLEM)


def test_initial_facts_are_named_as_the_translator_names_them(open_):
    task = translate(*open_, Budget())
    assert task.initial_atoms >= {"Atom at(home)", "Atom open(shop)", "Atom road(home, shop)"}
    assert not any("length" in atom or "total-cost" in atom for atom in task.initial_atoms)
    now = {task.variables[variable].value_names[value] for variable, value in enumerate(task.initial_state)}
    assert {atom for atom in now if atom.startswith("Atom ")} <= task.initial_atoms
    assert initial_atoms("; (:init (a))\n(DEFINE (:INIT (P X) ; (q)\n (r)(not (s))))") == {"Atom p(x)", "Atom r()"}
    assert initial_atoms("(define (problem p))") == frozenset()


def test_an_atom_that_is_constant_in_an_instance_has_its_value(closed, open_):
    model = learned(closed)
    task = translate(*open_, Budget())
    assert "Atom open(shop)" in model.encoding.atoms and "Atom open(shop)" not in task.atoms
    expected = onnx_estimates(model, {"Atom at(home)": True, "Atom open(shop)": True})
    assert model.heuristic(task).evaluate(task.initial_state) == max(0, round(expected))
    outputs = sing._core.Network(task.core, model.encoding.features(task), sing._core.Mlp(list(model.layers)))
    found = outputs.evaluate(np.array([task.initial_state], dtype=np.int32))[0, 0]
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-4)
    without = onnx_estimates(model, {"Atom at(home)": True})
    assert found != pytest.approx(without, rel=1e-3)  # it makes a difference


def test_a_constant_variable_of_the_sas_encoding_has_its_value(closed, open_):
    model = learned(closed, "sing-l")
    task = translate(*open_, Budget())
    inputs = []
    state = {task.variables[variable].value_names[value] for variable, value in enumerate(task.initial_state)}
    for names in model.encoding.variables:
        true = [value for value, name in enumerate(names) if name in state or name == "Atom open(shop)"]
        inputs.append(true[0])
    session = onnxruntime.InferenceSession(model.to_bytes())
    expected = float(session.run(None, {"state": np.array([inputs], dtype=np.float32)})[0][0, 0])
    assert model.heuristic(task).evaluate(task.initial_state) == max(0, round(expected))


def test_atoms_a_model_does_not_know_are_refused_unless_forced(closed, open_):
    model = learned(open_)
    with pytest.raises(InputError, match=r"atoms that the model lacks: Atom open\(shop\)$"):
        sing.solve(*closed, model=model)
    for known in (model, learned(open_, "sing-l")):
        result = sing.solve(*closed, model=known, force=True)
        assert is_valid(*closed, result.plan.to_ipc())


def test_a_goal_that_is_static_needs_no_model(tmp_path):
    domain = "(define (domain d) (:predicates (p) (q)) (:action a :parameters () :effect (q)))"
    solved = write(tmp_path / "1", domain, "(define (problem x) (:domain d) (:init (p)) (:goal (p)))")
    usual = write(tmp_path / "2", domain, "(define (problem x) (:domain d) (:init) (:goal (q)))")
    model = learned(usual)
    assert len(sing.solve(*solved, model=model).plan) == 0


@pytest.fixture
def family(tmp_path):
    puzzles = generators.npuzzle(3, 3, count=4, seed=2)
    (tmp_path / "domain.pddl").write_text(puzzles.domain)
    for number, problem in enumerate(puzzles.problems, start=1):
        (tmp_path / f"p{number}.pddl").write_text(problem)
    options = ("--nsearches", 100, "--nsamples", 100, "--output", "m.onnx", "--quiet")
    assert run("learn", "domain.pddl", "p1.pddl", *options, cwd=tmp_path).returncode == 0
    return tmp_path


PROBLEMS = ["p1.pddl", "p2.pddl", "p3.pddl", "p4.pddl"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_several_problems_in_one_call(family, jobs):
    done = run(
        "solve", "--model", "m.onnx", "domain.pddl", *PROBLEMS, "--jobs", jobs, "--json", "r.jsonl", cwd=family
    )  # fmt: skip
    assert done.returncode == 0
    rows = [json.loads(line) for line in (family / "r.jsonl").read_text().splitlines()]
    assert sorted(row["problem"] for row in rows) == PROBLEMS
    assert {row["status"] for row in rows} == {"solved"}
    for name in PROBLEMS:
        plan = (family / f"sas_plan.{name.removesuffix('.pddl')}").read_text()
        assert is_valid(family / "domain.pddl", family / name, plan)
    assert "4 of 4 solved" in done.stdout and "problems/s" in done.stdout
    alone = run("solve", "--model", "m.onnx", "domain.pddl", "p3.pddl", "--json", "-", cwd=family)
    (row,) = (row for row in rows if row["problem"] == "p3.pddl")
    assert row["expanded"] == json.loads(alone.stdout)["expanded"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_one_that_fails_does_not_stop_the_others(family, jobs):
    (family / "broken.pddl").write_text((family / "p1.pddl").read_text()[:200])
    start, goal = (family / "p1.pddl").read_text().split("(:goal")
    goal = goal.replace("(at t1 p1)", "(at t1 p2)").replace("(at t2 p2)", "(at t2 p1)")
    (family / "other.pddl").write_text(f"{start}(:goal{goal}")
    files = ["p1.pddl", "broken.pddl", "absent.pddl", "other.pddl", "p2.pddl"]
    done = run("solve", "domain.pddl", *files, "--model", "m.onnx", "--jobs", jobs, "--json", "-", cwd=family)
    rows = {row["problem"]: row for row in map(json.loads, done.stdout.splitlines())}
    assert rows["p1.pddl"]["status"] == rows["p2.pddl"]["status"] == "solved"
    assert rows["broken.pddl"]["status"] == "error" and rows["broken.pddl"]["exit_code"] == 31
    assert "no such file" in rows["absent.pddl"]["error"] and rows["absent.pddl"]["exit_code"] == 36
    assert "another search space" in rows["other.pddl"]["error"]
    assert done.returncode in {31, 36}
    assert "Traceback" not in done.stderr


def test_unsolvable_problems_are_told_from_solved_ones(tmp_path):
    domain, problem = write(tmp_path, ERRANDS, ERRANDS_PROBLEM)
    (tmp_path / "none.pddl").write_text(UNSOLVABLE_PROBLEM)
    done = run("solve", domain.name, problem.name, "none.pddl", "--config", "goalcount", "--json", "-", cwd=tmp_path)
    assert [json.loads(line)["status"] for line in done.stdout.splitlines()] == ["solved", "unsolvable"]
    assert done.returncode == 11


def test_the_time_limit_holds_for_each_problem(tmp_path):
    family = generators.npuzzle(6, 6, count=2, seed=1)
    (tmp_path / "domain.pddl").write_text(family.domain)
    for number, problem in enumerate(family.problems, start=1):
        (tmp_path / f"p{number}.pddl").write_text(problem)
    options = ("--heuristic", "blind", "--time-limit", 1, "--json", "-", "--quiet")
    done = run("solve", "domain.pddl", "p1.pddl", "p2.pddl", *options, cwd=tmp_path)
    assert [json.loads(line)["status"] for line in done.stdout.splitlines()] == ["out_of_time"] * 2
    assert done.returncode == 23


@pytest.mark.parametrize("jobs", [1, 2])
def test_each_problem_has_the_whole_time_and_its_share_of_the_memory(monkeypatch, jobs):
    clock, limits = Clock(), []

    def record(domain, problem, *, budget, **_):
        limits.append((problem, budget.remaining_s, budget.memory_limit_bytes))
        clock.now_s += 5 if jobs == 1 else 0  # more than the next one has, were it not its own
        raise InputError(problem)

    monkeypatch.setattr("sing.run.batch.solve", record)
    budget = Budget(math.inf, 1 << 30, clock=clock)
    options = {"config": "blind", "seed": 0, "on_done": lambda item: None}
    items = solve_all("d", ("a", "b", "c"), time_limit_s=2.0, budget=budget, jobs=jobs, **options)
    assert sorted(limits) == [(name, 2.0, (1 << 30) // jobs) for name in "abc"]
    assert sorted(item.problem for item in items) == ["a", "b", "c"]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_interrupting_keeps_what_is_known(family, jobs):
    puzzle = generators.npuzzle(6, 6, seed=1)
    write(family / "hard", puzzle.domain, puzzle.problems[0])
    small = generators.npuzzle(6, 6, seed=1, board=[1, 0, *range(2, 36)])
    (family / "hard" / "easy.pddl").write_text(small.problems[0])
    files = ["hard/domain.pddl", "hard/easy.pddl", "hard/problem.pddl", "hard/domain.pddl"]
    arguments = [*SING, "solve", *files, "--heuristic", "blind", "--jobs", jobs, "--json", "r.jsonl"]
    process = subprocess.Popen(arguments, cwd=family, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while "easy.pddl: solved" not in process.stdout.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 130
    rows = [json.loads(line) for line in (family / "r.jsonl").read_text().splitlines()]
    assert [row["status"] for row in rows if row["problem"] == "hard/easy.pddl"] == ["solved"]
    assert not (family / "sas_plan.problem").exists()


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_interrupting_the_improvement_of_several_plans_keeps_them(family, jobs):
    puzzle = generators.npuzzle(4, 4, count=2, seed=1)
    for number, problem in enumerate(puzzle.problems):
        write(family / "four", puzzle.domain, problem)[1].rename(family / "four" / f"p{number}.pddl")
    files = ["four/domain.pddl", "four/p0.pddl", "four/p1.pddl"]
    arguments = [*SING, "solve", *files, "--heuristic", "ff", "--anytime", "--jobs", jobs]
    process = subprocess.Popen(arguments, cwd=family, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not all((family / f"sas_plan.p{number}.1").exists() for number in range(int(jobs))):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    told, _ = process.communicate()
    assert "limit reached" not in told
    assert len(re.findall(r"^p\d.pddl: solved, \d+ operators, cost .*, interrupted, ", told, re.M)) == int(jobs)
    assert process.returncode == (130 if jobs == "1" else 0)
    for number in range(int(jobs)):
        assert is_valid(
            *(family / "four" / name for name in ("domain.pddl", f"p{number}.pddl")),
            (family / f"sas_plan.p{number}.1").read_text(),
        )


def test_plan_files_that_would_be_the_same_are_refused(family):
    (family / "more").mkdir()
    (family / "more" / "p1.pddl").write_text((family / "p1.pddl").read_text())
    done = run("solve", "domain.pddl", "p1.pddl", "more/p1.pddl", "--model", "m.onnx", cwd=family)
    assert done.returncode == 36
    assert "have the same name" in done.stderr
    done = run("solve", "domain.pddl", "p1.pddl", "--force", cwd=family)
    assert done.returncode == 36 and "--force is about a model" in done.stderr
