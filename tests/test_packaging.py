"""What is published agrees with itself: versions, Pythons, and how wheels are tested."""

from __future__ import annotations

import importlib.util
import re
import sys
import sysconfig
from importlib.metadata import PackagePath, version
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

import sing

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
CHECK = "packaging/check_wheel.py"


def workflow_job(name: str) -> dict[str, Any]:
    job = yaml.safe_load((ROOT / ".github/workflows/wheels.yml").read_text())["jobs"][name]
    assert isinstance(job, dict)
    return job


def commands(job: dict[str, Any]) -> list[str]:
    return [step["run"] for step in job["steps"] if "run" in step]


def test_one_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert sing.__version__ == version("sing-planner") == PYPROJECT["project"]["version"] == citation["version"]


def test_wheels_are_built_for_the_pythons_that_are_promised() -> None:
    lowest = int(PYPROJECT["project"]["requires-python"].removeprefix(">=3."))
    text = "\n".join(PYPROJECT["project"]["classifiers"])
    promised = [int(minor) for minor in re.findall(r"^Programming Language :: Python :: 3\.(\d+)$", text, re.MULTILINE)]
    assert promised == list(range(lowest, 15))
    assert PYPROJECT["tool"]["cibuildwheel"]["build"] == [f"cp3{minor}-*" for minor in promised]


def test_the_workflow_builds_on_every_system_and_keeps_all_of_it() -> None:
    wheels, sdist = workflow_job("wheels"), workflow_job("sdist")
    systems = [entry["system"] for entry in wheels["strategy"]["matrix"]["include"]]
    assert systems == ["linux-x86_64", "linux-aarch64", "macos-x86_64", "macos-arm64"]
    [build_wheels], [build_sdist] = commands(wheels), commands(sdist)
    assert re.fullmatch(r"pipx run cibuildwheel==\d+\.\d+\.\d+ --output-dir dist", build_wheels)
    assert build_sdist == "pipx run build --sdist"
    kept = [job["steps"][-1]["with"] for job in (wheels, sdist)]
    assert [upload["path"] for upload in kept] == ["dist/*.whl", "dist/*.tar.gz"]
    # Uploads of one name would be refused.
    assert "matrix.system" in kept[0]["name"] and kept[0]["name"] != kept[1]["name"]


def test_every_wheel_is_tested_by_the_same_script() -> None:
    assert (ROOT / CHECK).is_file()
    assert PYPROJECT["tool"]["cibuildwheel"]["test-command"] == f"python {{project}}/{CHECK}"
    assert re.search(rf"^\t\S*python {CHECK}$", (ROOT / "Makefile").read_text(), re.MULTILINE)


@pytest.fixture
def check_wheel() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_wheel", ROOT / CHECK)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_check_wants_no_compiler(check_wheel: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    compiler = tmp_path / "g++"
    compiler.touch(mode=0o755)
    for name in ("PATH", "CC", "CXX"):  # the check changes them; this puts them back
        monkeypatch.setenv(name, "")
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    with pytest.raises(SystemExit, match=r"this environment has g\+\+"):
        check_wheel.main()


WHEEL = [
    "../../../bin/sing",
    "sing/__init__.py",
    "sing/__pycache__/__init__.cpython-311.pyc",
    "sing/_core.cpython-311-x86_64-linux-gnu.so",
    "sing/_core.pyi",
    "sing/py.typed",
    "sing_planner-0.1.0.dist-info/METADATA",
]


def test_the_check_accepts_a_wheel_as_it_should_be(check_wheel: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_wheel, "files", lambda name: [PackagePath(file) for file in WHEEL])
    check_wheel.check_files()


@pytest.mark.parametrize(
    ("added", "removed", "message"),
    [
        (["sing/core/task.cc"], [], "sing/core/task.cc should not be in the wheel"),
        (["tests/test_search.py"], [], "tests/test_search.py should not be in the wheel"),
        (["sing_planner.libs/libstdc++.so.6"], [], "should not be in the wheel"),
        (["sing/_old.so"], [], "one compiled module"),
        ([], ["sing/_core.cpython-311-x86_64-linux-gnu.so"], "one compiled module, not none"),
        ([], ["sing/py.typed"], "sing/py.typed is missing"),
    ],
)
def test_the_check_refuses_other_wheels(
    check_wheel: ModuleType, monkeypatch: pytest.MonkeyPatch, added: list[str], removed: list[str], message: str
) -> None:
    wheel = [PackagePath(file) for file in WHEEL + added if file not in removed]
    monkeypatch.setattr(check_wheel, "files", lambda name: wheel)
    with pytest.raises(SystemExit, match=message):
        check_wheel.check_files()
