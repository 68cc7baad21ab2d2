"""Options that several commands share, and what they become."""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Callable
from typing import Any

import click

from sing.base.budget import parse_memory_bytes, parse_time_s
from sing.base.knobs import UnknownFieldError, knobs
from sing.base.names import listed
from sing.cli.help import Choice, WholeNumber, complete, complete_files, option
from sing.learning.learn import LearningConfig
from sing.learning.value_iteration import ValueIterationConfig
from sing.networks.training import TrainingConfig
from sing.planners.planner import AnyPlanner, Planner
from sing.planners.single import Config
from sing.samples.sampling import SamplingConfig
from sing.search.beam import BeamConfig
from sing.search.search import SearchConfig
from sing.translate.translator import TRANSLATORS

Decorator = Callable[[Any], Any]

# The groups of help texts.
PLANNER, LIMITS, OUTPUT = "What to run", "Limits and seed", "Output"
SEARCH = "How to search (short for --set, where the configuration has such a field)"
SAMPLING = "What to learn from (short for --set, where the configuration has such a field)"
TRAINING = "How to learn (short for --set, where the configuration has such a field)"


def parsed(parse: Callable[[str], Any]) -> Callable[..., Any]:
    """A click callback that parses an option's text where it was given."""
    return lambda context, parameter, text: None if text is None else parse(text)


def _group(*options: Decorator) -> Decorator:
    def decorate(command: Any) -> Any:
        for one in reversed(options):
            command = one(command)
        return command

    return decorate


def files_argument(metavar: str) -> Decorator:
    return click.argument("files", nargs=-1, required=True, metavar=metavar, shell_complete=complete_files)


output_options = _group(
    option(
        "-q", "--quiet", is_flag=True, group=OUTPUT,
        help="Print nothing but errors and what `-` sends to standard output.",
    ),
    option(
        "-v", "--verbose", "verbosity", count=True, group=OUTPUT,
        help="Print more: all fields of the configuration and a line a second; -vv: every progress report.",
    ),
    option(
        "--log", "log_file", metavar="FILE", group=OUTPUT,
        help="Write each line that is printed to this file, too, with its time; also those that -q keeps back.",
    ),
)  # fmt: skip
seed_option = option(
    "--seed", default=0, show_default=True, type=WholeNumber(0, 2**64 - 1), group=LIMITS,
    help="The seed of all random choices: the same seed gives the same plan.",
)  # fmt: skip


