"""The named configurations: the paper's and ours."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from typing import Any

from sing.base.errors import InputError
from sing.learning.learn import LearningConfig
from sing.learning.value_iteration import ValueIterationConfig
from sing.learning.voices import VoicesConfig
from sing.networks.training import TrainingConfig
from sing.samples.sampling import SamplingConfig
from sing.search.search import NETWORK, SearchConfig

# Ours make plans shorter; the paper's and the baselines report what the search found.
SHORTEN_SHARE = 0.1


@dataclass(frozen=True)
class Config:
    """A planner by name. Where the search's heuristic is a network and there is no `learning`, it needs a model.

    Plans are made shorter for `shorten_share` of the work that the search took, 0: not at all.
    """

    name: str
    description: str
    search: SearchConfig
    learning: LearningConfig | None = None
    shorten_share: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.shorten_share < math.inf:
            raise InputError(f"the share for shorter plans is {self.shorten_share}; it must be 0 or more")
        if self.learning is not None and self.search.heuristic != NETWORK:
            raise InputError(f"configuration '{self.name}': nothing but a network can be learned")

    def override(self, **options: Any) -> Config:
        """The same with fields of its parts replaced, such as `hidden=(64, 64)`; None changes nothing.

        Raises InputError where a part has no such field.
        """
        given = {name: value for name, value in options.items() if value is not None}
        if not given:
            return self
        search, rest = _replace(self.search, given)
        shorten_share = rest.pop("shorten_share", self.shorten_share)
        learning = self.learning
        if learning is not None:
            sampling, rest = _replace(learning.sampling, rest)
            training, rest = _replace(learning.training, rest)
            prefix = "value_iteration."
            iterating = {name.removeprefix(prefix): rest.pop(name) for name in list(rest) if name.startswith(prefix)}
            value_iteration = rest.pop("value_iteration", learning.value_iteration)
            value_iteration = dataclasses.replace(value_iteration, **iterating)
            parts = {"sampling": sampling, "training": training, "value_iteration": value_iteration}
            own, rest = _split(learning, rest)
            learning = dataclasses.replace(learning, **parts, **own)
        if rest:
            why = ": it does not learn" if learning is None else ""
            raise InputError(f"configuration '{self.name}' has no {', '.join(rest)} to change{why}")
        words = " ".join(f"{name}={_text(value)}" for name, value in given.items())
        return Config(f"{self.name} {words}", self.description, search, learning, shorten_share)


@dataclass(frozen=True)
class Portfolio:
    """Several configurations that share the time equally: one after the other, or side by side."""

    name: str
    description: str
    members: tuple[Config, ...]

    def override(self, **options: Any) -> Portfolio:
        members = tuple(member.override(**options) for member in self.members)
        if members == self.members:
            return self
        words = members[0].name.removeprefix(self.members[0].name)
        return Portfolio(self.name + words, self.description, members)


_FIRST_SEARCH = SearchConfig("goalcount", ("o", "no"), "random", goal_orders=True)
_VOICES_SEARCH = SearchConfig(NETWORK, ("nh", "h", "ph", "noh", "o", "no", "*od"), "random", goal_orders=True)


@dataclass(frozen=True)
class Chorus:
    """Rounds that learn from a first search: one voice per goal.

    The `first` search needs nothing learned and ends after `first_generated` successors. Every round after it learns
    voices anew from what it has seen and `search`es with them, for `round_generated` successors, each round `growth`
    times as many. Without `voices` nothing is learned and goal count searches in their place: the control.
    """

    name: str
    description: str
    first: SearchConfig = _FIRST_SEARCH
    first_generated: int = 500_000
    search: SearchConfig = _VOICES_SEARCH
    round_generated: int = 8_000_000
    growth: float = 2.0
    voices: VoicesConfig | None = field(default_factory=VoicesConfig)
    training: TrainingConfig = field(default_factory=lambda: TrainingConfig(hidden=(32,), max_epochs=10))
    shorten_share: float = SHORTEN_SHARE

    def __post_init__(self) -> None:
        if self.first_generated < 1 or self.round_generated < 1:
            raise InputError("a search needs at least one successor to generate")
        if not 1 <= self.growth < math.inf:
            raise InputError(f"rounds grow by {self.growth}; it must be 1 or more")
        if not 0 <= self.shorten_share < math.inf:
            raise InputError(f"the share for shorter plans is {self.shorten_share}; it must be 0 or more")
        if self.first.heuristic == NETWORK or self.search.heuristic != NETWORK:
            raise InputError("the first search needs a heuristic that is not learned, the others voices")
        if len(self.training.hidden) != 1:
            raise InputError(f"voices share one hidden layer, and there are {len(self.training.hidden)}")

    def override(self, **options: Any) -> Chorus:
        """The same with fields of its parts replaced; None changes nothing. Queues are those of the rounds."""
        given = {name: value for name, value in options.items() if value is not None}
        if not given:
            return self
        own, rest = _split(self, given)
        search, rest = _replace(self.search, rest)
        voices, rest = (None, rest) if self.voices is None else _replace(self.voices, rest)
        training, rest = _replace(self.training, rest)
        if rest:
            raise InputError(f"configuration '{self.name}' has no {', '.join(rest)} to change")
        own = {"search": search, "voices": voices, "training": training, **own}
        words = " ".join(f"{name}={_text(value)}" for name, value in given.items())
        return dataclasses.replace(self, name=f"{self.name} {words}", **own)


# Whatever `sing solve` can run.
AnyConfig = Config | Portfolio | Chorus


def _replace(part: Any, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The part with the options that are its fields, and the options that are not."""
    own, rest = _split(part, options)
    return dataclasses.replace(part, **own), rest


