"""Teacher searches: labels are lengths of real plans, failures are counted, and limits hold."""

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from puzzles import sliding_tiles
from random_tasks import OperatorText, TaskText, strips_tasks, tasks_to_search
from small_tasks import SMALL_TASKS

import sing
from sing.base.budget import Budget, current_memory_bytes
from sing.base.errors import InputError
from sing.base.outcome import Status
from sing.learning.teacher import FROM_PLAN, TEACHERS, TeacherConfig
from sing.planners.heuristics import NamedHeuristic
from sing.samples.starts import DIRECTIONS, StartsConfig
from sing.task.task import Task

FEW = {"num_starts": 12, "max_steps": 8}


def rows(samples):
    return [tuple(row) for row in samples.values.tolist()]


@settings(max_examples=40)
@given(tasks_to_search(), st.sampled_from(DIRECTIONS), st.sampled_from(sorted(TEACHERS)), st.integers(0, 99))
def test_labels_are_lengths_of_real_plans(task, direction, teacher, seed):
    """The operators of a sample lead to the goal, through states that are samples, too, each with one less."""
    samples = TeacherConfig(StartsConfig(direction, **FEW), teacher).sample(task, seed=seed)
    states, (parents, _) = rows(samples), samples.links
    for i, label in enumerate(samples.labels):
        path, state, at = samples.operators(i), states[i], i
        assert len(path) == label
        for position in path:
            assert reference.is_applicable(task.operators[position], state)
            state, at = reference.successor(task, task.operators[position], state), int(parents[at])
            assert states[at] == state
        assert reference.num_open_goals(task, state) == 0


@settings(max_examples=25)
@given(strips_tasks(), st.sampled_from(DIRECTIONS), st.integers(0, 99))
def test_from_plan_says_which_states_of_a_plan_are_samples(task, direction, seed):
    made = {
        kind: TeacherConfig(StartsConfig(direction, **FEW), "goalcount", from_plan=kind).sample(task, seed=seed)
        for kind in FROM_PLAN
    }
    every = made["all"]
    parents, _ = every.links
    firsts = sorted(set(range(len(every))) - set(parents.tolist()))  # that no state of a plan comes before
    assert made["first"].labels.tolist() == every.labels[firsts].tolist()
    assert rows(made["first"]) == [rows(every)[i] for i in firsts]
    assert len(made["one"]) == len(firsts)
    of_all = set(zip(rows(every), every.labels.tolist(), strict=True))
    assert set(zip(rows(made["one"]), made["one"].labels.tolist(), strict=True)) <= of_all


def test_a_teacher_without_knowledge_finds_shortest_plans():
    task = sliding_tiles(2)
    samples = TeacherConfig(StartsConfig("forward", 30, max_steps=20), "blind", from_plan="first").sample(task, seed=3)
    distances = reference.distances(sliding_tiles(2, [0, 1, 2, 3]))
    assert samples.labels.tolist() == [distances[state] for state in rows(samples)]


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("teacher", ["ff", "ff-novelty"])
def test_threads_do_not_change_what_a_teacher_says(direction, teacher):
    config = TeacherConfig(StartsConfig(direction, 40), teacher, max_work=2000)
    one, three = (config.sample(sliding_tiles(3), seed=5, jobs=jobs) for jobs in (1, 3))
    assert np.array_equal(one.values, three.values) and np.array_equal(one.labels, three.labels)
    assert one.note == three.note and "failed" in one.note
    other = config.sample(sliding_tiles(3), seed=6)
    assert not np.array_equal(one.values, other.values)


