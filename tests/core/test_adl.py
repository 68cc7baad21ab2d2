"""Conditional effects and axioms: what states follow from states, against slow twins."""

import random

import reference
from hypothesis import given
from hypothesis import strategies as st
from random_tasks import OperatorText, TaskText, adl_tasks, adl_text

from sing import _core
from sing._core import testing
from sing.base.budget import Budget
from sing.base.errors import PlanError
from sing.base.outcome import Status
from sing.search.search import SearchConfig, named_heuristic, search
from sing.task.plan import execute, states_along
from sing.task.task import Task


def random_states(task: Task, seed: int, count: int) -> list[list[int]]:
    """Full states; some of them differ little from the one before."""
    rng = random.Random(seed)
    states = [list(task.initial_state)]
    for _ in range(count):
        state = list(states[-1])
        for variable in rng.sample(range(len(state)), rng.randint(1, len(state))):
            state[variable] = rng.randrange(len(task.variables[variable].value_names))
        states.append(state)
    return states


@given(adl_tasks(), st.integers(0, 1000))
def test_derived_values_follow_from_the_others(task, seed):
    assert task.initial_state == reference.completed(task, task.initial_state)
    derived = _core.DerivedValues(task.core)
    for state in random_states(task, seed, 20):
        assert tuple(derived.complete(state)) == reference.completed(task, state)


@given(adl_tasks(), st.integers(0, 1000))
def test_operators_lead_where_the_twin_says(task, seed):
    space = _core.StateSpace(task.core)
    for state in random_states(task, seed, 5):
        full = reference.completed(task, state)
        assert tuple(space.unpack(space.pack(state))) == full
        applicable = [i for i, op in enumerate(task.operators) if reference.is_applicable(op, full)]
        assert sorted(space.applicable(state)) == applicable
        for position, operator in enumerate(task.operators):
            assert tuple(space.successor(state, position)) == reference.successor(task, operator, full)


@given(adl_tasks(), st.integers(0, 1000))
def test_derived_values_are_not_stored(task, seed):
    space = _core.StateSpace(task.core)
    for state in random_states(task, seed, 3):
        assert space.pack(state) == space.pack(reference.completed(task, state))


@given(adl_tasks(), st.integers(0, 1000), st.booleans())
def test_open_goals_are_counted_after_each_operator(task, seed, with_orders):
    goals = testing.OpenGoals(task.core, with_orders=with_orders)
    orders = reference.goal_orders(task) if with_orders else set()
    if with_orders:
        assert set(testing.OpenGoals.find_orders(task.core)) == orders
    for state in random_states(task, seed, 3):
        full = reference.completed(task, state)
        count = goals.count(state)
        assert count == reference.num_open_goals(task, full, orders)
        for position, operator in enumerate(task.operators):
            after = reference.successor(task, operator, full)
            assert goals.count_after(state, count, position) == reference.num_open_goals(task, after, orders)


@given(adl_tasks(), st.integers(0, 1000))
def test_additive_estimates_are_those_of_the_twin(task, seed):
    heuristic = testing.AdditiveHeuristic(task.core)
    for state in random_states(task, seed, 3):
        full = reference.completed(task, state)
        assert heuristic.evaluate(state) == reference.relaxed_estimate(task, full, sum)


@given(adl_tasks())
def test_searches_find_a_plan_exactly_where_there_is_one(task):
    length = reference.plan_length(task)
    for name in ("blind", "goalcount"):
        found = search(task, named_heuristic(task, name), SearchConfig(), Budget())
        assert (found.status is Status.SOLVED) == (length is not None)
        if length is not None:
            assert len(execute(task, found.plan)) >= length


@given(adl_tasks(), st.integers(0, 1000))
def test_plans_are_executed_as_by_the_twin(task, seed):
    """Random sequences of operators, most of them applicable, and what is left of them after mutations."""
    rng = random.Random(seed)
    state, plan = task.initial_state, []
    for _ in range(rng.randrange(8)):
        applicable = [i for i, op in enumerate(task.operators) if reference.is_applicable(op, state)]
        if not applicable:
            break
        plan.append(rng.choice(applicable))
        state = reference.successor(task, task.operators[plan[-1]], state)
    for mutant in [plan, plan[1:], plan[:-1], plan[::-1], [*plan, rng.randrange(task.num_operators)]]:
        states = [task.initial_state]
        for position in mutant:
            if not reference.is_applicable(task.operators[position], states[-1]):
                break
            states.append(reference.successor(task, task.operators[position], states[-1]))
        is_valid = len(states) > len(mutant) and reference.num_open_goals(task, states[-1]) == 0
        if len(states) > len(mutant):
            assert list(states_along(task, mutant)) == states
        try:
            execute(task, mutant)
        except PlanError:
            assert not is_valid
        else:
            assert is_valid


