"""How fast networks are trained and evaluated, beside PyTorch, ONNX Runtime and Fast Downward in the same run.

    PYTHONPATH=experiments python benchmarks/learning_speed.py    # part of `make bench`

Everything runs on one core. Contestants take turns, medians are reported. Searches with a network are compared
with Fast Downward's FF and with our own blind search, all for the same time.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial

import click
import numpy as np
import onnxruntime
import torch
import yardstick
from families import FAMILIES, sas_of

from sing import _core
from sing.base.budget import Budget
from sing.base.reporter import Reporter
from sing.learning.learn import learn_model
from sing.networks.encoding import Encoding
from sing.networks.model import Model
from sing.networks.train import train
from sing.networks.training import TrainingConfig
from sing.planners.configs import CONFIGS
from sing.planners.single import Config
from sing.samples.sampling import SamplingConfig, sample
from sing.search.search import SearchConfig, named_heuristic, search
from sing.task.task import Task

LAYERS = {"1×16": (16,), "4×64": (64,) * 4}
BATCH_SIZES = {"native": (64, 256, 1024), "torch": (256, 1024, 4096, 16384)}
MIN_SAMPLES_PER_S, MIN_RATIO_TO_TORCH = 1_200_000, 5
MIN_RATIO_TO_FF = {"1×16": 50, "4×64": 25}
MIN_RATIO_TO_BLIND = 0.8
MAX_LEARNING_S = 5


def training(task: Task, repetitions: int, missed: list[str]) -> None:
    data = sample(task, SamplingConfig(), seed=1).dataset(Encoding.of(task, "boolean").features(task))
    click.echo(f"\nTraining on {len(data):,} samples of the 24-puzzle, samples per second and epoch")
    click.echo("| layers | trainer | batch | samples/s |\n|---|---|--:|--:|")
    for name, hidden in LAYERS.items():
        best = {}
        for trainer, batch_sizes in BATCH_SIZES.items():
            speeds = {}
            for batch_size in batch_sizes:
                config = TrainingConfig(hidden, batch_size=batch_size, max_epochs=3, trainer=trainer)
                runs = [train(data, config, seed=seed).samples_per_s for seed in range(repetitions)]
                speeds[batch_size] = statistics.median(runs)
                click.echo(f"| {name} | {trainer} | {batch_size} | {speeds[batch_size]:,.0f} |")
            best[trainer] = max(speeds.values())
        ratio = best["native"] / best["torch"]
        click.echo(f"| {name} | ratio of the best | | {ratio:.1f} |")
        if name == "1×16" and best["native"] < MIN_SAMPLES_PER_S:
            missed.append(f"training: {best['native']:,.0f} of {MIN_SAMPLES_PER_S:,} samples/s")
        if name == "1×16" and ratio < MIN_RATIO_TO_TORCH:
            missed.append(f"training: {ratio:.1f} of {MIN_RATIO_TO_TORCH} times PyTorch")


def model_of(task: Task, hidden: tuple[int, ...]) -> Model:
    config = CONFIGS["sing"].override(hidden=hidden, max_epochs=5)
    assert isinstance(config, Config) and config.learning
    return learn_model(
        task, config, seed=1, jobs=1, budget=Budget(600), reporter=Reporter(),
        search_follows=False,
    ).model  # fmt: skip


def evaluation(task: Task, repetitions: int, missed: list[str]) -> None:
    """From Python in both cases: ours gets states, ONNX Runtime their input vectors, already made."""
    click.echo(
        "\nEvaluations per second, 24-puzzle\n| layers | batch | sing | ONNX Runtime | ratio |\n|---|--:|--:|--:|--:|"
    )
    rng = np.random.default_rng(0)
    states = np.array([rng.permutation(25) for _ in range(1024)], dtype=np.int32)
    for name, hidden in LAYERS.items():
        model = model_of(task, hidden)
        network = _core.Network(task.core, model.encoding.features(task), _core.Mlp(list(model.layers)))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        session = onnxruntime.InferenceSession(model.to_bytes(), options)
        inputs = np.zeros((len(states), 625), dtype=np.float32)
        position = {atom: i for i, atom in enumerate(model.encoding.atoms)}
        for row, state in enumerate(states):
            for variable, value in enumerate(state):
                inputs[row, position[task.variables[variable].value_names[value]]] = 1
        np.testing.assert_allclose(
            network.evaluate(states), session.run(None, {"state": inputs})[0], rtol=1e-4, atol=1e-3
        )
        for batch_size in (1, 1024):
            ours, theirs = [], []
            for _ in range(repetitions):
                ours.append(_rate(network.evaluate, states, batch_size))
                theirs.append(_rate(partial(_run, session), inputs, batch_size))
            our, their = statistics.median(ours), statistics.median(theirs)
            click.echo(f"| {name} | {batch_size} | {our:,.0f} | {their:,.0f} | {our / their:.1f} |")
            if our <= their:
                missed.append(f"evaluation {name}, batch {batch_size}: {our / their:.2f} of ONNX Runtime")


def _run(session: onnxruntime.InferenceSession, inputs: np.ndarray) -> object:
    return session.run(None, {"state": inputs})


def _rate(evaluate: Callable[[np.ndarray], object], rows: np.ndarray, batch_size: int) -> float:
    start_s, count = time.perf_counter(), 0
    while time.perf_counter() - start_s < 0.5:
        for i in range(0, len(rows), batch_size):
            evaluate(rows[i : i + batch_size])
        count += len(rows)
    return count / (time.perf_counter() - start_s)


def searching(tasks: dict[str, str], repetitions: int, time_s: float, missed: list[str]) -> None:
    click.echo("\nSearch, expansions per second (in brackets: evaluations per second)")
    click.echo("| task | blind | 1×16 | of blind | 4×64 | Fast Downward FF | 1×16 / FF | 4×64 / FF |")
    click.echo("|---|--:|--:|--:|--:|--:|--:|--:|")
    for name, sas in tasks.items():
        task = Task.from_sas(sas)
        models = {layers: model_of(task, hidden) for layers, hidden in LAYERS.items()}
        speeds: dict[str, list[tuple[float, float]]] = {"blind": [], "ff": [], **{layers: [] for layers in LAYERS}}
        for _ in range(repetitions):
            run = search(task, named_heuristic(task, "blind"), SearchConfig(), Budget(time_s)).statistics
            speeds["blind"].append((run.num_expanded / run.time_s, run.num_evaluated / run.time_s))
            for layers, model in models.items():
                run = search(task, model.heuristic(task), SearchConfig(), Budget(time_s)).statistics  # fmt: skip
                speeds[layers].append((run.num_expanded / run.time_s, run.num_evaluated / run.time_s))
            their = yardstick.greedy_search(sas, "ff", time_s)
            speeds["ff"].append(
                (their.number(r"Expanded (\d+) state") / their.number(r"Search time: ([\d.e-]+)s"), 0.0)
            )
        speed = {key: statistics.median(pair[0] for pair in pairs) for key, pairs in speeds.items()}
        rate = {key: statistics.median(pair[1] for pair in pairs) for key, pairs in speeds.items()}
        cells = [f"{speed[key]:,.0f} ({rate[key]:,.0f})" for key in ("blind", *LAYERS)]
        cells.insert(2, f"{speed['1×16'] / speed['blind']:.0%} ({rate['1×16'] / rate['blind']:.0%})")
        cells.append(f"{speed['ff']:,.0f}")
        for layers, goal in MIN_RATIO_TO_FF.items():
            ratio = speed[layers] / speed["ff"]
            cells.append(f"{ratio:.0f}")
            if ratio < goal:
                missed.append(f"{name} {layers}: {ratio:.0f} of {goal} times Fast Downward's FF")
        if speed["1×16"] < MIN_RATIO_TO_BLIND * speed["blind"]:
            missed.append(f"{name} 1×16: {speed['1×16'] / speed['blind']:.0%} of {MIN_RATIO_TO_BLIND:.0%} of blind")
        click.echo(f"| {name} | " + " | ".join(cells) + " |")


def learning(task: Task, repetitions: int, missed: list[str]) -> None:
    click.echo("\nLearning on the 24-puzzle, seconds")
    click.echo("| config | samples | sampling | training | together |\n|---|--:|--:|--:|--:|")
    for name in ("sing", "shared-24-puzzle", "c4"):
        config = CONFIGS[name]
        assert isinstance(config, Config) and config.learning
        runs = []
        for seed in range(repetitions):
            learned = learn_model(
                task, config, seed=seed, jobs=1, budget=Budget(600), reporter=Reporter(),
                search_follows=False,
            )  # fmt: skip
            runs.append((learned.sample_time_s + learned.train_time_s, learned))
        total_s, learned = sorted(runs, key=lambda run: run[0])[len(runs) // 2]
        click.echo(
            f"| {name} | {learned.num_samples:,} | {learned.sample_time_s:.2f} | {learned.train_time_s:.2f} "
            f"| {total_s:.2f} |"
        )
        if name == "sing" and total_s > MAX_LEARNING_S:
            missed.append(f"learning with {name}: {total_s:.1f} s of {MAX_LEARNING_S}")


@click.command(help=__doc__.splitlines()[0])
@click.option("--repetitions", default=3, show_default=True)
@click.option("--time", "time_s", default=3.0, show_default=True, help="Seconds per search.")
def main(repetitions: int, time_s: float) -> None:
    torch.set_num_threads(1)
    tasks = {name: sas_of(name) for name in FAMILIES}
    puzzle = Task.from_sas(tasks["24-puzzle"])
    missed: list[str] = []
    click.echo(f"kernels {_core.kernel_names()[-1]}, {repetitions} repetitions")
    learning(puzzle, repetitions, missed)
    training(puzzle, repetitions, missed)
    evaluation(puzzle, repetitions, missed)
    searching(tasks, repetitions, time_s, missed)
    click.echo("\ngoals missed: " + "; ".join(missed) if missed else "\nall goals reached")


if __name__ == "__main__":
    main()
