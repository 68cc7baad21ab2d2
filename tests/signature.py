"""The signature: what fixed runs of every family of planners do, counted.

    python tests/signature.py            print it
    python tests/signature.py --update   print it and make it the expected one

Work is counted and no clock is looked at; seeds are fixed, and networks are computed by the kernels that every
x86-64 has. So the table is the same on every such machine, and it changes exactly where what is sampled, trained or
searched changes. `signature.txt` holds the expected table; tests/test_signature.py compares.
"""

from __future__ import annotations

import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from puzzles import sliding_tiles_sas
from small_tasks import SMALL_TASKS

import sing
from sing._core import testing

# Of the runs that end in a plan; lines on samples and training have their own.
HEADER = (
    "# family, task, status, checksum of the plan, its length, states expanded, evaluated, generated and registered, "
    "samples, epochs, rounds of value iteration, restarts, first estimate"
)
EXPECTED = Path(__file__).with_name("signature.txt")
SEED = 1
# So much of both that nothing ends early; some numbers of samples follow the memory limit.
LIMITS = {"time_limit_s": 1e6, "memory_limit_bytes": 4 << 30}

# Searches that end before they find a plan, so that rounds follow; two successors teach next to nothing.
NO_WINDOWS = {"windows_share": 0.0, "windows_work": 0}
SHORT_ROUNDS = {"first_generated": 400, "round_work": 6000, **NO_WINDOWS}
NO_FIRST_SEARCH = {"first_generated": 2, "round_work": 400, "num_completed": 3000, **NO_WINDOWS}
FEW_PROBLEMS = {"num_problems": 20, "min_solved": 8, "first_work": 500, "max_rounds": 3}
FEW_SAMPLES = {"nsearches": 20, "nsamples": 100}
SEARCHES: dict[str, sing.Planner] = {
    "chorus": sing.CONFIGS["chorus"].override(**SHORT_ROUNDS),
    "chorus, later rounds": sing.CONFIGS["chorus"].override(**NO_FIRST_SEARCH),
    "chorus, windows": sing.CONFIGS["chorus"].override(windows_share=0.0, windows_work=100_000),
    "control": sing.CONFIGS["chorus-control"].override(**SHORT_ROUNDS),
    "goalcount": sing.CONFIGS["goalcount"].override(shorten_share=0.01),
    "ff": sing.CONFIGS["ff"],
    "ff, all keys": sing.CONFIGS["ff"].override(queues=("noh", "ph", "*od", "dn", "*hnp"), ties="random"),
    "novelty": sing.CONFIGS["novelty"],
    "ff, beam": sing.CONFIGS["ff"].override(algorithm="beam", width=8),
    "goalcount, then beams": sing.CONFIGS["goalcount"].override(improve_work=20_000),
    "optimal": sing.CONFIGS["optimal"],
}
# A network learned from few samples finds no plan for the larger tasks.
LEARNING_TASKS = ("tiles 3", "blocks 6", "delivery 8", "hanoi 6", "doors 8")
# Searches that take minutes.
LONG = {
    ("goalcount", "blocks 20"),
    ("goalcount, then beams", "blocks 20"),
    *((name, "delivery 8") for name in ("c3", "sing-l", "teacher", "biss")),
    *(("optimal", task) for task in ("tiles 4", "blocks 12", "blocks 20", "delivery 20")),
}
LEARNERS = {
    "sing": sing.CONFIGS["sing"].override(**FEW_SAMPLES),
    "sing-re": sing.CONFIGS["sing-re"].override(**FEW_SAMPLES),
    "c3": sing.CONFIGS["c3"].override(**FEW_SAMPLES),
    "c4": sing.CONFIGS["c4"].override(**FEW_SAMPLES, max_epochs=4),
    "sing-l": sing.CONFIGS["sing-l"].override(**FEW_SAMPLES),
    "teacher": sing.CONFIGS["teacher"].override(num_starts=30, max_steps=40, hidden=(16,), max_epochs=10),
    "bootstrap": sing.CONFIGS["bootstrap"].override(**FEW_PROBLEMS, hidden=(16,), max_epochs=5),
    "biss": sing.CONFIGS["biss"].override(num_starts=300, max_steps=30, hidden=(16,), max_epochs=10),
    "fsm": sing.CONFIGS["fsm"].override(nsamples=2000, hidden=(16,), max_epochs=10),
}
REFINED = {"lower_equals": True, "lower_successors": True, "random_share": 0.2}
SAMPLINGS = {
    "r dfs": sing.SamplingConfig("r", "dfs", nsearches=20, nsamples=50),
    "r dfs completed": sing.SamplingConfig("r", "dfs", nsearches=20, nsamples=50, completion="walk"),
    "r rw generated": sing.SamplingConfig("r", "rw", "generated", 20, 50, "facts", "random"),
    "ei dfs generated": sing.SamplingConfig("ei", "dfs", "generated", 20, 50, min_label=True),
    "ei rw": sing.SamplingConfig("ei", "rw", nsearches=20, nsamples=50, max_depth=7),
    "r bfs-rw refined": sing.SamplingConfig("r", "bfs-rw", "expanded", 1, 1000, "facts", "random", **REFINED),
    "eo dfs": sing.SamplingConfig("eo", "dfs", nsearches=20, nsamples=50, consistent_starts=True),
}
OTHER_BOARDS = {
    "tiles 3, near": [1, 4, 2, 3, 0, 5, 6, 7, 8],
    "tiles 3, far": [8, 0, 6, 5, 4, 7, 2, 3, 1],
    "tiles 3, turned": [3, 1, 2, 6, 4, 5, 7, 8, 0],
}


