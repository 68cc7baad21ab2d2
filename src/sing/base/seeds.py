"""Seeds made of seeds, as NumPy's SeedSequence makes them, without NumPy."""

from __future__ import annotations

from itertools import cycle, islice

_WORD = 0xFFFFFFFF
_POOL_SIZE = 4
_SHIFT = 16


class _Hash:
    """A hash function that is another one at each call."""

    def __init__(self, start: int, factor: int) -> None:
        self._constant, self._factor = start, factor

    def __call__(self, value: int) -> int:
        value ^= self._constant
        self._constant = self._constant * self._factor & _WORD
        value = value * self._constant & _WORD
        return value ^ value >> _SHIFT


def _mixed(x: int, y: int) -> int:
    value = (0xCA01F9DD * x - 0x4973F715 * y) & _WORD
    return value ^ value >> _SHIFT


def derived_seed(*numbers: int) -> int:
    """A number of 64 bits from numbers from 0 on; similar ones give different seeds (O'Neill 2015).

    >>> import numpy as np
    >>> derived_seed(0, 1) == int(np.random.SeedSequence([0, 1]).generate_state(1, np.uint64)[0])
    True
    """
    words = []
    for number in numbers:
        words.append(number & _WORD)
        while number := number >> 32:
            words.append(number & _WORD)
    hashed = _Hash(0x43B0D7E5, 0x931E8875)
    pool = [hashed(word) for word in islice([*words, *[0] * _POOL_SIZE], _POOL_SIZE)]
    for source in range(_POOL_SIZE):
        for target in range(_POOL_SIZE):
            if source != target:
                pool[target] = _mixed(pool[target], hashed(pool[source]))
    for word in words[_POOL_SIZE:]:
        for target in range(_POOL_SIZE):
            pool[target] = _mixed(pool[target], hashed(word))
    hashed = _Hash(0x8B51F9DD, 0x58F38DED)
    low, high = (hashed(word) for word in islice(cycle(pool), 2))
    return high << 32 | low
