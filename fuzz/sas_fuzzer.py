"""Fuzzes SAS files: what is read, and how small tasks are solved under small limits."""

from __future__ import annotations

import random
import time
import zlib
from functools import cache
from pathlib import Path

from fuzzer import Case, Fault, Fuzzer, check_length
from mutations import mutated_bytes, mutated_lines
from sas_model import Malformed, SasTask, read_sas
from sas_mutations import mutated_task

import sing
from sing.base.budget import current_memory_bytes

_FEW = {"nsearches": 4, "nsamples": 10, "max_epochs": 2}
CONFIGS = {
    "chorus": sing.CONFIGS["chorus"].override(
        first_generated=10,
        round_generated=200,
        num_completed=50,
        max_steps=2000,
        hidden=(8,),
        max_epochs=2,
        shorten_share=0,
    ),
    "ff": sing.CONFIGS["ff"],
    "ff, all keys": sing.CONFIGS["ff"].override(queues=("noh", "ph", "*od", "dn", "*hnp"), ties="random"),
    "novelty": sing.CONFIGS["novelty"],
    "sing": sing.CONFIGS["sing"].override(**_FEW),
    "c3": sing.CONFIGS["c3"].override(**_FEW),
    "c4": sing.CONFIGS["c4"].override(**_FEW, hidden=(8, 8)),
    "sing-l": sing.CONFIGS["sing-l"].override(**_FEW),
    "shared": sing.CONFIGS["shared"].override(
        **_FEW, hidden=(4,), shorten_share=0, **{"value_iteration.iterations": 1}
    ),
}
# The short ones end a run in whatever it is doing.
_TIMES_S = (0.2, 0.2, 0.02, 0.001)
# Sanitizers make everything slow, and others may use the machine: only what is far off counts.
MAX_OVERRUN_S = 10
# Above what the process holds.
_MEMORY_BYTES = (6 << 20, 24 << 20, 1 << 30)
# Of the search that looks whether there is really no plan.
_MAX_STEPS = 30_000


class SasFuzzer(Fuzzer):
    name = "sas"

    def mutated(self, case: Case, other: Case, rng: random.Random) -> Case:
        data, second = case["task.sas"], other["task.sas"]
        kind = rng.random()
        if kind < 0.6:
            try:
                task = mutated_task(_read(data), _read(second), rng)
                return {"task.sas": task.to_text().encode(errors="replace")}
            except Malformed:
                pass  # what came through new places need not be a task
        if kind < 0.85:
            text = mutated_lines(data.decode(errors="replace"), second.decode(errors="replace"), rng)
            return {"task.sas": text.encode(errors="replace")}
        return {"task.sas": mutated_bytes(data, second, rng)}

    def run(self, case: Case, folder: Path) -> str:
        text = case["task.sas"].decode(errors="replace")
        try:
            model = read_sas(text)
        except Malformed as reason:
            _must_be_refused(text, str(reason))
            return "refused"
        sing.Task.from_sas(text)
        if "\r" in text:  # a file's lines may end so, too, and then the numbers of lines are others
            return "read"
        return _solve(model, folder / "task.sas", zlib.crc32(case["task.sas"]))


@cache
def _read(data: bytes) -> SasTask:
    """What a member of the corpus says; each is used many times."""
    return read_sas(data.decode(errors="replace"))


def _must_be_refused(text: str, reason: str) -> None:
    try:
        sing.Task.from_sas(text)
    except sing.SasError as error:
        check_length(str(error))
    else:
        raise Fault(f"it reads what is not a task: {reason}")


def _solve(model: SasTask, file: Path, choice: int) -> str:
    name = sorted(CONFIGS)[choice % len(CONFIGS)]
    memory_bytes = current_memory_bytes() + _MEMORY_BYTES[choice // 16 % len(_MEMORY_BYTES)]
    time_s = _TIMES_S[choice // 1024 % len(_TIMES_S)]
    jobs = 2 if choice // 64 % 16 == 0 else 1
    start_s = time.monotonic()
    try:
        result = sing.solve(
            file, config=CONFIGS[name], time_limit_s=time_s, memory_limit_bytes=memory_bytes, jobs=jobs,
            seed=choice % 7,
        )  # fmt: skip
    except sing.UnsupportedError as error:
        if model.has_fixed_effects:
            raise Fault(f"it does not support what it should: {error}") from None
        return "unsupported"
    except sing.InputError as error:
        check_length(str(error))
        return "refused to solve"
    elapsed_s = time.monotonic() - start_s
    if elapsed_s > time_s + MAX_OVERRUN_S:
        raise Fault(f"{name} took {elapsed_s:.1f} s at a limit of {time_s} s")
    if result.plan is not None:
        costs = model.plan_costs(result.plan.operators)
        if result.plan.cost not in costs:
            raise Fault(f"{name} gives a plan of cost {result.plan.cost} that is not one: {costs or 'it fails'}")
    elif result.status is sing.Status.UNSOLVABLE and model.has_plan(_MAX_STEPS):
        raise Fault(f"{name} says that there is no plan, and there is one")
    return result.status.words
