"""Runs what uses threads with 4 jobs, for ThreadSanitizer: solve, sample, learn, batch and anytime.

    make sanitize SANITIZER=thread

Every race is printed as it happens, and makes the exit code 66 at the end.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

if folder := os.environ.get("SING_CORE"):
    sys.path.insert(0, folder)
    import _core

    sys.modules["sing._core"] = _core

from fuzzer import CORPUS, run_command

JOBS = ["--jobs", "4", "--memory-limit", "6G"]
SHORT = ["--time-limit", "20"]
FEW = ["--nsearches", "8", "--nsamples", "40"]


def commands(tasks: Path, output: Path) -> list[list[str]]:
    sas = [str(file) for name in ("blocks", "delivery", "doors") for file in [tasks / f"sas/{name}/task.sas"]]
    pddl = [str(tasks / "pddl/gripper" / name) for name in ("domain.pddl", "problem.pddl")]
    plan, model = ["--plan-file", str(output / "plan")], str(output / "model.onnx")
    rounds = ["--set", "first_generated=2", "--set", "round_generated=20", "--set", "num_completed=50"]
    return [
        *(["solve", task, *JOBS, *SHORT, *plan] for task in sas),
        *(["solve", task, *JOBS, *SHORT, *plan, *rounds] for task in sas),
        *(["solve", task, "--config", "sing-re", *JOBS, *SHORT, *plan, *FEW] for task in sas),
        *(["sample", task, "--config", name, *JOBS, *SHORT, *FEW] for task in sas for name in ("sing", "c4", "sing-l")),
        *(["learn", sas[0], "--config", name, *JOBS, *SHORT, *FEW, "--output", model] for name in ("sing", "c4")),
        ["learn", sas[0], "--shared", *JOBS, *SHORT, *FEW, "--set", "iterations=3", "--output", model],
        ["solve", sas[0], "--model", model, *JOBS, *SHORT, *plan],
        ["solve", pddl[0], *_copies(pddl[1], output, 8), *JOBS, *SHORT, *plan],
        *(["solve", task, "--anytime", *JOBS, "--time-limit", "5", *plan] for task in sas),
        # Out of time and out of memory, in all threads at once.
        ["solve", sas[1], *JOBS, "--time-limit", "0.01", *plan],
    ]


def _copies(problem: str, output: Path, count: int) -> list[str]:
    names = [str(output / f"p{number}.pddl") for number in range(count)]
    for name in names:
        Path(name).write_text(Path(problem).read_text())
    return names


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        todo = commands(CORPUS, Path(name))
        for number, arguments in enumerate(todo, start=1):
            code, _, err = run_command(arguments)
            print(f"{number}/{len(todo)} exit code {code}: sing {' '.join(arguments)}", flush=True)
            if code not in (0, 11, 12, 22, 23):
                sys.exit(f"unexpected: {err}")


if __name__ == "__main__":
    main()
