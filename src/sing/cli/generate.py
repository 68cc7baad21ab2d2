"""`sing generate`: PDDL problems of classic puzzles and of logistics."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from sing.base.budget import Budget
from sing.base.errors import InputError
from sing.base.files import read_text, reason, write_text
from sing.cli.help import Group, WholeNumber, option
from sing.translate import generators
from sing.translate.cube import cube
from sing.translate.logistics import logistics
from sing.translate.turning import burnt_pancake, lights_out, top_spin

_PROBLEM, _OUTPUT = "The problems", "Output"


@click.group("generate", cls=Group, subcommand_metavar="GENERATOR")
def generate_group() -> None:
    """Write PDDL problems: a domain and problems with one goal and many starts."""


def _generator(command: Callable[..., Any]) -> Callable[..., Any]:
    for add in (
        option("--output", required=True, metavar="DIR", group=_OUTPUT, help="Write domain.pddl, p01.pddl, … here."),
        option(
            "--seed", default=0, show_default=True, type=WholeNumber(0, 2**64 - 1), group=_OUTPUT,
            help="The seed of all random choices.",
        ),
        option(
            "--count", default=1, show_default=True, type=WholeNumber(1, 9999), group=_OUTPUT,
            help="How many problems.",
        ),
    ):  # fmt: skip
        command = add(command)
    return command


def _size(name: str, default: int | None, least: int, most: int, help: str) -> Callable[..., Any]:
    return option(
        name,
        default=default,
        show_default=default is not None,
        type=WholeNumber(least, most),
        group=_PROBLEM,
        help=help,
    )


def _start(metavar: str, help: str) -> Callable[..., Any]:
    return option("--board", metavar=metavar, group=_PROBLEM, help=help)


@generate_group.command("npuzzle")
@_size("--rows", 4, 2, 100, "Rows of the board.")
@_size("--columns", None, 2, 100, "Columns of the board.  [default: as many as rows]")
@_start("TILES", "The start, row by row, 0 for the blank: '1 2 0 3'.")
@_generator
def npuzzle_command(rows: int, columns: int | None, board: str | None, count: int, seed: int, output: str) -> None:
    """Sliding-tile puzzles: `--rows 5` is the 24-puzzle."""
    tiles = None if board is None else _numbers(board)
    family = generators.npuzzle(rows, columns or rows, count=count, seed=seed, board=tiles)
    _write_family(family, output)


@generate_group.command("blocks")
@_size("--blocks", 10, 1, 1000, "How many blocks.")
@_start("TOWERS", "The start, towers from bottom to top: '1 2 3 / 4 5'.")
@_generator
def blocks_command(blocks: int, board: str | None, count: int, seed: int, output: str) -> None:
    """Blocks worlds with four operators and one random goal."""
    towers = None if board is None else [_numbers(tower) for tower in board.split("/")]
    _write_family(generators.blocks(blocks, count=count, seed=seed, board=towers), output)


@generate_group.command("pancake")
@_size("--pancakes", 10, 2, 100, "How many pancakes.")
@_start("SIZES", "The start from the top of the stack: '3 1 2'.")
@_generator
def pancake_command(pancakes: int, board: str | None, count: int, seed: int, output: str) -> None:
    """Stacks of pancakes to be sorted by flips."""
    sizes = None if board is None else _numbers(board)
    _write_family(generators.pancake(pancakes, count=count, seed=seed, board=sizes), output)


@generate_group.command("burnt-pancake")
@_size("--pancakes", 8, 1, 100, "How many pancakes.")
@_start("SIZES", "The start from the top of the stack, negative where the burnt side is up: '-3 1 2'.")
@_generator
def burnt_pancake_command(pancakes: int, board: str | None, count: int, seed: int, output: str) -> None:
    """Stacks of pancakes to be sorted by flips, burnt sides down."""
    sizes = None if board is None else _numbers(board)
    _write_family(burnt_pancake(pancakes, count=count, seed=seed, board=sizes), output)


@generate_group.command("topspin")
@_size("--tokens", 12, 2, 100, "How many tokens are in the ring.")
@_size("--turnstile", 4, 2, 100, "How many neighbours a spin reverses.")
@_size("--spins", 100, 0, 1_000_000, "Random spins that make a start.")
@_start("TOKENS", "The start, token by token: '2 1 3'.")
@_generator
def top_spin_command(
    tokens: int, turnstile: int, spins: int, board: str | None, count: int, seed: int, output: str
) -> None:
    """Rings of tokens in which some neighbours can be reversed."""
    ring = None if board is None else _numbers(board)
    _write_family(top_spin(tokens, turnstile, num_spins=spins, count=count, seed=seed, board=ring), output)


@generate_group.command("lightsout")
@_size("--rows", 5, 2, 30, "Rows of lamps, as many as columns.")
@_start("LAMPS", "The start, row by row, 1 for a lamp that is on: '1 0 0 1'.")
@_generator
def lights_out_command(rows: int, board: str | None, count: int, seed: int, output: str) -> None:
    """Squares of lamps to be switched off, each with its neighbours."""
    lamps = None if board is None else _numbers(board)
    _write_family(lights_out(rows, count=count, seed=seed, board=lamps), output)


@generate_group.command("cube")
@_size("--turns", 100, 0, 1_000_000, "Random turns that make a start.")
@option(
    "--scramble",
    metavar="TURNS",
    group=_PROBLEM,
    help='The turns that make the start, as they are usually written: "R U2 F\'".',
)
@_generator
def cube_command(turns: int, scramble: str | None, count: int, seed: int, output: str) -> None:
    """Rubik's cubes, 3×3×3: an operator turns a face by a quarter or a half."""
    _write_family(cube(turns, count=count, seed=seed, scramble=scramble), output)


@generate_group.command("logistics")
@_size("--cities", 6, 1, 100, "How many cities, each with a truck and an airport.")
@_size("--places", 4, 1, 100, "Places in a city, the airport among them.")
@_size("--planes", 2, 0, 100, "How many planes.")
@_size("--packages", 12, 1, 1000, "How many packages.")
@_generator
def logistics_command(cities: int, places: int, planes: int, packages: int, count: int, seed: int, output: str) -> None:
    """Packages to bring to places by trucks and planes."""
    _write_family(logistics(cities, places, planes, packages, count=count, seed=seed), output)


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
