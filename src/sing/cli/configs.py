"""`sing configs`: lists the configurations, or the fields of one."""

from __future__ import annotations

from collections.abc import Iterator

import click

from sing.base.knobs import knobs, text_of
from sing.cli.help import Command, complete
from sing.planners.configs import CONFIGS, DEFAULT_CONFIG, get_config
from sing.planners.planner import Planner

# Columns at most; wider lines are harder to read.
_MAX_WIDTH = 100


@click.command("configs", cls=Command)
@click.argument("name", required=False, shell_complete=complete(CONFIGS))
def configs_command(name: str | None) -> None:
    """List the configurations, or the fields of one with their values and meanings.

    `sing solve --set FIELD=VALUE` changes a field for a run.
    """
    formatter = click.HelpFormatter(max_width=_MAX_WIDTH)
    if name is None:
        formatter.write_dl([(_title(config), config.description) for config in CONFIGS.values()])
        formatter.write_paragraph()
        formatter.write_text("`sing configs NAME` lists the fields of one, with their values and meanings.")
    else:
        _write_fields(get_config(name), formatter)
    click.echo(formatter.getvalue(), nl=False)


def _title(config: Planner) -> str:
    return f"{config.name} (default)" if config.name == DEFAULT_CONFIG else config.name


def _write_fields(config: Planner, formatter: click.HelpFormatter) -> None:
    formatter.write(f"{_title(config)}\n")
    with formatter.indentation(), formatter.indentation():
        formatter.write_text(config.description)
    for planner in config.parts:
        formatter.write_paragraph()
        if planner is not config:
            formatter.write_text(f"member {planner.name}")
            formatter.write_paragraph()
        for name, value, meaning in fields(planner):
            formatter.write(f"{name}={value}\n")
            with formatter.indentation(), formatter.indentation():
                formatter.write_text(meaning)


def fields(planner: Planner) -> Iterator[tuple[str, str, str]]:
    """The name of each field that can be set, its value as one writes it, and its meaning."""
    for entry in knobs(planner):
        if not entry.is_part or entry.value is None:
            yield entry.short_name, text_of(entry.value), entry.meaning
