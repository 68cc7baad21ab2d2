"""Value iteration: what its iterations learn, and how they end."""

from __future__ import annotations

import numpy as np
import pytest
import reference
from clocks import Clock
from puzzles import sliding_tiles

import sing
from sing import Budget, Status, _core
from sing.base.errors import InputError
from sing.learning.value_iteration import ValueIterationConfig, iterate_values
from sing.networks.encoding import Encoding
from sing.networks.train import train
from sing.networks.training import TrainingConfig
from sing.planners.configs import CONFIGS
from sing.samples.samples import Samples
from sing.samples.sampling import SamplingConfig, sample


def test_iterations_lower_the_estimates(puzzle):
    """Labels are depths of walks, far above distances; value iteration brings estimates down."""
    config = (
        sing.CONFIGS["shared"]
        .override(nsearches=100, nsamples=100, hidden=(32,))
        .override(**{"value_iteration.nsearches": 5})
    )
    estimates = []
    for iterations in (0, 20):
        result = sing.solve(*puzzle, config=config.override(**{"value_iteration.iterations": iterations}), seed=1)
        assert result.status is Status.SOLVED and result.num_iterations == iterations
        estimates.append(result.initial_estimate)
    assert estimates[1] < estimates[0]


def test_two_networks_learn_in_turns(monkeypatch):
    """Each begins where it was left, and the other one is the judge of its labels."""
    asked = []
    real = Samples.relabelled

    def relabelled(samples, task, features, mlp, *, judge, **options):
        asked.append((mlp, judge))
        return real(samples, task, features, mlp, judge=judge, **options)

    monkeypatch.setattr(Samples, "relabelled", relabelled)
    task = sliding_tiles(2)
    features = Encoding.of(task, "boolean").features(task)
    sampling = SamplingConfig("ei", nsearches=30, nsamples=20)
    training = TrainingConfig(hidden=(8,), max_epochs=2)
    first = train(sample(task, sampling, seed=1).dataset(features), training, seed=1).layers
    learned = []
    config = ValueIterationConfig(4, 30, 20, double=True)
    iterate_values(
        task, features, first, config, sampling, training, seed=1, jobs=1, budget=Budget(), on_iteration=learned.append
    )
    networks = [first, first, *(news.layers for news in learned)]
    for number, (mlp, judge) in enumerate(asked):
        assert same(mlp, networks[number]) and same(judge, networks[number + 1])
    assert len(asked) == 4 and not same(asked[3][0], networks[4])


def same(mlp: _core.Mlp, layers) -> bool:
    weights = [weights for layer in mlp.layers for weights in layer]
    others = [weights for layer in layers for weights in layer]
    return all(np.array_equal(a, b) for a, b in zip(weights, others, strict=True))


@pytest.mark.parametrize("double", [False, True])
def test_iterations_are_the_same_with_any_number_of_threads(puzzle, double):
    value_iteration = ValueIterationConfig(iterations=5, nsearches=3, double=double)
    config = sing.CONFIGS["shared"].override(nsearches=50, nsamples=50, hidden=(8,), value_iteration=value_iteration)
    models = [sing.learn(*puzzle, config=config, seed=1, jobs=jobs).model for jobs in (1, 3)]
    assert models[0].to_bytes() == models[1].to_bytes()
    assert models[0].config["num_iterations"] == 5


@pytest.mark.parametrize(
    ("trainer", "iterations", "nsearches", "learning_rate", "most"),
    [("native", 150, 300, 0.01, 0.5), ("torch", 60, 100, 0.02, 1.2)],
    ids=["native", "torch"],
)
def test_value_iteration_finds_the_distances(trainer, iterations, nsearches, learning_rate, most):
    """On a space small enough for a table of distances the network comes near to them."""
    task = sliding_tiles(2)
    encoding = Encoding.of(task, "boolean")
    features = encoding.features(task)
    sampling = SamplingConfig("ei", nsearches=30, nsamples=20)
    training = TrainingConfig(hidden=(32,), trainer=trainer, max_epochs=5)
    samples = sample(task, sampling, seed=1)
    first = train(samples.dataset(features), training, seed=1)
    config = ValueIterationConfig(iterations, nsearches, nsamples=20, learning_rate=learning_rate)
    iterated = iterate_values(task, features, first.layers, config, sampling, training, seed=1, jobs=1, budget=Budget())
    # The initial state is the goal, and every move can be taken back: distances from it are distances to it.
    distances = reference.distances(task)

    def mean_error(layers):
        network = _core.Network(task.core, features, _core.Mlp(list(layers)))
        found = network.evaluate(np.array(list(distances), np.int32))
        return np.abs(found[:, 0] - np.array(list(distances.values()))).mean()

    assert iterated.num_iterations == iterations
    assert mean_error(iterated.layers) < most < mean_error(first.layers)


def test_every_iteration_has_samples_of_its_own(monkeypatch):
    seeds = []

    def record(*arguments, seed, **options):
        seeds.append(seed)
        return sample(*arguments, seed=seed, **options)

    monkeypatch.setattr("sing.learning.value_iteration.sample", record)
    task = sliding_tiles(2)
    features = Encoding.of(task, "boolean").features(task)
    sampling, training = SamplingConfig("ei", nsearches=2, nsamples=20), TrainingConfig(hidden=(4,), max_epochs=1)
    layers = train(sample(task, sampling).dataset(features), training).layers
    config = ValueIterationConfig(iterations=4, nsearches=2, nsamples=20)
    iterate_values(task, features, layers, config, sampling, training, seed=9, jobs=1, budget=Budget())
    expected = [int(np.random.SeedSequence([9, i]).generate_state(1, np.uint64)[0]) for i in range(4)]
    assert seeds == expected and len(set(seeds)) == 4


