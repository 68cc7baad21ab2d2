"""What single rounds of chorus solve, each with seeds of its own, and what schedules of them would solve in some time.

A run of chorus is one draw of a few rounds. Rounds that are measured one by one tell of many runs: a schedule is given
the rounds of each kind in a random order of their seeds, and each takes the time that it took when it was measured.
"""

from __future__ import annotations

import random
import re
import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

import click
from common import experiment, work_through
from records import Records, Row
from suites import find_tasks, name_of, sas_file

from sing import _core
from sing.base.budget import Budget, LimitReached
from sing.base.errors import InputError, NothingLearnedError, SingError
from sing.base.outcome import Status
from sing.base.reporter import Reporter
from sing.learning.voices import learn_voices, max_links
from sing.planners.chorus import CHORUS
from sing.planners.context import Context
from sing.planners.landmarks import with_landmarks
from sing.planners.pruning import pruned
from sing.planners.symmetries import interchangeable_objects
from sing.search.search import named_heuristic, search
from sing.task.task import Task

# How each kind of round searches: first search, greedy, broad, voices.
_KINDS = {"f": CHORUS.first, "g": CHORUS.greedy, "b": CHORUS.broad, "v": CHORUS.search}
_MILLION = 1_000_000
_NUM_DRAWS = 300
# Of which voices may spend shares on samples and on training, as in a run of chorus that has so much time left.
_LEARNING_S = 10.0


@dataclass(frozen=True)
class Round:
    kind: str
    max_work: float

    def __str__(self) -> str:
        return f"{self.kind}{self.max_work / _MILLION:g}"


class _Rounds(click.ParamType):
    name = "ROUNDS"

    def convert(self, value: str, parameter: click.Parameter | None, context: click.Context | None) -> list[Round]:
        """`g5,b15`: a greedy round of 5 million successors, then a broad one of 15 million."""
        words = re.split(r"[,\s]+", value.strip())
        matches = [re.fullmatch(rf"([{''.join(_KINDS)}])(\d+(?:\.\d+)?)", word) for word in words]
        for word, match in zip(words, matches, strict=True):
            if match is None:
                self.fail(f"'{word}' is no round; write for example g5 or b0.5", parameter, context)
        return [Round(match[1], float(match[2]) * _MILLION) for match in matches if match]


@click.group()
def main() -> None:
    """Rounds of chorus one by one, and schedules of them."""


@main.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--output", default="rounds", type=click.Path(path_type=Path), help="a folder for tasks and results")
@click.option("--rounds", default="f0.8,g6,b15,g6,b15,g6,b15", type=_Rounds(), help="equal ones have different seeds")
@click.option("--jobs", default=1, type=click.IntRange(min=1))
def measure(folders: tuple[Path, ...], output: Path, rounds: list[Round], jobs: int) -> None:
    """Solve the tasks in FOLDERS with each of the rounds alone."""
    with experiment() as budget:
        records = Records(output / "results.jsonl")
        records.settle()
        known = records.keys("round", ("task", "round", "seed"))
        wanted = [(round_, rounds[:position].count(round_)) for position, round_ in enumerate(rounds)]
        tasks = [pair for folder in folders for pair in find_tasks(folder)]
        random.Random(0).shuffle(tasks)  # what is measured so far is of all kinds

        def work(pair: tuple[Path, Path]) -> str:
            name = name_of(pair[1])
            missing = [(round_, seed) for round_, seed in wanted if (name, str(round_), seed) not in known]
            try:
                sas = sas_file(*pair, output / "sas").read_text() if missing else ""
            except (SingError, LimitReached):
                return f"{name}: not translated"
            rows = _measure(sas, missing, budget) if missing else []
            for row in rows:
                records.add({"kind": "round", "task": name, **row})
            return f"{name}: {sum(row['solved'] for row in rows)} of {len(rows)} rounds solve it"

        work_through(tasks, work, jobs, budget)


def _measure(sas: str, rounds: list[tuple[Round, int]], budget: Budget) -> list[Row]:
    plain_task = Task.from_sas(sas)
    context = Context(budget.slice(20))
    task = with_landmarks(pruned(plain_task, CHORUS.prune_work, context), CHORUS.landmarks, context)
    alike = interchangeable_objects(plain_task, CHORUS.symmetry_work, context)
    return [_run(plain_task if round_.kind == "v" else task, alike, round_, seed, budget) for round_, seed in rounds]


