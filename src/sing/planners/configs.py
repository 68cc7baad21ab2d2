"""Configurations by name. The catalog has all planners and takes long to import; most runs need the default alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sing.base.errors import InputError
from sing.base.names import unknown
from sing.planners.chorus import CHORUS
from sing.planners.planner import Planner

if TYPE_CHECKING:
    from sing.planners.catalog import CONFIGS as CONFIGS

DEFAULT_CONFIG = CHORUS.name
# What `sing learn` and `sing sample` start from.
DEFAULT_LEARNING_CONFIG = "sing"
SHARED_CONFIG = "shared"
# What searches with a model on a device that is named.
DEVICE_CONFIG = "shared-gpu"


def __getattr__(name: str) -> Any:
    """CONFIGS, imported when it is used."""
    if name != "CONFIGS":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from sing.planners.catalog import CONFIGS

    return CONFIGS


def get_config(name: str) -> Planner:
    """The configuration of that name. Raises InputError where there is none."""
    if name == DEFAULT_CONFIG:
        return CHORUS
    from sing.planners.catalog import CONFIGS

    if name not in CONFIGS:
        raise InputError(unknown("configuration", name, CONFIGS))
    return CONFIGS[name]
