"""How to learn and search on tensors. This file does without PyTorch, so that configurations can be listed."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sing.base.budget import parse_time_s
from sing.base.errors import InputError
from sing.base.knobs import check, knob
from sing.networks.training import parse_hidden

FIRST_LAYERS = ("gather", "product")


@dataclass(frozen=True)
class TensorLearningConfig:
    """How to learn on a device. What is none is chosen for the device."""

    hidden: tuple[int, ...] | None = knob(
        None, "the widths of the hidden layers; none: 3x1024, on a CPU 1x128", parse=parse_hidden
    )
    residual: bool = knob(True, "whether pairs of layers of one width are residual blocks")
    first_layer: str | None = knob(
        None, "how the first layer is computed: `gather` or `product`; none: a product on a GPU"
    )
    walk_length: int | None = knob(None, "steps of each backward walk; none: as walk_changes says", least=1)
    walk_changes: float = knob(10.0, "walks are so long that a variable changes so many times in the mean", least=0.1)
    iteration_samples: int | None = knob(
        None, "samples that are walked for and learned from in an iteration; none: 16,000,000, on a CPU 50,000", least=1
    )
    batch_size: int | None = knob(None, "samples of a step of AdamW; none: 16,384, on a CPU 512", least=1)
    learning_rate: float = knob(0.001, "the learning rate of AdamW", least=1e-9)
    iterations: int = knob(100_000, "how many iterations there are at most", least=1)
    lower_after: float = knob(
        1.0, "the share of the learning after which labels are lowered by the network's own estimates; 1: never",
        least=0.0,
    )  # fmt: skip
    learn_time_s: float | None = knob(None, "how long learning may take", parse=parse_time_s)

    def __post_init__(self) -> None:
        check(self)
        if self.first_layer not in (None, *FIRST_LAYERS):
            raise InputError(f"first_layer is '{self.first_layer}'; it must be one of {', '.join(FIRST_LAYERS)}")
        if self.hidden is not None and not (self.hidden and all(1 <= width <= 1 << 16 for width in self.hidden)):
            raise InputError(f"the hidden layers are {self.hidden}; each must have a width from 1 to 65536")
        if self.learn_time_s is not None and not 0 < self.learn_time_s < math.inf:
            raise InputError(f"the time to learn is {self.learn_time_s} s; it must be above 0")


@dataclass(frozen=True)
class TensorBeamConfig:
    """How to search on a device. What is none is chosen for the device."""

    width: int | None = knob(
        None, "states of a layer of the first beam; none: 65,536, on a CPU 4,096; each further beam has twice as many",
        least=1,
    )  # fmt: skip
    max_width: int = knob(1 << 22, "states of a layer of the widest beam", least=1)

    def __post_init__(self) -> None:
        check(self)
