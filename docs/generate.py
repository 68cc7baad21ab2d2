"""The parts of the documentation that are taken from the code.

A page holds such a part between two lines:

    <!-- generated: cli -->
    …
    <!-- end -->

The name after `generated:` is one of GENERATORS, or `include FILE`, or `include FILE, class NAME` for one class of a
C++ file. The text between the lines is committed, so that everyone who reads the repository sees it.
`python docs/generate.py --write` replaces it by what the code says now; without `--write` the command names the pages
that are out of date. A test runs the same comparison. This file is also a hook of mkdocs (see mkdocs.yml).
"""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from sing.base import errors
from sing.base.knobs import text_of
from sing.base.outcome import Status
from sing.cli.help import every_command, groups_of
from sing.cli.main import cli
from sing.learning.bootstrap import BootstrapConfig
from sing.learning.learn import LearningConfig
from sing.learning.teacher import TeacherConfig
from sing.learning.value_iteration import ValueIterationConfig
from sing.learning.voices import VoicesConfig
from sing.networks.training import TrainingConfig
from sing.planners.bootstrap import Bootstrap
from sing.planners.chorus import Chorus
from sing.planners.configs import CONFIGS
from sing.planners.heuristics import NamedHeuristic
from sing.planners.on_device import OnDevice
from sing.planners.single import Config
from sing.samples.biss import BissConfig
from sing.samples.sampling import SamplingConfig
from sing.samples.starts import StartsConfig
from sing.search.beam import BeamConfig
from sing.search.cost_search import CostSearchConfig
from sing.search.search import SearchConfig
from sing.tensors.config import TensorBeamConfig, TensorLearningConfig