def _run(
    task: Task, alike: _core.InterchangeableObjects | None, round_: Round, seed: int, budget: Budget
) -> Row:  # fmt: skip
    start_s = time.thread_time()
    heuristic = _heuristic(task, round_.kind, seed, budget)
    set_up_s = time.thread_time() - start_s
    result = search(
        task, heuristic, _KINDS[round_.kind], budget,
        seed=seed, max_work=int(round_.max_work), interchangeable=alike,
    )  # fmt: skip
    budget.check()
    return {
        "round": str(round_),
        "seed": seed,
        "solved": result.status is Status.SOLVED,
        "status": result.status.value,
        "work": result.statistics.num_generated + heuristic.work,
        "set_up_s": round(set_up_s, 4),
        "time_s": round(time.thread_time() - start_s, 4),
    }


def _heuristic(task: Task, kind: str, seed: int, budget: Budget) -> _core.Heuristic:
    """Voices learn from a first search of their own; goal count where there is nothing to learn, as in chorus."""
    if kind != "v":
        return named_heuristic(task, CHORUS.first_heuristic if kind == "f" else "adjusted", budget)
    first = search(
        task,
        named_heuristic(task, CHORUS.first_heuristic, budget),
        CHORUS.first,
        budget,
        seed=seed,
        max_work=CHORUS.first_generated,
        max_links=max_links(task, budget),
    )
    voices = CHORUS.voices
    try:
        if voices is None or first.seen is None:
            raise NothingLearnedError("there is nothing to learn from")
        slice_ = budget.slice(_LEARNING_S)
        learned = learn_voices(task, first.seen, voices, CHORUS.training, seed=seed, budget=slice_, reporter=Reporter())
        return learned.heuristic
    except NothingLearnedError:
        return named_heuristic(task, CHORUS.first_heuristic, budget)


@main.command()
@click.argument("schedules", nargs=-1, required=True, type=_Rounds())
@click.option("--output", default="rounds", type=click.Path(path_type=Path), help="the folder of the results")
@click.option("--times", default="1,2,4,8,12,16", help="seconds at which solved tasks are counted")
def schedules(schedules: tuple[list[Round], ...], output: Path, times: str) -> None:
    """How many tasks SCHEDULES, such as g5,b15, solve by some times; setting up is left out.

    No round goes on longer than it was measured.
    """
    with experiment():
        limits_s = [float(word) for word in times.split(",")]
        measured: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
        for row in Records(output / "results.jsonl").of("round"):
            measured[row["task"]][row["round"][0]].append(row)
        for schedule in schedules:
            for kind, count in Counter(round_.kind for round_ in schedule).items():
                if any(len(rows[kind]) < count for rows in measured.values()):
                    raise InputError(f"fewer than {count} rounds '{kind}' are measured of some tasks")
        click.echo(f"{f'{len(measured)} tasks':40}" + "".join(f"{limit_s:>8g}" for limit_s in limits_s))
        for schedule in schedules:
            counts = [0.0] * len(limits_s)
            for task, rows in measured.items():
                draws = random.Random(task)
                for _ in range(_NUM_DRAWS):
                    time_s = time_to_plan(schedule, rows, draws)
                    for position, limit_s in enumerate(limits_s):
                        counts[position] += (time_s <= limit_s) / _NUM_DRAWS
            label = " ".join(map(str, schedule))
            click.echo(f"{label:40}" + "".join(f"{count:>8.1f}" for count in counts))


def time_to_plan(schedule: list[Round], rows: dict[str, list[Row]], draws: random.Random) -> float:
    """Infinite where no round finds one. `rows` has what is measured of each kind."""
    left = {kind: draws.sample(found, len(found)) for kind, found in rows.items()}
    time_s = 0.0
    for round_ in schedule:
        row = left[round_.kind].pop()
        if row["solved"] and row["work"] <= round_.max_work:
            return time_s + float(row["time_s"])
        set_up_s = float(row["set_up_s"])
        time_s += set_up_s + (float(row["time_s"]) - set_up_s) * min(1.0, round_.max_work / max(row["work"], 1))
    return float("inf")


if __name__ == "__main__":
    main()
