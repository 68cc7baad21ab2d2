"""`sing generate`: PDDL problems of the classic puzzles."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from sing.base.budget import Budget
from sing.base.errors import InputError
from sing.base.files import read_text, reason, write_text
from sing.translate import generators


@click.group("generate")
def generate_group() -> None:
    """Write PDDL problems: a domain and problems with one goal and many starts."""


def _generator(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option("--output", required=True, metavar="DIR", help="Folder for domain.pddl, p01.pddl, …"),
        click.option(
            "--seed", default=0, show_default=True, type=click.IntRange(0), help="Seed of all random choices."
        ),
        click.option("--count", default=1, show_default=True, type=click.IntRange(1, 9999), help="How many problems."),
    ):
        command = option(command)
    return command


@generate_group.command("npuzzle")
@click.option("--rows", default=4, show_default=True, type=click.IntRange(2, 100))
@click.option("--columns", type=click.IntRange(2, 100), help="[default: as many as rows]")
@click.option("--board", metavar="TILES", help="The start, row by row, 0 for the blank: '1 2 0 3'.")
@_generator
def npuzzle_command(rows: int, columns: int | None, board: str | None, count: int, seed: int, output: str) -> None:
    """Sliding-tile puzzles: `--rows 5` is the 24-puzzle."""
    tiles = None if board is None else _numbers(board)
    family = generators.npuzzle(rows, columns or rows, count=count, seed=seed, board=tiles)
    _write_family(family, output)


@generate_group.command("blocks")
@click.option("--blocks", "num_blocks", default=10, show_default=True, type=click.IntRange(1, 1000))
@click.option("--board", metavar="TOWERS", help="The start, towers from bottom to top: '1 2 3 / 4 5'.")
@_generator
def blocks_command(num_blocks: int, board: str | None, count: int, seed: int, output: str) -> None:
    """Blocks worlds with four operators and one random goal."""
    towers = None if board is None else [_numbers(tower) for tower in board.split("/")]
    _write_family(generators.blocks(num_blocks, count=count, seed=seed, board=towers), output)


@generate_group.command("pancake")
@click.option("--pancakes", "num_pancakes", default=10, show_default=True, type=click.IntRange(2, 100))
@click.option("--board", metavar="SIZES", help="The start from the top of the stack: '3 1 2'.")
@_generator
def pancake_command(num_pancakes: int, board: str | None, count: int, seed: int, output: str) -> None:
    """Stacks of pancakes to be sorted by flips."""
    sizes = None if board is None else _numbers(board)
    _write_family(generators.pancake(num_pancakes, count=count, seed=seed, board=sizes), output)


def _numbers(text: str) -> list[int]:
    try:
        return [int(word) for word in text.replace(",", " ").split()]
    except ValueError:
        raise InputError(f"'{text}' is not a board; write whole numbers with spaces between them") from None


def _write_family(family: generators.Family, output: str) -> None:
    folder = Path(output)
    digits = max(2, len(str(len(family.problems))))
    texts = {folder / "domain.pddl": family.domain}
    for number, problem in enumerate(family.problems, start=1):
        texts[folder / f"p{number:0{digits}}.pddl"] = problem
    try:
        folder.mkdir(parents=True, exist_ok=True)
        existing = [path for path in texts if path.exists()]
    except (OSError, ValueError) as error:
        raise InputError(f"cannot make the folder '{folder}': {reason(error)}") from None
    for path in existing:
        if read_text(path, "PDDL file", Budget()).text != texts[path]:
            raise InputError(f"'{path}' exists and is different; choose another --output")
    for path, text in texts.items():
        write_text(path, text, "PDDL file")
    click.echo(f"wrote {folder / 'domain.pddl'} and {len(family.problems)} problem(s)")
