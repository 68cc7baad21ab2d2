"""Any Python function as a heuristic: blocks that stand wrong, in problems of `sing generate blocks`.

A block stands wrong where it, or one below it, is not on what the goal wants it on. Each has to be
picked up and put down again.
"""

import re
import sys

import numpy as np
import numpy.typing as npt

import sing
from sing import _core
from sing.networks.encoding import Encoding
from sing.search.search import SearchConfig, search
from sing.task.plan import execute
from sing.task.task import Task
from sing.translate import translate

Floats = npt.NDArray[np.float32]


def place(atom: str) -> tuple[str, str] | None:
    """(block, what it stands on) of `Atom on(b1, b2)` and `Atom ontable(b1)`; None for others."""
    if match := re.fullmatch(r"Atom on\((\w+), (\w+)\)", atom):
        return match[1], match[2]
    if match := re.fullmatch(r"Atom ontable\((\w+)\)", atom):
        return match[1], "table"
    return None


def make_heuristic(task: Task) -> _core.Heuristic:
    encoding = Encoding.of(task, "boolean")
    places = [place(atom) for atom in encoding.atoms]
    assert encoding.goal is not None
    wanted = dict(found for atom in encoding.goal if (found := place(atom)))

    def stands_right(block: str, below: dict[str, str]) -> bool:
        while block != "table":
            if below.get(block) != wanted.get(block, below.get(block)):
                return False
            block = below.get(block, "table")  # a block in the hand stands on nothing
        return True

    def estimate(state: Floats) -> int:
        below = dict(found for position in np.flatnonzero(state) if (found := places[position]))
        return sum(2 for block in wanted if not stands_right(block, below))

    def evaluate(states: Floats) -> Floats:
        """From input vectors, [count, atoms], to estimates, [count]."""
        return np.array([estimate(state) for state in states], dtype=np.float32)

    return _core.Heuristic.foreign(task.core, encoding.features(task), evaluate)


if __name__ == "__main__":
    task = translate(sys.argv[1], sys.argv[2], sing.Budget(time_limit_s=60))
    config = SearchConfig(queues=("nh", "h"), ties="random")
    result = search(task, make_heuristic(task), config, sing.Budget(time_limit_s=60))
    print(f"; {result.status.words}, {result.statistics.num_expanded:,} states expanded")
    if result.status is sing.Status.SOLVED:
        print(execute(task, result.plan).to_ipc(), end="")
