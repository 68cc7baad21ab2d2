"""The trainer on PyTorch: the same losses, schedule and result as the native one, on a CPU or a GPU."""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from sing import _core
from sing.base.budget import Budget
from sing.networks.torch_device import find_device, torch
from sing.networks.training import EpochLoss, Layers, OnProgress, TrainingConfig, TrainingNews, TrainingResult


def train(
    dataset: _core.Dataset,
    config: TrainingConfig,
    seed: int,
    budget: Budget,
    on_progress: OnProgress,
    start: Layers | None = None,
) -> TrainingResult:
    """As training.train; raises InputError where the device is not there."""
    return _Training(dataset, config, seed, budget, on_progress, start).run()


def mean_loss(estimates: torch.Tensor, labels: torch.Tensor, config: TrainingConfig) -> torch.Tensor:
    """The loss both trainers minimise, over the labels that are not NaN."""
    has_label = ~torch.isnan(labels)
    errors = (estimates - labels)[has_label]
    losses = errors.abs() / (labels[has_label] + 1) if config.loss == "re" else errors.square()
    return torch.where(errors < 0, config.underestimate_weight * losses, losses).mean()


@dataclass
class _Batches:
    """A dataset on the device as bags of inputs: sparse, as in the native trainer."""

    offsets: torch.Tensor
    inputs: torch.Tensor
    coefficients: torch.Tensor | None
    labels: torch.Tensor

    def take(self, samples: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """The entries of some samples: inputs, where each sample begins, coefficients."""
        begins = self.offsets[samples]
        lengths = self.offsets[samples + 1] - begins
        new_begins = torch.cumsum(lengths, 0) - lengths
        positions = torch.arange(int(lengths.sum()), device=self.inputs.device)
        positions += torch.repeat_interleave(begins - new_begins, lengths)
        coefficients = None if self.coefficients is None else self.coefficients[positions]
        return self.inputs[positions], new_begins, coefficients


class _Network(torch.nn.Module):
    """The first layer sums rows of an embedding; the others are dense."""

    def __init__(self, num_inputs: int, hidden: tuple[int, ...], num_outputs: int) -> None:
        super().__init__()
        self.rows = torch.nn.EmbeddingBag(num_inputs, hidden[0], mode="sum")
        self.biases = torch.nn.Parameter(torch.zeros(hidden[0]))
        self.sizes = [num_inputs, *hidden, num_outputs]
        self.rest: list[torch.nn.Linear] = [torch.nn.Linear(a, b) for a, b in pairwise(self.sizes[1:])]
        for position, layer in enumerate(self.rest):
            self.add_module(f"rest{position}", layer)

    def forward(self, inputs: torch.Tensor, begins: torch.Tensor, coefficients: torch.Tensor | None) -> torch.Tensor:
        x: torch.Tensor = self.rows(inputs, begins, per_sample_weights=coefficients) + self.biases
        for layer in self.rest:
            x = layer(torch.relu(x))
        return x

    def initialise(self, mean_square_length: float, output_bias: float, random: torch.Generator) -> None:
        """As the native trainer does it: He et al. (2015) by the inputs that are not 0."""
        with torch.no_grad():
            self.rows.weight.uniform_(-1, 1, generator=random).mul_((6 / max(1.0, mean_square_length)) ** 0.5)
            self.biases.zero_()
            for position, layer in enumerate(self.rest):
                is_last = position == len(self.rest) - 1
                layer.weight.uniform_(-1, 1, generator=random).mul_(((3 if is_last else 6) / layer.in_features) ** 0.5)
                layer.bias.fill_(output_bias if is_last else 0.0)

    def assign(self, layers: Layers, scale: float) -> None:
        """The weights of a network whose outputs are `scale` times ours."""
        (rows, biases), *rest = layers
        if [rows.shape[0], *(weights.shape[1] for weights, _ in layers)] != self.sizes:
            raise ValueError("the network to start from has another shape")
        with torch.no_grad():
            self.rows.weight.copy_(torch.from_numpy(rows))
            self.biases.copy_(torch.from_numpy(biases))
            for position, (layer, (weights, layer_biases)) in enumerate(zip(self.rest, rest, strict=True)):
                divisor = scale if position == len(self.rest) - 1 else 1.0
                layer.weight.copy_(torch.from_numpy(weights.T / np.float32(divisor)))
                layer.bias.copy_(torch.from_numpy(layer_biases / np.float32(divisor)))


class _Training:
    def __init__(
        self,
        dataset: _core.Dataset,
        config: TrainingConfig,
        seed: int,
        budget: Budget,
        on_progress: OnProgress,
        start: Layers | None,
    ) -> None:
        self.device = find_device(config.device)
        self.config = config
        self.budget = budget
        self.on_progress = on_progress
        self.seed = seed
        self.size = len(dataset)
        self.num_inputs, self.num_outputs = dataset.num_inputs, dataset.num_outputs
        self.data = _Batches(
            torch.from_numpy(dataset.offsets.astype(np.int64)).to(self.device),
            torch.from_numpy(dataset.inputs.astype(np.int64)).to(self.device),
            torch.from_numpy(dataset.coefficients).to(self.device) if len(dataset.coefficients) else None,
            torch.from_numpy(dataset.labels).to(self.device),
        )
        squares = dataset.coefficients**2 if len(dataset.coefficients) else np.ones(len(dataset.inputs))
        self.mean_square_length = float(squares.sum()) / max(1, self.size)
        sizes = np.abs(dataset.coefficients) if len(dataset.coefficients) else np.ones(len(dataset.inputs))
        self.first_rate_factor = min(1.0, 32 * self.size / max(1.0, float(sizes.sum())))
        labels = dataset.labels[~np.isnan(dataset.labels)]
        self.scale = max(1.0, float(labels.max(initial=0.0)))
        self.mean_label = float(labels.mean()) if len(labels) else 0.0
        self.start_s = time.monotonic()
        self.num_trained = 0
        self.losses: list[EpochLoss] = []
        self.start = start

    def run(self) -> TrainingResult:
        for attempt in range(self.config.max_reseeds + 1):
            status, is_constant = self._train_one(attempt)
            if not is_constant or status in ("out_of_time", "interrupted"):
                break
        time_s = time.monotonic() - self.start_s
        return TrainingResult(
            layers=self._layers(),
            status=status,
            losses=tuple(self.losses),
            best_epoch=self.best_epoch,
            num_samples=self.size,
            num_reseeds=attempt,
            is_constant=is_constant,
            samples_per_s=self.num_trained / time_s,
            time_s=time_s,
        )

    def _train_one(self, attempt: int) -> tuple[str, bool]:
        config = self.config
        mixed = np.random.SeedSequence([self.seed, attempt]).generate_state(1, np.uint64)[0]
        self.random = torch.Generator().manual_seed(int(mixed) % 2**63)
        self.network = _Network(self.num_inputs, config.hidden, self.num_outputs)
        self.network.initialise(self.mean_square_length, self.mean_label / self.scale, self.random)
        if self.start is not None and attempt == 0:
            self.network.assign(self.start, self.scale)
        self.network.to(self.device)
        rows = self.network.rows.weight
        others = [parameter for parameter in self.network.parameters() if parameter is not rows]
        groups: list[dict[str, Any]] = [
            {"params": [rows], "lr": self.first_rate_factor * config.learning_rate},
            {"params": others},
        ]
        optimiser = torch.optim.Adam(groups, lr=config.learning_rate)
        order = self._permutation(self.size)
        num_validation = int(config.validation_share * self.size)
        validation, training = order[:num_validation], order[num_validation:]
        if num_validation < 10:
            validation = training = order
        self.losses.clear()
        self.best_epoch = 0
        self.best = self._snapshot()
        best_loss = goal = float("inf")
        num_idle = 0
        for _ in range(config.max_epochs):
            training_loss, stopped = self._train_epoch(optimiser, training)
            if stopped:
                if not self.losses:
                    self.best = self._snapshot()
                return stopped, False
            validation_loss, is_constant = self._validate(validation)
            self.losses.append(EpochLoss(training_loss, validation_loss))
            if is_constant:
                return "converged", best_loss == float("inf")  # it died; an epoch before may have been good
            if validation_loss < best_loss:
                best_loss, self.best_epoch, self.best = validation_loss, len(self.losses) - 1, self._snapshot()
            if validation_loss < goal:
                goal, num_idle = (1 - config.min_progress) * validation_loss, 0
                continue
            for group in optimiser.param_groups:
                group["lr"] *= config.decay
            num_idle += 1
            if num_idle >= config.patience:
                return "converged", False
        return "max_epochs", False

    def _train_epoch(self, optimiser: torch.optim.Optimizer, training: torch.Tensor) -> tuple[float, str]:
        """The mean loss, and why the run must stop, if it must."""
        shuffled = training[self._permutation(len(training))]
        total, last_report_s = 0.0, time.monotonic()
        for batch in torch.split(shuffled, self.config.batch_size):
            optimiser.zero_grad()
            loss = mean_loss(self._estimates(batch), self.data.labels[batch], self.config)
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            total += float(loss.detach()) * len(batch)
            self.num_trained += len(batch)
            now_s = time.monotonic()
            if self.budget.remaining_s <= 0:
                return 0.0, "out_of_time"
            if self.budget.interrupted:
                return 0.0, "interrupted"
            if now_s - last_report_s > 0.1:
                last_report_s = now_s
                rate = self.num_trained / (now_s - self.start_s)
                self.on_progress(TrainingNews(len(self.losses), rate, tuple(self.losses)))
        return total / len(training), ""

    def _permutation(self, size: int) -> torch.Tensor:
        return torch.randperm(size, generator=self.random).to(self.device)

    def _validate(self, validation: torch.Tensor) -> tuple[float, bool]:
        with torch.no_grad():
            estimates = torch.cat([self._estimates(batch) for batch in torch.split(validation, 8192)])
            labels = self.data.labels[validation]
            known = labels[~torch.isnan(labels)]
            spread = float((estimates.amax(0) - estimates.amin(0)).max()) / self.scale
            is_constant = not spread > 1e-6 and bool(known.min() < known.max())  # NaN is as dead
            return float(mean_loss(estimates, labels, self.config)), is_constant

    def _estimates(self, samples: torch.Tensor) -> torch.Tensor:
        outputs: torch.Tensor = self.network(*self.data.take(samples))
        return self.scale * outputs

    def _snapshot(self) -> dict[str, torch.Tensor]:
        return {name: tensor.detach().clone() for name, tensor in self.network.state_dict().items()}

    def _layers(self) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
        weights = {name: tensor.cpu().numpy().astype(np.float32) for name, tensor in self.best.items()}
        layers = [(weights["rows.weight"], weights["biases"])]
        for position in range(len(self.config.hidden)):
            layers.append((weights[f"rest{position}.weight"].T, weights[f"rest{position}.bias"]))
        last_weights, last_biases = layers[-1]
        layers[-1] = (last_weights * np.float32(self.scale), last_biases * np.float32(self.scale))
        return tuple((np.ascontiguousarray(w), np.ascontiguousarray(b)) for w, b in layers)
