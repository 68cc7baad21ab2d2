"""The command line."""

from __future__ import annotations

import io
import os
import signal
import sys
import traceback
from typing import Any

import click
from rich.console import Console
from rich.table import Table

import sing
from sing.budget import Budget, LimitReached
from sing.cli_generate import generate_group
from sing.cli_options import (
    files_argument,
    learning_options,
    limit_options,
    quiet_option,
    sampling_options,
    seed_option,
)
from sing.cli_run import exit_code_of, interruptible, limit_text, make_console
from sing.cli_solve import solve_command
from sing.configs import (
    CONFIGS,
    DEFAULT_CONFIG,
    DEFAULT_LEARNING_CONFIG,
    SHARED_CONFIG,
    Chorus,
    Config,
    Portfolio,
    get_learning_config,
)
from sing.errors import InputError, NoSamplesError, PlanError, SingError, UnsupportedError
from sing.files import check_writable, read_text, reason
from sing.outcome import Status
from sing.plan import parse_ipc, replay
from sing.planner import learn, load_task
from sing.plotting import check_plot, plot_labels
from sing.reporting import ConsoleReporter, describe_summary
from sing.sampling import sample
from sing.search import FALLBACK_HEURISTIC
from sing.translate import KEEP_ALL_OPERATORS, is_emptied, read_task, translate


