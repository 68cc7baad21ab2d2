"""Tasks without operators that lead to no plan."""

from __future__ import annotations

from sing import _core
from sing.planners.context import Context
from sing.planners.preparing import prepared
from sing.task.task import Task

PRUNE_WORK = 1_500_000_000
PRUNE_MEANING = (
    "work, some tenths of a nanosecond each, to find operators that lead to no plan, by pairs of facts that hold "
    "together on no way to the goal; 0: none"
)


def pruned(task: Task, max_work: int, context: Context) -> Task:
    """The task without what leads to no plan; the task itself where that is nothing, or time or memory is too short."""

    def make(guard: _core.Guard) -> tuple[Task, str]:
        found = task.pruned(max_work, guard)
        if found is None:
            return task, "nothing"
        smaller, num_dead, num_conditions = found
        summary = f"{num_dead:,} of {task.num_operators:,} operators"
        return smaller, f"{summary}, {num_conditions:,} conditions on others" if num_conditions else summary

    return prepared(task, "prune", make, context) if max_work else task
