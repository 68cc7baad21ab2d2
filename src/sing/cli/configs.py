"""`sing configs`: what there is."""

from __future__ import annotations

import click
from rich.console import Console
from rich.table import Table

from sing.planners.configs import CONFIGS, DEFAULT_CONFIG, Chorus, Config, Portfolio
from sing.search.search import FALLBACK_HEURISTIC


@click.command("configs")
def configs_command() -> None:
    """List the configurations."""
    columns = (
        "name",
        "heuristic",
        "queues",
        "ties",
        "vector",
        "space",
        "strategy",
        "loss",
        "hidden",
        "samples",
        "what",
    )
    table = Table(*columns, box=None, header_style="bold")
    for config in CONFIGS.values():
        name = f"{config.name} (default)" if config.name == DEFAULT_CONFIG else config.name
        if isinstance(config, Portfolio):
            members = " + ".join(member.name for member in config.members)
            table.add_row(name, members, *[""] * 8, config.description)
            continue
        search = config.search
        table.add_row(
            name,
            _heuristic_column(config),
            ",".join(search.queues),
            search.ties,
            *_learning_columns(config),
            config.description,
        )
    console = Console()
    if not console.is_terminal:
        console.width = 200  # a pipe has no width to fit into
    console.print(table)


def _heuristic_column(config: Config | Chorus) -> str:
    if isinstance(config, Chorus):
        return "voices" if config.voices else FALLBACK_HEURISTIC
    return config.search.heuristic


def _learning_columns(config: Config | Chorus) -> tuple[str, ...]:
    if isinstance(config, Chorus):
        hidden = f"1×{config.training.hidden[0]}"
        return ("boolean", "r", "bfs", config.training.loss, hidden, "") if config.voices else ("",) * 6
    if config.learning is None:
        return ("",) * 6
    sampling, training = config.learning.sampling, config.learning.training
    widths = sorted(set(training.hidden))
    hidden = f"{len(training.hidden)}×{widths[0]}" if len(widths) == 1 else ",".join(map(str, training.hidden))
    return (
        config.learning.encoding,
        sampling.space,
        sampling.strategy,
        training.loss,
        hidden,
        f"{sampling.nsearches}×{sampling.nsamples}",
    )
