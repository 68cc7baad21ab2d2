"""Landmarks: found, ordered, counted along paths, and as goals of a task."""

import random
from collections import deque

import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from puzzles import sliding_tiles
from random_tasks import adl_tasks, strips_tasks, tasks_to_search

from sing import _core
from sing._core import testing
from sing.base.budget import Budget
from sing.base.outcome import Status
from sing.search.search import SearchConfig, named_heuristic, search
from sing.task.plan import execute

MAX_FACTS = st.sampled_from([1, 2, 4])


def holds_one(landmark, state) -> bool:
    return any(state[variable] == value for variable, value in landmark)


def region_without(task, landmark):
    """The states that can be reached before one of the facts holds, and the steps that lead out of them."""
    region, steps, queue = {task.initial_state}, [], deque([task.initial_state])
    while queue:
        state = queue.popleft()
        for operator in task.operators:
            if not reference.is_applicable(operator, state):
                continue
            after = reference.successor(task, operator, state)
            if holds_one(landmark, after):
                steps.append((state, after))
            elif after not in region:
                region.add(after)
                queue.append(after)
    return region, steps


@settings(max_examples=200)
@given(tasks_to_search(), MAX_FACTS)
def test_without_a_landmark_there_is_no_plan(task, max_facts):
    found = testing.find_landmarks(task.core, max_facts=max_facts)
    if found is None:
        assert reference.plan_length(task) is None
        return
    for landmark in found[0]:
        assert 1 <= len(landmark) <= max_facts and not holds_one(landmark, task.initial_state)
        region, _ = region_without(task, landmark)
        assert all(reference.num_open_goals(task, state) for state in region)


@settings(max_examples=200)
@given(tasks_to_search(), MAX_FACTS)
def test_an_order_says_what_holds_directly_before(task, max_facts):
    """Where an axiom achieves the landmark, at the same time."""
    landmarks, orders = testing.find_landmarks(task.core, max_facts=max_facts) or ([], [])
    for (variable, value), position in orders:
        is_derived = any(task.variables[v].axiom_layer >= 0 for v, _ in landmarks[position])
        _, steps = region_without(task, landmarks[position])
        for before, after in steps:
            assert before[variable] == value or (is_derived and after[variable] == value)


@settings(max_examples=200)
@given(strips_tasks())
def test_all_fact_landmarks_without_deletes_are_found(task):
    found = testing.find_landmarks(task.core, max_facts=1)
    if found is None:
        assert reference.relaxed_estimate(task, task.initial_state, max) is None
    else:
        assert [fact for (fact,) in found[0]] == reference.fact_landmarks(task)


@settings(max_examples=200)
@given(tasks_to_search(), MAX_FACTS, st.integers(0, 2**32))
def test_what_a_path_has_achieved_is_part_of_its_states(task, max_facts, seed):
    """Along a random path: achieved landmarks, and the landmark count with what is needed again."""
    found = testing.find_landmarks(task.core, max_facts=max_facts)
    if found is None:
        return
    landmarks, orders = found
    with_landmarks = task.with_landmarks(max_facts)
    heuristic = named_heuristic(with_landmarks, "landmarks")
    rng = random.Random(seed)
    plain, state = task.initial_state, with_landmarks.initial_state
    history = [plain]
    for _ in range(12):
        expected = reference.landmark_count(task, landmarks, orders, history)
        assert heuristic.evaluate(state) == expected
        applicable = [i for i, operator in enumerate(task.operators) if reference.is_applicable(operator, plain)]
        if not applicable:
            break
        estimates = heuristic.evaluate_successors(state, applicable)
        number = rng.randrange(len(applicable))
        plain = reference.successor(task, task.operators[applicable[number]], plain)
        state = reference.successor(with_landmarks, with_landmarks.operators[applicable[number]], state)
        history.append(plain)
        assert state[: len(plain)] == plain
        assert estimates[number][0] == reference.landmark_count(task, landmarks, orders, history)


@settings(max_examples=100)
@given(tasks_to_search(), MAX_FACTS)
def test_landmarks_change_neither_plans_nor_whether_there_is_one(task, max_facts):
    with_landmarks = task.with_landmarks(max_facts)
    assert with_landmarks.num_operators == task.num_operators
    heuristic = named_heuristic(with_landmarks, "landmarks")
    result = search(with_landmarks, heuristic, SearchConfig(("l", "nl")), Budget())
    assert (result.status is Status.SOLVED) == (reference.plan_length(task) is not None)
    if result.status is Status.SOLVED:
        execute(task, result.plan)
        execute(with_landmarks, result.plan)


@settings(max_examples=200)
@given(st.one_of(strips_tasks(), adl_tasks()))
def test_helpful_operators_are_a_relaxed_plan(task):
    """One plan for all successors: its size is their estimate, and without deletes it reaches every goal."""
    heuristic = named_heuristic(task, "relaxed")
    state = task.initial_state
    results = heuristic.evaluate_successors(state, range(task.num_operators))
    estimate = named_heuristic(task, "ff").evaluate(state)
    assert {result for result, _ in results} <= {estimate}
    helpful = [number for number, (_, is_preferred) in enumerate(results) if is_preferred]
    if estimate is None:
        assert helpful == []
    elif task.num_operators:
        assert len(helpful) == estimate
        costs = reference.relaxed_costs(reference.Restricted(task, helpful), state, max)
        assert all(fact in costs for fact in task.goal)


def test_disjunctions_are_of_one_predicate():
    """A package that either truck may carry: it must have been in one of them."""
    facts = ["Atom at(p, a)", "Atom at(p, b)", "Atom in(p, t1)", "Atom in(p, t2)"]
    lines = ["begin_version", 3, "end_version", "begin_metric", 0, "end_metric", 1]
    lines += ["begin_variable", "p", -1, 4, *facts, "end_variable", 0, "begin_state", 0, "end_state"]
    lines += ["begin_goal", 1, "0 1", "end_goal", 4]
    for truck in (2, 3):
        for name, before, after in (("load", 0, truck), ("unload", truck, 1)):
            lines += ["begin_operator", f"{name} t{truck}", 0, 1, f"0 0 {before} {after}", 1, "end_operator"]
    task = reference.Task.from_sas("\n".join(map(str, [*lines, 0])))
    assert testing.find_landmarks(task.core, max_facts=1) == ([[(0, 1)]], [])
    landmarks, orders = testing.find_landmarks(task.core, max_facts=2)
    assert landmarks == [[(0, 1)], [(0, 2), (0, 3)]] and orders == [((0, 0), 1)]


class Stopped(Exception):
    pass


@pytest.mark.parametrize("limit", ["memory", "time"])
def test_looking_for_landmarks_keeps_its_limits(limit):
    def check() -> None:
        if limit == "time":
            raise Stopped

    num_bytes = 1000 if limit == "memory" else 1 << 30
    guard = _core.Guard(memory_limit_bytes=num_bytes, check=check)
    with pytest.raises(MemoryError if limit == "memory" else Stopped):
        sliding_tiles(5).with_landmarks(2, guard)
