"""Greedy best-first search through the core."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sing import _core
from sing.base.budget import Budget
from sing.base.errors import InputError
from sing.base.outcome import Status
from sing.task.task import Task

# What the core computes by itself, and what is learned first.
HEURISTICS = ("blind", "goalcount", "ff")
NETWORK = "network"
# Serves where nothing could be learned.
FALLBACK_HEURISTIC = "goalcount"
TIES = ("fifo", "random")
NO_LIMIT = 2**64 - 1

_STATUS = {
    _core.SearchStatus.SOLVED: Status.SOLVED,
    _core.SearchStatus.EXHAUSTED: Status.UNSOLVABLE,
    _core.SearchStatus.OUT_OF_TIME: Status.OUT_OF_TIME,
    _core.SearchStatus.OUT_OF_MEMORY: Status.OUT_OF_MEMORY,
    _core.SearchStatus.OUT_OF_WORK: Status.OUT_OF_WORK,
    _core.SearchStatus.INTERRUPTED: Status.INTERRUPTED,
}

SearchStatistics = _core.SearchStatistics


@dataclass(frozen=True)
class SearchConfig:
    """What to search with. The heuristic is one of HEURISTICS or NETWORK, a learned one.

    `queues`: each is a string of keys, most important first: `h` the heuristic's estimate, `o` the number of open
    goals, `n` novelty among states of equal h and o, `d` the number of steps from the initial state, `p`
    whether the heuristic prefers the operator that led there. A star before the keys, as in `*hd`, means no order:
    every combination of their values in the queue is equally likely. Queues take turns. `("h",)` is plain greedy
    best-first search. With `goal_orders`, the key o counts goals that hold too early as open.
    """

    heuristic: str = "goalcount"
    queues: tuple[str, ...] = ("h",)
    ties: str = "fifo"
    goal_orders: bool = False

    def __post_init__(self) -> None:
        if self.heuristic not in (*HEURISTICS, NETWORK):
            raise InputError(f"there is no heuristic '{self.heuristic}'; there are {', '.join(HEURISTICS)}")
        if self.ties not in TIES:
            raise InputError(f"ties are broken '{self.ties}'; it must be fifo or random")
        if not self.queues:
            raise InputError("a search needs at least one queue, such as 'h'")
        # Until version 0.1 open goals were written g, the field's letter for path costs; model files still say so.
        object.__setattr__(self, "queues", tuple(queue.replace("g", "o") for queue in self.queues))
        letters = [letter for letter, _ in _core.queue_keys()]
        for queue in self.queues:
            keys = queue.removeprefix("*")
            if not keys or len(set(keys)) != len(keys) or set(keys) - set(letters):
                raise InputError(
                    f"'{queue}' is not a queue; write each of the keys {', '.join(letters)} at most once, "
                    "as in 'noh' or '*hd'"
                )


@dataclass(frozen=True)
class SearchResult:
    status: Status
    plan: tuple[int, ...]  # operators by position in the task; empty unless solved
    initial_estimate: int | None  # None: the heuristic sees a dead end
    statistics: SearchStatistics
    heuristic: _core.Heuristic | None = None  # what it searched with
    seen: _core.Search | None = None  # its states and the steps between them, where some were to be kept


def search(
    task: Task,
    config: SearchConfig,
    budget: Budget,
    *,
    heuristic: _core.Heuristic | None = None,
    seed: int = 0,
    max_generated: int = NO_LIMIT,
    max_links: int = 0,
    on_progress: Callable[[SearchStatistics], object] = lambda statistics: None,
) -> SearchResult:
    """Search for a plan with what is left of the budget; costs are taken as 1.

    `heuristic` is the learned one where the configuration wants one, such as `Model.heuristic(task)`.
    The search ends after about `max_generated` successors, OUT_OF_WORK, and keeps up to `max_links` of its first steps.
    `on_progress` is called about ten times a second. Raises UnsupportedError, and LimitReached where the budget
    ends before the search begins.
    """
    task.require_supported()
    ties = _core.Ties.RANDOM if config.ties == "random" else _core.Ties.FIFO
    if (heuristic is None) == (config.heuristic == NETWORK):
        raise InputError(f"the heuristic is '{config.heuristic}'; a learned one goes with '{NETWORK}' and nothing else")
    heuristic = heuristic or _core.Heuristic.named(task.core, config.heuristic)
    prepared = _core.Search(
        task.core,
        heuristic,
        queues=list(config.queues),
        ties=ties,
        goal_orders=config.goal_orders,
        max_links=max_links,
        seed=seed,
    )
    budget.check()

    def poll(statistics: SearchStatistics) -> bool:
        on_progress(statistics)
        return not budget.interrupted

    result = prepared.run(
        time_limit_s=budget.remaining_s,
        memory_limit_bytes=budget.remaining_bytes,
        max_generated=max_generated,
        progress=poll,
    )
    plan = tuple(result.plan)
    seen = prepared if max_links else None
    return SearchResult(_STATUS[result.status], plan, result.initial_estimate, result.statistics, heuristic, seen)
