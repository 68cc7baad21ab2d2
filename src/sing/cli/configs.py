"""`sing configs`: lists the configurations, or the fields of one."""

from __future__ import annotations

import click
from rich.console import Console
from rich.table import Table

from sing.base.knobs import knobs, text_of
from sing.cli.help import Command
from sing.planners.configs import CONFIGS, DEFAULT_CONFIG, get_config
from sing.planners.planner import Planner

_COLUMNS = ("heuristic", "queues", "ties", "vector", "space", "strategy", "loss", "hidden", "samples")
# A pipe has no width to fit into.
_PIPE_WIDTH = 200


@click.command("configs", cls=Command)
@click.argument("name", required=False)
def configs_command(name: str | None) -> None:
    """List the configurations, or the fields of one with their values and meanings.

    `sing solve --set FIELD=VALUE` changes a field for a run.
    """
    console = Console()
    if not console.is_terminal:
        console.width = _PIPE_WIDTH
    if name is None:
        console.print(_list())
        return
    config = get_config(name)
    console.print(f"{config.name}: {config.description}", highlight=False, markup=False)
    for planner in config.parts:
        console.print()
        if planner is not config:
            console.print(f"member {planner.name}", highlight=False, markup=False)
        console.print(_fields(planner))


def _list() -> Table:
    table = Table("name", *_COLUMNS, "what", box=None, header_style="bold")
    for config in CONFIGS.values():
        name = f"{config.name} (default)" if config.name == DEFAULT_CONFIG else config.name
        table.add_row(name, *(config.columns.get(column, "") for column in _COLUMNS), config.description)
    return table


def _fields(planner: Planner) -> Table:
    table = Table("field", "value", "meaning", box=None, header_style="bold")
    for entry in knobs(planner):
        if not entry.is_part or entry.value is None:
            table.add_row(entry.short_name, text_of(entry.value), entry.meaning)
    return table
