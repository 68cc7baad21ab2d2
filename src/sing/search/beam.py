"""Beam search through the core."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sing import _core
from sing.base.budget import Budget
from sing.base.knobs import check, knob
from sing.search.search import NO_LIMIT, STATUS, SearchResult
from sing.task.task import Task

BeamStatistics = _core.BeamStatistics

# Successors that are generated before the best of them are kept; it changes nothing but speed and memory.
_ROUND = 1 << 16


@dataclass(frozen=True)
class BeamConfig:
    """How a beam goes from layer to layer."""

    width: int = knob(4096, "states of a layer of the beam; 0: as many as memory allows", least=0)
    history: int = knob(0, "layers whose states do not come again, at the least; 0: all", least=0)
    novelty: bool = knob(False, "whether novel states come before others in a beam")

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class BeamResult(SearchResult):
    """The result of one beam.

    OUT_OF_WORK with `was_cut`: the beam emptied after states had been left out, so that a wider one may find a plan.
    UNSOLVABLE: no plan costs less than the limit.
    """

    was_cut: bool = False
    num_layers: int = 0
    widest: int = 0  # states of the layer that has most
    width: int = 0  # that memory allowed at the least


def beam_search(
    task: Task,
    heuristics: Sequence[_core.Heuristic],
    config: BeamConfig,
    budget: Budget,
    *,
    seed: int = 0,
    max_work: int = NO_LIMIT,
    cost_limit: int | None = None,
    on_progress: Callable[[BeamStatistics], object] = lambda statistics: None,
) -> BeamResult:
    """Search breadth first with the best states of each layer, for a plan, or one that costs less than `cost_limit`.

    There is a thread for each of the heuristics, which must be equal, and the plan does not depend on their number. The
    search ends, OUT_OF_WORK, with the layer that reaches `max_work` successors, the heuristic's work counted as such.
    `on_progress` is called about ten times a second. Where memory is short the beam gets narrower.
    """
    prepared = _core.BeamSearch(
        task.core,
        tuple(heuristics),
        width=config.width,
        history=config.history,
        novelty=config.novelty,
        seed=seed,
        round=_ROUND,
    )

    def poll(statistics: BeamStatistics) -> bool:
        on_progress(statistics)
        return not budget.interrupted

    result = prepared.run(
        time_limit_s=budget.remaining_s,
        memory_limit_bytes=budget.remaining_bytes,
        max_work=max_work,
        cost_limit=_core.INFINITE_COST if cost_limit is None else min(cost_limit, _core.INFINITE_COST - 1),
        progress=poll,
    )
    statistics = result.statistics
    return BeamResult(
        STATUS[result.status],
        tuple(result.plan),
        result.initial_estimate,
        statistics.search,
        was_cut=result.status == _core.SearchStatus.CUT,
        num_layers=statistics.num_layers,
        widest=statistics.widest,
        width=statistics.narrowest,
    )
