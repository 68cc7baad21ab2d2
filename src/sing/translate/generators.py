"""Generators of PDDL problems: sliding tiles, blocks world, pancakes. Seeded; every instance is solvable.

A generator makes families: all problems of one call share the domain, the objects and the goal, and
differ in their start alone, so they share one search space.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from sing.base.errors import InputError


@dataclass(frozen=True)
class Family:
    """A PDDL domain and some problems of it, as texts."""

    domain: str
    problems: tuple[str, ...]


def npuzzle(rows: int, columns: int, *, count: int = 1, seed: int = 0, board: Sequence[int] | None = None) -> Family:
    """Sliding tiles on a grid. A board lists the tiles row by row, 0 for the blank; the goal is 0, 1, 2, ….

    Raises InputError for a grid below 2×2, or for a `board` that is no permutation or cannot be solved.

    >>> npuzzle(2, 2, board=[1, 0, 2, 3]).problems[0].count("(at ")
    6
    >>> npuzzle(2, 2, board=[0, 2, 1, 3])
    Traceback (most recent call last):
    sing.base.errors.InputError: the board cannot reach the goal 0 1 2 …: its permutation has the wrong parity
    """
    if rows < 2 or columns < 2:
        raise InputError(f"a sliding-tile puzzle needs at least 2 rows and 2 columns, not {rows} by {columns}")
    size = rows * columns
    if board is None:
        rng = random.Random(seed)
        boards = [_random_board(rows, columns, rng) for _ in range(checked_count(count))]
    else:
        _check_given_board(board, range(size), count)
        if not _board_is_solvable(board, columns):
            raise InputError("the board cannot reach the goal 0 1 2 …: its permutation has the wrong parity")
        boards = [list(board)]
    tiles = [f"t{i}" for i in range(1, size)]
    positions = [f"p{i}" for i in range(size)]
    next_to = [
        f"(next-to p{a} p{b})"
        for a in range(size)
        for b in range(size)
        if abs(a // columns - b // columns) + abs(a % columns - b % columns) == 1
    ]
    goal = [f"(at t{i} p{i})" for i in range(1, size)]
    problems = []
    for number, tiles_on_board in enumerate(boards, start=1):
        init = [f"(blank p{p})" if tile == 0 else f"(at t{tile} p{p})" for p, tile in enumerate(tiles_on_board)]
        problems.append(
            problem_text(
                "npuzzle",
                f"npuzzle-{rows}x{columns}-{number}",
                {"tile": tiles, "position": positions},
                [*init, *next_to],
                goal,
            )
        )
    return Family(_NPUZZLE, tuple(problems))


def blocks(num_blocks: int, *, count: int = 1, seed: int = 0, board: Sequence[Sequence[int]] | None = None) -> Family:
    """Blocks world with four operators. The goal is one random configuration of the seed, for all problems.

    `board` gives the start as towers of block numbers 1, 2, …, each from bottom to top.
    Raises InputError where the towers do not hold each block once.
    """
    if num_blocks < 1:
        raise InputError(f"a blocks world needs at least 1 block, not {num_blocks}")
    rng = random.Random(seed)
    numbers = list(range(1, num_blocks + 1))
    goal_towers = _random_towers(numbers, rng)
    if board is None:
        starts = [_random_towers(numbers, rng) for _ in range(checked_count(count))]
    else:
        _check_given_board([block for tower in board for block in tower], numbers, count)
        starts = [[list(tower) for tower in board if tower]]
    names = [f"b{i}" for i in numbers]
    goal = [fact for fact in _tower_facts(goal_towers) if not fact.startswith("(clear")]
    problems = [
        problem_text(
            "blocks", f"blocks-{num_blocks}-{number}", {"": names}, [*_tower_facts(towers), "(handempty)"], goal
        )
        for number, towers in enumerate(starts, start=1)
    ]
    return Family(_BLOCKS, tuple(problems))


def pancake(num_pancakes: int, *, count: int = 1, seed: int = 0, board: Sequence[int] | None = None) -> Family:
    """A stack of pancakes to sort by flipping its top. `board` lists sizes from the top; the goal is 1, 2, 3, ….

    Plain STRIPS has no operator that turns a stack in one step, so a flip of k pancakes is k // 2 swaps, from
    the outside in: the first chooses k, the others follow by force. Raises InputError for a bad `board`.
    """
    if num_pancakes < 2:
        raise InputError(f"a stack needs at least 2 pancakes, not {num_pancakes}")
    sizes = list(range(1, num_pancakes + 1))
    if board is None:
        rng = random.Random(seed)
        stacks = [rng.sample(sizes, num_pancakes) for _ in range(checked_count(count))]
    else:
        _check_given_board(board, sizes, count)
        stacks = [list(board)]
    # Stage i-j: the flip has reached the inside and swaps positions i and j next.
    pairs = [(i, j) for i in sizes for j in sizes if i < j]
    stages = ["rest", *(f"s{i}-{j}" for i, j in pairs if i > 1)]
    steps = []
    for i, j in pairs:
        before = "rest" if i == 1 else f"s{i}-{j}"
        after = f"s{i + 1}-{j - 1}" if i + 1 < j - 1 else "rest"
        steps.append(f"(swap-step {before} p{i} p{j} {after})")
    objects = {
        "pancake": [f"c{i}" for i in sizes],
        "position": [f"p{i}" for i in sizes],
        "stage": stages,
    }
    goal = [*(f"(at c{i} p{i})" for i in sizes), "(now rest)"]
    problems = []
    for number, stack in enumerate(stacks, start=1):
        init = [f"(at c{size} p{p})" for p, size in enumerate(stack, start=1)]
        problems.append(
            problem_text("pancake", f"pancake-{num_pancakes}-{number}", objects, [*init, "(now rest)", *steps], goal)
        )
    return Family(_PANCAKE, tuple(problems))


def checked_count(count: int) -> int:
    if count < 1:
        raise InputError(f"the number of problems is {count}; it must be at least 1")
    return count


def _check_given_board(items: Sequence[int], expected: Sequence[int], count: int) -> None:
    if sorted(items) != list(expected):
        raise InputError(f"the board must hold each number from {expected[0]} to {expected[-1]} once")
    if count != 1:
        raise InputError(f"a given board is one problem, not {count}")


def _random_board(rows: int, columns: int, rng: random.Random) -> list[int]:
    board = rng.sample(range(rows * columns), rows * columns)
    if not _board_is_solvable(board, columns):
        # Exchanging two tiles changes the parity and nothing else.
        a, b = [p for p, tile in enumerate(board) if tile != 0][:2]
        board[a], board[b] = board[b], board[a]
    return board


def _board_is_solvable(board: Sequence[int], columns: int) -> bool:
    """Each move is one exchange with the blank and one step of it, so the parities of both must agree."""
    exchanges = len(board) - _num_cycles(board)
    blank = board.index(0)
    return exchanges % 2 == (blank // columns + blank % columns) % 2


def _num_cycles(permutation: Sequence[int]) -> int:
    seen: set[int] = set()
    cycles = 0
    for start in range(len(permutation)):
        cycles += start not in seen
        position = start
        while position not in seen:
            seen.add(position)
            position = permutation[position]
    return cycles


def _random_towers(numbers: Sequence[int], rng: random.Random) -> list[list[int]]:
    """Each block in random order goes onto the table or onto a tower, each choice equally likely."""
    towers: list[list[int]] = []
    for block in rng.sample(numbers, len(numbers)):
        choice = rng.randrange(len(towers) + 1)
        if choice == len(towers):
            towers.append([block])
        else:
            towers[choice].append(block)
    return towers


def _tower_facts(towers: Sequence[Sequence[int]]) -> list[str]:
    facts = []
    for tower in towers:
        facts.append(f"(ontable b{tower[0]})")
        facts += [f"(on b{upper} b{lower})" for lower, upper in pairwise(tower)]
        facts.append(f"(clear b{tower[-1]})")
    return facts


def problem_text(domain: str, name: str, objects: dict[str, list[str]], init: list[str], goal: list[str]) -> str:
    typed = [" ".join(names) + (f" - {type_}" if type_ else "") for type_, names in objects.items()]
    return (
        f"(define (problem {name})\n  (:domain {domain})\n  (:objects\n    "
        + "\n    ".join(typed)
        + ")\n  (:init\n    "
        + "\n    ".join(init)
        + ")\n  (:goal (and\n    "
        + "\n    ".join(goal)
        + ")))\n"
    )


_NPUZZLE = """\
(define (domain npuzzle)
  (:requirements :strips :typing)
  (:types tile position)
  (:predicates
    (at ?tile - tile ?position - position)
    (blank ?position - position)
    (next-to ?a ?b - position))
  (:action slide
    :parameters (?tile - tile ?from ?to - position)
    :precondition (and (at ?tile ?from) (blank ?to) (next-to ?from ?to))
    :effect (and (at ?tile ?to) (blank ?from) (not (at ?tile ?from)) (not (blank ?to)))))
