"""Sizes that suit the device, where a configuration names none."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import torch

from sing.tensors.config import TensorLearningConfig
from sing.tensors.moves import MoveTask

# By kind of device: the widths of hidden layers, samples of an iteration, samples of a step.
_HIDDEN: dict[str, tuple[int, ...]] = {"cpu": (128,)}
_HIDDEN_ELSEWHERE = (1024, 1024, 1024)
_SAMPLES = {"cpu": 50_000}
_SAMPLES_ELSEWHERE = 16_000_000
_BATCH = {"cpu": 512}
_BATCH_ELSEWHERE = 16_384
# Of a sample beside its state: labels, hashes, their order, the move that led there.
_BYTES_PER_SAMPLE = 64
# Of a weight: itself, its gradient, two moments, the last healthy one, and half as much in half precision.
_BYTES_PER_WEIGHT = 24
# Of a number that a layer gives for a sample of a batch, with what its derivative needs.
_BYTES_PER_ACTIVATION = 16
_LEAST_SAMPLES, _LEAST_BATCH = 2_000, 64


@dataclass(frozen=True)
class Sizes:
    """All that TensorLearningConfig leaves open, decided."""

    hidden: tuple[int, ...]
    first_layer: str
    walk_length: int
    num_walks: int
    batch_size: int
    learning_rate: float
    lower_after: float


def hidden_of(config: TensorLearningConfig, device: torch.device) -> tuple[int, ...]:
    return config.hidden or _HIDDEN.get(device.type, _HIDDEN_ELSEWHERE)


def choose_sizes(
    config: TensorLearningConfig, task: MoveTask, num_inputs: int, walk_length: int, device: torch.device, free: int
) -> Sizes:
    """As large as wanted, or as fit into so many free bytes. Raises MemoryError where nothing does."""
    hidden = hidden_of(config, device)
    first_layer = config.first_layer or ("gather" if device.type == "cpu" else "product")
    num_weights = sum(before * after for before, after in pairwise((num_inputs, *hidden, 1)))
    free -= num_weights * _BYTES_PER_WEIGHT
    batch = config.batch_size or _BATCH.get(device.type, _BATCH_ELSEWHERE)
    per_sample = _BYTES_PER_SAMPLE + 2 * len(task.sizes)
    per_batched = _BYTES_PER_ACTIVATION * (sum(hidden) + len(task.sizes)) + 4 * num_inputs
    batch = min(batch, max(_LEAST_BATCH, free // 4 // per_batched))
    wanted = config.iteration_samples or _SAMPLES.get(device.type, _SAMPLES_ELSEWHERE)
    samples = min(wanted, max(_LEAST_SAMPLES, free // 2 // per_sample))
    if batch * per_batched + min(samples, walk_length) * per_sample > free:
        raise MemoryError("a network of these sizes and its samples do not fit the memory that is free")
    num_walks = max(1, samples // (walk_length + 1))
    return Sizes(hidden, first_layer, walk_length, num_walks, batch, config.learning_rate, config.lower_after)
