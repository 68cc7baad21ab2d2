"""The paper's four shared search spaces: one goal each, many starts."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sing.base.budget import Budget
from sing.base.files import write_text
from sing.translate import generators
from sing.translate.translator import translate_to_sas

_KORF = Path(__file__).parent / "data" / "korf24.csv"


@dataclass(frozen=True)
class Board:
    """One of Korf and Felner's fifty 24-puzzles, with an optimal solution."""

    number: int
    tiles: tuple[int, ...]  # row by row, 0 for the blank
    blank_path: tuple[int, ...]  # where the blank goes, one position a step; at the end the board is the goal

    def states(self) -> list[tuple[int, ...]]:
        """The boards along the optimal solution, the goal left out: the last is 1 step away from it."""
        tiles = list(self.tiles)
        states = []
        for there in self.blank_path:
            states.append(tuple(tiles))
            here = tiles.index(0)
            tiles[here], tiles[there] = tiles[there], tiles[here]
        return states


def korf_boards() -> list[Board]:
    with _KORF.open() as file:
        return [
            Board(
                int(row["id"]),
                tuple(map(int, row["board"].split())),
                tuple(map(int, row["optimal_blank_path"].split())),
            )
            for row in csv.DictReader(file)
        ]


@dataclass(frozen=True)
class Space:
    """A family of problems to measure on; models are learned from another problem of the family."""

    name: str
    paper_config: str  # the paper's configuration for it
    problems: generators.Family
    training: generators.Family  # one problem


def _korf_problems() -> generators.Family:
    families = [generators.npuzzle(5, 5, board=board.tiles) for board in korf_boards()]
    return generators.Family(families[0].domain, tuple(family.problems[0] for family in families))


_Generator = Callable[[int, int], generators.Family]  # of a count and a seed
# The paper's configuration, its number of problems, and a generator.
_SPACES: dict[str, tuple[str, int, _Generator]] = {
    "24-puzzle": ("shared-24-puzzle", 50, lambda count, seed: generators.npuzzle(5, 5, count=count, seed=seed)),
    "35-puzzle": ("shared-35-puzzle", 50, lambda count, seed: generators.npuzzle(6, 6, count=count, seed=seed)),
    "blocks 25": ("shared-blocks25", 100, lambda count, seed: generators.blocks(25, count=count, seed=seed)),
    "pancake 14": ("shared-pancake14", 100, lambda count, seed: generators.pancake(14, count=count, seed=seed)),
}
SPACES = tuple(_SPACES)


def make_space(name: str, count: int | None, seed: int, random_boards: bool = False) -> Space:
    """One of SPACES with as many problems as the paper has, or the first `count` of them.

    The 24-puzzles are Korf and Felner's, unless random ones are asked for. The problem to learn from is one more of the
    family, whatever the count: the same goal, and a start that is not measured on.
    """
    paper_config, size, generate = _SPACES[name]
    family = generate(size + 1, seed)
    problems, training = family.problems[:size], family.problems[size:]
    if name == "24-puzzle" and not random_boards:
        problems, training = _korf_problems().problems, generate(1, seed + 1).problems
    return Space(
        name,
        paper_config,
        generators.Family(family.domain, problems[:count]),
        generators.Family(family.domain, training),
    )


def sas_file_of(family: generators.Family, number: int, folder: Path) -> Path:
    """A problem of a family, translated; kept in `folder`, which holds its PDDL too."""
    sas_file = folder / f"p{number + 1:03}.sas"
    if not sas_file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        domain, problem = folder / "domain.pddl", sas_file.with_suffix(".pddl")
        write_text(domain, family.domain, "domain file")
        write_text(problem, family.problems[number], "problem file")
        write_text(sas_file, translate_to_sas(domain, problem, Budget(600)), "SAS file")
    return sas_file
