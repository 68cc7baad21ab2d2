"""What each part of `chorus` adds: one switched off at a time, beside Fast Downward, over tasks of the IPC.

    python experiments/chorus.py --output build/chorus --jobs 2 --variant chorus --variant control --variant fd-ff

Every run is a process of its own on a task translated before, and every plan is checked. Results are JSON lines,
appended as they come: an interrupted experiment goes on where it stopped, and tables are rendered from what there is.
"""

from __future__ import annotations

import dataclasses
import json
import re
import statistics
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import click
import fast_downward
import suites
from common import TIME, experiment, render, work_through
from processes import run_process
from records import Records, Row, describe_machines

from sing.base.budget import Budget, LimitReached, parse_memory_bytes
from sing.base.errors import SingError
from sing.planners.configs import CONFIGS, Chorus
from sing.run.solve import solve

MEMORY_LIMIT = "8G"
MEMORY_BYTES = parse_memory_bytes(MEMORY_LIMIT)
# Beyond the time limit, for what ends by itself.
_GRACE_S = 30.0


def variants() -> dict[str, Chorus]:
    chorus, control = CONFIGS["chorus"], CONFIGS["chorus-control"]
    assert isinstance(chorus, Chorus) and isinstance(control, Chorus)
    queues = chorus.search.queues

    def without_queues(*dropped: str) -> Chorus:
        return chorus.override(queues=tuple(queue for queue in queues if queue not in dropped))

    def with_searches(config: Chorus, **options: object) -> Chorus:
        return dataclasses.replace(
            config,
            first=dataclasses.replace(config.first, **options),
            search=dataclasses.replace(config.search, **options),
        )

    return {
        "chorus": chorus,
        "control": control,
        "control, three queues": control.override(queues=("o", "no", "*od")),
        "no first search": chorus.override(first_generated=1),
        "no patterns": chorus.override(num_searches=0, num_walks=0, num_completed=0),
        "no walks": chorus.override(num_walks=0),
        "pairs in every round": chorus.override(max_width=2),
        "one state seen": chorus.override(num_states=1),
        "no far labels": chorus.override(far_labels=False),
        "no goal orders": with_searches(chorus, goal_orders=False),
        "control, no goal orders": with_searches(control, goal_orders=False),
        "no preference": without_queues("ph"),
        "no type-based queue": without_queues("*od"),
        "no novelty": chorus.override(queues=("h", "ph", "o", "*od")),
        "no queue no": without_queues("no"),
        "no queue noh": without_queues("noh"),
        "queue h alone": chorus.override(queues=("h",)),
        "no restarts": chorus.override(round_generated=10**15),
        "1×16": chorus.override(hidden=(16,)),
        "1×64": chorus.override(hidden=(64,)),
    }


def run_here(variant: str, sas_file: str, seed: int, time_limit_s: float) -> Row:
    """One run in this process."""
    result = solve(
        sas_file, config=variants()[variant], seed=seed, time_limit_s=time_limit_s, memory_limit_bytes=MEMORY_BYTES
    )
    return result.to_json()


def run_child(variant: str, sas_file: Path, seed: int, time_limit_s: float, budget: Budget) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        json_file = Path(folder, "result.json")
        command = [sys.executable, __file__, "--run", variant, sas_file, seed, time_limit_s, json_file]
        try:
            exit_code, output = run_process(list(map(str, command)), budget.slice(time_limit_s + _GRACE_S))
        except LimitReached:
            budget.check()
            raise SingError(f"{variant} does not end on '{sas_file}', seed {seed}") from None
        if not json_file.exists():
            raise SingError(f"{variant} failed on '{sas_file}' with exit code {exit_code}: {output[-500:]}")
        result = json.loads(json_file.read_text())
    kept = ("status", "plan_length", "num_restarts", "expanded", "solved_by", "times_s", "peak_memory_kb")
    return {name: result[name] for name in kept}


def run_fast_downward(name: str, sas_file: Path, time_limit_s: float, budget: Budget) -> Row:
    status, log = fast_downward.outcome(sas_file.read_text(), name, time_limit_s, MEMORY_BYTES, budget)
    length = re.search(r"Plan length: (\d+)", log)
    return {"status": status.value, **({"plan_length": int(length[1])} if length else {})}


def coverage_table(rows: list[Row], planners: list[str]) -> list[str]:
    lines = ["| planner | seeds | solved, by seed | mean | plan length, × landmark count |", "|---|--:|---|--:|--:|"]
    lengths = {
        row["task"]: row["plan_length"] for row in rows if row["planner"] == "fd-landmark" and row["status"] == "solved"
    }
    for planner in planners:
        own = [row for row in rows if row["planner"] == planner]
        seeds = sorted({row["seed"] for row in own})
        counts = [sum(row["status"] == "solved" for row in own if row["seed"] == seed) for seed in seeds]
        ratios = [
            row["plan_length"] / lengths[row["task"]]
            for row in own
            if row["status"] == "solved" and lengths.get(row["task"])
        ]
        ratio = f"{statistics.median(ratios):.2f}" if ratios else ""
        solved = ", ".join(map(str, counts))
        lines.append(f"| {planner} | {len(seeds)} | {solved} | {statistics.mean(counts):.1f} | {ratio} |")
    return lines


