"""Plans made cheaper window by window: valid, never dearer, the same every time, and as good as a whole search."""

import random

import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from puzzles import sliding_tiles
from random_tasks import OperatorText, TaskText, costly_tasks, strips_tasks, wandering_plan

from sing import _core
from sing._core import testing
from sing.base.budget import Budget
from sing.search.search import SearchConfig, named_heuristic, search
from sing.task.plan import execute
from sing.task.task import Task


def improved(task: Task, plan, work: int, seed: int = 0, calls: int = 1, improver=None) -> list[tuple[int, ...]]:
    """The plan after each call."""
    improver = improver or _core.PlanImprover(task.core, seed)
    plans = []
    for _ in range(calls):
        plan = improver.improve(list(plan), time_limit_s=60.0, max_work=work, progress=lambda work, cost: True)
        plans.append(tuple(plan))
    return plans


@settings(max_examples=100)
@given(costly_tasks(), st.integers(0, 1000), st.integers(0, 20_000))
def test_plans_stay_valid_and_never_cost_more(task, seed, work):
    plan = wandering_plan(task, seed)
    if plan is None:
        return
    first, second = (improved(task, plan, work, seed, calls=5) for _ in range(2))
    assert first == second
    costs = [execute(task, found).cost for found in (plan, *first)]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] >= reference.plan_cost(task)


@settings(max_examples=60)
@given(costly_tasks((0, 1, 2, 7)), st.integers(0, 1000))
def test_small_tasks_are_improved_to_the_cheapest_plan_mostly(task, seed):
    """Its pruning believes estimates that are not always right: what they allow is found."""
    plan = wandering_plan(task, seed)
    if plan is None:
        return
    least, found = reference.plan_cost(task), execute(task, improved(task, plan, 100_000, seed, 12)[-1]).cost
    assert least <= found <= 2 * least + 7


@settings(max_examples=200)
@given(strips_tasks(), st.integers(0, 1000))
def test_reordered_plans_lead_to_the_same_state(task, seed):
    plan = wandering_plan(task, seed)
    if plan is None:
        return
    order = testing.reordered(task.core, plan, seed)
    assert sorted(order) == sorted(plan)
    execute(task, order)
    states = []
    for steps in (plan, order):
        state = task.initial_state
        for step in steps:
            state = reference.successor(task, task.operators[step], state)
        states.append(state)
    assert states[0] == states[1]


@settings(max_examples=200)
@given(strips_tasks(), st.integers(0, 1000))
def test_the_facts_that_steps_need_are_those_that_make_them_a_plan(task, seed):
    """From the states that the plan goes through with other values in turn: a twin that tries."""
    plan = wandering_plan(task, seed)
    if plan is None:
        return
    rng = random.Random(seed)
    begin = rng.randrange(len(plan) + 1)
    state = task.initial_state
    for step in plan[:begin]:
        state = reference.successor(task, task.operators[step], state)
    needed = dict(testing.facts_needed(task.core, plan[begin:]))
    assert all(state[variable] == value for variable, value in needed.items())

    def works(state) -> bool:
        for step in plan[begin:]:
            if not reference.is_applicable(task.operators[step], state):
                return False
            state = reference.successor(task, task.operators[step], state)
        return reference.num_open_goals(task, state) == 0

    for variable, info in enumerate(task.variables):
        for value in range(len(info.value_names)):
            other = (*state[:variable], value, *state[variable + 1 :])
            assert works(other) == (variable not in needed or needed[variable] == value)


def test_it_is_exhausted_when_all_windows_were_searched_to_the_end():
    operators = (OperatorText((), ((0, 0, 1),), 3), OperatorText((), ((0, 1, 2),), 4))
    task = Task.from_sas(TaskText(True, (3,), (), (0,), ((0, 2),), operators).to_sas())
    improver = _core.PlanImprover(task.core, 0)
    assert improved(task, [0, 1], 10**6, improver=improver) == [(0, 1)]
    assert improver.is_exhausted and improver.work < 10**6


def test_it_is_not_exhausted_where_work_has_cut_its_windows():
    task = sliding_tiles(4)
    plan = search(task, named_heuristic(task, "ff"), SearchConfig(), Budget()).plan
    improver = _core.PlanImprover(task.core, 0)
    improved(task, plan, 300, calls=400, improver=improver)
    assert not improver.is_exhausted


def test_windows_find_what_lies_apart():
    """Walkers take turns on long ways round; only another order of steps puts one walker's steps together."""
    length, num_walkers = 12, 4
    operators = []
    for walker in range(num_walkers):
        operators += [OperatorText((), ((walker, place, place + 1),), 5) for place in range(length)]
        operators.append(OperatorText((), ((walker, 0, length),), 6))
    goal = tuple((walker, length) for walker in range(num_walkers))
    sizes, initial = (length + 1,) * num_walkers, (0,) * num_walkers
    task = Task.from_sas(TaskText(True, sizes, (), initial, goal, tuple(operators)).to_sas())
    plan = [walker * (length + 1) + place for place in range(length) for walker in range(num_walkers)]
    lengths = []
    for seed in range(6):
        improver = _core.PlanImprover(task.core, seed)
        (first,) = improved(task, plan, 10**6, improver=improver)
        lengths.append(improver.window_length)
        assert execute(task, first).cost < execute(task, plan).cost
        assert execute(task, improved(task, plan, 10**6, seed, calls=10)[-1]).cost == 6 * num_walkers
    # Behind a pass with windows as long as the plan come the shortest again: here shorter ones than it have helped.
    assert max(lengths) > min(lengths)


def test_puzzles_become_shorter():
    task = sliding_tiles(4)
    plan = search(task, named_heuristic(task, "goalcount"), SearchConfig(), Budget()).plan
    lengths = [len(found) for found in (plan, *improved(task, plan, 300_000, calls=4))]
    assert lengths == sorted(lengths, reverse=True) and lengths[-1] < lengths[0]


def test_it_stops_where_it_is_told():
    task = sliding_tiles(4)
    plan = search(task, named_heuristic(task, "goalcount"), SearchConfig(), Budget()).plan
    improver = _core.PlanImprover(task.core, 0)
    heard: list[tuple[int, int]] = []

    def stop(work: int, cost: int) -> bool:
        heard.append((work, cost))
        return False

    found = improver.improve(list(plan), time_limit_s=600.0, max_work=2**62, progress=stop)
    assert len(heard) <= 1 and execute(task, found)  # none where a pass helps before it is asked
    found = improver.improve(list(plan), time_limit_s=0.0, max_work=2**62, progress=lambda work, cost: True)
    assert execute(task, found)


@pytest.mark.parametrize("plan", [[0], [10**6], []])
def test_what_is_no_plan_is_refused(plan):
    with pytest.raises((ValueError, IndexError), match=r"does not lead to the goal|be executed|no such operator"):
        improved(sliding_tiles(3), plan, 1000)


def test_memory_ends_a_window_and_leaves_the_plan():
    task = sliding_tiles(5)
    plan = search(task, named_heuristic(task, "ff"), SearchConfig(), Budget()).plan
    guard = _core.Guard(memory_limit_bytes=3 << 20, check=lambda: None)
    improver = _core.PlanImprover(task.core, 0, guard)
    assert execute(task, improved(task, plan, 10**8, improver=improver)[-1])
