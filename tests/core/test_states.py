"""Packing, the state table and the successor generator."""

import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from random_tasks import TaskText, states, task_texts

from sing import _core
from sing._core import testing
from sing.task.task import Task


@given(st.data(), st.lists(st.integers(1, 5000), min_size=1, max_size=40))
def test_packing_round_trips(data, sizes):
    task = Task.from_sas(TaskText(False, tuple(sizes), (), (0,) * len(sizes), (), ()).to_sas())
    space = _core.StateSpace(task.core)
    state = data.draw(states(tuple(sizes)))
    words = space.pack(state)
    assert tuple(space.unpack(words)) == state
    num_bits = sum((size - 1).bit_length() for size in sizes)
    assert num_bits <= 32 * len(words)
    other = data.draw(states(tuple(sizes)))
    assert (space.pack(other) == words) == (other == state)


def test_a_24_puzzle_state_takes_five_words():
    task = Task.from_sas(TaskText(False, (25,) * 25, (), (0,) * 25, (), ()).to_sas())
    assert len(_core.StateSpace(task.core).pack([24] * 25)) == 5


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2**32 - 1)), max_size=300))
def test_the_table_numbers_states_like_a_dictionary(rows):
    table = testing.StateTable(num_words=2, memory_limit_bytes=1 << 30)
    numbers: dict[tuple[int, int], int] = {}
    for row in rows:
        is_new = row not in numbers
        assert table.insert(row) == (numbers.setdefault(row, len(numbers)), is_new)
    assert len(table) == len(numbers)
    for row, number in numbers.items():
        assert tuple(table.state(number)) == row


def test_the_table_finds_every_state_again_after_growing():
    table = testing.StateTable(num_words=3, memory_limit_bytes=1 << 30)
    rows = [(i % 7, i // 7, i * 2654435761 % 2**32) for i in range(60_000)]
    for i, row in enumerate(rows):
        assert table.insert(row) == (i, True)
    for i, row in enumerate(rows):
        assert table.insert(row) == (i, False)


@pytest.mark.parametrize("num_words", [1, 2, 7, 31, 33, 34, 65, 1000])
def test_rows_of_every_width_survive_many_blocks(num_words):
    """Storage grows in blocks of at most 64 MiB: go well into the second."""
    table = testing.StateTable(num_words=num_words, memory_limit_bytes=4 << 30)
    count = min(600_000, (96 << 20) // (4 * num_words))
    row = [0] * num_words
    for i in range(count):
        row[0] = row[-1] = i
        assert table.insert(row) == (i, True)
    for i in range(0, count, 997):
        assert table.state(i)[0] == table.state(i)[-1] == i


def test_the_table_stops_at_its_memory_limit_and_stays_usable():
    table = testing.StateTable(num_words=1, memory_limit_bytes=5 << 20)
    count = 0
    while table.insert([count]) is not None:
        count += 1
    assert table.memory_bytes <= 5 << 20
    assert len(table) == count > 50_000
    assert table.insert([0]) == (0, False)


@given(task_texts(), st.data())
def test_the_generator_equals_the_naive_filter(text, data):
    task = Task.from_sas(text.to_sas())
    space = _core.StateSpace(task.core)
    state = data.draw(states(text.domain_sizes))
    expected = [i for i, operator in enumerate(task.operators) if reference.is_applicable(operator, state)]
    assert sorted(space.applicable(state)) == expected


def test_states_from_outside_are_checked():
    task = Task.from_sas(TaskText(False, (2, 2), (), (0, 0), (), ()).to_sas())
    space = _core.StateSpace(task.core)
    heuristic = _core.Heuristic.named(task.core, "ff")
    for call in (space.pack, space.applicable, heuristic.evaluate, testing.AdditiveHeuristic(task.core).evaluate):
        with pytest.raises(ValueError, match="has 2 values, not 1"):
            call([0])
        with pytest.raises(ValueError, match="variable 1 has no value 2"):
            call([0, 2])
    with pytest.raises(ValueError, match="wrong number of words"):
        space.unpack([0, 0])