def domain_table(rows: list[Row], planners: list[str]) -> list[str]:
    """Solved tasks of each domain, the mean over seeds."""
    tasks: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        tasks[row["task"].split("/")[0]].add(row["task"])
    lines = ["| domain | tasks | " + " | ".join(planners) + " |", "|---|--:|" + "--:|" * len(planners)]
    for domain in sorted(tasks):
        cells = []
        for planner in planners:
            own = [row for row in rows if row["planner"] == planner and row["task"] in tasks[domain]]
            seeds = len({row["seed"] for row in own})
            solved = sum(row["status"] == "solved" for row in own)
            cells.append(f"{solved / seeds:.1f}".removesuffix(".0") if seeds else "")
        lines.append(f"| {domain} | {len(tasks[domain])} | " + " | ".join(cells) + " |")
    return lines


def table(records: Records) -> str:
    rows = records.of("run")
    order = [*variants(), *fast_downward.PLANNERS]
    planners = [planner for planner in order if any(row["planner"] == planner for row in rows)]
    settings = records.of("settings")[0]
    num_tasks = len({row["task"] for row in rows})
    lines = [f"{num_tasks} tasks, {settings['time_limit_s']:g} s each after translation, {settings['memory']}.", ""]
    lines += [*coverage_table(rows, planners), "", *domain_table(rows, planners), "", describe_machines(records)]
    return "\n".join(lines) + "\n"


@click.command(help=__doc__.splitlines()[0])
@click.option("--output", required=True, type=click.Path(path_type=Path), help="Folder for results and tables.")
@click.option("--benchmarks", envvar="DOWNWARD_BENCHMARKS", required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--variant", "chosen", multiple=True, type=click.Choice([*variants(), *fast_downward.PLANNERS]))
@click.option("--seeds", default=3, show_default=True, type=click.IntRange(1), help="So many, one after the other.")
@click.option(
    "--first-seed", default=1, show_default=True, type=click.IntRange(0), help="Fast Downward runs with seed 1 only."
)
@click.option("--time-limit", "time_limit_s", default="10s", show_default=True, type=TIME)
@click.option("--jobs", default=1, show_default=True, type=click.IntRange(1))
@click.option("--count", type=click.IntRange(1), help="Only the first so many tasks.")
@click.option(
    "--solved-in",
    type=click.Path(exists=True, path_type=Path),
    help="Results with a shorter limit: what is solved there is not run again.",
)
@click.option("--cache", default="build/sas", show_default=True, type=click.Path(path_type=Path))
@click.option("--only-table", is_flag=True, help="Measure nothing.")
def main(
    output: Path,
    benchmarks: Path,
    chosen: tuple[str, ...],
    seeds: int,
    first_seed: int,
    time_limit_s: float,
    jobs: int,
    count: int | None,
    solved_in: Path | None,
    cache: Path,
    only_table: bool,
) -> None:
    with experiment() as budget:
        records = Records(output / "results.jsonl")
        if not only_table:
            planners = chosen or (*variants(), *fast_downward.PLANNERS)
            if any(planner in fast_downward.PLANNERS for planner in planners):
                fast_downward.binary()  # raises now, not after an hour
            records.settle(time_limit_s=time_limit_s, memory=MEMORY_LIMIT)
            tasks = suites.find_tasks(benchmarks)[:count]
            chosen_seeds = range(first_seed, first_seed + seeds)
            if solved_in is not None:
                take_solved(records, Records(solved_in), planners, chosen_seeds)
            measure(records, tasks, planners, chosen_seeds, time_limit_s, jobs, cache, budget)
        render(records, "run", output, table)


def take_solved(records: Records, shorter: Records, planners: tuple[str, ...], seeds: range) -> None:
    """What a planner solved within a shorter limit counts as solved: of what it does, only caps on the first search
    and on learning, as shares of the time left, depend on its limit."""
    known = records.keys("run", ("planner", "task", "seed"))
    for row in shorter.of("run"):
        is_wanted = row["planner"] in planners and row["seed"] in seeds and row["status"] == "solved"
        if is_wanted and (row["planner"], row["task"], row["seed"]) not in known:
            records.add(row)


def measure(
    records: Records,
    tasks: list[tuple[Path, Path]],
    planners: tuple[str, ...],
    seeds: range,
    time_limit_s: float,
    jobs: int,
    cache: Path,
    budget: Budget,
) -> None:
    """What is not measured yet. Planners take turns on each task: a change of the machine's mood hits all."""
    known = records.keys("run", ("planner", "task", "seed"))
    names = {suites.name_of(pair[1]): pair for pair in tasks}
    todo = [
        (planner, task, seed)
        for seed in seeds
        for task in names
        for planner in planners
        if (seed == 1 or planner not in fast_downward.PLANNERS) and (planner, task, seed) not in known
    ]
    for task in {task: None for _, task, _ in todo}:
        budget.check()
        suites.sas_file(*names[task], cache)  # translated before anything is timed

    def work(item: tuple[str, str, int]) -> str:
        planner, task, seed = item
        sas_file = suites.sas_file(*names[task], cache)
        if planner in fast_downward.PLANNERS:
            row = run_fast_downward(planner.removeprefix("fd-"), sas_file, time_limit_s, budget)
        else:
            row = run_child(planner, sas_file, seed, time_limit_s, budget)
        budget.check()
        records.add({"kind": "run", "planner": planner, "task": task, "seed": seed, **row})
        return f"{planner} on {task}: {row['status']}"

    work_through(todo, work, jobs, budget)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        name, sas, number, limit, result_file = sys.argv[2:]
        Path(result_file).write_text(json.dumps(run_here(name, sas, int(number), float(limit))))
    else:
        main()
