"""Fuzzes pairs of PDDL domain and problem through the command line: exit codes, messages and plans."""

from __future__ import annotations

import random
import re
import zlib
from pathlib import Path

from fuzzer import Case, Fault, Fuzzer, run_command
from mutations import WORDS, mutated_bytes, mutated_word
from sas_model import read_sas

from sing.base.budget import Budget
from sing.translate.translator import translate_to_sas

CONFIGS = ("chorus", "ff", "novelty", "blind")
# Exit codes of an input's faults and of the ends of planning; 32 would be an internal error.
_EXPECTED_CODES = {0, 11, 12, 22, 23, 31, 33, 34, 36}
_MAX_STEPS = 30_000
NAMES = ("domain.pddl", "problem.pddl")

Tree = str | list["Tree"]


class PddlFuzzer(Fuzzer):
    name = "pddl"

    def mutated(self, case: Case, other: Case, rng: random.Random) -> Case:
        name = rng.choice(NAMES)
        if rng.random() < 0.15:
            return {**case, name: mutated_bytes(case[name], other[name], rng)}
        tree, donor = (read_tree(item[name].decode(errors="replace")) for item in (case, other))
        for _ in range(rng.choice((1, 1, 2, 3))):
            change_tree(tree, donor, rng)
        return {**case, name: " ".join(write_tree(item) for item in tree).encode(errors="replace")}

    def run(self, case: Case, folder: Path) -> str:
        choice = zlib.crc32(case["domain.pddl"] + case["problem.pddl"])
        plan_file = folder / "sas_plan"
        plan_file.unlink(missing_ok=True)
        code, _, _ = run_command(
            ["solve", *(str(folder / name) for name in NAMES), "--config", CONFIGS[choice % len(CONFIGS)],
             "--plan-file", str(plan_file), "--time-limit", "2", "--memory-limit", "8G", "--seed", str(choice % 7)]
        )  # fmt: skip
        if code not in _EXPECTED_CODES:
            raise Fault(f"exit code {code}")
        if code == 0:
            self.check_plan(plan_file, folder)
        elif plan_file.exists():
            raise Fault(f"a plan file with exit code {code}")
        if code == 11 and read_sas(translation(folder)).has_plan(_MAX_STEPS):
            raise Fault("it says that there is no plan, and there is one")
        return f"exit code {code}"

    def check_plan(self, plan_file: Path, folder: Path) -> None:
        names = re.findall(r"^\((.*)\)$", plan_file.read_text(), re.MULTILINE)
        if not read_sas(translation(folder)).plan_costs(names):
            raise Fault("the plan fails")


def translation(folder: Path) -> str:
    """The task of the PDDL in the folder."""
    return translate_to_sas(*(folder / name for name in NAMES), Budget(60, 8 << 30))


def read_tree(text: str) -> list[Tree]:
    """The lists and words of a PDDL file; parentheses too many or too few are made up for."""
    root: list[Tree] = []
    stack = [root]
    for token in re.findall(r"[()]|[^\s()]+", re.sub(r";[^\n]*", " ", text)):
        if token == "(":
            stack[-1].append(inner := [])
            stack.append(inner)
        elif token != ")":
            stack[-1].append(token)
        elif len(stack) > 1:
            stack.pop()
    return root


def write_tree(tree: Tree) -> str:
    return tree if isinstance(tree, str) else f"({' '.join(map(write_tree, tree))})"


def _lists(tree: list[Tree]) -> list[list[Tree]]:
    """The tree and all lists in it."""
    found = [tree]
    for item in found:
        found.extend(part for part in item if isinstance(part, list))
    return found


def change_tree(tree: list[Tree], donor: list[Tree], rng: random.Random) -> None:
    """Change one list somewhere in the tree: half of the time only by moving, repeating or removing lists."""
    place = rng.choice(_lists(tree))
    position = rng.randrange(len(place) + 1)
    kind = rng.randrange(16)
    if kind == 0:
        place.insert(position, read_tree(write_tree(rng.choice(_lists(donor)))))
    elif kind == 1:
        place.insert(position, rng.choice((*WORDS, ":when", "and", "not", "or", "-", "?x", "forall", "exists", "=")))
    elif not place:
        return
    elif kind == 2:
        rng.shuffle(place)
    elif kind == 3:
        place[position - 1] = [
            rng.choice(("not", "and", "or", "when", "forall", "exists", "imply")),
            place[position - 1],
        ]
    elif kind == 4:
        words = [word for item in _lists(donor) for word in item if isinstance(word, str)]
        place[position - 1] = rng.choice(words or [""])
    elif kind == 5 and isinstance(word := place[position - 1], str):
        place[position - 1] = mutated_word(word, rng)
    elif kind < 8:
        del place[position - 1]
    else:
        _change_lists(place, rng)


def _change_lists(place: list[Tree], rng: random.Random) -> None:
    """Move, repeat or remove one of the lists in a list, or exchange two of their last words, such as arguments."""
    positions = [position for position, item in enumerate(place) if isinstance(item, list) and item]
    if not positions:
        return
    one, other = rng.choice(positions), rng.choice(positions)
    first, second = place[one], place[other]
    assert isinstance(first, list) and isinstance(second, list)
    kind = rng.randrange(4)
    if kind == 0:
        del place[one]
    elif kind == 1:
        place.insert(other, first)
    elif kind == 2:
        place[one], place[other] = second, first
    elif isinstance(first[-1], str) and isinstance(second[-1], str):
        first[-1], second[-1] = second[-1], first[-1]
