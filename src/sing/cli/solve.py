"""`sing solve`: one problem, or many of one domain."""

from __future__ import annotations

import dataclasses
import itertools
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sing.base.budget import Budget, LimitReached
from sing.base.errors import InputError, SingError
from sing.base.files import write_text
from sing.base.reporter import Reporters
from sing.cli.delivery import NumberedPlans, Outputs, about_plan_file, earlier_plans, outcome, write_error, write_plan
from sing.cli.help import Choice, Command, option
from sing.cli.options import (
    OUTPUT,
    PLANNER,
    adjusted,
    config_option,
    files_argument,
    given_learning_options,
    jobs_option,
    learning_options,
    limit_options,
    output_options,
    search_options,
    seed_option,
    set_option,
    translator_option,
)
from sing.cli.session import (
    announce,
    check_one_standard_input,
    exit_code_of,
    interruptible,
    make_console,
    start_budget,
)
from sing.networks.model import Model
from sing.planners.configs import DEFAULT_CONFIG, DEVICE_CONFIG, get_config
from sing.planners.planner import Planner
from sing.planners.single import config_of
from sing.report.console import ConsoleReporter, Printer
from sing.run.results import ended_early
from sing.run.solve import solve
from sing.search.search import HEURISTICS

if TYPE_CHECKING:
    from sing.report.record import RunRecord


