"""Learn once, solve many: the paper's table of shared search spaces, beside Fast Downward in the same run.

    python experiments/shared_space.py --output build/shared-space --jobs 2

For every space a model of each learning configuration is learned from one problem and used on all others. Results are
appended to results.jsonl as they come and a second call goes on where the first stopped; table.md and the plots are
rendered from that file. Times are of the search alone: ours with the set-up of heuristic and search, Fast Downward's as
it reports them, without its set-up.
"""

from __future__ import annotations

import json
import math
import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import click
import yardstick
from common import MEMORY_BYTES, MEMORY_LIMIT, TIME, experiment, learn_for, render, work_through
from processes import run_process
from records import Records, Row, describe_machines
from spaces import SPACES, Space, make_space, sas_file_of

from sing.base.budget import Budget
from sing.base.errors import SingError
from sing.planners.configs import get_config

OURS, PAPER = "shared", "paper"
PLANNERS = (OURS, PAPER, "fd-ff", "fd-landmark")
NAMES = {OURS: "sing, `shared`", PAPER: "sing, the paper's", "fd-ff": "FD FF", "fd-landmark": "FD landmark count"}
# Both planners keep their limits by themselves; what hangs beyond is killed.
_GRACE_S = 60


@dataclass(frozen=True)
class Options:
    output: Path
    seed: int
    time_limit_s: float
    learn_time_s: float
    jobs: int


class Experiment:
    def __init__(self, options: Options, spaces: tuple[Space, ...], planners: tuple[str, ...], budget: Budget) -> None:
        self.options = options
        self.spaces = spaces
        self.planners = planners
        self.records = Records(options.output / "results.jsonl")
        self.budget = budget

    def run(self) -> None:
        options = self.options
        todo = self._todo()
        if not todo:
            return
        if any(planner.startswith("fd-") for planner in self.planners):
            yardstick.binary()  # raises now, not after an hour
        self.records.settle(
            seed=options.seed, time_limit_s=options.time_limit_s, learn_time_s=options.learn_time_s, memory=MEMORY_LIMIT
        )
        for space, planner in {(space.name, planner): (space, planner) for space, planner, _ in todo}.values():
            if planner in (OURS, PAPER) and not self._model_file(space, planner).exists():
                self._learn(space, planner)
        for space, number in {(space.name, number): (space, number) for space, _, number in todo}.values():
            self.budget.check()
            sas_file_of(space.problems, number, self._folder(space))  # translated before anything is timed

        def work(item: tuple[Space, str, int]) -> str:
            space, planner, number = item
            row = self._measure(space, planner, number)
            self.budget.check()
            self.records.add(row)
            return f"{space.name} {number + 1} {planner}: {row['status']}, {row['search_s']:.3f} s"

        work_through(todo, work, options.jobs, self.budget)

    def _todo(self) -> list[tuple[Space, str, int]]:
        """What is not measured yet. Spaces and planners take turns: a change of the machine's mood hits all."""
        known = self.records.keys("run", ("space", "planner", "problem"))
        most = max(len(space.problems.problems) for space in self.spaces)
        return [
            (space, planner, number)
            for number in range(most)
            for space in self.spaces
            for planner in self.planners
            if number < len(space.problems.problems) and (space.name, planner, number) not in known
        ]

    def _folder(self, space: Space) -> Path:
        return self.options.output / space.name.replace(" ", "-")

    def _model_file(self, space: Space, planner: str) -> Path:
        return self._folder(space) / f"{planner}-{self.options.seed}.onnx"

    def _learn(self, space: Space, planner: str) -> None:
        name = OURS if planner == OURS else space.paper_config
        config = get_config(name).override(learn_time_s=self.options.learn_time_s)
        click.echo(f"{space.name}: learning with {name} …")
        learned = learn_for(
            space, config, self._folder(space), self.records, planner, self.options.seed, self.options.jobs, self.budget
        )
        learned.model.save(self._model_file(space, planner))

    def _measure(self, space: Space, planner: str, number: int) -> Row:
        sas_file = sas_file_of(space.problems, number, self._folder(space))
        row = {
            "kind": "run",
            "space": space.name,
            "planner": planner,
            "problem": number,
            "seed": self.options.seed,
            "time_limit_s": self.options.time_limit_s,
        }
        if planner in (OURS, PAPER):
            return {**row, **self._sing(sas_file, self._model_file(space, planner))}
        return {**row, **self._fast_downward(sas_file.read_text(), planner.removeprefix("fd-"))}

    def _sing(self, sas_file: Path, model_file: Path) -> Row:
        """In a process of its own, as a user would run it: memory is what one process has."""
        limit_s = self.options.time_limit_s
        with tempfile.TemporaryDirectory() as folder:
            json_file = Path(folder, "result.json")
            command = [sys.executable, "-m", "sing", "solve", sas_file, "--model", model_file]
            command += ["--seed", self.options.seed, "--time-limit", limit_s, "--memory-limit", MEMORY_LIMIT]
            command += ["--plan-file", "/dev/null", "--json", json_file, "--quiet"]
            exit_code, output = run_process(list(map(str, command)), self.budget.slice(limit_s + _GRACE_S))
            if not json_file.exists():
                raise SingError(f"sing failed on '{sas_file}' with exit code {exit_code}: {output[-500:]}")
            result = json.loads(json_file.read_text())
        return {
            "status": result["status"],
            "search_s": result["times_s"]["search"],
            "expanded": result["expanded"],
            "plan_length": result["plan_length"],
        }

    def _fast_downward(self, sas: str, heuristic: str) -> Row:
        limit_s = self.options.time_limit_s
        run = yardstick.greedy_search(
            sas, heuristic, limit_s, memory_limit_bytes=MEMORY_BYTES, budget=self.budget.slice(limit_s + _GRACE_S)
        )
        if not run.is_solvable:
            return {"status": "unsolved", "search_s": limit_s, "expanded": None, "plan_length": None}
        return {
            "status": "solved",
            "search_s": run.number(r"Search time: ([\d.]+)s"),
            "expanded": int(run.number(r"Expanded (\d+) state")),
            "plan_length": int(run.number(r"Plan length: (\d+) step")),
        }


