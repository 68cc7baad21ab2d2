"""`sing solve`: one problem, or many of one domain."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from sing.base.budget import Budget
from sing.base.errors import InputError
from sing.base.files import check_writable, write_text
from sing.base.outcome import Status
from sing.base.reporter import Reporters
from sing.cli.help import Choice, Command, option
from sing.cli.options import (
    OUTPUT,
    PLANNER,
    adjusted,
    config_option,
    given_learning_options,
    jobs_option,
    learning_options,
    limit_options,
    problems_argument,
    quiet_option,
    search_options,
    seed_option,
    set_option,
)
from sing.cli.session import exit_code_of, interruptible, limit_text, make_console
from sing.networks.model import Model
from sing.planners.configs import DEFAULT_CONFIG, get_config
from sing.planners.planner import Planner
from sing.planners.single import config_of
from sing.report.console import ConsoleReporter
from sing.report.page import report_page
from sing.report.record import RunRecord
from sing.run.batch import BatchItem, solve_all
from sing.run.results import SolveResult
from sing.run.solve import solve
from sing.search.search import HEURISTICS
from sing.task.plan import Plan

_OUTCOMES = {
    Status.SOLVED: "plan found",
    Status.UNSOLVABLE: "no plan exists: the search was exhausted",
    Status.OUT_OF_MEMORY: "no plan found within the memory limit",
    Status.OUT_OF_TIME: "no plan found within the time limit",
    Status.OUT_OF_WORK: "no plan found",
    Status.INTERRUPTED: "interrupted before a plan was found",
}


@click.command("solve", cls=Command)
@problems_argument
@config_option(DEFAULT_CONFIG)
@option(
    "--heuristic", type=Choice("heuristic", HEURISTICS), group=PLANNER,
    help="Greedy best-first search with this heuristic, and nothing learned.",
)  # fmt: skip
@option(
    "--model", "model_file", metavar="FILE.onnx", group=PLANNER,
    help="Search with a model that `sing learn` wrote; nothing is learned.",
)  # fmt: skip
@option("--force", is_flag=True, group=PLANNER, help="Use the model also on a problem of another search space.")
@set_option
@limit_options
@seed_option
@jobs_option("Threads: searchers or portfolio members side by side, or problems where there are several.")
@option(
    "--anytime", is_flag=True, group=OUTPUT,
    help="Look for better plans until the time limit and write them to FILE.1, FILE.2, …",
)  # fmt: skip
@option(
    "--plan-file", default="sas_plan", show_default=True, metavar="FILE", group=OUTPUT,
    help="Write the plan here; `-` is standard output.",
)  # fmt: skip
@option(
    "--json", "json_file", metavar="FILE", group=OUTPUT,
    help="Write the result as one JSON object; `-` is standard output.",
)  # fmt: skip
@option("--report", "report_file", metavar="FILE.html", group=OUTPUT, help="Write a page that shows the run.")
@quiet_option
@search_options
@learning_options
def solve_command(
    files: tuple[str, ...],
    config_name: str | None,
    heuristic: str | None,
    model_file: str | None,
    force: bool,
    time_limit_s: float,
    memory_limit_bytes: int | None,
    seed: int,
    jobs: int,
    anytime: bool,
    plan_file: str,
    json_file: str | None,
    report_file: str | None,
    quiet: bool,
    settings: tuple[str, ...],
    **overrides: Any,
) -> int:
    """Find a plan for a PDDL problem or a translated task, or one for each of several problems.

    With several problems the limits apply to each; they run --jobs at a time and write to FILE.NAME where a problem is
    NAME.pddl; the JSON file holds a line for each.
    """
    budget = Budget(time_limit_s, memory_limit_bytes)
    if force and model_file is None:
        raise InputError("--force is about a model, and there is no --model")
    config = _choose_config(config_name, heuristic, model_file, force, budget)
    if model_file is not None and (given := given_learning_options(overrides)):
        raise InputError(f"{given[0]} is about learning, and with --model nothing is learned")
    config = adjusted(config, overrides, settings)
    if plan_file == "-" and json_file == "-":
        raise InputError("--plan-file and --json cannot both be standard output")
    if report_file == "-":
        raise InputError("--report needs the name of a file")
    outputs = {"--plan-file": plan_file, "--json": json_file, "--report": report_file}
    for (one, path), (other, same) in itertools.combinations(outputs.items(), 2):
        if path is not None and same is not None and _is_same_file(path, same):
            raise InputError(f"{one} and {other} are both '{path}'")
    for path, what in ((plan_file, "plan file"), (json_file, "JSON file"), (report_file, "report")):
        if path not in (None, "-"):
            check_writable(path, what)
    # Where data goes to standard output, progress goes to standard error.
    console = make_console(quiet, stderr="-" in (plan_file, json_file))
    if len(files) > 2:
        for name, is_given in (("--anytime", anytime), ("--report", report_file is not None)):
            if is_given:
                raise InputError(f"{name} is about one problem, and there are several")
        whole = Budget(math.inf, memory_limit_bytes)
        return _solve_several(
            files, whole, console, plan_file, json_file,
            config=config, seed=seed, jobs=jobs, time_limit_s=time_limit_s,
        )  # fmt: skip
    with interruptible(budget) as received, ConsoleReporter(console) as reporter:
        reporter.say(f"config {config.name}, seed {seed}, limits {limit_text(budget)}")
        plans = _NumberedPlans(plan_file) if anytime else None
        record = RunRecord()
        result = solve(
            *files, config=config, seed=seed, jobs=jobs, on_plan=plans, budget=budget,
            reporter=Reporters(reporter, record) if report_file else reporter,
        )  # fmt: skip
    _deliver(result, console, plans.last_file if plans else plan_file, json_file, is_written=anytime)
    if report_file is not None:
        page = report_page([Path(file).name for file in files], _outcome(result), result, record)
        write_text(report_file, page, "report")
        console.print(f"report written to {report_file}")
    return exit_code_of(result.status, received)


def _solve_several(
    files: tuple[str, ...],
    budget: Budget,
    console: Console,
    plan_file: str,
    json_file: str | None,
    **options: Any,
) -> int:
    domain, *problems = files
    plan_files = _plan_files(plan_file, problems)
    lines: list[str] = []

    def deliver(item: BatchItem) -> None:
        if item.result is not None and item.result.plan is not None:
            _write_plan(item.result.plan, plan_files[item.problem])
        lines.append(json.dumps(item.to_json()))
        if json_file == "-":
            click.echo(lines[-1])
        elif json_file:  # whole, in one step, after every problem: what is known is never lost
            write_text(json_file, "\n".join(lines) + "\n", "JSON file")
        console.print(_describe_item(item))

    with interruptible(budget) as received:
        name = options["config"].name
        limit_s = options["time_limit_s"]
        console.print(f"config {name}, seed {options['seed']}, {len(problems)} problems, {limit_s:g} s each")
        items = solve_all(domain, tuple(problems), budget=budget, on_done=deliver, **options)
    console.print(_batch_table(items))
    num_solved = sum(item.is_solved for item in items)
    rate = len(items) / budget.elapsed_s
    console.print(f"{num_solved} of {len(problems)} solved, {budget.elapsed_s:.2f} s, {rate:.2f} problems/s")
    if received:
        return 128 + received[0]
    return next((item.exit_code for item in items if not item.is_solved), 0)


def _plan_files(plan_file: str, problems: list[str]) -> dict[str, str]:
    """Where the plan of each problem goes: `sas_plan.p01` for `p01.pddl`."""
    plan_files = {problem: f"{plan_file}.{Path(problem).stem}" for problem in problems}
    if _is_stream(plan_file):
        return dict.fromkeys(problems, plan_file)
    if len(set(plan_files.values())) < len(problems):
        raise InputError("several problems have the same name, and so would their plan files")
    return plan_files


def _choose_config(
    name: str | None, heuristic: str | None, model_file: str | None, force: bool, budget: Budget
) -> Planner:
    if name and heuristic:
        raise InputError("give --config or --heuristic, not both")
    if model_file is None:
        return get_config(name or heuristic or DEFAULT_CONFIG)
    if heuristic:
        raise InputError("give --model or --heuristic, not both")
    model = Model.load(model_file, max_bytes=budget.memory_limit_bytes // 4)
    if name is None:
        return dataclasses.replace(config_of(model, force), name=f"model {model_file}")
    return dataclasses.replace(get_config(name).with_model(model, force), name=f"{name} with model {model_file}")


class _NumberedPlans:
    """Writes each plan it hears of to FILE.1, FILE.2, …; the first removes those of an earlier run."""

    def __init__(self, plan_file: str) -> None:
        self._plan_file = plan_file
        self._is_numbered = not _is_stream(plan_file)
        self._count = 0
        self.last_file = plan_file

    def __call__(self, plan: Plan) -> None:
        self._count += 1
        if self._is_numbered:
            self.last_file = f"{self._plan_file}.{self._count}"
        _write_plan(plan, self.last_file)
        if self._is_numbered and self._count == 1:
            self._remove_others()

    def _remove_others(self) -> None:
        path = Path(self._plan_file)
        for old in path.parent.iterdir():
            if (
                re.fullmatch(re.escape(path.name) + r"\.[1-9][0-9]*", old.name)
                and old.name != Path(self.last_file).name
            ):
                with suppress(OSError):  # it may be a folder, or another user's; the new plans are written
                    old.unlink()


def _is_same_file(path: str, other: str) -> bool:
    """Whether writing both would lose one; a device such as /dev/null may be named twice."""
    return Path(path).resolve() == Path(other).resolve() and not _is_stream(path)


def _is_stream(plan_file: str) -> bool:
    """Whether it is standard output or a device, rather than a file of its own."""
    return plan_file == "-" or (not Path(plan_file).is_file() and Path(plan_file).exists())


def _write_plan(plan: Plan, plan_file: str) -> None:
    if plan_file == "-":
        click.echo(plan.to_ipc(), nl=False)
    else:
        write_text(plan_file, plan.to_ipc(), "plan file")


def _outcome(result: SolveResult) -> str:
    """The outcome of a run in a few words."""
    found = "" if result.plan is None else f": {len(result.plan)} operators, cost {result.plan.cost}"
    return _OUTCOMES[result.status] + found


def _deliver(result: SolveResult, console: Console, plan_file: str, json_file: str | None, *, is_written: bool) -> None:
    outcome = _outcome(result)
    if result.plan is not None:
        if not is_written:
            _write_plan(result.plan, plan_file)
        outcome += "" if plan_file == "-" else f", written to {plan_file}"
    console.print(f"{outcome} ({result.times_s['total']:.2f} s, peak memory {result.peak_memory_kb >> 10:,} MiB)")
    if json_file:
        text = json.dumps(result.to_json()) + "\n"
        if json_file == "-":
            click.echo(text, nl=False)
        else:
            write_text(json_file, text, "JSON file")


def _describe_item(item: BatchItem) -> str:
    """One of several problems, as it ends."""
    if item.result is None:
        return f"{item.problem}: error: {item.error}"
    result = item.result
    plan = f", {len(result.plan)} operators" if result.plan is not None else ""
    return (
        f"{item.problem}: {result.status.words}{plan}, {result.num_expanded:,} expanded, "
        f"search {result.times_s['search']:.2f} s of {result.times_s['total']:.2f} s"
    )


def _batch_table(items: list[BatchItem]) -> Table:
    """The outcomes of several problems as a table."""
    table = Table("problem", "status", box=None, header_style="bold")
    for column in ("operators", "cost", "expanded", "search s", "total s"):
        table.add_column(column, justify="right")
    for item in items:
        if item.result is None:
            table.add_row(item.problem, "error")
            continue
        result = item.result
        plan = ("", "") if result.plan is None else (str(len(result.plan)), str(result.plan.cost))
        times = (f"{result.times_s[phase]:.2f}" for phase in ("search", "total"))
        table.add_row(item.problem, result.status.words, *plan, f"{result.num_expanded:,}", *times)
    return table
