"""Fast Downward's search on a translated task, from the up-fast-downward wheel, where that is installed."""

from __future__ import annotations

import re
import resource
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from sing.base.budget import Budget, LimitReached
from sing.base.errors import InputError, SingError
from sing.base.extras import how_to_install
from sing.base.outcome import Status
from sing.base.processes import wait_for

# Landmark count as in LAMA: landmarks of Richter, Helmert & Westphal with reasonable orders.
LANDMARK_COUNT = "landmark_sum(lm_reasonable_orders_hps(lm_rhw()))"
# As with us, heuristics and search take every cost as 1.
UNIT = "eval_modify_costs({}, cost_type=one)"
_FF, _LANDMARKS = UNIT.format("ff()"), UNIT.format(LANDMARK_COUNT)
# LAMA's first iteration has both heuristics and their preferred operators. {limit} is the time limit in seconds.
LAMA_FIRST = (
    f"let(hlm, {_LANDMARKS}, let(hff, {_FF}, "
    "lazy_greedy([hff, hlm], preferred=[hff, hlm], cost_type=one, reopen_closed=false, max_time={limit})))"
)
SEARCHES = {
    "fd-ff": f"eager_greedy([{_FF}], cost_type=one, max_time={{limit}})",
    "fd-landmark": f"eager_greedy([{_LANDMARKS}], cost_type=one, max_time={{limit}})",
    "fd-lama-first": LAMA_FIRST,
}
_STATUS = {
    0: Status.SOLVED,
    11: Status.UNSOLVABLE,
    12: Status.OUT_OF_WORK,
    22: Status.OUT_OF_MEMORY,
    23: Status.OUT_OF_TIME,
}


@dataclass(frozen=True)
class FoundPlan:
    """What Fast Downward says of its plan."""

    num_operators: int
    cost: int


def is_installed() -> bool:
    try:
        return binary().exists()
    except InputError:
        return False


def binary() -> Path:
    """The program. Raises InputError where the wheel is not installed."""
    spec = find_spec("up_fast_downward")
    if not spec or not spec.origin:
        raise InputError(f"Fast Downward is not here; install it {how_to_install('bench')}")
    path = Path(spec.origin).parent / "downward" / "builds" / "release" / "bin" / "downward"
    if not path.exists():
        raise InputError("the up-fast-downward wheel for this machine holds no search binary")
    return path


def search(sas: str, name: str, budget: Budget) -> tuple[Status, FoundPlan | None]:
    """How one of SEARCHES ends on a task within the budget. Raises SingError where it fails."""
    with tempfile.TemporaryDirectory(prefix="sing-") as folder:
        task_file, plan_file, log_file = (Path(folder, name) for name in ("task", "plan", "log"))
        task_file.write_text(sas)
        limit_s = max(1, int(budget.remaining_s + 1))  # whole seconds; the budget is what ends it
        command = [str(binary()), "--internal-plan-file", str(plan_file), "--search"]
        with task_file.open("rb") as task, log_file.open("wb") as log:
            child = subprocess.Popen(
                [*command, SEARCHES[name].format(limit=limit_s)],
                stdin=task,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            limit_bytes = budget.memory_limit_bytes
            if hasattr(resource, "prlimit"):
                with suppress(ProcessLookupError, PermissionError):  # it may have ended already
                    resource.prlimit(child.pid, resource.RLIMIT_AS, (limit_bytes, limit_bytes))
            try:
                exit_code = wait_for(child, budget)
            except LimitReached as limit:
                return limit.status, None
        if exit_code not in _STATUS:
            told = log_file.read_text(errors="replace").strip()[-300:]
            raise SingError(f"Fast Downward failed with exit code {exit_code}: {told}")
        return _STATUS[exit_code], _read_plan(plan_file) if exit_code == 0 else None


def _read_plan(path: Path) -> FoundPlan:
    text = path.read_text()
    cost = re.search(r"^; cost = (\d+)", text, flags=re.MULTILINE)
    num_operators = sum(line.startswith("(") for line in text.splitlines())
    return FoundPlan(num_operators, int(cost[1]) if cost else num_operators)
