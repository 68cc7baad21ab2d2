"""Where results go: plan files, streams, JSON, and what is said about them."""

import contextlib
import gzip
import json
import os
import pty
import signal
import stat
import subprocess
import sys
import threading

import numpy as np
import pddl
import pytest
from clocks import Clock
from puzzles import sliding_tiles
from test_inputs import ENDS_S, SING, run

from sing.base.budget import Budget, LimitReached
from sing.base.errors import InputError
from sing.base.files import write_bytes, write_text
from sing.cli.batch import short_names
from sing.samples.sampling import SamplingConfig, sample


@pytest.fixture
def folder(tmp_path):
    pddl.write(tmp_path, pddl.ERRANDS, pddl.ERRANDS_PROBLEM)
    (tmp_path / "unsolvable.pddl").write_text(pddl.UNSOLVABLE_PROBLEM)
    return tmp_path


FF = ("domain.pddl", "problem.pddl", "--config", "ff")
SOLVE = f"{SING[0]} solve {' '.join(FF)}"


def shell(command, folder):
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=False, timeout=ENDS_S
    )
    assert "Traceback" not in done.stderr
    return done


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_standard_output_is_added_to_and_never_replaced(folder, name):
    for option in ("--plan-file", "--plan-file plan --json"):
        done = shell(f"(echo before; {SOLVE} {option} {name} 2>/dev/null; echo after) > out", folder)
        assert done.returncode == 0
        before, *lines, after = (folder / "out").read_text().splitlines()
        assert (before, after) == ("before", "after")
        if "json" in option:
            assert json.loads(lines[0])["status"] == "solved"
        else:
            assert pddl.is_valid(folder / "domain.pddl", folder / "problem.pddl", "\n".join(lines))


def test_output_that_is_closed_is_noticed_before_the_search(folder):
    done = shell(f"{SOLVE} --plan-file - >&-", folder)
    assert done.returncode == 36
    assert done.stderr == "sing: error: cannot write the plan file '-': standard output is closed\n"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_do_not_matter_where_they_are_not_needed(folder, closed):
    """Else the pipes to the translator get their numbers."""
    assert shell(f"{SOLVE} {closed}", folder).returncode == 0
    assert pddl.is_valid(folder / "domain.pddl", folder / "problem.pddl", (folder / "sas_plan").read_text())


def test_errors_that_nobody_can_be_told_have_their_exit_code(folder):
    assert shell(f"{SING[0]} solve domain.pddl absent.pddl 2> /dev/full", folder).returncode == 36


def test_folders_that_hold_no_files_are_noticed_before_the_search(folder):
    done = run("solve", "domain.pddl", "problem.pddl", "--plan-file", "/proc/plan", cwd=folder)
    assert done.returncode == 36 and "cannot write the plan file '/proc/plan'" in done.stderr
    assert "translate" not in done.stdout


def test_modes_are_kept_and_read_only_files_are_left_alone(folder):
    plan = folder / "sas_plan"
    plan.write_text("an older plan\n")
    plan.chmod(0o640)
    assert run("solve", *FF, cwd=folder).returncode == 0
    assert stat.S_IMODE(plan.stat().st_mode) == 0o640 and plan.read_text().startswith("(")
    plan.chmod(0o400)
    with pytest.raises(InputError, match="no permission to write to it"):
        write_text(plan, "new", "plan file")


def test_a_named_pipe_gets_the_plan_or_ends_with_the_limit(folder):
    os.mkfifo(folder / "pipe")
    done = run("solve", *FF, "--plan-file", "pipe", "--time-limit", "0.5", cwd=folder)
    assert done.returncode in (23, 36) and ("nobody reads it" in done.stderr) == (done.returncode == 36)
    read = []
    reader = threading.Thread(target=lambda: read.append((folder / "pipe").read_text()))
    reader.start()
    assert run("solve", *FF, "--plan-file", "pipe", cwd=folder).returncode == 0
    reader.join()
    assert pddl.is_valid(folder / "domain.pddl", folder / "problem.pddl", read[0])


