"""Puzzles whose moves turn several things at once: lights out, top-spin, burnt pancakes. In plain STRIPS."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product

from sing.base.errors import InputError
from sing.translate.generators import Family, checked_count, problem_text

_OTHER = {"up": "down", "down": "up"}  # where the burnt side of a pancake is


def lights_out(size: int, *, count: int = 1, seed: int = 0, board: Sequence[int] | None = None) -> Family:
    """A square of lamps: a press switches a lamp and those beside, above and below it. The goal is that all are off.

    `board` lists the lamps row by row, 1 for one that is on; it may have no solution. Random starts have one: each lamp
    is pressed or not, each as likely. Raises InputError for a size below 2 or another board.

    >>> lights_out(2, board=[1, 1, 1, 0]).problems[0].count("(shows x0 on)")
    1
    """
    if size < 2:
        raise InputError(f"a square of lamps needs at least 2 rows, not {size}")
    num_cells = size * size
    reach = [_cross(cell, size) for cell in range(num_cells)]
    if board is None:
        rng = random.Random(seed)
        boards = [_pressed(reach, [rng.randrange(2) for _ in reach]) for _ in range(checked_count(count))]
    else:
        if len(board) != num_cells or set(board) - {0, 1}:
            raise InputError(f"the board must have {num_cells} numbers, 1 for a lamp that is on, else 0")
        if count != 1:
            raise InputError(f"a given board is one problem, not {count}")
        boards = [list(board)]
    crosses = [f"(cross{len(cells)} {' '.join(f'x{cell}' for cell in cells)})" for cells in reach]
    static = [*crosses, "(switches on off)", "(switches off on)"]
    objects = {"lamp": [f"x{cell}" for cell in range(num_cells)]}
    goal = [f"(shows x{cell} off)" for cell in range(num_cells)]
    problems = []
    for number, lamps in enumerate(boards, start=1):
        init = [f"(shows x{cell} {'on' if lit else 'off'})" for cell, lit in enumerate(lamps)]
        problems.append(problem_text("lights-out", f"lights-out-{size}-{number}", objects, [*init, *static], goal))
    return Family(_lights_domain(sorted({len(cells) for cells in reach})), tuple(problems))


def _cross(cell: int, size: int) -> list[int]:
    row, column = divmod(cell, size)
    around = [(row, column), (row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    return [r * size + c for r, c in around if 0 <= r < size and 0 <= c < size]


def _pressed(reach: Sequence[Sequence[int]], presses: Sequence[int]) -> list[int]:
    lamps = [0] * len(reach)
    for cell, is_pressed in enumerate(presses):
        for other in reach[cell] if is_pressed else ():
            lamps[other] ^= 1
    return lamps


def _lights_domain(sizes: Sequence[int]) -> str:
    """An action for each number of lamps that a press switches: each of them may be on or off."""
    predicates, actions = [], []
    for size in sizes:
        lamps = [f"?x{i}" for i in range(size)]
        predicates.append(f"    (cross{size} {' '.join(lamps)} - lamp)")
        shades = " ".join(f"?s{i} ?t{i}" for i in range(size))
        needed = [f"(shows ?x{i} ?s{i}) (switches ?s{i} ?t{i})" for i in range(size)]
        changed = [f"(shows ?x{i} ?t{i}) (not (shows ?x{i} ?s{i}))" for i in range(size)]
        actions.append(
            f"  (:action press{size}\n    :parameters ({' '.join(lamps)} - lamp {shades} - shade)\n"
            f"    :precondition (and (cross{size} {' '.join(lamps)})\n      " + "\n      ".join(needed) + ")\n"
            "    :effect (and\n      " + "\n      ".join(changed) + "))"
        )
    return (
        "(define (domain lights-out)\n  (:requirements :strips :typing)\n  (:types lamp shade)\n"
        "  (:constants on off - shade)\n  (:predicates\n    (shows ?lamp - lamp ?shade - shade)\n"
        "    (switches ?before ?after - shade)\n" + "\n".join(predicates) + ")\n" + "\n".join(actions) + ")\n"
    )


def top_spin(
    num_tokens: int,
    width: int = 4,
    *,
    num_spins: int = 100,
    count: int = 1,
    seed: int = 0,
    board: Sequence[int] | None = None,
) -> Family:
    """Tokens in a ring, where `width` neighbours anywhere can be reversed. The goal is 1, 2, 3, … from place 1 on.

    A spin swaps pairs from the outside in: the first step chooses the place, the others follow by force. `num_spins`
    random ones make a start; `board` lists the tokens and may have no solution. Raises InputError for another size or
    board.
    """
    if not 2 <= width <= num_tokens:
        raise InputError(f"a spin reverses 2 tokens or more, and no more than there are; not {width} of {num_tokens}")
    numbers = list(range(1, num_tokens + 1))
    if board is None:
        rng = random.Random(seed)
        rings = [_spun(numbers, width, num_spins, rng) for _ in range(checked_count(count))]
    else:
        if sorted(board) != numbers:
            raise InputError(f"the board must hold each number from 1 to {num_tokens} once")
        if count != 1:
            raise InputError(f"a given board is one problem, not {count}")
        rings = [list(board)]
    stages, steps = ["rest"], []
    for first in range(num_tokens):
        before = "rest"
        for k in range(width // 2):
            outer, inner = (first + k) % num_tokens + 1, (first + width - 1 - k) % num_tokens + 1
            after = f"s{first + 1}-{k + 1}" if k + 1 < width // 2 else "rest"
            steps.append(f"(swap-step {before} p{outer} p{inner} {after})")
            stages += [after] if after != "rest" else []
            before = after
    objects = {"token": [f"t{i}" for i in numbers], "place": [f"p{i}" for i in numbers], "stage": stages}
    goal = [*(f"(at t{i} p{i})" for i in numbers), "(now rest)"]
    problems = []
    for number, ring in enumerate(rings, start=1):
        init = [*(f"(at t{token} p{place})" for place, token in enumerate(ring, start=1)), "(now rest)", *steps]
        problems.append(problem_text("top-spin", f"top-spin-{num_tokens}-{width}-{number}", objects, init, goal))
    return Family(_TOP_SPIN, tuple(problems))


def _spun(numbers: Sequence[int], width: int, num_spins: int, rng: random.Random) -> list[int]:
    ring = list(numbers)
    for _ in range(num_spins):
        first = rng.randrange(len(ring))
        places = [(first + k) % len(ring) for k in range(width)]
        for place, token in zip(places, [ring[place] for place in reversed(places)], strict=True):
            ring[place] = token
    return ring


def burnt_pancake(num_pancakes: int, *, count: int = 1, seed: int = 0, board: Sequence[int] | None = None) -> Family:
    """A stack of pancakes, burnt on one side, to sort by flipping its top, with all burnt sides down.

    `board` lists sizes from the top, negative where the burnt side is up. A flip of k pancakes swaps pairs from the
    outside in and turns both, and at last turns the one in the middle, if there is one: the first step chooses k, the
    others follow by force. Raises InputError for a bad `board`.
    """
    if num_pancakes < 1:
        raise InputError(f"a stack needs at least 1 pancake, not {num_pancakes}")
    sizes = list(range(1, num_pancakes + 1))
    if board is None:
        rng = random.Random(seed)
        stacks = [
            [size * rng.choice((-1, 1)) for size in rng.sample(sizes, num_pancakes)]
            for _ in range(checked_count(count))
        ]
    else:
        if sorted(map(abs, board)) != sizes:
            raise InputError(f"the board must hold each number from 1 to {num_pancakes} once, negative or not")
        if count != 1:
            raise InputError(f"a given board is one problem, not {count}")
        stacks = [list(board)]
    stages, steps = ["rest"], []
    for i in sizes:
        for j in range(i, num_pancakes + 1):  # the flip has reached the inside: these two are next
            before = "rest" if i == 1 else f"s{i}-{j}"
            after = f"s{i + 1}-{j - 1}" if i + 1 <= j - 1 else "rest"
            stages += [before] if before != "rest" else []
            if i == j:
                steps += [f"(turn-step {before} p{i}-{side} p{i}-{_OTHER[side]} {after})" for side in _OTHER]
            else:
                steps += [
                    f"(swap-step {before} p{i}-{a} p{j}-{_OTHER[a]} p{j}-{b} p{i}-{_OTHER[b]} {after})"
                    for a, b in product(_OTHER, repeat=2)
                ]
    spots = [f"p{i}-{side}" for i in sizes for side in _OTHER]
    objects = {"pancake": [f"c{i}" for i in sizes], "spot": spots, "stage": stages}
    goal = [*(f"(at c{i} p{i}-down)" for i in sizes), "(now rest)"]
    problems = []
    for number, stack in enumerate(stacks, start=1):
        init = [f"(at c{abs(c)} p{p}-{'up' if c < 0 else 'down'})" for p, c in enumerate(stack, start=1)]
        name = f"burnt-pancake-{num_pancakes}-{number}"
        problems.append(problem_text("burnt-pancake", name, objects, [*init, "(now rest)", *steps], goal))
    return Family(_BURNT_PANCAKE, tuple(problems))


_TOP_SPIN = """\
(define (domain top-spin)
  (:requirements :strips :typing)
  (:types token place stage)
  (:predicates
    (at ?token - token ?place - place)
    (now ?stage - stage)
    (swap-step ?before - stage ?outer ?inner - place ?after - stage))
  (:action swap
    :parameters (?a ?b - token ?outer ?inner - place ?before ?after - stage)
    :precondition (and (now ?before) (swap-step ?before ?outer ?inner ?after) (at ?a ?outer) (at ?b ?inner))
    :effect (and (at ?a ?inner) (at ?b ?outer) (not (at ?a ?outer)) (not (at ?b ?inner))
                 (not (now ?before)) (now ?after))))
"""

_BURNT_PANCAKE = """\
(define (domain burnt-pancake)
  (:requirements :strips :typing)
  (:types pancake spot stage)
  (:predicates
    (at ?pancake - pancake ?spot - spot)
    (now ?stage - stage)
    (turn-step ?before - stage ?from ?to - spot ?after - stage)
    (swap-step ?before - stage ?from ?to ?other-from ?other-to - spot ?after - stage))
  (:action turn
    :parameters (?a - pancake ?from ?to - spot ?before ?after - stage)
    :precondition (and (now ?before) (turn-step ?before ?from ?to ?after) (at ?a ?from))
    :effect (and (at ?a ?to) (not (at ?a ?from)) (not (now ?before)) (now ?after)))
  (:action swap
    :parameters (?a ?b - pancake ?from ?to ?other-from ?other-to - spot ?before ?after - stage)
    :precondition (and (now ?before) (swap-step ?before ?from ?to ?other-from ?other-to ?after)
                       (at ?a ?from) (at ?b ?other-from))
    :effect (and (at ?a ?to) (at ?b ?other-to) (not (at ?a ?from)) (not (at ?b ?other-from))
                 (not (now ?before)) (now ?after))))
"""
