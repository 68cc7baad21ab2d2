"""Beams of a model on a device, each twice as wide as the one before, until one finds a plan."""

from __future__ import annotations

import math

import torch

from sing import _core
from sing.base.budget import Budget
from sing.base.outcome import Status
from sing.base.reporter import Reporter
from sing.networks.model import Model
from sing.networks.torch_device import find_device
from sing.search.search import SearchResult
from sing.task.task import Task
from sing.tensors.beam import BeamResult, BeamSearch, BeamStatistics
from sing.tensors.config import TensorBeamConfig
from sing.tensors.device import full_memory_is_memory_error, random_source, use_threads
from sing.tensors.hashes import StateHash
from sing.tensors.inputs import StateInputs
from sing.tensors.moves import to_moves
from sing.tensors.network import Evaluator
from sing.tensors.tables import MoveTables
from sing.tensors.walks import GoalTest

_WIDTH = {"cpu": 1 << 12}
_WIDTH_ELSEWHERE = 1 << 16
_LEAST_WIDTH = 64
# A beam that is so many times as deep as the estimate of the initial state, and a little more, leads nowhere.
_DEPTH_PER_ESTIMATE, _LEAST_DEPTH = 4, 200
_HASHES = 20  # a use of the seed


class DeviceBeams:
    """Beam searches on one device for one task."""

    def __init__(
        self,
        task: Task,
        model: Model,
        force: bool,
        device_name: str,
        *,
        seed: int,
        jobs: int,
        budget: Budget,
        reporter: Reporter,
    ) -> None:
        """Raises InputError, UnsupportedError, LimitReached and MemoryError."""
        self.device = find_device(device_name)
        use_threads(jobs)
        self.budget, self.reporter = budget, reporter
        with full_memory_is_memory_error(self.device):
            moves = to_moves(task, budget)
            self.tables = MoveTables(moves.moves, moves.sizes, self.device, budget)
            inputs = StateInputs.of(task, moves, self.tables, model.encoding.fact_inputs(task, force))
            self.evaluate = Evaluator(inputs, model.layers, model.residual)
            self.initial_state = self.tables.states([moves.initial_state])[0]
            self.goal = GoalTest(moves.goal, self.tables)
            self.hash = StateHash(self.tables, random_source(self.device, seed, _HASHES))

    def run(self, config: TensorBeamConfig) -> SearchResult:
        """The first plan. A beam that does not fit the memory is made narrower, which the reporter is told.

        Raises LimitReached, and MemoryError where not even a narrow beam fits.
        """
        width = config.width or _WIDTH.get(self.device.type, _WIDTH_ELSEWHERE)
        widest = max(width, config.max_width)
        self.start_s = self.budget.elapsed_s
        while True:
            try:
                result = self._beam(width)
            except MemoryError:
                if width <= _LEAST_WIDTH:
                    raise
                width = max(_LEAST_WIDTH, width // 4)
                widest = width
                self.reporter.done("beam", self._elapsed_s, f"no memory for this width; {width:,} from now on")
                continue
            if result.status is not Status.OUT_OF_WORK or width >= widest:
                return SearchResult(
                    result.status, result.plan, _rounded(result.initial_estimate), self._statistics(result.statistics)
                )
            width = min(2 * width, widest)

    @property
    def _elapsed_s(self) -> float:
        return self.budget.elapsed_s - self.start_s

    def _beam(self, width: int) -> BeamResult:
        def tell(statistics: BeamStatistics) -> None:
            news = f"width {width:,}, layer {statistics.num_layers}, best h {statistics.best_estimate:.1f}"
            self.reporter.working("search", news)
            self.reporter.searching(self._statistics(statistics))

        beam = BeamSearch(self.tables, self.goal, self.hash, self.evaluate, self.budget, tell)
        with full_memory_is_memory_error(self.device):
            initial = float(self.evaluate(self.initial_state[None])[0])
            depth = _LEAST_DEPTH + int(_DEPTH_PER_ESTIMATE * min(max(0.0, initial), 1e6))
            return beam.run(self.initial_state, width, depth)

    def _statistics(self, statistics: BeamStatistics) -> _core.SearchStatistics:
        is_cuda = self.device.type == "cuda"
        return _core.SearchStatistics(
            num_expanded=statistics.num_expanded,
            num_evaluated=statistics.num_evaluated,
            num_generated=statistics.num_generated,
            num_registered=statistics.num_registered,
            memory_bytes=torch.cuda.max_memory_allocated(self.device) if is_cuda else 0,
            best_estimate=_rounded(statistics.best_estimate),
            fewest_open_goals=statistics.fewest_open_goals,
            time_s=self._elapsed_s,
        )


def _rounded(estimate: float) -> int | None:
    """As the core rounds estimates."""
    return int(min(max(0.0, estimate), 1e9) + 0.5) if math.isfinite(estimate) else None
