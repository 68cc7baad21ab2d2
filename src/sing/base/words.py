"""Words of others in messages of ours: names and reports that inputs hold."""

from __future__ import annotations


def shortened(text: str, max_characters: int) -> str:
    """The text, or its beginning where it is longer.

    >>> shortened("abcdef", 4)
    'abc…'
    """
    return text if len(text) <= max_characters else text[: max_characters - 1] + "…"


def printable(text: str) -> str:
    """The text with every character that could move a cursor or hide something written as an escape.

    >>> printable("two\\nlines, \\x1b[31mred")
    'two\\nlines, \\\\x1b[31mred'
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or character == "\n" else repr(character)[1:-1] for character in text
    )
