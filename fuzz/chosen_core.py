"""Puts the core that `make` built with sanitizers in the place of the installed one. To be imported first."""

import os
import sys

if folder := os.environ.get("SING_CORE"):
    sys.path.insert(0, folder)
    import _core

    sys.modules["sing._core"] = _core
    # It is loaded by now. The translator needs no sanitizer, and would not start: it has a limit on its addresses.
    os.environ.pop("LD_PRELOAD", None)
