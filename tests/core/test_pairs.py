"""Pairs of facts that are on no way to the goal, and tasks without what leads into dead ends."""

from itertools import combinations_with_replacement

import pairs_reference
import pytest
import reference
from dead_ends import painting
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tasks import OperatorText, TaskText, adl_tasks, strips_tasks, task_texts

from sing import _core
from sing._core import testing
from sing.task.task import Fact, Task

ENOUGH = 10**9
TASKS = st.one_of(strips_tasks(), task_texts().map(lambda text: Task.from_sas(text.to_sas())))


def found_pairs(task: Task, max_work: int = ENOUGH) -> tuple[set[pairs_reference.Pair], list[bool]]:
    pairs, is_dead = testing.excluded_pairs(task.core, max_work=max_work)
    return {(Fact(*a), Fact(*b)) for a, b in pairs}, is_dead


def pairs_in(state) -> set[pairs_reference.Pair]:
    facts = [Fact(variable, value) for variable, value in enumerate(state)]
    return set(combinations_with_replacement(facts, 2))


@settings(max_examples=150)
@given(TASKS)
def test_excluded_pairs_equal_those_of_the_twin(task):
    assert found_pairs(task) == pairs_reference.excluded_pairs(task)


@settings(max_examples=150)
@given(TASKS, st.integers(0, 4000))
def test_nothing_on_a_way_to_the_goal_is_excluded(task, max_work):
    """With any amount of work."""
    if testing.excluded_pairs(task.core, max_work=max_work) is None:
        return
    excluded, is_dead = found_pairs(task, max_work)
    states = pairs_reference.states_on_ways(task)
    for state in states:
        assert not pairs_in(state) & excluded
        for operator, dead in zip(task.operators, is_dead, strict=True):
            if dead and reference.is_applicable(operator, state):
                assert reference.successor(task, operator, state) not in states


@settings(max_examples=150)
@given(TASKS)
def test_operators_get_the_conditions_of_the_twin(task):
    excluded, is_dead = pairs_reference.excluded_pairs(task)
    expected = pairs_reference.pruned_conditions(task, excluded, is_dead)
    found = task.pruned(ENOUGH)
    if found is None:
        assert not any(conditions is None or conditions for conditions in expected)
        return
    smaller, num_dead, num_conditions = found
    impossible = Fact(len(task.variables), 1)
    for operator, before, conditions in zip(smaller.operators, task.operators, expected, strict=True):
        news = {impossible} if conditions is None else conditions
        assert operator.preconditions == tuple(sorted({*before.preconditions, *news}))
        assert operator.effects == before.effects and operator.cost == before.cost
    assert num_dead == expected.count(None)
    assert num_conditions == sum(len(conditions) for conditions in expected if conditions)


@settings(max_examples=150)
@given(TASKS, st.integers(0, 4000))
def test_a_pruned_task_has_the_same_ways_to_the_goal(task, max_work):
    found = task.pruned(max_work)
    if found is None:
        return
    smaller, *_ = found
    padding = smaller.initial_state[len(task.variables) :]
    ways = pairs_reference.states_on_ways(task)
    assert {(*state, *padding) for state in ways} == pairs_reference.states_on_ways(smaller)
    for state in ways:
        for before, after in zip(task.operators, smaller.operators, strict=True):
            if reference.is_applicable(before, state) and reference.successor(task, before, state) in ways:
                assert reference.is_applicable(after, (*state, *padding))


@pytest.mark.parametrize("length", [8, 20, 21, 22, 43, 64])
def test_tasks_with_more_facts_than_a_word_has_bits_equal_the_twin(length):
    """Rows of bits end within a word, at the end of one, and in the next one: a task has three facts for each tile."""
    task = painting(length)
    found = found_pairs(task)
    if length < 30:
        assert found == pairs_reference.excluded_pairs(task)
    expected = pairs_reference.pruned_conditions(task, *found)
    smaller, num_dead, num_conditions = task.pruned(ENOUGH)
    assert num_dead == 0 and num_conditions == sum(map(len, expected)) == sum(range(length - 1))
    for operator, before, conditions in zip(smaller.operators, task.operators, expected, strict=True):
        assert operator.preconditions == tuple(sorted({*before.preconditions, *conditions}))


def test_new_conditions_count_as_memory():
    """Pairs take a few kilobytes here, the copy of the task and its conditions more."""
    task = painting(60).core
    assert task.prune(ENOUGH, _core.Guard(memory_limit_bytes=1 << 20, check=lambda: None))
    with pytest.raises(MemoryError):
        task.prune(ENOUGH, _core.Guard(memory_limit_bytes=60_000, check=lambda: None))


def test_operators_that_lead_into_a_dead_end_get_conditions():
    task = painting(5)
    smaller, num_dead, num_conditions = task.pruned(ENOUGH)
    paints = [op for op in smaller.operators if len(op.effects) == 1 and op.effects[0].fact.variable > 0]
    # Painting a tile shuts off all tiles behind it: each of them has to be painted before, by its neighbour's painting.
    assert [set(op.preconditions) for op in paints[1:]] == [
        {Fact(0, place + 1), Fact(1 + place, 0), *(Fact(1 + tile, 1) for tile in range(place))} for place in range(1, 4)
    ]
    assert num_conditions == 3 + 2 + 1 and num_dead == 0
    assert reference.plan_length(smaller) == reference.plan_length(task)


def test_a_task_without_a_plan_may_lose_all_operators():
    """The robot has no way back to the first tile."""
    text = TaskText(
        False, (3, 2), (), (0, 0), ((0, 0), (1, 1)),
        tuple(OperatorText(*sides, 1) for sides in [((), ((0, 0, 1),)), (((0, 2),), ((1, 0, 1),)), ((), ((0, 1, 2),))]),
    )  # fmt: skip
    task = Task.from_sas(text.to_sas())
    assert task.pruned(ENOUGH)[1:] == (3, 0)


@given(adl_tasks())
def test_tasks_with_conditional_effects_or_axioms_stay_as_they_are(task):
    assert task.pruned(ENOUGH) is None


def test_too_little_work_finds_nothing():
    assert painting(5).pruned(0) is None and painting(5).pruned(100) is None
