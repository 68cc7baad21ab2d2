"""The ingredients of `fsm`: breadth first and rollouts, lowered labels, random states. Each against its twin."""

import math

import learners_reference
import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from puzzles import sliding_tiles
from random_tasks import OperatorText, TaskText, strips_tasks, task_texts, tasks_to_search

import sing
from sing import _core
from sing.base.budget import Budget
from sing.base.errors import InputError
from sing.base.outcome import Status
from sing.samples.sampling import SamplingConfig, sample
from sing.task.task import Task

SMALL = {"nsearches": 3, "nsamples": 20}
EVERYTHING = {"completion": "random", "lower_equals": True, "lower_successors": True, "random_share": 0.2}


def rows(samples):
    return [tuple(row) for row in samples.values.tolist()]


@given(strips_tasks(), st.booleans(), st.sampled_from(["dfs", "rw", "bfs-rw"]), st.integers(0, 99))
def test_lowered_labels_equal_their_twin(task, by_successors, strategy, seed):
    config = SamplingConfig("r", strategy, **SMALL)
    plain = sample(task, config, seed=seed)
    lowering = {"lower_equals": True, "lower_successors": by_successors}
    lowered = sample(task, SamplingConfig("r", strategy, **SMALL, **lowering), seed=seed, jobs=2)
    assert rows(lowered) == rows(plain)
    labels = [int(label) for label in plain.labels]
    assert lowered.labels.tolist() == learners_reference.lowered(task, rows(plain), labels, by_successors)


@given(tasks_to_search(), st.sampled_from(["dfs", "rw", "bfs-rw"]), st.integers(0, 99))
def test_no_label_is_below_the_distance_but_of_random_states(task, strategy, seed):
    """Also with conditional effects and axioms. What is random comes last and has one label."""
    samples = sample(task, SamplingConfig("r", strategy, **SMALL, **EVERYTHING), seed=seed)
    plain = sample(task, SamplingConfig("r", strategy, **SMALL), seed=seed)
    full = {
        i: reference.completed(task, state) for i, state in enumerate(rows(samples)[: len(plain)]) if -1 not in state
    }
    distances = learners_reference.goal_distances(task, full.values())
    assert all(samples.labels[i] >= distances[state] for i, state in full.items())
    assert samples.labels.max(initial=0) <= plain.labels.max(initial=0) + 1


@given(strips_tasks(), st.sampled_from([0.0, 0.3, 1.0]), st.sampled_from([2, 5, None]), st.integers(0, 99))
def test_breadth_first_search_comes_first_and_rollouts_follow(task, share, max_depth, seed):
    config = SamplingConfig("r", "bfs-rw", nsearches=1, nsamples=40, bfs_share=share, max_depth=max_depth)
    samples = sample(task, config, seed=seed)
    labels, (parents, _) = samples.labels.tolist(), samples.links
    num_first = max(1, math.ceil(share * 40))
    first = labels[:num_first]
    assert first == sorted(first)
    assert len(set(rows(samples)[:num_first])) == len(first)
    expanded = {int(parent) for parent in parents[1:num_first]}
    assert sorted(expanded) == list(range(len(expanded))) or len(expanded) <= max(expanded, default=0) + 1
    for i in range(num_first, len(samples)):
        assert max_depth is None or labels[i] <= max_depth
        path, at = [rows(samples)[i]], int(parents[i])
        if at < num_first:  # a rollout begins at a leaf
            assert at >= max(expanded, default=0)
        while at >= num_first:
            path.append(rows(samples)[at])
            at = int(parents[at])
        assert len(set(path)) == len(path)


def test_rollouts_fill_what_breadth_first_search_leaves():
    samples = sample(sliding_tiles(3), SamplingConfig("r", "bfs-rw", nsearches=1, nsamples=1000, max_depth=30))
    assert len(samples) == 1000
    first, walks = samples.labels[:100], samples.labels[100:]
    assert first.max() < 10 and walks.max() == 30
    assert np.count_nonzero(walks == 30) > 20  # many walks, not one


