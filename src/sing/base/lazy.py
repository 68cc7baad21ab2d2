"""NumPy, imported when it is used first: it takes half of the start of a run that may need none of it."""

from __future__ import annotations

import importlib
import sys
import threading
from types import ModuleType
from typing import Any

_NAME = "numpy"


class _LazyModule(ModuleType):
    """Stands for a module and has its names from their first use on. Several threads may come first."""

    _lock = threading.RLock()

    def __getattr__(self, name: str) -> Any:
        with self._lock:
            if sys.modules.get(_NAME) is self:
                del sys.modules[_NAME]
                try:
                    self.__dict__.update(importlib.import_module(_NAME).__dict__)
                except BaseException:
                    sys.modules[_NAME] = self
                    raise
        return getattr(sys.modules[_NAME], name)


def delay_numpy() -> None:
    """From now on `import numpy` gives a module that is imported when a name of it is used."""
    sys.modules.setdefault(_NAME, _LazyModule(_NAME))
