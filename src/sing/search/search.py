"""Greedy best-first search through the core."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sing import _core
from sing.base.budget import Budget
from sing.base.errors import InputError
from sing.base.knobs import check, knob
from sing.base.outcome import Status
from sing.task.task import Task

# What the core computes by itself.
HEURISTICS = ("blind", "goalcount", "ff", "relaxed", "adjusted", "landmarks")
TIES = ("fifo", "random")
NO_LIMIT = 2**64 - 1

STATUS = {
    _core.SearchStatus.SOLVED: Status.SOLVED,
    _core.SearchStatus.EXHAUSTED: Status.UNSOLVABLE,
    _core.SearchStatus.OUT_OF_TIME: Status.OUT_OF_TIME,
    _core.SearchStatus.OUT_OF_MEMORY: Status.OUT_OF_MEMORY,
    _core.SearchStatus.OUT_OF_WORK: Status.OUT_OF_WORK,
    _core.SearchStatus.INTERRUPTED: Status.INTERRUPTED,
    _core.SearchStatus.CUT: Status.OUT_OF_WORK,
}

SearchStatistics = _core.SearchStatistics


def parse_queues(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


@dataclass(frozen=True)
class SearchConfig:
    """How to search, with whatever heuristic.

    Queues take turns. Each is a string of keys, most important first; `_core.queue_keys()` has the keys with their
    meanings. A star before the keys, as in `*hd`, means no order: every combination of values that the keys have in
    the queue is equally likely. `("h",)` is plain greedy best-first search.
    """

    queues: tuple[str, ...] = knob(
        ("h",),
        "queues that take turns, each a string of keys: "
        + ", ".join(f"`{letter}` {meaning}" for letter, meaning in _core.queue_keys())
        + "; a star before the keys means a random combination of their values",
        parse=parse_queues,
    )
    ties: str = knob("fifo", "which of states that a queue ranks equal comes first: `fifo` or `random`", choices=TIES)
    goal_orders: bool = knob(False, "whether a goal that holds too early counts as open")
    boost: int = knob(
        0,
        "turns that queues with `p` first get ahead of the others whenever h or o is the least so far",
        least=0,
    )

    def __post_init__(self) -> None:
        check(self)
        if self.boost >= 2**32:
            raise InputError(f"boost is {self.boost}; it must be below 2^32")
        if not self.queues:
            raise InputError("a search needs at least one queue, such as 'h'")
        # Open goals were once written g, which in the field means path cost; model files may still say so.
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
    seen: _core.Search | None = None  # its states and the steps between them, where some were to be kept


def named_heuristic(task: Task, name: str, budget: Budget | None = None) -> _core.Heuristic:
    """One of HEURISTICS on a task. Raises LimitReached or MemoryError at the budget's limits."""
    return _core.Heuristic.named(task.core, name, budget.guard() if budget else None)


def search(
    task: Task,
    heuristic: _core.Heuristic,
    config: SearchConfig,
    budget: Budget,
    *,
    seed: int = 0,
    max_work: int = NO_LIMIT,
    max_links: int = 0,
    initial_state: Sequence[int] | None = None,
    interchangeable: _core.InterchangeableObjects | None = None,
    on_progress: Callable[[SearchStatistics], object] = lambda statistics: None,
) -> SearchResult:
    """Search for a plan with what is left of the budget; costs are taken as 1.

    The search ends, OUT_OF_WORK, after about `max_work` successors, the heuristic's work counted as successors, and
    keeps up to `max_links` of its first steps. It begins in `initial_state`, derived values included, where one is
    given. Of states that differ only in which of `interchangeable` objects is which, it keeps one.
    `on_progress` is called about ten times a second.
    """
    ties = _core.Ties.RANDOM if config.ties == "random" else _core.Ties.FIFO
    prepared = _core.Search(
        task.core,
        heuristic,
        queues=list(config.queues),
        ties=ties,
        goal_orders=config.goal_orders,
        boost=config.boost,
        max_links=max_links,
        seed=seed,
        interchangeable=interchangeable,
    )
    if initial_state is not None:
        prepared.start_from(list(initial_state))

    def poll(statistics: SearchStatistics) -> bool:
        on_progress(statistics)
        return not budget.interrupted

    result = prepared.run(
        time_limit_s=budget.remaining_s,
        memory_limit_bytes=budget.remaining_bytes,
        max_work=max_work,
        progress=poll,
    )
    plan = tuple(result.plan)
    # Time or memory can end a search before its first state.
    seen = prepared if max_links and result.statistics.num_registered else None
    return SearchResult(STATUS[result.status], plan, result.initial_estimate, result.statistics, seen)
