"""How fast a device learns from walks and searches with beams, and with `--rows` what it reaches.

    PYTHONPATH=experiments python benchmarks/gpu_speed.py --device cuda
    PYTHONPATH=experiments python benchmarks/gpu_speed.py --device cuda --rows --learn-time 10m
    PYTHONPATH=experiments python benchmarks/gpu_speed.py --device cpu --seconds 10

Samples per second count everything: walking, removing duplicates, labels and steps of AdamW. On a CPU all times are
processor time of one thread, so that other work on the machine does not matter much.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from pathlib import Path

import click
import torch
from families import sas_of

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
from sing.translate.generators import Family, npuzzle
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


def tasks_of(family: Family) -> list[Task]:
    with tempfile.TemporaryDirectory() as folder:
        domain, problem = Path(folder, "domain.pddl"), Path(folder, "problem.pddl")
        domain.write_text(family.domain)
        tasks = []
        for text in family.problems:
            problem.write_text(text)
            tasks.append(translate(domain, problem, Budget(600)))
        return tasks


def rows(device: str, learn_time_s: float, count: int, widths: list[int]) -> None:
    """The 24-puzzle and Rubik's cube: learned once, then solved from random starts."""
    click.echo("\n| family | learning s | width | solved | mean length | s each |\n|---|--:|--:|--:|--:|--:|")
    families = {"24-puzzle": npuzzle(5, 5, count=count, seed=1), "cube": cube(count=count, seed=1)}
    for name, family in families.items():
        tasks = tasks_of(family)
        planner = get_config("shared-gpu").override(device=device, learn_time_s=learn_time_s)
        model = planner.learn(tasks[0], Context(clocked(device, 1e6), seed=1)).model
        for width in widths:
            lengths, times = solved(tasks, model, device, width)
            mean = statistics.mean(lengths) if lengths else 0.0
            click.echo(
                f"| {name} | {learn_time_s:.0f} | {width:,} | {len(lengths)}/{len(tasks)} | {mean:.2f} "
                f"| {statistics.mean(times):.2f} |"
            )


def solved(tasks: list[Task], model: Model, device: str, width: int) -> tuple[list[int], list[float]]:
    planner = get_config("shared-gpu").override(device=device, width=width, max_width=width, shorten_share=0.0)
    planner = planner.with_model(model, False)
    lengths, times = [], []
    for task in tasks:
        (attempt,) = planner.attempts(task, Context(clocked(device, 600), seed=1))
        times.append(attempt.search_time_s)
        if attempt.status is Status.SOLVED:
            lengths.append(len(attempt.plan))
    return lengths, times


@click.command()
@click.option("--device", default="cuda")
@click.option("--seconds", default=20.0, help="For each measurement of speed.")
@click.option("--rows", "with_rows", is_flag=True, help="Learn and solve the 24-puzzle and the cube, too.")
@click.option("--learn-time", default="10m", callback=lambda context, parameter, text: parse_time_s(text))
@click.option("--count", default=50, help="Problems of each family.")
@click.option("--width", "widths", multiple=True, type=int, default=[65536])
def main(device: str, seconds: float, with_rows: bool, learn_time: float, count: int, widths: tuple[int, ...]) -> None:
    use_threads(1)
    name = torch.cuda.get_device_name(find_device(device)) if device.startswith("cuda") else "one thread"
    click.echo(f"PyTorch {torch.__version__}, {device}: {name}\n")
    task = Task.from_sas(sas_of("24-puzzle"))
    learning(task, device, seconds)
    evaluating(task, device, seconds)
    if with_rows:
        rows(device, learn_time, count, list(widths))


if __name__ == "__main__":
    main()
