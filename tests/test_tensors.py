"""Tasks as tables on CPU tensors: the same steps forward as in the core, exact steps backward, walks, labels."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
import reference
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from puzzles import sliding_tiles, towers_sas
from random_tasks import OperatorText, TaskText, strips_tasks, task_texts
from turning import pieces, switches

from sing import _core
from sing.base.budget import Budget, LimitReached
from sing.base.errors import UnsupportedError
from sing.task.task import Task
from sing.tensors.device import random_source
from sing.tensors.hashes import SeenHashes, StateHash, least_of_equal
from sing.tensors.inverse import backward_moves
from sing.tensors.labels import lowered_labels
from sing.tensors.moves import MoveTask, to_moves
from sing.tensors.starts import goal_states
from sing.tensors.tables import MoveTables
from sing.tensors.walk_length import walk_length
from sing.tensors.walks import GoalTest, Walks, redundant_moves

CPU = torch.device("cpu")
BUDGET = Budget(math.inf)
KINDS = {
    "strips": strips_tasks(),
    "random": task_texts().map(lambda text: Task.from_sas(text.to_sas())),
    "switches": st.integers(0, 10**6).map(switches),
    "pieces": st.integers(0, 10**6).map(pieces),
}


def forward_tables(moves: MoveTask) -> MoveTables:
    return MoveTables(moves.moves, moves.sizes, CPU, BUDGET)


def make_walks(task: Task, seed: int = 0) -> tuple[MoveTask, Walks]:
    moves = to_moves(task, BUDGET)
    backward = backward_moves(moves, BUDGET)
    tables = MoveTables(backward, moves.sizes, CPU, BUDGET)
    return moves, Walks(moves, tables, backward, tables.states(goal_states(moves, seed, BUDGET)))


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_moves_lead_where_the_core_leads(kind, data):
    task = data.draw(KINDS[kind])
    moves = to_moves(task, BUDGET)
    tables = forward_tables(moves)
    space = _core.StateSpace(task.core)
    batch = [tuple(data.draw(st.integers(0, size - 1)) for size in moves.sizes) for _ in range(4)]
    states = tables.states(batch)
    candidates, fits = tables.applicable(states)
    for row, state in enumerate(batch):
        core_state = moves.core_state(state)
        assert moves.state_of(core_state) == state
        found = {}
        for move in candidates[row][fits[row]].tolist():
            after = tables.apply(states[row : row + 1], torch.tensor([move]))[0]
            found[int(tables.operators[move])] = moves.core_state(tuple(after.tolist()))
        assert found == {op: tuple(space.successor(core_state, op)) for op in space.applicable(core_state)}
    assert GoalTest(moves.goal, tables)(states).tolist() == [
        all(moves.core_state(state)[variable] == value for variable, value in task.goal) for state in batch
    ]


@pytest.mark.parametrize("kind", ["random", "switches", "pieces"])
@settings(max_examples=40)
@given(data=st.data())
def test_backward_moves_are_all_steps_that_lead_to_a_state(kind, data):
    task = data.draw(KINDS[kind])
    moves = to_moves(task, BUDGET)
    assume(np.prod(moves.sizes) <= 300 and not moves.mutex_groups)
    states = list(product(*map(range, moves.sizes)))
    steps = {pair for state in states for pair in steps_from(task, moves, state)}
    backward = backward_moves(moves, BUDGET)
    tables = MoveTables(backward, moves.sizes, CPU, BUDGET)
    found = set()
    all_states = tables.states(states)
    candidates, fits = tables.applicable(all_states)
    rows, places = fits.nonzero(as_tuple=True)
    before = tables.apply(all_states[rows], candidates[rows, places])
    for row, state, move in zip(rows.tolist(), before.tolist(), candidates[rows, places].tolist(), strict=True):
        found.add((tuple(state), int(tables.operators[move]), states[row]))
    assert found == steps


def steps_from(task: Task, moves: MoveTask, state: tuple[int, ...]) -> list[tuple]:
    core_state = moves.core_state(state)
    return [
        (state, number, moves.state_of(reference.successor(task, operator, core_state)))
        for number, operator in enumerate(task.operators)
        if reference.is_applicable(operator, core_state)
    ]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=30)
@given(data=st.data())
def test_a_walk_read_backward_is_a_plan(kind, data):
    task = data.draw(KINDS[kind])
    moves = to_moves(task, BUDGET)
    assume(backward_moves(moves, BUDGET) and goal_states(moves, 0, BUDGET))
    moves, walks = make_walks(task)
    walked = walks.run(3, 8, random_source(CPU, 1, 0), BUDGET)
    space = _core.StateSpace(task.core)
    none = walks.tables.num_moves
    for walk in range(3):
        begin = 0
        for step in range(9):
            if step and int(walked.moves[step - 1, walk]) == none:
                begin = step  # it could go nowhere, and began anew
            state = moves.core_state(tuple(walked.states[step, walk].tolist()))
            plan = [int(walks.tables.operators[move]) for move in walked.moves[begin:step, walk].flip(0).tolist()]
            holds = all(state[variable] == value for variable, value in task.goal)
            assert float(walked.labels[step, walk]) == (0 if holds else len(plan))
            for operator in plan:
                assert operator in space.applicable(state)
                state = tuple(space.successor(state, operator))
            assert all(state[variable] == value for variable, value in task.goal)


def test_walks_do_not_undo_their_last_step():
    _, walks = make_walks(sliding_tiles(3))
    states = walks.run(200, 30, random_source(CPU, 0, 0), BUDGET).states
    assert (states[2:] != states[:-2]).any(2).all()


@given(st.integers(0, 1000))
def test_moves_that_do_together_what_one_does_do_not_follow_each_other(seed):
    """Where moves have no preconditions, by trying all pairs on states that tell all maps apart."""
    task = pieces(seed, with_door=False)
    moves = to_moves(task, BUDGET)
    backward = backward_moves(moves, BUDGET)
    states = list(product(*map(range, moves.sizes)))

    def after(move, state):
        maps = dict(move.effects)
        return tuple(maps[variable][value] if variable in maps else value for variable, value in enumerate(state))

    alone = [states, *([after(move, state) for state in states] for move in backward)]
    rows = redundant_moves(backward, moves.sizes)
    expected = [
        {
            second
            for second, move in enumerate(backward)
            if [after(move, after(first, state)) for state in states] in alone
        }
        for first in backward
    ]
    if all(len(row) == len(backward) for row in expected):  # then all of them may follow
        expected = [set() for _ in expected]
    assert [set(row.tolist()) - {len(backward)} for row in rows[:-1]] == expected
    assert set(rows[-1].tolist()) == {len(backward)}


def test_every_possible_move_is_taken_about_equally_often():
    _, walks = make_walks(sliding_tiles(3))
    walked = walks.run(20_000, 1, random_source(CPU, 0, 0), BUDGET)
    _, counts = walked.moves[0].unique(return_counts=True)
    _, fits = walks.tables.applicable(walked.states[0, :1])
    assert len(counts) == int(fits.sum()) > 1
    assert float(counts.min() / counts.max()) > 0.9


def test_the_same_seed_gives_the_same_walks():
    _, walks = make_walks(sliding_tiles(3))
    one, two, other = (walks.run(50, 20, random_source(CPU, seed, 0), BUDGET).states for seed in (1, 1, 2))
    assert torch.equal(one, two) and not torch.equal(one, other)


@given(st.lists(st.integers(0, 6), max_size=30), st.integers(0, 100))
def test_equal_states_share_their_least_label(numbers, seed):
    labels = np.random.default_rng(seed).integers(0, 50, len(numbers)).astype(np.float32)
    expected = [labels[np.array(numbers) == number].min() for number in numbers]
    found = least_of_equal(torch.tensor(numbers, dtype=torch.int64), torch.from_numpy(labels))
    assert found.tolist() == expected


@given(st.lists(st.lists(st.integers(-9, 9), min_size=1, max_size=9), max_size=6), st.lists(st.integers(-9, 9)))
def test_seen_numbers_are_found_again(batches, asked):
    seen = SeenHashes()
    for batch in batches:
        seen.add(torch.tensor(batch))
    known = {number for batch in batches for number in batch}
    assert seen.has(torch.tensor(asked, dtype=torch.int64)).tolist() == [number in known for number in asked]
    assert all(len(one) > len(other) for one, other in zip(seen.runs, seen.runs[1:], strict=False))


@given(st.integers(0, 1000))
def test_hashes_follow_moves(seed):
    _, walks = make_walks(switches(seed) if seed % 2 else pieces(seed))
    hash = StateHash(walks.tables, random_source(CPU, seed, 1))
    walked = walks.run(5, 6, random_source(CPU, seed, 0), BUDGET)
    for step in range(6):
        after = hash.after(hash.of(walked.states[step]), walked.states[step], walked.moves[step])
        is_going = walked.moves[step] != walks.tables.num_moves
        assert torch.equal(after[is_going], hash.of(walked.states[step + 1])[is_going])
    states = walked.states.flatten(0, 1)
    assert len(set(hash.of(states).tolist())) == len({tuple(state) for state in states.tolist()})


@settings(max_examples=30)
@given(st.one_of(*KINDS.values()), st.integers(0, 1000))
def test_lowered_labels_equal_their_twin(task, seed):
    moves = to_moves(task, BUDGET)
    tables = forward_tables(moves)
    goal = GoalTest(moves.goal, tables)
    rng = np.random.default_rng(seed)
    batch = [tuple(int(rng.integers(size)) for size in moves.sizes) for _ in range(6)]
    weights = torch.from_numpy(rng.normal(2, 2, len(moves.sizes))).float()

    def estimate(states: torch.Tensor) -> torch.Tensor:
        return states.float() @ weights

    def is_goal(state: tuple[int, ...]) -> bool:
        return all(state[variable] == value for variable, value in moves.goal)

    labels = [0.0 if is_goal(state) else float(rng.integers(1, 20)) for state in batch]
    found = lowered_labels(tables, goal, tables.states(batch), torch.tensor(labels), estimate, BUDGET)
    for state, label, lowered in zip(batch, labels, found.tolist(), strict=True):
        costs = [label]
        for _, _, after in steps_from(task, moves, state):
            value = 0.0 if is_goal(after) else max(1.0, float(estimate(torch.tensor([after]))[0]))
            costs.append(1 + value)
        assert lowered == pytest.approx(0.0 if is_goal(state) else min(costs), rel=1e-5)


def test_walks_are_so_long_that_variables_change_as_often_as_wanted():
    for size, changes in ((2, 6.0), (3, 10.0)):
        _, walks = make_walks(sliding_tiles(size))
        length = walk_length(walks, changes, random_source(CPU, 0, 0), BUDGET)
        states = walks.run(2000, length, random_source(CPU, 1, 0), BUDGET).states
        counts = (states[1:] != states[:-1]).float().mean(1).sum(0)
        assert float(counts.median()) == pytest.approx(changes, rel=0.1)


def test_goal_states_obey_mutexes_in_what_the_goal_leaves_open():
    """Towers: the goal does not say which blocks are clear, mutex groups do."""
    task = Task.from_sas(towers_sas([0, 0, 1], [1, 2, 2]))
    moves = to_moves(task, BUDGET)
    found = goal_states(moves, 0, BUDGET)
    assert (1, 2, 2, 0, 1, 1) in found
    for state in found:
        assert state[:2] == (1, 2)
        for group in moves.mutex_groups:
            assert sum(state[variable] == value for variable, value in group) <= 1


def test_what_tensors_cannot_do_is_refused_by_name():
    with pytest.raises(UnsupportedError, match="axioms"):
        to_moves(with_axiom(), BUDGET)
    with pytest.raises(UnsupportedError, match="conditional effects connect 'Atom at"):
        to_moves(with_condition_on_another_variable(), BUDGET)


def with_axiom() -> Task:
    return Task.from_sas(TaskText(False, (2, 2), (), (0, 0), ((0, 1),), (), (), (-1, 0), ((((0, 1),), 1),)).to_sas())


def with_condition_on_another_variable() -> Task:
    operator = OperatorText((), ((0, -1, 1),), 1, (((1, 1), (2, 0)),))
    return Task.from_sas(TaskText(False, (2, 2, 2), (), (0, 0, 0), ((0, 1),), (operator,)).to_sas())


def test_large_tasks_are_refused_before_tensors_are_made():
    task = sliding_tiles(5)
    with pytest.raises(MemoryError):
        to_moves(task, Budget(600, 32 << 20))
    late = Budget(600)
    late.interrupt()
    with pytest.raises(LimitReached):
        to_moves(task, late)