def main() -> None:
    """Entry point: maps outcomes and errors to exit codes, never shows a traceback for a user's mistake."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character must not end a run
    # Unwind, so that files in the making are removed; commands handle signals better while they plan.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, frame: sys.exit(128 + number))
    try:
        code = cli.main(standalone_mode=False)
    except (click.exceptions.Abort, KeyboardInterrupt):
        code = Status.INTERRUPTED.exit_code
    except click.exceptions.NoArgsIsHelpError as error:  # bare `sing` shows its help
        click.echo(error.format_message())
        code = 0
    except click.ClickException as error:
        code = _complain(error.format_message(), InputError.exit_code)
    except SingError as error:
        code = _complain(str(error), error.exit_code)
    except BrokenPipeError:  # the reader of our output left, as in `sing configs | head -1`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    except OSError as error:  # the streams themselves: a full disk behind standard output
        code = _complain(reason(error), InputError.exit_code)
    except Exception:
        traceback.print_exc()
        code = _complain("an internal error, please report it", SingError.exit_code)
    sys.exit(code)


def _complain(message: str, exit_code: int) -> int:
    print(f"sing: error: {' '.join(message.split())}", file=sys.stderr)
    return exit_code


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(sing.__version__, prog_name="sing")
def cli() -> None:
    """A planner that teaches itself its heuristic."""


cli.add_command(generate_group)
cli.add_command(solve_command)


def _check_task_files(files: tuple[str, ...]) -> None:
    if len(files) > 2:
        raise InputError("give a domain and one problem, or one SAS file")


@cli.command("learn")
@files_argument
@click.option("--output", required=True, metavar="MODEL.onnx", help="Write the model here; see docs/file-formats.md.")
@click.option("--config", "config_name", help=f"See `sing configs`.  [default: {DEFAULT_LEARNING_CONFIG}]")
@click.option("--shared", is_flag=True, help=f"The same as --config {SHARED_CONFIG}: for many problems of one space.")
@limit_options
@seed_option
@click.option(
    "--jobs", default=1, show_default=True, type=click.IntRange(1, 1024), help="Threads for sampling and labelling."
)
@quiet_option
@learning_options
def learn_command(
    files: tuple[str, ...],
    output: str,
    config_name: str | None,
    shared: bool,
    time_limit_s: float,
    memory_limit_bytes: int | None,
    seed: int,
    jobs: int,
    quiet: bool,
    **overrides: Any,
) -> int:
    """Learn a heuristic and save it: `sing solve --model` uses it on every problem of the same search space.

    A time limit that ends the training leaves the best network so far.
    """
    budget = Budget(time_limit_s, memory_limit_bytes)
    _check_task_files(files)
    if shared and config_name:
        raise InputError("give --config or --shared, not both")
    name = SHARED_CONFIG if shared else config_name or DEFAULT_LEARNING_CONFIG
    config = get_learning_config(name).override(**overrides)
    if output == "-":
        raise InputError("the model file cannot go to standard output; name a file")
    check_writable(output, "model file")
    console = make_console(quiet)
    with interruptible(budget) as received, ConsoleReporter(console) as reporter:
        reporter.say(f"config {config.name}, seed {seed}, limits {limit_text(budget)}")
        result = learn(*files, config=config, seed=seed, jobs=jobs, budget=budget, reporter=reporter)
    if result.model is None or received:
        status = result.status or Status.INTERRUPTED
        console.print(f"no model: {status.words}")
        return exit_code_of(status, received)
    result.model.save(output)
    console.print(f"model written to {output} ({result.times_s['total']:.2f} s)")
    return 0


@cli.command("sample")
@files_argument
@click.option("--output", metavar="FILE.npz", help="Write the samples here; see docs/file-formats.md.")
@click.option("--plot", metavar="FILE.png", help="Draw a histogram of the labels (needs matplotlib).")
@click.option("--config", "config_name", default=DEFAULT_LEARNING_CONFIG, show_default=True, help="See `sing configs`.")
@limit_options
@seed_option
@click.option("--jobs", default=1, show_default=True, type=click.IntRange(1, 1024), help="Threads.")
@quiet_option
@sampling_options
def sample_command(
    files: tuple[str, ...],
    output: str | None,
    plot: str | None,
    config_name: str,
    time_limit_s: float,
    memory_limit_bytes: int | None,
    seed: int,
    jobs: int,
    quiet: bool,
    **overrides: Any,
) -> int:
    """Sample states backward from the goal: the data a heuristic is trained on."""
    budget = Budget(time_limit_s, memory_limit_bytes)
    _check_task_files(files)
    learning = get_learning_config(config_name).override(**overrides).learning
    assert learning is not None
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
    console = make_console(quiet)
    with interruptible(budget) as received, ConsoleReporter(console) as reporter:
        try:
            task = load_task(files[0], files[1] if len(files) == 2 else None, budget, reporter)
        except LimitReached as limit:
            console.print(f"no samples: {limit.status.words} while translating")
            return exit_code_of(limit.status, received)
        samples = sample(
            task, config, seed=seed, jobs=jobs, budget=budget,
            on_progress=lambda count: reporter.working("sample", f"{count:,} samples"),
        )  # fmt: skip
        summary = samples.summary()
        reporter.done("sample", samples.time_s, f"{summary.num_samples:,} samples, {summary.samples_per_s:,.0f}/s")
    if not len(samples) and samples.status is not None:
        console.print(f"no samples: {samples.status.words}")
        return exit_code_of(samples.status, received)
    if not len(samples):
        raise NoSamplesError(f"no samples: no start with a backward step was found in the space '{config.space}'")
    console.print(describe_summary(summary))
    if output is not None:
        samples.save(output)
        console.print(f"samples written to {output}")
    if plot is not None:
        plot_labels(samples, plot)
        console.print(f"plot written to {plot}")
    if samples.status is not None:
        console.print(f"stopped early: {samples.status.words}")
    if samples.status is None and not received:
        return 0
    return exit_code_of(samples.status or Status.INTERRUPTED, received)


@cli.command("validate")
@click.argument("files", nargs=-1, required=True, metavar="DOMAIN PROBLEM PLAN | TASK.sas PLAN")
@limit_options
@click.option("--quiet", is_flag=True, help="Say nothing where the plan is valid.")
def validate_command(files: tuple[str, ...], time_limit_s: float, memory_limit_bytes: int | None, quiet: bool) -> int:
    """Check a plan by executing it. Exit code 0: valid, 1: not valid."""
    budget = Budget(time_limit_s, memory_limit_bytes)
    if len(files) not in (2, 3):
        raise InputError("give a domain, a problem and a plan, or a SAS file and a plan")
    *task_files, plan_file = files
    names = parse_ipc(read_text(plan_file, "plan"), f"plan '{plan_file}'")
    with interruptible(budget) as received:
        try:
            if len(task_files) == 1:
                task = read_task(task_files[0])
            else:
                task = translate(task_files[0], task_files[1], budget, KEEP_ALL_OPERATORS)
        except LimitReached as limit:
            click.echo(f"no verdict: {limit.status.words} while translating")
            return exit_code_of(limit.status, received)
    task.require_supported()
    if names and is_emptied(task) and task.initial_state[0] == task.goal[0].value:
        raise UnsupportedError(
            "the goal is static and true: any plan that can be executed is valid, and that is not checked"
        )
    try:
        plan = replay(task, names)
    except PlanError as error:
        raise PlanError(f"plan '{plan_file}' is not valid: {error}") from None
    if not quiet:
        click.echo(f"plan valid: {len(plan)} operators, cost {plan.cost}")
    return 0


@cli.command("configs")
def configs_command() -> None:
    """List the configurations."""
    columns = (
        "name",
        "heuristic",
        "queues",
        "ties",
        "vector",
        "space",
        "strategy",
        "loss",
        "hidden",
        "samples",
        "what",
    )
    table = Table(*columns, box=None, header_style="bold")
    for config in CONFIGS.values():
        name = f"{config.name} (default)" if config.name == DEFAULT_CONFIG else config.name
        if isinstance(config, Portfolio):
            members = " + ".join(member.name for member in config.members)
            table.add_row(name, members, *[""] * 8, config.description)
            continue
        search = config.search
        table.add_row(
            name,
            _heuristic_column(config),
            ",".join(search.queues),
            search.ties,
            *_learning_columns(config),
            config.description,
        )
    console = Console()
    if not console.is_terminal:
        console.width = 200  # a pipe has no width to fit into
    console.print(table)


def _heuristic_column(config: Config | Chorus) -> str:
    if isinstance(config, Chorus):
        return "voices" if config.voices else FALLBACK_HEURISTIC
    return config.search.heuristic


def _learning_columns(config: Config | Chorus) -> tuple[str, ...]:
    if isinstance(config, Chorus):
        hidden = f"1×{config.training.hidden[0]}"
        return ("boolean", "r", "bfs", config.training.loss, hidden, "") if config.voices else ("",) * 6
    if config.learning is None:
        return ("",) * 6
    sampling, training = config.learning.sampling, config.learning.training
    widths = sorted(set(training.hidden))
    hidden = f"{len(training.hidden)}×{widths[0]}" if len(widths) == 1 else ",".join(map(str, training.hidden))
    return (
        config.learning.encoding,
        sampling.space,
        sampling.strategy,
        training.loss,
        hidden,
        f"{sampling.nsearches}×{sampling.nsamples}",
    )


if __name__ == "__main__":
    main()
