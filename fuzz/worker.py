"""One process that makes inputs, runs them and keeps those that show a fault; fuzz.py starts it and watches it.

    python fuzz/worker.py FUZZER FOLDER --seed N --first N --runs N --until SECONDS
    python fuzz/worker.py FUZZER FOLDER --again

FOLDER always holds the input that is being run, so that it is known after a crash. A line of JSON on standard output
tells every second how far it is. The second form runs the files in FOLDER once.
"""

from __future__ import annotations

import argparse
import json
import random
import time
import traceback
from collections import Counter
from importlib import import_module
from pathlib import Path

import chosen_core  # noqa: F401
from current_case import CaseInFiles, CaseInMemory, write_files
from edges import Coverage
from fuzzer import Case, Fault, Fuzzer

FUZZERS = {
    "sas": "SasFuzzer",
    "onnx": "OnnxFuzzer",
    "pddl": "PddlFuzzer",
    "plan": "PlanFuzzer",
    "translation": "TranslationFuzzer",
}
# Of the inputs that others are made of.
_MAX_BYTES = 8_000
_MAX_CORPUS = 3000


def make_fuzzer(name: str) -> Fuzzer:
    fuzzer = getattr(import_module(f"{name}_fuzzer"), FUZZERS[name])()
    assert isinstance(fuzzer, Fuzzer)
    return fuzzer


class Worker:
    """Runs inputs by number; the random choices for each follow from the seed and its number."""

    def __init__(self, fuzzer: Fuzzer, folder: Path, seed: int) -> None:
        self.fuzzer = fuzzer
        self.seed = seed
        self.folder = folder / "current"
        self.current = CaseInFiles(folder) if fuzzer.uses_files else CaseInMemory(folder)
        self.faults = folder / "faults"
        self.corpus = fuzzer.seeds()
        self.coverage = Coverage()
        self.outcomes: Counter[str] = Counter()

    def run(self, first: int, runs: int, until_s: float) -> None:
        """Inputs number `first` and so on, so many of them, or until the clock shows that time."""
        told_s = time.monotonic()
        for number in range(first, first + runs):
            rng = random.Random(f"{self.seed} {self.fuzzer.name} {number}")
            # The committed inputs come first, unchanged.
            if number < len(self.corpus) and first == 0:
                case = self.corpus[number]
            else:
                case = self.fuzzer.mutated(self.choice(rng), self.choice(rng), rng)
            self.one(case, number)
            if (now_s := time.monotonic()) > told_s + 1:
                self.tell(number)
                told_s = now_s
            if time.time() > until_s:
                break
        self.tell(number)

    def choice(self, rng: random.Random) -> Case:
        """One of the corpus, rather a small one: it runs faster, and what it shows is easier to see."""
        return min(rng.choice(self.corpus), rng.choice(self.corpus), key=_size)

    def one(self, case: Case, number: int) -> None:
        self.current.keep(case)
        self.coverage.reset()
        try:
            self.outcomes[self.fuzzer.run(case, self.folder)] += 1
        except Fault as fault:
            self.keep(number, case, str(fault))
        except Exception:
            self.keep(number, case, traceback.format_exc())
        if self.coverage.is_new() and _size(case) < _MAX_BYTES and len(self.corpus) < _MAX_CORPUS:
            self.corpus.append(case)

    def keep(self, number: int, case: Case, report: str) -> None:
        self.outcomes["FAULT"] += 1
        fault = self.faults / f"{self.fuzzer.name}-{self.seed}-{number}"
        write_files(case, fault)
        (fault / "report").write_text(report)

    def tell(self, number: int) -> None:
        told = {"number": number, "edges": self.coverage.num_edges, "corpus": len(self.corpus)}
        print(json.dumps({**told, "outcomes": self.outcomes}), flush=True)


def _size(case: Case) -> int:
    return sum(map(len, case.values()))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("fuzzer", choices=FUZZERS)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--until", type=float, default=float("inf"))
    parser.add_argument("--again", action="store_true")
    options = parser.parse_args()
    fuzzer = make_fuzzer(options.fuzzer)
    if options.again:
        files = [file for file in options.folder.iterdir() if file.name not in ("report", "command")]
        print(fuzzer.run({file.name: file.read_bytes() for file in files}, options.folder))
    else:
        Worker(fuzzer, options.folder, options.seed).run(options.first, options.runs, options.until)


if __name__ == "__main__":
    main()
