"""What the documentation shows is run, what it names exists, and what is generated says what the code says.

Shell commands are lines of code blocks that begin with `$ `, or with the name of a program where a block has no
prompts. All commands and all Python blocks of a page run in order, in one folder that has small problems under the
names that pages use. What would take long is made shorter (SHORTER), `make` is asked what it would do, and a block
under the line `<!-- not run: why -->` is left alone: for what takes hours, or needs what tests do not have.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import re
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pddl
import pytest

import sing
from sing.base.knobs import knobs
from sing.cli.help import every_command
from sing.cli.main import cli
from sing.search.search import SearchConfig, search
from sing.translate import generators, translate

ROOT = Path(__file__).parent.parent
PAGES = {path.relative_to(ROOT).as_posix(): path for path in (ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md")))}
PROGRAMS = ("sing", "make", "python", "pip", "g++")
SHORTER = {
    "--learn-time 50s": "--learn-time 3s",
    "--learn-time 20s": "--learn-time 3s",
    "--learn-time 5s": "--learn-time 2s",
    "--anytime --time-limit 4s": "--anytime",  # it ends with the first better plan
    "--count 50": "--count 2",
}
# Pages whose problems are generated on them: what they show must look like what is printed.
SHOWING = ("docs/index.md", "docs/tutorial.md", "docs/extending.md")


def load(path: Path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


generate = load(ROOT / "docs" / "generate.py")


@dataclass
class Block:
    language: str
    text: str
    reason: str | None  # why it is not run

    @property
    def commands(self) -> list[tuple[str, list[str]]]:
        """Commands with the output that is shown for them."""
        if self.language not in ("", "console", "sh", "bash"):
            return []
        found: list[tuple[str, list[str]]] = []
        for line in re.sub(r"\\\n\s*", "", self.text).splitlines():
            if line.startswith("$ ") or (line.split() and line.split()[0] in PROGRAMS):
                found.append((line.removeprefix("$ "), []))
            elif found and line.strip():
                found[-1][1].append(line)
        return found

    @property
    def is_program(self) -> bool:
        return self.language == "python"


def blocks(page: Path) -> list[Block]:
    """The code blocks that were written by hand; files that a page includes have tests of their own."""
    pattern = r"(?:^<!-- not run: (.*?) -->\n)?^```(\w*)\n(.*?)^```$"
    text = generate.without_generated(page.read_text())
    matches = re.finditer(pattern, text, flags=re.MULTILINE | re.DOTALL)
    return [Block(match[2], match[3], match[1]) for match in matches]


def run(command: str, folder: Path) -> str:
    """The output of a command, standard error included."""
    for long, short in SHORTER.items():
        command = command.replace(long, short)
    if command.startswith("make "):
        command = f"make -n -C {ROOT} {command.removeprefix('make ')}"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    printed: list[str] = []
    with subprocess.Popen(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            # Any run makes its first plan cheaper; --anytime goes on from there, and one success of it is enough.
            is_first = is_success(line) and not any(map(is_success, printed))
            if "--anytime" in command and is_first:
                os.killpg(process.pid, signal.SIGINT)
            printed.append(line)
    assert process.returncode == 0, f"{command}\n{''.join(printed)}"
    return "".join(printed)


def is_success(line: str) -> bool:
    """Whether a line tells of a cheaper plan that --anytime has found."""
    return line.startswith("improve") and "operators, cost" in line


def prepare(folder: Path) -> None:
    """Files under the names that pages use."""
    family = generators.npuzzle(3, 3, count=3, seed=2)
    names = ("problem.pddl", "another.pddl", "prob07.pddl")
    for name, text in zip(("domain.pddl", *names), (family.domain, *family.problems), strict=True):
        (folder / name).write_text(text)
    task = translate(folder / "domain.pddl", folder / "problem.pddl", sing.Budget())
    sing.sample(task, sing.SamplingConfig(nsearches=2)).save(folder / "samples.npz")
    load(ROOT / "examples" / "own_heuristic.py").make_model(task).save(folder / "mine.onnx")
    for name in ("examples", "experiments", "cpp", "build"):
        (folder / name).symlink_to(ROOT / name)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Folders in which pages were run, by page."""
    return {}


RUN = [name for name, path in PAGES.items() if any(block.commands or block.is_program for block in blocks(path))]


