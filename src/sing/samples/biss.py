"""Labels by stratified sampling of the search tree from both ends, in the manner of BiSS."""

from __future__ import annotations

import time
from dataclasses import dataclass

from sing import _core
from sing.base.budget import Budget, LimitReached
from sing.base.knobs import check, knob, part
from sing.base.outcome import Status
from sing.samples.samples import STATUS_OF, Samples
from sing.samples.source import OnProgress, SampleSource, check_run
from sing.samples.starts import StartsConfig
from sing.task.task import Task

TYPES = ("states", "goals", "children")
_TYPES = {
    "states": _core.TypeSystem.STATES,
    "goals": _core.TypeSystem.GOALS,
    "children": _core.TypeSystem.CHILDREN,
}
# Of the time, for the states that get labels.
_STARTS_SHARE = 0.25


def _starts() -> StartsConfig:
    return StartsConfig(num_starts=10_000, max_steps=100)


@dataclass(frozen=True)
class BissConfig(SampleSource):
    """States of random walks, labelled with the length of a way to the goal that stratified samplings found."""

    starts: StartsConfig = part(_starts, "the states that get labels")
    types: str = knob(
        "children",
        "which states count as one type: none but equal `states`, those with the same `goals`, "
        "or those whose successors (`children`) have the same goals, too",
        choices=TYPES,
    )
    max_types: int = knob(20, "types of a level; more share strata by their hash. 0: no limit", least=0)
    num_probes: int = knob(10, "samplings backward from the goal, whose states all count", least=1)
    max_levels: int = knob(500, "levels of a sampling", least=1)
    backward_work: int = knob(20_000, "backward steps after which a sampling from the goal ends", least=1)
    forward_work: int = knob(2_000, "successors after which a sampling from a state ends", least=1)
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

        def poll(num_samples: int) -> bool:
            on_progress(num_samples)
            return not budget.interrupted

        core = _core.label_by_biss(
            task.core,
            starts,
            types=_TYPES[self.types],
            max_types=self.max_types,
            num_probes=self.num_probes,
            max_levels=self.max_levels,
            backward_work=self.backward_work,
            forward_work=self.forward_work,
            seed=seed,
            num_threads=jobs,
            time_limit_s=budget.remaining_s,
            # Datasets and the arrays made of the samples need memory later, too.
            memory_limit_bytes=budget.remaining_bytes // 2,
            progress=poll,
        )
        return Samples(
            task, core, config=self, seed=seed, time_s=time.monotonic() - start_s, status=STATUS_OF[core.status],
            keeps_least=self.min_label, note=f"{len(core):,} of {self.starts.num_starts:,} states got a label",
            budget=budget,
        )  # fmt: skip

    @property
    def gives_full_states(self) -> bool:
        return True

    @property
    def title(self) -> str:
        return f"biss, types {self.types}, {self.starts.direction} walks"

    @property
    def why_nothing(self) -> str:
        return "stratified sampling met no way to the goal"
