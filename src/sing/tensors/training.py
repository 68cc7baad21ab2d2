"""Training on a device: walks become samples there, and samples become steps of AdamW."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass

import torch

from sing.base.budget import Budget, LimitReached
from sing.networks.training import EpochLoss, Layers
from sing.tensors.device import random_source, wait_for
from sing.tensors.hashes import StateHash, least_of_equal
from sing.tensors.labels import lowered_labels
from sing.tensors.network import LearningNetwork
from sing.tensors.sizes import Sizes
from sing.tensors.step import TrainingStep
from sing.tensors.tables import MoveTables
from sing.tensors.walks import Walks

# Steps of AdamW between two looks at the clock, on a device that works ahead of us.
_STEPS_PER_POLL = {"cpu": 1}
_STEPS_PER_POLL_ELSEWHERE = 16
# The learning rate rises over the first steps, and falls to nothing over the last part of the time.
_WARM_STEPS, _FALLING_SHARE = 100, 0.5
# Independent random numbers for different uses of one seed.
_WALKS, _WEIGHTS, _ORDER, _HASHES = range(4)


@dataclass(frozen=True)
class TensorTraining:
    """A network after some iterations."""

    layers: Layers
    status: str  # max_epochs, out_of_time or interrupted
    losses: tuple[EpochLoss, ...]  # squared errors in steps, of each complete iteration, on samples not seen before
    num_samples: int
    is_constant: bool
    time_s: float


@dataclass
class _Progress:
    """How much of the training is over, by iterations or by time, whichever is further."""

    num_iterations: int
    budget: Budget
    total_s: float
    iteration: int = 0
    part: float = 0.0  # of the iteration

    @property
    def share(self) -> float:
        done = (self.iteration + self.part) / self.num_iterations
        return min(1.0, max(done, 1 - self.budget.remaining_s / self.total_s))


class Trainer:
    """Each iteration walks anew, labels the states by the length of the walk, perhaps lowers the labels by the
    network's estimates, and trains once on every sample."""

    def __init__(
        self,
        walks: Walks,
        forward: MoveTables,
        network: LearningNetwork,
        sizes: Sizes,
        seed: int,
        budget: Budget,
        on_iteration: Callable[[int, float, tuple[EpochLoss, ...]], object],
    ) -> None:
        self.walks, self.forward, self.network, self.sizes = walks, forward, network, sizes
        self.budget = budget
        self.on_iteration = on_iteration
        self.device = forward.device
        self.walking = random_source(self.device, seed, _WALKS)
        self.ordering = random_source(self.device, seed, _ORDER)
        self.hash = StateHash(forward, random_source(self.device, seed, _HASHES))
        self.learning_rate = sizes.learning_rate
        self.step = TrainingStep(network, sizes.batch_size, sizes.learning_rate)
        self.healthy = copy.deepcopy(network.state_dict())
        self.poll_every = _STEPS_PER_POLL.get(self.device.type, _STEPS_PER_POLL_ELSEWHERE)
        self.num_steps = 0
        # Labels of walks lie between 0 and their length, and about evenly.
        self.scale, self.shift = max(1.0, sizes.walk_length / math.sqrt(12)), sizes.walk_length / 2

    def run(self, num_iterations: int) -> TensorTraining:
        """Ends early, with the network as it is, where time is up or the run is interrupted.

        Raises LimitReached where that happens before the first step.
        """
        start_s = self.budget.elapsed_s
        progress = _Progress(num_iterations, self.budget, max(1e-9, self.budget.remaining_s))
        losses: list[EpochLoss] = []
        status = "max_epochs"
        num_samples = 0
        for iteration in range(num_iterations):
            progress.iteration, progress.part = iteration, 0.0
            try:
                states, labels = self.samples(progress.share)
                loss = self._train(states, labels, progress)
            except LimitReached as limit:
                if not self.num_steps:
                    raise
                status = limit.status.value
                break
            num_samples += len(states)
            self._keep_or_restore(loss)
            losses.append(EpochLoss(loss, loss))
            self.on_iteration(iteration, num_samples / max(1e-9, self.budget.elapsed_s - start_s), tuple(losses))
        if not all(bool(parameter.isfinite().all()) for parameter in self.network.parameters()):
            self.network.load_state_dict(self.healthy)
        layers = self.network.layers(self.scale, self.shift)
        time_s = self.budget.elapsed_s - start_s
        return TensorTraining(layers, status, tuple(losses), num_samples, self._is_constant(), time_s)

    def samples(self, share: float) -> tuple[torch.Tensor, torch.Tensor]:
        """States of new walks with their labels. Raises LimitReached."""
        walked = self.walks.run(self.sizes.num_walks, self.sizes.walk_length, self.walking, self.budget)
        states = walked.states.flatten(0, 1)
        labels = least_of_equal(self.hash.of(states), walked.labels.flatten())
        if share >= self.sizes.lower_after:
            labels = lowered_labels(self.forward, self.walks.goal, states, labels, self._estimate, self.budget)
        return states, labels

    def _estimate(self, states: torch.Tensor) -> torch.Tensor:
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            outputs: torch.Tensor = self.network(states)
            return outputs * self.scale + self.shift

    def _train(self, states: torch.Tensor, labels: torch.Tensor, progress: _Progress) -> float:
        """One step for each batch; the mean squared error. Raises LimitReached."""
        order = torch.randperm(len(states), generator=self.ordering, device=self.device)
        states, targets = states[order], ((labels - self.shift) / self.scale)[order]
        self.step.squared_error.zero_()
        batches = zip(
            torch.split(states, self.sizes.batch_size), torch.split(targets, self.sizes.batch_size), strict=True
        )
        for number, (some, wanted) in enumerate(batches):
            if number % self.poll_every == 0:
                wait_for(self.device)
                self.budget.check()
                progress.part = number * self.sizes.batch_size / len(states)
                self._set_rate(progress.share)
            self.step.take(some, wanted)
            self.num_steps += 1
        return float(self.step.squared_error) / len(states) * self.scale**2

    def _keep_or_restore(self, loss: float) -> None:
        """Goes back to the weights of the iteration before, with smaller steps, where the numbers ran away."""
        if math.isfinite(loss):
            self.healthy = copy.deepcopy(self.network.state_dict())
            return
        self.network.load_state_dict(self.healthy)
        self.learning_rate /= 2
        self.step.restart(self.learning_rate)

    def _set_rate(self, share: float) -> None:
        rate = self.learning_rate * min(1.0, (self.num_steps + 1) / _WARM_STEPS)
        rate *= min(1.0, max(0.01, (1 - share) / _FALLING_SHARE))
        self.step.set_rate(rate)

    @torch.no_grad()
    def _is_constant(self) -> bool:
        """Whether it says the same of all states that a few walks meet."""
        states = self.walks.run(16, min(64, self.sizes.walk_length), self.walking, Budget()).states.flatten(0, 1)
        outputs = self.network(states)
        return not bool((outputs.max() - outputs.min()) * self.scale > 1e-3)
