"""Cost of plans beside LAMA's: anytime runs and first plans, with the same processor time each.

    python experiments/quality.py --benchmarks downward-benchmarks --every 6 --time 20s --output build/quality

Tasks are translated once, before the time counts. Every run is one process of its own with so many seconds of
processor time; both planners run on a task one after the other, so that a busy machine slows both. Plans of ours are
executed on the task. Results are appended to results.jsonl as they come, and a second call goes on where the first
stopped; table.md is rendered from that file. The quality of a plan is the least cost known for its task, of all runs,
divided by its own.
"""

from __future__ import annotations

import json
import math
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from common import MEMORY_BYTES, TIME, experiment, render, work_through
from processes import run_process
from records import Records, describe_machines
from suites import find_tasks, name_of, sas_file

from sing.base.budget import Budget
from sing.planners.configs import get_config
from sing.run.fast_downward import binary
from sing.run.solve import solve

OURS, LAMA = "sing --anytime", "LAMA"
OURS_FIRST, LAMA_FIRST = "sing", "LAMA, first iteration"
PLANNERS = {"anytime": (OURS, LAMA), "first": (OURS_FIRST, LAMA_FIRST)}
_ALIASES = {LAMA: "lama", LAMA_FIRST: "lama-first"}
# Runs end by themselves at their time; on a busy machine processor time passes more slowly than the clock.
_GRACE_FACTOR, _GRACE_S = 20, 120
_PLAN_COST = re.compile(r"\[t=([\d.]+)s, \d+ KB\] Plan cost: (\d+)")


def run_ours(sas: Path, is_anytime: bool, limit_s: float, seed: int, memory_bytes: int) -> dict[str, Any]:
    """In this process: its processor time is what its budget counts."""
    budget = Budget(limit_s, memory_bytes, clock=time.process_time, start_s=0.0)
    config = get_config("chorus")
    on_plan = (lambda plan: None) if is_anytime else None
    result = solve(sas, config=config, seed=seed, budget=budget, on_plan=on_plan)
    return {"costs": list(result.costs), "lower_bound": result.lower_bound, "status": result.status.value}


def run_fast_downward(sas: Path, alias: str, limit_s: float, memory_bytes: int, budget: Budget) -> dict[str, Any]:
    driver = binary().parents[3] / "fast-downward.py"
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(driver), "--search-time-limit", str(math.ceil(limit_s))]
        command += ["--search-memory-limit", f"{memory_bytes >> 20}M", "--plan-file", str(Path(folder, "plan"))]
        _, log = run_process([*command, "--alias", alias, str(sas.resolve())], budget)
    costs = [(float(time_s), int(cost)) for time_s, cost in _PLAN_COST.findall(log)]
    best = [entry for number, entry in enumerate(costs) if all(entry[1] < cost for _, cost in costs[:number])]
    return {"costs": best, "lower_bound": None, "status": "solved" if best else "none"}


def run_one(planner: str, sas: Path, limit_s: float, seed: int, memory_bytes: int, budget: Budget) -> dict[str, Any]:
    part = budget.slice(_GRACE_FACTOR * limit_s + _GRACE_S)
    if planner in _ALIASES:
        return run_fast_downward(sas, _ALIASES[planner], limit_s, memory_bytes, part)
    kind = "anytime" if planner == OURS else "first"
    options = [str(sas), kind, str(limit_s), str(seed), str(memory_bytes)]
    _, log = run_process([sys.executable, __file__, "--child", *options], part)
    lines = [line for line in log.splitlines() if line.startswith("{")]
    return json.loads(lines[-1]) if lines else {"costs": [], "lower_bound": None, "status": f"failed: {log[-300:]}"}


def best_within(row: dict[str, Any], limit_s: float) -> int | None:
    costs = [cost for time_s, cost in row["costs"] if time_s <= limit_s]
    return min(costs) if costs else None


def geometric_mean(ratios: list[float]) -> float:
    return math.exp(statistics.fmean(math.log(ratio) for ratio in ratios)) if ratios else math.nan


def compare(records: Records, ours: str, theirs: str) -> Iterator[str]:
    """Lines of the table about two planners, by seed."""
    rows = records.of("run")
    limit_s = records.of("settings")[0]["limit_s"]
    known: dict[str, int] = {}
    for row in rows:
        if (cost := best_within(row, math.inf)) is not None:
            known[row["task"]] = min(cost, known.get(row["task"], cost))
    their_rows = {row["task"]: row for row in rows if row["planner"] == theirs}
    for seed in sorted({row["seed"] for row in rows if row["planner"] == ours}):
        our_rows = {row["task"]: row for row in rows if row["planner"] == ours and row["seed"] == seed}
        tasks = sorted(our_rows.keys() & their_rows.keys())
        costs = {task: (best_within(our_rows[task], limit_s), best_within(their_rows[task], limit_s)) for task in tasks}
        solved = [sum(pair[side] is not None for pair in costs.values()) for side in (0, 1)]
        quality = [sum(_quality(known, task, pair[side]) for task, pair in costs.items()) for side in (0, 1)]
        ratios = {task: _ratio(*pair) for task, pair in costs.items() if None not in pair}
        with_costs = [ratio for task, ratio in ratios.items() if our_rows[task]["uses_costs"]]
        proved = sum(row["lower_bound"] is not None and row["costs"] != [] and
                     row["lower_bound"] >= row["costs"][-1][1] for row in our_rows.values())  # fmt: skip
        yield (
            f"| {ours}, seed {seed}, and {theirs} | {len(tasks)} | {solved[0]} | {solved[1]} | {quality[0]:.1f} | "
            f"{quality[1]:.1f} | {geometric_mean(list(ratios.values())):.3f} ({len(ratios)}) | "
            f"{geometric_mean(with_costs):.3f} ({len(with_costs)}) | {proved} |"
        )


