"""The named configurations."""

from __future__ import annotations

from dataclasses import dataclass

from sing.errors import InputError
from sing.search import SearchConfig


@dataclass(frozen=True)
class Config:
    """A planner by name."""

    name: str
    description: str
    search: SearchConfig


CONFIGS: dict[str, Config] = {
    config.name: config
    for config in (
        Config("blind", "uninformed search, first in first out", SearchConfig("blind")),
        Config("goalcount", "greedy best-first search on the number of unsatisfied goals", SearchConfig("goalcount")),
        Config("ff", "greedy best-first search on the FF heuristic", SearchConfig("ff")),
        Config(
            "novelty",
            "goal count, half of the time through novel states first",
            SearchConfig("goalcount", ("g", "ng"), "random"),
        ),
        Config(
            "ff-novelty",
            "FF and goal count, each with and without novelty, in turns",
            SearchConfig("ff", ("nh", "h", "ngh", "g"), "random"),
        ),
    )
}
DEFAULT_CONFIG = "ff-novelty"


def get_config(name: str) -> Config:
    """The configuration of that name. Raises InputError where there is none."""
    try:
        return CONFIGS[name]
    except KeyError:
        raise InputError(f"there is no configuration '{name}'; there are {', '.join(CONFIGS)}") from None
