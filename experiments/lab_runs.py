"""What became of a run of a Lab experiment, read from its folder."""

from __future__ import annotations

import json
import re
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.parser import Parser
from lab.tools import Properties

# What a planner writes at its end, and the name of its command.
RESULT_FILE = "result.json"
COMMAND = "planner"
_TIME_FILE, _OVERRUN_FILE = "wall-clock", "overrun"
# What Lab's build step put into a run's folder; everything else there came from running it.
_BUILT = {"run", "static-properties"}

# Lab's words for how a run ended.
_LAB_ERRORS = {
    "solved": "success",
    "unsolvable": "search-unsolvable",
    "out_of_time": "search-out-of-time",
    "out_of_memory": "search-out-of-memory",
    "out_of_work": "search-unsolved-incomplete",
}
FAILED, UNFINISHED = "failed", "unfinished"


@dataclass(frozen=True)
class Outcome:
    """A run that has not ended has neither a result nor a failure; one that has has one of the two."""

    is_started: bool
    result: dict[str, Any] | None = None
    failure: str | None = None
    wall_clock_s: float | None = None  # of the planner's process

    @property
    def has_ended(self) -> bool:
        return self.result is not None or self.failure is not None

    @property
    def is_solved(self) -> bool:
        return self.result is not None and self.result["status"] == "solved"


def run_dirs(experiment: str | Path) -> list[Path]:
    return sorted(Path(experiment).glob("runs-*-*/*"))


def outcome_of(run_dir: Path) -> Outcome:
    log = _read(run_dir / "driver.log")
    exit_code = re.search(rf"{COMMAND} exit code: (-?\d+)", log or "")
    if log is None or exit_code is None:
        return Outcome(is_started=log is not None)
    wall_clock = re.search(rf"{COMMAND} wall-clock time: ([\d.]+)s", log)
    wall_clock_s = float(wall_clock[1]) if wall_clock else None
    try:
        result = json.loads(_read(run_dir / RESULT_FILE) or "")
        if result["status"] in _LAB_ERRORS:
            return Outcome(True, result, None, wall_clock_s)
    except (ValueError, TypeError, KeyError):
        pass
    return Outcome(True, None, _why(int(exit_code[1]), run_dir), wall_clock_s)


def _why(exit_code: int, run_dir: Path) -> str:
    if said := last_words(run_dir, _OVERRUN_FILE):
        return said
    number = -exit_code if exit_code < 0 else exit_code - 128
    if number in {member.value for member in signal.Signals}:
        return f"killed from outside by {signal.Signals(number).name}"
    said = last_words(run_dir, "run.err", "run.log")
    return f"exit code {exit_code}" + (f": {said}" if said else "")


def last_words(run_dir: Path, *names: str) -> str:
    """The last line of the first of these logs that has one; of Lab's own unless told."""
    for name in names or ("driver.err", "driver.log"):
        if lines := (_read(run_dir / name) or "").strip().splitlines():
            return lines[-1].strip()
    return ""


def _read(path: Path) -> str | None:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return None


def clear_unfinished(experiment: str | Path) -> int:
    """Make runs that were cut off as if they had never been started; Lab would skip them. Returns how many."""
    count = 0
    for run_dir in run_dirs(experiment):
        outcome = outcome_of(run_dir)
        if outcome.is_started and not outcome.has_ended:
            for path in run_dir.iterdir():
                if path.name not in _BUILT and path.name != "driver.log":
                    path.unlink()
            (run_dir / "driver.log").unlink()  # last: a crash in between leaves the run cut off
            count += 1
    return count


def note_time(run_dir: Path, time_s: float) -> None:
    """Keep how long a run took in all, to compare with the planner's own time."""
    (run_dir / _TIME_FILE).write_text(f"{time_s:.3f}\n")


def note_overrun(run_dir: Path, time_s: float) -> None:
    """Keep why a planner is about to be ended."""
    (run_dir / _OVERRUN_FILE).write_text(f"did not end within {time_s:g} s\n")


def overhead(experiment: str | Path) -> float | None:
    """How much longer runs took than their planners, as a share of these; None where runs were not timed."""
    pairs = [(_read(run_dir / _TIME_FILE), outcome_of(run_dir).wall_clock_s) for run_dir in run_dirs(experiment)]
    known = [(float(whole), own) for whole, own in pairs if whole and own]
    return sum(whole for whole, _ in known) / sum(own for _, own in known) - 1 if known else None


class ResultParser(Parser):
    """Makes Lab's properties of the JSON that our runs write."""

    def parse(self, run_dir: str | Path, props: Properties) -> None:
        outcome = outcome_of(Path(run_dir))
        props["coverage"] = int(outcome.is_solved)
        if outcome.wall_clock_s is not None:
            props["planner_wall_clock_time"] = outcome.wall_clock_s
        if outcome.result is not None:
            props.update(properties_of(outcome.result))
        else:
            props["error"] = FAILED if outcome.has_ended else UNFINISHED
            props.add_unexplained_error(outcome.failure or "did not end; call the experiment again to run it")


def properties_of(result: dict[str, Any]) -> dict[str, Any]:
    """By the names that Lab's reports know. What a planner does not tell, or no plan has, is left out."""
    times_s = result.get("times_s", {})
    values = {
        "error": _LAB_ERRORS[result["status"]],
        "unsolvable": int(result["status"] == "unsolvable"),
        "cost": result.get("plan_cost"),
        "plan_length": result.get("plan_length"),
        "initial_h_value": result.get("initial_estimate"),
        "memory": result.get("peak_memory_kb"),
        "num_restarts": result.get("num_restarts"),
        "translator_time": times_s.get("translate"),
        "learning_time": times_s["sample"] + times_s["train"] if "train" in times_s else None,
    }
    if result["status"] == "solved":  # what it took to a plan; up to a limit it would say nothing
        values |= {
            "expansions": result.get("expanded"),
            "evaluations": result.get("evaluated"),
            "generated": result.get("generated"),
            "search_time": times_s.get("search"),
            "total_time": times_s.get("total"),
        }
    return {name: value for name, value in values.items() if value is not None}
