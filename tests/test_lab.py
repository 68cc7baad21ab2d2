"""Experiments on Downward Lab: whole ones, interrupted ones, and those that cannot begin."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pddl
import pytest

pytest.importorskip("lab")

from lab_runs import clear_unfinished, outcome_of, run_dirs

import sing
from sing.translate import generators

FOLDER = Path(__file__).parent.parent / "experiments"
PLANNERS = ("goalcount", "sing --nsearches 20 --max-epochs 2", "fd-ff")


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    """Two small domains, in the layout of the public benchmarks."""
    folder = tmp_path_factory.mktemp("suite")
    pddl.write(folder / "errands", pddl.ERRANDS, pddl.ERRANDS_PROBLEM)
    family = generators.blocks(4, count=2, seed=1)
    for number, problem in enumerate(family.problems):
        path = pddl.write(folder / "blocks", family.domain, problem)[1]
        Path(path).rename(folder / "blocks" / f"p{number}.pddl")
    return folder


@pytest.fixture(scope="module")
def hard_suite(tmp_path_factory):
    """A task that blind search does not end on."""
    folder = tmp_path_factory.mktemp("hard")
    family = generators.npuzzle(5, 5, seed=1)
    pddl.write(folder / "npuzzle", family.domain, family.problems[0])
    return folder


def command(output, suite, *options, script="ipc.py", steps=("--all",)):
    folders = ["--output", str(output), *(["--benchmarks", str(suite)] if suite else [])]
    return [sys.executable, str(FOLDER / script), *folders, *options, *steps]


def run(*arguments, **options):
    environment = {name: value for name, value in os.environ.items() if name != "DOWNWARD_BENCHMARKS"}
    environment |= options.pop("env", {})
    done = command(*arguments, **options)
    return subprocess.run(done, capture_output=True, text=True, check=False, env=environment)


def planners(*names):
    return [f"--planner={name}" for name in names]


@pytest.fixture(scope="module")
def finished(suite, tmp_path_factory):
    output = tmp_path_factory.mktemp("ipc") / "out"
    options = [*planners(*PLANNERS), "--seeds=2", "--jobs=2", "--time-limit=10m", "--memory-limit=1G"]
    done = run(output, suite, *options)
    assert done.returncode == 0, done.stderr
    return output, options, done.stdout


def results(output):
    """The raw JSON of all runs, with what Lab knows of them."""
    return [
        (json.loads((folder / "static-properties").read_text()), json.loads((folder / "result.json").read_text()))
        for folder in run_dirs(output)
    ]


def rows_of(table):
    """The cells of an HTML table, as text."""
    rows = re.findall(r"<tr.*?</tr>", table, re.DOTALL | re.IGNORECASE)
    cells = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL | re.IGNORECASE) for row in rows]
    return [[re.sub(r"<[^>]+>", "", cell).strip() for cell in row] for row in cells]


def test_the_tables_equal_a_recount_from_the_raw_json(finished, suite):
    output, _, told = finished
    raw = results(output)
    assert len(raw) == 3 * (2 + 2 + 1)
    assert f"{len(raw)} of {len(raw)} runs done, {len(raw)} solved, 0 failed" in told
    page = Path(f"{output}-eval", "index.html").read_text()
    head, *rows = rows_of(re.search(r'<table id="coverage">.*?</table>', page, re.DOTALL)[0])
    assert head == ["domain", "tasks", *PLANNERS, "paper:fd-ff"]
    for domain, tasks, *cells in rows[:2]:
        assert int(tasks) == len(list((suite / domain).glob("*.pddl"))) - 1
        for planner, cell in zip(PLANNERS, cells, strict=False):
            of_it = [
                result["status"] == "solved"
                for run, result in raw
                if (run["planner"], run["domain"]) == (planner, domain)
            ]
            assert float(cell) == sum(of_it) / (len(of_it) / int(tasks))
    assert [row[-1] for row in rows[:4]] == ["35", "", "35", ""] and rows[4][4] == "70%"  # 933 of 1,328
    # Lab's own table of the same.
    lab = Path(f"{output}-eval", "lab.html").read_text()
    algorithms = list(dict.fromkeys(run["algorithm"] for run, _ in raw))
    table = next(rows_of(part) for part in lab.split("<table") if rows_of(part)[:1] == [["coverage", *algorithms]])
    for domain, *cells in table[1:3]:
        solved = [
            sum(
                result["status"] == "solved"
                for run, result in raw
                if (run["algorithm"], run["domain"]) == (name, name_)
            )
            for name, name_ in ((algorithm, domain.split(" ")[0]) for algorithm in algorithms)
        ]
        assert list(map(int, cells)) == solved


def test_the_json_becomes_properties(finished):
    output, _, _ = finished
    properties = json.loads(Path(f"{output}-eval", "properties").read_text())
    for run, result in results(output):
        found = properties["-".join(run["id"])]
        assert found["coverage"] == 1 and found["error"] == "success"
        assert found["plan_length"] == result["plan_length"] and found["expansions"] == result["expanded"]
        assert found["total_time"] == result["times_s"]["total"]
        assert not found.get("unexplained_errors")
        assert ("learning_time" in found) == (not run["planner"].startswith("fd-"))


def test_plans_are_valid(finished, suite):
    output, _, _ = finished
    plans = [(folder, folder / "sas_plan") for folder in run_dirs(output) if (folder / "sas_plan").exists()]
    assert len(plans) == 3 * (2 + 2)
    for folder, plan in plans:
        run = json.loads((folder / "static-properties").read_text())
        domain = suite / run["domain"]
        assert pddl.is_valid(domain / "domain.pddl", domain / run["problem"], plan.read_text())


def test_a_second_call_runs_nothing_again(finished, suite):
    output, options, _ = finished
    before = {folder: (folder / "result.json").stat().st_mtime_ns for folder in run_dirs(output)}
    assert run(output, suite, *options).returncode == 0
    assert before == {folder: (folder / "result.json").stat().st_mtime_ns for folder in run_dirs(output)}


def test_other_settings_need_another_folder(finished, suite):
    output, options, _ = finished
    done = run(output, suite, *options, "--time-limit=30s")
    assert done.returncode == 1 and "built with another time limit" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_ablation_has_the_papers_fifteen_and_its_totals(suite, tmp_path):
    done = run(tmp_path / "out", suite, "--suite=errands", "--jobs=2", script="ablation.py")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "out-eval" / "index.html").read_text()
    head, *rows = rows_of(re.search(r'<table id="coverage">.*?</table>', page, re.DOTALL)[0])
    assert head == ["domain", "tasks", *(f"ablation-{number}" for number in range(1, 16))]
    assert rows[-1][0] == "paper's share of all its tasks" and rows[-1][2 + 11] == "49%"  # 651 of 1,328


def until(condition, process):
    """What a condition says when it holds, which is to be while the process runs."""
    while not (found := condition()):
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.05)
        assert process.poll() is None
    return found


def processes_in(folder):
    """The processes that work in a folder or below it."""
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            where = (path / "cwd").resolve()
            text = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if text and where.is_relative_to(folder):
            found[int(path.name)] = text
    return found


def planner_in(folder):
    return next((pid for pid, text in processes_in(folder).items() if "-m sing solve" in text), None)


@pytest.fixture
def started(hard_suite, tmp_path):
    """An experiment whose one run is under way."""
    output = tmp_path / "out"
    options = [*planners("blind"), "--time-limit=60s", "--memory-limit=2G"]
    with subprocess.Popen(
        command(output, hard_suite, *options), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as child:
        until(lambda: planner_in(output), child)
        yield child, output, options
        child.kill()
        child.wait()
        for pid in processes_in(output):
            os.kill(pid, signal.SIGKILL)


def test_a_run_killed_from_outside_is_listed_with_the_reason(started):
    child, output, _ = started
    os.kill(planner_in(output), signal.SIGKILL)
    told, _ = child.communicate()
    assert child.returncode == 0 and "1 of 1 runs done, 0 solved, 1 failed" in told
    page = Path(f"{output}-eval", "index.html").read_text()
    _, row = rows_of(re.search(r'<table id="failed">.*?</table>', page, re.DOTALL)[0])
    assert row[:3] == ["blind", "npuzzle/problem.pddl", "killed from outside by SIGKILL"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_interrupted_experiment_leaves_nothing_running_and_goes_on(started, hard_suite, number):
    child, output, options = started
    child.send_signal(number)
    told, _ = child.communicate()
    assert child.returncode == 1 and "interrupted; call it again to go on" in told and "Traceback" not in told
    assert not processes_in(output)
    (folder,) = run_dirs(output)
    assert outcome_of(folder).is_started and not outcome_of(folder).has_ended
    with subprocess.Popen(command(output, hard_suite, *options), stdout=subprocess.DEVNULL) as again:
        os.kill(until(lambda: planner_in(output), again), signal.SIGKILL)
        assert again.wait() == 0
    assert outcome_of(folder).has_ended


def test_a_second_runner_is_refused(started, hard_suite):
    child, output, options = started
    again = run(output, hard_suite, *options)
    assert again.returncode == 1 and f"is being run by process {child.pid}" in again.stderr
    assert planner_in(output) and child.poll() is None


def test_what_a_killed_runner_left_is_ended(started, hard_suite):
    child, output, options = started
    orphan = planner_in(output)
    child.kill()
    child.wait()
    assert orphan in processes_in(output)
    with subprocess.Popen(command(output, hard_suite, *options), stdout=subprocess.DEVNULL) as again:
        until(lambda: planner_in(output) not in (None, orphan), again)
        assert orphan not in processes_in(output)
        again.terminate()
        again.wait()


def test_watching_ends_when_nobody_runs_it(started, hard_suite):
    child, output, options = started
    watcher = command(output, hard_suite, *options, steps=("watch",))
    with subprocess.Popen(watcher, stdout=subprocess.PIPE, text=True) as watching:
        assert any("0 of 1 runs done" in line for line in watching.stdout)
        child.terminate()
        assert "nobody is running the others" in watching.communicate()[0]


def test_a_model_is_found_from_every_folder(suite, tmp_path):
    files = [suite / "blocks" / name for name in ("domain.pddl", "p0.pddl")]
    sing.learn(*files, config=sing.CONFIGS["sing"].override(nsearches=20, max_epochs=2)).model.save(tmp_path / "m.onnx")
    done = subprocess.run(
        command("out", suite, "--suite=blocks", *planners("sing --model=m.onnx")), cwd=tmp_path, check=True, text=True,
        capture_output=True,
    )  # fmt: skip
    assert "2 of 2 runs done, 2 solved" in done.stdout


def test_what_a_crash_cut_off_is_run_again(finished, suite, tmp_path):
    output, options, _ = finished
    copy = tmp_path / "out"
    shutil.copytree(output, copy)
    first, second, *others = run_dirs(copy)
    (first / "driver.log").write_text("a line before the crash\n")
    (first / "result.json").write_text('{"status": "sol')
    for path in (second / "driver.log", second / "result.json"):  # never started
        path.unlink()
    assert not outcome_of(first).has_ended and not outcome_of(second).is_started
    before = [(folder / "result.json").stat().st_mtime_ns for folder in others]
    assert run(copy, suite, *options).returncode == 0
    assert outcome_of(first).is_solved and outcome_of(second).is_solved
    assert before == [(folder / "result.json").stat().st_mtime_ns for folder in others]


def test_a_build_that_was_cut_off_is_built_again(suite, tmp_path):
    half = tmp_path / "out" / "runs-00001-00100" / "00001"
    half.mkdir(parents=True)
    (half / "run").write_text("half a scr")
    (tmp_path / "out" / "static-experiment-properties").write_text("{}")
    assert run(tmp_path / "out", suite, *planners("goalcount")).returncode == 0
    assert len(run_dirs(tmp_path / "out")) == 3


def test_clearing_touches_only_what_was_cut_off(tmp_path):
    for name, log in {"1": "planner exit code: 0\n", "2": "cut off\n"}.items():
        folder = tmp_path / "runs-00001-00100" / name
        folder.mkdir(parents=True)
        (folder / "driver.log").write_text(log)
        (folder / "run").touch()
    assert clear_unfinished(tmp_path) == 1
    assert [sorted(path.name for path in folder.iterdir()) for folder in run_dirs(tmp_path)] == [
        ["driver.log", "run"],
        ["run"],
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (planners("nobody"), "there is no configuration 'nobody'"),
        (planners("sing --hidden wide"), "'sing --hidden wide' is no planner of ours"),
        (planners("fd-nobody"), "fd-nobody"),
        (planners(""), "there is no configuration ''"),
        (planners("sing --help"), "is no planner of ours"),
        (planners("sing --seed 5"), "the experiment itself sets --seed"),
        (planners("chorus --time-limit 1"), "the experiment itself sets --time-limit"),
        (planners("sing other.pddl"), "names files"),
        (planners("blind", "blind"), "named twice"),
        (["--suite=nowhere"], "there is no suite 'nowhere'"),
        (["--time-limit=soon"], "not a time limit"),
        (["--jobs=0"], "--jobs is 0"),
        (["--seeds=0"], "--seeds is 0"),
    ],
)
def test_mistakes_have_a_clear_message(suite, tmp_path, options, message):
    done = run(tmp_path / "out", suite, *options)
    assert done.returncode == 1 and message in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_benchmarks_must_be_there(tmp_path):
    done = run(tmp_path / "out", None)
    assert done.returncode == 1 and "Set DOWNWARD_BENCHMARKS" in done.stderr
    for folder, message in (("nowhere", "no folder of benchmarks"), (".", "no PDDL problems")):
        done = run(tmp_path / "out", None, env={"DOWNWARD_BENCHMARKS": str(tmp_path / folder)})
        assert done.returncode == 1 and message in done.stderr and "Traceback" not in done.stderr


def test_steps_need_what_comes_before(suite, tmp_path):
    for step in ("start", "watch", "parse"):
        done = run(tmp_path / "out", suite, *planners("goalcount"), steps=(step,))
        assert done.returncode == 1 and "is not built yet" in done.stderr


def test_a_folder_of_somebody_else_is_left_alone(suite, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").touch()
    done = run(tmp_path / "out", suite, *planners("goalcount"))
    assert done.returncode == 1 and "no experiment of ours" in done.stderr
    assert (tmp_path / "out" / "thesis.tex").exists()


def test_fast_downward_must_be_installed(suite, tmp_path):
    hide = tmp_path / "up_fast_downward.py"  # found before the wheel
    hide.touch()
    done = run(tmp_path / "out", suite, *planners("fd-ff"), env={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 1 and "holds no search binary" in done.stderr and "Traceback" not in done.stderr


@pytest.fixture
def fake_slurm(tmp_path):
    """Commands that take jobs, or refuse them where SBATCH_FAILS is set, and never run any."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = '#!/bin/bash\n[ -z "$SBATCH_FAILS" ] || { echo "no such account" >&2; exit 1; }\n'
    (folder / "sbatch").write_text(script + "echo Submitted batch job 7\n")
    (folder / "squeue").write_text("#!/bin/bash\ncat squeue 2> /dev/null\n")
    for path in folder.iterdir():
        path.chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


