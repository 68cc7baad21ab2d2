"""How long plans in shared spaces are: the first one, and what beams with more and more work make of it.

    python experiments/plan_quality.py --output build/plan-quality

A model of `shared` is learned for every space from one problem, in so much processor time, and used on the others, one
at a time. Results are appended to results.jsonl as they come, and a second call goes on where the first stopped.
Times are processor times: they mean the same on a machine that does other work beside.
"""

from __future__ import annotations

import math
import statistics
import time
from dataclasses import dataclass
from pathlib import Path

import click
from common import MEMORY_LIMIT, TIME, experiment, render
from records import Records, Row, describe_machines
from spaces import SPACES, Space, korf_boards, make_space, sas_file_of

from sing.base.budget import Budget, parse_memory_bytes
from sing.networks.model import Model
from sing.planners.configs import get_config
from sing.planners.context import Context
from sing.planners.single import config_of
from sing.task.plan import execute
from sing.translate.translator import read_task

# Successors of beams after the first plan: on the 24-puzzle about two seconds and half a minute.
WORKS = (0, 3_000_000, 36_000_000)
_MODEL, _RUN = "learn", "run"


@dataclass(frozen=True)
class Options:
    output: Path
    seed: int
    learn_cpu_s: float
    settings: tuple[str, ...]


class Experiment:
    def __init__(self, options: Options, spaces: tuple[Space, ...], works: tuple[int, ...], budget: Budget) -> None:
        self.options = options
        self.spaces = spaces
        self.works = works
        self.budget = budget
        self.records = Records(options.output / "results.jsonl")

    def run(self) -> None:
        options = self.options
        self.records.settle(seed=options.seed, learn_cpu_s=options.learn_cpu_s, settings=list(options.settings))
        for space in self.spaces:
            known = self.records.keys(_RUN, ("space", "problem", "work"))
            todo = [
                (number, work)
                for work in self.works
                for number in range(len(space.problems.problems))
                if (space.name, number, work) not in known
            ]
            model = self._model(space) if todo else None
            for number, work in todo:
                self.budget.check()
                row = self._measure(space, model, number, work)
                self.records.add(row)
                click.echo(f"{space.name} {number + 1}, {work:,}: {row['cost']}, {row['cpu_s']:.2f} s")

    def _folder(self, space: Space) -> Path:
        return self.options.output / space.name.replace(" ", "-")

    def _model(self, space: Space) -> Model:
        file = self._folder(space) / f"{self.options.seed}.onnx"
        if file.exists():
            return Model.load(file)
        task = read_task(sas_file_of(space.training, 0, self._folder(space) / "training"), Budget())
        # More iterations than there is time for.
        config = get_config("shared").with_settings(["value_iteration.iterations=1000000", *self.options.settings])
        config = config.override(learn_time_s=self.options.learn_cpu_s)
        start_s = time.process_time()
        budget = Budget(1e9, MEMORY_LIMIT, clock=time.process_time)
        learned = config.learn(task, Context(budget, self.options.seed))
        self.records.add(
            {
                "kind": _MODEL,
                "space": space.name,
                "config": config.name,
                "iterations": learned.num_iterations,
                "cpu_s": time.process_time() - start_s,
            }
        )
        learned.model.save(file)
        return learned.model

    def _measure(self, space: Space, model: Model, number: int, work: int) -> Row:
        task = read_task(sas_file_of(space.problems, number, self._folder(space)), Budget())
        config = config_of(model).override(improve_work=work)
        start_s, start_cpu_s = time.monotonic(), time.process_time()
        budget = Budget(1e6, parse_memory_bytes(MEMORY_LIMIT))
        attempt = config.attempts(task, Context(budget, self.options.seed))[-1]
        return {
            "kind": _RUN,
            "space": space.name,
            "problem": number,
            "work": work,
            "status": attempt.status.value,
            "cost": execute(task, attempt.plan).cost if attempt.plan else None,
            "cpu_s": time.process_time() - start_cpu_s,
            "wall_s": time.monotonic() - start_s,
        }


def table(records: Records) -> str:
    """Means over the problems that every amount of work was tried on; the best known is optimal for the 24-puzzle."""
    runs = records.of(_RUN)
    lines = [
        "| space | successors of beams | solved | mean plan | beside the best known | processor time |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for space in SPACES:
        rows = [row for row in runs if row["space"] == space]
        best = best_known(space, rows)
        for work in sorted({row["work"] for row in rows}):
            own = [row for row in rows if row["work"] == work]
            solved = [row for row in own if row["cost"] is not None]
            costs = statistics.mean(row["cost"] for row in solved) if solved else math.nan
            ratio = statistics.mean(row["cost"] / best[row["problem"]] for row in solved) if solved else math.nan
            cpu_s = statistics.mean(row["cpu_s"] for row in own)
            lines.append(
                f"| {space} | {work:,} | {len(solved)}/{len(own)} | {costs:.1f} | {ratio:.3f} | {cpu_s:.2f} s |"
            )
    for row in records.of(_MODEL):
        lines += ["", f"{row['space']}: {row['iterations']} iterations in {row['cpu_s']:.0f} s of processor time"]
    return "\n".join(lines) + "\n\n" + describe_machines(records) + "\n"


def best_known(space: str, rows: list[Row]) -> dict[int, int]:
    """The least cost of each problem in these rows; of Korf and Felner's boards the optimal one."""
    if space == "24-puzzle":
        return {number: len(board.blank_path) for number, board in enumerate(korf_boards())}
    best: dict[int, int] = {}
    for row in rows:
        if row["cost"] is not None:
            best[row["problem"]] = min(row["cost"], best.get(row["problem"], row["cost"]))
    return best


@click.command(help=__doc__.splitlines()[0])
@click.option("--output", default="build/plan-quality", show_default=True, type=click.Path(path_type=Path))
@click.option("--space", "spaces", multiple=True, type=click.Choice(SPACES), help="[default: all]")
@click.option("--work", "works", multiple=True, type=click.IntRange(0), help="[default: 0, 3 and 36 million]")
@click.option("--count", type=click.IntRange(1), help="The first problems of each space.  [default: all 50 or 100]")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0))
@click.option("--learn-cpu", "learn_cpu_s", default="75s", show_default=True, type=TIME)
@click.option("--set", "settings", multiple=True, help="A field of `shared`, as for `sing learn`.")
@click.option("--render-only", is_flag=True, help="Measure nothing; render what is there.")
def main(
    output: Path,
    spaces: tuple[str, ...],
    works: tuple[int, ...],
    count: int | None,
    seed: int,
    learn_cpu_s: float,
    settings: tuple[str, ...],
    render_only: bool,
) -> None:
    with experiment() as budget:
        chosen = tuple(make_space(name, count, seed) for name in SPACES if not spaces or name in spaces)
        measuring = Experiment(Options(output, seed, learn_cpu_s, settings), chosen, works or WORKS, budget)
        if not render_only:
            measuring.run()
        render(measuring.records, _RUN, output, table)


if __name__ == "__main__":
    main()
