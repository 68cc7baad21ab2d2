"""What every command does around its work: signals, exit codes, and the stream it prints to."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from sing.base.budget import Budget
from sing.base.errors import InputError
from sing.base.files import descriptor
from sing.base.outcome import Status
from sing.base.signals import ENDING
from sing.base.words import printable
from sing.cli.lines import Lines, is_drawn_on
from sing.planners.planner import Planner
from sing.report.console import ConsoleReporter, Printer


@contextmanager
def interruptible(budget: Budget) -> Iterator[list[int]]:
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

    before = {number: signal.signal(number, handler) for number in ENDING}
    try:
        yield received
    finally:
        for number, old_handler in before.items():
            signal.signal(number, old_handler)


def start_budget(time_limit_s: float, memory_limit_bytes: int | None) -> Budget:
    """The limits of a command, whose time began with the program."""
    return Budget(time_limit_s, memory_limit_bytes, start_s=click.get_current_context().obj)


def exit_code_of(status: Status, received: list[int]) -> int:
    """The exit code of the status; for an interruption 128 plus the number of the signal."""
    return 128 + received[0] if status is Status.INTERRUPTED and received else status.exit_code


def make_console(quiet: bool, *, stderr: bool = False, log_file: str | None = None) -> Printer:
    """The stream of a command, which also ends the log when the command ends. Raises InputError."""
    log = None
    if log_file is not None:
        from sing.cli.log import Log

        log = click.get_current_context().with_resource(Log(log_file))
    if not is_drawn_on(sys.stderr if stderr else sys.stdout):
        return Lines(stderr=stderr, quiet=quiet, log=log)
    from sing.cli.terminal import Terminal

    return Terminal(stderr=stderr, quiet=quiet, log=log)


def announce(reporter: ConsoleReporter, planner: Planner, seed: int, budget: Budget) -> None:
    """The first line of a run; people who want more get the fields of the configuration."""
    reporter.say(f"config {planner.name}, seed {seed}, limits {limit_text(budget)}")
    if not reporter.verbosity:
        return
    from sing.cli.configs import fields

    for part in planner.parts:
        for name, value, _ in fields(part):
            reporter.say(f"  {name}={value}")


def say(text: str, stderr: bool = False) -> None:
    """Print a line, for commands that need no console."""
    click.echo(printable(text), err=stderr)


def limit_text(budget: Budget) -> str:
    return f"{budget.time_limit_s:g} s and {budget.memory_limit_bytes >> 20:,} MiB"


def check_task_files(files: tuple[str, ...]) -> None:
    if len(files) > 2:
        raise InputError("give a domain and one problem, or one SAS file")
    check_one_standard_input(files)


def check_one_standard_input(files: tuple[str, ...]) -> None:
    if sum(descriptor(file, of_dash=0) == 0 for file in files) > 1:
        raise InputError("standard input can be one of the files only")
