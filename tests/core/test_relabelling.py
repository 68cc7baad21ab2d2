"""Better labels from the estimates of a network: one Bellman update of each."""

import numpy as np
import pytest
import reference
from puzzles import sliding_tiles
from random_tasks import OperatorText, TaskText

from sing import _core
from sing.base.budget import Budget
from sing.networks.encoding import Encoding
from sing.samples.sampling import SamplingConfig, sample
from sing.task.task import Task


def random_layers(rng: np.random.Generator):
    return [
        (rng.normal(0, 1, (81, 8)).astype(np.float32), np.full(8, 2, np.float32)),
        (np.abs(rng.normal(0, 2, (8, 1))).astype(np.float32), np.full(1, 3, np.float32)),
    ]


@pytest.mark.parametrize("has_judge", [False, True])
def test_relabelling_equals_its_twin(has_judge):
    """label ← min(label, 1 + min over successors), goals 0, others at least 1; labels only fall.

    A judge says how far the successor is that the network takes for the nearest.
    """
    task = sliding_tiles(3)
    # Walks come back to the goal and to its neighbours.
    samples = sample(task, SamplingConfig("ei", "rw", nsearches=20, nsamples=60), seed=1)
    encoding = Encoding.of(task, "boolean")
    features = encoding.features(task)
    rng = np.random.default_rng(0)
    layers = random_layers(rng)
    judging = random_layers(rng) if has_judge else layers
    judge = _core.Mlp(judging) if has_judge else None
    before = samples.labels
    found = samples.relabelled(task, features, _core.Mlp(layers), judge=judge, budget=Budget())
    in_threads = samples.relabelled(task, features, _core.Mlp(layers), judge=judge, jobs=3, budget=Budget())
    np.testing.assert_array_equal(in_threads, found)

    def output(layers, state):
        return float(reference.outputs(layers, reference.encoded(task, "boolean", state)[None])[0, 0])

    def distance_of_nearest(successors):
        if any(reference.num_open_goals(task, state) == 0 for state in successors):
            return 0.0
        nearest = min(successors, key=lambda state: output(layers, state))
        return max(1.0, output(judging, nearest))

    for label, after, state in zip(before, found, samples.values, strict=True):
        operators = [op for op in task.operators if reference.is_applicable(op, state)]
        nearest = distance_of_nearest([reference.successor(task, op, state) for op in operators])
        expected = 0 if reference.num_open_goals(task, state) == 0 else min(label, 1 + nearest)
        assert after == pytest.approx(expected, rel=1e-4)
    assert (found < before).any() and ((found == 0) & (before > 0)).any() and ((found == 1) & (before > 2)).any()


def test_partial_states_keep_their_labels():
    steps = tuple(OperatorText((), ((0, i, i + 1),), 1) for i in range(5))
    task = Task.from_sas(TaskText(False, (6, 3), (), (0, 0), ((0, 5),), steps).to_sas())
    samples = sample(task, SamplingConfig("r", nsearches=5, nsamples=6), seed=1)
    assert (samples.values == -1).any(axis=1).all() and samples.labels.max() == 5
    features = Encoding.of(task, "boolean").features(task)
    mlp = _core.Mlp([(np.zeros((features.num_inputs, 1), np.float32), np.zeros(1, np.float32))])
    found = samples.relabelled(task, features, mlp, budget=Budget())
    np.testing.assert_array_equal(found, samples.labels)
