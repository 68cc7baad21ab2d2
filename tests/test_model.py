"""Models as files: ours, others', and broken ones."""

from __future__ import annotations

import json
import re
import sys

import numpy as np
import onnx
import onnxruntime
import pytest
import reference
from graphs import PLAIN_GRAPHS, SIGMOID, TENSORS, graph
from puzzles import sliding_tiles
from random_tasks import TaskText

from sing import _core
from sing.base.budget import Budget
from sing.base.errors import InputError
from sing.base.reporter import Reporter
from sing.learning.learn import learn_model
from sing.networks.encoding import ENCODINGS, Encoding
from sing.networks.model import Model
from sing.planners.configs import CONFIGS
from sing.planners.single import Config
from sing.samples.sampling import SamplingConfig
from sing.search.search import SearchConfig, search
from sing.task.task import Task

LEARNED = [config for config in CONFIGS.values() if isinstance(config, Config) and config.learning]


@pytest.fixture(scope="module")
def task() -> Task:
    return sliding_tiles(3)


def small(config: Config) -> Config:
    config = config.override(max_epochs=3)
    if isinstance(config.learning.sampling, SamplingConfig):
        config = config.override(nsearches=10, nsamples=30)
    if config.learning.value_iteration.iterations:
        config = config.override(**{"value_iteration.iterations": 3, "value_iteration.nsearches": 2})
    return config


def learned(task: Task, config: Config, seed: int = 1) -> Model:
    config = small(config)
    return learn_model(
        task, config.learning, config.origin, seed=seed, jobs=1, budget=Budget(), reporter=Reporter(),
        search_follows=False,
    ).model  # fmt: skip


