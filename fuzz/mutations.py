"""Changes to text and bytes that need not know what they mean."""

from __future__ import annotations

import random
from collections.abc import Callable

NUMBERS = (-1, 0, 1, 2, 3, 7, 10_000, 2**31 - 1, 2**31, 2**32, 2**63 - 1, 2**63, -(2**63))
WORDS = ("", " ", "-", "0x1", "1e3", "1.5", "nan", "é", "\u2028", "\x1b[2J", "\x00", "(", ")", ";", "a" * 300)


def mutated_bytes(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """Some bytes changed, removed, repeated or taken from another input."""
    result = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4))):
        begin = rng.randrange(len(result) + 1)
        end = min(len(result), begin + rng.choice((0, 1, 1, 2, 8, 64)))
        piece = result[begin:end]
        kind = rng.randrange(5)
        if kind == 0:
            piece = bytearray(rng.randrange(256) for _ in range(rng.randint(1, 4)))
        elif kind == 1:
            piece = bytearray()
        elif kind == 2:
            piece = piece * rng.choice((2, 3))
        elif kind == 3:
            start = rng.randrange(len(other) + 1)
            piece = bytearray(other[start : start + rng.choice((1, 4, 16, 256))])
        elif piece:
            piece[0] ^= 1 << rng.randrange(8)
        result[begin:end] = piece
    return bytes(result)


def mutated_lines(text: str, other: str, rng: random.Random) -> str:
    """Some lines changed, moved, repeated, removed or taken from another input."""
    lines = text.split("\n")
    for _ in range(rng.choice((1, 1, 2, 3))):
        begin = rng.randrange(len(lines))
        end = min(len(lines), begin + rng.choice((1, 1, 1, 3, 10)))
        change = rng.choice(_LINE_CHANGES)
        lines[begin:end] = change(lines[begin:end], other.split("\n"), rng)
        lines = lines or [""]
    return "\n".join(lines)


def mutated_word(word: str, rng: random.Random) -> str:
    """Another number for a number, something odd for a word."""
    if word.lstrip("-").isdigit() and rng.random() < 0.8:
        return str(rng.choice((int(word) + rng.choice((-1, 1)), rng.choice(NUMBERS))))
    return rng.choice((word + rng.choice(WORDS), rng.choice(WORDS), word.upper(), word[:-1]))


def _change_word(lines: list[str], other: list[str], rng: random.Random) -> list[str]:
    words = lines[0].split(" ")
    position = rng.randrange(len(words))
    words[position] = mutated_word(words[position], rng)
    return [" ".join(words), *lines[1:]]


def _from_other(lines: list[str], other: list[str], rng: random.Random) -> list[str]:
    start = rng.randrange(len(other))
    return other[start : start + rng.choice((1, 3, 10))]


_LINE_CHANGES: tuple[Callable[[list[str], list[str], random.Random], list[str]], ...] = (
    _change_word,
    _change_word,
    _change_word,
    _from_other,
    lambda lines, other, rng: [],
    lambda lines, other, rng: lines * 2,
    lambda lines, other, rng: rng.sample(lines, len(lines)),
    lambda lines, other, rng: [line + rng.choice((" ", "\r", "\t")) for line in lines],
)