def test_of_two_effects_on_one_variable_the_later_one_takes_place():
    """As in Fast Downward, also where one of them has no condition."""
    for conditions, expected in [((((1, 0),), ((1, 0),)), 2), (((), ((1, 0),)), 2), ((((1, 0),), ()), 2)]:
        op = OperatorText((), ((0, -1, 1), (0, -1, 2)), 1, conditions)
        task = Task.from_sas(TaskText(False, (3, 2), (), (0, 0), ((0, 2),), (op,)).to_sas())
        space = _core.StateSpace(task.core)
        assert space.successor([0, 0], 0) == [expected, 0]
        found = search(task, named_heuristic(task, "blind"), SearchConfig(), Budget())
        assert found.plan == (0,)


def test_facts_that_support_nothing_but_each_other_do_not_hold():
    """Two derived facts that follow from each other, and one of them from a fact that an operator ends."""
    op = OperatorText((), ((0, 1, 0),), 1)
    text = TaskText(
        False,
        (2, 2, 2),
        (),
        (1, 0, 0),
        ((1, 0), (2, 0)),
        (op,),
        layers=(-1, 0, 0),
        axioms=((((0, 1),), 1), (((1, 1),), 2), (((2, 1),), 1)),
    )
    task = Task.from_sas(text.to_sas())
    assert task.initial_state == (1, 1, 1)
    assert _core.StateSpace(task.core).successor([1, 1, 1], 0) == [0, 0, 0]


@given(adl_tasks(), st.integers(0, 1000))
def test_so_many_operators_lead_from_a_pattern_to_its_goal(task, seed):
    rng = random.Random(seed)
    config = _core.PatternConfig(
        num_searches=2, num_walks=2, max_width=2, max_branching=100, max_steps=2000, max_facts=2000, seed=seed
    )
    patterns = testing.find_patterns(task.core, config, time_limit_s=60, memory_limit_bytes=1 << 30)
    for pattern in rng.sample(patterns, min(len(patterns), 10)):
        state = [rng.randrange(len(variable.value_names)) for variable in task.variables]
        for variable, value in pattern.facts:
            state[variable] = value
        full = reference.completed(task, state)
        if pattern.depth == 0 and any(full[variable] != value for variable, value in pattern.facts):
            continue  # a derived goal, which need not hold in a random state
        layer = {full}
        goal = task.goal[pattern.goal]
        for _ in range(pattern.depth):
            if any(state[goal.variable] == goal.value for state in layer):
                break
            layer = {
                reference.successor(task, operator, state)
                for state in layer
                for operator in task.operators
                if reference.is_applicable(operator, state)
            }
        assert any(state[goal.variable] == goal.value for state in layer)


def test_goals_are_unfolded_to_what_operators_change():
    """Variables 2 to 4 are derived. The goal: not "0 or not 3", and 4; 3 follows from 1, and 4 from 0 being 0 and 3."""
    text = TaskText(
        False, (2, 2, 2, 2, 2), (), (1, 0, 0, 0, 0), ((2, 0), (4, 1)), (OperatorText((), ((0, 1, 0), (1, 0, 1)), 1),),
        layers=(-1, -1, 1, 0, 1), axioms=((((0, 1),), 2), (((3, 0),), 2), (((1, 1),), 3), (((0, 0), (3, 1)), 4)),
    )  # fmt: skip
    task = Task.from_sas(text.to_sas())
    assert task.goal == ((0, 0), (1, 1))
    assert search(task, named_heuristic(task, "goalcount"), SearchConfig(), Budget()).plan == (0,)


@given(st.integers(0, 2**32))
def test_unfolded_goals_hold_in_the_same_states(seed):
    text = adl_text(random.Random(seed))
    task = Task.from_sas(text.to_sas())
    for state in random_states(task, seed, 20):
        full = reference.completed(task, state)
        assert (reference.num_open_goals(task, full) == 0) == all(full[v] == value for v, value in text.goal)
