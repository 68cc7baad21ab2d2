"""`sing solve` with several problems: a line for each as it ends, and a table."""

from __future__ import annotations

import os
from pathlib import Path

from rich.table import Table

from sing.base.budget import Budget, LimitReached
from sing.base.errors import InputError
from sing.base.files import check_writable, is_stream, read_text, shown_name
from sing.base.words import printable
from sing.cli.delivery import (
    JsonLines,
    NumberedPlans,
    Outputs,
    about_plan_file,
    describe_plan,
    earlier_plans,
    write_plan,
)
from sing.cli.session import exit_code_of, interruptible
from sing.planners.planner import Planner
from sing.report.console import BatchLine, Printer
from sing.run.batch import BatchItem, solve_all

# What a compressed file's name ends with, after that of the file itself.
_COMPRESSED = (".gz", ".bz2", ".xz")


class Batch:
    """Several problems of one domain, and where their results go."""

    def __init__(
        self, files: tuple[str, ...], outputs: Outputs, console: Printer, budget: Budget, *, is_anytime: bool = False
    ) -> None:
        self._domain, *self._problems = files
        self._console = console
        self._budget = budget
        self._plan_files = _plan_files(outputs.plan_file, self._problems)
        self._numbered = {  # of each problem, where better plans are looked for
            problem: NumberedPlans(plan_file, budget) for problem, plan_file in self._plan_files.items() if is_anytime
        }
        self._names = short_names(self._problems)
        self._json = JsonLines(outputs.json_file, budget)

    def run(self, config: Planner, seed: int, jobs: int, time_limit_s: float, translator: str) -> int:
        """The exit code: that of the first problem that was not solved."""
        budget, console = self._budget, self._console
        config.check_installed()
        with interruptible(budget) as received, BatchLine(console, self._names) as line:
            console.print(f"config {config.name}, seed {seed}, {len(self._problems)} problems, {time_limit_s:g} s each")
            try:  # once for all problems: it may be standard input
                domain = read_text(self._domain, "PDDL domain", budget.slice(time_limit_s))
            except LimitReached as limit:
                console.print(f"no plans: {limit.status.words} while reading the domain")
                return exit_code_of(limit.status, received)

            def on_done(item: BatchItem) -> None:
                line.ended(item.problem, item.is_solved)
                self._deliver(item)

            items = solve_all(
                domain, tuple(self._problems), config=config, seed=seed, jobs=jobs, time_limit_s=time_limit_s,
                budget=budget, on_done=on_done, reporter_of=line.reporter_of, on_plan_of=self._numbered.get,
                translator=translator,
            )  # fmt: skip
        console.print(self._table(items))
        num_solved = sum(item.is_solved for item in items)
        rate = len(items) / budget.elapsed_s
        console.print(f"{num_solved} of {len(self._problems)} solved, {budget.elapsed_s:.2f} s, {rate:.2f} problems/s")
        if received and num_solved < len(self._problems):
            return 128 + received[0]
        return next((item.exit_code for item in items if not item.is_solved), 0)

    def _deliver(self, item: BatchItem) -> None:
        plan_file = self._plan_files[item.problem]
        if item.result is not None and item.result.plan is not None and not self._numbered:
            write_plan(item.result.plan, plan_file, self._budget)
        self._json.add(item.to_json((self._domain, item.problem)))
        self._console.print(self._describe(item, plan_file))

    def _describe(self, item: BatchItem, plan_file: str) -> str:
        """One of several problems, as it ends."""
        name, result = self._names[item.problem], item.result
        if result is None:
            plans = self._numbered.get(item.problem)
            remark = plans.remark if plans else earlier_plans(plan_file)
            return f"{name}: error: {item.error}" + (f"; {remark}" if remark else "")
        is_anytime = bool(self._numbered)
        ended_by = ("interrupted" if self._budget.interrupted else "limit reached") if is_anytime else None
        plan = "" if result.plan is None else f", {describe_plan(result, ended_by)}"
        where = f" while {result.ended_while}" if result.ended_while else ""
        stale = about_plan_file(result, plan_file, is_anytime=is_anytime) if result.plan is None else ""
        return (
            f"{name}: {result.status.words}{where}{plan}, {result.num_expanded:,} expanded, "
            f"search {result.times_s['search']:.2f} s of {result.times_s['total']:.2f} s{stale}"
        )

    def _table(self, items: list[BatchItem]) -> Table:
        """The outcomes of several problems as a table."""
        table = Table(box=None, header_style="bold")
        table.add_column("problem", overflow="fold")
        table.add_column("status")
        for column in ("operators", "cost", "expanded", "search s", "total s"):
            table.add_column(column, justify="right")
        for item in items:
            name, result = printable(self._names[item.problem]), item.result
            if result is None:
                table.add_row(name, "error")
                continue
            plan = ("", "") if result.plan is None else (str(len(result.plan)), str(result.plan.cost))
            times = (f"{result.times_s[phase]:.2f}" for phase in ("search", "total"))
            table.add_row(name, result.status.words, *plan, f"{result.num_expanded:,}", *times)
        return table


def short_names(problems: list[str]) -> dict[str, str]:
    """What tells the problems apart: their paths without the folders that all of them are in.

    >>> short_names(["/tasks/gripper/p01.pddl", "/tasks/visitall/p01.pddl"])
    {'/tasks/gripper/p01.pddl': 'gripper/p01.pddl', '/tasks/visitall/p01.pddl': 'visitall/p01.pddl'}
    """
    paths = {problem: Path(problem).absolute() for problem in problems}
    folder = os.path.commonpath([path.parent for path in paths.values()])
    return {
        problem: shown_name(problem) if problem == "-" else str(path.relative_to(folder))
        for problem, path in paths.items()
    }


def _plan_files(plan_file: str, problems: list[str]) -> dict[str, str]:
    """Where the plan of each problem goes: `sas_plan.p01` for `p01.pddl`. Raises InputError."""
    if is_stream(plan_file):
        return dict.fromkeys(problems, plan_file)
    plan_files = {problem: f"{plan_file}.{_stem(problem)}" for problem in problems}
    if len(set(plan_files.values())) < len(problems):
        raise InputError("several problems have the same name, and so would their plan files")
    for path in plan_files.values():
        check_writable(path, "plan file")
    return plan_files


def _stem(problem: str) -> str:
    path = Path("stdin" if problem == "-" else problem)
    return (path.with_suffix("") if path.suffix in _COMPRESSED else path).stem
