"""One run of Fast Downward from PDDL to a plan, with the limits and the JSON of `sing solve`.

    python experiments/fast_downward_run.py ff domain.pddl problem.pddl --json result.json

Translation and search share the time limit, as they do for us.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import click

from sing import fast_downward
from sing.budget import Budget, LimitReached
from sing.cli_options import limit_options
from sing.cli_run import interruptible
from sing.errors import SingError
from sing.files import write_text
from sing.outcome import Status
from sing.translate import translate_to_sas

_STATUS = {0: Status.SOLVED, 11: Status.UNSOLVABLE, 12: Status.OUT_OF_TIME, 22: Status.OUT_OF_MEMORY}
# Fast Downward's own limit is for its search alone and rounded up; it is killed a little later.
_GRACE_S = 1.0

_PATTERNS = {
    "plan_length": r"Plan length: (\d+)",
    "plan_cost": r"Plan cost: (\d+)",
    "initial_estimate": r"Initial heuristic value for \S+: (\d+)",
    "expanded": r"Expanded (\d+) state",
    "evaluated": r"Evaluated (\d+) state",
    "generated": r"Generated (\d+) state",
    "registered_states": r"Registered: (\d+)",
    "peak_memory_kb": r"Peak memory: (\d+) KB",
}


@click.command(help=__doc__.splitlines()[0])
@click.argument("planner", type=click.Choice([*fast_downward.HEURISTICS, *fast_downward.SEARCHES]))
@click.argument("domain")
@click.argument("problem")
@click.option("--json", "json_file", required=True)
@limit_options
def main(
    planner: str, domain: str, problem: str, json_file: str, time_limit_s: float, memory_limit_bytes: int | None
) -> None:
    budget = Budget(time_limit_s, memory_limit_bytes)
    with interruptible(budget) as received:
        try:
            result = run(planner, domain, problem, budget)
            write_text(json_file, json.dumps(result) + "\n", "JSON file")
        except SingError as error:
            click.echo(f"error: {error}", err=True)
            sys.exit(error.exit_code)
    if received:
        sys.exit(128 + received[0])
    sys.exit(Status(result["status"]).exit_code)


def run(planner: str, domain: str, problem: str, budget: Budget) -> dict[str, Any]:
    result: dict[str, Any] = {"status": Status.OUT_OF_TIME.value, "planner": f"fd-{planner}"}
    times_s = {"translate": 0.0, "search": 0.0}
    try:
        sas = translate_to_sas(domain, problem, budget)
        times_s["translate"] = budget.elapsed_s
        part = budget.slice(budget.remaining_s + _GRACE_S)
        done = fast_downward.greedy_search(
            sas, planner, budget.remaining_s, memory_limit_bytes=budget.memory_limit_bytes, budget=part
        )
        times_s["search"] = budget.elapsed_s - times_s["translate"]
        if done.is_solvable is None and done.exit_code not in _STATUS:
            done = fast_downward.Run(12, done.log)
        result["status"] = _STATUS[done.exit_code].value
        result |= _numbers(done.log)
    except LimitReached as limit:
        result["status"] = limit.status.value
    return result | {"times_s": {**times_s, "total": budget.elapsed_s}}


def _numbers(log: str) -> dict[str, int]:
    found = {name: re.search(pattern, log) for name, pattern in _PATTERNS.items()}
    return {name: int(match[1]) for name, match in found.items() if match}


if __name__ == "__main__":
    main()
