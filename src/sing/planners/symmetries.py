"""Objects of which it does not matter which is which."""

from __future__ import annotations

from sing import _core
from sing.planners.context import Context
from sing.planners.preparing import prepared
from sing.task.task import Task

SYMMETRY_WORK = 50_000_000
SYMMETRY_MEANING = (
    "work, some nanoseconds each, to find interchangeable objects, so that of states that differ only in which of them "
    "is which one is searched; 0: none"
)


def interchangeable_objects(task: Task, max_work: int, context: Context) -> _core.InterchangeableObjects | None:
    """Classes of objects that may be permuted in all states; None where there are none, or no time to find them."""

    def make(guard: _core.Guard) -> tuple[_core.InterchangeableObjects | None, str]:
        found = task.interchangeable_objects(max_work, guard)
        sizes = [len(names) for names in found.classes] if found else []
        return found, f"{sum(sizes):,} objects in {len(sizes):,} classes are alike" if found else "nothing"

    return prepared(None, "symmetries", make, context) if max_work else None
