"""Put faults into a copy of the sources, one at a time, and see whether the tests notice.

    python tests/mutants/mutants.py [--only TEXT] [--jobs N] [--page docs/mutants.md]

core.yaml and python.yaml list the faults: the file, the place in it, and what is to stand there instead. All faults of
the core are compiled into one extension, which has the one that SING_MUTANT names; a fault of the package is put into
a copy of its own. What is tested is always a copy under build/mutants, never the sources.

A fault is killed where a test fails, or where the tests take longer than their limit. The page has what survived.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import yaml

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
BUILD = ROOT / "build" / "mutants"
LEAST_SHARE = 0.95
TIME_LIMIT_S = 300
MEMORY_LIMIT_KB = 12 << 20  # of addresses: a fault may make a search that never ends

# A header of the copy that every file with mutants includes.
HEADER = Path("cpp/core/base/mutant.h")
CHOICE = """#pragma once
#include <cstdlib>

inline bool sing_mutant(int number) {
    static const int chosen = [] {
        const char* text = std::getenv("SING_MUTANT");
        return text ? std::atoi(text) : 0;
    }();
    return chosen == number;
}
"""


@dataclass(frozen=True)
class Mutant:
    """A fault. `place` is text that the file has once, however it is spaced; what is between « and » is replaced."""

    number: int
    file: str
    tests: tuple[str, ...]
    fault: str
    place: str
    instead: str
    survives: str | None  # why no test can see it, where that is known

    @property
    def is_core(self) -> bool:
        return self.file.startswith("cpp/")

    @property
    def span(self) -> tuple[int, int]:
        """Where the file has what is replaced. Raises ValueError where the place is not there exactly once."""
        before, middle, after = self.place.partition("«")
        if middle:
            middle, _, after = after.partition("»")
        else:
            before, middle = "", self.place
        pattern = rf"{_pattern(before)}\s*({_pattern(middle)})\s*{_pattern(after)}"
        found = list(re.finditer(pattern, (ROOT / self.file).read_text()))
        if len(found) != 1:
            raise ValueError(f"{self.file} has {len(found)} times, not once: {self.place}")
        return found[0].span(1)


def _pattern(text: str) -> str:
    """Matches the text however its tokens are spaced."""
    tokens = re.findall(r"\w+|[^\w\s]", text)
    return r"\s*".join(rf"\b{token}\b" if re.match(r"\w", token) else re.escape(token) for token in tokens)


def load() -> list[Mutant]:
    mutants: list[Mutant] = []
    for name in ("core.yaml", "python.yaml"):
        for part in yaml.safe_load((HERE / name).read_text()):
            for entry in part["mutants"]:
                own = {"survives": None, **entry}
                mutants.append(Mutant(len(mutants) + 1, part["file"], tuple(part["tests"]), **own))
    return mutants


def check(mutants: list[Mutant]) -> None:
    problems = []
    for mutant in mutants:
        try:
            mutant.span  # noqa: B018
        except ValueError as error:
            problems.append(str(error))
    if problems:
        sys.exit("\n".join(problems))


def replaced(text: str, edits: Iterable[tuple[tuple[int, int], str]]) -> str:
    """The text with all spans replaced; they must not overlap."""
    end = len(text)
    for (begin, stop), instead in sorted(edits, reverse=True):
        if stop > end:
            sys.exit(f"two mutants overlap at: {text[begin:stop]}")
        text, end = text[:begin] + instead + text[stop:], begin
    return text


def either(mutant: Mutant, original: str) -> str:
    """C++ that is the original, or what stands there instead where this is the mutant that was chosen."""
    choice = f"sing_mutant({mutant.number})"
    if original.endswith(";"):
        return f"{{ if ({choice}) {{ {mutant.instead} }} else {{ {original} }} }}"
    return f"({choice} ? ({mutant.instead}) : ({original}))"


def build_core(mutants: list[Mutant]) -> Path:
    """The extension with all mutants of the core. Files that are the same as in the last build are left alone."""
    source, build = BUILD / "source", BUILD / "build"
    files = {HEADER: CHOICE}
    for path in [ROOT / "CMakeLists.txt", *(path for path in (ROOT / "cpp").rglob("*.*") if path.is_file())]:
        name, text = path.relative_to(ROOT), path.read_text()
        own = [mutant for mutant in mutants if mutant.file == str(name)]
        edits = [(mutant.span, either(mutant, text[slice(*mutant.span)])) for mutant in own]
        files[name] = ('#include "base/mutant.h"\n#line 1\n' if own else "") + replaced(text, edits)
    for old in source.rglob("*"):
        if old.is_file() and old.relative_to(source) not in files:
            old.unlink()
    for name, text in files.items():
        target = source / name
        if not target.exists() or target.read_text() != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
    folder = Path(sys.executable).parent
    configure = [folder / "cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"]
    configure += [f"-DPython_EXECUTABLE={sys.executable}", f"-DCMAKE_MAKE_PROGRAM={folder / 'ninja'}"]
    for command in (configure, [folder / "cmake", "--build", build, "--target", "_core", "--", "-k", "0"]):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode:
            sys.exit(done.stdout)
    (extension,) = build.glob("_core*.so")
    return extension


def copy_package(extension: Path, name: str, mutant: Mutant | None = None) -> Path:
    """The folder of a copy of the package with this extension, and with the mutant where it is one of the package."""
    folder = BUILD / "packages" / name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "src" / "sing", folder / "sing", ignore=shutil.ignore_patterns("__pycache__", "_core*"))
    shutil.copy(extension, folder / "sing")
    if mutant is not None:
        path = folder / Path(mutant.file).relative_to("src")
        path.write_text(replaced(path.read_text(), [(mutant.span, mutant.instead)]))
    return folder


def run_tests(tests: tuple[str, ...], package: Path, number: int) -> bool:
    """Whether they pass within the limit."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--no-header", *tests]
    environment = {
        **os.environ,
        "PYTHONPATH": str(HERE / "imports"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "SING_PACKAGE": str(package),
        "SING_MUTANT": str(number),
        "OMP_NUM_THREADS": "1",
    }
    limited = ["sh", "-c", f'ulimit -v {MEMORY_LIMIT_KB}; exec "$@"', "sh", *command]
    with subprocess.Popen(
        limited, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    ) as process:
        try:
            output, _ = process.communicate(timeout=TIME_LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output = b"the time limit\n"
    (BUILD / "logs").mkdir(exist_ok=True)
    (BUILD / "logs" / f"{number}.txt").write_bytes(output)
    if process.returncode not in (0, 1, 2) and process.returncode > 0:  # no tests, or a mistake in the command
        sys.exit(f"pytest ended with {process.returncode}:\n{output.decode()}")
    return process.returncode == 0


def is_killed(mutant: Mutant, extension: Path, whole: Path) -> bool:
    if mutant.is_core:
        return not run_tests(mutant.tests, whole, mutant.number)
    package = copy_package(extension, str(mutant.number), mutant)
    killed = not run_tests(mutant.tests, package, mutant.number)
    shutil.rmtree(package)
    return killed


def page(mutants: list[Mutant], survivors: list[Mutant]) -> str:
    num_killed = len(mutants) - len(survivors)
    lines = [
        "# Mutants",
        "",
        "<!-- Written by `make mutants`. -->",
        f"Faults were put into the sources one at a time, {len(mutants)} in all. The tests noticed {num_killed} of "
        f"them, {num_killed / len(mutants):.1%}. `tests/mutants` has the faults and what applies them.",
        "",
        "| file | faults | noticed |",
        "|---|---|---|",
    ]
    for file in dict.fromkeys(mutant.file for mutant in mutants):
        own = [mutant for mutant in mutants if mutant.file == file]
        lines.append(f"| `{file}` | {len(own)} | {sum(mutant not in survivors for mutant in own)} |")
    lines += [f"| all | {len(mutants)} | {num_killed} |", ""]
    if survivors:
        lines += ["| not noticed | file | why |", "|---|---|---|"]
        lines += [
            f"| {mutant.fault} | `{mutant.file}` | {mutant.survives or 'a test is missing'} |" for mutant in survivors
        ]
    return "\n".join(lines).rstrip() + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", metavar="TEXT", help="mutants whose file or fault has this text")
    parser.add_argument("--jobs", type=int, default=min(4, os.cpu_count() or 1), help="test runs at a time")
    parser.add_argument("--page", type=Path, help="where to write the table")
    options = parser.parse_args()
    mutants = load()
    check(mutants)
    chosen = [mutant for mutant in mutants if options.only in f"{mutant.file}: {mutant.fault}"]
    BUILD.mkdir(parents=True, exist_ok=True)
    print(f"building the core with {sum(mutant.is_core for mutant in mutants)} faults in it …", flush=True)
    extension = build_core([mutant for mutant in mutants if mutant.is_core])
    whole = copy_package(extension, "whole")
    with ThreadPoolExecutor(options.jobs) as pool:
        print("running the tests without any of them …", flush=True)
        all_tests = tuple(dict.fromkeys(test for mutant in chosen for test in mutant.tests))
        if not all(pool.map(lambda test: run_tests((test,), whole, -all_tests.index(test)), all_tests)):
            sys.exit(f"tests fail without a mutant; see {BUILD / 'logs'}")
        survivors = []
        for mutant, killed in zip(chosen, pool.map(lambda one: is_killed(one, extension, whole), chosen), strict=True):
            print(f"{mutant.number:3} {'killed  ' if killed else 'SURVIVED'} {mutant.file}: {mutant.fault}", flush=True)
            if not killed:
                survivors.append(mutant)
    text = page(chosen, survivors)
    print(text)
    if options.page:
        options.page.write_text(text)
    unexpected = [mutant.fault for mutant in chosen if mutant not in survivors and mutant.survives]
    if unexpected:
        sys.exit(f"these are killed, and are listed as survivors: {'; '.join(unexpected)}")
    if len(survivors) > (1 - LEAST_SHARE) * len(chosen):
        sys.exit(f"{len(survivors)} of {len(chosen)} survive")


if __name__ == "__main__":
    main()