def test_jobs_have_the_limits_and_options_they_need(suite, tmp_path, fake_slurm):
    options = [*planners("sing --nsearches 5"), "--environment=slurm", "--memory-limit=1G", "--time-limit=5m"]
    done = run(tmp_path / "build", suite, *options, "--sbatch=--account=x", env=fake_slurm)
    assert done.returncode == 0, done.stderr
    jobs = {path.name.split("-")[-1]: path.read_text() for path in (tmp_path / "build-grid-steps").glob("build-*")}
    assert set(jobs) == {"build", "start", "parse", "fetch", "report"}
    assert "--time=6\n" in jobs["start"] and "--mem-per-cpu=1383M" in jobs["start"]  # 5 minutes and a grace; 1.1 times
    assert "--time=0\n" in jobs["report"] and "--mem-per-cpu=4G" in jobs["report"]
    for job in jobs.values():
        assert "None" not in job and "#SBATCH --account=x" in job
    last = jobs["report"].strip().splitlines()[-1]
    assert last.endswith(" report") and f"--output={tmp_path / 'build'}" in last
    assert "'--planner=sing --nsearches 5'" in last and "--time-limit=5m" in last


def test_what_slurm_refused_can_be_submitted_again(suite, tmp_path, fake_slurm):
    options = [*planners("goalcount"), "--environment=slurm"]
    done = run(tmp_path / "out", suite, *options, env=fake_slurm | {"SBATCH_FAILS": "1"})
    assert done.returncode == 1 and "no such account" in done.stderr and "nothing could be submitted" in done.stderr
    assert run(tmp_path / "out", suite, *options, env=fake_slurm).returncode == 0


