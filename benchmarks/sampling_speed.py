"""Samples per second of backward sampling, and how deep the two collection rules reach.

    make bench                              # or: PYTHONPATH=experiments python benchmarks/sampling_speed.py --help

The 24-puzzle on one and two threads, in turns and as medians; then every IPC task of a folder of translated tasks,
which `experiments/chorus.py` leaves in build/sas, or which is made here from DOWNWARD_BENCHMARKS.
"""

from __future__ import annotations

import statistics
from pathlib import Path

import click
import numpy as np
import suites
from families import sas_of

from sing.base.budget import Budget, LimitReached
from sing.base.errors import SingError
from sing.samples.sampling import COLLECTIONS, SamplingConfig, sample
from sing.task.task import Task


def suite(benchmarks: Path, cache: Path) -> dict[str, Task]:
    tasks = {}
    for domain, problem in suites.find_tasks(benchmarks):
        try:
            tasks[suites.name_of(problem)] = Task.from_sas(suites.sas_file(domain, problem, cache).read_text())
        except (SingError, LimitReached) as error:
            click.echo(f"{problem}: {error}", err=True)
    return tasks


@click.command(help=__doc__.splitlines()[0])
@click.option("--repetitions", default=5, show_default=True)
@click.option("--benchmarks", envvar="DOWNWARD_BENCHMARKS", help="Folder of IPC domains.")
@click.option("--cache", default="build/sas", show_default=True, type=click.Path(path_type=Path))
@click.option("--each", is_flag=True, help="A line for each IPC task.")
def main(repetitions: int, benchmarks: str, cache: Path, each: bool) -> None:
    task = Task.from_sas(sas_of("24-puzzle"))
    click.echo("24-puzzle, regression, dfs, 20,000 × 200 samples; samples per second (goal: 1,000,000 on one thread)")
    rates: dict[tuple[str, int], list[float]] = {}
    for _ in range(repetitions):
        for collect in COLLECTIONS:
            for jobs in (1, 2):
                samples = sample(task, SamplingConfig(collect=collect, nsearches=20000), jobs=jobs)
                rates.setdefault((collect, jobs), []).append(len(samples) / samples.time_s)
    for collect in COLLECTIONS:
        for name, choose in (("median", statistics.median), ("best", max)):
            one, two = (choose(rates[collect, jobs]) for jobs in (1, 2))
            click.echo(
                f"  {collect:<10} {name:<6} one thread {one:,.0f}, two threads {two:,.0f}: "
                f"{two / one:.2f} times as fast (goal: 1.7)"
            )
    if not benchmarks:
        return
    rows: dict[str, list[tuple[float, float, float]]] = {collect: [] for collect in COLLECTIONS}
    for name, ipc_task in suite(Path(benchmarks), cache).items():
        for collect in COLLECTIONS:
            samples = sample(ipc_task, SamplingConfig(collect=collect, nsearches=100), budget=Budget(5))
            labels = samples.labels if len(samples) else np.zeros(1)
            rows[collect].append((len(samples) / samples.time_s, float(labels.max()), float(labels.mean())))
            if each:
                rate, deepest, mean = rows[collect][-1]
                click.echo(f"  {name:<60} {collect:<10} {rate:12,.0f}/s deepest {deepest:4.0f} mean {mean:6.1f}")
    click.echo(f"{len(rows['expanded'])} IPC tasks, regression, dfs, 100 × 200 samples, one thread (goal: 300,000)")
    for collect in COLLECTIONS:
        rate, deepest, mean = (statistics.median(column) for column in zip(*rows[collect], strict=True))
        shallow = sum(row[1] <= 2 for row in rows[collect])
        click.echo(
            f"  {collect:<10} median {rate:,.0f}/s, deepest label {deepest:g}, mean label {mean:.1f}; "
            f"deepest label at most 2 in {shallow} tasks"
        )


if __name__ == "__main__":
    main()
