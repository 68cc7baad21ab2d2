"""Fuzzes sing: SAS files, models, PDDL and plans, each by processes that are watched and started anew after a crash.

    python fuzz/fuzz.py [--minutes M | --full] [--only NAME]… [--jobs N] [--seed N] [--output DIR]
    python fuzz/fuzz.py --again DIR/faults/NAME

`make fuzz` calls it with a core built with AddressSanitizer and UndefinedBehaviorSanitizer. Every fault is kept in a
folder of its own under DIR/faults: the files that show it, what happened (report) and the command that runs them again
(command). The exit code is 1 where there is a fault.
"""

from __future__ import annotations

import argparse
import json
import os
import selectors
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from current_case import copy_current

HERE = Path(__file__).parent
# How many inputs `--full` runs.
FULL = {"sas": 200_000, "onnx": 20_000, "pddl": 5_000, "plan": 20_000, "translation": 1_000_000}
# No input takes so long; a worker that says nothing for this time hangs.
_SILENCE_S = 120


class WatchedWorker:
    """A process that runs inputs, started anew behind the one that ended it."""

    def __init__(self, name: str, folder: Path, seed: int, runs: int, until_s: float) -> None:
        self.name, self.folder, self.seed, self.runs, self.until_s = name, folder, seed, runs, until_s
        self.outcomes: Counter[str] = Counter()  # of processes before this one
        self.told: dict[str, Any] = {"number": -1, "edges": 0, "corpus": 0, "outcomes": {}}
        self.start(first=0)

    def start(self, first: int) -> None:
        command = [sys.executable, str(HERE / "worker.py"), self.name, str(self.folder), "--seed", str(self.seed)]
        limits = ["--first", str(first), "--runs", str(self.runs - first), "--until", str(self.until_s)]
        self.folder.mkdir(parents=True, exist_ok=True)
        self.log = self.folder / "log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [*command, *limits],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )
        self.heard_s = time.monotonic()

    def listen(self) -> bool:
        """Take in what the process says; whether there is more to come, from it or from one after it."""
        assert self.process.stdout is not None
        if line := self.process.stdout.readline():
            self.told = json.loads(line)
            self.heard_s = time.monotonic()
            return True
        if self.process.wait() == 0:
            return False
        return self.start_behind(f"it ended with {self.process.returncode}")

    def start_behind(self, what: str) -> bool:
        """Keep the current input as a fault, and go on behind it."""
        # Up to a second was not told of; what ran then is not counted, and runs again but for the input that failed.
        number = self.told["number"] + 1
        fault = self.folder / "faults" / f"{self.name}-{self.seed}-{number}-crash"
        copy_current(self.folder, fault)
        if fault.is_dir():
            log = self.log.read_text(errors="replace")
            (fault / "report").write_text(f"{what}\n{log[:20_000]}")
        self.outcomes.update(self.told["outcomes"])
        self.outcomes["FAULT"] += 1
        self.told["outcomes"] = {}
        if number + 1 >= self.runs or time.time() > self.until_s:
            return False
        self.start(number + 1)
        return True

    def kill(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    @property
    def all_outcomes(self) -> Counter[str]:
        return self.outcomes + Counter(self.told["outcomes"])


def fuzz(name: str, folder: Path, seed: int, jobs: int, runs: int, until_s: float) -> Counter[str]:
    """Run a fuzzer in several processes; how its inputs ended."""
    start_s = time.monotonic()
    each = -(-runs // jobs)
    workers = [WatchedWorker(name, folder / str(job), seed * 1000 + job, each, until_s) for job in range(jobs)]
    running = set(workers)
    try:
        while running:
            with selectors.DefaultSelector() as selector:
                for worker in running:
                    selector.register(worker.process.stdout, selectors.EVENT_READ, worker)
                ready = [key.data for key, _ in selector.select(timeout=5)]
            for worker in [worker for worker in ready if not worker.listen()]:
                running.discard(worker)
            for worker in [worker for worker in running if time.monotonic() > worker.heard_s + _SILENCE_S]:
                worker.kill()
                if not worker.start_behind(f"it said nothing for {_SILENCE_S} s"):
                    running.discard(worker)
    finally:
        for worker in workers:
            worker.kill()
    total: Counter[str] = Counter()
    for worker in workers:
        total += worker.all_outcomes
    edges = max(worker.told["edges"] for worker in workers)
    corpus = sum(worker.told["corpus"] for worker in workers)
    listed = ", ".join(f"{outcome} {count:,}" for outcome, count in total.most_common())
    print(
        f"{name}: {total.total():,} inputs in {time.monotonic() - start_s:.0f} s, {total['FAULT']} faults; "
        f"{edges:,} edges, {corpus:,} in the corpus; {listed}",
        flush=True,
    )
    return total


def tell_faults(folder: Path) -> None:
    """Write beside each fault of a fuzzer the command that shows it again, and print that."""
    for report in sorted(folder.glob("*/faults/*/report")):
        variables = {key: os.environ[key] for key in ("SING_CORE", "ASAN_OPTIONS", "LD_PRELOAD") if key in os.environ}
        setting = " ".join(f"{key}={shlex.quote(value)}" for key, value in variables.items())
        command = f"{setting} {shlex.join([sys.executable, str(HERE / 'fuzz.py'), '--again', str(report.parent)])}"
        (report.parent / "command").write_text(command.strip() + "\n")
        print(f"fault: {report.parent}: {report.read_text().strip().splitlines()[-1][:200]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=4.0, help="for all fuzzers together, an equal share for each")
    parser.add_argument("--full", action="store_true", help="fixed numbers of inputs instead of minutes")
    parser.add_argument("--only", action="append", choices=FULL, help="this fuzzer; can be given several times")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes side by side")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=Path("build/fuzz"))
    parser.add_argument("--again", type=Path, help="the folder of a fault to run again")
    options = parser.parse_args()
    if options.again:
        name = options.again.name.split("-")[0]
        command = [sys.executable, str(HERE / "worker.py"), name, str(options.again), "--again"]
        sys.exit(subprocess.run(command).returncode)
    names = options.only or list(FULL)
    num_faults = 0
    for name in names:
        shutil.rmtree(options.output / name, ignore_errors=True)
        runs = FULL[name] if options.full else sys.maxsize
        until_s = float("inf") if options.full else time.time() + 60 * options.minutes / len(names)
        outcomes = fuzz(name, options.output / name, options.seed, options.jobs, runs, until_s)
        num_faults += outcomes["FAULT"]
        tell_faults(options.output / name)
    sys.exit(1 if num_faults else 0)


if __name__ == "__main__":
    main()
