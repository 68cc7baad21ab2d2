"""Fast Downward's search binary, from the up-fast-downward wheel."""

from __future__ import annotations

import subprocess
from importlib.util import find_spec
from pathlib import Path


def binary() -> Path:
    spec = find_spec("up_fast_downward")
    assert spec and spec.origin
    return Path(spec.origin).parent / "downward" / "builds" / "release" / "bin" / "downward"


def is_solvable(sas: str, folder: Path, heuristic: str, time_limit_s: int) -> bool | None:
    """Whether a plan exists; None where the time does not suffice to tell."""
    search = f"eager_greedy([{heuristic}()], cost_type=one, max_time={time_limit_s})"
    command = [str(binary()), "--search", search, "--internal-plan-file", str(folder / "fd_plan")]
    done = subprocess.run(command, input=sas, capture_output=True, text=True, check=False)
    return {0: True, 11: False}.get(done.returncode)
