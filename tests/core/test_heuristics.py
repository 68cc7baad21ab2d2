from collections.abc import Sequence

import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tasks import OperatorText, TaskText, adl_tasks, states, strips_tasks, task_texts

from sing import _core
from sing._core import testing
from sing.task.task import Fact, Task


def applicable_operators(task: Task, state: Sequence[int]) -> list[int]:
    return [number for number, operator in enumerate(task.operators) if reference.is_applicable(operator, state)]


@given(task_texts(), st.data())
def test_goal_count_equals_its_twin(text, data):
    task = Task.from_sas(text.to_sas())
    state = data.draw(states(text.domain_sizes))
    assert _core.Heuristic.named(task.core, "goalcount").evaluate(state) == reference.num_open_goals(task, state)


@given(task_texts(), st.data())
def test_additive_estimate_equals_its_twin(text, data):
    task = Task.from_sas(text.to_sas())
    heuristic = testing.AdditiveHeuristic(task.core)
    for _ in range(3):  # scratch memory is reused between states
        state = data.draw(states(text.domain_sizes))
        assert heuristic.evaluate(state) == reference.relaxed_estimate(task, state, sum)


@given(task_texts(), st.data())
def test_ff_is_the_size_of_a_relaxed_plan(text, data):
    """Between h_max, which no relaxed plan undercuts, and h_add, which counts shared operators twice."""
    task = Task.from_sas(text.to_sas())
    heuristic = _core.Heuristic.named(task.core, "ff")
    state = data.draw(states(text.domain_sizes))
    estimate = heuristic.evaluate(state)
    lower = reference.relaxed_estimate(task, state, max)
    if lower is None:
        assert estimate is None
    else:
        assert lower <= estimate <= testing.AdditiveHeuristic(task.core).evaluate(state)


@settings(max_examples=300)
@given(strips_tasks())
def test_adjusted_estimates_equal_their_twin(task):
    state = task.initial_state
    estimate, rows = testing.RelaxedPlan(task.core).evaluate(state)
    applicable = applicable_operators(task, state)
    found = _core.Heuristic.named(task.core, "adjusted").evaluate_successors(state, applicable)
    assert [preferred for _, preferred in found] == [
        preferred for _, preferred in _core.Heuristic.named(task.core, "relaxed").evaluate_successors(state, applicable)
    ]
    if estimate is None:
        assert all(adjusted is None for adjusted, _ in found)
        return
    facts = [Fact(v, value) for v, variable in enumerate(task.variables) for value in range(len(variable.value_names))]
    costs = {fact: cost for fact, (cost, _, _) in zip(facts, rows, strict=True) if cost is not None}
    makers = {fact: maker for fact, (_, _, maker) in zip(facts, rows, strict=True) if maker is not None}
    plan = reference.relaxed_plan(task, makers, costs)
    true_costs = reference.relaxed_costs(task, state, sum)
    for fact, maker in makers.items():
        operator = task.operators[maker]
        assert fact in {effect.fact for effect in operator.effects}
        assert costs[fact] == true_costs[fact] == 1 + sum(costs[condition] for condition in operator.preconditions)
    assert plan.maker == makers and len(set(makers.values())) == estimate
    assert {fact: needs for fact, (_, needs, _) in zip(facts, rows, strict=True) if needs} == plan.needed
    expected = [reference.adjusted_estimate(task, state, plan, number) for number in applicable]
    assert [adjusted for adjusted, _ in found] == expected


@given(st.one_of(strips_tasks(), adl_tasks()))
def test_adjusted_estimates_are_about_the_plan_of_the_parent(task):
    """A successor has at most one operator less for each that it makes true or needless, and is never called a goal."""
    applicable = applicable_operators(task, task.initial_state)
    alike = _core.Heuristic.named(task.core, "relaxed").evaluate_successors(task.initial_state, applicable)
    found = _core.Heuristic.named(task.core, "adjusted").evaluate_successors(task.initial_state, applicable)
    for (before, is_preferred), (adjusted, is_too) in zip(alike, found, strict=True):
        assert is_preferred == is_too and (before is None) == (adjusted is None)
        assert adjusted is None or adjusted >= 1


def test_siblings_are_told_apart():
    """A truck and a package are at p, the package goes to q: load, drive, unload."""
    p, q, r, carried = 0, 1, 2, 2
    load = OperatorText(((0, p),), ((1, p, carried),), 1)
    unload = OperatorText(((0, q),), ((1, carried, q),), 1)
    drives = [OperatorText((), ((0, a, b),), 1) for a, b in ((p, q), (q, p), (p, r), (r, p))]
    task = Task.from_sas(TaskText(False, (3, 3), (), (p, p), ((1, q),), (load, unload, *drives)).to_sas())
    heuristic = _core.Heuristic.named(task.core, "adjusted")
    assert heuristic.evaluate((p, p)) == 3
    # Loading is one step of three. Driving to q is one, too, but the truck has to come back; so it has from r.
    assert heuristic.evaluate_successors((p, p), [0, 2, 4]) == [(2, True), (3, True), (4, False)]


@given(task_texts(), st.data())
def test_blind_knows_nothing(text, data):
    task = Task.from_sas(text.to_sas())
    assert _core.Heuristic.named(task.core, "blind").evaluate(data.draw(states(text.domain_sizes))) == 0


def test_large_costs_do_not_overflow():
    """A chain in which each fact needs the one before it twice: h_add doubles at every step."""
    lines = ["begin_version", "3", "end_version", "begin_metric", "0", "end_metric", "80"]
    for i in range(80):
        lines += ["begin_variable", f"v{i}", "-1", "2", f"Atom f{i}()", f"NegatedAtom f{i}()", "end_variable"]
    lines += [
        "0",
        "begin_state",
        "0",
        "0",
        *["1"] * 78,
        "end_state",
        "begin_goal",
        "2",
        "78 0",
        "79 0",
        "end_goal",
        "78",
    ]
    for i in range(2, 80):
        first = i - i % 2 - 2
        lines += [
            "begin_operator",
            f"o{i}",
            "2",
            f"{first} 0",
            f"{first + 1} 0",
            "1",
            f"0 {i} -1 0",
            "1",
            "end_operator",
        ]
    task = Task.from_sas("\n".join([*lines, "0"]))
    heuristic = _core.Heuristic.named(task.core, "ff")
    assert heuristic.evaluate(task.initial_state) == 78
    assert testing.AdditiveHeuristic(task.core).evaluate(task.initial_state) == 100_000_000


def test_an_unknown_heuristic_is_refused():
    task = Task.from_sas(
        "begin_version\n3\nend_version\nbegin_metric\n0\nend_metric\n0\n0\nbegin_state\nend_state\n"
        "begin_goal\n0\nend_goal\n0\n0\n"
    )
    with pytest.raises(ValueError, match="there is no heuristic 'hff'"):
        _core.Heuristic.named(task.core, "hff")
