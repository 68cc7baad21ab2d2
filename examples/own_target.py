"""A learning target of one's own: shortest ways in the graph of all samples.

The label of a sample is the depth at which one backward search met it. Other searches may have met the same state, or
a state on its way, at a smaller depth. Here all searches are joined into one graph, and the network learns to predict
the length of a shortest way to the goal in that graph.
"""

import sys

import numpy as np
import numpy.typing as npt

import sing
from sing.networks.encoding import Encoding
from sing.networks.train import train
from sing.networks.training import TrainingConfig
from sing.task.task import Task
from sing.translate import translate


def shortest_ways(samples: sing.Samples) -> npt.NDArray[np.float32]:
    """For each sample the number of steps of a shortest way to the goal, float32 [n]."""
    parents, _ = samples.links  # for each sample the one that is a step closer to the goal
    _, states = np.unique(samples.values, axis=0, return_inverse=True)  # equal states have equal numbers
    states = states.ravel()
    is_start = samples.labels == 0
    ways = np.full(states.max() + 1, np.inf)
    ways[states[is_start]] = 0
    before, after = states[~is_start], states[parents[~is_start]]
    while True:  # Bellman's equation, until nothing changes
        shorter = ways.copy()
        np.minimum.at(shorter, before, ways[after] + 1)
        if np.array_equal(shorter, ways):
            return ways[states].astype(np.float32)
        ways = shorter


def learn(task: Task, seed: int = 0) -> sing.Model:
    samples = sing.sample(task, sing.SamplingConfig(space="r", nsearches=200), seed=seed)
    encoding = Encoding.of(task, "boolean")
    dataset = samples.dataset(encoding.features(task))
    dataset.set_labels(shortest_ways(samples)[:, np.newaxis])  # [n, outputs]; NaN where a sample has no label
    result = train(dataset, TrainingConfig(hidden=(32,)), seed=seed, budget=sing.Budget(time_limit_s=60))
    # How to search with it is part of a model: here the four queues that our own models use.
    search = {"queues": ["nh", "h", "noh", "o"], "ties": "random", "shorten_share": 0.1}
    return sing.Model(encoding, result.layers, {"name": "own target", "search": search}, seed)


if __name__ == "__main__":
    domain, problem, output = sys.argv[1:]
    task = translate(domain, problem, sing.Budget(time_limit_s=60))
    learn(task).save(output)
