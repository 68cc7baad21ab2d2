"""Both trainers: the core's, and the one on PyTorch."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import reference
import torch
from puzzles import sliding_tiles

import sing
from sing import Budget, Status
from sing.base.budget import current_memory_bytes
from sing.base.errors import InputError
from sing.networks import torch_trainer
from sing.networks.encoding import Encoding
from sing.networks.train import train
from sing.networks.training import LOSSES, TrainingConfig
from sing.planners.configs import CONFIGS
from sing.samples.sampling import SamplingConfig, sample


@pytest.mark.parametrize("trainer", ["native", "torch"])
def test_a_start_of_another_shape_is_refused(trainer):
    task = sliding_tiles(2)
    data = sample(task, SamplingConfig("ei", nsearches=2, nsamples=10)).dataset(
        Encoding.of(task, "boolean").features(task)
    )
    layers = train(data, TrainingConfig(hidden=(4,), max_epochs=1)).layers
    with pytest.raises(ValueError, match="another shape"):
        train(data, TrainingConfig(hidden=(5,), max_epochs=1, trainer=trainer), start=layers)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("weight", [1.0, 3.0])
def test_both_trainers_have_the_same_loss(loss, weight):
    rng = np.random.default_rng(0)
    estimates, labels = rng.normal(10, 9, (50, 2)), rng.integers(0, 20, (50, 2)).astype(float)
    labels[::3, 1] = np.nan
    config = TrainingConfig(loss=loss, underestimate_weight=weight)
    expected = reference.mean_loss(estimates, labels, loss, weight)
    found = torch_trainer.mean_loss(torch.tensor(estimates), torch.tensor(labels), config)
    assert float(found) == pytest.approx(expected, rel=1e-5)
    native = [config.core_loss.value(a, b) for a, b in zip(estimates.flat, labels.flat, strict=True) if b == b]
    assert np.mean(native) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("kind", ["boolean", "sas"])
def test_both_trainers_learn_comparably(kind):
    task = sliding_tiles(3)
    samples = sample(task, SamplingConfig(nsearches=100, nsamples=100), seed=1)
    data = samples.dataset(Encoding.of(task, kind).features(task))
    errors = {}
    for trainer in ("native", "torch"):
        result = train(data, TrainingConfig(hidden=(16, 16), trainer=trainer), seed=1)
        assert [weights.shape for weights, _ in result.layers] == [(data.num_inputs, 16), (16, 16), (16, 1)]
        assert result.status in ("converged", "max_epochs")
        errors[trainer] = result.validation_error
    assert errors["torch"] == pytest.approx(errors["native"], rel=0.25)


def test_torch_weights_are_those_it_validated():
    """The layers it returns, evaluated by NumPy, have the loss it reports."""
    rng = np.random.default_rng(0)
    inputs = (rng.random((60, 12)) < 0.4).astype(np.float64)
    labels = rng.integers(0, 30, (60, 1)).astype(np.float64)
    rows, columns = np.nonzero(inputs)
    offsets = np.searchsorted(rows, np.arange(61)).astype(np.uint64)
    data = sing._core.Dataset(
        num_inputs=12,
        offsets=offsets,
        inputs=columns.astype(np.uint32),
        coefficients=np.zeros(0, np.float32),
        labels=labels.astype(np.float32),
    )
    result = train(data, TrainingConfig(trainer="torch", max_epochs=20), seed=1)
    found = reference.mean_loss(reference.outputs(list(result.layers), inputs), labels, "re", 1.0)
    assert found == pytest.approx(result.validation_error, rel=1e-4)  # so few samples serve for validation too
    assert train(data, TrainingConfig(trainer="torch", max_epochs=20), seed=1).losses == result.losses


def test_torch_keeps_the_time_limit_and_names_missing_devices(puzzle):
    task = sliding_tiles(3)
    data = sample(task, SamplingConfig(nsearches=100, nsamples=100)).dataset(
        Encoding.of(task, "boolean").features(task)
    )
    config = TrainingConfig(trainer="torch", max_epochs=10**6, patience=10**6)
    result = train(data, config, budget=Budget(0.5))
    assert result.status == "out_of_time" and result.layers
    with pytest.raises(InputError, match=r"no device '(cuda|tpu)'"):
        train(data, TrainingConfig(trainer="torch", device="cuda" if not torch.cuda.is_available() else "tpu"))
    with pytest.raises(InputError, match="no device 'meta'"):
        train(data, TrainingConfig(trainer="torch", device="meta"))
    small = CONFIGS["sing"].override(nsearches=20, nsamples=50, trainer="torch", max_epochs=3)
    assert sing.solve(*puzzle, config=small, seed=1).status is Status.SOLVED


def test_torch_trainings_side_by_side_do_not_disturb_each_other():
    task = sliding_tiles(3)
    samples = sample(task, SamplingConfig(nsearches=50, nsamples=100), seed=1)
    data = samples.dataset(Encoding.of(task, "boolean").features(task))
    config = TrainingConfig(trainer="torch", max_epochs=3)
    alone = train(data, config, seed=1)
    with ThreadPoolExecutor(2) as pool:
        beside, _ = pool.map(lambda seed: train(data, config, seed=seed), (1, 2))
    assert beside.losses == alone.losses


def test_a_network_that_is_not_a_number_is_dead_and_not_in_the_json(puzzle):
    config = CONFIGS["c4"].override(trainer="torch", loss="mse", learning_rate=1e10, nsearches=20, max_reseeds=1)
    result = sing.solve(*puzzle, config=config)
    json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert result.status is Status.SOLVED


@pytest.mark.parametrize("trainer", ["native", "torch"])
def test_a_training_that_memory_has_no_room_for_does_not_begin(trainer):
    task = sliding_tiles(3)
    data = sample(task, SamplingConfig("ei", nsearches=2, nsamples=10)).dataset(
        Encoding.of(task, "boolean").features(task)
    )
    config = TrainingConfig(hidden=(30_000,), trainer=trainer)
    with pytest.raises(MemoryError):
        train(data, config, budget=Budget(60, current_memory_bytes() + (64 << 20)))
