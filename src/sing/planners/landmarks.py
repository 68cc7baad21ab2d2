"""Landmarks as goals of a task that is searched."""

from __future__ import annotations

from sing import _core
from sing.planners.context import Context
from sing.planners.preparing import prepared
from sing.task.task import Task

LANDMARKS_MEANING = (
    "landmarks, of which every plan makes one fact true at some time, are goals, too: "
    "0 none, 1 single facts, more also disjunctions of up to so many facts"
)


def with_landmarks(task: Task, max_facts: int, context: Context) -> Task:
    """The task with its landmarks as goals; the task itself where time or memory is too short to find them."""

    def make(guard: _core.Guard) -> tuple[Task, str]:
        found = task.with_landmarks(max_facts, guard)
        return found, f"{found.core.num_goals - task.core.num_goals:,} beside the goals"

    return prepared(task, "landmarks", make, context) if max_facts else task
