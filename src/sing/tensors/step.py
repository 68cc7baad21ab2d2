"""One step of AdamW for a batch of samples, recorded once and then replayed where the device can do that."""

from __future__ import annotations

import torch

from sing.tensors.network import LearningNetwork

_WEIGHT_DECAY = 1e-4
# Steps that are taken before one is recorded, so that everything that is made on demand is there.
_STEPS_BEFORE_RECORDING = 3


class TrainingStep:
    """Steps towards labels, by mean squared error.

    A step is some hundred small operations, and on a GPU to start each of them takes longer than to do it. So there
    one step on a full batch is recorded as a graph, which is started at once. Other batches are done one by one.
    """

    def __init__(self, network: LearningNetwork, batch_size: int, learning_rate: float) -> None:
        self.network = network
        self.batch_size = batch_size
        self.device = network.biases.device
        self.is_cuda = self.device.type == "cuda"
        # Gradients of gathered rows are sorted by row, which asks how many there are: that cannot be recorded.
        self.can_record = self.is_cuda and network.is_product
        self.squared_error = torch.zeros((), device=self.device)  # summed over samples
        self.restart(learning_rate)

    def restart(self, learning_rate: float) -> None:
        """Forget all moments."""
        self.rate = torch.tensor(learning_rate, device=self.device)
        self.optimiser = torch.optim.AdamW(
            self.network.parameters(),
            lr=self.rate if self.is_cuda else learning_rate,
            weight_decay=_WEIGHT_DECAY,
            fused=self.is_cuda or None,
            capturable=self.is_cuda,
        )
        self.num_before_recording = _STEPS_BEFORE_RECORDING
        self.graph: torch.cuda.CUDAGraph | None = None

    def set_rate(self, rate: float) -> None:
        if self.is_cuda:
            self.rate.fill_(rate)
            return
        for group in self.optimiser.param_groups:
            group["lr"] = rate

    def take(self, states: torch.Tensor, targets: torch.Tensor) -> None:
        """States [batch, variables], targets [batch]."""
        if not self.can_record or len(states) != self.batch_size:
            self.optimiser.zero_grad(set_to_none=True)
            self._compute(states, targets)
        elif self.graph is not None:
            self.states.copy_(states)
            self.targets.copy_(targets)
            self.graph.replay()
        elif self.num_before_recording > 0:
            self.num_before_recording -= 1
            self._take_aside(states, targets)
        else:
            self.graph = self._record(states, targets)
            self.graph.replay()

    def _take_aside(self, states: torch.Tensor, targets: torch.Tensor) -> None:
        """On a stream of its own, as what is to be recorded has to run first."""
        aside = torch.cuda.Stream(self.device)  # type: ignore[no-untyped-call]
        aside.wait_stream(torch.cuda.current_stream(self.device))
        with torch.cuda.stream(aside):
            self.optimiser.zero_grad(set_to_none=True)
            self._compute(states, targets)
        torch.cuda.current_stream(self.device).wait_stream(aside)

    def _record(self, states: torch.Tensor, targets: torch.Tensor) -> torch.cuda.CUDAGraph:
        self.states, self.targets = states.clone(), targets.clone()
        self.optimiser.zero_grad(set_to_none=True)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self._compute(self.states, self.targets)
        return graph

    def _compute(self, states: torch.Tensor, targets: torch.Tensor) -> None:
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.is_cuda, cache_enabled=False):
            outputs = self.network(states)
        loss = (outputs - targets).square().mean()
        loss.backward()
        self.optimiser.step()
        self.squared_error += loss.detach() * len(states)
