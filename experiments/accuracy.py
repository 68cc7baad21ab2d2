"""How far estimates are from true distances, on the optimal paths of Korf and Felner's fifty 24-puzzles.

    python experiments/accuracy.py --output build/accuracy

The states on the paths have known distances to the goal. For each, h minus that distance is recorded for the learned
heuristics, goal count, and Fast Downward's FF and landmark count, each state taken as an initial state. Results are
appended to results.jsonl as they come, a board at a time, and a second call goes on where the first stopped; table.md
and the plots are rendered from that file.
"""

from __future__ import annotations

import re
import statistics
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click
import yardstick
from common import TIME, experiment, learn_for, render
from records import Records, Row, describe_machines
from spaces import Board, Space, korf_boards, make_space, sas_file_of

from sing import _core
from sing.base.budget import Budget
from sing.networks.model import Model
from sing.planners.configs import get_config
from sing.task.task import Task

NAMES = {
    "shared": "h_nn, `shared`",
    "paper": "h_nn, the paper's",
    "goalcount": "goal count",
    "ff": "FD FF",
    "landmark": "FD landmark count",
}
COLOURS = {"shared": "#2a7f3f", "paper": "#8a6bbe", "goalcount": "#777777", "ff": "#c44e52", "landmark": "#3b6ea5"}
_BAND = 10  # steps of true distance that share a line of the table


class BoardTask:
    """States of boards as states of a task, by the names of its facts."""

    def __init__(self, sas: str) -> None:
        self.sas = sas
        self.task = Task.from_sas(sas)
        self._place = {
            name: (variable, value)
            for variable, entry in enumerate(self.task.variables)
            for value, name in enumerate(entry.value_names)
        }

    def state(self, tiles: tuple[int, ...]) -> list[int]:
        state = [-1] * len(self.task.variables)
        for position, tile in enumerate(tiles):
            name = f"Atom blank(p{position})" if tile == 0 else f"Atom at(t{tile}, p{position})"
            variable, value = self._place[name]
            state[variable] = value
        return state

    def sas_from(self, state: list[int]) -> str:
        """The task with another initial state."""
        values = "\n".join(map(str, state))
        return re.sub(r"begin_state\n.*?\nend_state", f"begin_state\n{values}\nend_state", self.sas, flags=re.DOTALL)


def learned_model(
    space: Space, name: str, output: Path, records: Records, seed: int, learn_time_s: float, jobs: int, budget: Budget
) -> Model:
    """Of ours or of the paper's configuration, learned now or in a call before."""
    path = output / f"{name}.onnx"
    if not path.exists():
        config_name = space.paper_config if name == "paper" else name
        click.echo(f"learning with {config_name} …")
        config = get_config(config_name).override(learn_time_s=learn_time_s)
        learn_for(space, config, output, records, name, seed, jobs, budget).model.save(path)
    return Model.load(path)


def measure(board: Board, boards: BoardTask, models: dict[str, Model], budget: Budget, pool: ThreadPoolExecutor) -> Row:
    states = [boards.state(tiles) for tiles in board.states()]
    task = boards.task
    heuristics = {name: model.heuristic(task) for name, model in models.items()}
    heuristics["goalcount"] = _core.Heuristic.named(task.core, "goalcount")
    estimates = {name: [heuristic.evaluate(state) for state in states] for name, heuristic in heuristics.items()}

    def ask(state: list[int]) -> dict[str, int]:
        return yardstick.initial_estimates(boards.sas_from(state), ("ff", "landmark"), budget)

    told = list(pool.map(ask, states))
    for name in ("ff", "landmark"):
        estimates[name] = [answer[name] for answer in told]
    return {"kind": "board", "board": board.number, "estimates": estimates}  # the last state is 1 step from the goal


def errors(records: Records) -> dict[str, dict[int, list[int]]]:
    """By heuristic and true distance: h minus that distance."""
    found: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row in records.of("board"):
        for name, estimates in row["estimates"].items():
            for steps, estimate in enumerate(estimates):
                distance = len(estimates) - steps
                found[name][distance].append(estimate - distance)
    return found


def table(records: Records) -> str:
    found = errors(records)
    names = [name for name in NAMES if name in found]
    lines = ["| true distance | states | " + " | ".join(NAMES[name] for name in names) + " |"]
    lines.append("|---|--:|" + "--:|" * len(names))
    most = max(max(by_distance) for by_distance in found.values())
    for begin in range(1, most + 1, _BAND):
        bands = [[e for d in range(begin, begin + _BAND) for e in found[name].get(d, [])] for name in names]
        cells = [f"{statistics.mean(band):+.1f} ± {statistics.pstdev(band):.1f}" for band in bands]
        lines.append(f"| {begin}–{begin + _BAND - 1} | {len(bands[0]):,} | " + " | ".join(cells) + " |")
    num_states = sum(map(len, found[names[0]].values()))
    note = f"Mean and standard deviation of h minus the true distance, over {num_states:,} states."
    return "\n".join(lines) + f"\n\n{note}\n\n{describe_machines(records)}\n"


def plot(records: Records, path: Path) -> None:
    """Mean error over the true distance, with the band from the 10th to the 90th percentile."""
    import numpy as np
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    axes.axhline(0, color="black", linewidth=0.8)
    for name, by_distance in errors(records).items():
        distances = sorted(by_distance)
        low, high = zip(*(np.percentile(by_distance[d], (10, 90)) for d in distances), strict=True)
        axes.fill_between(distances, low, high, color=COLOURS[name], alpha=0.15, linewidth=0)
        axes.plot(distances, [np.mean(by_distance[d]) for d in distances], color=COLOURS[name], label=NAMES[name])
    axes.set(xlabel="true distance to the goal", ylabel="h − true distance", title="24-puzzle, optimal paths")
    axes.legend(fontsize=9)
    figure.savefig(path, dpi=110)


@click.command(help=__doc__.splitlines()[0])
@click.option("--output", default="build/accuracy", show_default=True, type=click.Path(path_type=Path))
@click.option("--boards", "count", default=50, show_default=True, type=click.IntRange(1, 50), help="How many.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0))
@click.option("--learn-time", default="50s", show_default=True, type=TIME)
@click.option("--jobs", default=1, show_default=True, type=click.IntRange(1), help="Processes of Fast Downward.")
@click.option("--render-only", is_flag=True, help="Measure nothing; render what is there.")
def main(output: Path, count: int, seed: int, learn_time: float, jobs: int, render_only: bool) -> None:
    with experiment() as budget:
        records = Records(output / "results.jsonl")
        known = records.keys("board", ("board",))
        todo = [board for board in korf_boards()[:count] if (board.number,) not in known]
        if todo and not render_only:
            yardstick.binary()
            records.settle(seed=seed, learn_time_s=learn_time)
            run(todo, records, output, seed, learn_time, jobs, budget)
        render(records, "board", output, table, ("accuracy", plot))


def run(
    todo: list[Board], records: Records, output: Path, seed: int, learn_time_s: float, jobs: int, budget: Budget
) -> None:
    space = make_space("24-puzzle", None, seed)
    models = {
        name: learned_model(space, name, output, records, seed, learn_time_s, jobs, budget)
        for name in ("shared", "paper")
    }
    boards = BoardTask(sas_file_of(space.problems, 0, output / "tasks").read_text())
    with ThreadPoolExecutor(jobs) as pool:
        for done, board in enumerate(todo, start=1):
            records.add(measure(board, boards, models, budget, pool))
            click.echo(f"{done}/{len(todo)} board {board.number}")


if __name__ == "__main__":
    main()
