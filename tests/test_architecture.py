"""Every import and every include follows the tables in docs/architecture.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs/architecture.md").read_text()
PYTHON, CORE = ROOT / "src/sing", ROOT / "cpp/core"


def folders(heading: str) -> dict[str, set[str]]:
    """What each folder may use, from the table below a heading."""
    section = PAGE.split(f"### {heading}\n")[1].split("\n#")[0]
    rows = re.findall(r"^\| `(\w+)` \| .* \|([\w, ]*)\|$", section, re.MULTILINE)
    return {folder: set(re.findall(r"\w+", allowed)) for folder, allowed in rows}


def python_uses() -> Iterator[tuple[Path, str]]:
    """Each file with the modules of ours that it imports, wherever in the file, as in `base/budget`."""
    for file in PYTHON.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = []
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{file} has a relative import"
                names = [node.module or ""]
                if len(names[0].split(".")) < 3:  # from sing.networks import torch_trainer
                    names = [f"{node.module}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            for name in names:
                if name == "sing" or (name.startswith("sing.") and not name.startswith("sing._core")):
                    yield file, "/".join(name.split(".")[1:])


def core_uses() -> Iterator[tuple[Path, str]]:
    """Each file with the files of the core that it includes."""
    for file in sorted(CORE.rglob("*.*")):
        for name in re.findall(r'^#include "([^"]+)"', file.read_text(), re.MULTILINE):
            yield file, name.removesuffix(".h")


USES = {"Python: `src/sing`": (PYTHON, python_uses), "C++: `cpp/core`": (CORE, core_uses)}


@pytest.mark.parametrize("heading", USES)
def test_the_tables_name_every_folder_in_the_order_of_the_flow(heading: str) -> None:
    root, _ = USES[heading]
    allowed = folders(heading)
    assert set(allowed) == {path.name for path in root.iterdir() if path.is_dir() and path.name != "__pycache__"}
    order = list(allowed)
    for position, folder in enumerate(order):
        assert allowed[folder] <= set(order[:position]), f"{folder} may use what stands after it"
    files = {path.name for path in root.iterdir() if path.is_file() and path.suffix in (".py", ".h", ".cc")}
    assert files in (set(), {"__init__.py", "__main__.py", "api.py"})


@pytest.mark.parametrize("heading", USES)
def test_files_use_only_what_their_folder_may(heading: str) -> None:
    root, uses = USES[heading]
    allowed = folders(heading)
    wrong = []
    for file, used in uses():
        folder, target = file.parent.name, used.split("/")[0]
        if file.parent != root and target not in allowed[folder] | {folder}:
            wrong.append(f"{file.relative_to(ROOT)} uses {used}")
    assert not wrong


@pytest.mark.parametrize("heading", USES)
def test_files_do_not_use_each_other_in_circles(heading: str) -> None:
    root, uses = USES[heading]
    graph: dict[str, set[str]] = {}
    for file, used in uses():
        name = file.relative_to(root).with_suffix("").as_posix()
        if name != used:  # a source file includes its own header
            graph.setdefault(name, set()).add(used)
    list(TopologicalSorter(graph).static_order())  # raises CycleError


def test_only_the_bindings_know_python() -> None:
    for file in [*CORE.rglob("*.*"), *(ROOT / "cpp/kernels").iterdir()]:
        assert not re.search(r"#include <(nanobind|Python|iostream|fstream|cstdio|filesystem)", file.read_text()), file


def test_one_file_of_the_core_reads_a_clock() -> None:
    files = [file.relative_to(CORE).as_posix() for file in CORE.rglob("*.*") if "chrono" in file.read_text()]
    assert files == ["base/deadline.h"]


def test_configurations_have_their_defaults_in_python_alone() -> None:
    structs = {}
    for file in CORE.rglob("*.h"):
        found = re.findall(
            r"^struct (\w*(?:Config|Limits|Loss)) \{\n(.*?)^\};", file.read_text(), re.MULTILINE | re.DOTALL
        )
        structs.update(found)
    assert {"SearchConfig", "SearchLimits", "SamplerConfig", "TrainerConfig", "Loss", "PatternConfig"} <= set(structs)
    for name, body in structs.items():
        members = [line.split("//")[0].strip() for line in body.splitlines() if re.match(r"    \w[^()]*;", line)]
        assert members and not [member for member in members if "=" in member or "{" in member], name


def test_only_tests_use_what_the_core_has_for_tests() -> None:
    used = ("src", "benchmarks", "experiments", "examples")
    files = [file for folder in used for file in (ROOT / folder).rglob("*.py")]
    assert files and not [file for file in files if re.search(r"_core(\.| import )testing", file.read_text())]
