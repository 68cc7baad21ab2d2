"""Stratified sampling against its twin, and labels by it against brute force."""

import dataclasses

import learners_reference
import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from puzzles import sliding_tiles
from random_tasks import task_texts, tasks_to_search
from small_tasks import SMALL_TASKS

import sing
from sing import _core
from sing._core import testing
from sing.base.budget import Budget
from sing.base.outcome import Status
from sing.samples.biss import TYPES, BissConfig
from sing.samples.starts import StartsConfig
from sing.task.task import Task

FEW = StartsConfig("backward", num_starts=12, max_steps=6, completion="random")
# Enough for every state of a small task.
ALL = {"max_types": 0, "num_probes": 1, "backward_work": 10**6, "forward_work": 10**6}


def rows(samples):
    return [tuple(row) for row in samples.values.tolist()]


@given(
    st.lists(st.tuples(st.integers(0, 99), st.integers(0, 12), st.sampled_from([1.0, 2.0, 7.0])), max_size=40),
    st.sampled_from([0, 1, 5]),
    st.integers(0, 2**64 - 1),
)
def test_a_level_of_types_equals_its_twin(items, max_types, seed):
    level = testing.typed_level(
        [([state], kind, weight) for state, kind, weight in items], max_types=max_types, seed=seed
    )
    twin = learners_reference.typed_level(items, max_types, seed)
    assert [(state, weight) for (state,), weight in level] == twin


def test_each_state_of_a_type_stands_for_it_as_often_as_its_weight_says():
    items = [([0], 3, 1.0), ([1], 3, 2.0), ([2], 3, 5.0)]
    chosen = [testing.typed_level(items, max_types=0, seed=seed)[0][0][0] for seed in range(4000)]
    shares = np.bincount(chosen, minlength=3) / 4000
    assert np.abs(shares - np.array([1, 2, 5]) / 8).max() < 0.03
    assert testing.typed_level(items, max_types=0, seed=1)[0][1] == 8.0


@settings(max_examples=60)
@given(task_texts(max_variables=4, max_domain_size=3), st.integers(0, 99))
def test_where_states_are_types_labels_are_distances(text, seed):
    """Without conditional effects, axioms and mutex groups regression is exact."""
    task = Task.from_sas(dataclasses.replace(text, mutex_groups=()).to_sas())
    samples = BissConfig(FEW, "states", max_levels=100, **ALL).sample(task, seed=seed)
    distances = learners_reference.goal_distances(task, rows(samples))
    assert samples.labels.tolist() == [distances[state] for state in rows(samples)]
    starts = FEW.draw(task, seed=seed, jobs=1, budget=Budget())
    assert len(samples) == len(starts)  # all of them lie on ways to the goal


@settings(max_examples=60)
@given(
    tasks_to_search(), st.sampled_from(TYPES), st.sampled_from([0, 2]), st.sampled_from([1, 100]), st.integers(0, 99)
)
def test_labels_are_never_below_the_distance(task, types, max_types, max_levels, seed):
    config = BissConfig(FEW, types, max_types=max_types, num_probes=2, max_levels=max_levels)
    samples = config.sample(task, seed=seed)
    distances = learners_reference.goal_distances(task, rows(samples))
    assert all(label >= distances[state] for state, label in zip(rows(samples), samples.labels, strict=True))
    if max_levels == 1:
        assert samples.labels.max(initial=0) <= 2


def test_finer_types_give_lower_labels():
    task = sliding_tiles(3)
    starts = StartsConfig("backward", 100, 30, 30)
    means = {}
    for types, max_types in (("goals", 1), ("children", 50)):
        config = BissConfig(starts, types, max_types=max_types, max_levels=100, forward_work=5000)
        samples = config.sample(task, seed=1)
        means[max_types] = samples.labels.mean() if len(samples) else np.inf
        assert len(samples) < 100 or max_types > 1
    assert means[50] < np.inf


@pytest.mark.parametrize("types", TYPES)
def test_threads_do_not_change_labels(types):
    config = BissConfig(StartsConfig("backward", 60, 10, 20), types, forward_work=300)
    one, three = (config.sample(sliding_tiles(3), seed=5, jobs=jobs) for jobs in (1, 3))
    assert len(one) > 0 and rows(one) == rows(three) and np.array_equal(one.labels, three.labels)


def test_types_of_states_are_what_they_say():
    """Of a sample whose level has one type each the twin knows which: states that share goals share a stratum."""
    task = sliding_tiles(2)
    starts = StartsConfig("forward", 40, 0, 10)
    labels = {}
    for types in TYPES:
        samples = BissConfig(starts, types, **ALL).sample(task, seed=1)
        labels[types] = dict(zip(rows(samples), samples.labels.tolist(), strict=True))
    distances = learners_reference.goal_distances(task, labels["states"])
    assert labels["states"] == {state: distances[state] for state in labels["states"]}
    assert set(labels["children"]) <= set(labels["states"])


def test_limits_hold_and_interruptions_are_heard():
    config = BissConfig(StartsConfig("forward", 10**5, 0, 100), "states", max_types=0, forward_work=10**9)
    late = config.sample(sliding_tiles(4), budget=Budget(0.6, 4 << 30), jobs=2)
    assert late.status is Status.OUT_OF_TIME
    budget = Budget(1800, 4 << 30)
    stopped = config.sample(sliding_tiles(4), budget=budget, on_progress=lambda count: budget.interrupt())
    assert stopped.status is Status.INTERRUPTED
    starts = StartsConfig("forward", 5).draw(sliding_tiles(4), seed=1, jobs=1, budget=Budget())
    options = {"max_types": 0, "num_probes": 1, "max_levels": 99, "backward_work": 10**7, "forward_work": 10**7}
    full = _core.label_by_biss(
        sliding_tiles(4).core, starts, types=_core.TypeSystem.STATES, seed=0, num_threads=1, time_limit_s=60.0,
        memory_limit_bytes=1 << 20, progress=lambda count: True, **options,
    )  # fmt: skip
    assert full.status == _core.SamplingStatus.OUT_OF_MEMORY and len(full) == 0


def test_a_task_where_nothing_gets_a_label_is_still_searched(tmp_path, recorder):
    path = tmp_path / "task.sas"
    path.write_text(SMALL_TASKS["tiles 3"]())
    config = sing.CONFIGS["biss"].override(max_levels=1, direction="forward", num_starts=5, min_steps=100)
    result = sing.solve(path, config=config, seed=1, reporter=recorder)
    assert result.status is Status.SOLVED
    assert "met no way to the goal" in dict(recorder.phases)["learn"]


def test_the_configuration_learns_and_solves(tmp_path):
    path = tmp_path / "task.sas"
    path.write_text(SMALL_TASKS["tiles 3"]())
    config = sing.CONFIGS["biss"].override(num_starts=300, max_steps=20)
    assert sing.solve(path, config=config, seed=1, jobs=2).status is Status.SOLVED


def test_reference_distances_agree_with_search():
    task = sliding_tiles(2)
    lengths = learners_reference.goal_distances(task, [task.initial_state])
    assert lengths[task.initial_state] == reference.plan_length(task)
