"""What sing can use and does not need: how to install it."""

from __future__ import annotations


def how_to_install(extra: str) -> str:
    """A hint for messages. `extra` is one of those in pyproject.toml.

    >>> how_to_install("torch")
    "in the folder of sing's sources: pip install '.[torch]'"
    """
    return f"in the folder of sing's sources: pip install '.[{extra}]'"
