"""Whether every limit holds: time and memory of runs on inputs that attack them, and on large tasks of the IPC.

    python experiments/limits.py --output build/limits [--inputs DIR] [--benchmarks DIR]

Runs `sing` on the inputs of hostile.py, on those in DIR (TASK.sas, or NAME-domain.pddl with NAME-problem.pddl), and on
the largest task of each domain, at several time limits and several memory limits. A run is over its limit where it ends
more than half a second late or where its own peak memory, the translator's apart, is above the limit. What it waits for
a core after the limit does not make it late: others may use the machine. Results are appended to results.jsonl as they
come, and a second call goes on where the first stopped; table.md has the table.
"""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import click
from common import experiment, render, work_through
from hostile import write_inputs
from records import Records, Row, describe_machines
from suites import domain_of, find_tasks, name_of

from sing.base.budget import parse_memory_bytes

TIMES_S = (1.0, 3.0, 10.0)
MEMORIES = ("150M", "200M", "500M")
# Each kind of limit is tried alone: the other is one that is not reached.
MUCH_TIME_S, MUCH_MEMORY = 3.0, "6G"
GRACE_S = 0.5
# A run that does not end by then is killed, and its time is that.
_PATIENCE_S = 60.0
_POLL_S = 0.005
# What is run on every input, and what else on those that are hostile.
SOLVE = ("solve",)
OTHERS = (
    ("solve", "--config", "ff"),
    ("solve", "--config", "c4"),
    ("solve", "--jobs", "2"),
    ("sample",),
    ("learn",),
    ("learn", "--shared"),
    ("learn", "--config", "chorus"),
)
VALIDATE = ("validate",)
# Steps of the plans that are validated: all operators of the task, again and again.
_PLAN_STEPS = 100_000
# The option that names what a command writes.
_OUTPUTS = {"solve": "--plan-file", "learn": "--output", "sample": "--output"}


@dataclass(frozen=True)
class Run:
    name: str
    files: tuple[str, ...]
    command: tuple[str, ...]
    time_s: float
    memory: str

    @property
    def key(self) -> tuple[str, str, float, str]:
        return self.name, " ".join(self.command), self.time_s, self.memory

    def arguments(self, folder: Path) -> list[str]:
        limits = ["--time-limit", str(self.time_s), "--memory-limit", self.memory]
        option = _OUTPUTS.get(self.command[0])
        return [*self.command, *self.files, *limits, *([option, str(folder / "written")] if option else [])]


def measure(run: Run, folder: Path) -> Row:
    """Run it once: how it ended, how late it was, and how much memory its own process had at most.

    Late is the time from the limit to its end without what it waited for a core.
    """
    start_s = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "sing", *run.arguments(folder)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    peak_kb, waited_in_time_s, waited_s = 0, 0.0, 0.0
    while process.poll() is None:
        elapsed_s = time.monotonic() - start_s
        peak_kb = max(peak_kb, _peak_kb(process.pid))
        waited_s = max(waited_s, _waited_s(process.pid))  # threads that end take theirs with them
        if elapsed_s < run.time_s:
            waited_in_time_s = waited_s
        if elapsed_s > run.time_s + _PATIENCE_S:
            process.kill()
        time.sleep(_POLL_S)
    name, command, time_s, memory = run.key
    elapsed_s = time.monotonic() - start_s
    return {
        "kind": "run",
        "input": name,
        "command": command,
        "time_limit_s": time_s,
        "memory_limit": memory,
        "exit_code": process.returncode,
        "time_s": round(elapsed_s, 3),
        "late_s": round(elapsed_s - time_s - (waited_s - waited_in_time_s), 3),
        "peak_kb": peak_kb,
    }


def _peak_kb(process_id: int) -> int:
    try:
        match = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process_id}/status").read_text())
    except OSError:
        return 0
    return int(match[1]) if match else 0


def _waited_s(process_id: int) -> float:
    """How long a thread of the process was ready to run and had no core, at most; 0 where it has ended."""
    try:
        waits = [int(file.read_text().split()[1]) for file in Path(f"/proc/{process_id}/task").glob("*/schedstat")]
    except (OSError, IndexError):
        return 0.0
    return max(waits, default=0) / 1e9


def is_late(row: Row) -> bool:
    return bool(row["late_s"] > GRACE_S)


def is_over_memory(row: Row) -> bool:
    return bool(row["peak_kb"] << 10 > parse_memory_bytes(row["memory_limit"]))


def planned(inputs: dict[str, tuple[str, ...]], commands: list[tuple[str, ...]]) -> list[Run]:
    limits = [(time_s, MUCH_MEMORY) for time_s in TIMES_S] + [(MUCH_TIME_S, memory) for memory in MEMORIES]
    return [
        Run(name, files, command, time_s, memory)
        for name, files in inputs.items()
        for command in commands
        for time_s, memory in limits
    ]


