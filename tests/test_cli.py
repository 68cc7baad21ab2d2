"""The real command line: exit codes, files, streams and signals."""

import contextlib
import itertools
import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pddl
import pytest
from random_tasks import OperatorText, TaskText
from test_translate import slow_files, translators_of

import sing
from sing.base.budget import Budget
from sing.cli.delivery import NumberedPlans
from sing.networks.encoding import Encoding
from sing.networks.model import Model
from sing.translate import generators

SING = [str(Path(sys.executable).with_name("sing"))]
KORF_1 = [14, 5, 9, 2, 18, 8, 23, 19, 12, 17, 15, 0, 10, 20, 4, 6, 11, 21, 1, 7, 24, 3, 16, 22, 13]


def run(*arguments, cwd=None, **options):
    return subprocess.run(
        [*SING, *map(str, arguments)], capture_output=True, text=True, cwd=cwd, check=False, **options
    )


@pytest.fixture
def folder(tmp_path):
    """Files of every kind; commands run here."""
    texts = {
        "domain.pddl": pddl.ERRANDS,
        "problem.pddl": pddl.ERRANDS_PROBLEM,
        "unsolvable.pddl": pddl.UNSOLVABLE_PROBLEM,
        "truncated.pddl": pddl.ERRANDS_PROBLEM[:150],
        "lamps.pddl": pddl.CONDITIONAL,
        "lamps-p.pddl": pddl.CONDITIONAL_PROBLEM,
        "reach.pddl": pddl.DERIVED,
        "reach-p.pddl": pddl.DERIVED_PROBLEM,
        "static.pddl": STATIC,
        "static-p.pddl": "(define (problem p) (:domain s) (:objects a) (:init (p a)) (:goal (p a)))",
        "go.plan": "(go a)\n",
        "bad.sas": "begin_version\n3\nend_version\n",
        "cut.plan": "(go home shop)\n(visit sh",
        "short.plan": "(go home shop)\n",
        "stray.pddl": pddl.ERRANDS_PROBLEM + ") " + "(x) " * 200_000,
        "escape.sas": "\x1b[31mred\n",
        "twins.sas": TWINS.to_sas().replace("x1", "x0"),
        "read-only": "a plan\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "read-only").chmod(0o444)
    (tmp_path / "old.1").mkdir()
    puzzle = generators.npuzzle(5, 5, board=KORF_1)
    pddl.write(tmp_path / "puzzle", puzzle.domain, puzzle.problems[0])
    slow_files(tmp_path / "slow")
    encoding = Encoding("boolean", ("Atom elsewhere()",), None)
    weights = np.ones((1, 1), dtype=np.float32)
    Model(encoding, ((weights, np.ones(1, dtype=np.float32)),)).save(tmp_path / "m.onnx")
    return tmp_path


STATIC = """(define (domain s) (:predicates (p ?x) (q ?x))
  (:action go :parameters (?x) :precondition (p ?x) :effect (q ?x)))"""

# Two variables whose values have the same names.
TWINS = TaskText(
    False, (2, 2), (), (0, 0), ((0, 1), (1, 1)), tuple(OperatorText((), ((variable, 0, 1),), 1) for variable in (0, 1))
)

HARD = "solve puzzle/domain.pddl puzzle/problem.pddl --heuristic blind"
SMALL = "solve domain.pddl problem.pddl --nsearches 5 --nsamples 20"
EXIT_CODES = [
    ("solve domain.pddl problem.pddl", 0, ""),
    ("solve domain.pddl problem.pddl --config ff", 0, ""),
    ("solve domain.pddl unsolvable.pddl", 11, ""),
    (f"{HARD} --time-limit 1", 23, ""),
    (f"{HARD} --memory-limit 120M", 22, ""),
    ("solve slow/domain.pddl slow/problem.pddl --time-limit 1", 23, ""),
    ("solve slow/domain.pddl slow/problem.pddl --memory-limit 100M", 22, ""),
    ("solve domain.pddl truncated.pddl", 31, "this '(' has no ')'"),
    ("solve domain.pddl lamps-p.pddl", 31, "the problem is one of domain 'lamps'"),
    ("solve bad.sas", 33, "'bad.sas', line 4: the file ends early, expected begin_metric"),
    ("solve lamps.pddl lamps-p.pddl", 0, ""),
    ("solve reach.pddl reach-p.pddl", 0, ""),
    ("solve lamps.pddl lamps-p.pddl --config sing-re --nsearches 5", 0, ""),
    ("solve lamps.pddl lamps-p.pddl --config c3", 34, "this task has conditional effects, and the space 'ei'"),
    ("solve domain.pddl", 31, "'domain.pddl' is PDDL; give the domain file and the problem file"),
    ("solve domain.pddl absent.pddl", 36, "cannot read the PDDL problem 'absent.pddl': no such file or directory"),
    ("solve absent.sas", 36, "cannot read the SAS file 'absent.sas'"),
    ("solve domain.pddl puzzle", 36, "is a directory"),
    ("solve", 36, "Missing argument"),
    ("solve domain.pddl problem.pddl --config nonesuch", 36, "there is no configuration 'nonesuch'; there are chorus,"),
    ("solve domain.pddl problem.pddl --heuristic hff", 36, "there is no heuristic 'hff'; did you mean ff?"),
    ("solve domain.pddl problem.pddl --config ff --heuristic ff", 36, "not both"),
    ("solve domain.pddl problem.pddl --queues h,,g", 36, "'' is not a queue"),
    ("solve domain.pddl problem.pddl --time-limit 0", 36, "'0' is not a time limit"),
    ("solve domain.pddl problem.pddl --time-limit soon", 36, "write for example 90, 90s, 30m, 2h or 1m30s"),
    ("solve domain.pddl problem.pddl --memory-limit 1K", 36, "the memory limit '1K' is too low"),
    ("solve domain.pddl problem.pddl --memory-limit 9999999T", 36, "more than any machine has"),
    (f"solve domain.pddl problem.pddl --plan-file {'x' * 300}", 36, "file name too long"),
    ("solve domain.pddl stray.pddl", 31, "this ')' has no '(' before it"),
    ("solve escape.sas", 33, "found '?[31mred'"),
    (r"solve \x1b[31m.pddl problem.pddl", 36, r"cannot read the PDDL domain '\x1b[31m.pddl'"),
    ("solve domain.pddl problem.pddl --plan-file read-only", 36, "no permission to write to it"),
    ("solve domain.pddl problem.pddl --anytime --plan-file old", 36, "'old.1': it is a directory"),
    ("solve twins.sas --config c3", 0, ""),
    ("solve domain.pddl problem.pddl --jobs 1024", 0, ""),
    (f"solve domain.pddl {'x' * 300}", 36, "file name too long"),
    ("solve domain.pddl problem.pddl --plan-file /dev/full --quiet", 36, "no space left on device"),
    ("solve domain.pddl problem.pddl --plan-file /dev/null", 0, ""),
    ("solve domain.pddl problem.pddl --plan-file=", 36, "cannot write the plan file '': it has no name"),
    ("solve domain.pddl problem.pddl --config=", 36, "there is no configuration ''"),
    ("learn domain.pddl problem.pddl --config= --output new.onnx", 36, "there is no configuration ''"),
    ("solve domain.pddl problem.pddl --log /dev/full", 36, "cannot write the log file '/dev/full': no space left"),
    ("solve domain.pddl problem.pddl --shorten-share 1e308", 0, ""),
    ("solve domain.pddl problem.pddl --plan-file out --json out", 36, "are both 'out'"),
    ("solve domain.pddl problem.pddl --seed -1", 36, "-1 is not between 0"),
    ("solve domain.pddl problem.pddl --plan-file no/such/plan", 36, "there is no directory 'no/such'"),
    ("solve domain.pddl problem.pddl --plan-file puzzle", 36, "it is a directory"),
    ("solve domain.pddl problem.pddl --json no/x", 36, "cannot write the JSON file 'no/x'"),
    ("solve domain.pddl problem.pddl --json - --plan-file -", 36, "cannot both be standard output"),
    ("solve domain.pddl problem.pddl --frobnicate", 36, "there is no option '--frobnicate'"),
    ("sing", 36, "there is no command 'sing'"),
    (f"{SMALL} --config sing", 0, ""),
    (f"{SMALL} --config sing-re --jobs 2", 0, ""),
    (f"{SMALL} --config c4 --hidden 2x8 --loss mse --encoding sas --space eo --strategy rw --completion none", 0, ""),
    (f"{SMALL} --config sing --trainer torch --max-epochs 2", 0, ""),
    (f"{SMALL} --config sing --trainer torch --device abacus", 36, "no device 'abacus'"),
    (f"{SMALL} --config sing --device cuda", 36, "add --trainer torch"),
    (f"{SMALL} --config sing --hidden 4y64", 36, "'4y64' are no hidden layers"),
    (f"{SMALL} --config sing --learning-rate -1", 36, "the learning rate must be above 0"),
    (f"{SMALL} --config sing --max-depth deep", 36, "the depth limit is 'deep'"),
    ("solve domain.pddl problem.pddl --config ff --hidden 4x64", 36, "has no field 'hidden'; these have it: chorus,"),
    ("solve domain.pddl problem.pddl --set voices.num_state=5", 36, "did you mean voices.num_states?"),
    ("solve domain.pddl problem.pddl --set voices", 36, "'voices' sets nothing; write FIELD=VALUE"),
    ("solve domain.pddl problem.pddl --set growth=fast", 36, "growth is 'fast'; it must be a number"),
    ("configs sing-re", 0, ""),
    ("configs chors", 36, "there is no configuration 'chors'; did you mean chorus?"),
    ("solve domain.pddl problem.pddl --model absent.onnx", 36, "cannot read the model file 'absent.onnx'"),
    ("solve domain.pddl problem.pddl --model problem.pddl", 36, "model file 'problem.pddl': not an ONNX file"),
    ("solve domain.pddl problem.pddl --model m.onnx --config ff", 36, "does not search with one learned heuristic"),
    ("solve domain.pddl problem.pddl --model m.onnx --heuristic ff", 36, "not both"),
    ("solve domain.pddl problem.pddl --model m.onnx --loss mse", 36, "--loss is about learning"),
    ("solve domain.pddl problem.pddl --model m.onnx", 36, "the model lacks: Atom"),
    ("learn domain.pddl problem.pddl --shared --nsearches 5 --output new.onnx", 0, ""),
    ("learn domain.pddl problem.pddl --shared --config sing --output new.onnx", 36, "not both"),
    ("learn domain.pddl problem.pddl --nsearches 5 --output new.onnx", 0, ""),
    ("learn domain.pddl problem.pddl", 36, "Missing option '--output'"),
    ("learn domain.pddl problem.pddl --output no/m.onnx", 36, "there is no directory 'no'"),
    ("learn domain.pddl problem.pddl --output -", 36, "cannot go to standard output"),
    ("learn domain.pddl problem.pddl --output /dev/full --nsearches 5", 36, "no space left on device"),
    ("learn domain.pddl problem.pddl --config sing-re --output m.onnx", 36, "does not learn one heuristic"),
    ("learn domain.pddl truncated.pddl --output m.onnx", 31, "this '(' has no ')'"),
    ("learn lamps.pddl lamps-p.pddl --output m.onnx --nsearches 5 --quiet", 0, ""),
    ("learn reach.pddl reach-p.pddl --output m.onnx --nsearches 5 --space eo", 34, "regression has: --set space=r"),
    ("learn slow/domain.pddl slow/problem.pddl --output m.onnx --time-limit 1", 23, ""),
    ("validate domain.pddl problem.pddl short.plan", 1, "plan 'short.plan' is not valid: the goal is not reached"),
    ("validate domain.pddl problem.pddl cut.plan", 36, "line 2: expected '(operator arguments)', found '(visit sh'"),
    ("validate domain.pddl problem.pddl absent.plan", 36, "cannot read the plan 'absent.plan'"),
    ("validate domain.pddl truncated.pddl short.plan", 31, "this '(' has no ')'"),
    ("validate domain.pddl problem.pddl", 36, "'problem.pddl' is PDDL and not a plan; give a domain, a problem and"),
    ("solve problem.pddl domain.pddl", 31, "'problem.pddl' is a problem and 'domain.pddl' a domain; give the domain"),
    ("validate short.plan", 36, "give a domain, a problem and a plan"),
    ("validate slow/domain.pddl slow/problem.pddl short.plan --time-limit 1", 23, ""),
    ("generate npuzzle --rows 2 --output new", 0, ""),
    ("generate npuzzle --rows 2 --board 0,2,1,3 --output new", 36, "parity"),
    ("generate npuzzle --rows 2 --board one --output new", 36, "'one' is not a board"),
    ("generate pancake --pancakes 3 --board 3,2,1 --count 2 --output new", 36, "one problem, not 2"),
    (f"generate blocks --output {'x' * 300}", 36, "file name too long"),
    ("generate logistics --planes 0 --output new", 36, "a plane where there are several cities"),
    ("generate npuzzle --rows 1 --output new", 36, "1 is not between 2 and 100"),
    ("generate blocks --output bad.sas/x", 36, "cannot make the folder"),
    ("generate npuzzle --rows 2 --output .", 36, "'domain.pddl' exists and is different"),
    ("validate static.pddl static-p.pddl go.plan", 34, "the goal is static and true"),
    ("sample domain.pddl problem.pddl --space ei --strategy rw --nsearches 5 --output new.npz", 0, ""),
    ("sample domain.pddl problem.pddl --quiet --completion walk --min-label --max-depth facts", 0, ""),
    ("sample static.pddl static-p.pddl --space ei", 12, "no start with a backward step was found in the space 'ei'"),
    ("sample puzzle/domain.pddl puzzle/problem.pddl --nsearches 9999999 --time-limit 2", 23, ""),
    ("sample slow/domain.pddl slow/problem.pddl --time-limit 1", 23, ""),
    ("sample domain.pddl problem.pddl --output no/such.npz", 36, "there is no directory 'no'"),
    ("sample domain.pddl problem.pddl --plot x.docx", 36, "cannot draw a 'docx' file"),
    ("sample domain.pddl problem.pddl --max-depth deep", 36, "must be a whole number or 'facts'"),
    ("sample domain.pddl problem.pddl --max-depth ²", 36, "must be a whole number or 'facts'"),
    ("sample domain.pddl problem.pddl --output a.png --plot a.png", 36, "are both 'a.png'"),
    ("sample domain.pddl problem.pddl --output -", 36, "cannot go to standard output"),
    ("sample domain.pddl problem.pddl --nsearches 0", 36, "nsearches is 0; it must be 1 or more"),
    ("sample domain.pddl problem.pddl --nsearches 99999999 --nsamples 99999", 36, "too many"),
    ("sample domain.pddl truncated.pddl", 31, "this '(' has no ')'"),
    ("sample lamps.pddl lamps-p.pddl --space ei", 34, "conditional effects"),
    ("sample reach.pddl reach-p.pddl --quiet", 0, ""),
    ("configs", 0, ""),
    ("", 0, ""),
    ("generate", 0, ""),
    ("--version", 0, ""),
]  # fmt: skip


@pytest.mark.parametrize(("command", "code", "message"), EXIT_CODES, ids=[row[0] for row in EXIT_CODES])
def test_exit_codes(folder, command, code, message):
    before = snapshot(folder)
    done = run(*command.replace(r"\x1b", "\x1b").split(), cwd=folder)
    assert done.returncode == code, done.stderr
    assert len(done.stderr) < 3000 and "\x1b" not in done.stderr
    assert "Traceback" not in done.stderr
    if message:
        assert message in done.stderr
        assert done.stderr.startswith("sing: error: ")
        assert done.stderr.count("\n") == 1
    else:
        assert done.stderr == ""
    if code != 0:
        assert snapshot(folder) == before  # no partial file, no leftover


def snapshot(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
@pytest.mark.parametrize("phase", ["translate", "translate by fd", "search"])
def test_signals_end_a_run_in_order(folder, number, code, phase):
    """What was found so far is reported, the exit code says why, and nothing runs on or stays behind."""
    (folder / "sas_plan").write_text("an older plan\n")
    before = snapshot(folder)
    part = "puzzle" if phase == "search" else "slow"
    command = [*SING, "solve", str(folder / part / "domain.pddl"), str(folder / part / "problem.pddl")]
    planner = subprocess.Popen(
        [*command, "--heuristic", "blind", "--json", "-", "--translator", "fd" if "fd" in phase else "native"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder)},
    )
    translators = []
    if "fd" not in phase:
        while memory_bytes(planner.pid) < 100 << 20:
            assert planner.poll() is None
    else:
        while not (translators := translators_of(planner.pid)):
            assert planner.poll() is None
    planner.send_signal(number)
    output, _ = planner.communicate()
    assert planner.returncode == code
    result = json.loads(output)
    assert result["status"] == "interrupted"
    assert (result["registered_states"] > 0) == (phase == "search")
    assert not [pid for pid in translators if Path(f"/proc/{pid}").exists()]
    assert snapshot(folder) == before


def memory_bytes(pid):
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_the_json_object_has_the_documented_fields(folder):
    done = run("solve", "domain.pddl", "problem.pddl", "--json", "-", "--seed", 5, "--config", "ff", cwd=folder)
    result = json.loads(done.stdout)
    fields = (
        "status error files ended_while plan plan_length plan_cost is_optimal lower_bound costs initial_estimate "
        "expanded evaluated generated registered_states peak_memory_kb times_s num_samples num_epochs num_reseeds "
        "num_rounds validation_error num_restarts solved_by config seed version"
    )
    assert list(result) == fields.split()
    assert list(result["times_s"]) == ["translate", "sample", "train", "search", "shorten", "improve", "total"]
    assert (result["status"], result["config"], result["seed"]) == ("solved", "ff", 5)
    assert result["version"] == sing.__version__
    assert result["peak_memory_kb"] > 1000
    assert (result["error"], result["files"]) == (None, ["domain.pddl", "problem.pddl"])
    plan = (folder / "sas_plan").read_text()
    assert "".join(f"({name})\n" for name in result["plan"]) == plan[: plan.index(";")]
    assert [entry["cost"] for entry in result["costs"]] == [result["plan_cost"]]
    assert 0 < result["costs"][0]["time_s"] <= result["times_s"]["total"]
    assert plan.endswith(f"; cost = {result['plan_cost']} (general cost)\n")
    assert plan.count("(") - 1 == result["plan_length"]
    assert pddl.is_valid(folder / "domain.pddl", folder / "problem.pddl", plan)
    assert run("validate", "domain.pddl", "problem.pddl", "sas_plan", cwd=folder).stdout.startswith("plan valid")


def test_json_to_a_file_and_of_a_run_without_a_plan(folder):
    run("solve", "domain.pddl", "unsolvable.pddl", "--json", "result.json", "--quiet", cwd=folder)
    result = json.loads((folder / "result.json").read_text())
    assert result["status"] == "unsolvable"
    assert result["plan_length"] is result["plan_cost"] is None


def test_quiet_is_silent_and_dash_is_standard_output(folder):
    done = run("solve", "domain.pddl", "problem.pddl", "--quiet", cwd=folder)
    assert (done.stdout, done.stderr) == ("", "")
    done = run("solve", "domain.pddl", "problem.pddl", "--quiet", "--plan-file", "-", cwd=folder)
    assert done.stdout == (folder / "sas_plan").read_text()


def test_names_are_shown_as_they_are_and_links_stay(folder):
    (folder / "link").symlink_to("p[red].plan")
    done = run("solve", "domain.pddl", "problem.pddl", "--plan-file", "p[red].plan", cwd=folder)
    assert "written to p[red].plan" in done.stdout
    first = (folder / "p[red].plan").read_text()
    (folder / "p[red].plan").write_text("old")
    run("solve", "domain.pddl", "problem.pddl", "--plan-file", "link", cwd=folder)
    assert (folder / "link").is_symlink()
    assert (folder / "p[red].plan").read_text() == first


def test_a_domain_may_be_named_like_an_option(folder):
    (folder / "-d.pddl").write_text(pddl.ERRANDS)
    assert run("solve", "--", "-d.pddl", "problem.pddl", cwd=folder).returncode == 0


def test_a_terminal_without_the_characters_is_no_problem(folder):
    done = run("solve", "domain.pddl", "problem.pddl", cwd=folder, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, "")


def test_plain_lines_where_there_is_no_terminal(folder):
    done = run("solve", "domain.pddl", "problem.pddl", cwd=folder)
    assert "\x1b" not in done.stdout
    words = [line.split()[0] for line in done.stdout.splitlines()]
    assert words == ["config", "translate", "prune", "landmarks", "symmetries", "search", "shorten", "improve", "plan"]


def test_a_live_line_on_a_terminal(folder):
    main, side = pty.openpty()
    command = [*SING, "solve", "puzzle/domain.pddl", "puzzle/problem.pddl", "--heuristic", "blind"]
    planner = subprocess.Popen(command, stdout=side, stderr=side, cwd=folder, env={**os.environ, "TERM": "xterm"})
    os.close(side)
    shown, is_interrupted = b"", False
    try:
        while chunk := os.read(main, 4096):
            shown += chunk
            if shown.count(b"expanded") > 3 and not is_interrupted:  # updated in place many times
                planner.send_signal(signal.SIGINT)
                is_interrupted = True
    except OSError:  # the terminal closes with its last writer
        pass
    assert is_interrupted and planner.wait() == 130
    assert b"\x1b[" in shown
    assert b"interrupted before a plan was found" in shown


def test_an_existing_plan_is_replaced_only_by_a_complete_one(folder):
    plan = folder / "sas_plan"
    plan.write_text("an older plan\n")
    run(*f"{HARD} --time-limit 1".split(), cwd=folder)
    assert plan.read_text() == "an older plan\n"
    run("solve", "domain.pddl", "problem.pddl", cwd=folder)
    assert plan.read_text().startswith("(")


@pytest.mark.parametrize("command", ["configs", "solve domain.pddl problem.pddl --plan-file -"])
def test_a_closed_pipe_shows_no_traceback(folder, command):
    pipe = f"{SING[0]} {command} | true"
    done = subprocess.run(pipe, shell=True, capture_output=True, cwd=folder, check=False)
    assert b"Traceback" not in done.stderr
    assert b"Exception" not in done.stderr


def test_generated_families_solve(tmp_path):
    for kind, options in (
        ("npuzzle", ["--rows", 2, "--columns", 3]),
        ("blocks", ["--blocks", 4]),
        ("pancake", ["--pancakes", 4]),
        ("logistics", ["--cities", 2, "--places", 2, "--planes", 1, "--packages", 2]),
    ):
        output = tmp_path / kind
        done = run("generate", kind, *options, "--count", 2, "--seed", 1, "--output", output)
        assert done.returncode == 0, done.stderr
        assert sorted(path.name for path in output.iterdir()) == ["domain.pddl", "p01.pddl", "p02.pddl"]
        files = output / "domain.pddl", output / "p02.pddl"
        done = run("solve", *files, "--plan-file", "-", "--quiet")
        assert pddl.is_valid(*files, done.stdout)
        again = run("generate", kind, *options, "--count", 2, "--seed", 1, "--output", output)
        assert again.returncode == 0  # the same content may be written again


def test_a_translated_task_can_be_solved_and_validated(folder):
    from sing.base.budget import Budget
    from sing.translate.translator import translate_to_sas

    (folder / "task.sas").write_text(translate_to_sas(folder / "domain.pddl", folder / "problem.pddl", Budget()))
    assert run("solve", "task.sas", cwd=folder).returncode == 0
    assert run("validate", "task.sas", "sas_plan", cwd=folder).returncode == 0


def test_seeds_reproduce_and_matter(tmp_path):
    family = generators.npuzzle(3, 3, seed=1)
    files = pddl.write(tmp_path, family.domain, family.problems[0])
    results = []
    for seed in (1, 1, 2):
        plan = tmp_path / "plan"
        done = run("solve", *files, "--config", "novelty", "--plan-file", plan, "--json", "-", "--seed", seed)
        results.append((json.loads(done.stdout)["expanded"], plan.read_text()))
    assert results[0] == results[1] != results[2]


def test_samples_are_written_for_plain_numpy(folder):
    options = ["--nsearches", 20, "--nsamples", 30, "--seed", 3]
    done = run("sample", "domain.pddl", "problem.pddl", "--output", "s.npz", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    with np.load(folder / "s.npz", allow_pickle=False) as data:
        num_atoms = int(data["num_atoms"])
        assert data["atoms"].shape == (num_atoms,)
        assert "Atom at(home)" in data["atoms"].tolist()
        assert data["states"].dtype == np.uint8
        assert data["states"].shape == (len(data["labels"]), (num_atoms + 7) // 8)
        assert data["labels"].dtype == np.float32
        config = json.loads(str(data["config"]))
        assert (config["space"], config["nsearches"], config["seed"]) == ("r", 20, 3)
        states = data["states"].copy()
    again = run("sample", "domain.pddl", "problem.pddl", "--output", "t.npz", "--jobs", 2, *options, cwd=folder)
    assert again.returncode == 0
    with np.load(folder / "t.npz") as data:
        assert np.array_equal(data["states"], states)


def test_a_plot_of_labels_is_drawn(folder):
    pytest.importorskip("matplotlib")
    done = run("sample", "domain.pddl", "problem.pddl", "--plot", "labels.png", "--nsearches", 20, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "labels.png").read_bytes().startswith(b"\x89PNG")
    assert "unique states" in done.stdout


def test_a_model_that_was_learned_serves_every_problem_of_its_space(folder):
    done = run("generate", "npuzzle", "--rows", 3, "--count", 2, "--output", "p", cwd=folder)
    assert done.returncode == 0
    done = run("learn", "p/domain.pddl", "p/p01.pddl", "--nsearches", 50, "--output", "m.onnx", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "sample" in done.stdout and "validation loss" in done.stdout and "model written to m.onnx" in done.stdout
    for problem in ("p01", "p02"):
        options = ("--model", "m.onnx", "--queues", "h,nh", "--json", "-")
        done = run("solve", "p/domain.pddl", f"p/{problem}.pddl", *options, cwd=folder)
        result = json.loads(done.stdout)
        assert result["status"] == "solved" and result["config"] == "model m.onnx queues=h,nh"
        assert pddl.is_valid(folder / "p/domain.pddl", folder / f"p/{problem}.pddl", (folder / "sas_plan").read_text())
    done = run("solve", "domain.pddl", "problem.pddl", "--model", "m.onnx", cwd=folder)
    assert done.returncode == 36
    assert "the model is for another search space: the task has goals that the model lacks: Atom" in done.stderr


def interrupted_learning(folder, sign, *options):
    """Learns on a terminal until this is to be seen there, then gets Ctrl-C: the exit code and all that was seen."""
    files = ["puzzle/domain.pddl", "puzzle/problem.pddl", "--output", "new.onnx"]
    ours, theirs = pty.openpty()
    process = subprocess.Popen([*SING, "learn", *files, *map(str, options)], cwd=folder, stdout=theirs, stderr=theirs)
    os.close(theirs)
    seen = b""
    while sign not in seen:
        seen += os.read(ours, 4096)
    process.send_signal(signal.SIGINT)
    with contextlib.suppress(OSError):  # how a terminal ends
        while chunk := os.read(ours, 4096):
            seen += chunk
    os.close(ours)
    code = process.wait()
    assert not [path for path in folder.iterdir() if path.name.startswith(".sing-")]
    return code, seen.decode()


def test_learning_that_is_interrupted_before_there_is_a_network_leaves_no_file(folder):
    code, seen = interrupted_learning(folder, b"24 goals", "--nsearches", 10**6, "--nsamples", 10**3)
    assert code == 130 and "no model: interrupted" in seen
    assert not (folder / "new.onnx").exists()


@pytest.mark.parametrize(("config", "sign"), [("sing", b"validation"), ("chorus", b"epoch 3")])
def test_learning_that_is_interrupted_keeps_the_best_network_so_far(folder, config, sign):
    for_ever = ("--max-epochs", 10**6, "--patience", 10**6)
    code, seen = interrupted_learning(folder, sign, "--config", config, *for_ever)
    assert code == 130 and "model written to new.onnx (interrupted: the best network so far" in seen
    assert Model.load(folder / "new.onnx").layers


def test_configs_lists_every_configuration():
    done = run("configs", env={**os.environ, "COLUMNS": "80"})
    first_words = {line.split()[0] for line in done.stdout.splitlines() if line[:1].strip()}
    assert set(sing.CONFIGS) <= first_words
    assert "the paper's number 7 of fifteen: boolean, ei, dfs, re" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize("name", ["chorus", "sing-re", "ff"])
def test_the_fields_of_a_configuration_can_be_read_and_set(name):
    done = run("configs", name, env={**os.environ, "COLUMNS": "80"})
    assert max(map(len, done.stdout.splitlines())) <= 80
    shown = [line for line in done.stdout.splitlines() if "=" in line and line[0] != " "]
    assert "shorten_share=" in done.stdout
    sing.CONFIGS[name].with_settings(shown)  # raises where a line could not be given to --set


def test_anytime_writes_numbered_plans(tmp_path):
    family = generators.npuzzle(4, 4, seed=2)
    files = pddl.write(tmp_path, family.domain, family.problems[0])
    (tmp_path / "plan.9").write_text("of an earlier run")
    (tmp_path / "plan.old").write_text("somebody's own")
    arguments = [*SING, "solve", *map(str, files), "--anytime", "--plan-file", "plan", "--heuristic", "goalcount"]
    with subprocess.Popen(arguments, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        told = list(itertools.takewhile(lambda line: not line.startswith("improve"), process.stdout))
        process.send_signal(signal.SIGINT)
        told += list(process.stdout)
    assert process.returncode == 0 and not (tmp_path / "plan").exists()
    names = {path.name for path in tmp_path.glob("plan.*")} - {"plan.old"}
    assert (tmp_path / "plan.old").exists() and len(names) > 1
    assert names == {f"plan.{number}" for number in range(1, len(names) + 1)}
    assert pddl.is_valid(*files, (tmp_path / f"plan.{len(names)}").read_text())
    assert f"written to plan.{len(names)} " in "".join(told)


def costs_of_numbered_plans(files, folder) -> list[int]:
    """Checks that there is nothing but complete and valid plans there, numbered without gaps, cheaper and cheaper."""
    names = {path.name for path in folder.iterdir()}
    plans = [f"plan.{number}" for number in range(1, len(names) + 1)]
    assert names == set(plans)
    costs = []
    for name in plans:
        text = (folder / name).read_text()
        assert pddl.is_valid(*files, text)
        costs.append(int(re.search(r"\n; cost = (\d+) \(unit cost\)\n\Z", text)[1]))
    assert costs == sorted(set(costs), reverse=True)
    return costs


@pytest.mark.parametrize("num_lines", [0, 1, 3, 4, 5, 6, 8, 11])
def test_a_kill_while_plans_get_better_leaves_complete_plans(tmp_path, num_lines):
    """At a line of output; that of a plan comes directly before its file. Plans of an earlier run are there before."""
    family = generators.npuzzle(4, 4, seed=2)
    files = pddl.write(tmp_path, family.domain, family.problems[0])
    folder = tmp_path / "plans"
    folder.mkdir()
    budget = Budget()
    numbered = NumberedPlans(str(folder / "plan"), budget)

    def hear(plan: sing.Plan) -> None:
        numbered(plan)
        if (folder / "plan.4").exists():
            budget.interrupt()

    sing.solve(*files, config="goalcount", seed=1, budget=budget, on_plan=hear)
    earlier = costs_of_numbered_plans(files, folder)
    assert len(earlier) == 4
    arguments = [*SING, "solve", *files, "--anytime", "--plan-file", "plan", "--heuristic", "ff"]
    with subprocess.Popen(arguments, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        for _ in itertools.islice(process.stdout, num_lines):
            pass
        process.kill()
    costs = costs_of_numbered_plans(files, folder)
    assert process.returncode == -signal.SIGKILL and costs
    assert num_lines or costs == earlier


@pytest.mark.parametrize("num_operations", range(6))
def test_plans_of_two_runs_are_never_side_by_side(tmp_path, monkeypatch, num_operations):
    """A run that is killed after so many files were removed or replaced."""
    for number in range(1, 4):
        (tmp_path / f"plan.{number}").write_text(f"{number} of the earlier run")

    class Killed(BaseException):
        pass

    done = []

    def until_killed(operation):
        def run(*arguments, **options):
            if len(done) >= num_operations:
                raise Killed
            if not arguments[0].name.startswith(".sing-") or operation.__name__ == "replace":
                done.append(arguments)
            return operation(*arguments, **options)

        return run

    numbered = NumberedPlans(str(tmp_path / "plan"), Budget())
    for name in ("unlink", "replace"):
        monkeypatch.setattr(Path, name, until_killed(getattr(Path, name)))
    with contextlib.suppress(Killed):
        for cost in (5, 4, 3):
            numbered(sing.Plan(("go",), cost, True))
    left = {path.name: path.read_text() for path in tmp_path.glob("plan.*")}
    assert set(left) == {f"plan.{number}" for number in range(1, len(left) + 1)} and left
    assert len({"earlier" in text for text in left.values()}) == 1


def test_a_plan_that_cannot_be_written_ends_the_run_and_the_others_stay(tmp_path):
    family = generators.npuzzle(4, 4, seed=2)
    files = pddl.write(tmp_path, family.domain, family.problems[0])
    arguments = [*SING, "solve", *files, "--anytime", "--heuristic", "goalcount", "--json", "result.json"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(arguments, cwd=tmp_path, **pipes) as process:
        for _ in itertools.takewhile(lambda line: not line.startswith("improve"), process.stdout):
            pass
        (tmp_path / "sas_plan.4").mkdir()
        _, error = process.communicate()
    assert process.returncode == 36
    assert error == (
        "sing: error: cannot write the plan file 'sas_plan.4': it is a directory; "
        "sas_plan.3 has the best plan until then\n"
    )
    assert json.loads((tmp_path / "result.json").read_text())["exit_code"] == 36
    assert all(pddl.is_valid(*files, (tmp_path / f"sas_plan.{number}").read_text()) for number in (1, 2, 3))


def test_anytime_leaves_old_plans_where_it_finds_none(folder):
    (folder / "sas_plan.1").write_text("of an earlier run")
    done = run("solve", "domain.pddl", "unsolvable.pddl", "--anytime", cwd=folder)
    assert done.returncode == 11 and (folder / "sas_plan.1").exists()


def test_anytime_with_several_problems(tmp_path):
    """Each has files of its own, and ends where its plan is proved cheapest."""
    family = generators.npuzzle(2, 2, count=2, seed=2)
    (tmp_path / "domain.pddl").write_text(family.domain)
    for number, problem in enumerate(family.problems, start=1):
        (tmp_path / f"p{number}.pddl").write_text(problem)
    files = ("domain.pddl", "p1.pddl", "p2.pddl")
    done = run("solve", *files, "--anytime", "--json", "all.json", "--jobs", "2", cwd=tmp_path)
    assert done.returncode == 0 and done.stdout.count("proved cheapest") == 2
    results = [json.loads(line) for line in (tmp_path / "all.json").read_text().splitlines()]
    for result in results:
        name = result["problem"].removesuffix(".pddl")
        assert result["is_optimal"] and result["lower_bound"] == result["plan_cost"] == result["costs"][-1]["cost"]
        last = tmp_path / f"sas_plan.{name}.{len(result['costs'])}"
        assert pddl.is_valid(tmp_path / "domain.pddl", tmp_path / result["problem"], last.read_text())


def test_anytime_says_what_is_proved_and_draws_costs(tmp_path):
    family = generators.npuzzle(3, 3, seed=4)
    pddl.write(tmp_path, family.domain, family.problems[0])
    files = [path.name for path in sorted(tmp_path.glob("*.pddl"))]
    options = ("--heuristic", "goalcount", "--anytime", "--report", "page.html", "--json", "result.json")
    done = run("solve", *files, *options, cwd=tmp_path)
    assert done.returncode == 0 and ", proved cheapest, written to sas_plan." in done.stdout
    page = (tmp_path / "page.html").read_text()
    result = json.loads((tmp_path / "result.json").read_text())
    first, *_, last = (cost["time_s"] for cost in result["costs"])
    assert result["times_s"]["improve"] >= last - first  # also of what is looked for behind the first plan
    # As the costs, the table of phases counts from when the program began, and not from when all was imported.
    starts = re.findall(r'<td class="number">([\d.]+)</td><td>(\w+)</td>', page)
    assert starts[0][1] == "translate" and starts[0][0] != "0.00"
    assert 'id="costs"' in page and "Cost over time" in page
    assert not re.search(r'<td class="number">0.00</td><td>improve</td><td class="number">0.00</td>', page)
