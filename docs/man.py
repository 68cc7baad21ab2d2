"""The manual page of the command line, `docs/sing.1`, made from the commands; generate.py writes it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import click

from sing.base.outcome import Status
from sing.cli.help import every_command, groups_of
from sing.cli.main import cli

PAGE = Path(__file__).with_name("sing.1")


def page() -> str:
    """The page as roff."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield f'.TH SING 1 "" "sing {version("sing-planner")}" "User commands"'
    yield from (".SH NAME", r"sing \- a planner that teaches itself its heuristic", ".SH SYNOPSIS")
    for name, command in every_command(cli, "sing"):
        yield from (".br", rf"\fB{_text(name)}\fR {_text(_arguments(command, name))}")
    yield ".SH DESCRIPTION"
    yield from _paragraphs(cli.help)
    for name, command in every_command(cli, "sing"):
        yield f".SH {_text(name.upper())}"
        yield from _paragraphs(command.help)
        context = click.Context(command, info_name=name)
        for group, options in groups_of(command, context).items():
            yield f'.SS "{_text(group)}"'
            for record in filter(None, (option.get_help_record(context) for option in options)):
                yield from (".TP", rf"\fB{_text(record[0])}\fR", _text(record[1]))
    yield ".SH EXIT STATUS"
    for status in Status:
        yield from (".TP", rf"\fB{status.exit_code}\fR", _text(status.words))
    yield from (".TP", r"\fB30\fR to \fB36\fR", "an error; the last line on standard error says which")
    yield ".SH FILES"
    yield from (".TP", r"\fBsas_plan\fR", "the plan, in the format of the IPC")
    yield ".SH SEE ALSO"
    yield "The documentation in the folder docs of the sources: tutorial, configurations, files, Python."


def _arguments(command: click.Command, name: str) -> str:
    return " ".join(command.collect_usage_pieces(click.Context(command, info_name=name)))


def _paragraphs(text: str | None) -> Iterator[str]:
    for paragraph in inspect.cleandoc(text or "").split("\n\n"):
        yield from (".PP", _text(" ".join(paragraph.split())))


def _text(text: str) -> str:
    """Escaped for roff: a backslash, a hyphen that is to stay one, and a dot or quote that would begin a request."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-")
    return re.sub(r"^([.'])", r"\\&\1", escaped)
