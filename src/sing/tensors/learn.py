"""From a task to a model, on a device."""

from __future__ import annotations

import dataclasses
from typing import Any

import torch

from sing.base.budget import Budget
from sing.base.errors import NothingLearnedError, UnsupportedError
from sing.base.reporter import Reporter
from sing.learning.learn import Learned, sparkline
from sing.networks.encoding import Encoding
from sing.networks.model import Model
from sing.networks.torch_device import find_device
from sing.networks.training import EpochLoss, TrainingResult
from sing.task.task import Task
from sing.tensors.config import TensorLearningConfig
from sing.tensors.device import free_bytes, full_memory_is_memory_error, random_source, use_threads
from sing.tensors.inputs import StateInputs
from sing.tensors.inverse import backward_moves
from sing.tensors.moves import to_moves
from sing.tensors.network import LearningNetwork, residual_positions
from sing.tensors.sizes import choose_sizes
from sing.tensors.starts import goal_states
from sing.tensors.tables import MoveTables
from sing.tensors.training import TensorTraining, Trainer
from sing.tensors.walk_length import walk_length
from sing.tensors.walks import Walks

_PROBING, _WEIGHTS = 10, 11  # uses of the seed
# To make a model of the weights and to write it into a file, before the time limit ends.
_KEEPING_S, _KEEPING_S_PER_WEIGHT = 0.2, 100e-9


def learn_on_device(
    task: Task,
    config: TensorLearningConfig,
    device_name: str,
    origin: dict[str, Any],
    *,
    seed: int,
    jobs: int,
    budget: Budget,
    reporter: Reporter,
) -> Learned:
    """Walk backward from the goal and learn the lengths of the walks, until the iterations or the time are over.

    An interruption leaves the network so far. Raises NothingLearnedError, UnsupportedError, InputError where the device
    is not there, and LimitReached or MemoryError where nothing was learned before the budget ended.
    """
    device = find_device(device_name)
    use_threads(jobs)
    with full_memory_is_memory_error(device):
        return _learn(task, config, origin, device, seed, budget, reporter)


def _learn(
    task: Task,
    config: TensorLearningConfig,
    origin: dict[str, Any],
    device: torch.device,
    seed: int,
    budget: Budget,
    reporter: Reporter,
) -> Learned:
    start_s = budget.elapsed_s
    reporter.working("walk")
    encoding = Encoding.of(task, "boolean")
    if encoding.num_inputs == 0:
        raise NothingLearnedError("the task names no atoms, so states have no input vector")
    moves = to_moves(task, budget)
    backward = backward_moves(moves, budget)
    starts = goal_states(moves, seed, budget)
    if not starts or not backward:
        raise NothingLearnedError("no start with a backward step: the goal is inconsistent or nothing leads to it")
    tables = MoveTables(backward, moves.sizes, device, budget)
    forward = MoveTables(moves.moves, moves.sizes, device, budget)
    walks = Walks(moves, tables, backward, tables.states(starts))
    length = config.walk_length or walk_length(
        walks, config.walk_changes, random_source(device, seed, _PROBING), budget
    )
    inputs = StateInputs.of(task, moves, tables, encoding.fact_inputs(task))
    sizes = choose_sizes(config, moves, inputs.num_inputs, length, device, free_bytes(device, budget))
    residual = residual_positions(sizes.hidden) if config.residual else ()
    try:
        network = LearningNetwork(
            inputs, sizes.hidden, residual, sizes.first_layer, random_source(device, seed, _WEIGHTS)
        )
    except ValueError as error:
        raise UnsupportedError(f"networks on tensors need bits as inputs: {error}") from None
    sample_time_s = budget.elapsed_s - start_s
    reporter.done(
        "walk", sample_time_s,
        f"{len(moves.sizes)} variables, {len(backward):,} backward moves, {len(starts)} goal states, "
        f"walks of {length} steps",
    )  # fmt: skip

    start_s = budget.elapsed_s
    reporter.working("train")

    def tell(iteration: int, samples_per_s: float, losses: tuple[EpochLoss, ...]) -> None:
        reporter.working("train", f"iteration {iteration + 1}, {samples_per_s:,.0f} samples/s, {_error(losses)}")

    kept_s = _KEEPING_S + _KEEPING_S_PER_WEIGHT * sum(parameter.numel() for parameter in network.parameters())
    learning = budget.slice(min(config.learn_time_s or budget.remaining_s, budget.remaining_s - kept_s))
    result = Trainer(walks, forward, network, sizes, seed, learning, tell).run(config.iterations)
    reporter.trained(result.losses)
    train_time_s = budget.elapsed_s - start_s
    reporter.done("train", train_time_s, _describe(result, sizes.hidden))
    if result.is_constant:
        raise NothingLearnedError("the network gives one estimate for all states")
    told = {
        **dataclasses.asdict(config),
        "walk_length": length,
        "learned": {
            "num_samples": result.num_samples,
            "num_epochs": len(result.losses),
            "validation_loss": result.losses[-1].validation if result.losses else None,
            "accuracy": [],
        },
        **origin,
    }
    model = Model(encoding, result.layers, told, seed, residual=residual)
    return Learned(model, result.num_samples, _training_result(result), sample_time_s, train_time_s)


def _error(losses: tuple[EpochLoss, ...]) -> str:
    return f"squared error {losses[-1].validation:.3f}" if losses else "no iteration completed"


def _describe(result: TensorTraining, hidden: tuple[int, ...]) -> str:
    rate = result.num_samples / result.time_s if result.time_s > 0 else 0.0
    line = f"  {sparkline(result.losses)}" if result.losses else ""
    widths = ", ".join(map(str, hidden))
    return (
        f"layers of {widths}, {len(result.losses)} iterations, {result.num_samples:,} samples, {rate:,.0f}/s, "
        f"{_error(result.losses)}{line}"
    )


def _training_result(result: TensorTraining) -> TrainingResult:
    return TrainingResult(
        layers=result.layers,
        status=result.status,
        losses=result.losses,
        best_epoch=max(0, len(result.losses) - 1),
        num_samples=result.num_samples,
        num_reseeds=0,
        is_constant=result.is_constant,
        samples_per_s=result.num_samples / result.time_s if result.time_s > 0 else 0.0,
        time_s=result.time_s,
    )
