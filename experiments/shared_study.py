"""What helps learning for a shared search space: `shared` with one thing changed at a time, on training problems.

    python experiments/shared_study.py --output build/shared-study --jobs 2

Each variant learns a model a space, whole with one thread, and searches problems that the table of shared_space.py does
not use. Resumable; the table is rendered from results.jsonl.
"""

from __future__ import annotations

import math
import statistics
from pathlib import Path
from typing import Any

import click
from common import TIME, experiment, learn_for, render, work_through
from records import Records, describe_machines
from spaces import SPACES, Space, make_space, sas_file_of

from sing.base.budget import Budget
from sing.base.outcome import Status
from sing.planners.configs import get_config
from sing.search.search import search
from sing.translate.translator import read_task

# Of `shared`; names are what the table shows.
VARIANTS: dict[str, dict[str, Any]] = {
    "shared": {},
    "no iterations": {"value_iteration.iterations": 0},
    "50 iterations": {"value_iteration.iterations": 50},
    "100 iterations": {"value_iteration.iterations": 100},
    "200 iterations": {"value_iteration.iterations": 200},
    "800 iterations": {"value_iteration.iterations": 800},
    "1×32": {"hidden": (32,)},
    "1×256": {"hidden": (256,)},
    "2×64": {"hidden": (64, 64)},
    "iterations of 200 × 200": {"value_iteration.nsearches": 200, "value_iteration.nsamples": 200},
    "iterations of 20 × 2000": {"value_iteration.nsearches": 20, "value_iteration.nsamples": 2000},
    "iterations of 20 × 1000, 800 of them": {"value_iteration.nsearches": 20, "value_iteration.iterations": 800},
    "learning rate 0.0005": {"value_iteration.learning_rate": 0.0005},
    "learning rate 0.005": {"value_iteration.learning_rate": 0.005},
    "min-label": {"min_label": True},
    "random walks": {"strategy": "rw"},
    "queue h": {"queues": ("h",)},
    "queues h, nh": {"queues": ("h", "nh")},
    "queues h, o": {"queues": ("h", "o")},
}
_FAMILY_SEED = 1000  # other problems and, for blocks, another goal than the table's


def measure(
    variant: str, space: Space, folder: Path, records: Records, seed: int, time_limit_s: float, budget: Budget
) -> dict[str, Any]:
    config = get_config("shared").override(**VARIANTS[variant])
    learned = learn_for(space, config, folder, records, variant, seed, 1, budget)
    runs = []
    for number in range(len(space.problems.problems)):
        task = read_task(sas_file_of(space.problems, number, folder), Budget())
        part = budget.slice(time_limit_s)
        result = search(task, learned.model.heuristic(task), config.search, part, seed=seed)
        budget.check()
        is_solved = result.status is Status.SOLVED
        runs.append([is_solved, result.statistics.time_s, result.statistics.num_expanded, len(result.plan)])
    return {
        "kind": "study",
        "variant": variant,
        "space": space.name,
        "seed": seed,
        "learn_s": learned.sample_time_s + learned.train_time_s,
        "time_limit_s": time_limit_s,
        "runs": runs,
    }


def table(records: Records) -> str:
    rows = records.of("study")
    spaces = [name for name in SPACES if any(row["space"] == name for row in rows)]
    lines = ["| variant | " + " | ".join(spaces) + " |", "|---|" + "---|" * len(spaces)]
    measured = {row["variant"] for row in rows}
    for variant in (variant for variant in VARIANTS if variant in measured):
        cells = []
        for space in spaces:
            found = [row for row in rows if (row["variant"], row["space"]) == (variant, space)]
            cells.append(_cell(found) if found else "")
        lines.append(f"| {variant} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n\n" + describe_machines(records) + "\n"


def _cell(rows: list[dict[str, Any]]) -> str:
    """Solved, median search time and expansions (without a plan: more than all others), and time to learn."""
    runs = [run for row in rows for run in row["runs"]]
    medians = [statistics.median(run[k] if run[0] else math.inf for run in runs) for k in (1, 2)]
    times = "unsolved" if math.isinf(medians[0]) else f"{medians[0]:.3f} s, {medians[1]:,.0f}"
    learn_s = statistics.mean(row["learn_s"] for row in rows)
    return f"{sum(run[0] for run in runs)}/{len(runs)}, {times} ({learn_s:.0f} s)"


@click.command(help=__doc__.splitlines()[0])
@click.option("--output", default="build/shared-study", show_default=True, type=click.Path(path_type=Path))
@click.option("--variant", "variants", multiple=True, type=click.Choice(tuple(VARIANTS)), help="[default: all]")
@click.option("--space", "spaces", multiple=True, type=click.Choice(SPACES), help="[default: all]")
@click.option("--count", default=10, show_default=True, type=click.IntRange(1), help="Problems of each space.")
@click.option("--seed", "seeds", multiple=True, default=(0,), show_default=True, type=click.IntRange(0))
@click.option("--time-limit", default="5s", show_default=True, type=TIME)
@click.option("--jobs", default=1, show_default=True, type=click.IntRange(1))
def main(
    output: Path,
    variants: tuple[str, ...],
    spaces: tuple[str, ...],
    count: int,
    seeds: tuple[int, ...],
    time_limit: float,
    jobs: int,
) -> None:
    with experiment() as budget:
        records = Records(output / "results.jsonl")
        known = records.keys("study", ("variant", "space", "seed"))
        todo = [
            (variant, make_space(name, count, _FAMILY_SEED, random_boards=True), seed)
            for seed in seeds
            for variant in variants or VARIANTS
            for name in spaces or SPACES
            if (variant, name, seed) not in known
        ]
        if todo:
            records.settle(count=count, time_limit_s=time_limit)

        def work(item: tuple[str, Space, int]) -> str:
            variant, space, seed = item
            folder = output / space.name.replace(" ", "-")
            part = budget.slice(math.inf, 1 / jobs)
            records.add(measure(variant, space, folder, records, seed, time_limit, part))
            return f"{space.name}, {variant}, seed {seed}"

        work_through(todo, work, jobs, budget)
        render(records, "study", output, table)


if __name__ == "__main__":
    main()
