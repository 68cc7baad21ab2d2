"""Training a network on samples: the configuration, the result, and the native trainer."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sing import _core
from sing.budget import Budget
from sing.errors import InputError

LOSSES = ("re", "mse")
TRAINERS = ("native", "torch")

Floats = npt.NDArray[np.float32]
# Weights [inputs, outputs] and biases [outputs] of each layer; ReLU between layers, the last is linear.
Layers = tuple[tuple[Floats, Floats], ...]

_LOSS = {"re": _core.LossKind.RELATIVE_ERROR, "mse": _core.LossKind.SQUARED_ERROR}
_STATUS = {
    _core.TrainingStatus.CONVERGED: "converged",
    _core.TrainingStatus.MAX_EPOCHS: "max_epochs",
    _core.TrainingStatus.OUT_OF_TIME: "out_of_time",
    _core.TrainingStatus.INTERRUPTED: "interrupted",
}
# More would not fit any machine this runs on.
_MAX_WIDTH = 1 << 16
_MAX_LAYERS = 64


@dataclass(frozen=True)
class TrainingConfig:
    """What to train and how; docs/training.md says where the defaults come from.

    `hidden`: widths of the hidden layers. `loss`: `re`, the mean of |ŷ - y| / (y + 1), or `mse`, the mean of
    (ŷ - y)². `underestimate_weight` multiplies the loss where ŷ < y. A step of Adam takes `batch_size` samples at
    the rate `learning_rate`. `validation_share` of the samples is set apart: the validation set. The learning rate is
    multiplied by `decay` after an epoch that does not lower the loss there by the share `min_progress`; `patience` such
    epochs in a row end the training, as do `max_epochs` in all. A dead network is started anew `max_reseeds` times at
    most. `trainer`: `native` or `torch`, which also has a `device`.
    """

    hidden: tuple[int, ...] = (16,)
    loss: str = "re"
    underestimate_weight: float = 1.0
    batch_size: int = 256
    learning_rate: float = 0.01
    decay: float = 0.5
    max_epochs: int = 100
    patience: int = 2
    min_progress: float = 0.001
    validation_share: float = 0.1
    max_reseeds: int = 5
    trainer: str = "native"
    device: str = "cpu"

    def __post_init__(self) -> None:
        if self.loss not in LOSSES:
            raise InputError(f"there is no loss '{self.loss}'; there are {', '.join(LOSSES)}")
        if self.trainer not in TRAINERS:
            raise InputError(f"there is no trainer '{self.trainer}'; there are {', '.join(TRAINERS)}")
        if self.trainer == "native" and self.device != "cpu":
            raise InputError(f"the native trainer runs on the CPU; for the device '{self.device}' add --trainer torch")
        if not 1 <= len(self.hidden) <= _MAX_LAYERS or not all(1 <= width <= _MAX_WIDTH for width in self.hidden):
            raise InputError(
                f"the hidden layers are {self.hidden}; there must be 1 to {_MAX_LAYERS}, of width 1 to {_MAX_WIDTH}"
            )
        for name in ("batch_size", "max_epochs", "patience"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} is {getattr(self, name)}; it must be at least 1")
        try:
            self.to_core(0)
        except (ValueError, TypeError, OverflowError) as error:
            raise InputError(f"bad training configuration: {error}") from None

    @property
    def core_loss(self) -> _core.Loss:
        return _core.Loss(_LOSS[self.loss], self.underestimate_weight)

    def to_core(self, seed: int) -> _core.TrainerConfig:
        return _core.TrainerConfig(
            list(self.hidden),
            self.core_loss,
            self.batch_size,
            self.learning_rate,
            self.decay,
            self.max_epochs,
            self.patience,
            self.min_progress,
            self.validation_share,
            self.max_reseeds,
            seed,
        )


def parse_hidden(text: str) -> tuple[int, ...]:
    """Widths of hidden layers from `4x64`, `1×16` or `128,64`.

    >>> parse_hidden("4x64")
    (64, 64, 64, 64)
    """
    if match := re.fullmatch(r"(\d{1,6})[x×](\d{1,6})", text.strip()):
        if int(match[1]) <= _MAX_LAYERS:
            return (int(match[2]),) * int(match[1])
    elif re.fullmatch(r"\d{1,6}(,\d{1,6})*", text.strip()):
        return tuple(int(width) for width in text.split(","))
    raise InputError(f"'{text}' are no hidden layers; write layers x width as in 4x64, or widths as in 128,64")


@dataclass(frozen=True)
class EpochLoss:
    training: float  # mean over the epoch, while the weights moved
    validation: float  # after it


@dataclass(frozen=True)
class TrainingResult:
    """A trained network and how it came about."""

    layers: Layers
    status: str  # converged, max_epochs, out_of_time or interrupted
    losses: tuple[EpochLoss, ...]  # of every complete epoch
    best_epoch: int  # position in losses; its weights are the layers
    num_samples: int  # in the training and the validation set
    num_reseeds: int
    is_constant: bool  # every start was dead: one output for all samples
    samples_per_s: float  # over all epochs
    time_s: float

    @property
    def validation_error(self) -> float | None:
        """The loss on the validation set; None where no epoch was completed."""
        return self.losses[self.best_epoch].validation if self.losses else None


@dataclass(frozen=True)
class TrainingNews:
    """What is heard while training runs."""

    num_epochs: int
    samples_per_s: float
    losses: tuple[EpochLoss, ...]


OnProgress = Callable[[TrainingNews], object]


def check_trainer(config: TrainingConfig) -> None:
    """Raise InputError now, rather than after sampling, where the trainer or its device is not there."""
    if config.trainer == "torch":
        from sing import torch_trainer  # imports PyTorch, which takes seconds

        torch_trainer.find_device(config.device)


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
    Raises InputError where the trainer or its device is not there.
    """
    config = config or TrainingConfig()
    budget = budget or Budget()
    if config.trainer == "torch":
        from sing import torch_trainer

        return torch_trainer.train(dataset, config, seed, budget, on_progress, start)
    start_s = time.monotonic()

    def poll(progress: _core.TrainingProgress) -> bool:
        elapsed_s = time.monotonic() - start_s
        on_progress(TrainingNews(progress.num_epochs, progress.num_samples / elapsed_s, _losses(progress.losses)))
        return not budget.interrupted

    core_start = None if start is None else _core.Mlp(list(start))
    result = _core.train(dataset, config.to_core(seed), budget.remaining_s, poll, core_start)
    time_s = time.monotonic() - start_s
    return TrainingResult(
        layers=tuple(result.mlp.layers),
        status=_STATUS[result.status],
        losses=_losses(result.losses),
        best_epoch=result.best_epoch,
        num_samples=len(dataset),
        num_reseeds=result.num_reseeds,
        is_constant=result.is_constant,
        samples_per_s=result.num_samples / time_s if time_s > 0 else 0.0,
        time_s=time_s,
    )


def _losses(pairs: list[tuple[float, float]]) -> tuple[EpochLoss, ...]:
    return tuple(EpochLoss(training, validation) for training, validation in pairs)