def test_waiting_for_the_reader_of_a_pipe_ends_with_an_interruption(folder):
    os.mkfifo(folder / "pipe")
    budget = Budget()
    budget.interrupt()
    with pytest.raises(InputError, match="nobody reads it"):
        write_text(folder / "pipe", "text", "plan file", budget)


def test_translation_needs_no_room_for_files(folder):
    (folder / "tmp").mkdir()
    done = shell(f"ulimit -f 0; TMPDIR=/nonexistent {SOLVE} --plan-file - --quiet | cat", folder)
    assert pddl.is_valid(folder / "domain.pddl", folder / "problem.pddl", done.stdout), done.stderr
    done = shell(f"ulimit -f 0; {SOLVE}", folder)
    assert done.returncode == 36 and "cannot write the plan file 'sas_plan': file too large" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (["domain.pddl", "absent.pddl"], 36, "no such file"),
        (["domain.pddl", "domain.pddl"], 31, "'domain.pddl', line 1, column 9: expected '(problem NAME)'"),
        (["domain.pddl", "problem.pddl", "--config", "none"], 36, "there is no configuration 'none'"),
        (["absent.pddl", "problem.pddl", "unsolvable.pddl"], 36, "no such file"),
    ],
)
def test_json_tells_of_errors(folder, arguments, code, error):
    done = run("solve", *arguments, "--json", "-", cwd=folder)
    assert done.returncode == code
    result = json.loads(done.stdout)
    assert (result["status"], result["exit_code"]) == ("error", code) and error in result["error"]
    assert result["files"] == [name for name in arguments if name.endswith(".pddl")]
    assert done.stderr.splitlines()[-1] == f"sing: error: {result['error']}"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["domain.pddl", "problem.pddl", "--json", "-", "--frob"], "there is no option '--frob'"),
        (["domain.pddl", "problem.pddl", "--jobs", "many", "--json=-"], "'many' is not a whole number"),
        (["domain.pddl", "problem.pddl", "--time-limit", "soon", "--json", "-"], "'soon' is not a time limit"),
        (["domain.pddl", "problem.pddl", "--json", "-", "--seed"], "requires an argument"),
        (["--json", "-"], "Missing argument"),
    ],
)
def test_json_tells_of_errors_of_the_command_line_itself(folder, words, message):
    done = run("solve", *words, cwd=folder)
    result = json.loads(done.stdout)
    assert (result["status"], result["exit_code"], result["files"]) == ("error", done.returncode, [])
    assert message in result["error"] and done.stderr == f"sing: error: {result['error']}\n"


def test_what_stands_behind_two_dashes_is_no_option(folder):
    done = run("solve", "--frob", "--", "--json", "here", cwd=folder)
    assert done.returncode == 36 and not (folder / "here").exists()


def test_several_runs_have_a_json_line_each(folder):
    (folder / "again.pddl").write_text((folder / "problem.pddl").read_text())
    files = ("domain.pddl", "problem.pddl", "again.pddl")
    for command in (["solve", *files, "--config", "ff"], ["compare", "ff", *files, "--alone"]):
        done = run(*command, "--json", "-", cwd=folder)
        assert [json.loads(line)["status"] for line in done.stdout.splitlines()] == ["solved"] * 2
        assert run(*command, "--json", "lines", cwd=folder).returncode == 0
        assert [json.loads(line)["status"] for line in (folder / "lines").read_text().splitlines()] == ["solved"] * 2


