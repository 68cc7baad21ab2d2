"""The configuration of training, progress reports, and the result."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from sing import _core
from sing.base.errors import InputError
from sing.base.knobs import check, knob

if TYPE_CHECKING:
    import numpy.typing as npt

LOSSES = ("re", "mse")
TRAINERS = ("native", "torch")

Floats: TypeAlias = "npt.NDArray[np.float32]"
# Weights [inputs, outputs] and biases [outputs] of each layer; ReLU between layers, the last is linear.
Layers = tuple[tuple[Floats, Floats], ...]

_LOSS = {"re": _core.LossKind.RELATIVE_ERROR, "mse": _core.LossKind.SQUARED_ERROR}
# More would not fit any machine this runs on.
_MAX_WIDTH = 1 << 16
_MAX_LAYERS = 64


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
class TrainingConfig:
    """What to train and how; docs/training.md says where the defaults come from."""

    hidden: tuple[int, ...] = knob(
        (16,), "the widths of the hidden layers: 4x64 is four of 64, 128,64 is one of each", parse=parse_hidden
    )
    loss: str = knob(
        "re",
        "what training lowers: `re`, the mean of |ŷ - y| / (y + 1), or `mse`, the mean of (ŷ - y)²",
        choices=LOSSES,
    )
    underestimate_weight: float = knob(1.0, "what the loss is multiplied by where an estimate is too low")
    batch_size: int = knob(256, "how many samples a step of Adam looks at", least=1)
    learning_rate: float = knob(0.01, "the learning rate of Adam")
    decay: float = knob(0.5, "multiplies the learning rate after an epoch without progress")
    max_epochs: int = knob(100, "how many epochs the training has at most", least=1)
    patience: int = knob(2, "how many epochs in a row without progress end the training", least=1)
    min_progress: float = knob(0.001, "the share by which an epoch must lower the validation loss to count as progress")
    validation_share: float = knob(0.1, "share of the samples that form the validation set")
    max_reseeds: int = knob(5, "how often a dead network is started anew", least=0)
    trainer: str = knob(
        "native",
        "what trains the network: `native`, our own, or `torch`, PyTorch, which must be installed",
        choices=TRAINERS,
    )
    device: str = knob("cpu", "where PyTorch computes: cpu, cuda or another of its devices")

    def __post_init__(self) -> None:
        check(self)
        if self.trainer == "native" and self.device != "cpu":
            raise InputError(f"the native trainer runs on the CPU; for the device '{self.device}' add --trainer torch")
        if not 1 <= len(self.hidden) <= _MAX_LAYERS or not all(1 <= width <= _MAX_WIDTH for width in self.hidden):
            raise InputError(
                f"the hidden layers are {self.hidden}; there must be 1 to {_MAX_LAYERS}, of width 1 to {_MAX_WIDTH}"
            )
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


class EpochLoss(NamedTuple):
    training: float  # mean over the epoch, while the weights moved
    validation: float  # after it


@dataclass(frozen=True)
class TrainingResult:
    """A trained network with the history of its training."""

    layers: Layers = field(repr=False)
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
    """A progress report during training."""

    num_epochs: int
    samples_per_s: float
    losses: tuple[EpochLoss, ...]


OnProgress = Callable[[TrainingNews], object]
