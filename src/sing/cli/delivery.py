"""Where the results of `sing solve` go: plans, a JSON object, a page, and the last line."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sing.base.budget import Budget
from sing.base.errors import InputError, SingError
from sing.base.files import check_writable, descriptor, is_stream, write_text
from sing.base.outcome import Status
from sing.run.results import SolveResult, error_json
from sing.task.plan import Plan

_OUTCOMES = {
    Status.SOLVED: "plan found",
    Status.UNSOLVABLE: "no plan exists: the search was exhausted",
    Status.OUT_OF_MEMORY: "no plan found within the memory limit",
    Status.OUT_OF_TIME: "no plan found within the time limit",
    Status.OUT_OF_WORK: "no plan found",
    Status.INTERRUPTED: "interrupted before a plan was found",
}


@dataclass(frozen=True)
class Outputs:
    """The files that a run is to write. Where two of them would be one, or one cannot be written, check() raises."""

    plan_file: str
    json_file: str | None
    report_file: str | None
    log_file: str | None

    def check(self) -> None:
        if self.is_stdout(self.plan_file) and self.is_stdout(self.json_file):
            raise InputError("--plan-file and --json cannot both be standard output")
        if self.report_file is not None and descriptor(self.report_file, of_dash=1) is not None:
            raise InputError("--report needs the name of a file")
        files = {
            "--plan-file": self.plan_file,
            "--json": self.json_file,
            "--report": self.report_file,
            "--log": self.log_file,
        }
        for (one, path), (other, same) in itertools.combinations(files.items(), 2):
            if path is not None and same is not None and _is_same_file(path, same):
                raise InputError(f"{one} and {other} are both '{path}'")
        for path, what in ((self.plan_file, "plan file"), (self.json_file, "JSON file"), (self.report_file, "report")):
            if path is not None:
                check_writable(path, what)

    @property
    def use_stdout(self) -> bool:
        """Whether standard output is for data; progress goes to standard error then."""
        return self.is_stdout(self.plan_file) or self.is_stdout(self.json_file)

    @staticmethod
    def is_stdout(path: str | None) -> bool:
        return path is not None and descriptor(path, of_dash=1) == 1

    def write_json(self, value: dict[str, Any], budget: Budget) -> None:
        if self.json_file is not None:
            write_text(self.json_file, json.dumps(value) + "\n", "JSON file", budget)

    def write_error(self, error: SingError, files: tuple[str, ...], budget: Budget) -> None:
        """The JSON object of a run that ends with an error, unless the error is about that very file."""
        if self.json_file is not None:
            write_error(self.json_file, error, files, budget)


def write_error(json_file: str, error: SingError, files: tuple[str, ...], budget: Budget | None = None) -> None:
    """A run that ends with an error as a JSON object, as far as that file can be written."""
    with suppress(InputError):
        write_text(json_file, json.dumps(error_json(error, files)) + "\n", "JSON file", budget)


class JsonLines:
    """A JSON object for each of several runs, one on a line."""

    def __init__(self, json_file: str | None, budget: Budget) -> None:
        self._json_file = json_file
        self._budget = budget
        self._lines: list[str] = []

    def add(self, value: dict[str, Any]) -> None:
        """A file is written whole, in one step, after every run: what is known is never lost."""
        if self._json_file is not None:
            self._lines.append(json.dumps(value) + "\n")
            text = self._lines[-1] if is_stream(self._json_file) else "".join(self._lines)
            write_text(self._json_file, text, "JSON file", self._budget)


def _is_same_file(path: str, other: str) -> bool:
    """Whether writing both would lose one; a device such as /dev/null may be named twice."""
    return Path(path).resolve() == Path(other).resolve() and not is_stream(path)


def write_plan(plan: Plan, plan_file: str, budget: Budget) -> None:
    write_text(plan_file, plan.to_ipc(), "plan file", budget)


def outcome(result: SolveResult, *, ended_by: str | None = None) -> str:
    """The outcome of a run in a few words, with what ended one that was looking for better plans."""
    if result.plan is not None:
        return f"{_OUTCOMES[result.status]}: {describe_plan(result, ended_by)}"
    why = f", and none costs less than {result.lower_bound}" if result.lower_bound else ""
    return _OUTCOMES[result.status] + (f" while {result.ended_while}" if result.ended_while else why)


def describe_plan(result: SolveResult, ended_by: str | None = None) -> str:
    """The cheapest plan, and what is known of cheaper ones."""
    if result.plan is None:
        return ""
    found = f"{len(result.plan)} operators, cost {result.plan.cost}"
    if result.is_optimal:
        return f"{found}, proved cheapest"
    bounded = f", of at least {result.lower_bound}" if result.lower_bound else ""
    return found + bounded + (f", {ended_by}" if ended_by else "")


def about_plan_file(result: SolveResult, plan_file: str, *, is_anytime: bool = False) -> str:
    """Where the plan is, for the end of a line. Where there is none, one of an earlier run must not be taken for it."""
    if result.plan is not None:
        return "" if Outputs.is_stdout(plan_file) else f", written to {plan_file}"
    old = earlier_plans(plan_file, is_anytime=is_anytime)
    return f"; {old}" if old else ""


def earlier_plans(plan_file: str, *, is_anytime: bool = False) -> str:
    """A warning that names plans of an earlier run; empty where there are none."""
    if is_stream(plan_file):
        return ""
    if is_anytime:
        old = sorted(path.name for path in _numbered(plan_file) if path.is_file())
    else:
        old = [plan_file] if Path(plan_file).is_file() else []
    return f"{', '.join(old)} {'are' if len(old) > 1 else 'is'} of an earlier run" if old else ""


def _numbered(plan_file: str) -> Iterator[Path]:
    """What there is by the name FILE.1, FILE.2, …"""
    path = Path(plan_file)
    for other in path.parent.iterdir():
        if re.fullmatch(re.escape(path.name) + r"\.[1-9][0-9]*", other.name):
            yield other


class NumberedPlans:
    """Writes each plan it hears of to FILE.1, FILE.2, …; before the first it removes those of an earlier run.

    Wherever the process is killed, the files are numbered without gaps and belong to one run.
    """

    def __init__(self, plan_file: str, budget: Budget) -> None:
        self._plan_file = plan_file
        self._budget = budget
        self._is_numbered = not is_stream(plan_file)
        self._count = 0
        self.last_file = plan_file
        if self._is_numbered:
            for path in (Path(f"{plan_file}.1"), *_numbered(plan_file)):
                check_writable(path, "plan file")

    def __call__(self, plan: Plan) -> None:
        if self._is_numbered and self._count == 0:
            self._remove_earlier()
        number = self._count + 1
        plan_file = f"{self._plan_file}.{number}" if self._is_numbered else self._plan_file
        write_plan(plan, plan_file, self._budget)
        self._count, self.last_file = number, plan_file

    def _remove_earlier(self) -> None:
        """From the last to the second: the first is replaced by our own in one step."""
        for old in sorted(_numbered(self._plan_file), key=_number_of, reverse=True):
            if _number_of(old) > 1:
                with suppress(OSError):  # it may be another user's; the new plans are written
                    old.unlink()

    @property
    def remark(self) -> str:
        """Where a run fails: what the files by these names are."""
        if self._count == 0:
            return earlier_plans(self._plan_file, is_anytime=True)
        return f"{self.last_file} has the best plan until then" if self._is_numbered else ""


def _number_of(path: Path) -> int:
    return int(path.name.rpartition(".")[2])
