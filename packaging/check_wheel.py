"""Uses an installed sing as somebody without a compiler would: `python packaging/check_wheel.py`.

Run it with the Python of an environment that has sing and nothing to build with. `make wheel` ends with it, and so
does every build of a wheel by cibuildwheel (pyproject.toml).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib.metadata import files, version
from pathlib import Path

BUILD_PROGRAMS = ("c++", "cc", "clang", "clang++", "cmake", "g++", "gcc", "make", "ninja")


def main() -> None:
    # Nothing but this environment's own programs; whoever calls a compiler by these names finds none.
    os.environ.update(PATH=sysconfig.get_path("scripts"), CC="/nonexistent/cc", CXX="/nonexistent/c++")
    found = [program for program in BUILD_PROGRAMS if shutil.which(program)]
    require(not found, f"this environment has {', '.join(found)}; check the wheel in a new one")
    check_files()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check_commands()
        check_python()
        os.chdir("/")
    print(f"sing {version('sing-planner')} works with Python {sys.version.split()[0]}")


def check_files() -> None:
    """The wheel holds Python files, one compiled module and its stub: no sources of the core, no other libraries."""
    own = {Path(file) for file in files("sing-planner") or [] if file.suffix != ".pyc"}
    own = {file for file in own if file.name != "sing" and not file.parts[0].endswith(".dist-info")}
    compiled = {file for file in own if file.suffix == ".so"}
    require(len(compiled) == 1, f"there should be one compiled module, not {names(compiled)}")
    missing = {Path("sing/_core.pyi"), Path("sing/py.typed")} - own
    require(not missing, f"{names(missing)} is missing, which type checkers need")
    stray = {file for file in own if file.parts[0] != "sing" or file.suffix not in {".py", ".pyi", ".typed", ".so"}}
    require(not stray, f"{names(stray)} should not be in the wheel")


def check_commands() -> None:
    require(run("--version").strip() == f"sing, version {version('sing-planner')}", "`sing --version` says another one")
    run("generate", "blocks", "--blocks", "8", "--count", "2", "--output", ".")
    run("solve", "domain.pddl", "p01.pddl", "--jobs", "2", "--plan-file", "plan")
    run("validate", "domain.pddl", "p01.pddl", "plan")
    run("learn", "domain.pddl", "p01.pddl", "--jobs", "2", "--output", "model.onnx")
    run("solve", "domain.pddl", "p02.pddl", "--model", "model.onnx", "--plan-file", "second_plan")
    run("validate", "domain.pddl", "p02.pddl", "second_plan")


def check_python() -> None:
    import sing

    package = Path(sing.__file__).parent
    installed = Path(sysconfig.get_path("platlib"), "sing")
    require(package.samefile(installed), f"Python imports '{package}', not '{installed}'")
    result = sing.solve("domain.pddl", "p02.pddl", model="model.onnx", time_limit_s=60)
    require(result.status is sing.Status.SOLVED and result.plan is not None, f"sing.solve returns {result.status}")


def run(*arguments: str) -> str:
    print("$ sing", *arguments, flush=True)
    return subprocess.run(["sing", *arguments], check=True, stdout=subprocess.PIPE, text=True, timeout=300).stdout


def names(paths: set[Path]) -> str:
    return ", ".join(sorted(map(str, paths))) or "none"


def require(condition: bool, message: str) -> None:
    if not condition:
        sys.exit(f"check_wheel: {message}")


if __name__ == "__main__":
    main()