ROOT = Path(__file__).parent.parent
# Pages of the site that stand elsewhere in the repository.
ELSEWHERE = {"contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}
# The parts that configurations are made of, and the heading of each part's table.
PARTS: dict[type, str] = {
    Chorus: "`chorus` and `chorus-control`",
    VoicesConfig: "`voices`: what a chorus learns from",
    Config: "All other configurations",
    NamedHeuristic: "`heuristic`: the heuristic of a configuration that does not learn",
    SearchConfig: "`search`: the search; `first`, `greedy` and `broad` of a chorus have the same fields",
    CostSearchConfig: "`search` of `optimal`: the search by cost",
    BeamConfig: "`beam`: beams in the core",
    LearningConfig: "`learning`: how one network is learned",
    SamplingConfig: "`sampling`: backward sampling, a part of `learning`",
    TeacherConfig: "`sampling` of `teacher`: plans of another search",
    BissConfig: "`sampling` of `biss`: stratified sampling",
    StartsConfig: "`starts`: the states that `teacher` and `biss` begin from, a part of their `sampling`",
    Bootstrap: "`bootstrap`",
    BootstrapConfig: "`bootstrap`: the rounds of bootstrapping",
    TrainingConfig: "`training`: training, a part of `learning` and of a chorus",
    ValueIterationConfig: "`value_iteration`: value iteration, a part of `learning`",
    OnDevice: "`shared-gpu`",
    TensorLearningConfig: "`learn_on_device`: learning with PyTorch",
    TensorBeamConfig: "`beam` of `shared-gpu`: beams with PyTorch",
}
_PART = re.compile(r"^<!-- generated: ([^\n]+) -->\n(.*?)^<!-- end -->$", flags=re.MULTILINE | re.DOTALL)


# --- what is committed ---


def pages() -> list[Path]:
    """All pages of the documentation that may hold generated parts."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def refreshed(markdown: str) -> str:
    """The page with every generated part as the code gives it now.

    Raises KeyError or ValueError where the page names a part that does not exist.
    """
    return _PART.sub(lambda match: f"<!-- generated: {match[1]} -->\n{generated(match[1])}\n<!-- end -->", markdown)


def generated(name: str) -> str:
    """The part of that name, without an empty line at its end."""
    if name.startswith("include "):
        return included(name.removeprefix("include "))
    return "\n" + GENERATORS[name]().rstrip() + "\n"


def without_generated(markdown: str) -> str:
    """The page without its generated parts: what people wrote by hand."""
    return _PART.sub("", markdown)


def included(what: str) -> str:
    """A code block with the text of a file, or with one class of a C++ file and the comment above it."""
    path, _, name = what.partition(", class ")
    text = (ROOT / path).read_text().rstrip()
    if name:
        match = re.search(rf"^((?://[^\n]*\n)*class {name} .*?^}};)$", text, flags=re.MULTILINE | re.DOTALL)
        if not match:
            raise ValueError(f"there is no class {name} in {path}")
        text = match[1]
    language = "python" if path.endswith(".py") else "cpp"
    return f"```{language}\n{text}\n```"


def main() -> int:
    import man  # beside this file, which is on the path where it is run as a program

    parser = argparse.ArgumentParser(description="Compare the generated parts of the documentation with the code.")
    parser.add_argument("--write", action="store_true", help="replace the parts that are out of date")
    arguments = parser.parse_args()
    texts = {page: refreshed(page.read_text()) for page in pages()} | {man.PAGE: man.page()}
    stale = [page for page, text in texts.items() if not page.exists() or page.read_text() != text]
    for page in stale:
        if arguments.write:
            page.write_text(texts[page])
        print(f"{page.relative_to(ROOT)}: {'written' if arguments.write else 'out of date'}")
    return 0 if arguments.write else int(bool(stale))


# --- the hooks of mkdocs ---


def on_files(files: Any, config: Any) -> Any:
    from mkdocs.structure.files import File

    for page, source in ELSEWHERE.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text()))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    return prepared(markdown)


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """Turn the names of pages in a text, as in docs/chorus.md, into links."""
    to_root = "../" * page.file.src_uri.count("/")

    def link(match: re.Match[str]) -> str:
        is_page = (ROOT / match[0]).exists()
        return f'<a href="{to_root}{match[1]}.html">{match[0]}</a>' if is_page else match[0]

    return re.sub(r"(?<![\w/])docs/((?:notebook/)?[\w-]+)\.md", link, html)


def prepared(markdown: str) -> str:
    """The page as mkdocs reads it best."""
    markdown = markdown.replace("<details>", "<details markdown>")  # tables in them are Markdown
    markdown = re.sub(r"^\|.*\|$", lambda match: _with_plain_bars(match[0]), markdown, flags=re.MULTILINE)
    return "\n".join(_with_room_for_lists(markdown.split("\n")))


def _with_plain_bars(row: str) -> str:
    """A row of a table in which bars are escaped: mkdocs shows the backslash of one in code, others do not."""
    parts = row.split("`")
    return "`".join(part.replace("\\|", "|" if position % 2 else "&#124;") for position, part in enumerate(parts))


def _with_room_for_lists(lines: Iterable[str]) -> Iterator[str]:
    """Put an empty line before each list: mkdocs needs one, repository browsers do not."""
    before, is_code = "", False
    for line in lines:
        if line.startswith("```"):
            is_code = not is_code
        is_item = re.match(r"(-|\d+\.) ", line)
        if is_item and not is_code and before and not re.match(r"(-|\d+\.) |\s", before):
            yield ""
        yield line
        before = line


# --- tables ---


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    header = list(header)
    lines = [header, ["---"] * len(header), *rows]
    return "".join("| " + " | ".join(map(_escaped, line)) + " |\n" for line in lines)


def _escaped(cell: str) -> str:
    """Bars would end the cell, in code too."""
    return cell.replace("|", "\\|")


def code(text: object) -> str:
    return f"`{text}`" if str(text) else ""


# --- the command line ---


def cli_reference() -> str:
    """Every command with its options, as `--help` has them."""
    return "\n".join(_command(command, name) for name, command in every_command(cli, "sing"))


def _command(command: click.Command, name: str) -> str:
    context = click.Context(command, info_name=name, max_content_width=110)
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    text = f"## {name}\n\n```text\n{usage}\n```\n\n{inspect.cleandoc(command.help or '')}\n\n"
    return text + "\n".join(_options(group, options, context) for group, options in groups_of(command, context).items())


def _options(group: str, options: list[click.Parameter], context: click.Context) -> str:
    records = [option.get_help_record(context) for option in options]
    return table((group, ""), [(code(record[0]), record[1]) for record in records if record])


# --- the configurations ---


def config_list() -> str:
    """The names of all configurations, and what each one is."""
    return table(("name", "what it is"), [(code(config.name), config.description) for config in CONFIGS.values()])


def config_fields() -> str:
    """For each part of a configuration its fields: name, default and meaning."""
    return "\n".join(_part(part, title) for part, title in PARTS.items())


def fields_of(part: type) -> list[dataclasses.Field[Any]]:
    """The fields of a part that hold values. Fields that are parts in turn have a table of their own."""
    fields = dataclasses.fields(part)
    return [field for field in fields if "meaning" in field.metadata and "is_part" not in field.metadata]


def _part(part: type, title: str) -> str:
    rows = [(code(field.name), code(text_of(field.default)), field.metadata["meaning"]) for field in fields_of(part)]
    return f"### {title}\n\n{table(('field', 'default', 'meaning'), rows)}"


# --- exit codes ---


def exit_codes() -> str:
    rows = [(status.exit_code, f"`Status.{status.name}`", status.words) for status in Status]
    rows += [(kind.exit_code, f"`sing.base.errors.{kind.__name__}`", kind.__doc__ or "") for kind in error_classes()]
    rows.append((128 + 15, "", "stopped by SIGTERM; for any other signal 128 and its number"))
    return table(("code", "in Python", "meaning"), [(str(number), name, words) for number, name, words in sorted(rows)])


def error_classes() -> list[type[errors.SingError]]:
    found = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.SingError)]
    return sorted(found, key=lambda kind: kind.exit_code)


GENERATORS: dict[str, Callable[[], str]] = {
    "cli": cli_reference,
    "configs": config_list,
    "config_fields": config_fields,
    "exit_codes": exit_codes,
}

if __name__ == "__main__":
    sys.exit(main())
