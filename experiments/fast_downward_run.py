"""One run of Fast Downward from PDDL to a plan, with the limits and the JSON of `sing solve`.

    python experiments/fast_downward_run.py ff domain.pddl problem.pddl --json result.json

Translation and search share the time limit, as they do for us; a translated task is searched at once.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import click
import yardstick

from sing.base.budget import Budget, LimitReached, peak_memory_kb
from sing.base.errors import SingError
from sing.base.files import read_text, write_text
from sing.base.outcome import Status
from sing.cli.options import limit_options
from sing.cli.session import interruptible
from sing.translate.translator import translate_to_sas

_PATTERNS = {
    "plan_length": r"Plan length: (\d+)",
    "plan_cost": r"Plan cost: (\d+)",
    "initial_estimate": r"Initial heuristic value for \S+: (\d+)",
    "expanded": r"Expanded (\d+) state",
    "evaluated": r"Evaluated (\d+) state",
    "generated": r"Generated (\d+) state",
    "registered_states": r"Registered: (\d+)",
}


@click.command(help=__doc__.splitlines()[0])
@click.argument("planner", type=click.Choice([*yardstick.HEURISTICS, *yardstick.SEARCHES]))
@click.argument("files", nargs=-1, required=True, metavar="DOMAIN PROBLEM | TASK.sas")
@click.option("--json", "json_file", required=True)
@limit_options
def main(
    planner: str, files: tuple[str, ...], json_file: str, time_limit_s: float, memory_limit_bytes: int | None
) -> None:
    budget = Budget(time_limit_s, memory_limit_bytes)
    with interruptible(budget) as received:
        try:
            result = run(planner, files, budget)
            write_text(json_file, json.dumps(result) + "\n", "JSON file")
        except SingError as error:
            click.echo(f"error: {error}", err=True)
            sys.exit(error.exit_code)
    if received:
        sys.exit(128 + received[0])
    sys.exit(Status(result["status"]).exit_code)


def run(planner: str, files: tuple[str, ...], budget: Budget) -> dict[str, Any]:
    times_s = {"translate": 0.0, "search": 0.0}
    log = ""
    try:
        sas = read_text(files[0], "SAS file", budget).text if len(files) == 1 else translate_to_sas(*files, budget)
        times_s["translate"] = budget.elapsed_s
        status, log = yardstick.outcome(sas, planner, budget.remaining_s, budget.memory_limit_bytes, budget)
        times_s["search"] = budget.elapsed_s - times_s["translate"]
    except LimitReached as limit:
        status = limit.status
    return {
        "status": status.value,
        "planner": f"fd-{planner}",
        **_numbers(log),
        "peak_memory_kb": peak_memory_kb(),  # of the translator or the search, as for us
        "times_s": {**times_s, "total": budget.elapsed_s},
    }


def _numbers(log: str) -> dict[str, int]:
    found = {name: re.search(pattern, log) for name, pattern in _PATTERNS.items()}
    return {name: int(match[1]) for name, match in found.items() if match}


if __name__ == "__main__":
    main()
