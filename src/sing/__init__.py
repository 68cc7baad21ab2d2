"""sing: a planner that teaches itself its heuristic.

>>> import sing
>>> result = sing.solve("domain.pddl", "problem.pddl", time_limit_s=60)  # doctest: +SKIP
>>> print(result.plan.to_ipc())  # doctest: +SKIP
"""

from importlib.metadata import version

from sing.budget import Budget
from sing.configs import CONFIGS, Chorus, Config, LearningConfig, Portfolio, get_config
from sing.errors import InputError, PddlError, PlanError, SasError, SingError, UnsupportedError
from sing.model import Model
from sing.outcome import Status
from sing.plan import Plan
from sing.planner import learn, solve
from sing.reporter import Reporter
from sing.results import LearnResult, SolveResult
from sing.sampling import Samples, SamplingConfig, sample
from sing.search import SearchConfig
from sing.task import Task
from sing.training import TrainingConfig

__version__ = version("sing-planner")

__all__ = [
    "CONFIGS",
    "Budget",
    "Chorus",
    "Config",
    "InputError",
    "LearnResult",
    "LearningConfig",
    "Model",
    "PddlError",
    "Plan",
    "PlanError",
    "Portfolio",
    "Reporter",
    "Samples",
    "SamplingConfig",
    "SasError",
    "SearchConfig",
    "SingError",
    "SolveResult",
    "Status",
    "Task",
    "TrainingConfig",
    "UnsupportedError",
    "get_config",
    "learn",
    "sample",
    "solve",
]
