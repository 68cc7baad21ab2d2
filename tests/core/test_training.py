import numpy as np
import pytest
import reference
from clocks import Clock
from hypothesis import given, settings
from hypothesis import strategies as st
from puzzles import sliding_tiles

from sing import _core
from sing._core import testing
from sing.base.budget import Budget
from sing.base.errors import InputError
from sing.networks.encoding import Encoding
from sing.networks.train import train
from sing.networks.training import LOSSES, TrainingConfig, parse_hidden
from sing.samples.sampling import SamplingConfig, sample
from sing.task.task import Task


def dataset(inputs: np.ndarray, labels: np.ndarray) -> _core.Dataset:
    """Sparse rows of a dense matrix [n, inputs] with labels [n, outputs]."""
    rows, columns = np.nonzero(inputs)
    offsets = np.searchsorted(rows, np.arange(len(inputs) + 1)).astype(np.uint64)
    entries = inputs[rows, columns].astype(np.float32)
    coefficients = np.zeros(0, dtype=np.float32) if np.all(entries == 1) else entries
    return _core.Dataset(
        num_inputs=inputs.shape[1],
        offsets=offsets,
        inputs=columns.astype(np.uint32),
        coefficients=coefficients,
        labels=labels.astype(np.float32),
    )


def random_data(seed: int, size: int, num_inputs: int, num_outputs: int, binary: bool, with_gaps: bool = False):
    rng = np.random.default_rng(seed)
    inputs = (rng.random((size, num_inputs)) < 0.4).astype(np.float64)
    if not binary:
        inputs *= rng.integers(-1, 9, inputs.shape)
    labels = rng.integers(0, 30, (size, num_outputs)).astype(np.float64)
    if with_gaps:
        labels[rng.random(labels.shape) < 0.3] = np.nan
        labels[0] = 1
    return inputs, labels


def puzzle_samples(task: Task, kind: str = "boolean", nsearches: int = 50) -> _core.Dataset:
    samples = sample(task, SamplingConfig(nsearches=nsearches, nsamples=100), seed=1)
    return samples.dataset(Encoding.of(task, kind).features(task))


@pytest.fixture(scope="module")
def puzzle() -> Task:
    return sliding_tiles(3)


