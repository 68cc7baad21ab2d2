"""Has Python import `sing` from the folder that SING_PACKAGE names, in child processes too.

An editable installation finds modules before the path is searched, so a place at the front of the path is not enough.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import ModuleSpec, PathFinder


class Finder:
    @staticmethod
    def find_spec(name: str, path: list[str] | None = None, target: object = None) -> ModuleSpec | None:
        if name == "sing":
            return PathFinder.find_spec(name, [os.environ["SING_PACKAGE"]])
        return PathFinder.find_spec(name, path) if name.startswith("sing.") else None


if "SING_PACKAGE" in os.environ:
    sys.meta_path.insert(0, Finder)  # type: ignore[arg-type]
