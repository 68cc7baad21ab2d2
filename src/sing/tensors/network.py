"""Networks on a device: one that learns, and one that only evaluates."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import torch
from torch.nn.functional import embedding_bag, linear

from sing.networks.training import Layers
from sing.tensors.inputs import StateInputs

# Products of matrices are fast where the sizes are multiples of this.
_ROWS_OF_PRODUCTS = 16


def residual_positions(hidden: tuple[int, ...]) -> tuple[int, ...]:
    """Which layers end a residual block: after the first they pair up, as far as their widths fit.

    >>> residual_positions((64, 64, 64, 64, 64)), residual_positions((64, 32, 32)), residual_positions((8, 8))
    ((2, 4), (), ())
    """
    found, position = [], 2
    while position < len(hidden):
        if hidden[position] == hidden[position - 2]:
            found.append(position)
            position += 2
        else:
            position += 1
    return tuple(found)


class LearningNetwork(torch.nn.Module):
    """Rows of the first layer are summed for the values of a state; the other layers are dense, with ReLU between.

    The first layer is gathered, which reads and writes only the rows that occur, or a product with zeros and ones,
    which a GPU does faster where the layer is wide.
    """

    def __init__(
        self,
        inputs: StateInputs,
        hidden: tuple[int, ...],
        residual: tuple[int, ...],
        first_layer: str,
        random: torch.Generator,
    ) -> None:
        super().__init__()
        device = inputs.offsets.device
        self.inputs = inputs
        self.residual = residual
        self.is_product = first_layer == "product"
        single = inputs.single()
        self.input_of_row = torch.from_numpy(np.where(single < 0, inputs.num_inputs, single)).to(device)
        # A row of zeros for values without an input, and more until products like their number.
        num_rows = -(-(inputs.num_inputs + 1) // _ROWS_OF_PRODUCTS) * _ROWS_OF_PRODUCTS
        rows = torch.zeros(num_rows, hidden[0], device=device)
        fan = len(inputs.offsets)
        rows[: inputs.num_inputs].uniform_(-1, 1, generator=random).mul_((6 / fan) ** 0.5)
        self.rows = torch.nn.Parameter(rows)
        self.biases = torch.nn.Parameter(torch.zeros(hidden[0], device=device))
        self.rest = [torch.nn.Linear(before, after, device=device) for before, after in pairwise((*hidden, 1))]
        self.layer_list = torch.nn.ModuleList(self.rest)  # so that PyTorch knows of them
        with torch.no_grad():
            for position, layer in enumerate(self.rest, start=1):
                bound = (3 if position == len(hidden) else 6) ** 0.5 / layer.in_features**0.5
                bound *= 0.5 if position in residual else 1.0  # what passes by the block is there already
                layer.weight.uniform_(-bound, bound, generator=random)
                layer.bias.zero_()

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """[states]"""
        inputs = self.input_of_row[self.inputs.rows(states)]
        none = self.inputs.num_inputs
        if self.is_product:
            kind = torch.bfloat16 if torch.is_autocast_enabled() else torch.float32
            ones = torch.zeros(len(states), len(self.rows), device=states.device, dtype=kind)
            ones.scatter_(1, inputs, 1)
            ones[:, none] = 0
            x = linear(ones, self.rows.t(), self.biases)
        else:
            x = embedding_bag(inputs, self.rows, mode="sum", padding_idx=none) + self.biases
        before: torch.Tensor | None = None
        for position, layer in enumerate(self.rest, start=1):
            given = torch.relu(x)
            x = linear(given, layer.weight, layer.bias)
            if position in self.residual and before is not None:
                x = x + before
            before = given
        return x[:, 0].float()

    def layers(self, scale: float, shift: float) -> Layers:
        """The weights of a network whose output is `scale` times ours, plus `shift`."""
        found = [(self.rows[: self.inputs.num_inputs].detach(), self.biases.detach())]
        found += [(layer.weight.detach().t(), layer.bias.detach()) for layer in self.rest]
        layers = [(w.float().cpu().numpy(), b.float().cpu().numpy()) for w, b in found]
        weights, biases = layers[-1]
        layers[-1] = (weights * np.float32(scale), biases * np.float32(scale) + np.float32(shift))
        return tuple((np.array(w, np.float32, order="C"), np.array(b, np.float32, order="C")) for w, b in layers)


class Evaluator:
    """A trained network on a device, in full precision."""

    def __init__(self, inputs: StateInputs, layers: Layers, residual: tuple[int, ...]) -> None:
        self.inputs = inputs
        self.device = inputs.offsets.device
        self.residual = residual
        weights, biases = layers[0]
        self.rows = self._on_device(inputs.matrix @ weights)
        self.biases = self._on_device(biases + inputs.constant @ weights)
        self.rest = [(self._on_device(w.T), self._on_device(b)) for w, b in layers[1:]]
        self.width = max(len(b) for _, b in layers)

    def _on_device(self, array: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(np.ascontiguousarray(array, dtype=np.float32)).to(self.device)

    @torch.no_grad()
    def __call__(self, states: torch.Tensor) -> torch.Tensor:
        """Estimates [states], as the network gives them: neither rounded nor cut at 0."""
        x = embedding_bag(self.inputs.rows(states), self.rows, mode="sum") + self.biases
        before: torch.Tensor | None = None
        for position, (weights, biases) in enumerate(self.rest, start=1):
            given = torch.relu(x)
            x = linear(given, weights, biases)
            if position in self.residual and before is not None:
                x = x + before
            before = given
        return x[:, 0]