class _SolveCommand(Command):
    """Writes the JSON object also where the command line itself is wrong."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        words = list(args)
        try:
            return super().parse_args(ctx, args)
        except (click.UsageError, SingError) as error:
            if not ctx.resilient_parsing and (json_file := _word_behind("--json", words)) is not None:
                message = error.format_message() if isinstance(error, click.UsageError) else str(error)
                write_error(json_file, InputError(message), ())
            raise


def _word_behind(name: str, words: list[str]) -> str | None:
    """The value of an option on a command line that cannot be read as a whole, as far as one can tell."""
    for word, after in itertools.zip_longest(words, words[1:]):
        if word == "--":
            break
        if word == name:
            return after
        if word.startswith(f"{name}="):
            return word.removeprefix(f"{name}=")
    return None


@click.command("solve", cls=_SolveCommand)
@files_argument("DOMAIN PROBLEM… | TASK.sas")
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
@translator_option
@set_option
@limit_options
@seed_option
@jobs_option("Threads: searchers or portfolio members side by side, or problems where there are several.")
@option(
    "--anytime", is_flag=True, group=OUTPUT,
    help="Look for cheaper plans until the limits or a proof that there is none; write them to FILE.1, FILE.2, …",
)  # fmt: skip
@option("--first", is_flag=True, group=OUTPUT, help="End with the first plan; look for no better one.")
@option(
    "--plan-file", default="sas_plan", show_default=True, metavar="FILE", group=OUTPUT,
    help="Write the plan here; `-` is standard output.",
)  # fmt: skip
@option(
    "--json", "json_file", metavar="FILE", group=OUTPUT,
    help="Write the result as one JSON object; `-` is standard output.",
)  # fmt: skip
@option("--report", "report_file", metavar="FILE.html", group=OUTPUT, help="Write a page that shows the run.")
@output_options
@search_options
@learning_options
def solve_command(
    files: tuple[str, ...],
    config_name: str | None,
    heuristic: str | None,
    model_file: str | None,
    force: bool,
    translator: str,
    time_limit_s: float,
    memory_limit_bytes: int | None,
    seed: int,
    jobs: int,
    anytime: bool,
    first: bool,
    plan_file: str,
    json_file: str | None,
    report_file: str | None,
    quiet: bool,
    verbosity: int,
    log_file: str | None,
    settings: tuple[str, ...],
    **overrides: Any,
) -> int:
    """Find a plan for a PDDL problem or a translated task, or one for each of several problems.

    With several problems the limits apply to each; they run --jobs at a time and write to FILE.NAME where a problem is
    NAME.pddl; the JSON file holds a line for each.
    """
    budget = start_budget(time_limit_s, memory_limit_bytes)
    outputs = Outputs(plan_file, json_file, report_file, log_file)
    outputs.check()
    try:
        check_one_standard_input(files)
        if force and model_file is None:
            raise InputError("--force is about a model, and there is no --model")
        # Where data goes to standard output, progress goes to standard error.
        console = make_console(quiet, stderr=outputs.use_stdout, log_file=log_file)
        with interruptible(budget) as received:
            try:
                is_on_device = overrides.get("device") is not None
                config = _choose_config(config_name, heuristic, model_file, force, is_on_device, budget)
            except LimitReached as limit:
                result = ended_early(limit.status, f"model {model_file}", seed, "reading the model", budget.elapsed_s)
                outputs.write_json(result.to_json(files), budget)
                console.print(outcome(result))
                return exit_code_of(limit.status, received)
        if model_file is not None and (given := given_learning_options(overrides)):
            raise InputError(f"{given[0]} is about learning, and with --model nothing is learned")
        config = adjusted(config, overrides, settings)
        if first:
            if anytime:
                raise InputError("give --anytime or --first, not both")
            config = config.first_only()
        if len(files) < 3:
            return _solve_one(files, config, seed, jobs, translator, anytime, verbosity, outputs, console, budget)
        if report_file is not None:
            raise InputError("--report is about one problem, and there are several")
        from sing.cli.batch import Batch

        batch = Batch(files, outputs, console, Budget(math.inf, memory_limit_bytes), is_anytime=anytime)
        return batch.run(config, seed, jobs, time_limit_s, translator)
    except SingError as error:
        outputs.write_error(error, files, budget)
        raise


def _solve_one(
    files: tuple[str, ...],
    config: Planner,
    seed: int,
    jobs: int,
    translator: str,
    anytime: bool,
    verbosity: int,
    outputs: Outputs,
    console: Printer,
    budget: Budget,
) -> int:
    plans = NumberedPlans(outputs.plan_file, budget) if anytime else None
    record = _make_record() if outputs.report_file else None
    with interruptible(budget) as received, ConsoleReporter(console, verbosity) as reporter:
        announce(reporter, config, seed, budget)
        try:
            result = solve(
                *files, config=config, seed=seed, jobs=jobs, on_plan=plans, budget=budget,
                reporter=Reporters(reporter, record) if record else reporter, translator=translator,
            )  # fmt: skip
        except SingError as error:
            if remark := plans.remark if plans else earlier_plans(outputs.plan_file):
                error.args = (f"{error}; {remark}",)
            raise
    if result.plan is not None and plans is None:
        write_plan(result.plan, outputs.plan_file, budget)
    plan_file = plans.last_file if plans else outputs.plan_file
    about = about_plan_file(result, plan_file, is_anytime=anytime)
    cost = f"({result.times_s['total']:.2f} s, peak memory {result.peak_memory_kb >> 10:,} MiB)"
    told = outcome(result, ended_by=("interrupted" if received else "limit reached") if anytime else None)
    console.print(f"{told}{about} {cost}")
    if outputs.json_file is not None:
        outputs.write_json(result.to_json(files), budget)
    if outputs.report_file is not None and record is not None:
        from sing.report.page import report_page  # charts and pictures, which other runs need not wait for

        page = report_page([Path(file).name for file in files], told, result, record)
        write_text(outputs.report_file, page, "report", budget)
        console.print(f"report written to {outputs.report_file}")
    return exit_code_of(result.status, received)


def _make_record() -> RunRecord:
    from sing.report.record import RunRecord  # with what charts need

    return RunRecord(click.get_current_context().obj)  # as the budget: from when the program began


def _choose_config(
    name: str | None,
    heuristic: str | None,
    model_file: str | None,
    force: bool,
    is_on_device: bool,
    budget: Budget,
) -> Planner:
    if name is not None and heuristic:
        raise InputError("give --config or --heuristic, not both")
    if model_file is None:
        return get_config(name if name is not None else heuristic or DEFAULT_CONFIG)
    if heuristic:
        raise InputError("give --model or --heuristic, not both")
    model = Model.load(model_file, budget)
    if name is None and is_on_device:
        return dataclasses.replace(get_config(DEVICE_CONFIG).with_model(model, force), name=f"model {model_file}")
    if name is None:
        return dataclasses.replace(config_of(model, force), name=f"model {model_file}")
    return dataclasses.replace(get_config(name).with_model(model, force), name=f"{name} with model {model_file}")
