"""The command line."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

import sing
from sing import generators
from sing.budget import Budget, LimitReached, parse_memory_bytes, parse_time_s
from sing.configs import CONFIGS, DEFAULT_CONFIG, Config, get_config
from sing.errors import InputError, NoSamplesError, PlanError, SingError, UnsupportedError
from sing.files import check_writable, read_text, reason, write_text
from sing.outcome import Status
from sing.plan import parse_ipc, replay
from sing.planner import SolveResult, load_task, solve
from sing.plotting import check_plot, plot_labels
from sing.reporting import ConsoleReporter, describe_summary
from sing.sampling import COLLECTIONS, COMPLETIONS, SPACES, STRATEGIES, SamplingConfig, sample
from sing.search import HEURISTICS, TIES, SearchConfig
from sing.translate import KEEP_ALL_OPERATORS, is_emptied, read_task, translate

_OUTCOMES = {
    Status.SOLVED: "plan found",
    Status.UNSOLVABLE: "no plan exists: the search was exhausted",
    Status.OUT_OF_MEMORY: "no plan found within the memory limit",
    Status.OUT_OF_TIME: "no plan found within the time limit",
    Status.INTERRUPTED: "interrupted before a plan was found",
}


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


def _parsed(parse: Callable[[str], Any]) -> Callable[..., Any]:
    """A click callback that parses an option's text where it was given."""
    return lambda context, parameter, text: None if text is None else parse(text)


def _limits(command: Callable[..., Any]) -> Callable[..., Any]:
    time_option = click.option(
        "--time-limit", "time_limit_s", default="30m", show_default=True, callback=_parsed(parse_time_s),
        metavar="TIME", help="For everything together: 90, 90s, 30m, 2h.",
    )  # fmt: skip
    memory_option = click.option(
        "--memory-limit", "memory_limit_bytes", callback=_parsed(parse_memory_bytes), metavar="SIZE",
        help="As in 512M or 8G.  [default: 8G, or 9/10 of the free memory where that is less]",
    )  # fmt: skip
    return time_option(memory_option(command))


@contextmanager
def _interruptible(budget: Budget) -> Iterator[list[int]]:
    """Let Ctrl-C, SIGTERM and SIGHUP end the run in order; a second one ends it at once.

    The list holds the signal once one came.
    """
    received: list[int] = []

    def handler(number: int, frame: object) -> None:
        if received:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        received.append(number)
        budget.interrupt()

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield received
    finally:
        for number, old_handler in before.items():
            signal.signal(number, old_handler)


def _exit_code(status: Status, received: list[int]) -> int:
    """The status's own, or for an interruption the one that tells which signal it was."""
    return 128 + received[0] if status is Status.INTERRUPTED and received else status.exit_code


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(sing.__version__, prog_name="sing")
def cli() -> None:
    """A planner that teaches itself its heuristic."""


@cli.command("solve")
@click.argument("files", nargs=-1, required=True, metavar="DOMAIN PROBLEM | TASK.sas")
@click.option("--config", "config_name", metavar="NAME", help=f"See `sing configs`.  [default: {DEFAULT_CONFIG}]")
@click.option("--heuristic", type=click.Choice(HEURISTICS), help="Greedy best-first search with this heuristic.")
@click.option("--queues", metavar="Q,Q,…", help="Queues of the open list that take turns, such as nh,h,ngh,g.")
@click.option("--ties", type=click.Choice(TIES), help="Order among states that a queue ranks equal.")
@_limits
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0, 2**64 - 1), help="For all that is random.")
@click.option("--plan-file", default="sas_plan", show_default=True, metavar="FILE", help="`-`: standard output.")
@click.option("--json", "json_file", metavar="FILE", help="Write the result as one JSON object; `-`: standard output.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors and what `-` sends to standard output.")
def solve_command(
    files: tuple[str, ...],
    config_name: str | None,
    heuristic: str | None,
    queues: str | None,
    ties: str | None,
    time_limit_s: float,
    memory_limit_bytes: int | None,
    seed: int,
    plan_file: str,
    json_file: str | None,
    quiet: bool,
) -> int:
    """Find a plan for a PDDL problem or a translated task."""
    budget = Budget(time_limit_s, memory_limit_bytes)
    if len(files) > 2:
        raise InputError("give a domain and one problem, or one SAS file")
    config = _choose_config(config_name, heuristic, queues, ties)
    if plan_file == "-" and json_file == "-":
        raise InputError("--plan-file and --json cannot both be standard output")
    if plan_file == json_file:
        raise InputError(f"--plan-file and --json are both '{plan_file}'")
    for path, what in ((plan_file, "plan file"), (json_file, "JSON file")):
        if path not in (None, "-"):
            check_writable(path, what)
    # Where data goes to standard output, the conversation moves to standard error.
    stderr = "-" in (plan_file, json_file)
    console = Console(stderr=stderr, quiet=quiet, highlight=False, markup=False, emoji=False, soft_wrap=True)
    with _interruptible(budget) as received, ConsoleReporter(console) as reporter:
        reporter.say(f"config {config.name}, seed {seed}, limits {_limit_text(budget)}")
        result = solve(*files, config=config, seed=seed, budget=budget, reporter=reporter)
    _deliver(result, console, plan_file, json_file)
    return _exit_code(result.status, received)


