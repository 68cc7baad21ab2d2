"""The named configurations: the paper's and ours."""

from __future__ import annotations

import dataclasses

from sing.learning.learn import LearningConfig
from sing.learning.teacher import TeacherConfig
from sing.learning.value_iteration import ValueIterationConfig
from sing.networks.training import TrainingConfig
from sing.planners.bootstrap import Bootstrap
from sing.planners.chorus import CHORUS, Chorus
from sing.planners.heuristics import LearnedHeuristic, NamedHeuristic
from sing.planners.on_device import OnDevice
from sing.planners.optimal import Optimal
from sing.planners.planner import Planner
from sing.planners.portfolio import Portfolio
from sing.planners.single import Config
from sing.samples.biss import BissConfig
from sing.samples.sampling import FACTS_PER_EFFECT, SamplingConfig
from sing.search.search import SearchConfig

# Ours make plans shorter; the paper's and the baselines report what the search found.
_SHORTEN_SHARE = 0.1
# Successors of beams after the first plan with a model: about two seconds with the network of `shared`.
_IMPROVE_WORK = 3_000_000


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
    return Config(name, description, LearnedHeuristic(learning))


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

# The ingredients of Bettker et al. (2024), each a field that other configurations can have.
_FSM_SAMPLING = SamplingConfig(
    "r",
    "bfs-rw",
    nsearches=1,
    nsamples=50_000,
    max_depth=FACTS_PER_EFFECT,
    completion="random",
    bfs_share=0.1,
    lower_equals=True,
    lower_successors=True,
    random_share=0.2,
)

_SING = _learned("sing", "the paper's SING (C2): regression, depth first, relative error", "boolean", "r", "dfs")
_ALL: tuple[Planner, ...] = (
    CHORUS,
    Chorus("chorus-control", "the same searches and rounds with nothing learned", voices=None),
    Optimal("optimal", "A* with landmark-cut: a plan that is proved cheapest, for small tasks"),
    Config("blind", "uninformed search, first in first out", NamedHeuristic("blind")),
    Config("goalcount", "greedy best-first search on the number of open goals", NamedHeuristic("goalcount")),
    Config("ff", "greedy best-first search on the FF heuristic", NamedHeuristic("ff")),
    Config("relaxed", "greedy best-first search on one relaxed plan per expansion", NamedHeuristic("relaxed")),
    Config("adjusted", "the same, adjusted to each successor", NamedHeuristic("adjusted")),
    Config("landmarks", "greedy best-first search on landmark count", NamedHeuristic("landmarks"), landmarks=4),
    Config(
        "lama-first",
        "LAMA's first search: landmark count and relaxed plans, preferred operators first",
        NamedHeuristic("relaxed"),
        SearchConfig(("h", "ph", "l", "pl"), goal_orders=True, boost=1000),
        landmarks=4,
    ),
    Config(
        "lama-novelty",
        "the same with queues of novel states and a type-based one",
        NamedHeuristic("relaxed"),
        SearchConfig(("h", "ph", "l", "pl", "nlh", "*hd"), "random", goal_orders=True, boost=1000),
        _SHORTEN_SHARE,
        landmarks=4,
    ),
    Config(
        "novelty",
        "goal count, half of the time through novel states first",
        NamedHeuristic("goalcount"),
        SearchConfig(("o", "no"), "random"),
        _SHORTEN_SHARE,
    ),
    Config(
        "ff-novelty",
        "FF and goal count, each with and without novelty, in turns",
        NamedHeuristic("ff"),
        SearchConfig(("nh", "h", "noh", "o"), "random"),
        _SHORTEN_SHARE,
    ),
    _SING,
    dataclasses.replace(_SING, name="c2", description="the same as sing"),
    _learned("c3", "the paper's C3: inverse operators, random walks, a number per variable", "sas", "ei", "rw"),
    _learned(
        "c4",
        "the paper's C4: inverse operators, depth first, four layers of 64",
        "boolean",
        "ei",
        "dfs",
        hidden=(64,) * 4,
    ),
    _learned(
        "c5",
        "the paper's C5: inverse operators, depth first, four times as many samples",
        "boolean",
        "ei",
        "dfs",
        nsearches=800,
        nsamples=500,
    ),
    _learned(
        "sing-l",
        "the paper's SING/L, after LHFCP: forward operators, random walks, squared error",
        "sas",
        "eo",
        "rw",
        "mse",
    ),
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
        "teacher",
        "after Ferber et al. (2020): FF searches from states of random walks; states along its plans",
        LearnedHeuristic(LearningConfig("boolean", TeacherConfig(), TrainingConfig(hidden=(64, 64), loss="mse"))),
    ),
    Bootstrap(
        "bootstrap",
        "after Arfaee et al. (2011): learns from ever harder problems that the present heuristic solves",
        training=TrainingConfig(hidden=(64, 64), loss="mse"),
    ),
    Config(
        "biss",
        "after Lelis et al. (2016): states of random walks, labels by stratified sampling from both ends",
        LearnedHeuristic(LearningConfig("boolean", BissConfig(), TrainingConfig(hidden=(64, 64), loss="mse"))),
    ),
    Config(
        "fsm",
        "after Bettker et al. (2024): breadth first and random walks by regression, full states, lowered labels",
        LearnedHeuristic(LearningConfig("boolean", _FSM_SAMPLING, TrainingConfig(hidden=(64, 64), loss="mse"))),
    ),
    Config(
        "shared",
        "ours, for many problems of one search space: value iteration, search with four queues, then beams",
        LearnedHeuristic(
            LearningConfig(
                "boolean",
                SamplingConfig("ei", "dfs", consistent_starts=True),
                TrainingConfig(hidden=(128, 16), max_epochs=10),
                ValueIterationConfig(iterations=1500, nsearches=100, nsamples=400),
            )
        ),
        SearchConfig(("nh", "h", "noh", "o"), "random"),
        _SHORTEN_SHARE,
        improve_work=_IMPROVE_WORK,
    ),
    OnDevice(
        "shared-gpu",
        "ours, the same on a GPU through PyTorch: a wide network learns the lengths of walks, then beam search",
        search=SearchConfig(("nh", "h", "noh", "o"), "random"),
        shorten_share=_SHORTEN_SHARE,
        improve_work=_IMPROVE_WORK,
    ),
    *(
        _learned(f"ablation-{number}", f"the paper's number {number} of fifteen: {', '.join(row)}", *row)
        for number, row in enumerate(_ABLATION, start=1)
    ),
)

CONFIGS: dict[str, Planner] = {config.name: config for config in _ALL}
