import re

import pddl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sing
from sing.base.errors import InputError
from sing.translate import generators
from sing.translate.logistics import logistics

GENERATORS = {
    "npuzzle": lambda **options: generators.npuzzle(2, 3, **options),
    "blocks": lambda **options: generators.blocks(5, **options),
    "pancake": lambda **options: generators.pancake(5, **options),
    "logistics": lambda **options: logistics(2, 2, 1, 2, **options),
}


@pytest.mark.parametrize("make", GENERATORS.values(), ids=GENERATORS)
def test_families_share_everything_but_the_start(make):
    family = make(count=20, seed=3)
    assert family == make(count=20, seed=3)
    assert family != make(count=20, seed=4)
    goals = {problem.split("(:goal")[1] for problem in family.problems}
    starts = {problem.split("(:init")[1].split("(:goal")[0] for problem in family.problems}
    assert len(goals) == 1
    assert len(starts) > 10


@pytest.mark.parametrize("make", GENERATORS.values(), ids=GENERATORS)
def test_all_instances_are_solvable(make, tmp_path):
    family = make(count=8, seed=9)
    for number, problem in enumerate(family.problems):
        files = pddl.write(tmp_path / str(number), family.domain, problem)
        result = sing.solve(*files, config="blind")
        assert result.status is sing.Status.SOLVED
        assert pddl.is_valid(*files, result.plan.to_ipc())


def board_of(problem: str, size: int) -> list[int]:
    board = [0] * size
    for tile, position in re.findall(r"\(at t(\d+) p(\d+)\)", problem.split("(:goal")[0]):
        board[int(position)] = int(tile)
    return board


@given(st.integers(2, 6), st.integers(2, 6), st.integers(0, 10**6))
def test_random_boards_have_the_right_parity(rows, columns, seed):
    problem = generators.npuzzle(rows, columns, seed=seed).problems[0]
    board = board_of(problem, rows * columns)
    assert sorted(board) == list(range(rows * columns))
    assert generators.npuzzle(rows, columns, board=board).problems[0] == problem
    a, b = (position for position, tile in enumerate(board) if tile in (1, 2))
    board[a], board[b] = board[b], board[a]
    with pytest.raises(InputError, match="parity"):
        generators.npuzzle(rows, columns, board=board)


def test_an_unsolvable_board_really_is(tmp_path):
    """The parity rule against exhaustive search: a 2×3 board with two tiles exchanged."""
    text = generators.npuzzle(2, 3, board=[0, 1, 2, 3, 4, 5]).problems[0]
    swapped = text.replace("(at t1 p1)", "(at t1 p9)", 1).replace("(at t2 p2)", "(at t2 p1)", 1)
    files = pddl.write(tmp_path, generators.npuzzle(2, 3).domain, swapped.replace("(at t1 p9)", "(at t1 p2)", 1))
    result = sing.solve(*files, config="blind")
    assert result.status is sing.Status.UNSOLVABLE
    assert result.num_registered == 360


def test_given_boards_are_used():
    towers = generators.blocks(5, board=[[1, 2, 3], [4], [5]]).problems[0]
    for fact in ("(ontable b1)", "(on b2 b1)", "(on b3 b2)", "(clear b3)", "(ontable b4)", "(clear b4)", "(handempty)"):
        assert fact in towers.split("(:goal")[0]
    stack = generators.pancake(3, board=[3, 1, 2]).problems[0]
    for fact in ("(at c3 p1)", "(at c1 p2)", "(at c2 p3)", "(now rest)"):
        assert fact in stack.split("(:goal")[0]


def test_a_pancake_flip_reverses_the_top(tmp_path):
    """Sorting 4 3 2 1 is one flip of four pancakes: two swaps."""
    family = generators.pancake(4, board=[4, 3, 2, 1])
    result = sing.solve(*pddl.write(tmp_path, family.domain, family.problems[0]), config="blind")
    assert result.plan.operators == ("swap c4 c1 p1 p4 rest s2-3", "swap c3 c2 p2 p3 s2-3 rest")


@pytest.mark.parametrize(
    "call",
    [
        lambda: generators.npuzzle(1, 5),
        lambda: generators.npuzzle(2, 2, board=[0, 1, 2]),
        lambda: generators.npuzzle(2, 2, board=[0, 1, 1, 2]),
        lambda: generators.npuzzle(2, 2, count=0),
        lambda: generators.blocks(0),
        lambda: generators.blocks(3, board=[[1, 2]]),
        lambda: generators.blocks(2, board=[[1, 2], [2]]),
        lambda: generators.pancake(1),
        lambda: generators.pancake(3, board=[1, 2, 4]),
    ],
)
def test_impossible_requests_are_refused(call):
    with pytest.raises(InputError):
        call()
