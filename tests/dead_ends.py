"""Tasks with dead ends."""

from __future__ import annotations

from random_tasks import OperatorText, TaskText

from sing.task.task import Task


def painting(length: int) -> Task:
    """A row of tiles to be painted by a robot that cannot enter painted ones: one order alone leads to the goal.

    Variable 0 is the place of the robot, the others tell which tiles are painted. The robot paints the tile behind it.
    """
    walks = [
        OperatorText(((1 + there, 0),), ((0, here, there),), 1)
        for here in range(length)
        for there in (here - 1, here + 1)
        if 0 <= there < length
    ]
    paints = [OperatorText(((0, place + 1),), ((1 + place, 0, 1),), 1) for place in range(length - 1)]
    goal = tuple((1 + place, 1) for place in range(length - 1))
    sizes = (length, *(2,) * length)
    return Task.from_sas(TaskText(False, sizes, (), (length - 1, *(0,) * length), goal, (*walks, *paints)).to_sas())
