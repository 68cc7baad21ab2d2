"""The version of sing that is installed."""

from __future__ import annotations


def own_version() -> str:
    from importlib.metadata import version  # takes longer to import than most runs need it

    return version("sing-planner")
