"""Shared set-up of the tests."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import Phase, settings

# `make sanitize` names the folder of a core built with sanitizers, to be tested instead.
if folder := os.environ.get("SING_CORE"):
    sys.path.insert(0, folder)
    import _core

    sys.modules["sing._core"] = _core

# PyTorch's threads wait for each other by turning round and round; beside other processes that takes a hundred times as
# long. Read when it is first imported, here and in child processes.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# The same examples on every run, so that a failure is never a matter of luck.
settings.register_profile("sing", derandomize=True, deadline=None, max_examples=200)
# `make mutants` needs to know that an example fails, and not which is the smallest that does.
settings.register_profile("mutant", settings.get_profile("sing"), phases=(Phase.explicit, Phase.generate))
settings.load_profile("mutant" if "SING_MUTANT" in os.environ else "sing")


@pytest.fixture(scope="session")
def benchmarks() -> Path:
    """The folder of IPC domains named by DOWNWARD_BENCHMARKS."""
    folder = os.environ.get("DOWNWARD_BENCHMARKS")
    if not folder:
        pytest.skip("DOWNWARD_BENCHMARKS names no folder of IPC domains")
    return Path(folder)


@pytest.fixture(scope="session")
def puzzle(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The files of an 8-puzzle."""
    from pddl import write

    from sing.translate import generators

    family = generators.npuzzle(3, 3, seed=1)
    return write(tmp_path_factory.mktemp("puzzle"), family.domain, family.problems[0])


@pytest.fixture
def recorder():
    """A reporter that keeps what a run tells of its phases when they are done."""
    from sing.base.reporter import Reporter  # not before the core is chosen

    class Recorder(Reporter):
        def __init__(self) -> None:
            self.phases: list[tuple[str, str]] = []

        def done(self, phase: str, time_s: float, summary: str) -> None:
            self.phases.append((phase, summary))

    return Recorder()