def test_plans_of_earlier_runs_are_not_taken_for_new_ones(folder):
    (folder / "sas_plan").write_text("an older plan\n")
    done = run("solve", "domain.pddl", "unsolvable.pddl", cwd=folder)
    assert "no plan exists: the search was exhausted; sas_plan is of an earlier run (" in done.stdout
    (folder / "sas_plan.2").write_text("an older plan\n")
    done = run("solve", "domain.pddl", "unsolvable.pddl", "--anytime", cwd=folder)
    assert "the search was exhausted; sas_plan.2 is of an earlier run (" in done.stdout
    done = run("solve", "domain.pddl", "unsolvable.pddl", "--plan-file", "new", cwd=folder)
    assert "earlier" not in done.stdout
    done = run("solve", "domain.pddl", "absent.pddl", cwd=folder)
    assert done.stderr.endswith("no such file or directory; sas_plan is of an earlier run\n")
    done = run("solve", "domain.pddl", "absent.pddl", "--anytime", cwd=folder)
    assert done.stderr.endswith("no such file or directory; sas_plan.2 is of an earlier run\n")
    assert "earlier" not in run("solve", "domain.pddl", "absent.pddl", "--plan-file", "new", cwd=folder).stderr
    (folder / "sas_plan.absent").write_text("an older plan\n")
    done = run("solve", "domain.pddl", "unsolvable.pddl", "absent.pddl", cwd=folder)
    assert "no such file or directory; sas_plan.absent is of an earlier run" in done.stdout


def test_the_last_line_says_where_the_time_went(folder):
    os.mkfifo(folder / "pipe")
    done = run("solve", "pipe", "problem.pddl", "--time-limit", "0.1", "--json", "r.json", cwd=folder)
    assert "no plan found within the time limit while translating (" in done.stdout.splitlines()[-1]
    assert json.loads((folder / "r.json").read_text())["ended_while"] == "translating"


def test_lines_of_several_problems_have_costs_and_names_that_differ(folder):
    (folder / "deep").mkdir()
    problems = [folder / "deep" / "p1.pddl", folder / "deep" / "p2.pddl.gz"]
    problems[0].write_text(pddl.ERRANDS_PROBLEM)
    problems[1].write_bytes(gzip.compress(pddl.ERRANDS_PROBLEM.encode()))
    with (folder / "domain.pddl").open() as domain:
        done = run("solve", "-", *problems, "--config", "ff", cwd=folder, stdin=domain)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[1].startswith("p1.pddl: solved, ") and " cost " in lines[1] and lines[2].startswith("p2.pddl.gz: ")
    assert str(folder) not in done.stdout
    assert (folder / "sas_plan.p1").exists() and (folder / "sas_plan.p2").exists()
    assert short_names(["a/x.pddl", "b/x.pddl", "-"])["b/x.pddl"] == "b/x.pddl"


def test_several_problems_have_a_live_line(folder):
    ours, theirs = pty.openpty()
    command = [*SING, "solve", "domain.pddl", "problem.pddl", "unsolvable.pddl", "--config", "goalcount"]
    process = subprocess.Popen(command, cwd=folder, stdout=theirs, stderr=theirs, env={**os.environ, "TERM": "xterm"})
    os.close(theirs)
    seen = b""
    with contextlib.suppress(OSError):  # how a terminal ends
        while chunk := os.read(ours, 4096):
            seen += chunk
    os.close(ours)
    assert process.wait(ENDS_S) == 11
    assert b"0 of 2 done, 0 solved; problem.pddl: translate" in seen and b"1 of 2 done, 1 solved; unsolv" in seen


def test_several_problems_check_their_plan_files_first(folder):
    (folder / "sas_plan.unsolvable").mkdir()
    done = run("solve", "domain.pddl", "problem.pddl", "unsolvable.pddl", cwd=folder)
    assert done.returncode == 36 and "'sas_plan.unsolvable': it is a directory" in done.stderr
    assert not (folder / "sas_plan.problem").exists()