def _quality(known: dict[str, int], task: str, cost: int | None) -> float:
    if cost is None:
        return 0.0
    return 1.0 if cost == known[task] else known[task] / cost


def _ratio(ours: int, theirs: int) -> float:
    """Free plans are as good as those of cost 1."""
    return max(ours, 1) / max(theirs, 1)


def table(records: Records) -> str:
    settings = records.of("settings")[0]
    lines = [
        f"{settings['limit_s']:g} s of processor time each, every {settings['every']}. task; ratios are our cost "
        "divided by theirs, where both solve the task, as geometric means.",
        "",
        "| planners | tasks | ours solves | theirs solves | our quality | their quality | cost ratio (tasks) | "
        "with action costs (tasks) | proved cheapest by ours |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for ours, theirs in PLANNERS.values():
        lines += compare(records, ours, theirs)
    lines += ["", "| task | " + " | ".join(_columns(records)) + " |", "|---|" + "--:|" * len(_columns(records))]
    for task in sorted({row["task"] for row in records.of("run")}):
        cells = [_cell(records, task, column, settings["limit_s"]) for column in _columns(records)]
        lines.append(f"| {task} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", describe_machines(records), ""])


def _columns(records: Records) -> list[str]:
    return sorted({f"{row['planner']}, seed {row['seed']}" for row in records.of("run")})


def _cell(records: Records, task: str, column: str, limit_s: float) -> str:
    found = [
        best_within(row, limit_s)
        for row in records.of("run")
        if row["task"] == task and f"{row['planner']}, seed {row['seed']}" == column
    ]
    return "–" if not found or found[0] is None else f"{found[0]:,}"


@click.command(help=__doc__.splitlines()[0])
@click.option("--benchmarks", type=click.Path(exists=True, path_type=Path), required=True)
@click.option("--output", type=click.Path(path_type=Path), required=True)
@click.option("--every", default=6, show_default=True, help="Take every so manyth task.")
@click.option("--first", default=0, show_default=True, help="Position of the first one.")
@click.option("--match", default="", help="Only tasks whose name contains this.")
@click.option("--time", "limit_s", type=TIME, default="20s", show_default=True, help="Processor time of each run.")
@click.option("--seeds", default=1, show_default=True)
@click.option("--jobs", default=1, show_default=True)
@click.option("--kinds", default="anytime", show_default=True, help="`anytime`, `first` or both with a comma.")
@click.option("--memory", "memory_bytes", default=MEMORY_BYTES, show_default=True, help="Bytes for each run.")
def main(
    benchmarks: Path, output: Path, every: int, first: int, match: str, limit_s: float, seeds: int, jobs: int,
    kinds: str, memory_bytes: int,
) -> None:  # fmt: skip
    with experiment() as budget:
        records = Records(output / "results.jsonl")
        records.settle(limit_s=limit_s, every=every, first=first, memory_bytes=memory_bytes)
        known = records.keys("run", ("task", "planner", "seed"))
        todo = []
        for domain, problem in find_tasks(benchmarks)[first::every]:
            if match not in name_of(problem):
                continue
            for ours, theirs in (PLANNERS[kind] for kind in kinds.split(",")):
                runs = [(ours, seed) for seed in range(1, seeds + 1)] + [(theirs, 0)]
                todo += [
                    (domain, problem, *run) for run in runs if (name_of(problem), *run) not in known
                ]  # fmt: skip

        def work(item: tuple[Path, Path, str, int]) -> str:
            domain, problem, planner, seed = item
            sas = sas_file(domain, problem, output / "sas")
            row = run_one(planner, sas, limit_s, seed, memory_bytes, budget)
            uses_costs = "begin_metric\n1" in sas.read_text()
            records.add(
                {"kind": "run", "task": name_of(problem), "planner": planner, "seed": seed, "uses_costs": uses_costs}
                | row
            )
            return f"{name_of(problem)} {planner} {best_within(row, limit_s)}"

        work_through(todo, work, jobs, budget)
        render(records, "run", output, table)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        sas, kind, limit, seed, memory = sys.argv[2:]
        print(json.dumps(run_ours(Path(sas), kind == "anytime", float(limit), int(seed), int(memory))))
    else:
        main()
