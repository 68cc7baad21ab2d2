"""All learners on shared search spaces: a heuristic is learned from one task and used from many other states.

    export DOWNWARD_BENCHMARKS=path/to/downward-benchmarks
    python experiments/learners_shared.py --output build/learners-shared --seeds 3 --jobs 2

The states are where random walks from the initial state end: of 200 steps on IPC domains, as Ferber et al. made them,
and so long on puzzles that little is left of the board they begin with. Where blind search finds how far they are from
the goal in the end, the errors of what was learned are compared with that. Resumable; the tables are rendered from
results.jsonl.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
import suites
from all_learners import planner_of
from common import TIME, experiment, render, work_through
from records import Records, describe_machines

from sing import _core
from sing.base.budget import Budget, LimitReached
from sing.base.errors import InputError, NothingLearnedError
from sing.base.files import write_text
from sing.base.outcome import Status
from sing.learning.teacher import search_plans
from sing.planners.context import Context
from sing.samples.starts import StartsConfig
from sing.search.search import SearchConfig, named_heuristic, search
from sing.task.task import Task
from sing.translate import generators
from sing.translate.translator import read_task, translate_to_sas

_BOARD_STEPS, _IPC_STEPS = 10_000, 200
# Another seed than any that learners have.
_STARTS_SEED = 2**40
# Successors after which blind search no longer looks for a distance.
_BLIND_WORK = 5_000_000
_LEARNERS = (
    "sing", "c3", "c4", "sing-l", "fsm", "teacher", "teacher, forward", "bootstrap", "biss",
    "sing, fsm's network and loss", "fsm, sing's network and loss", "fsm, labels as sampled",
)  # fmt: skip


@dataclass(frozen=True)
class Space:
    """A task to learn from, and how long walks to other states of it are."""

    name: str
    domain: str  # PDDL, or a folder of benchmarks
    problem: str
    steps: int


def _board(name: str, family: generators.Family) -> Space:
    return Space(name, family.domain, family.problems[0], _BOARD_STEPS)


BOARDS = {
    "8-puzzle": lambda: _board("8-puzzle", generators.npuzzle(3, 3, seed=1)),
    "15-puzzle": lambda: _board("15-puzzle", generators.npuzzle(4, 4, seed=1)),
    "blocks 6": lambda: _board("blocks 6", generators.blocks(6, seed=1)),
    "blocks 12": lambda: _board("blocks 12", generators.blocks(12, seed=1)),
    "pancake 8": lambda: _board("pancake 8", generators.pancake(8, seed=1)),
    "pancake 12": lambda: _board("pancake 12", generators.pancake(12, seed=1)),
}
# The first problem of each folder.
IPC = (
    "visitall-sat14-strips", "blocks", "depot", "grid", "pipesworld-tankage", "rovers", "scanalyzer-sat11-strips",
    "storage", "transport-sat14-strips",
)  # fmt: skip


def make_space(name: str, benchmarks: str | None) -> Space:
    if name in BOARDS:
        return BOARDS[name]()
    if not benchmarks:
        raise InputError(f"'{name}' is a domain of the IPC; set DOWNWARD_BENCHMARKS, or name other spaces")
    problems = [pair for pair in suites.find_tasks(Path(benchmarks)) if pair[1].parent.name == name]
    if not problems:
        raise InputError(f"there is no problem of '{name}' in '{benchmarks}'")
    domain, problem = problems[0]
    return Space(name, domain.read_text(), problem.read_text(), _IPC_STEPS)


def task_of(space: Space, folder: Path) -> Task:
    sas_file = folder / (space.name.replace(" ", "-") + ".sas")
    if not sas_file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        domain, problem = sas_file.with_suffix(".domain.pddl"), sas_file.with_suffix(".pddl")
        write_text(domain, space.domain, "domain file")
        write_text(problem, space.problem, "problem file")
        write_text(sas_file, translate_to_sas(domain, problem, Budget(600)), "SAS file")
    return read_task(sas_file, Budget())


def states_of(task: Task, steps: int, count: int, budget: Budget) -> _core.Samples:
    return StartsConfig("forward", count, steps, steps).draw(task, seed=_STARTS_SEED, jobs=1, budget=budget)


def distances_of(task: Task, states: _core.Samples, time_limit_s: float, budget: Budget) -> list[int | None]:
    """How far each is from the goal, where blind search finds out in some millions of successors."""
    distances: list[int | None] = []
    for i in range(len(states)):
        found = search_plans(
            task, states.chosen(np.array([i], dtype=np.uint32)), [named_heuristic(task, "blind")], SearchConfig(),
            from_plan="first", max_work=_BLIND_WORK, seed=0, budget=budget.slice(time_limit_s),
            on_progress=lambda count: None,
        )  # fmt: skip
        distances.append(int(found.lengths[0]) if len(found.lengths) else None)
        budget.check()
    return distances


def measure(
    space: Space, learner: str, seed: int, count: int, learn_time_s: float, time_limit_s: float, folder: Path,
    budget: Budget,
) -> dict[str, Any]:  # fmt: skip
    task, planner = task_of(space, folder), planner_of(learner)
    row: dict[str, Any] = {"kind": "run", "space": space.name, "learner": learner, "seed": seed, "runs": []}
    part = budget.slice(learn_time_s)
    try:
        learned = planner.learn(task, Context(part, seed))
    except (NothingLearnedError, LimitReached, MemoryError) as error:
        budget.check()
        return {**row, "learn_s": part.elapsed_s, "why_not": str(error) or type(error).__name__}
    row |= {"learn_s": part.elapsed_s, "num_samples": learned.num_samples}
    with_model = planner.with_model(learned.model, False)
    states = states_of(task, space.steps, count, budget)
    for values in states.values(np.arange(len(states), dtype=np.uint32)).tolist():
        heuristic = learned.model.heuristic(task)
        found = search(
            task, heuristic, with_model.search, budget.slice(time_limit_s), seed=seed, initial_state=values
        )  # fmt: skip
        budget.check()
        solved = found.status is Status.SOLVED
        counts = found.statistics
        row["runs"].append([solved, counts.time_s, counts.num_expanded, len(found.plan), found.initial_estimate])
    return row


def table(records: Records) -> str:
    """A table for each space: a row for each learner."""
    parts = []
    rows = records.of("run")
    for space in dict.fromkeys(row["space"] for row in rows):
        known = next((row["distances"] for row in records.of("distances") if row["space"] == space), [])
        parts += [
            f"### {space}",
            "",
            "| learner | solved | expanded | plan | error | learning |",
            "|---|---|---|---|---|---|",
        ]
        for learner in dict.fromkeys(row["learner"] for row in rows if row["space"] == space):
            found = [row for row in rows if (row["space"], row["learner"]) == (space, learner)]
            parts.append(f"| {learner} | " + " | ".join(_cells(found, known)) + " |")
        parts.append("")
    return "\n".join([*parts, describe_machines(records), ""])


def _cells(rows: list[dict[str, Any]], distances: list[int | None]) -> list[str]:
    """Solved, median expansions (without a plan: more than all others), mean plan, mean error, seconds to learn."""
    learn_s = f"{statistics.mean(row['learn_s'] for row in rows):.1f} s"
    runs = [run for row in rows for run in row["runs"]]
    if not runs:
        return ["nothing learned", "", "", "", learn_s]
    median = statistics.median(run[2] if run[0] else math.inf for run in runs)
    lengths = [run[3] for run in runs if run[0]]
    errors = [
        abs(run[4] - distance)
        for row in rows
        for run, distance in zip(row["runs"], distances, strict=False)
        if distance is not None and run[4] is not None
    ]
    return [
        f"{sum(run[0] for run in runs)}/{len(runs)}",
        "–" if math.isinf(median) else f"{median:,.0f}",
        f"{statistics.mean(lengths):.1f}" if lengths else "–",
        f"{statistics.mean(errors):.1f}" if errors else "–",
        learn_s,
    ]


@click.command(help=__doc__.splitlines()[0])
@click.option("--output", default="build/learners-shared", show_default=True, type=click.Path(path_type=Path))
@click.option("--benchmarks", envvar="DOWNWARD_BENCHMARKS", help="[default: $DOWNWARD_BENCHMARKS]")
@click.option("--learner", "learners", multiple=True, type=click.Choice(_LEARNERS), help="[default: all]")
@click.option("--space", "spaces", multiple=True, type=click.Choice((*BOARDS, *IPC)), help="[default: all]")
@click.option("--count", default=50, show_default=True, type=click.IntRange(1), help="Starts of each space.")
@click.option("--seeds", default=1, show_default=True, type=click.IntRange(1))
@click.option("--learn-time", default="30s", show_default=True, type=TIME)
@click.option("--time-limit", default="10s", show_default=True, type=TIME, help="Of each search.")
@click.option("--jobs", default=1, show_default=True, type=click.IntRange(1))
def main(
    output: Path,
    benchmarks: str | None,
    learners: tuple[str, ...],
    spaces: tuple[str, ...],
    count: int,
    seeds: int,
    learn_time: float,
    time_limit: float,
    jobs: int,
) -> None:
    with experiment() as budget:
        records = Records(output / "results.jsonl")
        known = records.keys("run", ("space", "learner", "seed"))
        chosen = [make_space(name, benchmarks) for name in spaces or (*BOARDS, *IPC)]
        todo = [
            (space, learner, seed)
            for space in chosen
            for learner in learners or _LEARNERS
            for seed in range(1, seeds + 1)
            if (space.name, learner, seed) not in known
        ]
        if todo:
            records.settle(count=count, learn_time_s=learn_time, time_limit_s=time_limit)
        have = records.keys("distances", ("space",))
        for space in chosen:
            task = task_of(space, output / "tasks")  # translated before anything is timed
            if (space.name,) not in have:
                states = states_of(task, space.steps, count, budget)
                distances = distances_of(task, states, time_limit, budget)
                records.add({"kind": "distances", "space": space.name, "distances": distances})

        def work(item: tuple[Space, str, int]) -> str:
            space, learner, seed = item
            part = budget.slice(math.inf, 1 / jobs)
            row = measure(space, learner, seed, count, learn_time, time_limit, output / "tasks", part)
            records.add(row)
            return f"{space.name}, {learner}, seed {seed}: {sum(run[0] for run in row['runs'])}/{count}"

        work_through(todo, work, jobs, budget)
        render(records, "run", output, table)


if __name__ == "__main__":
    main()
