"""Cheaper plans: valid, never dearer, the same every time, and cheapest where the whole space fits."""

import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from puzzles import sliding_tiles
from random_tasks import costly_tasks, tasks_to_search, wandering_plan

from sing import _core
from sing.base.budget import Budget
from sing.search.search import SearchConfig, named_heuristic, search
from sing.search.shortening import shorten
from sing.task.plan import execute

PLENTY = 10**6


@settings(max_examples=150)
@given(tasks_to_search(), st.integers(0, 1000))
def test_small_spaces_give_shortest_plans(task, seed):
    plan = wandering_plan(task, seed)
    if plan is None:
        return
    short, is_cheapest = shorten(task, plan, Budget(), PLENTY)
    assert is_cheapest and len(execute(task, short)) == reference.plan_length(task)


@settings(max_examples=200)
@given(tasks_to_search(), st.integers(0, 1000), st.integers(0, 3000))
def test_with_little_work_plans_are_valid_and_never_longer(task, seed, max_generated):
    plan = wandering_plan(task, seed)
    if plan is None:
        return
    first, second = (shorten(task, plan, Budget(), max_generated) for _ in range(2))
    assert first == second
    assert len(execute(task, first.operators)) <= len(plan)
    if first.is_cheapest:
        assert len(first.operators) == reference.plan_length(task)


@settings(max_examples=150)
@given(costly_tasks(), st.integers(0, 1000))
def test_small_spaces_give_cheapest_plans(task, seed):
    plan = wandering_plan(task, seed)
    if plan is None:
        return
    cheap, is_cheapest = shorten(task, plan, Budget(), PLENTY)
    assert is_cheapest and execute(task, cheap).cost == reference.plan_cost(task)


@settings(max_examples=150)
@given(costly_tasks(), st.integers(0, 1000), st.integers(0, 3000))
def test_with_little_work_plans_never_cost_more(task, seed, max_generated):
    plan = wandering_plan(task, seed)
    if plan is None:
        return
    cheap, is_cheapest = shorten(task, plan, Budget(), max_generated)
    before, after = execute(task, plan), execute(task, cheap)
    assert (after.cost, len(after)) <= (before.cost, len(before))
    if is_cheapest:
        assert after.cost == reference.plan_cost(task)


def test_operators_that_others_do_not_need_are_left_out_without_work():
    task = sliding_tiles(5)
    plan = list(search(task, named_heuristic(task, "ff"), SearchConfig(), Budget()).plan)
    least = len(shorten(task, plan, Budget(), 0).operators)
    there = plan[0]
    state = reference.successor(task, task.operators[there], task.initial_state)
    (back,) = (
        position
        for position, operator in enumerate(task.operators)
        if reference.is_applicable(operator, state) and reference.successor(task, operator, state) == task.initial_state
    )
    short, is_cheapest = shorten(task, [there, back] * 5 + plan, Budget(), 0)
    assert len(execute(task, short)) == least <= len(plan) and not is_cheapest


def test_puzzles_become_shorter_with_more_work():
    task = sliding_tiles(5)
    plan = search(task, named_heuristic(task, "ff"), SearchConfig(), Budget()).plan
    lengths = [len(execute(task, shorten(task, plan, Budget(), work).operators)) for work in (0, 30_000, 3_000_000)]
    assert len(plan) >= lengths[0] >= lengths[1] > lengths[2]


def test_work_ends_with_its_limit():
    """The first neighbourhood needs more successors than these."""
    task = sliding_tiles(5)
    plan = search(task, named_heuristic(task, "ff"), SearchConfig(), Budget()).plan
    little, less, much = (len(shorten(task, plan, Budget(), work).operators) for work in (5000, 0, 200_000))
    assert much < little == less


def test_limits_leave_a_plan():
    task = sliding_tiles(3)
    plan = search(task, named_heuristic(task, "goalcount"), SearchConfig(), Budget()).plan
    limits = {"time_limit_s": 60.0, "memory_limit_bytes": 1 << 30, "max_generated": PLENTY}
    limits["progress"] = lambda num_generated: True
    stopped = _core.shorten_plan(task.core, list(plan), **{**limits, "time_limit_s": 0.0})
    without_memory = _core.shorten_plan(task.core, list(plan), **{**limits, "memory_limit_bytes": 0})
    for found, is_cheapest in (stopped, without_memory):
        assert len(execute(task, tuple(found))) <= len(plan) and not is_cheapest


@pytest.mark.parametrize("plan", [[0], [10**6], []])
def test_what_is_no_plan_is_refused(plan):
    with pytest.raises(ValueError, match=r"does not lead to the goal|no such operator"):
        _core.shorten_plan(
            sliding_tiles(3).core,
            plan,
            time_limit_s=60.0,
            memory_limit_bytes=1 << 30,
            max_generated=PLENTY,
            progress=lambda num_generated: True,
        )
