from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_tasks import OperatorText, TaskText, task_texts

from sing.base.errors import SasError
from sing.task.task import Task

SMALL = TaskText(False, (2, 3), (((0, 1), (1, 2)),), (0, 0), ((1, 2),), ()).to_sas()
WITH_AXIOM = TaskText(False, (2, 3), (), (0, 0), ((1, 2),), (), layers=(0, -1), axioms=((((1, 2),), 0),)).to_sas()
WITH_CONDITION = SMALL.removesuffix("0\n0\n") + "1\nbegin_operator\nop\n0\n1\n1 1 2 0 -1 1\n0\nend_operator\n0\n"


@given(task_texts())
def test_reads_what_is_written(text):
    task = Task.from_sas(text.to_sas())
    assert tuple(len(variable.value_names) for variable in task.variables) == text.domain_sizes
    assert task.initial_state == text.initial_state
    assert task.goal == tuple(sorted(text.goal))
    assert task.mutex_groups == text.mutex_groups
    names = [name for variable in range(len(text.domain_sizes)) for name in text.value_names(variable)]
    assert task.atoms == tuple(name for name in names if name.startswith("Atom "))
    for number, (operator, expected) in enumerate(zip(task.operators, text.operators, strict=True)):
        assert operator.name == f"op{number}"
        before = [(variable, value) for variable, value, _ in expected.effects if value != -1]
        assert operator.preconditions == tuple(sorted([*expected.prevail, *before]))
        assert [effect.fact for effect in operator.effects] == [(v, after) for v, _, after in expected.effects]
        assert task.cost(operator) == (expected.cost if text.uses_costs else 1)


@given(task_texts(max_variables=2), st.data())
def test_truncated_files_are_refused(text, data):
    sas = text.to_sas()
    # The last line is "0", so its end may be missing.
    length = data.draw(st.integers(0, len(sas) - 2))
    with pytest.raises(SasError, match="line "):
        Task.from_sas(sas[:length])


@given(task_texts(max_variables=2), st.data())
def test_damaged_files_are_refused_or_read(text, data):
    """No damage crashes the reader; what it accepts, it can search."""
    lines = text.to_sas().splitlines()
    position = data.draw(st.integers(0, len(lines) - 1))
    lines[position] = data.draw(st.sampled_from(["", "-1", "0", "1", "7", "99999999999999999999", "1 1", "x", "end"]))
    try:
        task = Task.from_sas("\n".join(lines))
    except SasError as error:
        assert "line " in str(error)
    else:
        assert len(task.operators) == task.num_operators


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("begin_version\n3", "begin_version\n2"), "line 3: only SAS version 3|line 2: only SAS version 3"),
        (("begin_metric\n0", "begin_metric\n2"), "line 5: a metric flag is 2, outside 0..1"),
        (("begin_state\n0", "begin_state\n5"), "a value of variable var0 is 5, outside 0..1"),
        (("begin_goal\n1\n1 2", "begin_goal\n2\n1 2\n1 1"), "the goal names variable var1 twice"),
        (("begin_goal\n1\n1 2", "begin_goal\n1\n9 2"), "a variable number is 9, outside 0..1"),
        (("begin_goal\n1\n1 2", "begin_goal\n1\n1 2 3"), "unexpected text at the end of '1 2 3'"),
        (("end_goal", "end_gaol"), "expected 'end_goal', found 'end_gaol'"),
    ],
)
def test_errors_say_what_and_where(change, message):
    with pytest.raises(SasError, match=message):
        Task.from_sas(SMALL.replace(*change))


def test_text_after_the_end_is_refused():
    with pytest.raises(SasError, match="expected the end of the file, found 'more'"):
        Task.from_sas(SMALL + "more\n")


def test_windows_line_ends_are_read():
    assert Task.from_sas(SMALL.replace("\n", "\r\n")).goal == ((1, 2),)


def test_axioms_and_conditional_effects_are_read():
    with_axiom = Task.from_sas(WITH_AXIOM)
    assert with_axiom.axioms == ((((1, 2),), (0, 1)),)
    assert (with_axiom.variables[0].axiom_layer, with_axiom.variables[0].default_value) == (0, 0)
    with_condition = Task.from_sas(WITH_CONDITION)
    assert with_condition.operators[0].effects == ((((1, 2),), (0, 1)),)


def test_messages_quote_odd_characters_safely():
    for line in ("é" * 60, "x" + "é" * 60, "\x00\x01", "€" * 40):
        with pytest.raises(SasError, match="line 1: expected 'begin_version', found"):
            Task.from_sas(line + "\n")


@pytest.mark.parametrize(
    "name", ["", " ", "set (foo)", "a;b", "a\u2028b", "a\u2029b", "a\x85b", "a\tb", "\x1b[31m", "a\x7f"]
)
def test_names_that_a_plan_file_cannot_hold_are_refused(name):
    text = TaskText(False, (2,), (), (0,), ((0, 1),), (OperatorText((), ((0, 0, 1),), 1),)).to_sas()
    with pytest.raises(SasError, match="a plan file cannot hold that"):
        Task.from_sas(text.replace("op0", name))
    assert Task.from_sas(text.replace("op0", "SET Café [1]")).operator(0).name == "SET Café [1]"


def test_large_costs_are_read():
    op = OperatorText((), ((0, -1, 1),), 2**40)
    task = Task.from_sas(TaskText(True, (2,), (), (0,), (), (op,)).to_sas())
    assert task.cost(task.operators[0]) == 2**40


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("0 0 1\nend_rule", "1 0 1\nend_rule"), "line 37: an axiom sets variable var1, which has no axiom layer"),
        (("0 0 1\nend_rule", "0 1 0\nend_rule"), "line 37: an axiom changes variable var0 from 1 to 0"),
        (("0 0 1\nend_rule", "0 0 0\nend_rule"), "line 37: an axiom changes variable var0 from 0 to 0"),
        (("1 2\n0 0 1", "0 0\n0 0 1"), "line 37: .* of layer 0 negates variable var0 of layer 0"),
        (("var1\n-1", "var1\n0"), "line 18: variable var1 has an axiom layer and 3 values"),
        (("0 0 1\nend_rule", "0 0 2\nend_rule"), "a value of variable var0 is 2, outside 0..1"),
    ],
)
def test_axioms_that_have_no_meaning_are_refused(change, message):
    assert change[0] in WITH_AXIOM
    with pytest.raises(SasError, match=message):
        Task.from_sas(WITH_AXIOM.replace(*change))


def test_conditions_of_an_axiom_come_from_no_later_layer():
    text = TaskText(False, (2, 2), (), (0, 0), (), (), layers=(0, 1), axioms=((((1, 1),), 0),))
    with pytest.raises(SasError, match="of layer 0 needs variable var1 of layer 1"):
        Task.from_sas(text.to_sas())
    assert Task.from_sas(replace(text, layers=(1, 1)).to_sas()).axioms


def test_operators_do_not_set_derived_variables():
    text = TaskText(False, (2, 2), (), (0, 0), (), (OperatorText((), ((0, -1, 1),), 1),), layers=(0, -1))
    with pytest.raises(SasError, match="operator op0 sets variable var0, which only axioms can set"):
        Task.from_sas(text.to_sas())
