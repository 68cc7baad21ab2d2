"""sing's translator beside Fast Downward's: whether the tasks are the same, processor time and memory.

    python experiments/translator.py --benchmarks DIR --output build/translator [--benchmarks DIR] [--time-limit 900s]

Each translator runs in a process of its own, one after the other on the same problem. Time is processor time without
the start of Python and its imports, with reading the files and writing the task; memory is what the process took beyond
what it had then. Results are appended to results.jsonl as they come, and a second call goes on where the first stopped;
table.md has the table.
"""

from __future__ import annotations

import json
import math
import resource
import statistics
import sys
import time
from pathlib import Path

import click
from common import TIME, experiment, render, work_through
from processes import run_process
from records import Records, Row, describe_machines
from suites import find_tasks, name_of

from sing import _core
from sing.base.budget import Budget, peak_memory_kb
from sing.translate.translator import TRANSLATORS

MEMORY_LIMIT_BYTES = 4 << 30
# Ratios are about translations by Fast Downward that take so long; others are mostly noise.
SLOW_S = 1.0


def translate_here(translator: str, domain: str, problem: str, sas: str) -> Row:
    """Translate in this process and tell what it took."""
    if translator == "fd":
        sys.argv = ["translate", domain, problem, "--sas-file", sas]
        from fast_downward.translate import main, options

        options.set_options()
    before_kb, start_s = peak_memory_kb(), time.process_time()
    if translator == "fd":
        main.main()
    else:
        texts = [(name, Path(name).read_text(errors="replace")) for name in (domain, problem)]
        task = _core.translate(*texts, _core.TranslationProgress(), completes=False)
        Path(sas).write_text(_core.to_sas(task))
    return {"time_s": round(time.process_time() - start_s, 4), "peak_kb": peak_memory_kb() - before_kb}


def measure(domain: Path, problem: Path, folder: Path, time_limit_s: float, budget: Budget) -> Row:
    """Both translators on one problem."""
    row: Row = {"kind": "translation", "suite": problem.parent.parent.name, "problem": name_of(problem)}
    texts = {}
    for translator in TRANSLATORS:
        sas = folder / f"{translator}.sas"
        sas.unlink(missing_ok=True)
        command = [sys.executable, __file__, "--time-limit", str(time_limit_s)]
        command += ["--measure", translator, str(domain), str(problem), str(sas)]
        code, output = run_process(command, budget.slice(math.inf), memory_limit_bytes=MEMORY_LIMIT_BYTES)
        row[translator] = json.loads(output.splitlines()[-1]) if code == 0 else {"exit_code": code}
        if code == 0:
            task = _core.Task.from_sas(sas.read_text())
            texts[translator] = _core.to_sas(task)
            row[translator] |= {"variables": task.num_variables, "operators": task.num_operators}
    row["is_same"] = texts["native"] == texts["fd"] if len(texts) == len(TRANSLATORS) else None
    return row


def table(records: Records) -> str:
    lines = [
        "| tasks | both end | the same task | times as fast, geometric mean | the least, of those over 1 s "
        "| memory, median ratio | the largest | slowest |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    rows = records.of("translation")
    for suite in dict.fromkeys(row["suite"] for row in rows):
        of_suite = [row for row in rows if row["suite"] == suite]
        both = [row for row in of_suite if row["is_same"] is not None]
        if not both:
            continue
        # A processor's clock has steps of its own.
        ratios = [row["fd"]["time_s"] / max(row["native"]["time_s"], 1e-4) for row in both]
        slow = [ratio for row, ratio in zip(both, ratios, strict=True) if row["fd"]["time_s"] > SLOW_S]
        memory = [row["native"]["peak_kb"] / max(row["fd"]["peak_kb"], 1) for row in both]
        native = [row["native"]["time_s"] for row in of_suite if "time_s" in row["native"]]
        least = f"{min(slow):.0f}" if slow else ""
        lines.append(
            f"| {suite}, {len(of_suite)} | {len(both)} | {sum(row['is_same'] for row in both)} "
            f"| {math.exp(statistics.mean(map(math.log, ratios))):.0f} | {least} "
            f"| {statistics.median(memory):.2f} | {max(memory):.2f} | {max(native):.2f} s |"
        )
    others = [row for row in rows if not row["is_same"]]
    lines += ["", *(f"- {row['problem']}: native {row['native']}, fd {row['fd']}" for row in others)]
    return "\n".join([*lines, "", describe_machines(records), ""])


@click.command()
@click.option("--output", type=click.Path(path_type=Path), metavar="DIR")
@click.option("--benchmarks", type=click.Path(path_type=Path, exists=True), metavar="DIR", multiple=True)
@click.option("--time-limit", default="900s", show_default=True, type=TIME, help="Processor time of a translation.")
@click.option("--measure", "measured", nargs=4, hidden=True)
def main(
    output: Path | None,
    benchmarks: tuple[Path, ...],
    time_limit: float,
    measured: tuple[str, str, str, str] | None,
) -> None:
    if measured:
        limit_s = math.ceil(time_limit)
        resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s))
        click.echo(json.dumps(translate_here(*measured)))
        return
    if output is None:
        raise click.UsageError("name a folder with --output")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with experiment() as budget:
        records = Records(output / "results.jsonl")
        records.settle()
        known = records.keys("translation", ("suite", "problem"))
        tasks = [task for folder in benchmarks for task in find_tasks(folder)]
        todo = [(d, p) for d, p in tasks if (p.parent.parent.name, name_of(p)) not in known]

        def work(task: tuple[Path, Path]) -> str:
            row = measure(*task, output, time_limit, budget)
            records.add(row)
            return f"{row['problem']}: {row['native']}, {row['fd']}, same {row['is_same']}"

        if todo:
            work_through(todo, work, 1, budget)
        render(records, "translation", output, table)


if __name__ == "__main__":
    main()
