"""Labels from a teacher: searches with another heuristic from many states, and what lies along their plans."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sing import _core
from sing.base.budget import Budget, LimitReached
from sing.base.knobs import check, knob, part
from sing.base.outcome import Status
from sing.samples.samples import STATUS_OF, Samples
from sing.samples.source import OnProgress, SampleSource, check_run
from sing.samples.starts import StartsConfig
from sing.search.search import SearchConfig, named_heuristic
from sing.task.task import Task

if TYPE_CHECKING:
    import numpy.typing as npt

FROM_PLAN = ("all", "first", "one")
_FROM_PLAN = {"all": _core.FromPlan.ALL, "first": _core.FromPlan.FIRST, "one": _core.FromPlan.ONE}
# In place of a plan's length, where the search showed that there is none; less where it did not end.
_NO_PLAN = -2
# Of the time, for the states that the teacher begins from.
_STARTS_SHARE = 0.25


@dataclass(frozen=True)
class TeacherSearch:
    """What a teacher searches with."""

    heuristic: str
    search: SearchConfig


# The configurations of these names that search once, learn nothing and have no landmarks as goals: a landmark counts as
# achieved along a path from one initial state, and a teacher begins from many.
TEACHERS = {
    "blind": TeacherSearch("blind", SearchConfig()),
    "goalcount": TeacherSearch("goalcount", SearchConfig()),
    "ff": TeacherSearch("ff", SearchConfig()),
    "relaxed": TeacherSearch("relaxed", SearchConfig()),
    "novelty": TeacherSearch("goalcount", SearchConfig(("o", "no"), "random")),
    "ff-novelty": TeacherSearch("ff", SearchConfig(("nh", "h", "noh", "o"), "random")),
}


@dataclass(frozen=True)
class PlanSearches:
    """The samples along the plans that searches found, and what became of the searches."""

    core: _core.Samples
    status: Status | None  # what ended them early
    num_starts: int
    lengths: npt.NDArray[np.int32]  # of the plans found
    num_searched: int  # that ended with a plan or without
    work: int  # of these, in successors

    @property
    def num_failed(self) -> int:
        return self.num_searched - len(self.lengths)


def search_plans(
    task: Task,
    starts: _core.Samples,
    heuristics: list[_core.Heuristic],
    search: SearchConfig,
    *,
    from_plan: str,
    max_work: int,
    seed: int,
    budget: Budget,
    on_progress: OnProgress,
) -> PlanSearches:
    """Search from each of the states, in as many threads as there are heuristics, for so much work each."""

    def poll(num_samples: int) -> bool:
        on_progress(num_samples)
        return not budget.interrupted

    found = _core.sample_plans(
        task.core,
        heuristics,
        starts,
        queues=list(search.queues),
        ties=_core.Ties.RANDOM if search.ties == "random" else _core.Ties.FIFO,
        goal_orders=search.goal_orders,
        boost=search.boost,
        from_plan=_FROM_PLAN[from_plan],
        max_work=max_work,
        seed=seed,
        time_limit_s=budget.remaining_s,
        # Datasets and the arrays made of the samples need memory later, too.
        memory_limit_bytes=budget.remaining_bytes // 2,
        progress=poll,
    )
    lengths, core = found.lengths, found.take_samples()
    num_searched = int(np.count_nonzero(lengths >= _NO_PLAN))
    return PlanSearches(core, STATUS_OF[core.status], len(starts), lengths[lengths >= 0], num_searched, found.work)


@dataclass(frozen=True)
class TeacherConfig(SampleSource):
    """States along plans of a teacher, labelled with the number of steps to the goal along the plan."""

    starts: StartsConfig = part(StartsConfig, "the states that the teacher searches from")
    teacher: str = knob("ff", "the configuration that teaches", choices=tuple(TEACHERS))
    max_work: int = knob(100_000, "successors after which a teacher search is given up", least=1)
    from_plan: str = knob(
        "all", "which states of a plan are samples: `all`, the `first`, or `one` at random", choices=FROM_PLAN
    )
    min_label: bool = knob(False, "whether only one of states with the same atoms is kept, with the least label")

    def __post_init__(self) -> None:
        check(self)

    def sample(
        self,
        task: Task,
        *,
        seed: int = 0,
        jobs: int = 1,
        budget: Budget | None = None,
        on_progress: OnProgress = lambda num_samples: None,
    ) -> Samples:
        budget = budget or Budget()
        check_run(seed, jobs)
        start_s = time.monotonic()
        first = budget.slice(_STARTS_SHARE * budget.remaining_s)
        starts = self.starts.draw(task, seed=seed, jobs=jobs, budget=first)
        if budget.interrupted:
            raise LimitReached(Status.INTERRUPTED)
        teacher = TEACHERS[self.teacher]
        found = search_plans(
            task, starts, [named_heuristic(task, teacher.heuristic, budget) for _ in range(jobs)], teacher.search,
            from_plan=self.from_plan, max_work=self.max_work, seed=seed, budget=budget, on_progress=on_progress,
        )  # fmt: skip
        status = found.status or (Status.OUT_OF_TIME if len(starts) < self.starts.num_starts else None)
        return Samples(
            task, found.core, config=self, seed=seed, time_s=time.monotonic() - start_s, status=status,
            keeps_least=self.min_label, note=describe_searches(found, self.starts.num_starts), budget=budget,
        )  # fmt: skip

    @property
    def gives_full_states(self) -> bool:
        return True

    @property
    def title(self) -> str:
        return f"teacher {self.teacher}, {self.starts.direction} walks"

    @property
    def why_nothing(self) -> str:
        return "no teacher search found a plan"


def describe_searches(found: PlanSearches, num_wanted: int) -> str:
    """How many searches found a plan, for people."""
    not_searched = num_wanted - found.num_searched
    text = f"{len(found.lengths):,} of {num_wanted:,} searches found a plan, {found.num_failed:,} failed"
    return f"{text}, {not_searched:,} were not searched" if not_searched else text