def _choose_config(name: str | None, heuristic: str | None, queues: str | None, ties: str | None) -> Config:
    if name and heuristic:
        raise InputError("give --config or --heuristic, not both")
    base = get_config(name or heuristic or DEFAULT_CONFIG)
    if queues is None and ties is None:
        return base
    search = SearchConfig(
        base.search.heuristic,
        base.search.queues if queues is None else tuple(queues.split(",")),
        ties or base.search.ties,
    )
    return Config(f"{base.name} --queues {','.join(search.queues)} --ties {search.ties}", "", search)


def _limit_text(budget: Budget) -> str:
    return f"{budget.time_limit_s:g} s and {budget.memory_limit_bytes >> 20:,} MiB"


def _deliver(result: SolveResult, console: Console, plan_file: str, json_file: str | None) -> None:
    outcome = _OUTCOMES[result.status]
    if result.plan is not None:
        text = result.plan.to_ipc()
        if plan_file == "-":
            click.echo(text, nl=False)
        else:
            write_text(plan_file, text, "plan file")
        outcome += f": {len(result.plan)} operators, cost {result.plan.cost}"
        outcome += "" if plan_file == "-" else f", written to {plan_file}"
    console.print(f"{outcome} ({result.times_s['total']:.2f} s, peak memory {result.peak_memory_kb >> 10:,} MiB)")
    if json_file:
        text = json.dumps(result.to_json()) + "\n"
        if json_file == "-":
            click.echo(text, nl=False)
        else:
            write_text(json_file, text, "JSON file")


@cli.command("sample")
@click.argument("files", nargs=-1, required=True, metavar="DOMAIN PROBLEM | TASK.sas")
@click.option("--output", metavar="FILE.npz", help="Write the samples here; see docs/file-formats.md.")
@click.option("--plot", metavar="FILE.png", help="Draw a histogram of the labels (needs matplotlib).")
@click.option("--space", type=click.Choice(SPACES), default="r", show_default=True, help="Backward search space.")
@click.option("--strategy", type=click.Choice(STRATEGIES), default="dfs", show_default=True)
@click.option("--collect", type=click.Choice(COLLECTIONS), default="expanded", show_default=True)
@click.option("--nsearches", type=click.IntRange(1), default=500, show_default=True, help="Backward searches.")
@click.option("--nsamples", type=click.IntRange(1), default=200, show_default=True, help="Samples a search.")
@click.option("--max-depth", metavar="N|facts", help="Depth limit; `facts`: number of atoms / mean effects.")
@click.option(
    "--completion", type=click.Choice(COMPLETIONS), default="none", show_default=True, help="Of undefined values."
)
@click.option("--consistent-starts", is_flag=True, help="Draw full starts free of mutexes.")
@click.option("--min-label", is_flag=True, help="Keep one of equal states, with the least label.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0, 2**64 - 1), help="For all that is random.")
@click.option("--jobs", default=1, show_default=True, type=click.IntRange(1, 1024), help="Threads.")
@_limits
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def sample_command(
    files: tuple[str, ...],
    output: str | None,
    plot: str | None,
    max_depth: str | None,
    seed: int,
    jobs: int,
    time_limit_s: float,
    memory_limit_bytes: int | None,
    quiet: bool,
    **options: Any,
) -> int:
    """Sample states backward from the goal: the data a heuristic is trained on."""
    budget = Budget(time_limit_s, memory_limit_bytes)
    if len(files) > 2:
        raise InputError("give a domain and one problem, or one SAS file")
    depth = int(max_depth) if max_depth is not None and re.fullmatch("[0-9]{1,9}", max_depth) else max_depth
    config = SamplingConfig(max_depth=depth, **options)
    if output is not None and output == plot:
        raise InputError(f"--output and --plot are both '{output}'")
    for path, what in ((output, "samples file"), (plot, "plot")):
        if path == "-":
            raise InputError(f"the {what} cannot go to standard output; name a file")
        if path is not None:
            check_writable(path, what)
    if plot is not None:
        check_plot(plot)
    console = Console(quiet=quiet, highlight=False, markup=False, emoji=False, soft_wrap=True)
    with _interruptible(budget) as received, ConsoleReporter(console) as reporter:
        try:
            task = load_task(files[0], files[1] if len(files) == 2 else None, budget, reporter)
        except LimitReached as limit:
            console.print(f"no samples: {limit.status.words} while translating")
            return _exit_code(limit.status, received)
        samples = sample(
            task, config, seed=seed, jobs=jobs, budget=budget,
            on_progress=lambda count: reporter.working("sample", f"{count:,} samples"),
        )  # fmt: skip
        summary = samples.summary()
        reporter.done("sample", samples.time_s, f"{summary.num_samples:,} samples, {summary.samples_per_s:,.0f}/s")
    if not len(samples) and samples.status is not None:
        console.print(f"no samples: {samples.status.words}")
        return _exit_code(samples.status, received)
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
    return _exit_code(samples.status or Status.INTERRUPTED, received)


@cli.command("validate")
@click.argument("files", nargs=-1, required=True, metavar="DOMAIN PROBLEM PLAN | TASK.sas PLAN")
@_limits
@click.option("--quiet", is_flag=True, help="Say nothing where the plan is valid.")
def validate_command(files: tuple[str, ...], time_limit_s: float, memory_limit_bytes: int | None, quiet: bool) -> int:
    """Check a plan by executing it. Exit code 0: valid, 1: not valid."""
    budget = Budget(time_limit_s, memory_limit_bytes)
    if len(files) not in (2, 3):
        raise InputError("give a domain, a problem and a plan, or a SAS file and a plan")
    *task_files, plan_file = files
    names = parse_ipc(read_text(plan_file, "plan"), f"plan '{plan_file}'")
    with _interruptible(budget) as received:
        try:
            if len(task_files) == 1:
                task = read_task(task_files[0])
            else:
                task = translate(task_files[0], task_files[1], budget, KEEP_ALL_OPERATORS)
        except LimitReached as limit:
            click.echo(f"no verdict: {limit.status.words} while translating")
            return _exit_code(limit.status, received)
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
    table = Table("name", "heuristic", "queues", "ties", "what it is", box=None, header_style="bold")
    for config in CONFIGS.values():
        name = f"{config.name} (default)" if config.name == DEFAULT_CONFIG else config.name
        search = config.search
        table.add_row(name, search.heuristic, ",".join(search.queues), search.ties, config.description)
    console = Console()
    if not console.is_terminal:
        console.width = 200  # a pipe has no width to fit into
    console.print(table)


@cli.group("generate")
def generate_group() -> None:
    """Write PDDL problems: a domain and problems with one goal and many starts."""


def _generator(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option("--output", required=True, metavar="DIR", help="Folder for domain.pddl, p01.pddl, …"),
        click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="For all that is random."),
        click.option("--count", default=1, show_default=True, type=click.IntRange(1, 9999), help="How many problems."),
    ):
        command = option(command)
    return command


