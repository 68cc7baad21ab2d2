"""`sing translate`: the task of a PDDL problem as a file for other planners."""

from __future__ import annotations

import click

from sing.base.budget import LimitReached
from sing.base.errors import InputError
from sing.base.files import check_writable, write_text
from sing.cli.help import Command, option
from sing.cli.options import OUTPUT, files_argument, limit_options, output_options, translator_option
from sing.cli.session import check_one_standard_input, exit_code_of, interruptible, make_console, start_budget
from sing.report.console import ConsoleReporter
from sing.translate.translator import translate_to_sas


@click.command("translate", cls=Command)
@files_argument("DOMAIN PROBLEM")
@option(
    "--output", default="output.sas", show_default=True, metavar="FILE.sas", group=OUTPUT,
    help="Write the task here; `-` is standard output.",
)  # fmt: skip
@option(
    "--keep-all", is_flag=True, group=OUTPUT,
    help="Keep also operators and variables that cannot help to reach the goal.",
)  # fmt: skip
@translator_option
@limit_options
@output_options
def translate_command(
    files: tuple[str, ...],
    output: str,
    keep_all: bool,
    translator: str,
    time_limit_s: float,
    memory_limit_bytes: int | None,
    quiet: bool,
    verbosity: int,
    log_file: str | None,
) -> int:
    """Translate a PDDL problem into a task with finite-domain variables, in Fast Downward's format.

    `sing solve TASK.sas` and Fast Downward's searches read it.
    """
    budget = start_budget(time_limit_s, memory_limit_bytes)
    if len(files) != 2:
        raise InputError("give a domain and one problem")
    check_one_standard_input(files)
    check_writable(output, "SAS file")
    console = make_console(quiet, stderr=output == "-", log_file=log_file)
    with interruptible(budget) as received, ConsoleReporter(console, verbosity) as reporter:
        try:
            sas = translate_to_sas(
                *files, budget, keeps_all=keep_all, translator=translator,
                on_news=lambda news: reporter.working("translate", news),
            )  # fmt: skip
            write_text(output, sas, "SAS file", budget)
        except LimitReached as limit:
            console.print(f"no task: {limit.status.words}")
            return exit_code_of(limit.status, received)
    if output != "-":
        console.print(f"task written to {output} ({budget.elapsed_s:.2f} s)")
    return 0
