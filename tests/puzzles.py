"""Sliding tiles and towers of blocks as SAS+ tasks, written without the translator."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import permutations, product

from sing.task.task import Task

BOARDS = {
    2: [0, 1, 2, 3],
    3: [7, 2, 4, 5, 0, 6, 8, 3, 1],
    5: [14, 5, 9, 2, 18, 8, 23, 19, 12, 17, 15, 0, 10, 20, 4, 6, 11, 21, 1, 7, 24, 3, 16, 22, 13],
}


def scrambled(size: int) -> list[int]:
    """A board many random moves away from 0, 1, 2, …"""
    rng = random.Random(size)
    board, blank = list(range(size * size)), 0
    for _ in range(100 * size * size):
        row, column = divmod(blank, size)
        steps = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        row, column = rng.choice([step for step in steps if min(step) >= 0 and max(step) < size])
        other = row * size + column
        board[blank], board[other] = board[other], board[blank]
        blank = other
    return board


def sliding_tiles(size: int, swap_goal: bool = False) -> Task:
    """A puzzle with goal 0, 1, 2, …; `swap_goal` exchanges two tiles of it, which nothing can reach."""
    return Task.from_sas(sliding_tiles_sas(size, swap_goal))


def sliding_tiles_sas(size: int, swap_goal: bool = False, board: Sequence[int] | None = None) -> str:
    """The same as the text of a SAS file. Variable i is the position of tile i; tile 0 is the blank."""
    num_cells = size * size
    board = board or BOARDS.get(size) or scrambled(size)
    start = [board.index(tile) for tile in range(num_cells)]
    goal = list(range(num_cells))
    if swap_goal:
        goal[1], goal[2] = goal[2], goal[1]
    lines = ["begin_version", 3, "end_version", "begin_metric", 0, "end_metric", num_cells]
    for tile in range(num_cells):
        names = [f"Atom at({tile}, {position})" for position in range(num_cells)]
        lines += ["begin_variable", f"tile{tile}", -1, num_cells, *names, "end_variable"]
    lines += [0, "begin_state", *start, "end_state", "begin_goal", num_cells]
    lines += [*(f"{tile} {position}" for tile, position in enumerate(goal)), "end_goal"]
    operators = []
    for here, there in permutations(range(num_cells), 2):
        if abs(here // size - there // size) + abs(here % size - there % size) == 1:
            for tile in range(1, num_cells):
                effects = [f"0 0 {there} {here}", f"0 {tile} {here} {there}"]
                operators += ["begin_operator", f"slide {tile} {here} {there}", 0, 2, *effects, 1, "end_operator"]
    lines += [operators.count("begin_operator"), *operators, 0]
    return "\n".join(map(str, lines))


def towers_sas(start: Sequence[int], goal: Sequence[int]) -> str:
    """Blocks are moved one at a time. `start` and `goal` say what each stands on: another one, or itself for the table.

    The goal names the blocks that stand on others. What stands below must be there first, which mutex groups tell.
    """
    blocks = range(len(start))

    def below(block: int, position: int) -> str:
        return f"Atom on-table({block})" if position == block else f"Atom on({block}, {position})"

    lines = ["begin_version", 3, "end_version", "begin_metric", 0, "end_metric", 2 * len(blocks)]
    for block in blocks:
        names = [below(block, position) for position in blocks]
        lines += ["begin_variable", f"below{block}", -1, len(blocks), *names, "end_variable"]
    for block in blocks:
        names = [f"Atom clear({block})", f"NegatedAtom clear({block})"]
        lines += ["begin_variable", f"clear{block}", -1, 2, *names, "end_variable"]
    clear = [len(blocks) + block for block in blocks]
    lines.append(len(blocks))
    for block in blocks:
        above = [f"{other} {block}" for other in blocks if other != block]
        lines += ["begin_mutex_group", 1 + len(above), f"{clear[block]} 0", *above, "end_mutex_group"]
    is_covered = [int(any(start[other] == block != other for other in blocks)) for block in blocks]
    lines += ["begin_state", *start, *is_covered, "end_state", "begin_goal"]
    wanted = [f"{block} {position}" for block, position in enumerate(goal) if position != block]
    lines += [len(wanted), *wanted, "end_goal"]
    operators = []
    for block, here, there in product(blocks, repeat=3):
        if here == there:
            continue
        prevail, effects = [f"{clear[block]} 0"], [f"0 {block} {here} {there}"]
        if here != block:
            effects.append(f"0 {clear[here]} -1 0")
        if there != block:
            effects.append(f"0 {clear[there]} 0 1")
        operators += ["begin_operator", f"move {block} {here} {there}", len(prevail), *prevail]
        operators += [len(effects), *effects, 1, "end_operator"]
    lines += [operators.count("begin_operator"), *operators, 0]
    return "\n".join(map(str, lines))