def random_states(task: Task, count: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.array([rng.permutation(len(task.variables)) for _ in range(count)], dtype=np.int32)


@pytest.mark.parametrize("config", LEARNED, ids=lambda config: config.name)
def test_onnx_runtime_agrees_on_every_configuration(task, tmp_path, config):
    model = learned(task, config)
    path = tmp_path / "m.onnx"
    model.save(path)
    states = random_states(task, 50)
    inputs = np.array([reference.encoded(task, model.encoding.kind, state) for state in states], dtype=np.float32)
    (expected,) = onnxruntime.InferenceSession(path).run(["estimate"], {"state": inputs})
    features = model.encoding.features(task)
    found = _core.Network(task.core, features, _core.Mlp(list(Model.load(path).layers))).evaluate(states)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", ENCODINGS)
def test_another_goal_is_another_search_space(kind):
    def task(*goal):
        return Task.from_sas(TaskText(False, (3, 3), (), (0, 0), goal, ()).to_sas())

    encoding = Encoding.of(task((0, 1), (1, 2)), kind)
    encoding.features(task((1, 2), (0, 1)))
    for goal, message in (
        ([(0, 1)], "it has goals that the task lacks: Atom at(x1, v2)"),
        ([(0, 1), (1, 0)], "the task has goals that the model lacks: Atom at(x1, v0)"),
    ):
        with pytest.raises(InputError, match=re.escape(message)):
            encoding.features(task(*goal))
        encoding.features(task(*goal), force=True)


def test_a_model_that_was_saved_gives_the_same_plan(task, tmp_path):
    model = learned(task, CONFIGS["c4"])
    model.save(tmp_path / "m.onnx")
    loaded = Model.load(tmp_path / "m.onnx")
    assert (loaded.encoding, loaded.seed, loaded.version) == (model.encoding, model.seed, model.version)
    assert loaded.config == json.loads(json.dumps(model.config))
    results = [search(task, one.heuristic(task), SearchConfig(), Budget()) for one in (model, loaded)]
    assert results[0].plan and results[0].plan == results[1].plan
    assert results[0].initial_estimate == results[1].initial_estimate


def test_the_same_seed_gives_the_same_file(task):
    files = {learned(task, CONFIGS["sing"], seed).to_bytes() for seed in (1, 1, 2)}
    assert len(files) == 2


def test_the_file_says_where_it_comes_from(task, tmp_path):
    learned(task, CONFIGS["sing-l"]).save(tmp_path / "m.onnx")
    proto = onnx.load(tmp_path / "m.onnx")
    onnx.checker.check_model(proto, full_check=True)
    metadata = {entry.key: entry.value for entry in proto.metadata_props}
    keys = "sing.atoms sing.config sing.encoding sing.goal sing.seed sing.variables sing.version"
    assert sorted(metadata) == keys.split()
    assert json.loads(metadata["sing.atoms"]) == list(task.atoms)
    assert json.loads(metadata["sing.goal"]) == sorted(f"Atom at({tile}, {tile})" for tile in range(9))
    assert metadata["sing.encoding"] == "sas"
    config = json.loads(metadata["sing.config"])
    assert config["name"].startswith("sing-l ")
    search = {"queues": ["h"], "ties": "fifo", "goal_orders": False, "boost": 0, "shorten_share": 0.0}
    assert config["search"] == {**search, "improve_work": 0}


def reordered(task: Task, seed: int) -> Task:
    """The same task with its variables and their values in another order."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(task.variables))
    values = [rng.permutation(len(variable.value_names)) for variable in task.variables]

    def fact(variable: int, value: int) -> str:
        return f"{list(order).index(variable)} {list(values[variable]).index(value)}"

    lines = ["begin_version", 3, "end_version", "begin_metric", 0, "end_metric", len(order)]
    for variable in order:
        names = [task.variables[variable].value_names[value] for value in values[variable]]
        lines += ["begin_variable", f"v{variable}", -1, len(names), *names, "end_variable"]
    lines += [0, "begin_state"]
    lines += [fact(variable, task.initial_state[variable]).split()[1] for variable in order]
    lines += ["end_state", "begin_goal", len(task.goal), *(fact(*goal) for goal in task.goal), "end_goal"]
    lines.append(task.num_operators)
    for operator in task.operators:
        before = dict(operator.preconditions)
        lines += ["begin_operator", operator.name, 0, len(operator.effects)]
        for effect in operator.effects:
            variable = effect.fact.variable
            old, new = fact(variable, before[variable]).split()[1], fact(*effect.fact)
            lines.append(f"0 {new.split()[0]} {old} {new.split()[1]}")
        lines += [1, "end_operator"]
    return Task.from_sas("\n".join(map(str, [*lines, 0])))


@pytest.mark.parametrize("name", ["sing", "sing-l"])
def test_atoms_are_matched_by_name_whatever_their_order(task, name):
    model = learned(task, CONFIGS[name])
    other = reordered(task, seed=3)
    assert other.atoms != task.atoms
    assert model.heuristic(task).evaluate(task.initial_state) == model.heuristic(other).evaluate(other.initial_state)


def test_another_search_space_is_refused_with_the_difference(task):
    model = learned(task, CONFIGS["sing"])
    with pytest.raises(InputError, match=r"goals that the model lacks: Atom at\(1, 2\)"):
        model.heuristic(sliding_tiles(3, swap_goal=True))
    with pytest.raises(InputError, match=r"the model lacks: .* and 13 more"):
        model.heuristic(sliding_tiles(5))
    known = Encoding("boolean", model.encoding.atoms[1:], model.encoding.goal)
    with pytest.raises(InputError, match=r"atoms that the model lacks: Atom at\(0, 0\)$"):
        known.features(task)


@pytest.mark.parametrize("name", PLAIN_GRAPHS)
def test_a_plain_network_trained_elsewhere_runs_natively(task, name):
    data = graph(PLAIN_GRAPHS[name], TENSORS)
    model = Model.from_bytes(data)
    assert model.graph is None
    states = random_states(task, 20)
    inputs = np.array([reference.encoded(task, "boolean", state) for state in states], dtype=np.float32)
    (expected,) = onnxruntime.InferenceSession(data).run(None, {"x": inputs})
    network = _core.Network(task.core, model.encoding.features(task), _core.Mlp(list(model.layers)))
    np.testing.assert_allclose(network.evaluate(states), expected, rtol=1e-4, atol=1e-3)


def test_another_graph_is_evaluated_by_onnx_runtime(task):
    data = graph(SIGMOID, TENSORS)
    model = Model.from_bytes(data)
    assert model.graph == data
    state = random_states(task, 1)[0]
    inputs = reference.encoded(task, "boolean", state).astype(np.float32)[None]
    (expected,) = onnxruntime.InferenceSession(data).run(None, {"x": inputs})
    assert model.heuristic(task).evaluate(list(map(int, state))) == max(0, round(float(expected[0, 0])))
    assert search(task, model.heuristic(task), SearchConfig(), Budget()).plan


def test_another_graph_is_refused_where_onnx_runtime_is_absent(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(InputError, match=r"it has a 'Sigmoid'; to evaluate it install ONNX Runtime"):
        Model.from_bytes(graph(SIGMOID, TENSORS))
