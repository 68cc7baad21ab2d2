"""Options that several commands share, and what they become."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from sing.base.budget import parse_memory_bytes, parse_time_s
from sing.networks.encoding import ENCODINGS
from sing.networks.training import LOSSES, TRAINERS, parse_hidden
from sing.planners.planner import AnyPlanner
from sing.samples.sampling import COLLECTIONS, COMPLETIONS, SPACES, STRATEGIES, parse_depth
from sing.search.search import TIES, parse_queues

Command = Callable[..., Any]


def _parsed(parse: Callable[[str], Any]) -> Callable[..., Any]:
    """A click callback that parses an option's text where it was given."""
    return lambda context, parameter, text: None if text is None else parse(text)


def _group(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


problems_argument = click.argument("files", nargs=-1, required=True, metavar="DOMAIN PROBLEM… | TASK.sas")
files_argument = click.argument("files", nargs=-1, required=True, metavar="DOMAIN PROBLEM | TASK.sas")
quiet_option = click.option(
    "--quiet", is_flag=True, help="Print nothing but errors and what `-` sends to standard output."
)
seed_option = click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(0, 2**64 - 1), help="Seed of all random choices."
)

limit_options = _group(
    click.option(
        "--time-limit", "time_limit_s", default="30m", show_default=True, callback=_parsed(parse_time_s),
        metavar="TIME", help="For everything together: 90, 90s, 30m, 2h.",
    ),
    click.option(
        "--memory-limit", "memory_limit_bytes", callback=_parsed(parse_memory_bytes), metavar="SIZE",
        help="As in 512M or 8G.  [default: 8G, or 9/10 of the free memory where that is less]",
    ),
)  # fmt: skip

set_option = click.option(
    "--set", "settings", multiple=True, metavar="FIELD=VALUE",
    help="Change a field of the configuration, as in search.queues=h,nh; `sing configs NAME` lists them. Repeatable.",
)  # fmt: skip

# Options below are short for --set and named like the fields they replace; not given, they are None.
search_options = _group(
    click.option(
        "--queues", callback=_parsed(parse_queues), metavar="Q,Q,…",
        help="Queues of the open list that take turns, such as nh,h,noh,o.",
    ),
    click.option("--ties", type=click.Choice(TIES), help="Order among states that a queue ranks equal."),
    click.option(
        "--shorten-share", type=click.FloatRange(0), metavar="SHARE",
        help="Make plans shorter, for this share of the search's work; 0: not at all.",
    ),
)  # fmt: skip

sampling_options = _group(
    click.option("--space", type=click.Choice(SPACES), help="Backward search space."),
    click.option("--strategy", type=click.Choice(STRATEGIES), help="Strategy of the backward searches."),
    click.option("--collect", type=click.Choice(COLLECTIONS), help="Which states of a search are samples."),
    click.option("--nsearches", type=click.IntRange(1), help="Backward searches."),
    click.option("--nsamples", type=click.IntRange(1), help="Samples per search."),
    click.option(
        "--max-depth", callback=_parsed(parse_depth), metavar="N|facts",
        help="Depth limit; `facts`: number of atoms / mean effects.",
    ),
    click.option("--completion", type=click.Choice(COMPLETIONS), help="How undefined values are completed."),
    click.option("--consistent-starts", is_flag=True, default=None, help="Draw full starts free of mutexes."),
    click.option(
        "--min-label", is_flag=True, default=None, help="Of equal states keep only the one with the least label."
    ),
)  # fmt: skip

training_options = _group(
    click.option(
        "--encoding", type=click.Choice(ENCODINGS), help="Inputs: one bit per atom, or one number per variable."
    ),
    click.option(
        "--hidden", callback=_parsed(parse_hidden), metavar="4x64",
        help="Hidden layers: number x width, or widths as in 128,64.",
    ),
    click.option("--loss", type=click.Choice(LOSSES), help="Relative or mean squared error."),
    click.option(
        "--underestimate-weight", type=float, metavar="W", help="Multiply the loss by W where an estimate is too low."
    ),
    click.option("--batch-size", type=click.IntRange(1, 1 << 20), metavar="N"),
    click.option("--learning-rate", type=float, metavar="RATE"),
    click.option("--max-epochs", type=click.IntRange(1, 1 << 20), metavar="N"),
    click.option(
        "--patience", type=click.IntRange(1, 1 << 20), metavar="N", help="Epochs without progress before it stops."
    ),
    click.option(
        "--iterations", "--rounds", "iterations", type=click.IntRange(0, 1 << 20), metavar="N",
        help="Iterations of value iteration after the first training.",
    ),
    click.option(
        "--learn-time", "learn_time_s", callback=_parsed(parse_time_s), metavar="TIME",
        help="At most this long for sampling and training together.",
    ),
    click.option("--trainer", type=click.Choice(TRAINERS), help="`torch` needs the extra of that name."),
    click.option("--device", metavar="NAME", help="For --trainer torch: cpu, cuda, …"),
)  # fmt: skip
learning_options = _group(sampling_options, training_options)

# Options with another name than their field.
_FIELDS = {"iterations": "value_iteration.iterations"}
_SEARCH_FIELDS = ("queues", "ties", "shorten_share")


def adjusted(planner: AnyPlanner, overrides: dict[str, Any], settings: tuple[str, ...]) -> AnyPlanner:
    """The configuration with what the options and --set change. Raises InputError."""
    return planner.override(**{_FIELDS.get(name, name): value for name, value in overrides.items()}).with_settings(
        settings
    )


def given_learning_options(overrides: dict[str, Any]) -> list[str]:
    """The given options that are about learning, as the user writes them."""
    given = [name for name, value in overrides.items() if value is not None and name not in _SEARCH_FIELDS]
    return [f"--{name.removesuffix('_s').replace('_', '-')}" for name in given]