def test_an_iteration_that_time_cuts_off_does_not_count(monkeypatch):
    task, clock = sliding_tiles(2), Clock()
    features = Encoding.of(task, "boolean").features(task)
    sampling, training = SamplingConfig("ei", nsearches=2, nsamples=20), TrainingConfig(hidden=(4,), max_epochs=1)
    layers = train(sample(task, sampling).dataset(features), training).layers

    def slow(*arguments, **options):
        clock.now_s += 40
        return train(*arguments, **options)

    monkeypatch.setattr("sing.learning.value_iteration.train", slow)
    config = ValueIterationConfig(iterations=5, nsearches=2, nsamples=20)
    budget = Budget(100, clock=clock)
    iterated = iterate_values(task, features, layers, config, sampling, training, seed=9, jobs=1, budget=budget)
    assert (iterated.num_iterations, iterated.ended_by) == (2, Status.OUT_OF_TIME.words)


def test_iterations_end_with_their_time():
    """The clock goes on by a second whenever it is looked at."""
    task = sliding_tiles(2)
    features = Encoding.of(task, "boolean").features(task)
    sampling, training = SamplingConfig("ei", nsearches=2, nsamples=20), TrainingConfig(hidden=(4,), max_epochs=1)
    layers = train(sample(task, sampling).dataset(features), training).layers
    config = ValueIterationConfig(iterations=10**6, nsearches=1, nsamples=20)
    counts = [
        iterate_values(
            task, features, layers, config, sampling, training,
            seed=1, jobs=1, budget=Budget(limit_s, clock=Clock(tick_s=1.0)),
        )
        for limit_s in (60, 120)
    ]  # fmt: skip
    assert all(iterated.ended_by == Status.OUT_OF_TIME.words for iterated in counts)
    assert 5 < counts[0].num_iterations < counts[1].num_iterations < 120


@pytest.mark.parametrize(
    "wrong",
    [
        {"value_iteration.iterations": -1},
        {"value_iteration.nsamples": 0},
        {"value_iteration.learning_rate": 0.0},
        {"learn_time_s": 0.0},
    ],
)
def test_bad_numbers_for_iterations_are_refused(wrong):
    with pytest.raises(InputError):
        CONFIGS["shared"].override(**wrong)


def test_iterations_on_partial_states_are_refused():
    with pytest.raises(InputError, match="value iteration needs full states"):
        CONFIGS["sing"].override(**{"value_iteration.iterations": 3})
    assert (
        CONFIGS["sing"]
        .override(completion="random", **{"value_iteration.iterations": 3})
        .learning.value_iteration.iterations
        == 3
    )


def test_iterations_of_wide_states_are_small():
    """Memory for a round's samples is bounded, however many variables a state has."""
    task = sliding_tiles(5)
    encoding = Encoding.of(task, "boolean")
    training = TrainingConfig(hidden=(4,), max_epochs=1)
    sampling = SamplingConfig("ei", nsearches=2, nsamples=50)
    features = encoding.features(task)
    layers = train(sample(task, sampling).dataset(features), training).layers
    config = ValueIterationConfig(iterations=1, nsearches=1000, nsamples=1000)
    iterated = iterate_values(task, features, layers, config, sampling, training, seed=0, jobs=1, budget=Budget())
    assert iterated.num_iterations == 1 and not iterated.ended_by
    assert 100_000 < iterated.num_samples <= (4 << 20) / 25  # a state has 25 true bits


def test_iterations_that_are_interrupted_keep_what_they_have():
    task = sliding_tiles(3)
    features = Encoding.of(task, "boolean").features(task)
    training, sampling = TrainingConfig(hidden=(4,), max_epochs=1), SamplingConfig("ei", nsearches=2, nsamples=50)
    layers = train(sample(task, sampling).dataset(features), training).layers
    budget = Budget()
    iterated = iterate_values(
        task, features, layers, ValueIterationConfig(iterations=100, nsearches=2), sampling, training,
        seed=0, jobs=1, budget=budget, on_iteration=lambda news: news.num_iterations == 3 and budget.interrupt(),
    )  # fmt: skip
    assert iterated.num_iterations == 3 and iterated.ended_by == Status.INTERRUPTED.words


def test_iterations_without_memory_keep_what_they_have(monkeypatch):
    task = sliding_tiles(2)
    features = Encoding.of(task, "boolean").features(task)
    training, sampling = TrainingConfig(hidden=(4,), max_epochs=1), SamplingConfig("ei", nsearches=2, nsamples=50)
    layers = train(sample(task, sampling).dataset(features), training).layers
    trainings = iter([train, train])

    def full(*arguments, **options):
        for once in trainings:
            return once(*arguments, **options)
        raise MemoryError

    monkeypatch.setattr("sing.learning.value_iteration.train", full)
    config = ValueIterationConfig(iterations=5, nsearches=2)
    iterated = iterate_values(task, features, layers, config, sampling, training, seed=0, jobs=1, budget=Budget())
    assert (iterated.num_iterations, iterated.ended_by) == (2, Status.OUT_OF_MEMORY.words)
