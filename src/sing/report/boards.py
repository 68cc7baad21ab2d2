"""States of puzzles as pictures: sliding tiles, towers of blocks, stacks of pancakes.

A puzzle is known by its atoms, as our generators and the usual PDDL domains name them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from html import escape

from sing.report.charts import COLORS

Atoms = frozenset[str]
Facts = dict[str, list[tuple[str, ...]]]  # by predicate: the arguments

_SIZE = 150.0  # of a board, in the units of its picture
_MAX_ITEMS = 400


def boards(states: Sequence[tuple[int, Atoms]]) -> str:
    """Pictures of states, each with its step; empty where they are not of a puzzle that is known here."""
    facts = [_facts(atoms) for _, atoms in states]
    for draw in (_tiles, _pancakes, _towers):
        drawn = [draw(one) for one in facts]
        if drawn and all(drawn):
            return "".join(_figure(step, picture) for (step, _), picture in zip(states, drawn, strict=True))
    return ""


def _facts(atoms: Atoms) -> Facts:
    facts: Facts = {}
    for atom in sorted(atoms):
        if match := re.fullmatch(r"Atom ([^(]+)\((.*)\)", atom):
            facts.setdefault(match[1], []).append(tuple(match[2].split(", ")) if match[2] else ())
    return facts


def _number(word: str) -> int:
    digits = re.sub(r"\D", "", word)
    return int(digits) if digits else -1


def _figure(step: int, picture: str) -> str:
    box = f'<svg class="board" viewBox="0 0 {_SIZE:g} {_SIZE:g}" role="img" aria-label="step {step}">{picture}</svg>'
    return f"<figure>{box}<figcaption>step {step}</figcaption></figure>"


def _rectangle(x: float, y: float, width: float, height: float, color: str, text: str) -> str:
    size = min(height, width) * 0.5
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="2" fill="{color}"/>'
        f'<text x="{x + width / 2:.1f}" y="{y + height / 2 + size / 3:.1f}" font-size="{size:.1f}" '
        f'text-anchor="middle">{escape(text)}</text>'
    )


def _tiles(facts: Facts) -> str:
    """Tiles `at` positions of a grid, numbered row by row, one of them `blank`."""
    if not {"at", "blank"} <= facts.keys():
        return ""
    places = {_number(place): tile for tile, place in (pair for pair in facts["at"] if len(pair) == 2)}
    size = len(places) + len(facts["blank"])
    steps = {abs(_number(a) - _number(b)) for a, b in facts.get("next-to", []) if a != b}
    columns = max(steps, default=0) if max(steps, default=0) > 1 else math.isqrt(size)
    if size > _MAX_ITEMS or not columns or any(not 0 <= place < size for place in places):
        return ""
    side = _SIZE / max(columns, math.ceil(size / columns))
    parts = []
    for place, tile in places.items():
        color = COLORS[2] if _number(tile) == place else COLORS[0]  # in its place, or not yet
        x, y = place % columns * side, place // columns * side
        parts.append(_rectangle(x + 0.5, y + 0.5, side - 1, side - 1, color, str(_number(tile))))
    return "".join(parts)


def _pancakes(facts: Facts) -> str:
    """Pancakes `at` positions of a stack, the first on top; larger numbers are larger pancakes."""
    if "now" not in facts or "at" not in facts:
        return ""
    stack = sorted((_number(place), _number(cake)) for cake, place in (pair for pair in facts["at"] if len(pair) == 2))
    if not stack or len(stack) > _MAX_ITEMS:
        return ""
    height, largest = min(_SIZE / len(stack), 24.0), max(cake for _, cake in stack)
    parts = []
    for row, (place, cake) in enumerate(stack):
        width = _SIZE * (0.25 + 0.75 * cake / max(1, largest))
        color = COLORS[2] if cake == place else COLORS[0]
        parts.append(_rectangle((_SIZE - width) / 2, row * height, width, height - 1, color, str(cake)))
    return "".join(parts)


def _towers(facts: Facts) -> str:
    """Blocks `on` blocks or `ontable`."""
    bottoms = [block for (block,) in facts.get("ontable", facts.get("on-table", [])) if block]
    above = {lower: upper for upper, lower in (pair for pair in facts.get("on", []) if len(pair) == 2)}
    held = [words[0] for words in facts.get("holding", []) if words]
    if not bottoms or not any(key in facts for key in ("clear", "handempty", "arm-empty", "holding")):
        return ""
    towers = []
    for block in sorted(bottoms, key=_number):
        tower = [block]
        while (block := above.pop(block, "")) and len(tower) < _MAX_ITEMS:
            tower.append(block)
        towers.append(tower)
    if sum(map(len, towers)) > _MAX_ITEMS:
        return ""
    side = min(_SIZE / len(towers), _SIZE / (max(map(len, towers)) + (1.5 if held else 0)), 30.0)
    parts = []
    for column, tower in enumerate(towers):
        for row, block in enumerate(tower):
            y = _SIZE - (row + 1) * side
            parts.append(_rectangle(column * side + 0.5, y + 0.5, side - 1, side - 1, COLORS[0], block))
    parts += [_rectangle(0.5, 0.5, side - 1, side - 1, COLORS[1], block) for block in held]
    return "".join(parts)


def evenly(length: int, count: int) -> list[int]:
    """Up to `count` steps of a plan, from its start to its end.

    >>> evenly(10, 4), evenly(2, 8)
    ([0, 3, 7, 10], [0, 1, 2])
    """
    if length < count:
        return list(range(length + 1))
    return [round(position * length / (count - 1)) for position in range(count)]