def test_samples_that_take_too_long_to_write_are_not_written(tmp_path, monkeypatch):
    """A clock that goes on by a second whenever it is looked at: after every four bytes of states."""
    monkeypatch.setattr("sing.samples.samples._BLOCK_BYTES", 4)
    samples = sample(sliding_tiles(2), SamplingConfig("ei", nsearches=5, nsamples=10))
    with pytest.raises(LimitReached):
        samples.save(tmp_path / "samples.npz", Budget(5, clock=Clock(tick_s=1)))
    assert names_in(tmp_path) == []
    samples.save(tmp_path / "samples.npz", Budget(500, clock=Clock(tick_s=1)))
    np.testing.assert_array_equal(np.load(tmp_path / "samples.npz")["states"], samples.states)


def names_in(folder):
    return [path.name for path in folder.iterdir()]


def test_a_file_that_is_being_written_has_no_name_yet(tmp_path):
    """So that nothing stays behind, however the process ends."""
    names = []
    for _ in range(2):
        write_bytes(tmp_path / "file", lambda file: names.append(names_in(tmp_path)), "file")
    assert names == [[], ["file"]] and names_in(tmp_path) == ["file"]


def test_where_all_files_have_names_a_temporary_one_is_removed(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "O_TMPFILE")
    names = []

    def write(file):
        file.write(b"half")
        names.extend(names_in(tmp_path))
        if len(names) > 1:
            raise OSError(28, "no space left")

    write_bytes(tmp_path / "file", write, "file")
    assert names[0].startswith(".sing-") and names_in(tmp_path) == ["file"]
    with pytest.raises(InputError, match="no space left"):
        write_bytes(tmp_path / "file", write, "file")
    assert names_in(tmp_path) == ["file"] and (tmp_path / "file").read_bytes() == b"half"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_while_python_imports_shows_nothing(tmp_path, number, code):
    """Click is the first large import: one that tells us, waits and passes over all exceptions stands in its place."""
    (tmp_path / "click.py").write_text(
        "import sys\nprint('importing', flush=True)\ntry: sys.stdin.read()\nexcept BaseException: sys.exit('lost')\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "sing", "solve", "d", "p"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    assert process.stdout.readline() == "importing\n"
    process.send_signal(number)
    out, error = process.communicate(timeout=ENDS_S)
    assert (process.returncode, out, error) == (code, "", "")


def test_importing_sing_imports_nothing_heavy():
    code = "import sys, sing; print('numpy' in sys.modules); sing.solve; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
    code = "import sys\nfrom sing.__main__ import main\nsys.argv = ['sing', '--version']\ntry: main()\n"
    # Until it is used, a module without parts stands in NumPy's place.
    code += "finally: print(any(name.startswith('numpy.') for name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split()[-1] == "False"


def test_a_plain_solve_imports_only_what_it_needs(folder):
    program = (
        "import sys; from sing.__main__ import main; sys.argv = ['sing', 'solve', 'domain.pddl', 'problem.pddl']\n"
        "try: main()\nfinally: print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=folder)
    imported = set(done.stdout.splitlines()[-1].split())
    assert "plan found" in done.stdout and "sing.planners.chorus" in imported
    others = {
        "sing.planners.catalog", "sing.planners.anytime", "sing.tensors", "sing.report.record", "sing.cli.batch",
        "sing.cli.log", "sing.base.processes", "sing.translate.fd_translator",
        "rich", "onnx", "torch", "numpy.core", "numpy._core", "concurrent.futures", "importlib.metadata", "subprocess",
        "gzip", "lzma", "zipfile", "logging", "html",
    }  # fmt: skip
    assert not imported & others


def test_the_time_of_a_run_begins_before_anything_heavy_is_imported(folder):
    """The clock of the system goes on by 100 s when the first thing that takes long is imported."""
    program = """
import builtins, sys, time
now, real = time.monotonic, builtins.__import__
def slow(name, *others, **options):
    if name == "sing.base.budget":
        time.monotonic = lambda: now() + 100
    return real(name, *others, **options)
builtins.__import__ = slow
from sing.__main__ import main
main()
"""
    for limit, code in (("50", 23), ("500", 0)):
        command = [sys.executable, "-c", program, "solve", *FF, "--time-limit", limit]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=ENDS_S)
        assert done.returncode == code, done.stderr
