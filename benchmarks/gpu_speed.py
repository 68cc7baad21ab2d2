"""How fast a device learns from walks and searches with beams, and with `--family` what it reaches.

    PYTHONPATH=experiments python benchmarks/gpu_speed.py --device cuda
    PYTHONPATH=experiments python benchmarks/gpu_speed.py --device cuda --family 24-puzzle --learn-time 10m
    PYTHONPATH=experiments python benchmarks/gpu_speed.py --device cpu --seconds 10

Samples per second count everything: walking, removing duplicates, labels and steps of AdamW. On a CPU all times are
processor time of one thread, so that other work on the machine does not matter much.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import click
import torch
from families import sas_of
from spaces import korf_boards, make_space

from sing.base.budget import Budget, parse_time_s
from sing.base.outcome import Status
from sing.base.reporter import Reporter
from sing.networks.model import Model
from sing.networks.torch_device import find_device
from sing.planners.configs import get_config
from sing.planners.context import Context
from sing.task.task import Task
from sing.tensors.config import TensorBeamConfig, TensorLearningConfig
from sing.tensors.device import use_threads, wait_for
from sing.tensors.inputs import StateInputs
from sing.tensors.learn import learn_on_device
from sing.tensors.moves import to_moves
from sing.tensors.network import Evaluator
from sing.tensors.solve import DeviceBeams
from sing.tensors.tables import MoveTables
from sing.translate.cube import cube
from sing.translate.generators import Family
from sing.translate.translator import translate

MIN_SAMPLES_PER_S = {"4×64": 20e6, "3×1024": 3e6}  # on a data-centre GPU
LAYERS = {"4×64": (64,) * 4, "3×1024": (1024,) * 3}
# On a CPU an iteration of the wide network had better take seconds.
ITERATION_SAMPLES = {"4×64": None, "3×1024": 3000}
BATCH_OF_STATES = {"cpu": 10_000}
BATCH_ELSEWHERE = 100_000


def clocked(device: str, seconds: float) -> Budget:
    return Budget(seconds, clock=time.process_time if device == "cpu" else time.monotonic)


def learning(task: Task, device: str, seconds: float) -> None:
    click.echo("| layers | first layer | labels | samples/s | goal |\n|---|---|---|--:|--:|")
    for name, hidden in LAYERS.items():
        for first_layer in ("gather", "product"):
            for labels, lower_after in (("walks", 1.0), ("lowered", 0.0)):
                config = TensorLearningConfig(
                    hidden=hidden,
                    first_layer=first_layer,
                    lower_after=lower_after,
                    learn_time_s=seconds,
                    iteration_samples=ITERATION_SAMPLES[name] if device == "cpu" else None,
                )
                learned = learn_on_device(
                    task, config, device, {}, seed=1, jobs=1, budget=clocked(device, 1e6), reporter=Reporter()
                )
                rate = learned.training.samples_per_s
                goal = f"{MIN_SAMPLES_PER_S[name]:,.0f}" if device != "cpu" else ""
                click.echo(f"| {name} | {first_layer} | {labels} | {rate:,.0f} | {goal} |")


def evaluating(task: Task, device_name: str, seconds: float) -> None:
    """Estimates of random states, and whole layers of a beam."""
    device = find_device(device_name)
    budget = clocked(device_name, 1e6)
    moves = to_moves(task, budget)
    tables = MoveTables(moves.moves, moves.sizes, device, budget)
    count = BATCH_OF_STATES.get(device.type, BATCH_ELSEWHERE)
    rng = random.Random(0)
    states = tables.states([tuple(rng.randrange(size) for size in moves.sizes) for _ in range(count)])
    click.echo("\n| layers | estimates/s | successors/s in beams |\n|---|--:|--:|")
    for name, hidden in LAYERS.items():
        config = TensorLearningConfig(hidden=hidden, iterations=1, iteration_samples=1000)
        model = learn_on_device(task, config, device_name, {}, seed=1, jobs=1, budget=budget, reporter=Reporter()).model
        inputs = StateInputs.of(task, moves, tables, model.encoding.fact_inputs(task))
        evaluate = Evaluator(inputs, model.layers, model.residual)
        evaluate(states)
        wait_for(device)
        start_s, batches = budget.elapsed_s, 0
        while budget.elapsed_s - start_s < seconds:
            evaluate(states)
            wait_for(device)
            batches += 1
        rate = batches * count / (budget.elapsed_s - start_s)
        own = clocked(device_name, 1e6)
        beams = DeviceBeams(task, model, False, device_name, seed=1, jobs=1, budget=own, reporter=Reporter())
        found = beams.run(TensorBeamConfig(width=count, max_width=count)).statistics
        click.echo(f"| {name} | {rate:,.0f} | {found.num_generated / found.time_s:,.0f} |")


@dataclass(frozen=True)
class Problems:
    """A problem to learn from, and others to solve, with the lengths of shortest plans where they are known."""

    training: Task
    tasks: list[Task]
    shortest: list[int] | list[None]


def problems_of(name: str, count: int) -> Problems:
    """Korf and Felner's 24-puzzles, or Rubik's cubes after 100 random turns."""
    if name == "cube":
        training, *tasks = tasks_of(cube(count=count + 1, seed=1))
        return Problems(training, tasks, [])
    space = make_space(name, count, seed=1)
    shortest = [len(board.blank_path) for board in korf_boards()[:count]]
    return Problems(tasks_of(space.training)[0], tasks_of(space.problems), shortest)


def tasks_of(family: Family) -> list[Task]:
    with tempfile.TemporaryDirectory() as folder:
        domain, problem = Path(folder, "domain.pddl"), Path(folder, "problem.pddl")
        domain.write_text(family.domain)
        tasks = []
        for text in family.problems:
            problem.write_text(text)
            tasks.append(translate(domain, problem, Budget(600)))
        return tasks


def rows(device: str, families: tuple[str, ...], learn_time_s: float, count: int, widths: tuple[int, ...]) -> None:
    """Families learned once, then solved from random starts."""
    click.echo(
        "\n| family | learning s | samples/s | width | solved | mean length | beside shortest | shortest | s each |\n"
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|"
    )
    for name in families:
        problems = problems_of(name, count)
        planner = get_config("shared-gpu").override(device=device, learn_time_s=learn_time_s)
        learned = planner.learn(problems.training, Context(clocked(device, 1e6), seed=1))
        for width in widths:
            lengths, times = solved(problems.tasks, learned.model, device, width)
            found = [length for length in lengths if length is not None]
            shortest = problems.shortest or [None] * len(lengths)
            pairs = [pair for pair in zip(lengths, shortest, strict=True) if None not in pair]
            ratio = f"{statistics.mean(ours / best for ours, best in pairs):.4f}" if pairs else "–"
            click.echo(
                f"| {name} | {learned.train_time_s:.0f} | {learned.training.samples_per_s:,.0f} | {width:,} "
                f"| {len(found)}/{len(lengths)} | {statistics.mean(found or [0]):.2f} | {ratio} "
                f"| {sum(ours == best for ours, best in pairs) if pairs else '–'} | {statistics.mean(times):.2f} |"
            )


def solved(tasks: list[Task], model: Model, device: str, width: int) -> tuple[list[int | None], list[float]]:
    """The lengths of plans, none where a beam of that width finds none, and the seconds that each took."""
    planner = get_config("shared-gpu").override(device=device, width=width, max_width=width, shorten_share=0.0)
    planner = planner.with_model(model, False)
    lengths: list[int | None] = []
    times = []
    for task in tasks:
        (attempt,) = planner.attempts(task, Context(clocked(device, 600), seed=1))
        times.append(attempt.search_time_s)
        lengths.append(len(attempt.plan) if attempt.status is Status.SOLVED else None)
    return lengths, times


@click.command()
@click.option("--device", default="cuda")
@click.option("--seconds", default=20.0, help="For each measurement of speed.")
@click.option(
    "--family", "families", multiple=True, type=click.Choice(["24-puzzle", "cube"]), help="Learn and solve it."
)
@click.option("--learn-time", default="10m", callback=lambda context, parameter, text: parse_time_s(text))
@click.option("--count", default=50, help="Problems of each family.")
@click.option("--width", "widths", multiple=True, type=int, default=[65536])
def main(
    device: str, seconds: float, families: tuple[str, ...], learn_time: float, count: int, widths: tuple[int, ...]
) -> None:
    use_threads(1)
    name = torch.cuda.get_device_name(find_device(device)) if device.startswith("cuda") else "one thread"
    click.echo(f"PyTorch {torch.__version__}, {device}: {name}\n")
    if families:
        rows(device, families, learn_time, count, widths)
        return
    task = Task.from_sas(sas_of("24-puzzle"))
    learning(task, device, seconds)
    evaluating(task, device, seconds)


if __name__ == "__main__":
    main()
