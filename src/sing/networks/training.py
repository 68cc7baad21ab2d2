"""What training needs and what comes of it: the configuration, news while it runs, the result."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sing import _core
from sing.base.errors import InputError

LOSSES = ("re", "mse")
TRAINERS = ("native", "torch")

Floats = npt.NDArray[np.float32]
# Weights [inputs, outputs] and biases [outputs] of each layer; ReLU between layers, the last is linear.
Layers = tuple[tuple[Floats, Floats], ...]

_LOSS = {"re": _core.LossKind.RELATIVE_ERROR, "mse": _core.LossKind.SQUARED_ERROR}
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
            hidden=list(self.hidden),
            loss=self.core_loss,
            batch_size=self.batch_size,
            learning_rate=self.learning_rate,
            decay=self.decay,
            max_epochs=self.max_epochs,
            patience=self.patience,
            min_progress=self.min_progress,
            validation_share=self.validation_share,
            max_reseeds=self.max_reseeds,
            seed=seed,
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


class EpochLoss(NamedTuple):
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
