"""Names that people mistype, and the nearest right ones."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

# Letters from which on the beginning of a name says which is meant.
_MIN_BEGINNING = 3
# Names shown before "and 12 more".
_NUM_SHOWN = 4


def unknown(what: str, name: str, names: Iterable[str]) -> str:
    """What to say about a name that is none of `names`: the nearest of them, or all of them where none is near.

    >>> unknown("heuristic", "hff", ("blind", "goalcount", "ff"))
    "there is no heuristic 'hff'; did you mean ff?"
    >>> unknown("heuristic", "lmcut", ("blind", "goalcount", "ff"))
    "there is no heuristic 'lmcut'; there are blind, goalcount, ff"
    """
    names = list(names)
    near = nearest(name, names)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(names)}"
    return f"there is no {what} '{name}'; {hint}"


def nearest(name: str, names: Iterable[str], count: int = 1) -> list[str]:
    """Up to `count` of the names that someone who wrote `name` may have meant, the best first.

    >>> nearest("NPuzle", ("npuzzle", "blocks")), nearest("--plan", ("--plot", "--plan-file"))
    (['npuzzle'], ['--plan-file'])
    """
    by_lower = {known.lower(): known for known in names}
    begun = [known for known in by_lower if known.startswith(name.lower())] if len(name) >= _MIN_BEGINNING else []
    near = [*begun, *difflib.get_close_matches(name.lower(), by_lower, n=count)]
    return [by_lower[close] for close in dict.fromkeys(near)][:count]


def listed(names: Iterable[str]) -> str:
    """The first names of a list that may be long.

    >>> listed(["a", "b", "c", "d", "e", "f"])
    'a, b, c, d and 2 more'
    """
    names = list(names)
    shown = ", ".join(names[:_NUM_SHOWN])
    return shown if len(names) <= _NUM_SHOWN else f"{shown} and {len(names) - _NUM_SHOWN} more"
