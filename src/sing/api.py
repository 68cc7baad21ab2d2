"""The public interface: `import sing` gives all of these names, and imports this file when the first is used."""

from sing.base.budget import Budget
from sing.base.errors import InputError, PddlError, PlanError, SasError, SingError, UnsupportedError
from sing.base.outcome import Status
from sing.base.reporter import Reporter
from sing.base.version import own_version
from sing.learning.learn import LearningConfig
from sing.networks.model import Model
from sing.networks.training import TrainingConfig
from sing.planners.chorus import Chorus
from sing.planners.configs import CONFIGS, get_config
from sing.planners.planner import Planner
from sing.planners.portfolio import Portfolio
from sing.planners.single import Config
from sing.run.results import LearnResult, SolveResult
from sing.run.solve import learn, solve
from sing.samples.samples import Samples
from sing.samples.sampling import SamplingConfig, sample
from sing.search.search import SearchConfig
from sing.task.plan import Plan
from sing.task.task import Task

__version__ = own_version()

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
    "Planner",
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
