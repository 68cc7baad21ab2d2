"""Draws the first boards of a plan for a sliding-tile puzzle: draw_boards.py BOARD PLAN_FILE [STEPS]."""

import re
import sys
from pathlib import Path


def main() -> None:
    board = [int(word) for word in sys.argv[1].split()]
    moves = re.findall(r"\(slide t(\d+) p(\d+) p(\d+)\)", Path(sys.argv[2]).read_text())
    columns = int(len(board) ** 0.5)
    boards = [list(board)]
    for tile, here, there in moves[: int(sys.argv[3]) if len(sys.argv) > 3 else 4]:
        board[int(here)], board[int(there)] = 0, int(tile)
        boards.append(list(board))
    for first in range(0, len(board), columns):
        rows = (each[first : first + columns] for each in boards)
        print("     ".join(" ".join(f"{tile or '.':>2}" for tile in row) for row in rows))


if __name__ == "__main__":
    main()
