"""Expansions per second and bytes per state of the core, beside Fast Downward's in the same run.

    make bench                              # or: PYTHONPATH=experiments python benchmarks/search_speed.py --help

Each measurement runs one search for a fixed time on one core; ours and Fast Downward's take turns, so
that a change of the machine's mood hits both, and medians are reported. A search that finds a plan
early counts with the time it took. Memory is what each allocated, divided by the states it registered,
less the packed state itself.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from pathlib import Path

import click
import yardstick
from families import FAMILIES, sas_of

from sing import _core
from sing.base.budget import Budget
from sing.search.search import SearchConfig, named_heuristic, search
from sing.task.task import Task
from sing.translate.translator import translate_to_sas

IPC_TASKS = {
    "logistics98-15": ("logistics98", "prob15.pddl"),
    "depot-18": ("depot", "p18.pddl"),
    "satellite-16": ("satellite", "p16-pfile16.pddl"),
}
HEURISTICS = ("blind", "goalcount", "ff", "landmarks")
# What Fast Downward calls them, where that is another name.
THEIR_NAMES = {"landmarks": "landmark"}
# What to reach on the puzzles: our expansions per second over Fast Downward's.
GOALS = {"blind": 2.5, "goalcount": 2.0, "ff": 1.0, "landmarks": 1.0}
MAX_BYTES_PER_STATE = 24
# Of a disjunctive landmark; Fast Downward's have as many.
MAX_LANDMARK_FACTS = 4


@dataclass(frozen=True)
class Speed:
    expansions_per_s: float
    bytes_per_state: float  # beyond the packed state
    num_registered: int


def measure_sing(sas: str, heuristic: str, time_s: float) -> Speed:
    task = Task.from_sas(sas)
    if heuristic == "landmarks":
        task = task.with_landmarks(MAX_LANDMARK_FACTS)
    statistics_ = search(task, named_heuristic(task, heuristic), SearchConfig(), Budget(time_s)).statistics
    packed_bytes = 4 * len(_core.StateSpace(task.core).pack(task.initial_state))
    return Speed(
        statistics_.num_expanded / statistics_.time_s,
        statistics_.memory_bytes / statistics_.num_registered - packed_bytes,
        statistics_.num_registered,
    )


def measure_fast_downward(sas: str, heuristic: str, time_s: float) -> Speed:
    run = yardstick.greedy_search(sas, THEIR_NAMES.get(heuristic, heuristic), time_s)
    num_registered = int(run.number(r"Number of registered states: (\d+)"))
    search_kb = run.number(r"Peak memory: (\d+) KB") - run.number(r", (\d+) KB\] Conducting best first search")
    return Speed(
        run.number(r"Expanded (\d+) state") / run.number(r"Search time: ([\d.e-]+)s"),
        1024 * search_kb / num_registered - run.number(r"Bytes per state: (\d+)"),
        num_registered,
    )


def median(speeds: list[Speed]) -> Speed:
    return Speed(
        statistics.median(speed.expansions_per_s for speed in speeds),
        statistics.median(speed.bytes_per_state for speed in speeds),
        int(statistics.median(speed.num_registered for speed in speeds)),
    )


def tasks(benchmarks: Path | None) -> dict[str, str]:
    """SAS texts by name."""
    texts = {name: sas_of(name) for name in FAMILIES}
    for name, (domain_name, problem_name) in IPC_TASKS.items():
        if benchmarks and (benchmarks / domain_name / problem_name).exists():
            folder = benchmarks / domain_name
            texts[name] = translate_to_sas(folder / "domain.pddl", folder / problem_name, Budget(600))
    return texts


@click.command(help=__doc__.splitlines()[0])
@click.option("--time", "time_s", default=5.0, show_default=True, help="Seconds per measurement.")
@click.option("--repetitions", default=3, show_default=True)
@click.option("--benchmarks", envvar="DOWNWARD_BENCHMARKS", help="Folder of IPC domains, for three tasks of them.")
@click.option("--heuristics", default=",".join(HEURISTICS), show_default=True)
def main(time_s: float, repetitions: int, benchmarks: str, heuristics: str) -> None:
    click.echo(
        f"{repetitions} repetitions of {time_s:g} s each; expansions per second; bytes per state beyond the packed one"
    )
    click.echo("| task | heuristic | sing | Fast Downward | ratio | goal | sing bytes | FD bytes | sing states |")
    click.echo("|---|---|--:|--:|--:|--:|--:|--:|--:|")
    missed = []
    for name, sas in tasks(Path(benchmarks) if benchmarks else None).items():
        for heuristic in heuristics.split(","):
            ours, theirs = [], []
            for _ in range(repetitions):
                ours.append(measure_sing(sas, heuristic, time_s))
                theirs.append(measure_fast_downward(sas, heuristic, time_s))
            our, their = median(ours), median(theirs)
            ratio = our.expansions_per_s / their.expansions_per_s
            goal = GOALS[heuristic] if name in FAMILIES or heuristic == "ff" else None
            click.echo(
                f"| {name} | {heuristic} | {our.expansions_per_s:,.0f} | {their.expansions_per_s:,.0f} | {ratio:.2f} "
                f"| {goal or ''} | {our.bytes_per_state:.1f} | {their.bytes_per_state:.1f} | {our.num_registered:,} |"
            )
            if goal and ratio < goal:
                missed.append(f"{name} {heuristic}: {ratio:.2f} of {goal}")
            if our.num_registered > 1_000_000 and our.bytes_per_state > MAX_BYTES_PER_STATE:
                missed.append(f"{name} {heuristic}: {our.bytes_per_state:.1f} bytes of {MAX_BYTES_PER_STATE}")
    click.echo("goals missed: " + "; ".join(missed) if missed else "all goals reached")


if __name__ == "__main__":
    main()
