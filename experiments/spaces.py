"""The paper's four shared search spaces: one goal each, many starts."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from sing import generators
from sing.budget import Budget
from sing.files import write_text
from sing.translate import translate_to_sas

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


def _korf_problems(count: int) -> generators.Family:
    families = [generators.npuzzle(5, 5, board=board.tiles) for board in korf_boards()[:count]]
    return generators.Family(families[0].domain, tuple(family.problems[0] for family in families))


def make_space(name: str, count: int | None, seed: int) -> Space:
    """One of SPACES with `count` problems, or as many as the paper has."""
    if name == "24-puzzle":
        training = generators.npuzzle(5, 5, seed=seed + 1)
        return Space(name, "shared-24-puzzle", _korf_problems(count or 50), training)
    if name == "35-puzzle":
        family = generators.npuzzle(6, 6, count=(count or 50) + 1, seed=seed)
    elif name == "blocks 25":
        family = generators.blocks(25, count=(count or 100) + 1, seed=seed)
    elif name == "pancake 14":
        family = generators.pancake(14, count=(count or 100) + 1, seed=seed)
    else:
        raise ValueError(name)
    paper_config = {"35-puzzle": "shared-35-puzzle", "blocks 25": "shared-blocks25", "pancake 14": "shared-pancake14"}
    # The last problem of the family is the one to learn from: the same goal, a start that is not measured on.
    return Space(
        name,
        paper_config[name],
        generators.Family(family.domain, family.problems[:-1]),
        generators.Family(family.domain, family.problems[-1:]),
    )


SPACES = ("24-puzzle", "35-puzzle", "blocks 25", "pancake 14")


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
