"""The fuzzers run, see what is wrong and keep it; memory does not grow over many solves."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from current_case import CaseInFiles, CaseInMemory, copy_current
from fuzzer import Case, Fault, Fuzzer, check_message, run_command
from hostile import sas
from limits import Run, is_late, is_over_memory, largest_tasks, measure, table
from plan_model import is_valid, read_steps
from records import Records
from sas_model import Malformed, read_sas
from worker import FUZZERS, Worker, make_fuzzer

import fuzz

ROOT = Path(__file__).parent.parent
# Two lamps, each with its switch; the second needs the first.
LAMPS = sas([2, 2], [0, 0], [(0, 1), (1, 1)], [([], [(0, 1)]), ([(0, 1)], [(1, 1)]), ([], [(1, 1)])])


# --- what the fuzzers compare with ---


@pytest.mark.parametrize("name", [case.name for case in (ROOT / "fuzz/corpus/sas").iterdir()])
def test_tasks_are_read_as_they_were_written(name: str) -> None:
    task = read_sas((ROOT / "fuzz/corpus/sas" / name / "task.sas").read_text())
    assert read_sas(task.to_text()) == task


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("begin_metric\n0", "begin_metric\n2"),
        ("o0\n", "(o0)\n"),
        ("0 0 -1 1", "0 0 -1 2"),
        ("0 0 -1 1", "0 0 -1"),
        ("end_goal", "end_goal\n"),
        ("2\n0 1\n1 1\nend_goal", "2\n0 1\n0 1\nend_goal"),
        ("\n0\n", "\n0\n\n"),
    ],
)
def test_what_is_no_task_is_refused(old: str, new: str) -> None:
    assert old in LAMPS
    with pytest.raises(Malformed):
        read_sas(LAMPS[: LAMPS.rindex(old)] + new + LAMPS[LAMPS.rindex(old) + len(old) :])


def test_small_tasks_are_searched_through() -> None:
    task = read_sas(LAMPS)
    assert task.has_plan(100)
    assert task.has_plan(3) is None
    assert task.plan_costs(["o0", "o1"]) == {2}
    assert task.plan_costs(["o1", "o0"]) == set()
    task.operators = task.operators[1:2]
    assert task.has_plan(100) is False


@pytest.mark.parametrize(
    ("plan", "verdict"),
    [
        ("(o0)\n(o1)", True),
        ("(O0 )\n( o1) ; done", True),
        ("(o1)\n(o0)", False),
        ("0: (o0)\n1: (o1)", True),
        ("1: (o1)\n0: (o0)", True),  # in the order of their times, wherever they stand
        ("0: (o1)\n1: (o0)", False),
        ("0: (o0)\n0: (o1)", False),  # at one time, and one needs what the other does
        ("0: (o0)\n0.001: (o1)", False),
        ("0: (o0)\n0.01: (o1)", True),
        ("0: (o0)\n0: (o2)", True),  # at one time, and neither is in the other's way
        ("(o0)\n3: (o1) [1]", True),
        ("(o3)", False),
    ],
)
def test_plans_are_judged_as_val_does(plan: str, verdict: bool) -> None:
    assert is_valid(read_sas(LAMPS), read_steps(plan)) is verdict


@pytest.mark.parametrize("plan", ["o0", "(o0", "()", "(o0) (o1)", "x: (o0)", "1 (o0)", "(o0) 1", "1.2.3: (o0)"])
def test_what_is_no_plan_is_refused(plan: str) -> None:
    with pytest.raises(Malformed):
        read_steps(plan)


def test_messages_are_judged() -> None:
    check_message("sing: error: nothing\n")
    for text in ("Traceback (most recent call last)", "a" * 3000, "\x1b[31m"):
        with pytest.raises(Fault):
            check_message(text)
    assert run_command(["solve", "missing.sas"])[0] == 36


# --- the fuzzers ---


@pytest.mark.parametrize("name", FUZZERS)
def test_inputs_follow_from_the_seed(name: str) -> None:
    fuzzer = make_fuzzer(name)
    seeds = fuzzer.seeds()

    def mutants() -> list[Case]:
        rngs = [random.Random(number) for number in range(10)]
        return [fuzzer.mutated(rng.choice(seeds), rng.choice(seeds), rng) for rng in rngs]

    assert mutants() == mutants()
    assert len({str(case) for case in mutants()}) > 5


@pytest.mark.parametrize(("name", "runs"), {"sas": 60, "onnx": 30, "pddl": 16, "plan": 60, "translation": 200}.items())
def test_a_fuzzer_finds_no_fault(name: str, runs: int, tmp_path: Path) -> None:
    """In a process of its own, as it may crash."""
    command = [sys.executable, str(ROOT / "fuzz/worker.py"), name, str(tmp_path), "--runs", str(runs)]
    done = subprocess.run(command, capture_output=True, text=True)
    reports = [report.read_text() for report in tmp_path.glob("faults/*/report")]
    assert done.returncode == 0 and not reports, done.stderr + "\n".join(reports)
    told = json.loads(done.stdout.splitlines()[-1])
    assert sum(told["outcomes"].values()) == runs
    assert len(told["outcomes"]) > 1


class Dice(Fuzzer):
    """Finds a fault in every input with a 6."""

    name = "dice"

    def seeds(self) -> list[Case]:
        return [{"number": b"1"}]

    def mutated(self, case: Case, other: Case, rng: random.Random) -> Case:
        return {"number": str(rng.randint(1, 6)).encode()}

    def run(self, case: Case, folder: Path) -> str:
        if (folder / "number").read_bytes() == b"6":
            raise Fault("a six")
        return "fine"


def test_every_fault_is_kept_and_the_fuzzer_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Worker(Dice(), tmp_path, seed=3).run(0, 50, until_s=float("inf"))
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    kept = list(tmp_path.glob("faults/dice-3-*"))
    assert 0 < len(kept) == told["outcomes"]["FAULT"] == 50 - told["outcomes"]["fine"]
    assert all((folder / "number").read_bytes() == b"6" for folder in kept)
    assert all((folder / "report").read_text() == "a six" for folder in kept)


CRASHING = """
import json, os, pathlib, sys
folder, first = pathlib.Path(sys.argv[2]), int(sys.argv[sys.argv.index("--first") + 1])
(folder / "current").mkdir(exist_ok=True)
print(json.dumps({"number": first, "edges": 1, "corpus": 1, "outcomes": {"fine": 1}}), flush=True)
(folder / "current" / "task.sas").write_text(str(first + 1))
if first < 4:
    os.abort()
