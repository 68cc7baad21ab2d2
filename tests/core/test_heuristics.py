import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from random_tasks import states, task_texts

from sing import _core
from sing._core import testing
from sing.task.task import Task


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