@given(strips_tasks(), st.integers(0, 5), st.integers(0, 9), st.integers(0, 99))
def test_forward_walks_have_the_lengths_they_may_have(task, least, more, seed):
    starts = StartsConfig("forward", 10, least, least + more)
    states = starts.draw(task, seed=seed, jobs=1, budget=Budget()).values(np.arange(10, dtype=np.uint32))
    within = [{task.initial_state}]  # by steps: what can be reached in exactly so many, where none is a dead end before
    for _ in range(least + more):
        steps = {
            reference.successor(task, operator, state)
            for state in within[-1]
            for operator in task.operators
            if reference.is_applicable(operator, state)
        }
        within.append(steps)
    dead_ends = {
        state
        for level in within
        for state in level
        if not any(reference.is_applicable(operator, state) for operator in task.operators)
    }
    possible = set().union(*within[least:]) | dead_ends
    assert {tuple(state) for state in states.tolist()} <= possible


def test_backward_walks_reach_as_far_as_they_may():
    """On a line, a walk of n steps ends at most n from the goal; their lengths are drawn between the bounds."""
    steps = tuple(OperatorText((), ((0, i, i + 1),), 1) for i in range(29))
    task = Task.from_sas(TaskText(False, (30,), (), (0,), ((0, 29),), steps).to_sas())
    states = StartsConfig("backward", 200, 3, 9).draw(task, seed=1, jobs=2, budget=Budget())
    distances = 29 - states.values(np.arange(200, dtype=np.uint32))[:, 0]
    assert set(distances.tolist()) == set(range(3, 10))


def test_the_teachers_are_the_configurations_of_their_names():
    for name, teacher in TEACHERS.items():
        config = sing.CONFIGS[name]
        assert isinstance(config, sing.Config) and config.heuristic == NamedHeuristic(teacher.heuristic)
        assert config.search == teacher.search and config.landmarks == 0


@pytest.mark.parametrize("options", [{"teacher": "chorus"}, {"from_plan": "two"}, {"max_work": 0}])
def test_malformed_teachers_are_refused(options):
    with pytest.raises(InputError):
        TeacherConfig(**options)
    with pytest.raises(InputError, match="at least 5 and at most 4"):
        StartsConfig(min_steps=5, max_steps=4)


def test_a_teacher_that_solves_nothing_leaves_a_planner_that_searches(tmp_path, recorder):
    path = tmp_path / "task.sas"
    path.write_text(SMALL_TASKS["tiles 3"]())
    config = sing.CONFIGS["teacher"].override(max_work=1, direction="forward", min_steps=100)
    result = sing.solve(path, config=config, seed=1, reporter=recorder)
    assert result.status is Status.SOLVED
    told = dict(recorder.phases)["learn"]
    assert "no teacher search found a plan" in told and "200 failed" in told and "goalcount instead" in told


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_teachers_keep_time_and_interruptions(direction):
    config = TeacherConfig(StartsConfig(direction, 10**5, max_steps=100), "blind", max_work=10**9)
    late = config.sample(sliding_tiles(4), budget=Budget(0.5, 4 << 30), jobs=2)
    assert late.status is Status.OUT_OF_TIME
    budget = Budget(1800, 4 << 30)
    few = TeacherConfig(StartsConfig(direction, 50, max_steps=100), "blind", max_work=10**9)
    stopped = few.sample(sliding_tiles(4), budget=budget, on_progress=lambda count: budget.interrupt())
    assert stopped.status is Status.INTERRUPTED


def test_a_search_that_fills_its_memory_fails_alone():
    config = TeacherConfig(StartsConfig("forward", 4, 200, 200), "blind", max_work=10**9)
    samples = config.sample(sliding_tiles(4), budget=Budget(1800, current_memory_bytes() + (150 << 20)))
    assert samples.status is None and "4 failed" in samples.note


def test_the_configuration_learns_and_solves(tmp_path):
    path = tmp_path / "task.sas"
    path.write_text(SMALL_TASKS["tiles 3"]())
    result = sing.solve(path, config=sing.CONFIGS["teacher"].override(num_starts=50), seed=1, jobs=2)
    assert result.status is Status.SOLVED and result.to_json()["num_samples"] > 500