"""

_BLOCKS = """\
(define (domain blocks)
  (:requirements :strips)
  (:predicates (on ?upper ?lower) (ontable ?block) (clear ?block) (holding ?block) (handempty))
  (:action pick-up
    :parameters (?block)
    :precondition (and (clear ?block) (ontable ?block) (handempty))
    :effect (and (holding ?block) (not (clear ?block)) (not (ontable ?block)) (not (handempty))))
  (:action put-down
    :parameters (?block)
    :precondition (holding ?block)
    :effect (and (clear ?block) (ontable ?block) (handempty) (not (holding ?block))))
  (:action stack
    :parameters (?upper ?lower)
    :precondition (and (holding ?upper) (clear ?lower))
    :effect (and (on ?upper ?lower) (clear ?upper) (handempty) (not (holding ?upper)) (not (clear ?lower))))
  (:action unstack
    :parameters (?upper ?lower)
    :precondition (and (on ?upper ?lower) (clear ?upper) (handempty))
    :effect (and (holding ?upper) (clear ?lower) (not (on ?upper ?lower)) (not (clear ?upper)) (not (handempty)))))
"""

_PANCAKE = """\
(define (domain pancake)
  (:requirements :strips :typing)
  (:types pancake position stage)
  (:predicates
    (at ?pancake - pancake ?position - position)
    (now ?stage - stage)
    (swap-step ?before - stage ?upper ?lower - position ?after - stage))
  (:action swap
    :parameters (?a ?b - pancake ?upper ?lower - position ?before ?after - stage)
    :precondition (and (now ?before) (swap-step ?before ?upper ?lower ?after) (at ?a ?upper) (at ?b ?lower))
    :effect (and (at ?a ?lower) (at ?b ?upper) (not (at ?a ?upper)) (not (at ?b ?lower))
                 (not (now ?before)) (now ?after))))
"""
