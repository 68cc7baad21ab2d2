"""How many IPC tasks configurations solve within a time limit for the search, side by side.

    python benchmarks/coverage.py --config ff --config "sing --hidden 4x64" --config fd-ff --jobs 2 results.jsonl

A configuration is a name and options of `sing solve`; `fd-ff` and the like name Fast Downward's search with
that heuristic. Every task is translated once; each run is a process of its own. Results are appended to the
file as JSON lines as they come, and a second call goes on where the first stopped.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click

from sing import fast_downward, suites
from sing.budget import LimitReached, parse_time_s
from sing.errors import SingError


def run(config: str, sas_file: Path, time_limit_s: float, seed: int) -> dict[str, object]:
    if config.startswith("fd-"):
        done = fast_downward.greedy_search(sas_file.read_text(), config.removeprefix("fd-"), time_limit_s)
        return {"status": "solved" if done.is_solvable else "unsolved"}
    command = [sys.executable, "-m", "sing.cli", "solve", str(sas_file), "--config", *config.split()]
    command += ["--seed", str(seed)]
    command += ["--time-limit", str(time_limit_s), "--memory-limit", "6G", "--json", "-", "--quiet"]
    command += ["--plan-file", "/dev/null"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not done.stdout:
        return {"status": "error", "error": " ".join(done.stderr.splitlines()[-1:])}
    return json.loads(done.stdout)


@click.command(help=__doc__.splitlines()[0])
@click.argument("output", type=click.Path(path_type=Path))
@click.option("--benchmarks", envvar="DOWNWARD_BENCHMARKS", required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--config", "configs", required=True, multiple=True, metavar="'NAME --OPTION …'")
@click.option("--time-limit", default="10s", show_default=True, callback=lambda c, p, text: parse_time_s(text))
@click.option("--seed", default=0, show_default=True)
@click.option("--jobs", default=1, show_default=True)
@click.option(
    "--cache", default="build/sas", show_default=True, type=click.Path(path_type=Path), help="Translated tasks."
)
def main(
    output: Path, benchmarks: Path, configs: tuple[str, ...], time_limit: float, seed: int, jobs: int, cache: Path
) -> None:
    rows = [json.loads(line) for line in output.read_text().splitlines()] if output.exists() else []
    known = {(row["config"], row["task"], row["seed"]) for row in rows}

    def translated(pair: tuple[Path, Path]) -> tuple[str, Path | None]:
        name = suites.name_of(pair[1])
        try:
            return name, suites.sas_file(*pair, cache)
        except (SingError, LimitReached) as error:
            click.echo(f"{name}: {error}", err=True)
            return name, None

    def work(config: str, task: str, sas_file: Path) -> None:
        result = run(config, sas_file, time_limit, seed)
        if result["status"] == "error":
            click.echo(f"{config} on {task}: {result['error'] or 'died'}", err=True)
        row = {**result, "config": config, "task": task, "seed": seed}
        rows.append(row)
        with output.open("a") as file:
            file.write(json.dumps(row) + "\n")

    with ThreadPoolExecutor(jobs) as pool:
        tasks = list(pool.map(translated, suites.find_tasks(benchmarks)))
        for config in configs:
            for task, sas_file in tasks:
                if sas_file and (config, task, seed) not in known:
                    pool.submit(work, config, task, sas_file)
    report(rows)


def report(rows: list[dict[str, object]]) -> None:
    solved: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    tasks = {str(row["task"]) for row in rows}
    configs = sorted({f"{row['config']} seed {row['seed']}" for row in rows})
    for row in rows:
        column = f"{row['config']} seed {row['seed']}"
        for line in (str(row["task"]).split("/")[0], "all"):
            solved[line][column] += row["status"] == "solved"
    click.echo("| domain | tasks | " + " | ".join(configs) + " |")
    click.echo("|---|" + "--:|" * (len(configs) + 1))
    for line in [*sorted(set(solved) - {"all"}), "all"]:
        num_tasks = sum(line in ("all", task.split("/")[0]) for task in tasks)
        click.echo(f"| {line} | {num_tasks} | " + " | ".join(str(solved[line][column]) for column in configs) + " |")


if __name__ == "__main__":
    main()
