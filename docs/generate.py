"""What the site says about the code, taken from the code: a hook of mkdocs (see mkdocs.yml).

A page asks for a generated part with the line `<!-- generate: cli -->`, and for a piece of source with a code block
of one line, `# include: FILE` or `// include: FILE, class NAME`. In a plain view of the repository both stay as they
are. Nothing generated is kept in the repository.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from sing.base import errors
from sing.base.outcome import Status
from sing.cli.main import cli
from sing.learning.learn import LearningConfig
from sing.learning.value_iteration import ValueIterationConfig
from sing.learning.voices import VoicesConfig
from sing.networks.training import TrainingConfig
from sing.planners.configs import CONFIGS, AnyConfig, Chorus, Config, Portfolio
from sing.samples.sampling import SamplingConfig
from sing.search.search import SearchConfig

ROOT = Path(__file__).parent.parent
# Pages of the site that stand elsewhere in the repository.
ELSEWHERE = {"contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}
# The parts that a configuration is made of, and what options of them are about.
PARTS: dict[type, str] = {
    SearchConfig: "Search",
    LearningConfig: "Learning one network",
    SamplingConfig: "Sampling",
    TrainingConfig: "Training",
    ValueIterationConfig: "Value iteration",
    VoicesConfig: "What voices learn from",
    Chorus: "Chorus",
    Config: "Any other configuration",
}


# --- the hooks ---


def on_files(files: Any, config: Any) -> Any:
    from mkdocs.structure.files import File

    for page, source in ELSEWHERE.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text()))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    return prepared(markdown)


def on_page_content(html: str, **_: Any) -> str:
    """Files that the text names, as in docs/chorus.md, become links."""

    def link(match: re.Match[str]) -> str:
        is_page = (ROOT / match[0]).exists()
        return f'<a href="{match[1]}.html">{match[0]}</a>' if is_page else match[0]

    return re.sub(r"(?<![\w/])docs/([\w-]+)\.md", link, html)


def prepared(markdown: str) -> str:
    """The page as mkdocs is to read it. Raises KeyError or ValueError where it asks for what is not there."""
    markdown = re.sub(r"^(?:#|//) include: (.+)$", lambda match: included(match[1]), markdown, flags=re.MULTILINE)
    markdown = re.sub(r"<!-- generate: (\w+) -->", lambda match: GENERATORS[match[1]](), markdown)
    markdown = markdown.replace("<details>", "<details markdown>")  # tables in them are Markdown
    return "\n".join(_with_room_for_lists(markdown.split("\n")))


def _with_room_for_lists(lines: Iterable[str]) -> Iterator[str]:
    """Repository browsers take a list for one right after a line of text; mkdocs wants an empty line before it."""
    before, is_code = "", False
    for line in lines:
        if line.startswith("```"):
            is_code = not is_code
        is_item = re.match(r"(-|\d+\.) ", line)
        if is_item and not is_code and before and not re.match(r"(-|\d+\.) |\s", before):
            yield ""
        yield line
        before = line


def included(what: str) -> str:
    """The text of a file, or of one class in a C++ file."""
    path, _, name = what.partition(", class ")
    text = (ROOT / path).read_text().rstrip()
    if not name:
        return text
    match = re.search(rf"^((?://[^\n]*\n)*class {name} .*?^}};)$", text, flags=re.MULTILINE | re.DOTALL)
    if not match:
        raise ValueError(f"there is no class {name} in {path}")
    return match[1]


# --- tables ---


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    header = list(header)
    lines = [header, ["---"] * len(header), *rows]
    return "".join("| " + " | ".join(map(_escaped, line)) + " |\n" for line in lines)


def _escaped(cell: str) -> str:
    """Without bars, which would end the cell; those in code do not."""
    parts = cell.split("`")
    return "`".join(part.replace("|", "&#124;") if position % 2 == 0 else part for position, part in enumerate(parts))


def code(text: object) -> str:
    return f"`{text}`" if str(text) else ""


# --- the command line ---


def cli_reference() -> str:
    """Every command with its options, as `--help` has them."""
    return "\n".join(_command(command, name) for name, command in commands())


def commands() -> Iterator[tuple[str, click.Command]]:
    """All commands that do something, by what one types."""
    groups = [(name, command) for name, command in cli.commands.items() if isinstance(command, click.Group)]
    yield from ((f"sing {name}", command) for name, command in cli.commands.items() if (name, command) not in groups)
    for name, group in groups:
        yield from ((f"sing {name} {sub}", command) for sub, command in group.commands.items())


def _command(command: click.Command, name: str) -> str:
    context = click.Context(command, info_name=name, max_content_width=110)
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    text = f"## {name}\n\n```text\n{usage}\n```\n\n{inspect.cleandoc(command.help or '')}\n\n"
    options = [param.get_help_record(context) for param in command.params if isinstance(param, click.Option)]
    rows = [(code(record[0].replace("INTEGER RANGE", "N")), record[1]) for record in options if record]
    return text + (table(("option", "meaning"), rows) if rows else "")


# --- the configurations ---


def config_reference() -> str:
    chorus = [config for config in CONFIGS.values() if isinstance(config, Chorus)]
    plain = [config for config in CONFIGS.values() if isinstance(config, Config) and config.learning is None]
    learned = [config for config in CONFIGS.values() if isinstance(config, Config) and config.learning is not None]
    portfolios = [config for config in CONFIGS.values() if isinstance(config, Portfolio)]
    members = [
        (code(config.name), config.description, ", ".join(code(member.name) for member in config.members))
        for config in portfolios
    ]
    return "\n".join(
        [
            "## What there is\n",
            table(("name", "what it is"), [(code(config.name), config.description) for config in CONFIGS.values()]),
            "## One voice per goal, in rounds\n",
            values_table(chorus),
            "## One heuristic, nothing learned\n",
            values_table(plain),
            "## One network, learned first\n",
            values_table(learned),
            "## Portfolios\n",
            table(("name", "what it is", "members"), members),
            "## Options\n",
            "In Python `CONFIGS[name].override(option=value)` changes any of them, on the command line the option of "
            "the same name, where there is one.\n",
            *(_part(part, title) for part, title in PARTS.items()),
        ]
    )


def values_table(group: list[Any]) -> str:
    """The options in which the configurations differ, and below the table those in which they do not."""
    rows = {config.name: values(config) for config in group}
    names = list(dict.fromkeys(name for row in rows.values() for name in row))
    counts = {name: Counter(row.get(name, "") for row in rows.values()) for name in names}
    differ = [name for name in names if len(counts[name]) > 1]
    differ.sort(key=lambda name: max(counts[name].values()))  # those that tell most configurations apart come first
    same = [f"`{name}` {code(rows[group[0].name][name])}" for name in names if name not in differ]
    header = ("name", *map(code, differ))
    body = [(code(name), *(code(row.get(option, "")) for option in differ)) for name, row in rows.items()]
    return f"{table(header, body)}\nThe same in all of them: {', '.join(same)}.\n"


def values(config: AnyConfig | Any, prefix: str = "") -> dict[str, str]:
    """All options of a configuration with their values, those of its parts included."""
    found: dict[str, str] = {}
    for field in dataclasses.fields(config):
        value = getattr(config, field.name)
        if field.name in ("name", "description") or value is None:
            continue
        if dataclasses.is_dataclass(value):
            found |= values(value, "first_search." if field.name == "first" else prefix)
        else:
            found[prefix + field.name] = text_of(value)
    return found


def text_of(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def options_of(part: type) -> list[dataclasses.Field[Any]]:
    """The fields of a part that are options by themselves, not parts in turn."""
    default = None if part in (Chorus, Config) else part()
    return [
        field
        for field in dataclasses.fields(part)
        if field.name not in ("name", "description", "first", "search", "learning", "voices", "training")
        and not dataclasses.is_dataclass(getattr(default, field.name, None))
    ]


def _part(part: type, title: str) -> str:
    rows = [
        (code(field.name), code(text_of(default_of(part, field))), meaning(part, field.name), code(flag(field.name)))
        for field in options_of(part)
    ]
    return f"### {title}\n\n{table(('option', 'default', 'meaning', 'command line'), rows)}"


def default_of(part: type, field: dataclasses.Field[Any]) -> object:
    return field.default if field.default is not dataclasses.MISSING else getattr(part(), field.name)


def meaning(part: type, name: str) -> str:
    """What the docstring of the part says of the option, or else what the command line says."""
    sentences = re.split(r"(?<=[.)])\s+(?=[A-Z`])", " ".join((part.__doc__ or "").split()))
    told = [sentence for sentence in sentences if f"`{name}`" in sentence]
    return " ".join(told) or getattr(_options().get(name), "help", None) or ""


def flag(name: str) -> str:
    option = _options().get(name)
    return option.opts[0] if option else ""


def _options() -> dict[str, click.Option]:
    """The options of `sing solve` by the names that they have in configurations."""
    return {str(param.name): param for param in cli.commands["solve"].params if isinstance(param, click.Option)}


# --- exit codes ---


def exit_codes() -> str:
    rows = [(status.exit_code, f"`Status.{status.name}`", status.words) for status in Status]
    rows += [(kind.exit_code, f"`sing.base.errors.{kind.__name__}`", kind.__doc__ or "") for kind in error_classes()]
    rows.append((128 + 15, "", "stopped by SIGTERM; for any other signal 128 and its number"))
    return table(("code", "in Python", "meaning"), [(str(number), name, words) for number, name, words in sorted(rows)])


def error_classes() -> list[type[errors.SingError]]:
    found = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.SingError)]
    return sorted(found, key=lambda kind: kind.exit_code)


GENERATORS: dict[str, Callable[[], str]] = {"cli": cli_reference, "configs": config_reference, "exit_codes": exit_codes}