@given(st.floats(-50, 50, width=32), st.floats(0, 50, width=32), st.sampled_from(LOSSES), st.sampled_from([1.0, 3.0]))
def test_losses_equal_their_formulas(estimate, label, loss, weight):
    found = TrainingConfig(loss=loss, underestimate_weight=weight).core_loss.value(estimate, label)
    expected = reference.mean_loss(np.array([estimate]), np.array([label]), loss, weight)
    assert found == pytest.approx(expected, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("weight", [1.0, 3.0])
@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("sizes", [(7, 1), (20, 3), (16, 16, 1), (33, 5, 18, 4)])
def test_gradients_equal_finite_differences(loss, weight, binary, sizes):
    inputs, labels = random_data(len(sizes), 9, 24, sizes[-1], binary, with_gaps=sizes[-1] > 1)
    rng = np.random.default_rng(0)
    layers = [
        (rng.normal(0, a**-0.5, (a, b)).astype(np.float32), rng.normal(0, 0.5, b).astype(np.float32))
        for a, b in zip((24, *sizes), sizes, strict=False)
    ]
    core_loss = TrainingConfig(loss=loss, underestimate_weight=weight).core_loss
    found_loss, found = testing.loss_and_gradients(_core.Mlp(layers), dataset(inputs, labels), core_loss)

    def loss_of(changed: reference.Layers) -> float:
        return reference.mean_loss(reference.outputs(changed, inputs), labels, loss, weight)

    assert found_loss == pytest.approx(loss_of(layers), rel=1e-4)
    twin = reference.gradients(layers, inputs, labels, loss, weight)
    for position, (pair, twin_pair) in enumerate(zip(found.layers, twin, strict=True)):
        for part in (0, 1):
            scale = max(1e-3, np.abs(twin_pair[part]).max())
            np.testing.assert_allclose(pair[part], twin_pair[part], atol=2e-4 * scale)
            for _ in range(4):  # some weights of each layer by finite differences
                where = tuple(rng.integers(size) for size in pair[part].shape)
                ends = []
                for step in (1e-6, -1e-6):
                    changed = [tuple(array.astype(np.float64) for array in layer) for layer in layers]
                    changed[position][part][where] += step
                    ends.append(loss_of(changed))
                difference = (ends[0] - ends[1]) / 2e-6
                assert pair[part][where] == pytest.approx(difference, abs=1e-3 * scale)


# From three steps without a validation set to one that ends after half of its epochs.
TRAININGS = {
    "few samples": (40, 1, {"max_epochs": 3, "learning_rate": 0.001, "batch_size": 4}),
    "two layers": (40, 1, {"max_epochs": 3, "learning_rate": 0.001, "batch_size": 40, "hidden": (16, 20)}),
    "a validation set": (300, 1, {"max_epochs": 12, "learning_rate": 0.003, "batch_size": 32, "patience": 12}),
    "patience": (300, 1, {"max_epochs": 50, "learning_rate": 0.03, "batch_size": 32, "patience": 3, "decay": 0.3}),
    "much progress": (300, 1, {"max_epochs": 30, "learning_rate": 0.01, "batch_size": 64, "min_progress": 0.05}),
    "gaps": (300, 3, {"max_epochs": 6, "learning_rate": 0.003, "batch_size": 32, "validation_share": 0.3}),
    "relative errors": (300, 1, {"max_epochs": 4, "learning_rate": 0.002, "loss": "re", "underestimate_weight": 3.0}),
}


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("name", TRAININGS)
def test_training_equals_its_twin(name, binary):
    """With small batches many rows of the first layer rest at times, and only their moments go on."""
    size, num_outputs, options = TRAININGS[name]
    inputs, labels = random_data(3, size, 60, num_outputs, binary, with_gaps=num_outputs > 1)
    inputs[:, 6:20] *= (np.arange(size) % 7 == 0)[:, None]  # rare inputs
    if size > 40:  # something to learn
        labels = np.where(np.isnan(labels), np.nan, np.abs(inputs[:, :1] * 9 - inputs[:, 1:2]) + 0.2 * labels)
    data = dataset(inputs, labels)
    config = TrainingConfig(**{"hidden": (8,), "loss": "mse", "max_reseeds": 0, **options})
    scale = max(1.0, float(np.nanmax(labels.astype(np.float32))))
    start = testing.random_mlp(data, config.to_core(7), attempt=0, scale=scale).layers
    assert start[-1][1] == pytest.approx(np.full(num_outputs, np.nanmean(labels) / scale), rel=1e-5)
    twin = reference.Trainer(inputs, labels, config, list(start), seed=7)
    status = twin.run()
    result = train(data, config, seed=7)
    assert (result.status, result.best_epoch) == (status, twin.best_epoch)
    np.testing.assert_allclose(result.losses, twin.losses, rtol=1e-3)
    for pair, twin_pair in zip(result.layers, twin.best, strict=True):
        for found, expected in zip(pair, twin_pair, strict=True):
            np.testing.assert_allclose(found, expected, rtol=2e-3, atol=2e-3)


def test_batches_are_computed_in_parts_without_a_difference():
    """Wide layers are computed a few samples at a time; the step is that of the whole batch."""
    inputs, labels = random_data(5, 60, 12, 1, binary=True)
    config = TrainingConfig(
        hidden=(1300, 1300), batch_size=60, max_epochs=1, max_reseeds=0, learning_rate=1e-5, loss="mse"
    )
    data, scale = dataset(inputs, labels), float(labels.max())
    layers = [tuple(layer) for layer in testing.random_mlp(data, config.to_core(1), attempt=0, scale=scale).layers]
    gradients = reference.gradients(layers, inputs, labels / scale, "mse", 1.0)
    found = train(data, config, seed=1).layers[1][0]
    moved = np.abs(gradients[1][0]) > 1e-6  # Adam's first step is the rate against the gradient's sign
    np.testing.assert_allclose((found - layers[1][0])[moved], -1e-5 * np.sign(gradients[1][0][moved]), atol=2e-6)


def test_a_learning_rate_that_fell_for_long_is_still_one():
    inputs, labels = random_data(1, 120, 30, 1, binary=True)
    result = train(dataset(inputs, labels), TrainingConfig(max_epochs=400, patience=400), seed=1)
    assert len(result.losses) == 400
    assert np.isfinite([epoch.validation for epoch in result.losses]).all()
    assert result.losses[-1].training < 2 * result.losses[100].training


@pytest.mark.parametrize("kind", ["boolean", "sas"])
def test_samples_become_the_input_vectors_of_their_states(puzzle, kind):
    samples = sample(puzzle, SamplingConfig(nsearches=5, nsamples=20), seed=1)
    data = samples.dataset(Encoding.of(puzzle, kind).features(puzzle))
    dense = np.zeros((len(data), data.num_inputs))
    coefficients = data.coefficients if len(data.coefficients) else np.ones(len(data.inputs))
    rows = np.repeat(np.arange(len(data)), np.diff(data.offsets.astype(np.int64)))
    dense[rows, data.inputs] = coefficients
    np.testing.assert_array_equal(dense, [reference.encoded(puzzle, kind, state) for state in samples.values])
    np.testing.assert_array_equal(data.labels[:, 0], samples.labels)


@settings(max_examples=10)
@given(st.integers(0, 2**64 - 1))
def test_the_same_seed_gives_the_same_network(seed):
    inputs, labels = random_data(1, 200, 30, 1, binary=True)
    config = TrainingConfig(hidden=(16, 16), max_epochs=3)
    first, second = (train(dataset(inputs, labels), config, seed=seed) for _ in range(2))
    other = train(dataset(inputs, labels), config, seed=seed ^ 1)
    for a, b, c in zip(first.layers, second.layers, other.layers, strict=True):
        assert a[0].tobytes() == b[0].tobytes() and a[1].tobytes() == b[1].tobytes()
        assert a[0].tobytes() != c[0].tobytes()
    assert first.losses == second.losses


@pytest.mark.parametrize("kernels", _core.kernel_names())
def test_every_instruction_set_learns_the_same(kernels):
    inputs, labels = random_data(1, 300, 30, 1, binary=True)
    results = []
    for name in (kernels, "baseline"):
        testing.select_kernels(name)
        results.append(train(dataset(inputs, labels), TrainingConfig(hidden=(16, 16), max_epochs=2), seed=1))
    testing.select_kernels(_core.kernel_names()[-1])
    for pair, twin in zip(results[0].layers, results[1].layers, strict=True):
        np.testing.assert_allclose(pair[0], twin[0], atol=1e-3)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kind", ["boolean", "sas"])
def test_it_learns(puzzle, loss, kind):
    data = puzzle_samples(puzzle, kind)
    result = train(data, TrainingConfig(loss=loss), seed=1)
    constants = np.arange(data.labels.max() + 1)
    best_constant = min(reference.mean_loss(constant, data.labels, loss, 1.0) for constant in constants)
    assert result.validation_error < (0.7 if kind == "boolean" else 0.99) * best_constant
    assert result.validation_error == min(epoch.validation for epoch in result.losses)
    assert result.status in ("converged", "max_epochs")
    assert not result.is_constant


def test_a_weight_on_underestimates_makes_them_rare(puzzle):
    data = puzzle_samples(puzzle)
    rows = np.repeat(np.arange(len(data)), np.diff(data.offsets.astype(np.int64)))
    dense = np.zeros((len(data), data.num_inputs))
    dense[rows, data.inputs] = 1
    shares = []
    for weight in (1.0, 10.0):
        layers = train(data, TrainingConfig(underestimate_weight=weight), seed=1).layers
        shares.append(np.mean(reference.outputs(layers, dense) < data.labels))
    assert shares[1] < 0.5 * shares[0]


def test_dead_networks_are_started_anew():
    inputs, labels = random_data(1, 200, 30, 1, binary=True)
    config = TrainingConfig(hidden=(1,), learning_rate=0.5, max_epochs=3, max_reseeds=20)
    results = [train(dataset(inputs, labels), config, seed=seed) for seed in range(20)]
    assert any(result.num_reseeds > 0 for result in results)
    assert not any(result.is_constant for result in results)


def test_nothing_to_tell_samples_apart_by_is_seen():
    _, labels = random_data(1, 200, 30, 1, binary=True)
    result = train(dataset(np.zeros((200, 30)), labels), TrainingConfig(max_reseeds=3), seed=1)
    assert result.num_reseeds == 3
    assert result.is_constant


@pytest.mark.parametrize("learning_rate", [1e3, 1e10, 1e30])
def test_networks_stay_finite_at_any_learning_rate(learning_rate):
    inputs, labels = random_data(1, 200, 30, 1, binary=True)
    result = train(dataset(inputs, labels), TrainingConfig(hidden=(8, 8), learning_rate=learning_rate), seed=1)
    assert all(np.isfinite(array).all() for layer in result.layers for array in layer)


def test_labels_that_do_not_vary_are_learned_without_new_starts():
    inputs, labels = random_data(1, 200, 30, 1, binary=True)
    result = train(dataset(inputs, np.full_like(labels, 5)), seed=1)
    assert result.num_reseeds == 0
    assert result.validation_error < 0.1


def test_several_outputs_learn_from_the_labels_they_have():
    inputs, _ = random_data(2, 500, 10, 1, binary=True)
    labels = np.stack([inputs @ np.arange(10), np.full(500, np.nan), 45 - inputs @ np.arange(10)], axis=1)
    labels[::2, 0] = np.nan
    result = train(
        dataset(inputs, labels), TrainingConfig(hidden=(32,), batch_size=16, max_epochs=100, patience=9), seed=1
    )
    errors = np.abs(reference.outputs(result.layers, inputs) - labels)
    assert np.nanmean(errors[:, 0]) < 2 and np.nanmean(errors[:, 2]) < 2


def test_a_single_sample_is_enough():
    result = train(dataset(np.ones((1, 3)), np.array([[4.0]])), TrainingConfig(max_epochs=50), seed=1)
    assert result.validation_error < 0.5


@pytest.mark.parametrize(("hidden", "batch_size"), [((16,), 256), ((256,) * 8, 10**6), ((3000, 3000), 4096)])
def test_time_ends_training_with_what_there_is(puzzle, hidden, batch_size):
    data = puzzle_samples(puzzle, nsearches=200)
    config = TrainingConfig(hidden=hidden, batch_size=batch_size, max_epochs=10**6, patience=10**6)
    result = train(data, config, seed=1, budget=Budget(0.2, clock=Clock()))
    assert result.status == "out_of_time"
    assert hidden == (16,) or not result.losses  # it ends in the middle of an epoch of many seconds
    assert [weights.shape[1] for weights, _ in result.layers] == [*hidden, 1]


def test_interrupting_ends_training(puzzle):
    budget = Budget()
    config = TrainingConfig(max_epochs=10**6, patience=10**6)
    result = train(
        puzzle_samples(puzzle), config, seed=1, budget=budget,
        on_progress=lambda news: news.num_epochs >= 2 and budget.interrupt(),
    )  # fmt: skip
    assert result.status == "interrupted"


def test_an_exception_in_the_callback_reaches_the_caller(puzzle):
    with pytest.raises(ZeroDivisionError):
        train(puzzle_samples(puzzle), seed=1, on_progress=lambda news: 1 / 0)


def test_malformed_datasets_are_refused():
    good = {
        "num_inputs": 3,
        "offsets": np.array([0, 2], dtype=np.uint64),
        "inputs": np.array([0, 2], dtype=np.uint32),
        "coefficients": np.zeros(0, dtype=np.float32),
        "labels": np.ones((1, 1), dtype=np.float32),
    }
    _core.Dataset(**good)
    for name, value, problem in (
        ("num_inputs", 0, "needs inputs"),
        ("num_inputs", 2, "beyond its inputs"),
        ("offsets", np.array([0, 3], dtype=np.uint64), "offsets"),
        ("offsets", np.array([], dtype=np.uint64), "offsets"),
        ("offsets", np.array([0, 2, 1, 2], dtype=np.uint64), "offsets"),
        ("coefficients", np.ones(1, dtype=np.float32), "one coefficient"),
        ("coefficients", np.full(2, np.inf, dtype=np.float32), "not finite"),
        ("labels", np.ones((2, 1), dtype=np.float32), "one label"),
        ("labels", np.full((1, 1), -1, dtype=np.float32), "0 or more"),
    ):
        with pytest.raises(ValueError, match=problem):
            _core.Dataset(**{**good, name: value})
    nothing = {"offsets": np.zeros(1, np.uint64), "inputs": np.zeros(0, np.uint32)}
    empty = _core.Dataset(**{**good, **nothing, "labels": np.zeros((0, 1), np.float32)})
    with pytest.raises(ValueError, match="no samples"):
        train(empty)


@pytest.mark.parametrize(
    "options",
    [
        {"hidden": ()},
        {"hidden": (0,)},
        {"hidden": (1 << 20,)},
        {"loss": "mae"},
        {"trainer": "jax"},
        {"device": "cuda"},
        {"batch_size": 0},
        {"learning_rate": 0.0},
        {"learning_rate": float("nan")},
        {"decay": 1.5},
        {"max_epochs": 0},
        {"patience": 0},
        {"validation_share": 1.0},
        {"underestimate_weight": -1.0},
        {"max_reseeds": -1},
        {"batch_size": 1 << 70},
    ],
)
def test_configurations_that_make_no_sense_are_refused(options):
    with pytest.raises(InputError):
        TrainingConfig(**options)


@pytest.mark.parametrize(("text", "hidden"), [("1x16", (16,)), ("4×64", (64,) * 4), ("128,64", (128, 64)), ("8", (8,))])
def test_hidden_layers_are_written_as_layers_times_width(text, hidden):
    assert parse_hidden(text) == hidden


@pytest.mark.parametrize("text", ["", "x", "4x", "4x64x2", "-1", "1.5", "100x16", "9999999"])
def test_other_texts_are_no_hidden_layers(text):
    with pytest.raises(InputError):
        parse_hidden(text)
