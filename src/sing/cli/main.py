"""The command line."""

from __future__ import annotations

import io
import os
import sys
import traceback
from contextlib import suppress
from typing import NoReturn

import click

from sing.base.budget import LimitReached
from sing.base.errors import InputError, SingError
from sing.base.files import reason
from sing.base.outcome import Status
from sing.base.signals import exit_at_once, on_signals
from sing.base.words import printable, shortened
from sing.cli.help import Group

# Characters of a message: names in it come from inputs and may be of any length.
_MAX_MESSAGE = 1900
# The commands by name, in the order of first use.
_COMMANDS = {
    "solve": "sing.cli.solve:solve_command",
    "validate": "sing.cli.validate:validate_command",
    "configs": "sing.cli.configs:configs_command",
    "compare": "sing.cli.compare:compare_command",
    "learn": "sing.cli.learn:learn_command",
    "inspect": "sing.cli.inspect:inspect_command",
    "sample": "sing.cli.sample:sample_command",
    "translate": "sing.cli.translate:translate_command",
    "generate": "sing.cli.generate:generate_group",
}


def main(start_s: float) -> NoReturn:
    """Maps outcomes and errors to exit codes, never shows a traceback for a user's mistake.

    The program started when the clock of the system said `start_s`.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character must not end a run
    code = _run(start_s)
    on_signals(exit_at_once)  # Python is about to end, and a signal now must not make it show a traceback
    sys.exit(code)


def _run(start_s: float) -> int:
    try:
        return cli.main(standalone_mode=False, obj=start_s) or 0
    except (click.exceptions.Abort, KeyboardInterrupt):
        return Status.INTERRUPTED.exit_code
    except SystemExit as end:  # a signal
        return end.code if isinstance(end.code, int) else SingError.exit_code
    except click.exceptions.NoArgsIsHelpError as error:  # bare `sing` shows its help
        click.echo(error.format_message())
        return 0
    except click.ClickException as error:
        return _complain(error.format_message(), InputError.exit_code)
    except SingError as error:
        return _complain(str(error), error.exit_code)
    except LimitReached as limit:
        return _complain(limit.status.words, limit.status.exit_code)
    except BrokenPipeError:  # the program that reads our output has ended, as in `sing configs | head -1`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:  # the streams themselves: a full disk behind standard output
        return _complain(reason(error), InputError.exit_code)
    except Exception:
        traceback.print_exc()
        return _complain("an internal error, please report it", SingError.exit_code)


def _complain(message: str, exit_code: int) -> int:
    text = shortened(" ".join(printable(message).split()), _MAX_MESSAGE)
    with suppress(OSError):  # the exit code tells it, too
        print(f"sing: error: {text}", file=sys.stderr)
    return exit_code


@click.group(cls=Group, places=_COMMANDS, context_settings={"max_content_width": 110})
@click.version_option(package_name="sing-planner", prog_name="sing", help="Print the version and exit.")
def cli() -> None:
    """A planner that teaches itself its heuristic: from one PDDL problem, in seconds.

    Start with `sing solve DOMAIN.pddl PROBLEM.pddl`; `sing COMMAND --help` explains each command.
    """
