"""A heuristic of one's own, made in Python: how far each goal's variable is from it.

A variable moves from value to value by operators; everything else they demand is ignored. The sum
over all goals is linear in the state's facts, so a network of one layer computes it, at the speed
of learned ones. On a sliding-tile puzzle it is the Manhattan distance.
"""

import sys
from collections import deque

import numpy as np

import sing
from sing.networks.encoding import Encoding
from sing.task.task import Task
from sing.translate import translate

# Where the goal's value cannot be reached: a network has no dead ends, only large estimates.
FAR = 1000


def distances(task: Task, variable: int, goal: int) -> list[int]:
    """For each value of the variable the steps to the value `goal`: breadth first, backward."""
    size = len(task.variables[variable].value_names)
    before: list[set[int]] = [set() for _ in range(size)]
    for operator in task.operators:
        demanded = dict(operator.preconditions)
        for effect in operator.effects:
            if effect.fact.variable == variable:
                origins = [demanded[variable]] if variable in demanded else range(size)
                before[effect.fact.value].update(origins)
    steps = [FAR] * size
    steps[goal] = 0
    queue = deque([goal])
    while queue:
        value = queue.popleft()
        for origin in before[value]:
            if steps[origin] == FAR:
                steps[origin] = steps[value] + 1
                queue.append(origin)
    return steps


def make_model(task: Task) -> sing.Model:
    """The sum of these distances as a network: one weight for each atom, and one bias."""
    encoding = Encoding.of(task, "boolean")
    input_of = {atom: position for position, atom in enumerate(encoding.atoms)}
    weights = np.zeros((encoding.num_inputs, 1), dtype=np.float32)
    bias = np.zeros(1, dtype=np.float32)
    for variable, goal in task.goal:
        names = task.variables[variable].value_names
        steps = distances(task, variable, goal)
        # A value such as <none of those> has no input: it is the bias, and atoms add what differs.
        without = next((steps[value] for value, name in enumerate(names) if name not in input_of), 0)
        bias += without
        for value, name in enumerate(names):
            if name in input_of:
                weights[input_of[name]] = steps[value] - without
    # How to search with it is part of a model: here the four queues that our own models use.
    search = {"queues": ["nh", "h", "noh", "o"], "ties": "random", "shorten_share": 0.1}
    return sing.Model(encoding, ((weights, bias),), {"name": "own", "search": search})


if __name__ == "__main__":
    domain, problem, output = sys.argv[1:]
    task = translate(domain, problem, sing.Budget(time_limit_s=60))
    make_model(task).save(output)