def test_without_slurm_it_says_so(suite, tmp_path):
    done = run(tmp_path / "out", suite, *planners("goalcount"), "--environment=slurm", env={"PATH": str(tmp_path)})
    assert done.returncode == 1 and "sbatch is not found" in done.stderr


def test_a_full_disk_loses_no_result(suite, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    script = f'mount -t tmpfs -o size=4m none "{disk}" && head -c 3932k /dev/zero > "{disk}/ballast" && "$@"'
    probe = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh"]
    if subprocess.run([*probe, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no file system of our own to fill")
    options = [*planners("goalcount", "blind", "novelty"), "--time-limit=10m"]
    call = " ".join(map(shlex.quote, command(disk / "out", suite, *options)))
    count = f"ls {disk}/out/runs-*/*/result.json | wc -l"
    shell = f"{call} 2>&1; echo; {count}; rm {disk}/ballast; {call} 2>&1; echo exit code $?; {count}"
    done = subprocess.run([*probe, "sh", "-c", shell], capture_output=True, text=True, check=False)
    first, *second = done.stdout.partition("\n\n")[::2]
    assert "no space left on device" in first.lower() and "Traceback" not in first
    assert re.search(r"9 of 9 runs done, 9 solved, 0 failed", second[0]) and "exit code 0\n9\n" in second[0]


@pytest.mark.skipif(not shutil.which("slurmctld", path=f"{os.environ['PATH']}:/usr/sbin"), reason="Slurm is not here")
def test_a_cluster_gives_the_same_page(suite, tmp_path):
    """By the command that docs/experiments.md shows."""
    page = (FOLDER.parent / "docs" / "experiments.md").read_text()
    shown = re.search(r"^\$ (experiments/one_node_slurm.sh (?:.*\\\n)*.*)$", page, re.MULTILINE)[1]
    (tmp_path / "experiments").symlink_to(FOLDER)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "DOWNWARD_BENCHMARKS": str(suite)}
    done = subprocess.run(shown, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    output = tmp_path / "build" / "ipc"
    assert [result["status"] for _, result in results(output)] == ["solved"] * 4
    page = (tmp_path / "build" / "ipc-eval" / "index.html").read_text()
    _, *rows = rows_of(re.search(r'<table id="coverage">.*?</table>', page, re.DOTALL)[0])
    assert [row[:4] for row in rows[:2]] == [["blocks", "2", "2", "2"], ["all", "2", "2", "2"]]
    assert "No run failed" in page
    options = ["--suite=blocks", *planners("goalcount", "fd-ff"), "--memory-limit=1G", "--environment=slurm"]
    again = run(output, suite, *options, "--partition=all")
    assert again.returncode == 1 and "was submitted before" in again.stderr