def hostile_inputs(folder: Path) -> dict[str, tuple[str, ...]]:
    found = {file.name: (str(file),) for file in sorted(folder.glob("*.sas"))}
    for domain in sorted(folder.glob("*-domain.pddl")):
        name = domain.name.removesuffix("-domain.pddl")
        found[name] = (str(domain), str(folder / f"{name}-problem.pddl"))
    for model in sorted(folder.glob("*.onnx")):
        found[model.name] = (str(folder / "model-task.sas"), "--model", str(model))
    return found


def plans(tasks: dict[str, tuple[str, ...]], folder: Path) -> dict[str, tuple[str, ...]]:
    """Each SAS file with a long plan of its operators, which is written beside the results."""
    found = {}
    for name, files in tasks.items():
        if name.endswith(".sas"):
            names = re.findall("^begin_operator\n(.*)", Path(files[0]).read_text(), re.MULTILINE)
            steps = itertools.islice(itertools.cycle(names), _PLAN_STEPS)
            plan = folder / f"{name}.plan"
            plan.write_text("".join(f"({step})\n" for step in steps))
            found[name] = (files[0], str(plan))
    return found


def largest_tasks(benchmarks: Path) -> dict[str, tuple[str, ...]]:
    """The problem of each domain with the largest file."""
    largest: dict[str, Path] = {}
    for _, problem in find_tasks(benchmarks):
        before = largest.get(problem.parent.name)
        if before is None or problem.stat().st_size >= before.stat().st_size:
            largest[problem.parent.name] = problem
    return {name_of(problem): (str(domain_of(problem)), str(problem)) for problem in largest.values()}


def table(records: Records) -> str:
    rows = records.of("run")
    lines = [
        "| limit | runs | of these too late or above it | the latest, or the highest peak | of which input |",
        "|---|--:|--:|--:|---|",
    ]
    for time_s in TIMES_S:
        some = [row for row in rows if row["time_limit_s"] == time_s and row["memory_limit"] == MUCH_MEMORY]
        if some:
            worst = max(some, key=lambda row: row["late_s"])
            late = sum(map(is_late, some))
            name = f"{worst['input']}, `{worst['command']}`"
            lines.append(f"| {time_s:g} s | {len(some)} | {late} | {worst['late_s']:.2f} s late | {name} |")
    for memory in MEMORIES:
        some = [row for row in rows if row["memory_limit"] == memory]
        if some:
            worst = max(some, key=lambda row: row["peak_kb"])
            over = sum(map(is_over_memory, some))
            name = f"{worst['input']}, `{worst['command']}`"
            lines.append(f"| {memory} | {len(some)} | {over} | {worst['peak_kb'] >> 10:,} MiB | {name} |")
    lines.append("")
    for row in rows:
        is_broken = row["exit_code"] < 0 or row["exit_code"] == 32
        if is_late(row) or is_over_memory(row) or is_broken:
            limits = f"{row['time_limit_s']:g} s and {row['memory_limit']}"
            ended = f"exit code {row['exit_code']}, {row['late_s']:.2f} s late, {row['peak_kb'] >> 10:,} MiB"
            lines.append(f"- {row['input']}, `{row['command']}` at {limits}: {ended}")
    return "\n".join([*lines, "", describe_machines(records), ""])


@click.command()
@click.option("--output", type=click.Path(path_type=Path), required=True, metavar="DIR")
@click.option("--inputs", type=click.Path(path_type=Path, exists=True), metavar="DIR", help="More hostile inputs.")
@click.option("--benchmarks", type=click.Path(path_type=Path, exists=True), metavar="DIR", help="IPC domains.")
@click.option("--jobs", default=1, show_default=True, help="Runs side by side; each should have a core of its own.")
def main(output: Path, inputs: Path | None, benchmarks: Path | None, jobs: int) -> None:
    with experiment() as budget:
        records = Records(output / "results.jsonl")
        records.settle()
        write_inputs(output / "inputs")
        hostile = hostile_inputs(output / "inputs") | (hostile_inputs(inputs) if inputs else {})
        models = {name: files for name, files in hostile.items() if name.endswith(".onnx")}
        tasks = {name: files for name, files in hostile.items() if name not in models}
        runs = planned(models, [SOLVE]) + planned(tasks, [SOLVE, *OTHERS])
        runs += planned(plans(tasks, output / "inputs"), [VALIDATE])
        if benchmarks:
            runs += planned(largest_tasks(benchmarks), [SOLVE])
        known = records.keys("run", ("input", "command", "time_limit_s", "memory_limit"))

        def work(run: Run) -> str:
            row = measure(run, output)
            records.add(row)
            verdict = "late" if is_late(row) else "over its memory" if is_over_memory(row) else "fine"
            took = f"{row['time_s']:.2f} s, {row['late_s']:.2f} s late, {row['peak_kb'] >> 10:,} MiB"
            return f"{' '.join(map(str, run.key))}: {took}, {verdict}"

        work_through([run for run in runs if run.key not in known], work, jobs, budget)
        render(records, "run", output, table)


if __name__ == "__main__":
    main()
