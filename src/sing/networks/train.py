"""Training a network on samples, with the trainer that the configuration names."""

from __future__ import annotations

from itertools import pairwise

from sing import _core
from sing.base.budget import Budget
from sing.networks import native_trainer
from sing.networks.training import Layers, OnProgress, TrainingConfig, TrainingResult

# While training: weights, gradients, two moments, a transposed copy, the best so far and its successor.
_BYTES_PER_WEIGHT = 8 * 4


def num_weights(hidden: tuple[int, ...], num_inputs: int, num_outputs: int = 1) -> int:
    return sum(a * b for a, b in pairwise((num_inputs, *hidden, num_outputs)))


def has_room(weights: int, budget: Budget) -> bool:
    """Whether so many weights can be trained in the memory that is left."""
    return weights * _BYTES_PER_WEIGHT <= budget.remaining_bytes


def check_trainer(config: TrainingConfig) -> None:
    """Raise InputError now, rather than after sampling, where the trainer or its device is not there."""
    if config.trainer == "torch":
        from sing.networks.torch_device import find_device  # imports PyTorch, which takes seconds

        find_device(config.device)


def train(
    dataset: _core.Dataset,
    config: TrainingConfig | None = None,
    *,
    seed: int = 0,
    budget: Budget | None = None,
    on_progress: OnProgress = lambda news: None,
    start: Layers | None = None,
) -> TrainingResult:
    """Train a network, from random weights or from those of `start`, which must fit the configuration.

    When the budget ends first, the best network so far is returned.
    The same seed gives the same network, bit for bit on one machine, unless time ends the training.
    Raises InputError where the trainer or its device is not there, and MemoryError where there is no room for it.
    """
    config = config or TrainingConfig()
    budget = budget or Budget()
    weights = num_weights(config.hidden, dataset.num_inputs, dataset.num_outputs)
    if not has_room(weights, budget):
        raise MemoryError
    if config.trainer == "torch":
        from sing.networks import torch_trainer

        return torch_trainer.train(dataset, config, seed, budget, on_progress, start)
    return native_trainer.train(dataset, config, seed, budget, on_progress, start)
