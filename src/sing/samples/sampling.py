"""Training samples: states sampled by backward search, labelled with their depth."""

from __future__ import annotations

import math
import re
import time
from dataclasses import dataclass

from sing import _core
from sing.base.budget import Budget
from sing.base.errors import InputError, UnsupportedError
from sing.base.knobs import check, knob
from sing.base.outcome import Status
from sing.samples.samples import STATUS_OF, Samples
from sing.samples.source import OnProgress, SampleSource, check_run
from sing.task.task import Task

SPACES = ("eo", "ei", "r")
STRATEGIES = ("dfs", "rw", "bfs-rw")
COLLECTIONS = ("generated", "expanded")
COMPLETIONS = ("none", "random", "walk")
# The depth limit ⌈facts / mean effects of an operator⌉ of Bettker et al. (2022).
FACTS_PER_EFFECT = "facts"

_STRATEGY = {"dfs": _core.Strategy.DFS, "rw": _core.Strategy.RANDOM_WALK, "bfs-rw": _core.Strategy.BFS_WALKS}
_COLLECTION = {"generated": _core.Collection.GENERATED, "expanded": _core.Collection.EXPANDED}
_COMPLETION = {
    "none": _core.Completion.NONE,
    "random": _core.Completion.RANDOM,
    "walk": _core.Completion.WALK,
}
_NO_DEPTH_LIMIT = 2**32 - 1
# Of the time, for the backward searches where labels are lowered by successors, and where anything else follows.
_SEARCH_SHARES = {"successors": 0.6, "other": 0.9}
# A sampling that was stopped still gets a moment to complete what it has.
_GRACE_S = 0.3


def parse_depth(text: str) -> int | str:
    """A depth limit from `100` or `facts`."""
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else text


@dataclass(frozen=True)
class SamplingConfig(SampleSource):
    """Backward sampling: what to sample and how. Names and defaults are the paper's where it has them."""

    space: str = knob(
        "r",
        "the backward search space: `eo` full states and the forward operators, `ei` full states and inverse "
        "operators, `r` regression",
        choices=SPACES,
    )
    strategy: str = knob(
        "dfs",
        "`dfs`, depth-first search, `rw`, random walks, or `bfs-rw`, breadth first and then walks from the leaves",
        choices=STRATEGIES,
    )
    collect: str = knob(
        "expanded",
        "which states of a depth-first search are samples: all `generated` ones, or those on `expanded` paths",
        choices=COLLECTIONS,
    )
    nsearches: int = knob(500, "how many backward searches there are", least=1)
    nsamples: int = knob(200, "how many samples each search gives at most", least=1)
    max_depth: int | str | None = knob(
        None, "how deep searches go: a number, or `facts` for ⌈facts / mean effects of an operator⌉", parse=parse_depth
    )
    completion: str = knob(
        "none",
        "undefined values stay (`none`), become `random` mutex-consistent ones, or come from forward walks (`walk`)",
        choices=COMPLETIONS,
    )
    consistent_starts: bool = knob(False, "whether full starts are drawn free of mutexes")
    min_label: bool = knob(False, "whether only one of states with the same atoms is kept, with the least label")
    bfs_share: float = knob(0.1, "the share of the samples of `bfs-rw` that come from breadth-first search", least=0.0)
    lower_equals: bool = knob(False, "whether equal samples all get the least of their labels")
    lower_successors: bool = knob(
        False, "whether labels are lowered to one more than that of a sample that holds in a successor"
    )
    random_share: float = knob(
        0.0, "the share of all samples that are random states, with a label one above the greatest", least=0.0
    )

    def __post_init__(self) -> None:
        check(self)
        if self.nsearches * self.nsamples >= 2**32 - 1:
            raise InputError(f"{self.nsearches} × {self.nsamples} samples are too many; there can be four billion")
        if self.max_depth not in (None, FACTS_PER_EFFECT) and not _is_count(self.max_depth):
            raise InputError(
                f"the depth limit is {self.max_depth!r}; it must be a whole number or '{FACTS_PER_EFFECT}'"
            )
        for name in ("bfs_share", "random_share"):
            if not getattr(self, name) <= 1 - (name == "random_share") * 1e-3:
                raise InputError(f"{name} is {getattr(self, name)}; it must be a share between 0 and 1")

    def sample(
        self,
        task: Task,
        *,
        seed: int = 0,
        jobs: int = 1,
        budget: Budget | None = None,
        on_progress: OnProgress = lambda num_samples: None,
    ) -> Samples:
        return sample(task, self, seed=seed, jobs=jobs, budget=budget, on_progress=on_progress)

    def check_task(self, task: Task) -> None:
        check_space(task, self.space)

    @property
    def gives_full_states(self) -> bool:
        return self.space != "r" or self.completion != "none"

    @property
    def title(self) -> str:
        return f"{self.space}, {self.strategy}, {self.collect}"

    @property
    def why_nothing(self) -> str:
        return f"no start with a backward step was found in the space '{self.space}'"


