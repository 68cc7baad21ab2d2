"""Landmark-cut never says more than a cheapest plan costs, and what it counts are landmarks."""

import random

import cost_reference
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tasks import OperatorText, TaskText, task_texts, tasks_with_costs

from sing import _core
from sing._core import testing
from sing.task.task import Task


def some_states(task, seed, count):
    """Reachable states with their costs to the goal, the initial state among them."""
    costs = cost_reference.costs_to_goal(task)
    others = random.Random(seed).sample(sorted(costs), min(count, len(costs)))
    return {state: costs[state] for state in [task.initial_state, *others]}


@given(tasks_with_costs(), st.integers(0, 1000))
def test_lm_cut_is_between_h_max_and_the_true_cost(task, seed):
    lm_cut = testing.LmCut(task.core)
    for state, true_cost in some_states(task, seed, 3).items():
        estimate, landmarks = lm_cut.evaluate(state)
        least = cost_reference.h_max(task, state)
        if least is None:
            assert estimate is true_cost is None
            continue
        assert least <= estimate == sum(cost for _, cost in landmarks)
        assert true_cost is None or estimate <= true_cost
        cost_reference.check_landmarks(task, state, landmarks)


@given(tasks_with_costs(), st.integers(0, 1000), st.sampled_from(["lmcut", "blind"]))
def test_bounds_of_successors_are_admissible(task, seed, name):
    """Also those that begin with the landmarks of their parent."""
    bound = _core.LowerBound.named(task.core, name)
    costs = cost_reference.costs_to_goal(task)
    for state in some_states(task, seed, 5):
        applicable = [i for i, operator in enumerate(task.operators) if reference.is_applicable(operator, state)]
        for position, estimate in zip(applicable, bound.evaluate_successors(state, applicable), strict=True):
            true_cost = costs[reference.successor(task, task.operators[position], state)]
            assert true_cost is None or (estimate is not None and estimate <= true_cost)
        assert bound.evaluate(state) == _core.LowerBound.named(task.core, name).evaluate(state)


def test_a_successor_is_told_what_its_parent_knows():
    """Three switches, each with an operator of its own: what is left to do after one of them."""
    operators = tuple(OperatorText((), ((switch, 0, 1),), 2 + switch) for switch in range(3))
    text = TaskText(True, (2, 2, 2), (), (0, 0, 0), ((0, 1), (1, 1), (2, 1)), operators)
    bound = _core.LowerBound.named(Task.from_sas(text.to_sas()).core, "lmcut")
    assert bound.evaluate([0, 0, 0]) == 9
    assert bound.evaluate_successors([0, 0, 0], [0, 1, 2]) == [7, 6, 5]


@given(task_texts(), st.data())
def test_any_task_and_any_state_has_a_bound(text, data):
    task = Task.from_sas(text.to_sas())
    state = tuple(data.draw(st.integers(0, size - 1)) for size in text.domain_sizes)
    estimate, landmarks = testing.LmCut(task.core).evaluate(state)
    assert (estimate is None) == (cost_reference.h_max(task, state) is None)
    if estimate is not None:
        cost_reference.check_landmarks(task, state, landmarks)


def chain(costs, uses_costs=True):
    """One variable that each operator takes a step further."""
    operators = tuple(OperatorText((), ((0, step, step + 1),), cost) for step, cost in enumerate(costs))
    text = TaskText(uses_costs, (len(costs) + 1,), (), (0,), ((0, len(costs)),), operators)
    return Task.from_sas(text.to_sas())


@pytest.mark.parametrize(
    ("costs", "expected"),
    [
        ([10**9] * 5, 5 * 10**9),
        ([2**40] * 3, 3 * 2**40),
        ([2**40, 1], 2**40 + 1),
        ([0, 0], 0),
        ([6, 0, 9], 15),
        ([2**60, 2**60, 2**60], 3 * 2**60),
    ],
)
def test_large_costs_are_counted_exactly(costs, expected):
    assert _core.LowerBound.named(chain(costs).core, "lmcut").evaluate([0]) == expected


@pytest.mark.parametrize("costs", [[2**63 - 1] * 4, [2**63 - 1, 1], [2**62, 2**62 - 1, 5]])
def test_costs_beyond_64_bits_are_bounded_from_below(costs):
    task = chain(costs)
    estimate = _core.LowerBound.named(task.core, "lmcut").evaluate([0])
    assert max(costs) // 8 <= estimate <= sum(costs)


def test_without_a_metric_every_operator_costs_one():
    assert _core.LowerBound.named(chain([7, 8], uses_costs=False).core, "lmcut").evaluate([0]) == 2


@settings(max_examples=20)
@given(tasks_with_costs())
def test_blind_knows_the_cheapest_operator(task):
    bound = _core.LowerBound.named(task.core, "blind")
    costs = [task.cost(operator) for operator in task.operators]
    for state in list(cost_reference.costs_to_goal(task))[:5]:
        is_goal = reference.num_open_goals(task, state) == 0
        assert bound.evaluate(state) == (0 if is_goal else min(costs))


def test_an_unknown_bound_is_refused():
    with pytest.raises(ValueError, match="there is no lower bound 'hmax'"):
        _core.LowerBound.named(chain([1]).core, "hmax")
