"""Rubik's cube, 3×3×3, as PDDL: a turn of a face is one operator, with conditional effects."""

from __future__ import annotations

import random
from collections.abc import Sequence

from sing.base.errors import InputError
from sing.translate.generators import Family, checked_count, problem_text

# The faces that a quarter turn, clockwise as one looks at the face, moves stickers through.
_CYCLES = {"u": "flbr", "d": "frbl", "f": "urdl", "b": "uldr", "r": "ubdf", "l": "ufdb"}
_OPPOSITE = {"u": "d", "d": "u", "f": "b", "b": "f", "r": "l", "l": "r"}
# Cubies are named by the faces that their stickers belong to, corners clockwise.
_CORNERS = ("urf", "ufl", "ulb", "ubr", "dfr", "dlf", "dbl", "drb")
_EDGES = ("ur", "uf", "ul", "ub", "dr", "df", "dl", "db", "fr", "fl", "bl", "br")
# How often a quarter turn is made, as turns are written and as operators are named.
_TURNS = {"": (1, ""), "2": (2, "2"), "'": (3, "-back")}


def _places(cubies: Sequence[str]) -> list[str]:
    """Where a cubie can be and how it is turned: the faces that its stickers show on, in the order of its name."""
    return [name[k:] + name[:k] for name in cubies for k in range(len(name))]


def _turned(place: str, face: str, quarters: int) -> str:
    """The place that a cubie gets to from `place` when a face is turned."""
    if face not in place:
        return place
    cycle = _CYCLES[face]
    return "".join(side if side == face else cycle[(cycle.index(side) + quarters) % 4] for side in place)


def cube(scramble_length: int = 100, *, count: int = 1, seed: int = 0, scramble: str | None = None) -> Family:
    """Cubes that random turns have scrambled; the goal is the solved cube. The 18 turns are quarter and half turns.

    No turn is of the face of the one before, nor of the face two before where the one between is opposite. `scramble`
    gives the turns of one problem as they are usually written. Raises InputError for what is no turn.

    >>> cube(scramble="R U2 F'").problems[0].count("(at c-urf ")
    2
    """
    if scramble_length < 0:
        raise InputError(f"the number of turns is {scramble_length}; it must be at least 0")
    if scramble is not None:
        if count != 1:
            raise InputError(f"a given scramble is one problem, not {count}")
        scrambles = [[_turn(word) for word in scramble.split()]]
    else:
        rng = random.Random(seed)
        scrambles = [_random_turns(scramble_length, rng) for _ in range(checked_count(count))]
    objects = {"corner": [f"c-{name}" for name in _CORNERS], "edge": [f"e-{name}" for name in _EDGES]}
    solved = {name: place for names in objects.values() for name in names for place in [name[2:]]}
    goal = [f"(at {name} {place})" for name, place in solved.items()]
    problems = []
    for number, turns in enumerate(scrambles, start=1):
        init = []
        for name, place in solved.items():
            for face, quarters in turns:
                place = _turned(place, face, quarters)
            init.append(f"(at {name} {place})")
        problems.append(problem_text("rubiks-cube", f"cube-{len(turns)}-{number}", objects, init, goal))
    return Family(_domain(), tuple(problems))


def inverse_plan(scramble: str) -> list[str]:
    """The operators that undo a scramble.

    >>> inverse_plan("R U2")
    ['turn-u2', 'turn-r-back']
    """
    names = {quarters: name for quarters, name in _TURNS.values()}
    return [f"turn-{face}{names[4 - quarters]}" for face, quarters in map(_turn, reversed(scramble.split()))]


def _turn(word: str) -> tuple[str, int]:
    face, kind = word[:1].lower(), word[1:]
    if face not in _CYCLES or kind not in _TURNS:
        raise InputError(f"'{word}' is not a turn; write U, D, F, B, R or L, alone or with 2 or ' behind it")
    return face, _TURNS[kind][0]


def _random_turns(length: int, rng: random.Random) -> list[tuple[str, int]]:
    turns: list[tuple[str, int]] = []
    while len(turns) < length:
        face, quarters = rng.choice("udfbrl"), rng.randint(1, 3)
        before = [other for other, _ in turns[-2:]]
        if before[-1:] != [face] and before != [face, _OPPOSITE[face]]:
            turns.append((face, quarters))
    return turns


def _domain() -> str:
    actions = [_action(face, quarters, name) for face in _CYCLES for quarters, name in _TURNS.values()]
    corners, edges = " ".join(_places(_CORNERS)), " ".join(_places(_EDGES))
    return (
        "(define (domain rubiks-cube)\n"
        "  (:requirements :typing :conditional-effects)\n"
        "  (:types corner edge - cubie corner-place edge-place - place)\n"
        f"  (:constants {corners} - corner-place\n    {edges} - edge-place)\n"
        "  (:predicates (at ?cubie - cubie ?place - place))\n" + "\n".join(actions) + ")\n"
    )


def _action(face: str, quarters: int, name: str) -> str:
    foralls = []
    for kind, cubies in (("corner", _CORNERS), ("edge", _EDGES)):
        moves = [(place, _turned(place, face, quarters)) for place in _places(cubies) if face in place]
        whens = [
            f"        (when (at ?cubie {before}) (and (at ?cubie {after}) (not (at ?cubie {before}))))"
            for before, after in moves
        ]
        foralls.append(f"      (forall (?cubie - {kind}) (and\n" + "\n".join(whens) + "))")
    return f"  (:action turn-{face}{name}\n    :parameters ()\n    :effect (and\n" + "\n".join(foralls) + "))"
