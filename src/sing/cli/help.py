"""What every command has in common: help in groups, and wrong names that are told the nearest right one."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from sing.base.names import nearest, unknown
from sing.base.signals import exit_in_order, on_signals

# Of options that name no group: those that click adds, such as --help.
_OTHER = "Other"


class Option(click.Option):
    """An option that stands in a group of the help text."""

    def __init__(self, *args: Any, group: str = _OTHER, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.group = group


def option(*names: str, group: str, help: str, **attributes: Any) -> Callable[[Any], Any]:
    """Like click.option, with a group; every option says in a sentence what it does."""
    if str(attributes.get("metavar", "")).startswith(("FILE", "MODEL", "DIR")):
        attributes["shell_complete"] = complete_files
    return click.option(*names, cls=Option, group=group, help=help, **attributes)


def groups_of(command: click.Command, context: click.Context) -> dict[str, list[click.Parameter]]:
    """The options of a command by group, in the order in which help shows them."""
    groups: dict[str, list[click.Parameter]] = {}
    for parameter in command.get_params(context):
        if isinstance(parameter, click.Option) and not parameter.hidden:
            groups.setdefault(getattr(parameter, "group", _OTHER), []).append(parameter)
    return groups


class _WithHelp(click.Command):
    """Names the options for help in one place: click keeps those of the first context that it sees."""

    def get_help_option_names(self, ctx: click.Context) -> list[str]:
        return ["-h", "--help"]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            names = [name for parameter in self.get_params(ctx) for name in parameter.opts if name.startswith("-")]
            near = nearest(error.option_name, names)
            hint = f"did you mean {near[0]}?" if near else f"`{ctx.command_path} --help` lists them"
            raise click.UsageError(f"there is no option '{error.option_name}'; {hint}", ctx) from None


class Command(_WithHelp):
    """A command whose help shows its options in groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _write_groups(self, ctx, formatter)

    def invoke(self, ctx: click.Context) -> Any:
        """Until here a signal ends the program at once: some modules pass over all exceptions while they are imported.

        From here on it unwinds; commands handle signals better while they plan.
        """
        on_signals(exit_in_order)
        return super().invoke(ctx)


class Group(_WithHelp, click.Group):
    """A command with commands of its own. Its help gives the whole first sentence of each.

    `places` names commands that are imported when they are used, as in `module:name`: a command does not wait for what
    only others need.
    """

    command_class = Command

    def __init__(self, *args: Any, places: dict[str, str] | None = None, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self._places = places or {}

    def named(self, name: str) -> click.Command:
        """The command of this name. Raises KeyError."""
        if name in self._places and name not in self.commands:
            module, _, attribute = self._places[name].partition(":")
            self.add_command(getattr(importlib.import_module(module), attribute), name)
        return self.commands[name]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(name, summary(self.named(name))) for name in self.list_commands()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
        _write_groups(self, ctx, formatter)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args[:1] == ["help"]:  # `sing help solve` means `sing solve --help`
            args = [*args[1:], "--help"]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context | None = None) -> list[str]:
        """In the order in which they were added, which is that of first use."""
        return [*self._places, *(name for name in self.commands if name not in self._places)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return self.named(cmd_name) if cmd_name in self.list_commands() else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        names = self.list_commands(ctx)
        if name not in names and not name.startswith("-") and not ctx.resilient_parsing:
            what = self.subcommand_metavar.split()[0].lower()
            if "solve" in names and Path(name).exists():
                raise click.UsageError(f"'{name}' is a file and no {what}; to solve it, write `sing solve {name} …`")
            raise click.UsageError(unknown(what, name, names), ctx)
        return super().resolve_command(ctx, args)


def every_command(group: Group, name: str) -> Iterator[tuple[str, click.Command]]:
    """All commands that do something, by what one types, where `name` is what one types for the group."""
    for word in group.list_commands():
        command = group.named(word)
        if isinstance(command, Group):
            yield from every_command(command, f"{name} {word}")
        else:
            yield f"{name} {word}", command


def complete_files(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Tells a shell to complete names of files."""
    return [CompletionItem(incomplete, type="file")]


def complete(names: Iterable[str]) -> Callable[..., list[str]]:
    """Tells a shell to complete one of several names."""
    return lambda context, parameter, incomplete: [name for name in names if name.startswith(incomplete)]


def summary(command: click.Command) -> str:
    """The first paragraph of a command's help."""
    return " ".join((command.help or "").split("\n\n")[0].split())


def _write_groups(command: click.Command, context: click.Context, formatter: click.HelpFormatter) -> None:
    for group, parameters in groups_of(command, context).items():
        records = [parameter.get_help_record(context) for parameter in parameters]
        with formatter.section(group):
            formatter.write_dl([record for record in records if record])


class Choice(click.Choice[str]):
    """One of several names; `what` they name is said in errors."""

    def __init__(self, what: str, choices: Iterable[str]) -> None:
        super().__init__(tuple(choices))
        self._what = what

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        return unknown(self._what, str(value), self.choices)


class WholeNumber(click.ParamType):  # type: ignore[type-arg]  # older clicks have none
    """A whole number between two bounds, which errors name and help does not."""

    name = "n"

    def __init__(self, least: int, most: int) -> None:
        self._least, self._most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            number = int(value)
        except ValueError:
            self.fail(f"'{value}' is not a whole number", param, ctx)
        if not self._least <= number <= self._most:
            self.fail(f"{number} is not between {self._least} and {self._most}", param, ctx)
        return number
