"""`sing validate`: checks whether a plan is valid."""

from __future__ import annotations

import click

from sing.base.budget import Budget, LimitReached
from sing.base.errors import InputError, PlanError, UnsupportedError
from sing.base.files import read_text
from sing.cli.help import Command, option
from sing.cli.options import OUTPUT, files_argument, limit_options, translator_option
from sing.cli.session import check_one_standard_input, exit_code_of, interruptible, say, start_budget
from sing.task.plan import Plan
from sing.task.task import Task
from sing.task.validation import Happening, parse_ipc, replay
from sing.translate.translator import read_task, translate

_FILES = "a domain, a problem and a plan, or a SAS file and a plan"
# Characters of a file that tell PDDL, behind a comment or two, from a plan.
_BEGINNING = 2000


@click.command("validate", cls=Command)
@files_argument("DOMAIN PROBLEM PLAN | TASK.sas PLAN")
@translator_option
@limit_options
@option("-q", "--quiet", is_flag=True, group=OUTPUT, help="Print nothing if the plan is valid.")
def validate_command(
    files: tuple[str, ...], translator: str, time_limit_s: float, memory_limit_bytes: int | None, quiet: bool
) -> int:
    """Check a plan by executing it. Exit code 0: valid, 1: not valid, others: no verdict.

    Steps with time stamps happen in the order of these, and those of one time together, as in VAL.
    """
    budget = start_budget(time_limit_s, memory_limit_bytes)
    if len(files) not in (2, 3):
        raise InputError(f"give {_FILES}")
    check_one_standard_input(files)
    *task_files, plan_file = files
    doing = "reading the plan"
    with interruptible(budget) as received:
        try:
            text = read_text(plan_file, "plan", budget)
            if "(define" in text.text[:_BEGINNING].lower():
                raise InputError(f"'{text}' is PDDL and not a plan; give {_FILES}")
            happenings = parse_ipc(text.text, f"plan '{text}'", budget)
            doing = "translating" if len(task_files) > 1 else "reading the task"
            task = _read(task_files, translator, budget)
            doing = "replaying"
            plan = _replay(task, happenings, f"plan '{text}'", budget)
        except LimitReached as limit:
            say(f"no verdict: {limit.status.words} while {doing}")
            return exit_code_of(limit.status, received)
    if not quiet:
        say(f"plan valid: {len(plan)} operators, cost {plan.cost}")
    return 0


def _read(files: list[str], translator: str, budget: Budget) -> Task:
    domain, *problem = files
    if not problem:
        return read_task(domain, budget)
    return translate(domain, problem[0], budget, keeps_all=True, translator=translator)


def _replay(task: Task, happenings: list[Happening], source: str, budget: Budget) -> Plan:
    if happenings and task.is_emptied and task.initial_state[0] == task.goal[0].value:
        raise UnsupportedError(
            "the goal is static and true: any plan that can be executed is valid, and that is not checked"
        )
    try:
        return replay(task, happenings, budget)
    except PlanError as error:
        raise PlanError(f"{source} is not valid: {error}") from None
