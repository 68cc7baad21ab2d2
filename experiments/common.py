"""What the experiments share: options, learning, work in threads, and how a run ends."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from records import Records
from spaces import Space, sas_file_of

from sing.base.budget import Budget, LimitReached, parse_memory_bytes, parse_time_s
from sing.base.errors import InputError, SingError
from sing.base.files import write_text
from sing.base.reporter import Reporter
from sing.learning.learn import Learned, learn_model
from sing.planners.planner import Planner
from sing.translate.translator import read_task

MEMORY_LIMIT = "6G"
MEMORY_BYTES = parse_memory_bytes(MEMORY_LIMIT)


class _Time(click.ParamType):
    name = "TIME"

    def convert(self, value: Any, parameter: Any, context: Any) -> float:
        try:
            return value if isinstance(value, float) else parse_time_s(value)
        except InputError as error:
            self.fail(str(error), parameter, context)


TIME = _Time()


@contextmanager
def experiment() -> Iterator[Budget]:
    """A budget that Ctrl-C, SIGTERM and SIGHUP interrupt, and clear messages instead of tracebacks."""
    budget = Budget(math.inf, MEMORY_BYTES)
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, lambda number, frame: budget.interrupt()) for number in numbers}
    try:
        yield budget
    except LimitReached:
        raise click.ClickException("interrupted; call again to go on") from None
    except (SingError, OSError) as error:
        raise click.ClickException(str(error)) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def work_through(todo: Sequence[Any], work: Callable[[Any], str], jobs: int, budget: Budget) -> None:
    """Call work(item) for each, so many at a time, and tell what it returns and how long the rest may take.

    The first error ends it all, and so does an interruption, by LimitReached.
    """
    start_s = time.monotonic()

    def one(item: Any) -> str:
        budget.check()
        return work(item)

    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(one, item) for item in todo]
        try:
            for number, future in enumerate(futures, start=1):
                news = future.result()
                left_s = (time.monotonic() - start_s) / number * (len(todo) - number)
                click.echo(f"{number}/{len(todo)} {news}, about {left_s / 60:.0f} min left")
        except BaseException:
            budget.interrupt()
            pool.shutdown(cancel_futures=True)
            raise


def learn_for(
    space: Space, config: Planner, folder: Path, records: Records, name: str, seed: int, jobs: int, budget: Budget
) -> Learned:
    """Learn from the space's training problem, with the same memory everywhere, and record what it took."""
    task = read_task(sas_file_of(space.training, 0, folder / "training"), Budget())
    part = budget.slice(math.inf)
    learned = learn_model(
        task, config.learning, config.origin,
        seed=seed, jobs=jobs, budget=part, reporter=Reporter(), search_follows=False,
    )  # fmt: skip
    records.add(
        {
            "kind": "learn",
            "space": space.name,
            "planner": name,
            "seed": seed,
            "config": config.name,
            "jobs": jobs,
            "sample_s": learned.sample_time_s,
            "train_s": learned.train_time_s,
            "num_samples": learned.num_samples,
            "num_rounds": learned.num_iterations,
        }
    )
    return learned


def render(
    records: Records,
    kind: str,
    output: Path,
    table: Callable[[Records], str],
    plot: tuple[str, Callable[[Records, Path], None]] | None = None,
) -> None:
    """Write table.md and the plot, a name and what draws it, from the rows of a kind, and show the table."""
    if not records.of(kind):
        raise SingError(f"nothing is measured yet in '{output}'")
    text = table(records)
    write_text(output / "table.md", text, "table")
    if plot is not None:
        name, draw = plot
        for ending in ("svg", "png"):
            draw(records, output / f"{name}.{ending}")
    click.echo(text)
