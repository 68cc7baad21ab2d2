"""Whether every limit holds: time and memory of runs on inputs that attack them, and on large tasks of the IPC.

    python experiments/limits.py --output build/limits [--inputs DIR] [--benchmarks DIR]

Runs `sing` on the inputs of hostile.py, on those in DIR (TASK.sas, or NAME-domain.pddl with NAME-problem.pddl), and on
the largest task of each domain, at several time limits and several memory limits. A run is over its limit where it ends
more than half a second late or where its own peak memory, the translator's apart, is above the limit. What it waits for
a core does not make it late: others may use the machine. Results are
appended to results.jsonl as they come, and a second call goes on where the first stopped; table.md has the table.
"""

from __future__ import annotations

import os
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
OTHERS = (("solve", "--config", "ff"), ("solve", "--config", "c4"), ("learn", "--shared"), ("solve", "--jobs", "2"))


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
        option = "--output" if self.command[0] == "learn" else "--plan-file"
        output = str(folder / ("model.onnx" if self.command[0] == "learn" else "plan"))
        limits = ["--time-limit", str(self.time_s), "--memory-limit", self.memory]
        return [*self.command, *self.files, *limits, option, output]


def measure(run: Run, folder: Path) -> Row:
    """Run it once: how it ended, how late it was, and how much memory its own process had at most.

    The clock of a run starts with its first line of output. Late is what its process computed before that, and the time
    from the limit to its end without what it waited for a core.
    """
    start_s = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "sing", *run.arguments(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    os.set_blocking(process.stdout.fileno(), False)
    peak_kb, began_s, before_s, waited_in_time_s = 0, 0.0, 0.0, 0.0
    computed_s = waited_s = 0.0
    while process.poll() is None:
        elapsed_s = time.monotonic() - start_s
        peak_kb = max(peak_kb, _peak_kb(process.pid))
        computed_s, waited_s = _computed_and_waited_s(process.pid) or (computed_s, waited_s)
        if process.stdout.read() and not began_s:
            began_s, before_s = elapsed_s, computed_s
        if not began_s or elapsed_s < began_s + run.time_s:
            waited_in_time_s = waited_s
        if elapsed_s > run.time_s + _PATIENCE_S:
            process.kill()
        time.sleep(_POLL_S)
    process.stdout.close()
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
        "late_s": round(before_s + elapsed_s - began_s - time_s - (waited_s - waited_in_time_s), 3),
        "peak_kb": peak_kb,
    }


def _peak_kb(process_id: int) -> int:
    try:
        match = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process_id}/status").read_text())
    except OSError:
        return 0
    return int(match[1]) if match else 0


def _computed_and_waited_s(process_id: int) -> tuple[float, float] | None:
    """How long the main thread had a core, and how long a thread was ready to run and had none, at most."""
    try:
        computed = int(Path(f"/proc/{process_id}/schedstat").read_text().split()[0])
        waits = [int(file.read_text().split()[1]) for file in Path(f"/proc/{process_id}/task").glob("*/schedstat")]
    except (OSError, IndexError):  # it, or a thread of it, has ended
        return None
    return computed / 1e9, max(waits, default=0) / 1e9


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
        if is_late(row) or is_over_memory(row) or row["exit_code"] < 0 or row["exit_code"] in (1, 32):
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