"""


def test_a_crash_is_kept_and_another_process_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "worker.py").write_text(CRASHING)
    monkeypatch.setattr(fuzz, "HERE", tmp_path)
    outcomes = fuzz.fuzz("sas", tmp_path / "sas", seed=0, jobs=1, runs=6, until_s=float("inf"))
    assert outcomes == {"fine": 3, "FAULT": 2}  # inputs 1 and 3, each behind one that went well
    fuzz.tell_faults(tmp_path / "sas")
    assert "it ended with -6" in capsys.readouterr().out
    fault = tmp_path / "sas/0/faults/sas-0-1-crash"
    assert (fault / "task.sas").read_text() == "1"
    assert (fault / "command").read_text().endswith(f"--again {fault}\n")


@pytest.mark.parametrize("keeper", [CaseInFiles, CaseInMemory])
def test_the_input_of_a_process_that_has_ended_is_found(
    tmp_path: Path, keeper: type[CaseInFiles | CaseInMemory]
) -> None:
    copy_current(tmp_path, tmp_path / "nothing")
    current = keeper(tmp_path)
    copy_current(tmp_path, tmp_path / "nothing")
    current.keep({"domain.pddl": b"a long one" * 100, "problem.pddl": b""})
    last = {"domain.pddl": bytes(range(256)), "problem.pddl": "é\n".encode()}
    current.keep(last)
    copy_current(tmp_path, tmp_path / "copy")
    assert {file.name: file.read_bytes() for file in (tmp_path / "copy").iterdir()} == last
    assert not (tmp_path / "nothing").exists()


def test_memory_does_not_grow_over_many_solves() -> None:
    command = [sys.executable, "-c", "from growth import memory_while_solving as m; print(max(m(22)), m(22)[-1])"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT / "fuzz", check=True)
    before, after = map(int, done.stdout.split())
    assert after < before + (1 << 20)


# --- limits ---


def test_runs_are_measured_and_judged(tmp_path: Path) -> None:
    (tmp_path / "lamps.sas").write_text(LAMPS)
    row = measure(Run("lamps.sas", (str(tmp_path / "lamps.sas"),), ("solve",), 10.0, "500M"), tmp_path)
    assert row["exit_code"] == 0 and (tmp_path / "written").exists()
    assert 10_000 < row["peak_kb"] < 500_000
    assert not is_over_memory(row)
    assert row["late_s"] < 0 and not is_late(row)
    assert is_late({**row, "late_s": 0.6}) and not is_late({**row, "late_s": 0.4})
    assert is_over_memory({**row, "peak_kb": 500 * 1024 + 1}) and not is_over_memory({**row, "peak_kb": 500 * 1024})
    records = Records(tmp_path / "results.jsonl")
    records.add(row)
    records.add({**row, "memory_limit": "6G", "time_limit_s": 1.0, "late_s": 1.0})
    text = table(records)
    assert "| 1 s | 1 | 1 | 1.00 s late | lamps.sas, `solve` |" in text
    assert "- lamps.sas, `solve` at 1 s and 6G: exit code 0, 1.00 s late" in text
    assert "| 500M | 1 | 0 |" in text


def test_the_largest_task_of_each_domain_is_taken(tmp_path: Path) -> None:
    for name, size in {"a/domain": 1, "a/p1": 20, "a/p2": 10, "b/domain": 50, "b/p1": 1}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.pddl").write_text("x" * size)
    assert [Path(files[1]).relative_to(tmp_path).as_posix() for files in largest_tasks(tmp_path).values()] == [
        "a/p1.pddl",
        "b/p1.pddl",
    ]
