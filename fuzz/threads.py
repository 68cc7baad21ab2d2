"""Runs what uses threads with 4 jobs, for ThreadSanitizer: solve, sample, learn, batch and anytime.

    make sanitize SANITIZER=thread

Every race is printed as it happens, and makes the exit code 66 at the end.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import chosen_core  # noqa: F401
from fuzzer import CORPUS, run_command

from sing.translate import generators

JOBS = ["--jobs", "4", "--memory-limit", "6G"]
SHORT = ["--time-limit", "20"]
FEW = ["--nsearches", "40", "--nsamples", "50"]


def commands(output: Path) -> list[list[str]]:
    """Tasks that are solved in an instant, and two that keep all threads busy for a while."""
    tasks = [[str(CORPUS / "sas" / name / "task.sas")] for name in ("blocks", "doors")]
    tasks += [_written(generators.blocks(9, count=8), output / "blocks")[:2]]
    tasks += [_written(generators.npuzzle(3, 3), output / "tiles")]
    large = _written(generators.npuzzle(6, 6), output / "large")
    plan, model = ["--plan-file", str(output / "plan")], str(output / "model.onnx")
    rounds = ["--set", "first_generated=100", "--set", "round_work=2000", "--set", "num_completed=200"]
    return [
        *(["solve", *task, *JOBS, *SHORT, *plan] for task in tasks),
        *(["solve", *task, *JOBS, *SHORT, *plan, *rounds] for task in tasks),
        *(["solve", *task, "--config", "sing-re", *JOBS, *SHORT, *plan, *FEW] for task in tasks),
        *(
            ["sample", *task, "--config", name, *JOBS, *SHORT, *FEW]
            for task in tasks
            for name in ("sing", "c4", "sing-l")
        ),
        *(["learn", *tasks[3], "--config", name, *JOBS, *SHORT, *FEW, "--output", model] for name in ("sing", "c4")),
        [
            "learn",
            *tasks[3],
            "--shared",
            *JOBS,
            *SHORT,
            *FEW,
            "--set",
            "value_iteration.iterations=3",
            "--output",
            model,
        ],
        ["solve", *tasks[3], "--model", model, *JOBS, *SHORT, *plan],
        ["solve", *_written(generators.blocks(9, count=8), output / "blocks"), *JOBS, *SHORT, *plan],
        *(["solve", *task, "--anytime", *JOBS, "--time-limit", "5", *plan] for task in tasks),
        # All threads run out of time or memory at once.
        ["solve", *large, *JOBS, "--config", "sing-re", "--time-limit", "4", *plan],
        ["solve", *large, "--jobs", "4", "--memory-limit", "200M", *SHORT, *plan],
    ]


def _written(family: generators.Family, folder: Path) -> list[str]:
    """The files of a domain and its problems."""
    folder.mkdir(exist_ok=True)
    texts = {"domain": family.domain, **{f"p{number}": text for number, text in enumerate(family.problems)}}
    for name, text in texts.items():
        (folder / f"{name}.pddl").write_text(text)
    return [str(folder / f"{name}.pddl") for name in texts]


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        todo = commands(Path(name))
        for number, arguments in enumerate(todo, start=1):
            code, _, err = run_command(arguments)
            print(f"{number}/{len(todo)} exit code {code}: sing {' '.join(arguments)}", flush=True)
            if code not in (0, 11, 12, 22, 23):
                sys.exit(f"unexpected: {err}")


if __name__ == "__main__":
    main()
