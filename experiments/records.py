"""Results as JSON lines: appended as they come, so that an interrupted experiment goes on where it stopped."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import threading
from collections.abc import Iterable
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from sing.base.errors import InputError
from sing.base.files import reason

Row = dict[str, Any]


class Records:
    """The rows of a file, and new ones. A last line cut off by a crash is dropped; any other damage is an error."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: list[Row] = []
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            data = path.read_bytes() if path.exists() else b""
        except OSError as error:
            raise InputError(f"cannot use '{path}': {reason(error)}") from None
        whole = data[: data.rfind(b"\n") + 1]
        for number, line in enumerate(whole.splitlines(), start=1):
            try:
                row = json.loads(line)
                _ = row["kind"]
            except (ValueError, TypeError, KeyError):
                raise InputError(f"'{path}', line {number}: not one of our rows; mend it or start a new file") from None
            self.rows.append(row)
        if len(whole) < len(data):
            with path.open("r+b") as file:
                file.truncate(len(whole))

    def add(self, row: Row) -> None:
        line = json.dumps(row) + "\n"
        with self._lock:
            self.rows.append(row)
            with self.path.open("a") as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())

    def of(self, kind: str) -> list[Row]:
        return [row for row in self.rows if row["kind"] == kind]

    def keys(self, kind: str, names: Iterable[str]) -> set[tuple[Any, ...]]:
        """What is already known: the values of these fields in all rows of a kind."""
        fields = tuple(names)
        return {tuple(row.get(name) for name in fields) for row in self.of(kind)}

    def settle(self, **settings: Any) -> None:
        """Record what results depend on, and where they were made. Raises InputError where the file has others."""
        for row in self.of("settings"):
            for name, value in settings.items():
                if row.get(name) != value:
                    raise InputError(
                        f"'{self.path}' was made with {name} {row.get(name)}, not {value}; name another output"
                    )
        if not self.of("settings"):
            self.add({"kind": "settings", **settings})
        self.add(machine())


def machine() -> Row:
    """Where and with what a run was made."""
    return {
        "kind": "machine",
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "sing": _version("sing-planner"),
        "fast_downward": _version("up-fast-downward"),
        "numpy": _version("numpy"),
        "commit": _commit(),
    }


def _commit() -> str | None:
    """None where this is no clone, or git is not installed."""
    command = ["git", "describe", "--always", "--dirty"]
    try:
        done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() or None


def _processor() -> str:
    try:
        match = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    except OSError:
        match = None
    return match[1] if match else platform.processor()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def describe_machines(records: Records) -> str:
    """One line for each different machine or version that took part."""
    lines = []
    for row in records.of("machine"):
        line = (
            f"{row['processor']}, {row['cores']} cores, {row['system']}, Python {row['python']}, "
            f"sing {row['sing']}, Fast Downward wheel {row['fast_downward']}"
        )
        if line not in lines:
            lines.append(line)
    return "\n".join(f"- {line}" for line in lines)
