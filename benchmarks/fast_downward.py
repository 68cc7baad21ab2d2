"""Fast Downward's search binary, from the up-fast-downward wheel: what we measure ourselves against."""

from __future__ import annotations

import re
import subprocess
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path


@dataclass(frozen=True)
class Run:
    exit_code: int
    log: str

    @property
    def is_solvable(self) -> bool | None:
        """None where the search ended without an answer."""
        return {0: True, 11: False}.get(self.exit_code)

    def number(self, pattern: str) -> float:
        """The first group of `pattern` in the log."""
        match = re.search(pattern, self.log)
        if not match:
            raise ValueError(f"Fast Downward printed no '{pattern}':\n{self.log[-2000:]}")
        return float(match[1])


def binary() -> Path:
    spec = find_spec("up_fast_downward")
    if not spec or not spec.origin:
        raise ModuleNotFoundError("up-fast-downward is not installed; it is in the extras bench and test")
    return Path(spec.origin).parent / "downward" / "builds" / "release" / "bin" / "downward"


def greedy_search(sas: str, heuristic: str, time_limit_s: float) -> Run:
    """Eager greedy best-first search with unit costs on a translated task."""
    search = f"eager_greedy([{heuristic}()], cost_type=one, max_time={time_limit_s})"
    with tempfile.TemporaryDirectory() as folder:
        command = [str(binary()), "--internal-plan-file", str(Path(folder, "plan")), "--search", search]
        done = subprocess.run(command, input=sas, capture_output=True, text=True, check=False)
    return Run(done.returncode, done.stdout)