def rows() -> Iterator[str]:
    """A line for each run: what ran, on which task, and what was counted."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for task, make in SMALL_TASKS.items():
            (folder / task).write_text(make())
        for configs, tasks in ((SEARCHES, SMALL_TASKS), (LEARNERS, LEARNING_TASKS)):
            for family, config in configs.items():
                for task in tasks:
                    if (family, task) not in LONG:
                        yield row(family, task, solve(folder / task, config=config))
        for how, sampling in SAMPLINGS.items():
            yield from (row(f"sample {how}", task, sample(folder / task, sampling)) for task in LEARNING_TASKS)
        yield from shared_space(folder)


def row(family: str, task: str, counts: str) -> str:
    return f"{family:<23} {task:<18} {counts}"


def checksum(data: bytes) -> str:
    return f"{zlib.crc32(data):08x}"


def solve(task: Path, **options: object) -> str:
    result = sing.solve(task, seed=SEED, **LIMITS, **options)
    numbers = result.to_json()
    keys = ("plan_length", "expanded", "evaluated", "generated", "registered_states")
    keys += ("num_samples", "num_epochs", "num_rounds", "num_restarts", "initial_estimate")
    plan = checksum(result.plan.to_ipc().encode()) if result.plan else "-"
    return " ".join([result.status.value, plan, *(str(numbers[key]) for key in keys)])


def sample(task: Path, config: sing.SamplingConfig) -> str:
    samples = sing.sample(sing.Task.from_sas(task.read_text()), config, seed=SEED)
    summary = samples.summary()
    numbers = (summary.num_samples, summary.num_unique, summary.num_dead_ends, summary.num_redraws)
    states = checksum(np.ascontiguousarray(samples.values).tobytes() + samples.labels.tobytes())
    return " ".join([states, *map(str, numbers), f"{samples.labels.sum():.0f}"])


def shared_space(folder: Path) -> Iterator[str]:
    """Learn once by value iteration, then solve other problems of the space with the model."""
    config = sing.CONFIGS["shared"].override(
        **FEW_SAMPLES, hidden=(32, 16), max_epochs=5, **{"value_iteration.iterations": 3}
    )
    learned = sing.learn(folder / "tiles 3", config=config, seed=SEED, **LIMITS)
    assert learned.learned is not None and learned.model is not None
    training = learned.learned.training
    weights = checksum(b"".join(array.tobytes() for layer in learned.model.layers for array in layer))
    losses = " ".join(f"{loss.training:.6g} {loss.validation:.6g}" for loss in training.losses)
    yield row("learn shared", "tiles 3", f"{weights} {training.num_samples} {learned.learned.num_iterations} {losses}")
    learned.model.save(folder / "model.onnx")
    for name, board in OTHER_BOARDS.items():
        (folder / name).write_text(sliding_tiles_sas(3, board=board))
        yield row("solve shared", name, solve(folder / name, model=folder / "model.onnx"))


def main() -> None:
    testing.select_kernels("baseline")
    text = HEADER + "\n"
    print(HEADER, flush=True)
    for line in rows():
        print(line, flush=True)
        text += line + "\n"
    last = f"signature {checksum(text.encode())}\n"
    print(last, end="")
    if "--update" in sys.argv[1:]:
        EXPECTED.write_text(text + last)


if __name__ == "__main__":
    main()
