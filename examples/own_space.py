"""A sampling space of one's own, made in Python: breadth first near the goal, then walks from there.

The states are the partial ones of regression, as in the space `r`. Breadth first, every state is met
by a shortest way, so that labels near the goal are the least there are; walks from the last of these
states go far. Bettker et al. (2022) combine the two in a similar way.
"""

import random
import sys
from collections import defaultdict, deque

import numpy as np

import sing
from sing import _core
from sing.networks.encoding import Encoding
from sing.networks.train import train
from sing.networks.training import TrainingConfig
from sing.task.task import Fact, Operator, Task
from sing.translate import translate

# A partial state: the facts that must hold. A variable that none is about is undefined.
State = frozenset[Fact]


class Space:
    """Where to start, and which states lead to a state in one step."""

    def __init__(self, task: Task) -> None:
        self.start: State = frozenset(task.goal)
        self.exclusive = [frozenset(group) for group in task.mutex_groups]
        self.operators = [Step(operator) for operator in task.operators]
        self.achievers: dict[Fact, list[int]] = defaultdict(list)  # operators by position
        for position, operator in enumerate(task.operators):
            for effect in operator.effects:
                self.achievers[effect.fact].append(position)

    def before(self, state: State) -> list[State]:
        """For each operator that achieves a fact of the state: what must hold before it."""
        facts = dict(state)
        positions = sorted({position for fact in state for position in self.achievers[fact]})
        found = [self.operators[position].back(facts) for position in positions]
        return [state for state in found if state is not None and self.is_possible(state)]

    def is_possible(self, state: State) -> bool:
        return all(len(group & state) < 2 for group in self.exclusive)


class Step:
    """An operator, to be stepped over backward."""

    def __init__(self, operator: Operator) -> None:
        self.demanded = dict(operator.preconditions)
        self.effects = {effect.fact.variable: effect.fact.value for effect in operator.effects}
        self.after = self.demanded | self.effects

    def back(self, facts: dict[int, int]) -> State | None:
        """What must hold before so that `facts` hold after; None where they cannot."""
        if any(facts.get(variable, value) != value for variable, value in self.after.items()):
            return None
        kept = {variable: value for variable, value in facts.items() if variable not in self.effects}
        return frozenset(Fact(*fact) for fact in (kept | self.demanded).items())


def sample(space: Space, num_near: int, num_walks: int, walk_length: int, seed: int) -> dict[State, int]:
    """States with the least depth at which they were met."""
    rng = random.Random(seed)
    depths = {space.start: 0}
    queue = deque(depths)
    while queue and len(depths) < num_near:
        state = queue.popleft()
        for before in space.before(state):
            if before not in depths:
                depths[before] = depths[state] + 1
                queue.append(before)
    leaves = list(queue)
    for _ in range(num_walks if leaves else 0):
        state = rng.choice(leaves)
        depth = depths[state]
        visited = {state}
        for _ in range(walk_length):
            fresh = [before for before in space.before(state) if before not in visited]
            if not fresh:
                break
            state, depth = rng.choice(fresh), depth + 1
            visited.add(state)
            depths[state] = min(depth, depths.get(state, depth))
    return depths


def make_dataset(task: Task, encoding: Encoding, depths: dict[State, int]) -> _core.Dataset:
    """Input vectors as lists of the bits that are 1, and labels, [count, 1]."""
    input_of = {atom: position for position, atom in enumerate(encoding.atoms)}
    rows = []
    for state in depths:
        names = (task.variables[fact.variable].value_names[fact.value] for fact in state)
        rows.append([input_of[name] for name in names if name in input_of])
    offsets = np.cumsum([0, *map(len, rows)], dtype=np.uint64)
    inputs = np.array([position for row in rows for position in row], dtype=np.uint32)
    labels = np.array(list(depths.values()), dtype=np.float32)[:, np.newaxis]
    coefficients = np.ones(len(inputs), dtype=np.float32)
    return _core.Dataset(
        num_inputs=encoding.num_inputs, offsets=offsets, inputs=inputs, coefficients=coefficients, labels=labels
    )


def learn(task: Task, seed: int = 0) -> sing.Model:
    depths = sample(Space(task), num_near=1000, num_walks=100, walk_length=100, seed=seed)
    encoding = Encoding.of(task, "boolean")
    dataset = make_dataset(task, encoding, depths)
    result = train(dataset, TrainingConfig(hidden=(32,)), seed=seed, budget=sing.Budget(time_limit_s=60))
    # How to search with it is part of a model: here the four queues that our own models use.
    search = {"queues": ["nh", "h", "noh", "o"], "ties": "random", "shorten_share": 0.1}
    return sing.Model(encoding, result.layers, {"name": "own space", "search": search}, seed)


if __name__ == "__main__":
    domain, problem, output = sys.argv[1:]
    task = translate(domain, problem, sing.Budget(time_limit_s=60))
    learn(task).save(output)
