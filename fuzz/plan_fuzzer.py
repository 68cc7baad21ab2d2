"""Fuzzes plan files: `sing validate` against a verdict of its own."""

from __future__ import annotations

import random
import re
from pathlib import Path

from fuzzer import Case, Fault, Fuzzer, run_command
from mutations import mutated_bytes, mutated_lines
from plan_model import is_valid, read_steps
from sas_model import Malformed, read_sas

_VERDICTS = {0: "valid", 1: "not valid", 36: "malformed"}


class PlanFuzzer(Fuzzer):
    name = "plan"

    def mutated(self, case: Case, other: Case, rng: random.Random) -> Case:
        plan = case["plan"]
        kind = rng.random()
        if kind < 0.1:
            return {**case, "plan": mutated_bytes(plan, other["plan"], rng)}
        text = plan.decode(errors="replace")
        if kind < 0.25:
            return {**case, "plan": mutated_lines(text, other["plan"].decode(), rng).encode(errors="replace")}
        lines = text.split("\n")
        names = [operator.name for operator in read_sas(case["task.sas"].decode()).operators]
        for _ in range(rng.choice((1, 1, 2, 3))):
            _change_steps(lines, names, rng)
        if rng.random() < 0.6:
            lines = _stamped(lines, rng)
        return {**case, "plan": "\n".join(lines).encode(errors="replace")}

    def run(self, case: Case, folder: Path) -> str:
        arguments = ["validate", str(folder / "task.sas"), str(folder / "plan"), "--time-limit", "20"]
        code, _, _ = run_command([*arguments, "--memory-limit", "8G"])
        if code not in _VERDICTS:
            raise Fault(f"exit code {code}")
        text = case["plan"].decode(errors="replace")
        # What counts as a space or a digit beyond ASCII is nobody's promise.
        if not re.fullmatch(r"[ -~\n\t\r]*", text):
            return "beyond ASCII"
        expected = _verdict(case["task.sas"].decode(), text)
        if expected is not None and _VERDICTS[code] != expected:
            raise Fault(f"the plan is {expected}, and validate says that it is {_VERDICTS[code]}")
        return _VERDICTS[code]


def _verdict(sas: str, text: str) -> str | None:
    """What a plan is; None where finding out would take too long."""
    try:
        steps = read_steps(text)
    except Malformed:
        return "malformed"
    verdict = is_valid(read_sas(sas), steps)
    return None if verdict is None else "valid" if verdict else "not valid"


def _change_steps(lines: list[str], names: list[str], rng: random.Random) -> None:
    """Move, repeat, remove, replace or rewrite a step; mostly it stays one."""
    position = rng.randrange(len(lines) + 1)
    kind = rng.randrange(7)
    if kind == 0:
        lines.insert(position, f"({rng.choice(names)})")
    elif not lines:
        return
    elif kind == 1:
        del lines[position - 1]
    elif kind == 2:
        lines.insert(position, lines[position - 1])
    elif kind == 3:
        other = rng.randrange(len(lines))
        lines[position - 1], lines[other] = lines[other], lines[position - 1]
    elif kind == 4:
        lines[position - 1] = lines[position - 1].upper()
    elif kind == 5:
        lines[position - 1] = rng.choice(("  {}", "{} ; why", "{} [1]", "{}\r", "\t{}")).format(lines[position - 1])
    else:
        lines[position - 1] = lines[position - 1].replace(" ", "  ").replace("(", "( ")


def _stamped(lines: list[str], rng: random.Random) -> list[str]:
    """Time stamps before steps that have none: rising, falling, equal, close together, at random or for some."""
    kind = rng.randrange(6)
    stamped = []
    for number, line in enumerate(lines):
        stamp = (
            f"{number}",
            f"{len(lines) - number}.0",
            "0",
            f"{number / 250:.3f}",
            f"{rng.randrange(4)}.5",
            f"{number}e{rng.randrange(2)}" if rng.random() < 0.5 else "",
        )[kind]
        is_step = line.lstrip().startswith("(") and stamp
        stamped.append(f"{stamp}{rng.choice((':', ': ', ' : '))}{line.lstrip()}" if is_step else line)
    if kind == 1 and rng.random() < 0.5:
        stamped.reverse()  # rising again, but for the order of what has no stamp
    return stamped
