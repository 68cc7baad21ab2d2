"""The command line."""

from __future__ import annotations

import io
import os
import signal
import sys
import traceback
from importlib.metadata import version

import click

from sing.base.errors import InputError, SingError
from sing.base.files import reason
from sing.base.outcome import Status
from sing.cli.configs import configs_command
from sing.cli.generate import generate_group
from sing.cli.help import Group
from sing.cli.learn import learn_command
from sing.cli.sample import sample_command
from sing.cli.solve import solve_command
from sing.cli.validate import validate_command


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
    except BrokenPipeError:  # the program that reads our output has ended, as in `sing configs | head -1`
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


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(version("sing-planner"), prog_name="sing", help="Print the version and exit.")
def cli() -> None:
    """A planner that teaches itself its heuristic: from one PDDL problem, in seconds.

    Start with `sing solve DOMAIN.pddl PROBLEM.pddl`; `sing COMMAND --help` explains each command.
    """


for command in (solve_command, validate_command, configs_command, learn_command, sample_command, generate_group):
    cli.add_command(command)


if __name__ == "__main__":
    main()
