"""`sing sample`: training data."""

from __future__ import annotations

from typing import Any

import click

from sing.base.budget import LimitReached
from sing.base.errors import InputError, NoSamplesError
from sing.base.files import check_writable
from sing.base.outcome import Status
from sing.cli.help import Command, option
from sing.cli.options import (
    OUTPUT,
    adjusted,
    config_option,
    files_argument,
    jobs_option,
    limit_options,
    output_options,
    sampling_options,
    seed_option,
    set_option,
    translator_option,
)
from sing.cli.session import check_task_files, exit_code_of, interruptible, make_console, start_budget
from sing.learning.learn import SAMPLING_SHARE_ALONE
from sing.planners.configs import DEFAULT_LEARNING_CONFIG, get_config
from sing.report.console import ConsoleReporter, describe_summary
from sing.report.plotting import check_plot, plot_labels
from sing.run.solve import load_task


@click.command("sample", cls=Command)
@files_argument("DOMAIN PROBLEM | TASK.sas")
@config_option(DEFAULT_LEARNING_CONFIG)
@translator_option
@set_option
@limit_options
@seed_option
@jobs_option("Threads for sampling; their number does not change the samples.")
@option("--output", metavar="FILE.npz", group=OUTPUT, help="Write the samples here.")
@option("--plot", metavar="FILE.png", group=OUTPUT, help="Draw a histogram of the labels (needs matplotlib).")
@output_options
@sampling_options
def sample_command(
    files: tuple[str, ...],
    output: str | None,
    plot: str | None,
    config_name: str | None,
    translator: str,
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
    """Sample states backward from the goal: the data a heuristic is trained on."""
    budget = start_budget(time_limit_s, memory_limit_bytes)
    check_task_files(files)
    planner = adjusted(get_config(DEFAULT_LEARNING_CONFIG if config_name is None else config_name), overrides, settings)
    learning = planner.learning
    if learning is None:
        raise InputError(
            f"configuration '{planner.name}' does not learn one heuristic from samples; "
            f"--config {DEFAULT_LEARNING_CONFIG} does, and `sing configs` lists others"
        )
    config = learning.sampling
    if output is not None and output == plot:
        raise InputError(f"--output and --plot are both '{output}'")
    for path, what in ((output, "samples file"), (plot, "plot")):
        if path == "-":
            raise InputError(f"the {what} cannot go to standard output; name a file")
        if path is not None:
            check_writable(path, what)
    if plot is not None:
        check_plot(plot)
    console = make_console(quiet, log_file=log_file)
    with interruptible(budget) as received, ConsoleReporter(console, verbosity) as reporter:
        try:
            task = load_task(files[0], files[1] if len(files) == 2 else None, budget, reporter, translator)
        except LimitReached as limit:
            console.print(f"no samples: {limit.status.words} while translating")
            return exit_code_of(limit.status, received)
        try:
            samples = config.sample(
                task, seed=seed, jobs=jobs, budget=budget.slice(SAMPLING_SHARE_ALONE * budget.remaining_s),
                on_progress=lambda count: reporter.working("sample", f"{count:,} samples"),
            )  # fmt: skip
            summary = samples.summary(budget)
        except LimitReached as limit:
            console.print(f"no samples: {limit.status.words}")
            return exit_code_of(limit.status, received)
        reporter.done(
            "sample",
            samples.time_s,
            f"{summary.num_samples:,} samples, {summary.samples_per_s:,.0f}/s{samples.note and f'; {samples.note}'}",
        )
    if not len(samples) and samples.status is not None:
        console.print(f"no samples: {samples.status.words}")
        return exit_code_of(samples.status, received)
    if not len(samples):
        raise NoSamplesError(f"no samples: {config.why_nothing}")
    console.print(describe_summary(summary))
    if output is not None:
        try:
            samples.save(output, budget)
        except LimitReached as limit:
            console.print(f"samples not written: {limit.status.words}")
            return exit_code_of(limit.status, received)
        console.print(f"samples written to {output}")
    if plot is not None:
        plot_labels(samples, plot)
        console.print(f"plot written to {plot}")
    if samples.status is not None:
        console.print(f"stopped early: {samples.status.words}")
    if samples.status is None and not received:
        return 0
    return exit_code_of(samples.status or Status.INTERRUPTED, received)
