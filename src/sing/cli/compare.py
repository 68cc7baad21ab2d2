"""`sing compare`: several planners on several problems, in one table."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import click
from rich.table import Table

from sing.base.budget import Budget
from sing.base.errors import InputError
from sing.base.files import check_writable
from sing.base.names import unknown
from sing.base.words import printable
from sing.cli.batch import short_names
from sing.cli.delivery import JsonLines, Outputs
from sing.cli.help import Command, complete_files, option
from sing.cli.options import OUTPUT, PLANNER, limit_options, output_options, seed_option
from sing.cli.session import interruptible, make_console
from sing.networks.model import Model
from sing.planners.configs import CONFIGS, DEFAULT_CONFIG
from sing.planners.single import config_of
from sing.report.console import ConsoleReporter
from sing.run import fast_downward
from sing.run.compare import Contestant, Outcome, compare

_DEFAULT_RIVAL = "fd-lama-first"


@click.command("compare", cls=Command)
@click.argument(
    "words", nargs=-1, required=True, metavar="[PLANNER…] DOMAIN PROBLEM… | TASK.sas…", shell_complete=complete_files
)
@option("--alone", is_flag=True, group=PLANNER, help="Run the named planners only, and not Fast Downward beside them.")
@limit_options
@seed_option
@option("--json", "json_file", metavar="FILE", group=OUTPUT, help="Write a JSON object for each run, one on a line.")
@output_options
def compare_command(
    words: tuple[str, ...],
    alone: bool,
    time_limit_s: float,
    memory_limit_bytes: int | None,
    seed: int,
    json_file: str | None,
    quiet: bool,
    verbosity: int,
    log_file: str | None,
) -> int:
    """Run planners side by side on your problems, and print one table of costs and times.

    A planner is a configuration, a model file (.onnx), or one of Fast Downward's searches: fd-ff, fd-landmark,
    fd-lama-first. Without any, the default runs; where none of Fast Downward's is named and it is installed,
    fd-lama-first runs beside the others. The limits are for each run, with translation; runs follow each other.
    """
    budget = Budget(math.inf, memory_limit_bytes)
    contestants, files = _split(words, budget, alone)
    domain, problems = (None, files) if all(file.endswith(".sas") for file in files) else (files[0], files[1:])
    if not problems:
        raise InputError("give a domain and at least one problem, or SAS files")
    if json_file is not None:
        check_writable(json_file, "JSON file")
    console = make_console(quiet, stderr=Outputs.is_stdout(json_file), log_file=log_file)
    outcomes: list[Outcome] = []
    lines = JsonLines(json_file, budget)
    names = short_names(list(problems))

    def hear(outcome: Outcome) -> None:
        outcomes.append(outcome)
        reporter.say(f"{names[outcome.problem]}, {outcome.planner}: {outcome.error or outcome}")
        lines.add(outcome.to_json())

    with interruptible(budget) as received, ConsoleReporter(console, verbosity) as reporter:
        reporter.say(
            f"planners {', '.join(contestants)}, {len(problems)} problem(s), seed {seed}, {time_limit_s:g} s each"
        )
        compare(
            contestants, domain, problems, time_limit_s=time_limit_s, budget=budget, seed=seed, reporter=reporter,
            on_done=hear,
        )  # fmt: skip
    console.print(_table(list(contestants), names, outcomes), soft_wrap=False)
    console.print("Each cell has the cost of the plan and the seconds with translation; * marks the least cost.")
    if received:
        return 128 + received[0]
    return next((outcome.error.exit_code for outcome in outcomes if outcome.error), 0)


def _split(words: tuple[str, ...], budget: Budget, alone: bool) -> tuple[dict[str, Contestant], tuple[str, ...]]:
    """The planners that the first words name, and the files that follow."""
    contestants: dict[str, Contestant] = {}
    for word in words:
        if word in CONFIGS:
            contestants[word] = CONFIGS[word]
        elif word in fast_downward.SEARCHES:
            contestants[word] = word
        elif word.endswith(".onnx"):
            model = Model.load(word, budget)
            contestants[word] = dataclasses.replace(config_of(model), name=word)
        else:
            break
    files = words[len(contestants) :]
    if files and not Path(files[0]).exists() and "." not in files[0]:
        raise InputError(unknown("planner or file", files[0], [*CONFIGS, *fast_downward.SEARCHES]))
    has_rival = any(name in fast_downward.SEARCHES for name in contestants)
    contestants = contestants or {DEFAULT_CONFIG: CONFIGS[DEFAULT_CONFIG]}
    if not has_rival and not alone and fast_downward.is_installed():
        contestants[_DEFAULT_RIVAL] = _DEFAULT_RIVAL
    return contestants, files


def _table(planners: list[str], names: dict[str, str], outcomes: list[Outcome]) -> Table:
    """`names` are the problems with what people are shown of them."""
    by_run = {(outcome.planner, outcome.problem): outcome for outcome in outcomes}
    table = Table("", *planners, box=None, header_style="bold")
    for problem, name in names.items():
        row = [by_run.get((planner, problem)) for planner in planners]
        costs = [outcome.cost for outcome in row if outcome and outcome.cost is not None]
        table.add_row(printable(name), *(_cell(outcome, min(costs, default=None)) for outcome in row))
    ended = [[outcome for outcome in outcomes if outcome.planner == planner] for planner in planners]
    solved = (sum(outcome.cost is not None for outcome in own) for own in ended)
    table.add_row("solved", *(f"{count} of {len(names)}" for count in solved))
    table.add_row("seconds in all", *(f"{sum(outcome.time_s for outcome in own):.2f}" for own in ended))
    return table


def _cell(outcome: Outcome | None, least: int | None) -> str:
    if outcome is None:
        return ""
    if outcome.cost is None:
        return str(outcome)
    return f"{outcome.cost}{'*' if outcome.cost == least else ''}  {outcome.time_s:.2f}"
