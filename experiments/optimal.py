"""How many tasks are planned optimally, beside Fast Downward's A* with its own landmark-cut.

    python experiments/optimal.py DOWNWARD_BENCHMARKS --every 3 --time-limit 10s --output build/optimal

Each task is translated once, then searched by each planner alone, in turns. The limit is on processor time, so that
other work on the machine does not count. Results are appended to results.jsonl as they come, and a second call goes on
where the first stopped; table.md is rendered from that file.
"""

from __future__ import annotations

import resource
import time
from contextlib import suppress
from pathlib import Path

import click
import numpy as np
import suites
import yardstick
from common import MEMORY_BYTES, TIME, experiment, render
from records import Records, Row, describe_machines

from sing.base.budget import Budget, LimitReached
from sing.base.errors import SingError
from sing.base.outcome import Status
from sing.planners.pruning import PRUNE_WORK
from sing.planners.symmetries import SYMMETRY_WORK
from sing.search.cost_search import CostSearch, CostSearchConfig
from sing.task.task import Task

PLANNERS = ("optimal", "fd-lmcut")
_COUNTS = {"expanded": r"Expanded (\d+) state", "evaluated": r"Evaluated (\d+) state"}


def search_ours(sas: str, time_limit_s: float) -> Row:
    """Goes on until the processor time is used up; the core's own clock is on the wall."""
    start_s = time.process_time()
    task = Task.from_sas(sas)
    cost, result = None, None
    try:
        found = task.pruned(PRUNE_WORK)
        search = CostSearch(
            found[0] if found else task, CostSearchConfig(), Budget(100 * time_limit_s, MEMORY_BYTES),
            interchangeable=task.interchangeable_objects(SYMMETRY_WORK),
        )  # fmt: skip
        while (left_s := time_limit_s - (time.process_time() - start_s)) > 0:
            result = search.run(Budget(left_s, MEMORY_BYTES))
            cost = result.cost if result.status is Status.SOLVED else cost
            if result.status in (Status.UNSOLVABLE, Status.OUT_OF_MEMORY):
                break
    except (LimitReached, MemoryError):
        pass
    row: Row = {"solved": False, "time_s": time.process_time() - start_s}
    if result is not None:
        is_proved = result.status is Status.UNSOLVABLE
        counts = {"expanded": result.statistics.num_expanded, "evaluated": result.statistics.num_evaluated}
        row |= {"solved": is_proved, "cost": cost if is_proved else None, **counts, "lower_bound": result.lower_bound}
    return row


def search_fast_downward(sas: str, time_limit_s: float, budget: Budget) -> Row:
    """Its limit is on processor time, too. It refuses conditional effects and axioms."""
    before_s = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    wall_s = 100 * time_limit_s
    try:
        run = yardstick.greedy_search(
            sas, "astar-lmcut", time_limit_s, memory_limit_bytes=MEMORY_BYTES, budget=budget.slice(wall_s)
        )
        is_solvable = run.is_solvable
    except SingError as error:
        return {"solved": False, "time_s": 0.0, "error": str(error)[-200:]}
    row: Row = {
        "solved": is_solvable is not None,
        "time_s": resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before_s,
        "cost": int(run.number(r"Plan cost: (\d+)")) if is_solvable else None,
    }
    with suppress(SingError):  # it may have been ended before its first state
        row |= {name: int(run.number(pattern)) for name, pattern in _COUNTS.items()}
    return row


def table(records: Records) -> str:
    rows = {name: {row["task"]: row for row in records.of("run") if row["planner"] == name} for name in PLANNERS}
    ours, theirs = (rows[name] for name in PLANNERS)
    tasks = sorted(set(ours) & set(theirs))
    both = [task for task in tasks if ours[task]["solved"] and theirs[task]["solved"]]
    differ = [task for task in both if ours[task]["cost"] != theirs[task]["cost"]]
    lines = [
        f"{len(tasks)} tasks, {records.of('settings')[0]['time_limit']:g} s of processor time each.",
        "",
        "| planner | proved | it alone |",
        "|---|--:|--:|",
    ]
    for name, own, other in ((PLANNERS[0], ours, theirs), (PLANNERS[1], theirs, ours)):
        solved = [task for task in tasks if own[task]["solved"]]
        alone = [task for task in solved if not other[task]["solved"]]
        lines.append(f"| {name} | {len(solved)} | {len(alone)}{': ' if alone else ''}{', '.join(alone)} |")
    lines += ["", f"Both proved {len(both)}; costs differ on {len(differ)}{': ' if differ else ''}{', '.join(differ)}."]
    for name, per_second in (("states evaluated", "evaluated"), ("states expanded", "expanded")):
        ratios = [
            (ours[task][per_second] / ours[task]["time_s"]) / (theirs[task][per_second] / theirs[task]["time_s"])
            for task in tasks
            if min(own[task]["time_s"] for own in (ours, theirs)) > 0.1
            and all(own[task].get(per_second) for own in (ours, theirs))
        ]
        if ratios:
            mean = np.exp(np.mean(np.log(ratios)))
            lines.append(f"{name.capitalize()} a second, ours over theirs: {mean:.2f} ({len(ratios)} tasks).")
    times = [(ours[task]["time_s"], theirs[task]["time_s"]) for task in both]
    times = [(a, b) for a, b in times if max(a, b) > 0.1]
    if times:
        mean = np.exp(np.mean([np.log(max(a, 0.01) / max(b, 0.01)) for a, b in times]))
        lines.append(f"Time to the proof, ours over theirs: {mean:.2f} ({len(times)} tasks that took either 0.1 s).")
    return "\n".join([*lines, "", describe_machines(records), ""])


@click.command(help=__doc__.splitlines()[0])
@click.argument("benchmarks", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--every", default=1, show_default=True, type=click.IntRange(1), help="Every so manieth task.")
@click.option("--time-limit", default=10.0, show_default=True, type=TIME, help="Processor time of each search.")
@click.option("--planner", "planners", type=click.Choice(PLANNERS), multiple=True, default=PLANNERS)
@click.option("--output", default=Path("build/optimal"), show_default=True, type=click.Path(path_type=Path))
def main(benchmarks: Path, every: int, time_limit: float, planners: tuple[str, ...], output: Path) -> None:
    with experiment() as budget:
        records = Records(output / "results.jsonl")
        records.settle(every=every, time_limit=time_limit)
        known = records.keys("run", ("planner", "task"))
        for domain, problem in suites.find_tasks(benchmarks)[::every]:
            task = suites.name_of(problem)
            todo = [planner for planner in planners if (planner, task) not in known]
            if not todo:
                continue
            sas = suites.sas_file(domain, problem, output / "tasks").read_text()
            for planner in todo:
                budget.check()
                is_ours = planner == "optimal"
                row = search_ours(sas, time_limit) if is_ours else search_fast_downward(sas, time_limit, budget)
                records.add({"kind": "run", "planner": planner, "task": task, **row})
                click.echo(f"{planner} {task}: {'proved' if row['solved'] else 'open'}, {row['time_s']:.2f} s")
        render(records, "run", output, table)


if __name__ == "__main__":
    main()
