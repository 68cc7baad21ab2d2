"""`sing validate`: checks whether a plan is valid."""

from __future__ import annotations

import click

from sing.base.budget import Budget, LimitReached
from sing.base.errors import InputError, PlanError, UnsupportedError
from sing.base.files import read_text
from sing.cli.help import Command, option
from sing.cli.options import OUTPUT, limit_options
from sing.cli.session import exit_code_of, interruptible
from sing.task.plan import parse_ipc, replay
from sing.translate.translator import KEEP_ALL_OPERATORS, read_task, translate


@click.command("validate", cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="DOMAIN PROBLEM PLAN | TASK.sas PLAN")
@limit_options
@option("-q", "--quiet", is_flag=True, group=OUTPUT, help="Print nothing if the plan is valid.")
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
    if names and task.is_emptied and task.initial_state[0] == task.goal[0].value:
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
