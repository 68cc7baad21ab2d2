"""`sing learn`: a heuristic for a search space."""

from __future__ import annotations

from typing import Any

import click

from sing.base.errors import InputError
from sing.base.files import check_writable
from sing.base.outcome import Status
from sing.cli.help import Command, option
from sing.cli.options import (
    OUTPUT,
    PLANNER,
    adjusted,
    config_option,
    files_argument,
    jobs_option,
    learning_options,
    limit_options,
    output_options,
    seed_option,
    set_option,
    translator_option,
)
from sing.cli.session import announce, check_task_files, exit_code_of, interruptible, make_console, start_budget
from sing.planners.configs import DEFAULT_LEARNING_CONFIG, SHARED_CONFIG, get_config
from sing.report.console import ConsoleReporter
from sing.run.solve import learn


@click.command("learn", cls=Command)
@files_argument("DOMAIN PROBLEM | TASK.sas")
@config_option(DEFAULT_LEARNING_CONFIG)
@option(
    "--shared", is_flag=True, group=PLANNER,
    help=f"The same as --config {SHARED_CONFIG}: one model for many problems of one search space.",
)  # fmt: skip
@translator_option
@set_option
@limit_options
@seed_option
@jobs_option("Threads for sampling and labelling.")
@option("--output", required=True, metavar="MODEL.onnx", group=OUTPUT, help="Write the model here.")
@output_options
@learning_options
def learn_command(
    files: tuple[str, ...],
    output: str,
    config_name: str | None,
    translator: str,
    shared: bool,
    time_limit_s: float,
    memory_limit_bytes: int | None,
    seed: int,
    jobs: int,
    quiet: bool,
    verbosity: int,
    log_file: str | None,
    settings: tuple[str, ...],
    **overrides: Any,
) -> int:
    """Learn a heuristic and save it: `sing solve --model` uses it on every problem of the same search space.

    A time limit or Ctrl-C that ends the training leaves the best network so far; after Ctrl-C the exit code is 130.
    """
    budget = start_budget(time_limit_s, memory_limit_bytes)
    check_task_files(files)
    if shared and config_name is not None:
        raise InputError("give --config or --shared, not both")
    default = SHARED_CONFIG if shared else DEFAULT_LEARNING_CONFIG
    name = default if config_name is None else config_name
    config = adjusted(get_config(name), overrides, settings)
    if output == "-":
        raise InputError("the model file cannot go to standard output; name a file")
    check_writable(output, "model file")
    console = make_console(quiet, log_file=log_file)
    with interruptible(budget) as received, ConsoleReporter(console, verbosity) as reporter:
        announce(reporter, config, seed, budget)
        result = learn(
            *files, config=config, seed=seed, jobs=jobs, budget=budget, reporter=reporter, translator=translator
        )
    if result.model is None:
        status = result.status or Status.INTERRUPTED
        console.print(f"no model: {status.words}")
        return exit_code_of(status, received)
    result.model.save(output, budget)
    ended = "" if result.status is None else f"{result.status.words}: the best network so far, "
    console.print(f"model written to {output} ({ended}{result.times_s['total']:.2f} s)")
    return exit_code_of(result.status, received) if result.status else 0