@pytest.mark.parametrize("name", RUN)
def test_what_a_page_shows_runs(name, folders, tmp_path_factory, monkeypatch):
    if "libsing_core.a" in PAGES[name].read_text() and not any(ROOT.glob("build/*/libsing_core.a")):
        pytest.skip("sing was not built here, so there is no library of the core")
    folder = folders[name] = tmp_path_factory.mktemp("page")
    prepare(folder)
    monkeypatch.chdir(folder)
    task = translate("domain.pddl", "problem.pddl", sing.Budget())
    names = {"atoms": task.atoms}
    for block in blocks(PAGES[name]):
        if block.reason is not None:
            assert block.reason
        elif block.is_program:
            exec(compile(block.text, name, "exec"), names)
        for command, shown in block.commands if block.reason is None else []:
            printed = [shape(line) for line in run(command, folder).splitlines()]
            for line in shown if name in SHOWING else []:
                assert any(other.startswith(shape(line)) for other in printed), f"'{line}' is not in {printed}"


def shape(line: str) -> str:
    """How a line of output begins, whatever its numbers: these depend on the machine."""
    return " ".join(re.sub(r"\d[\d,.]*", "#", line).split())[:30]


# --- links and names ---


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name):
    text = re.sub(r"^```.*?^```$", "", PAGES[name].read_text(), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path = target.partition("#")[0]
        assert not path or re.match(r"https?://", path) or (PAGES[name].parent / path).exists(), target


def find(name: str) -> object:
    """What a dotted name of the package stands for."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found = import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        for part in parts[count:]:
            fields = [field.name for field in dataclasses.fields(found)] if dataclasses.is_dataclass(found) else []
            found = part if part in fields else getattr(found, part)
        return found
    raise AssertionError(f"there is no {name}")


def test_what_the_map_of_the_paper_names_exists():
    names = re.findall(r"`([^`\n]+)`", PAGES["docs/paper-map.md"].read_text())
    assert len(names) > 50
    for name in names:
        path, _, symbol = name.partition(": ")
        if name.startswith("sing."):
            find(name)
        elif name.startswith("--config "):
            assert name.removeprefix("--config ") in sing.CONFIGS
        elif "/" in name:
            assert (ROOT / path).is_file(), path
            assert re.search(rf"\b{symbol}\b", (ROOT / path).read_text()), name
        else:
            assert name in ("eo", "ei", "r")


def test_files_that_pages_tell_to_change_exist():
    text = PAGES["docs/extending.md"].read_text()
    yours = {"cpp/core/heuristics/goal_distance.h", "cpp/core/heuristics/goal_distance.cc"}
    for name in set(re.findall(r"`((?:cpp|src|tests|examples)/[\w/.]+)`", text)) - yours:
        assert (ROOT / name).is_file(), name
    for path, names in {
        "cpp/core/heuristics/make_heuristic.cc": ["make_heuristic"],
        "cpp/core/samples/make_backward_space.cc": ["make_backward_space"],
        "src/sing/search/search.py": ["HEURISTICS = "],
        "src/sing/samples/sampling.py": ["SPACES = ", "def gives_full_states"],
        "src/sing/planners/catalog.py": ["_ALL: "],
    }.items():
        assert all(name in (ROOT / path).read_text() for name in names), path


@pytest.mark.parametrize("path", sorted(ROOT.glob("docs/**/*.svg")), ids=lambda path: path.name)
def test_pictures_are_well_formed(path):
    assert ElementTree.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"


# --- generated pages ---


@pytest.mark.parametrize("path", generate.pages(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_is_generated_is_what_the_code_gives(path):
    is_current = generate.refreshed(path.read_text()) == path.read_text()
    assert is_current, "call: python docs/generate.py --write"


def test_pages_hold_what_the_code_gives():
    for name, part in {"cli": "cli", "config-reference": "config_fields", "exit-codes": "exit_codes"}.items():
        assert generate.generated(part) in PAGES[f"docs/{name}.md"].read_text()
    assert generate.included("examples/own_space.py") in PAGES["docs/extending.md"].read_text()


def test_generated_parts_are_replaced_and_nothing_else():
    page = "a\n<!-- generated: exit_codes -->\nold\n<!-- end -->\nb\n"
    fresh = generate.refreshed(page)
    assert fresh == f"a\n<!-- generated: exit_codes -->\n{generate.exit_codes()}\n<!-- end -->\nb\n".replace(
        "-->\n|", "-->\n\n|"
    )
    assert generate.refreshed(fresh) == fresh
    assert generate.without_generated(fresh) == "a\n\nb\n"
    with pytest.raises(KeyError):
        generate.refreshed("<!-- generated: nonsense -->\n<!-- end -->")


def test_a_class_is_included_with_its_comment_and_nothing_else():
    text = generate.included("cpp/core/heuristics/goal_count_heuristic.h, class GoalCountHeuristic")
    assert text.startswith("```cpp\n// The number of goals that do not hold.\nclass GoalCountHeuristic")
    assert text.endswith(" goals_;\n};\n```")
    assert "// To add a heuristic" in generate.included("cpp/core/heuristics/heuristic.h, class Heuristic")
    with pytest.raises(ValueError, match="no class Nonsense"):
        generate.included("cpp/core/heuristics/heuristic.h, class Nonsense")


def test_lists_and_tables_are_made_ready():
    text = "Some:\n- one\n  more\n- two\n\n```\na\n- b\n```\n<details>"
    assert generate.prepared(text) == "Some:\n\n- one\n  more\n- two\n\n```\na\n- b\n```\n<details markdown>"
    table = generate.table(["a"], [["`x|y` |z|"]])
    assert table == "| a |\n| --- |\n| `x\\|y` \\|z\\| |\n"
    assert generate.prepared(table) == "| a |\n| --- |\n| `x|y` &#124;z&#124; |\n"


def test_the_command_line_reference_has_every_option():
    titles_and_texts = re.split(r"^## (.+)$", generate.cli_reference(), flags=re.MULTILINE)[1:]
    sections = dict(zip(titles_and_texts[::2], titles_and_texts[1::2], strict=True))
    assert {"sing solve", "sing generate blocks"} <= set(sections)
    assert {name.split()[1] for name in sections} == set(cli.list_commands())
    for name, command in every_command(cli, "sing"):
        text = " ".join(sections[name].split())
        for option in (param for param in command.params if param.param_type_name == "option"):
            assert f"| `{option.opts[0]}" in text
            assert " ".join((option.help or "").replace("|", r"\|").split()) in text


def test_the_configuration_reference_has_every_configuration_and_field():
    configs, fields = generate.config_list(), generate.config_fields()
    for name, config in sing.CONFIGS.items():
        assert f"| `{name}` | {config.description} |" in configs
    for part in generate.PARTS:
        for field in generate.fields_of(part):
            assert f"| `{field.name}` |" in fields


def test_every_part_of_a_configuration_has_a_table():
    held = {entry.path[-1] for config in sing.CONFIGS.values() for part in config.parts for entry in knobs(part)}
    parts = {
        "heuristic",
        "first",
        "greedy",
        "broad",
        "search",
        "learning",
        "voices",
        "sampling",
        "starts",
        "bootstrap",
        "training",
        "value_iteration",
        "learn_on_device",
        "beam",
    }
    assert {field.name for part in generate.PARTS for field in generate.fields_of(part)} == held - parts


def test_exit_codes_are_those_of_the_code_and_of_the_table_by_hand():
    generated = set(re.findall(r"^\| (\d+) \|", generate.exit_codes(), flags=re.MULTILINE))
    assert generated >= {str(status.exit_code) for status in sing.Status}
    assert generated >= {str(error.exit_code) for error in generate.error_classes()}
    table = re.search(r"## Exit codes\n(.*?)\n## ", PAGES["docs/file-formats.md"].read_text(), flags=re.DOTALL)[1]
    by_hand = {code for cell in re.findall(r"^\| ([\d, ]+) \|", table, flags=re.MULTILINE) for code in cell.split(", ")}
    assert by_hand == generated


def test_the_site_is_built_without_warnings_and_asks_the_network_for_nothing(tmp_path):
    for module in ("mkdocs", "material", "mkdocstrings_handlers.python"):
        pytest.importorskip(module)
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    done = subprocess.run(build, cwd=ROOT, text=True, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
    for name in (
        "cli",
        "config-reference",
        "exit-codes",
        "api",
        "contributing",
        *(name.removeprefix("docs/").removesuffix(".md") for name in PAGES),
    ):
        assert name == "README" or (tmp_path / f"{name}.html").is_file()
    for page in tmp_path.glob("**/*.html"):
        html = page.read_text()
        assert not re.search(r'<(script|img|link|iframe)\b[^>]*\b(src|href)="(https?:)?//', html), page.name
        assert not re.search(r"^(- |\| )", re.sub(r"<pre>.*?</pre>", "", html, flags=re.DOTALL), flags=re.MULTILINE)
    assert "sing.solve" in (tmp_path / "api.html").read_text()


def test_examples_in_both_languages_agree_and_their_plans_are_valid(folders):
    folder = folders.get("docs/extending.md")
    if folder is None:
        pytest.skip("the page was not run")
    puzzle = folder / "puzzles/domain.pddl", folder / "puzzles/p01.pddl"
    plan = (folder / "own_plan").read_text()
    assert pddl.is_valid(*puzzle, plan)
    task = translate(*puzzle, sing.Budget())
    heuristic = sing.Model.load(folder / "own.onnx").heuristic(task)
    config = SearchConfig(("nh", "h", "noh", "o"), "random")
    found = search(task, heuristic, config, sing.Budget())
    assert f"; {found.statistics.num_expanded} states expanded" in plan
    small = folder / "small/domain.pddl", folder / "small/p01.pddl"
    assert pddl.is_valid(*small, (folder / "sas_plan").read_text())
