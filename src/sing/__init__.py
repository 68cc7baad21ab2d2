"""sing: a planner that teaches itself its heuristic.

>>> import sing
>>> result = sing.solve("domain.pddl", "problem.pddl", time_limit_s=60)  # doctest: +SKIP
>>> print(result.plan.to_ipc())  # doctest: +SKIP
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # that of `typing`, which takes longer to import than all of this
if TYPE_CHECKING:
    from typing import Any

    from sing.api import *  # noqa: F403
    from sing.api import __version__ as __version__

_OWN_DUNDERS = ("__all__", "__version__")


def __getattr__(name: str) -> Any:
    """The names of the public interface, imported when one is used: the command line handles signals before that."""
    if not name.startswith("_") or name in _OWN_DUNDERS:
        api = importlib.import_module("sing.api")
        if name in (*_OWN_DUNDERS, *api.__all__):
            return getattr(api, name)
    raise AttributeError(f"module 'sing' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *importlib.import_module("sing.api").__all__})
