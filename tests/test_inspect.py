"""Models that the default planner learns, and what `sing inspect` shows of models."""

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pddl
import pytest

import sing
from sing import _core
from sing.base.errors import InputError
from sing.learning.accuracy import accuracy, outputs, some_of
from sing.networks.encoding import Encoding
from sing.networks.model import Model
from sing.translate import generators, translate

SING = str(Path(sys.executable).with_name("sing"))


def run(*arguments, **options):
    return subprocess.run([SING, *map(str, arguments)], capture_output=True, text=True, check=False, **options)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three boards of one space, and a model that chorus learned from the first."""
    folder = tmp_path_factory.mktemp("boards")
    family = generators.npuzzle(3, 3, count=3)
    (folder / "domain.pddl").write_text(family.domain)
    for number, problem in enumerate(family.problems, start=1):
        (folder / f"p{number}.pddl").write_text(problem)
    done = run("learn", "domain.pddl", "p1.pddl", "--config", "chorus", "--output", "voices.onnx", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()] == [
        "config", "translate", "search", "sample", "train", "model",
    ]  # fmt: skip
    return folder


def test_what_the_default_learns_serves_every_problem_of_its_space(folder):
    done = run("solve", "domain.pddl", "p1.pddl", "p2.pddl", "p3.pddl", "--model", "voices.onnx", cwd=folder)
    assert done.returncode == 0, done.stdout
    assert "3 of 3 solved" in done.stdout
    assert run("validate", "domain.pddl", "p2.pddl", "sas_plan.p2", cwd=folder).returncode == 0


def test_a_model_is_shown(folder):
    done = run("inspect", "voices.onnx", cwd=folder, env={**os.environ, "COLUMNS": "80"})
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stdout.split())
    assert "81 inputs, hidden layers of 32, 8 outputs, 2,888 weights" in text
    assert "81 atoms: 72 at, 9 blank; one bit per atom" in text
    assert "8 facts: at(t1, p1), at(t2, p2), at(t3, p3), at(t4, p4) and 4 more" in text
    assert "one for each goal" in text and "by chorus, seed 0" in text and "validation loss 0." in text
    assert "queues nh,h,ph,noh,o,no,*od" in text and "goal_orders true" in text
    rows = [line.split() for line in done.stdout.split("mean error\n")[1].splitlines()]
    model = Model.load(folder / "voices.onnx")
    told = model.config["learned"]["accuracy"]
    assert [float(row[-1]) for row in rows] == [row["mean_error"] for row in told]


def test_models_of_other_programs_are_shown(tmp_path):
    weights = np.ones((1, 1), dtype=np.float32)
    encoding = Encoding("boolean", ("Atom elsewhere()",), None)
    Model(encoding, ((weights, np.ones(1, dtype=np.float32)),), version="").save(tmp_path / "m.onnx")
    done = run("inspect", tmp_path / "m.onnx")
    assert done.returncode == 0 and "by another program" in done.stdout
    assert run("inspect", tmp_path / "absent.onnx").returncode == 36


def test_heads_follow_the_names_of_goals(folder):
    """Whatever the order in which a task lists its goals."""
    model = Model.load(folder / "voices.onnx")
    task = translate(folder / "domain.pddl", folder / "p1.pddl", sing.Budget())
    turned = Encoding("boolean", model.encoding.atoms, model.encoding.goal[::-1])
    *layers, (weights, biases) = model.layers
    flipped = (np.ascontiguousarray(weights[:, ::-1]), np.ascontiguousarray(biases[::-1]))
    other = Model(turned, (*layers, flipped), has_voices=True)
    state = list(task.initial_state)
    assert other.heuristic(task).evaluate(state) == model.heuristic(task).evaluate(state) > len(task.goal)


def test_a_goal_without_a_head_counts_as_one_step(folder, tmp_path):
    model = Model.load(folder / "voices.onnx")
    problem = generators.npuzzle(3, 3).problems[0].replace("(at t8 p8)", "(at t8 p0)")
    task = translate(*pddl.write(tmp_path, (folder / "domain.pddl").read_text(), problem), sing.Budget())
    with pytest.raises(InputError, match="another search space"):
        model.heuristic(task)
    assert model.heuristic(task, force=True).evaluate(list(task.initial_state)) > len(task.goal)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sing.outputs": "everything"}, "'sing.outputs' is 'everything'"),
        ({"sing.goal": None}, "the metadata has no 'sing.goal'"),
        ({"sing.goal": json.dumps(["Atom at(t1, p1)"])}, "8 outputs; a heuristic has one"),
        ({"sing.outputs": None}, "8 outputs; a heuristic has one"),
    ],
)
def test_a_model_that_contradicts_itself_is_refused(folder, change, message):
    import onnx

    proto = onnx.load(folder / "voices.onnx")
    metadata = {entry.key: entry.value for entry in proto.metadata_props} | change
    onnx.helper.set_model_props(proto, {key: value for key, value in metadata.items() if value is not None})
    with pytest.raises(InputError, match=message):
        Model.from_bytes(proto.SerializeToString())


def test_accuracy_compares_estimates_with_labels(folder):
    config = sing.CONFIGS["sing"].override(nsearches=20, nsamples=50)
    task = translate(folder / "domain.pddl", folder / "p1.pddl", sing.Budget())
    learned = sing.learn(folder / "domain.pddl", folder / "p1.pddl", config=config)
    samples = sing.sample(task, config.learning.sampling, seed=0)
    dataset = samples.dataset(learned.model.encoding.features(task), np.arange(len(samples)))
    estimates = outputs(learned.model.layers, dataset)[:, 0]
    inputs = np.zeros((len(samples), dataset.num_inputs), dtype=np.float32)
    for row, (start, end) in enumerate(itertools.pairwise(dataset.offsets)):
        inputs[row, dataset.inputs[start:end]] = 1
    (first, biases), (last, bias) = learned.model.layers
    expected = (np.maximum(inputs @ first + biases, 0) @ last + bias)[:, 0]
    np.testing.assert_allclose(estimates, expected, rtol=1e-3, atol=1e-3)
    rows = accuracy(learned.model.layers, dataset)
    assert sum(row["labels"] for row in rows) == len(samples)
    errors = sum(row["labels"] * row["mean_error"] for row in rows) / len(samples)
    assert errors == pytest.approx(np.abs(estimates - samples.labels).mean(), abs=0.01)
    assert learned.model.config["learned"]["accuracy"] == rows


def wide_dataset(num_samples, num_entries):
    return _core.Dataset(
        num_inputs=num_entries,
        offsets=num_entries * np.arange(num_samples + 1, dtype=np.uint64),
        inputs=np.tile(np.arange(num_entries, dtype=np.uint32), num_samples),
        coefficients=np.empty(0, dtype=np.float32),
        labels=np.arange(num_samples, dtype=np.float32)[:, np.newaxis],
    )


@pytest.mark.parametrize(
    ("num_entries", "hidden", "count"), [(10, (16,), 2000), (1000, (16,), 1000), (10, (4096,) * 3, 1)]
)
def test_wide_states_and_wide_networks_are_judged_by_fewer_samples(num_entries, hidden, count):
    some = some_of(wide_dataset(3000, num_entries), hidden)
    assert count <= len(some) <= 1.05 * count
    assert some.num_entries == num_entries * len(some) and len(set(some.labels[:, 0])) == len(some)


def test_some_samples_are_what_they_were_among_all():
    dataset = _core.Dataset(
        num_inputs=9,
        offsets=np.array([0, 2, 2, 5, 6], dtype=np.uint64),
        inputs=np.array([3, 1, 4, 1, 5, 8], dtype=np.uint32),
        coefficients=np.arange(6, dtype=np.float32),
        labels=np.arange(8, dtype=np.float32).reshape(4, 2),
    )
    some = dataset.subset(np.array([0, 2], dtype=np.uint32))
    assert some.offsets.tolist() == [0, 2, 5] and some.inputs.tolist() == [3, 1, 4, 1, 5]
    assert some.coefficients.tolist() == [0, 1, 2, 3, 4] and some.labels.tolist() == [[0, 1], [4, 5]]
    with pytest.raises(IndexError):
        dataset.subset(np.array([4], dtype=np.uint32))


def test_only_models_that_are_kept_are_judged(folder, monkeypatch):
    monkeypatch.setattr("sing.learning.learn.accuracy", lambda layers, some: pytest.fail("nobody reads it"))
    config = sing.CONFIGS["sing"].override(nsearches=20, nsamples=50)
    assert sing.solve(folder / "domain.pddl", folder / "p1.pddl", config=config).plan is not None