def _median(values: list[float]) -> float:
    return statistics.median(values) if values else math.nan


def summary(rows: list[Row]) -> Row:
    """Coverage and medians of one planner on one space; a run without a plan counts as slower than all others."""
    solved = [row for row in rows if row["status"] == "solved"]
    return {
        "num_solved": len(solved),
        "num_problems": len(rows),
        "search_s": _median([row["search_s"] if row["status"] == "solved" else math.inf for row in rows]),
        "slowest_s": max((row["search_s"] for row in solved), default=math.nan),
        "expanded": _median([row["expanded"] for row in solved]),
        "expanded_per_s": _median([row["expanded"] / max(row["search_s"], 1e-6) for row in solved]),
        "plan_length": _median([row["plan_length"] for row in solved]),
    }


def _by_space(records: Records) -> dict[str, dict[str, list[Row]]]:
    runs = records.of("run")
    return {
        space: {
            planner: rows
            for planner in PLANNERS
            if (rows := [row for row in runs if row["space"] == space and row["planner"] == planner])
        }
        for space in SPACES
        if any(row["space"] == space for row in runs)
    }


def table(records: Records) -> str:
    lines = [
        "| space | planner | solved | median search | slowest | median expansions | expansions/s | median plan "
        "| learning (sampling + training) |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for space, planners in _by_space(records).items():
        for planner, rows in planners.items():
            s = summary(rows)
            limit_s = max(row["time_limit_s"] for row in rows)
            # A model that was lost before it was saved was learned again: the last is the one in use.
            learned = [r for r in records.of("learn") if (r["space"], r["planner"]) == (space, planner)][-1:]
            learning = "".join(f"{row['sample_s']:.1f} + {row['train_s']:.1f} s" for row in learned) or "–"
            search_s = f"> {limit_s:g} s" if math.isinf(s["search_s"]) else f"{s['search_s']:.3g} s"
            lines.append(
                f"| {space} | {NAMES[planner]} | {s['num_solved']}/{s['num_problems']} | {search_s} | "
                f"{_text(s['slowest_s'], '.3g', ' s')} | {_text(s['expanded'], ',.0f')} | "
                f"{_text(s['expanded_per_s'], ',.0f')} | {_text(s['plan_length'], '.0f')} | {learning} |"
            )
    return "\n".join(lines) + "\n\n" + describe_machines(records) + "\n"


def _text(number: float, form: str, unit: str = "") -> str:
    return "–" if math.isnan(number) else f"{number:{form}}{unit}"


def plot(records: Records, path: Path) -> None:
    """Log-log scatter plots of search times, one panel a space: ours against both of Fast Downward's heuristics."""
    from matplotlib.figure import Figure

    spaces = _by_space(records)
    figure = Figure(figsize=(4.2 * len(spaces), 4.4), layout="constrained")
    for position, (space, planners) in enumerate(spaces.items(), start=1):
        axes = figure.add_subplot(1, len(spaces), position)
        limit_s = max(row["time_limit_s"] for rows in planners.values() for row in rows)
        ours = {(row["problem"], row["seed"]): _time(row) for row in planners.get(OURS, [])}
        for planner, marker, colour in (("fd-ff", "o", "#c44e52"), ("fd-landmark", "^", "#3b6ea5")):
            pairs = [
                (_time(row), ours[row["problem"], row["seed"]])
                for row in planners.get(planner, [])
                if (row["problem"], row["seed"]) in ours
            ]
            if pairs:
                theirs, own = zip(*pairs, strict=True)
                axes.scatter(theirs, own, s=16, marker=marker, color=colour, alpha=0.7, label=NAMES[planner])
        least = 1e-3
        axes.plot([least, limit_s], [least, limit_s], color="grey", linewidth=0.8)
        for line in (axes.axhline, axes.axvline):
            line(limit_s, color="grey", linewidth=0.8, linestyle=":")
        axes.set(xscale="log", yscale="log", xlabel="Fast Downward, s", ylabel="sing, `shared`, s", title=space)
        axes.set_xlim(least, 2 * limit_s)
        axes.set_ylim(least, 2 * limit_s)
        if axes.collections:
            axes.legend(loc="upper left", fontsize=8)
    figure.savefig(path, dpi=110)


def _time(row: Row) -> float:
    """Runs without a plan lie on the limit."""
    return float(max(row["search_s"], 1e-3) if row["status"] == "solved" else row["time_limit_s"])


@click.command(help=__doc__.splitlines()[0])
@click.option("--output", default="build/shared-space", show_default=True, type=click.Path(path_type=Path))
@click.option("--space", "spaces", multiple=True, type=click.Choice(SPACES), help="[default: all]")
@click.option("--planner", "planners", multiple=True, type=click.Choice(PLANNERS), help="[default: all]")
@click.option(
    "--count", type=click.IntRange(1), help="The first problems of each space.  [default: the paper's 50 or 100]"
)
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0))
@click.option("--time-limit", default="60s", show_default=True, type=TIME)
@click.option("--learn-time", default="50s", show_default=True, type=TIME)
@click.option("--jobs", default=1, show_default=True, type=click.IntRange(1), help="Searches at a time.")
@click.option("--render-only", is_flag=True, help="Measure nothing; render what is there.")
def main(
    output: Path,
    spaces: tuple[str, ...],
    planners: tuple[str, ...],
    count: int | None,
    seed: int,
    time_limit: float,
    learn_time: float,
    jobs: int,
    render_only: bool,
) -> None:
    with experiment() as budget:
        options = Options(output, seed, time_limit, learn_time, jobs)
        chosen = tuple(make_space(name, count, seed) for name in SPACES if not spaces or name in spaces)
        measuring = Experiment(options, chosen, planners or PLANNERS, budget)
        if not render_only:
            measuring.run()
        render(measuring.records, "run", output, table, ("runtime", plot))


if __name__ == "__main__":
    main()