def _complete_config(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    from sing.planners.configs import CONFIGS  # which a run without such a name need not wait for

    return complete(CONFIGS)(context, parameter, incomplete)


def config_option(default: str) -> Decorator:
    return option(
        "--config", "config_name", metavar="NAME", group=PLANNER, shell_complete=_complete_config,
        help=f"The configuration: a planner by name; `sing configs` lists them.  [default: {default}]",
    )  # fmt: skip


def jobs_option(help: str) -> Decorator:
    return option("--jobs", default=1, show_default=True, type=WholeNumber(1, 1024), group=LIMITS, help=help)


limit_options = _group(
    option(
        "--time-limit", "time_limit_s", default="30m", show_default=True, callback=parsed(parse_time_s),
        metavar="TIME", group=LIMITS, help="Time for everything together, such as 90, 90s, 30m or 2h.",
    ),
    option(
        "--memory-limit", "memory_limit_bytes", callback=parsed(parse_memory_bytes), metavar="SIZE", group=LIMITS,
        help="Memory for everything together, such as 512M or 8G.  "
        "[default: 8G, or 9/10 of the free memory where that is less]",
    ),
)  # fmt: skip

translator_option = option(
    "--translator", default=TRANSLATORS[0], show_default=True, type=Choice("translator", TRANSLATORS), group=PLANNER,
    help="Who makes a task of PDDL: sing itself, or Fast Downward's translator where that is installed.",
)  # fmt: skip

set_option = option(
    "--set", "settings", multiple=True, metavar="FIELD=VALUE", group=PLANNER,
    help="Change a field of the configuration, as in search.queues=h,nh; `sing configs NAME` lists them. Repeatable.",
)  # fmt: skip


def _field(part: type, name: str, group: str, *names: str, metavar: str | None = None) -> Decorator:
    """An option named like a field of a configuration, with its meaning; not given, it is None."""
    field = next(field for field in dataclasses.fields(part) if field.name == name)
    meaning, choices, parse = (field.metadata[key] for key in ("meaning", "choices", "parse"))
    attributes: dict[str, Any] = {"metavar": metavar}
    kind = _kind(part, name)
    if choices:
        attributes = {"type": Choice(name, choices)}
    elif parse is not None:
        attributes["callback"] = parsed(parse)
    elif kind is bool:
        attributes = {"is_flag": True, "default": None}
    else:
        attributes |= {"type": kind, "metavar": metavar or ("N" if kind is int else "NUMBER")}
    words = meaning.removeprefix("whether ")
    return option(
        *(names or (_option_name(name),)), name, group=group, help=f"{words[0].upper()}{words[1:]}.", **attributes
    )


def _kind(part: type, name: str) -> Any:
    kind = _type_hints(part)[name]
    return typing.get_args(kind)[0] if isinstance(kind, types.UnionType) else kind


_type_hints = functools.cache(typing.get_type_hints)


def _option_name(field: str) -> str:
    """
    >>> _option_name("learn_time_s")
    '--learn-time'
    """
    return f"--{field.removesuffix('_s').replace('_', '-')}"


search_options = _group(
    _field(Config, "algorithm", SEARCH, "--search"),
    _field(BeamConfig, "width", SEARCH),
    _field(SearchConfig, "queues", SEARCH, metavar="Q,Q,…"),
    _field(SearchConfig, "ties", SEARCH),
    _field(Config, "shorten_share", SEARCH, metavar="SHARE"),
)
sampling_options = _group(
    _field(SamplingConfig, "space", SAMPLING),
    _field(SamplingConfig, "strategy", SAMPLING),
    _field(SamplingConfig, "collect", SAMPLING),
    _field(SamplingConfig, "nsearches", SAMPLING),
    _field(SamplingConfig, "nsamples", SAMPLING),
    _field(SamplingConfig, "max_depth", SAMPLING, metavar="N|facts"),
    _field(SamplingConfig, "completion", SAMPLING),
    _field(SamplingConfig, "consistent_starts", SAMPLING),
    _field(SamplingConfig, "min_label", SAMPLING),
)
training_options = _group(
    _field(LearningConfig, "encoding", TRAINING),
    _field(TrainingConfig, "hidden", TRAINING, metavar="WIDTHS"),
    _field(TrainingConfig, "loss", TRAINING),
    _field(TrainingConfig, "underestimate_weight", TRAINING, metavar="WEIGHT"),
    _field(TrainingConfig, "batch_size", TRAINING),
    _field(TrainingConfig, "learning_rate", TRAINING, metavar="RATE"),
    _field(TrainingConfig, "max_epochs", TRAINING),
    _field(TrainingConfig, "patience", TRAINING),
    _field(ValueIterationConfig, "iterations", TRAINING, "--iterations", "--rounds"),
    _field(LearningConfig, "learn_time_s", TRAINING, metavar="TIME"),
    _field(TrainingConfig, "trainer", TRAINING),
    _field(TrainingConfig, "device", TRAINING, metavar="NAME"),
)
learning_options = _group(sampling_options, training_options)

# Options with another name than their field.
_FIELDS = {"iterations": "value_iteration.iterations"}
_SEARCH_FIELDS = ("algorithm", "width", "queues", "ties", "shorten_share", "device")


def adjusted(planner: AnyPlanner, overrides: dict[str, Any], settings: tuple[str, ...]) -> AnyPlanner:
    """The configuration with what the options and --set change. Raises InputError."""
    values = {_FIELDS.get(name, name): value for name, value in overrides.items()}
    try:
        return planner.override(**values).with_settings(settings)
    except UnknownFieldError as error:
        from sing.planners.configs import CONFIGS

        having = [config.name for config in CONFIGS.values() if _has(config, error.field)]
        if not having:
            raise
        raise UnknownFieldError(
            f"configuration '{planner.name}' has no field '{error.field}'; these have it: {listed(having)}", error.field
        ) from None


def _has(config: Planner, field: str) -> bool:
    return any(entry.answers_to(field) for part in config.parts for entry in knobs(part))


def given_learning_options(overrides: dict[str, Any]) -> list[str]:
    """The given options that are about learning, as the user writes them."""
    given = [name for name, value in overrides.items() if value is not None and name not in _SEARCH_FIELDS]
    return [_option_name(name) for name in given]