@generate_group.command("npuzzle")
@click.option("--rows", default=4, show_default=True, type=click.IntRange(2, 100))
@click.option("--columns", type=click.IntRange(2, 100), help="[default: as many as rows]")
@click.option("--board", metavar="TILES", help="The start, row by row, 0 for the blank: '1 2 0 3'.")
@_generator
def npuzzle_command(rows: int, columns: int | None, board: str | None, count: int, seed: int, output: str) -> None:
    """Sliding-tile puzzles: `--rows 5` is the 24-puzzle."""
    tiles = None if board is None else _numbers(board)
    family = generators.npuzzle(rows, columns or rows, count=count, seed=seed, board=tiles)
    _write_family(family, output)


@generate_group.command("blocks")
@click.option("--blocks", "num_blocks", default=10, show_default=True, type=click.IntRange(1, 1000))
@click.option("--board", metavar="TOWERS", help="The start, towers from bottom to top: '1 2 3 / 4 5'.")
@_generator
def blocks_command(num_blocks: int, board: str | None, count: int, seed: int, output: str) -> None:
    """Blocks worlds with four operators and one random goal."""
    towers = None if board is None else [_numbers(tower) for tower in board.split("/")]
    _write_family(generators.blocks(num_blocks, count=count, seed=seed, board=towers), output)


@generate_group.command("pancake")
@click.option("--pancakes", "num_pancakes", default=10, show_default=True, type=click.IntRange(2, 100))
@click.option("--board", metavar="SIZES", help="The start from the top of the stack: '3 1 2'.")
@_generator
def pancake_command(num_pancakes: int, board: str | None, count: int, seed: int, output: str) -> None:
    """Stacks of pancakes to be sorted by flips."""
    sizes = None if board is None else _numbers(board)
    _write_family(generators.pancake(num_pancakes, count=count, seed=seed, board=sizes), output)


def _numbers(text: str) -> list[int]:
    try:
        return [int(word) for word in text.replace(",", " ").split()]
    except ValueError:
        raise InputError(f"'{text}' is not a board; write whole numbers with spaces between them") from None


def _write_family(family: generators.Family, output: str) -> None:
    folder = Path(output)
    digits = max(2, len(str(len(family.problems))))
    texts = {folder / "domain.pddl": family.domain}
    for number, problem in enumerate(family.problems, start=1):
        texts[folder / f"p{number:0{digits}}.pddl"] = problem
    try:
        folder.mkdir(parents=True, exist_ok=True)
        existing = [path for path in texts if path.exists()]
    except (OSError, ValueError) as error:
        raise InputError(f"cannot make the folder '{folder}': {reason(error)}") from None
    for path in existing:
        if read_text(path, "PDDL file") != texts[path]:
            raise InputError(f"'{path}' exists and is different; choose another --output")
    for path, text in texts.items():
        write_text(path, text, "PDDL file")
    click.echo(f"wrote {folder / 'domain.pddl'} and {len(family.problems)} problem(s)")


if __name__ == "__main__":
    main()