def _is_count(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and 0 <= number < _NO_DEPTH_LIMIT


def sample(
    task: Task,
    config: SamplingConfig | None = None,
    *,
    seed: int = 0,
    jobs: int = 1,
    budget: Budget | None = None,
    on_progress: OnProgress = lambda num_samples: None,
) -> Samples:
    """Sample states backward from the goal.

    The same seed gives the same samples whatever `jobs`, the number of threads. `on_progress` hears the
    number of samples about ten times a second. When the budget ends first, the samples collected so far
    are returned and their `status` says why. Raises UnsupportedError.
    """
    config = config or SamplingConfig()
    budget = budget or Budget()
    check_run(seed, jobs)
    check_space(task, config.space)
    start_s = time.monotonic()
    sampler = _core.Sampler(
        task.core,
        space=config.space,
        strategy=_STRATEGY[config.strategy],
        collection=_COLLECTION[config.collect],
        num_searches=config.nsearches,
        num_samples=config.nsamples,
        num_breadth_first=math.ceil(config.bfs_share * config.nsamples),
        max_depth=_max_depth(task, config),
        consistent_starts=config.consistent_starts,
        seed=seed,
        guard=budget.guard(),
    )

    def poll(num_samples: int) -> bool:
        on_progress(num_samples)
        return not budget.interrupted

    # The arrays made of the samples later need memory too: their bits, and some numbers for each.
    packed_bytes = sampler.bytes_per_sample
    array_bytes = (task.core.num_atoms + 7) // 8 + 32
    memory_limit_bytes = budget.remaining_bytes * packed_bytes // (packed_bytes + array_bytes)
    core = sampler.run(
        num_threads=jobs,
        time_limit_s=_search_share(config) * budget.remaining_s,
        memory_limit_bytes=memory_limit_bytes,
        progress=poll,
    )
    status = _Refinement(task, config, core, seed, jobs, budget).run()
    return Samples(
        task, core, config=config, seed=seed, time_s=time.monotonic() - start_s, status=status,
        keeps_least=config.min_label, budget=budget,
    )  # fmt: skip


def _search_share(config: SamplingConfig) -> float:
    if config.lower_successors:
        return _SEARCH_SHARES["successors"]
    return _SEARCH_SHARES["other"] if config.lower_equals or config.random_share > 0 else 1.0


class _Refinement:
    """What follows the backward searches, on the samples that they left."""

    def __init__(
        self, task: Task, config: SamplingConfig, core: _core.Samples, seed: int, jobs: int, budget: Budget
    ) -> None:
        self.task, self.config, self.core = task, config, core
        self.seed, self.jobs, self.budget = seed, jobs, budget
        self.status = STATUS_OF[core.status]

    def run(self) -> Status | None:
        """Lower labels, complete states and add random ones, and say what stopped any of this or the sampling."""
        config = self.config
        self._lower(by_successors=config.lower_successors)
        completes = config.space == "r" and config.completion != "none"  # full states have nothing to complete
        if completes and not self.core.complete(
            self.task.core, _COMPLETION[config.completion], seed=self.seed, num_threads=self.jobs,
            time_limit_s=max(self.budget.remaining_s, _GRACE_S), memory_limit_bytes=self.budget.remaining_bytes,
            progress=lambda: not self.budget.interrupted or self.status is Status.INTERRUPTED,
        ):  # fmt: skip
            self._stop()
        if config.random_share > 0 and self._may_go_on:
            count = round(len(self.core) * config.random_share / (1 - config.random_share))
            label = int(self.core.labels.max()) + 1
            guard = self.budget.guard()
            self.core.append_random(self.task.core, count, label=label, seed=self.seed, guard=guard)
        if completes or config.random_share > 0:
            self._lower(by_successors=False)  # states are equal that were not before
        return self.status

    def _lower(self, *, by_successors: bool) -> None:
        config = self.config
        if not (config.lower_equals or by_successors) or not self._may_go_on:
            return
        if not self.core.lower(
            self.task.core, by_equals=config.lower_equals, by_successors=by_successors, num_threads=self.jobs,
            time_limit_s=self.budget.remaining_s, memory_limit_bytes=self.budget.remaining_bytes,
            progress=lambda: not self.budget.interrupted,
        ):  # fmt: skip
            self._stop()

    @property
    def _may_go_on(self) -> bool:
        """Whether there are samples to work on; the time for the searches may be over, but not all of it."""
        return len(self.core) > 0 and self.status in (None, Status.OUT_OF_TIME) and self.budget.remaining_s > 0

    def _stop(self) -> None:
        if self.status is None:
            self.status = Status.INTERRUPTED if self.budget.interrupted else Status.OUT_OF_TIME


def check_space(task: Task, space: str) -> None:
    """Raise UnsupportedError where the space has no backward steps over operators of the task."""
    if space != "r" and not task.core.has_fixed_effects:
        feature = "axioms" if task.core.has_axioms else "conditional effects"
        raise UnsupportedError(
            f"this task has {feature}, and the space '{space}' has no backward steps over these; regression has: "
            "--set space=r"
        )


def _max_depth(task: Task, config: SamplingConfig) -> int:
    if config.max_depth is None:
        return _NO_DEPTH_LIMIT
    return regression_depth(task) if isinstance(config.max_depth, str) else config.max_depth


def regression_depth(task: Task) -> int:
    """⌈facts / mean effects of an operator⌉: about how many steps change every fact once."""
    num_effects = task.core.num_effects
    return math.ceil(task.core.num_atoms * task.num_operators / num_effects) if num_effects else 1
