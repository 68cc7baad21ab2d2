"""The experiments: what they record, and that interrupting one loses and repeats nothing."""

from __future__ import annotations

import dataclasses
import json
import random
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import chorus
import pddl
import pytest
import rounds
import yardstick
from records import Records
from shared_space import summary
from spaces import korf_boards, make_space
from yardstick import Run

from sing.base.errors import InputError, SingError
from sing.planners.configs import get_config
from sing.translate import generators

FOLDER = Path(__file__).parent.parent / "experiments"


def command(script: str, output: Path, *options: str) -> list[str]:
    return [sys.executable, str(FOLDER / script), "--output", str(output), *options]


def rows_of(output: Path, kind: str) -> list[dict]:
    lines = (output / "results.jsonl").read_text().splitlines()
    return [row for row in map(json.loads, lines) if row["kind"] == kind]


def test_the_boards_are_what_they_claim():
    boards = korf_boards()
    assert len(boards) == 50
    assert sum(len(board.states()) for board in boards) == 5039
    for board in boards:
        states = [*board.states(), tuple(range(25))]
        assert sorted(board.tiles) == list(range(25)) and states[0] == board.tiles
        for before, after in pairwise(states):
            here, there = before.index(0), after.index(0)
            assert abs(here // 5 - there // 5) + abs(here % 5 - there % 5) == 1
            assert before[there] == after[here]
            assert sum(a != b for a, b in zip(before, after, strict=True)) == 2


def test_a_line_cut_off_is_dropped_and_damage_is_an_error(tmp_path):
    path = tmp_path / "new" / "results.jsonl"
    Records(path).add({"kind": "run", "n": 1})
    with path.open("a") as file:
        file.write('{"kind": "run", "n')
    records = Records(path)
    assert records.rows == [{"kind": "run", "n": 1}]
    records.add({"kind": "run", "n": 2})
    assert Records(path).keys("run", ["n"]) == {(1,), (2,)}
    path.write_text('{"kind"\n{"kind": "run"}\n')
    with pytest.raises(InputError, match="line 1: not one of our rows"):
        Records(path)
    for damaged in ("{}", "[]", "3"):
        path.write_text(damaged + "\n")
        with pytest.raises(InputError, match="line 1"):
            Records(path)


def test_results_of_other_settings_are_not_mixed(tmp_path):
    records = Records(tmp_path / "results.jsonl")
    records.settle(seed=0, time_limit_s=5.0)
    Records(records.path).settle(seed=0, time_limit_s=5.0)
    with pytest.raises(InputError, match="made with seed 0, not 1"):
        Records(records.path).settle(seed=1, time_limit_s=5.0)
    assert len(rows_of(tmp_path, "settings")) == 1 and len(rows_of(tmp_path, "machine")) == 2


def test_the_problem_to_learn_from_does_not_depend_on_the_count():
    whole, few = make_space("pancake 14", None, 3), make_space("pancake 14", 2, 3)
    assert few.problems.problems == whole.problems.problems[:2] and few.training == whole.training
    assert whole.training.problems[0] not in whole.problems.problems


def test_a_failed_fast_downward_is_no_result():
    with pytest.raises(SingError, match="exit code -9"):
        _ = Run(-9, "killed").is_solvable
    assert [Run(code, "").is_solvable for code in (0, 11, 12, 22, 23)] == [True, False, None, None, None]


def test_runs_without_a_plan_count_as_slowest():
    solved = {"status": "solved", "search_s": 1.0, "expanded": 5, "plan_length": 3}
    rows = [solved, {"status": "unsolved", "search_s": 9.0, "expanded": None, "plan_length": None}, {**solved}]
    found = summary(rows)
    assert (found["num_solved"], found["search_s"], found["expanded"]) == (2, 1.0, 5)
    assert summary(rows[:2])["search_s"] == float("inf")


# Runs a script that gets a signal when it has recorded its third run.
INTERRUPTED = """
import os, runpy, signal, sys
sys.argv = sys.argv[1:]
sys.path.insert(0, os.path.dirname(sys.argv[0]))
from records import Records
add = Records.add

def add_three(self, row):
    add(self, row)
    if row["kind"] == "run" and len(self.keys("run", ["planner", "problem"])) == 3:
        os.kill(os.getpid(), signal.SIGHUP)

Records.add = add_three
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def test_an_interrupted_experiment_goes_on(tmp_path):
    options = ["--space", "pancake 14", "--count", "2", "--learn-time", "1s", "--time-limit", "1s"]
    options += ["--planner", "shared", "--planner", "fd-ff"]
    interrupted = command("shared_space.py", tmp_path, *options)
    interrupted[1:1] = ["-c", INTERRUPTED]
    assert subprocess.run(interrupted, stdout=subprocess.DEVNULL, check=False).returncode == 1
    before = rows_of(tmp_path, "run")
    assert len(before) == 3
    done = subprocess.run(command("shared_space.py", tmp_path, *options), capture_output=True, text=True, check=True)
    rows = rows_of(tmp_path, "run")
    assert rows[: len(before)] == before
    assert len({(row["planner"], row["problem"]) for row in rows}) == len(rows) == 4
    assert len(rows_of(tmp_path, "learn")) == 1
    assert all(row["sing"] and row["processor"] for row in rows_of(tmp_path, "machine"))
    solved = sum(row["status"] == "solved" for row in rows if row["planner"] == "shared")
    assert f"| pancake 14 | sing, `shared` | {solved}/2 |" in done.stdout
    assert (tmp_path / "table.md").read_text() in done.stdout
    assert (tmp_path / "runtime.svg").read_text().startswith("<?xml") and (tmp_path / "runtime.png").stat().st_size
    again = subprocess.run(command("shared_space.py", tmp_path, *options), capture_output=True, text=True, check=True)
    assert again.stdout.count("\n") == done.stdout.count("\n") - (4 - len(before))
    assert rows_of(tmp_path, "run") == rows


def test_estimates_of_boards_are_recorded_with_their_distances(tmp_path):
    options = ["--boards", "1", "--learn-time", "1s", "--jobs", "2"]
    done = subprocess.run(command("accuracy.py", tmp_path, *options), capture_output=True, text=True, check=True)
    (row,) = rows_of(tmp_path, "board")
    assert row["board"] == 1
    assert all(len(estimates) == 95 for estimates in row["estimates"].values())
    assert row["estimates"]["goalcount"][-1] == 1  # the last move brings the last tile home
    assert row["estimates"]["ff"][0] == 85
    assert "| 91–100 | 5 |" in done.stdout and "over 95 states" in done.stdout
    assert (tmp_path / "accuracy.svg").exists()


def test_parts_of_chorus_are_switched_off(tmp_path):
    """On tasks translated before, by Lab's steps; planners have names of their own on the page."""
    pddl.write(tmp_path / "suite" / "errands", pddl.ERRANDS, pddl.ERRANDS_PROBLEM)
    names = ("chorus", "control", "no patterns", "fd-lama-first")
    options = ["--benchmarks", str(tmp_path / "suite"), "--translated", str(tmp_path / "sas"), "--jobs", "2", "--all"]
    run = command("chorus.py", tmp_path / "out", *options, *(f"--planner={name}" for name in names), "--seeds", "2")
    subprocess.run(run, capture_output=True, check=True)
    assert [file.name for file in (tmp_path / "sas").iterdir()] == ["errands__problem.pddl.sas"]
    runs = json.loads((tmp_path / "out-eval" / "properties").read_text())
    seeded = [f"{name}, seed {seed}" for name in names[:3] for seed in (1, 2)]
    assert {run["algorithm"] for run in runs.values()} == {*seeded, "fd-lama-first"}
    assert all(run["coverage"] == 1 and run["translator_time"] < 0.1 for run in runs.values())
    page = (tmp_path / "out-eval" / "index.html").read_text()
    assert all(name in page for name in names)


def test_every_part_can_be_switched_off():
    """Every variant is a configuration of its own."""
    configs = set()
    for words in chorus.PLANNERS.values():
        if words not in yardstick.PLANNERS:
            name, *options = words.split(" --set ")
            configs.add(dataclasses.replace(get_config(name).with_settings(options), name="", description=""))
    assert len(configs) == len(chorus.PLANNERS) - len(yardstick.PLANNERS)


def test_variants_are_studied(tmp_path):
    options = ["--space", "pancake 14", "--variant", "no iterations", "--count", "2"]
    done = subprocess.run(command("shared_study.py", tmp_path, *options), capture_output=True, text=True, check=True)
    assert "| no iterations | 2/2, " in done.stdout
    (row,) = rows_of(tmp_path, "study")
    assert len(row["runs"]) == 2


@pytest.mark.parametrize("script", ["shared_space.py", "accuracy.py"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--learn-time", "soon"], "not a time limit"),
        (["--render-only"], "nothing is measured yet"),
        (["--output", "/dev/null/x"], "cannot use"),
    ],
)
def test_mistakes_have_a_clear_message(script, options, message, tmp_path):
    done = subprocess.run(command(script, tmp_path, *options), capture_output=True, text=True, check=False)
    assert done.returncode != 0 and message in done.stderr and "Traceback" not in done.stderr


def test_plans_of_beams_are_measured_once_each(tmp_path):
    options = ["--space", "pancake 14", "--count", "1", "--learn-cpu", "1s", "--work", "0", "--work", "20000"]
    first = subprocess.run(command("plan_quality.py", tmp_path, *options), capture_output=True, text=True, check=True)
    rows = rows_of(tmp_path, "run")
    assert [row["work"] for row in rows] == [0, 20000]
    assert rows[1]["cost"] <= rows[0]["cost"]
    assert "| pancake 14 | 20,000 | 1/1 |" in first.stdout
    subprocess.run(command("plan_quality.py", tmp_path, *options), capture_output=True, check=True)
    assert rows_of(tmp_path, "run") == rows


def test_costs_of_plans_are_compared_with_lama(tmp_path):
    family = generators.npuzzle(3, 3, seed=2)
    suite = tmp_path / "suite" / "puzzle"
    suite.mkdir(parents=True)
    pddl.write(suite, family.domain, family.problems[0])
    options = ["--benchmarks", str(suite.parent), "--every", "1", "--time", "1s", "--kinds", "anytime,first"]
    output = tmp_path / "output"
    done = subprocess.run(command("quality.py", output, *options), capture_output=True, text=True, check=True)
    rows = {row["planner"]: row for row in rows_of(output, "run")}
    assert set(rows) == {"sing --anytime", "LAMA", "sing", "LAMA, first iteration"}
    for row in rows.values():
        costs = [cost for _, cost in row["costs"]]
        assert costs and costs == sorted(set(costs), reverse=True)
    assert rows["sing --anytime"]["lower_bound"] <= min(cost for _, cost in rows["LAMA"]["costs"])
    assert "| sing --anytime, seed 1, and LAMA | 1 | 1 | 1 |" in done.stdout
    before = rows_of(output, "run")
    subprocess.run(command("quality.py", output, *options), capture_output=True, check=True)
    assert rows_of(output, "run") == before


def test_rounds_are_measured_once_each(tmp_path):
    suite = tmp_path / "suite" / "errands"
    suite.mkdir(parents=True)
    pddl.write(suite, pddl.ERRANDS, pddl.ERRANDS_PROBLEM)
    script, output = [sys.executable, str(FOLDER / "rounds.py")], ["--output", str(tmp_path / "output")]
    measure = [*script, "measure", str(suite.parent), *output, "--rounds", "f0.1,g0.1,g0.1,b0.1,v0.1"]
    done = subprocess.run(measure, capture_output=True, text=True, check=True)
    assert "errands/problem.pddl: 5 of 5 rounds solve it" in done.stdout
    rows = rows_of(tmp_path / "output", "round")
    assert [row["round"] for row in rows] == ["f0.1", "g0.1", "g0.1", "b0.1", "v0.1"]
    assert [row["seed"] for row in rows] == [0, 0, 1, 0, 0]
    subprocess.run(measure, capture_output=True, check=True)
    assert rows_of(tmp_path / "output", "round") == rows
    done = subprocess.run(
        [*script, "schedules", "g5,b15", *output, "--times", "0,10"], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1].split() == ["g5", "b15", "0.0", "1.0"]
    for wrong, message in (("g5,x1", "'x1' is no round"), ("b1,b1", "fewer than 2 rounds 'b'")):
        done = subprocess.run([*script, "schedules", wrong, *output], capture_output=True, text=True, check=False)
        assert done.returncode != 0 and message in done.stderr and "Traceback" not in done.stderr


def test_a_schedule_takes_the_time_of_its_rounds():
    failed = {"solved": False, "work": 10_000_000, "set_up_s": 1.0, "time_s": 5.0}
    solved = {"solved": True, "work": 2_000_000, "set_up_s": 0.5, "time_s": 1.0}
    draws = random.Random(0)

    def time_of(schedule, **rows):
        return rounds.time_to_plan([rounds.Round(kind, work) for kind, work in schedule], rows, draws)

    assert time_of([("g", 5e6), ("b", 5e6)], g=[failed], b=[solved]) == 4.0
    assert time_of([("b", 1e6), ("g", 1e6)], g=[failed], b=[solved]) == float("inf")
    assert {time_of([("g", 5e6)] * 2, g=[failed, solved]) for _ in range(20)} == {1.0, 4.0}