@given(strips_tasks(), st.integers(0, 9))
def test_random_states_are_a_share_with_a_label_above_all_others(task, seed):
    plain = sample(task, SamplingConfig("r", "rw", **SMALL), seed=seed)
    samples = sample(task, SamplingConfig("r", "rw", **SMALL, random_share=0.2), seed=seed)
    added = samples.values[len(plain) :]
    assert np.array_equal(samples.values[: len(plain)], plain.values)
    assert len(added) <= round(len(plain) / 4)
    assert (samples.labels[len(plain) :] == plain.labels.max() + 1).all()
    for state in added.tolist():
        held = set(enumerate(state))
        assert -1 not in state
        assert all(len(held & set(group)) <= 1 for group in task.mutex_groups)


def test_random_states_have_the_share_they_are_given():
    config = SamplingConfig("r", "rw", nsearches=10, nsamples=80, random_share=0.2)
    assert len(sample(Task.from_sas(_switches()), config)) == 1000


def _switches() -> str:
    flips = tuple(OperatorText((), ((v, x, 1 - x),), 1) for v in range(12) for x in (0, 1))
    return TaskText(False, (2,) * 12, (), (0,) * 12, tuple((v, 1) for v in range(12)), flips).to_sas()


@given(task_texts(), st.sampled_from(["dfs", "rw", "bfs-rw"]))
def test_threads_do_not_change_refined_samples(text, strategy):
    task = Task.from_sas(text.to_sas())
    config = SamplingConfig("r", strategy, nsearches=6, nsamples=12, **EVERYTHING)
    one, three = (sample(task, config, seed=5, jobs=jobs) for jobs in (1, 3))
    assert np.array_equal(one.values, three.values)
    assert np.array_equal(one.labels, three.labels)


def test_lowering_keeps_its_limits():
    task = sliding_tiles(4)
    core = _core.Sampler(
        task.core, space="r", strategy=_core.Strategy.RANDOM_WALK, collection=_core.Collection.EXPANDED,
        num_searches=300, num_samples=100, num_breadth_first=1, max_depth=99, consistent_starts=False, seed=0,
    ).run(num_threads=1, time_limit_s=60.0, memory_limit_bytes=1 << 30, progress=lambda count: True)  # fmt: skip
    before = core.labels
    limits = {"num_threads": 2, "progress": lambda: True}
    late = core.lower(
        task.core, by_equals=True, by_successors=True, time_limit_s=1e-9, memory_limit_bytes=1 << 30, **limits
    )
    assert not late and np.array_equal(core.labels, before)
    with pytest.raises(MemoryError):
        core.lower(task.core, by_equals=True, by_successors=True, time_limit_s=60, memory_limit_bytes=9, **limits)
    room_for_equals = {"time_limit_s": 60.0, "memory_limit_bytes": 1 << 20}
    assert core.lower(task.core, by_equals=True, by_successors=True, **room_for_equals, **limits)
    equals = core.labels
    assert (equals <= before).all() and (equals < before).any()
    assert core.lower(
        task.core, by_equals=True, by_successors=True, time_limit_s=60.0, memory_limit_bytes=1 << 30, **limits
    )
    assert (core.labels <= equals).all() and (core.labels < equals).any()


def test_time_and_interruptions_end_each_part_of_the_sampling():
    config = SamplingConfig("r", "bfs-rw", nsearches=1, nsamples=10**7, **EVERYTHING)
    late = sample(sliding_tiles(5), config, budget=Budget(0.5, 4 << 30))
    assert late.status is Status.OUT_OF_TIME and len(late) > 0
    assert (late.values != -1).all()
    budget = Budget(1800, 4 << 30)
    stopped = sample(sliding_tiles(5), config, budget=budget, on_progress=lambda count: budget.interrupt())
    assert stopped.status is Status.INTERRUPTED


@pytest.mark.parametrize("field", ["bfs_share", "random_share"])
@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan])
def test_shares_are_between_0_and_1(field, value):
    with pytest.raises(InputError, match=field):
        SamplingConfig(**{field: value})


def test_fsm_is_a_configuration_whose_ingredients_others_can_have(tmp_path):
    config = sing.CONFIGS["fsm"].override(nsamples=2000, max_epochs=3)
    task = tmp_path / "tiles.sas"
    task.write_text(_switches())
    result = sing.solve(task, config=config, seed=1)
    assert result.status is Status.SOLVED and result.plan is not None and len(result.plan.operators) >= 12
    other = sing.CONFIGS["sing"].with_settings(["random_share=0.2", "lower_successors=true", "strategy=bfs-rw"])
    assert other.learning.sampling.random_share == 0.2 and other.learning.sampling.strategy == "bfs-rw"