def _split(part: Any, options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options that are fields of the part, and options that are not."""
    names = {entry.name for entry in dataclasses.fields(part)}
    own = {name: value for name, value in options.items() if name in names}
    return own, {name: value for name, value in options.items() if name not in names}


def _text(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _learned(
    name: str,
    description: str,
    encoding: str,
    space: str,
    strategy: str,
    loss: str = "re",
    hidden: tuple[int, ...] = (16,),
    nsearches: int = 500,
    nsamples: int = 200,
) -> Config:
    sampling = SamplingConfig(space, strategy, nsearches=nsearches, nsamples=nsamples)
    learning = LearningConfig(encoding, sampling, TrainingConfig(hidden=hidden, loss=loss))
    return Config(name, description, SearchConfig(NETWORK), learning)


# Vector, space, strategy and loss of the paper's fifteen, in its order. Number 10 is printed with the space ei, which
# would repeat number 7; the text says eo.
_ABLATION = (
    ("sas", "eo", "rw", "mse"),
    ("boolean", "eo", "rw", "mse"),
    ("boolean", "eo", "dfs", "mse"),
    ("boolean", "ei", "rw", "mse"),
    ("boolean", "eo", "rw", "re"),
    ("boolean", "r", "rw", "mse"),
    ("boolean", "ei", "dfs", "re"),
    ("sas", "ei", "dfs", "re"),
    ("boolean", "ei", "rw", "re"),
    ("boolean", "eo", "dfs", "re"),
    ("boolean", "ei", "dfs", "mse"),
    ("boolean", "r", "dfs", "re"),
    ("sas", "r", "dfs", "re"),
    ("boolean", "r", "rw", "re"),
    ("boolean", "r", "dfs", "mse"),
)

_SING = _learned("sing", "the paper's SING (C2): regression, depth first, relative error", "boolean", "r", "dfs")
_ALL: tuple[AnyConfig, ...] = (
    Chorus("chorus", "ours: one voice per goal, learned from its own first search and from regression, in rounds"),
    Chorus("chorus-control", "the same searches and rounds with nothing learned", voices=None),
    Config("blind", "uninformed search, first in first out", SearchConfig("blind")),
    Config("goalcount", "greedy best-first search on the number of unsatisfied goals", SearchConfig("goalcount")),
    Config("ff", "greedy best-first search on the FF heuristic", SearchConfig("ff")),
    Config(
        "novelty",
        "goal count, half of the time through novel states first",
        SearchConfig("goalcount", ("o", "no"), "random"),
        shorten_share=SHORTEN_SHARE,
    ),
    Config(
        "ff-novelty",
        "FF and goal count, each with and without novelty, in turns",
        SearchConfig("ff", ("nh", "h", "noh", "o"), "random"),
        shorten_share=SHORTEN_SHARE,
    ),
    _SING,
    dataclasses.replace(_SING, name="c2", description="the same as sing"),
    _learned("c3", "the paper's C3", "sas", "ei", "rw"),
    _learned("c4", "the paper's C4", "boolean", "ei", "dfs", hidden=(64,) * 4),
    _learned("c5", "the paper's C5", "boolean", "ei", "dfs", nsearches=800, nsamples=500),
    _learned("sing-l", "the paper's SING/L, after LHFCP", "sas", "eo", "rw", "mse"),
    Portfolio(
        "sing-re",
        "the paper's SING/RE: half of the time regression, half explicit inverse operators",
        (_SING, _learned("ablation-7", "", "boolean", "ei", "dfs")),
    ),
    _learned(
        "shared-24-puzzle", "the paper's, for one 24-puzzle goal", "boolean", "r", "dfs", "re", (64,) * 4, 200, 200
    ),
    _learned(
        "shared-35-puzzle", "the paper's, for one 35-puzzle goal", "boolean", "r", "dfs", "re", (32,) * 4, 500, 1000
    ),
    _learned(
        "shared-blocks25", "the paper's, for 25 blocks and one goal", "boolean", "ei", "dfs", "re", (16,), 500, 1000
    ),
    _learned("shared-pancake14", "the paper's, for 14 pancakes", "boolean", "ei", "dfs", "re", (64,) * 4, 800, 500),
    Config(
        "shared",
        "ours, for many problems of one search space: value iteration, then search with four queues",
        SearchConfig(NETWORK, ("nh", "h", "noh", "o"), "random"),
        LearningConfig(
            "boolean",
            SamplingConfig("ei", "dfs"),
            TrainingConfig(hidden=(128,), max_epochs=10),
            ValueIterationConfig(iterations=400),
        ),
        SHORTEN_SHARE,
    ),
    *(
        _learned(f"ablation-{number}", "one of the paper's fifteen", *row)
        for number, row in enumerate(_ABLATION, start=1)
    ),
)

CONFIGS: dict[str, AnyConfig] = {config.name: config for config in _ALL}
DEFAULT_CONFIG = "chorus"
# What `sing learn` and `sing sample` start from.
DEFAULT_LEARNING_CONFIG = "sing"
SHARED_CONFIG = "shared"


def get_config(name: str) -> AnyConfig:
    """The configuration of that name. Raises InputError where there is none."""
    try:
        return CONFIGS[name]
    except KeyError:
        raise InputError(f"there is no configuration '{name}'; there are {', '.join(CONFIGS)}") from None


def get_learning_config(name: str) -> Config:
    """The same for one that learns one network. Raises InputError for any other."""
    config = get_config(name)
    if not isinstance(config, Config) or config.learning is None:
        raise InputError(f"configuration '{name}' does not learn one heuristic")
    return config
