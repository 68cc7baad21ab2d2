"""Chorus: rounds that learn from one another, restarts within their limits, several searchers."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from pddl import ERRANDS, ERRANDS_PROBLEM, UNSOLVABLE_PROBLEM, is_valid, write
from puzzles import sliding_tiles

import sing
from sing import Budget, Status
from sing.base.budget import LimitReached
from sing.base.errors import InputError, NothingLearnedError
from sing.base.reporter import Reporter
from sing.learning.voices import VoicesConfig, learn_voices
from sing.networks.training import TrainingConfig
from sing.planners.attempt import Attempt
from sing.planners.chorus import sing_in_rounds
from sing.planners.configs import CONFIGS, Chorus
from sing.planners.side_by_side import decisiveness, side_by_side
from sing.search.search import SearchConfig, SearchStatistics, search
from sing.task.plan import execute
from sing.translate import generators

# Rounds so small that a 15-puzzle needs some of them.
SMALL = CONFIGS["chorus"].override(first_generated=2000, round_generated=20_000, growth=1.5)


@pytest.fixture(scope="module")
def puzzle(tmp_path_factory):
    family = generators.npuzzle(4, 4, seed=2)
    return write(tmp_path_factory.mktemp("puzzle"), family.domain, family.problems[0])


@pytest.fixture(scope="module")
def blocks(tmp_path_factory):
    family = generators.blocks(25, seed=3)
    return write(tmp_path_factory.mktemp("blocks"), family.domain, family.problems[0])


@pytest.mark.parametrize("name", ["chorus", "chorus-control"])
def test_rounds_find_valid_plans(puzzle, name):
    config = dataclasses.replace(SMALL, name=name, voices=CONFIGS[name].voices)
    result = sing.solve(*puzzle, config=config, seed=1, time_limit_s=100)
    assert result.status is Status.SOLVED and is_valid(*puzzle, result.plan.to_ipc())
    assert result.num_restarts > 0
    assert (result.num_samples > 0) == (name == "chorus")
    assert result.solved_by == f"{name}, round {result.num_restarts}"


def test_a_seed_gives_one_plan(puzzle):
    results = [sing.solve(*puzzle, config=SMALL, seed=seed, time_limit_s=100) for seed in (5, 5, 6)]
    assert results[0].plan == results[1].plan != results[2].plan
    assert results[0].num_expanded == results[1].num_expanded


def test_several_searchers_leave_no_thread_behind(puzzle, blocks):
    for files in (puzzle, blocks):
        num_threads = threading.active_count()
        result = sing.solve(*files, config=SMALL, seed=1, jobs=3, time_limit_s=100)
        assert result.status is Status.SOLVED and is_valid(*files, result.plan.to_ipc())
        assert threading.active_count() == num_threads


@pytest.mark.parametrize("jobs", [1, 2])
def test_no_plan_is_proved(tmp_path, jobs):
    files = write(tmp_path, ERRANDS, UNSOLVABLE_PROBLEM)
    assert sing.solve(*files, config="chorus", jobs=jobs).status is Status.UNSOLVABLE


def test_a_chorus_is_the_default(tmp_path):
    files = write(tmp_path, ERRANDS, ERRANDS_PROBLEM)
    result = sing.solve(*files)
    assert result.config == "chorus" and result.status is Status.SOLVED
    assert is_valid(*files, result.plan.to_ipc())


def test_time_ends_the_rounds():
    budget = Budget(4)
    attempts = sing_in_rounds(sliding_tiles(7), SMALL, seed=0, budget=budget, reporter=Reporter())
    assert attempts[-1].status is Status.OUT_OF_TIME and len(attempts) > 1
    assert any(attempt.num_epochs for attempt in attempts)


def test_an_interruption_ends_the_rounds():
    budget = Budget(100)

    class Interrupter(Reporter):
        def done(self, phase: str, time_s: float, summary: str) -> None:
            if phase == "train":
                budget.interrupt()

    attempts = sing_in_rounds(sliding_tiles(7), SMALL, seed=0, budget=budget, reporter=Interrupter())
    assert attempts[-1].status is Status.INTERRUPTED and len(attempts) == 2


def test_an_interruption_between_rounds_is_no_end_of_work():
    budget = Budget(100)

    class Interrupter(Reporter):
        def done(self, phase: str, time_s: float, summary: str) -> None:
            budget.interrupt()

    attempts = sing_in_rounds(sliding_tiles(7), SMALL, seed=0, budget=budget, reporter=Interrupter())
    assert attempts[-1].status is Status.INTERRUPTED and len(attempts) == 1


def test_rounds_may_grow_for_ever():
    config = CONFIGS["chorus-control"].override(first_generated=1, round_generated=1, growth=1e300)
    budget = Budget(100)

    class Interrupter(Reporter):
        count = 0

        def done(self, phase: str, time_s: float, summary: str) -> None:
            self.count += 1

        def searching(self, statistics: SearchStatistics, searcher: str = "") -> None:
            if self.count == 2:  # the third is under way
                budget.interrupt()

    attempts = sing_in_rounds(sliding_tiles(30), config, seed=0, budget=budget, reporter=Interrupter())
    assert attempts[-1].status is Status.INTERRUPTED and len(attempts) == 3


def test_of_two_plans_at_once_the_shorter_is_reported():
    short, long = Attempt("short", Status.SOLVED), Attempt("long", Status.SOLVED)
    task = sliding_tiles(3)
    for attempt, heuristic in ((short, "ff"), (long, "goalcount")):
        attempt.found = search(task, SearchConfig(heuristic), Budget(60))
    assert len(short.found.plan) < len(long.found.plan)
    attempts = [short, Attempt("none"), long]
    assert sorted(attempts, key=decisiveness)[-1] is short


def test_an_error_beside_a_plan_is_no_error():
    task = sliding_tiles(3)

    def work(position: int, budget: Budget, reporter: Reporter) -> list[Attempt]:
        if position == 0:
            raise InputError("the first fails")
        if position == 2:
            return []
        attempt = Attempt("second")
        attempt.search(task, SearchConfig("ff"), None, budget, reporter, seed=0)
        return [attempt]

    names = ["first", "second", "third"]
    attempts = side_by_side(names, work, 3, Budget(60), Reporter())
    assert [attempt.status for attempt in attempts] == [Status.SOLVED]
    with pytest.raises(InputError, match="the first fails"):
        side_by_side(names[:1], work, 1, Budget(60), Reporter())


LIMITED = """
import sys, sing
from sing.base.budget import peak_memory_kb
domain, problem, generated, time_s, memory_mib = sys.argv[1:]
config = sing.CONFIGS["chorus"].override(first_generated=20_000, round_generated=int(generated), growth=1.0)
limits = {"time_limit_s": float(time_s), "memory_limit_bytes": int(memory_mib) << 20}
result = sing.solve(domain, problem, config=config, **limits)
print(result.status.value, result.num_restarts, peak_memory_kb() >> 10, result.times_s["total"])
"""


def run_limited(folder, *, size: int, generated: int, time_s: float, memory_mib: int) -> tuple[str, int, int, float]:
    """Status, restarts, peak MiB and seconds of a run in a process of its own, on a puzzle that it does not solve."""
    family = generators.npuzzle(size, size, seed=1)
    arguments = [*write(folder, family.domain, family.problems[0]), generated, time_s, memory_mib]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *map(str, arguments)], capture_output=True, text=True, check=True
    )
    status, num_restarts, peak_mib, elapsed_s = done.stdout.split()
    return status, int(num_restarts), int(peak_mib), float(elapsed_s)


def test_many_restarts_leak_no_memory(tmp_path):
    status, num_restarts, peak_mib, _ = run_limited(tmp_path, size=8, generated=100_000, time_s=7, memory_mib=300)
    assert status == "out_of_time" and num_restarts >= 2
    assert peak_mib <= 300


def test_a_full_memory_ends_a_round_and_not_the_run(tmp_path):
    status, num_restarts, peak_mib, _ = run_limited(tmp_path, size=8, generated=10**12, time_s=7, memory_mib=200)
    assert status == "out_of_time" and num_restarts >= 2
    assert peak_mib <= 200


def test_a_memory_that_is_always_full_does_end_the_run(tmp_path):
    status, _, _, elapsed_s = run_limited(tmp_path, size=10, generated=10**12, time_s=60, memory_mib=70)
    assert status == "out_of_memory" and elapsed_s < 60


def test_samples_shrink_with_the_memory_limit():
    task = sliding_tiles(8)
    config = SearchConfig("goalcount", ("o",), "random")
    seen = search(task, config, Budget(60), max_generated=20_000, max_links=10**6).seen
    sizes = []
    for limit_bytes in (8 << 30, 64 << 20):
        voices = learn_voices(
            task, seen, VoicesConfig(), TrainingConfig(hidden=(8,), max_epochs=1),
            seed=0, budget=Budget(60, limit_bytes), reporter=Reporter(),
        )  # fmt: skip
        sizes.append(voices.num_samples)
    assert sizes[1] < sizes[0] / 2


def test_voices_may_share_several_hidden_layers():
    task = sliding_tiles(3)
    seen = search(task, SearchConfig("goalcount"), Budget(60), max_generated=3000, max_links=10**6).seen
    training = TrainingConfig(hidden=(16, 8), max_epochs=5)
    voices = learn_voices(task, seen, VoicesConfig(), training, seed=0, budget=Budget(60), reporter=Reporter())
    assert [weights.shape[1] for weights, _ in voices.training.layers] == [16, 8, len(task.goal)]
    solved = search(task, SearchConfig("network"), Budget(60), heuristic=voices.heuristic)
    assert solved.status == Status.SOLVED


def test_what_cannot_be_learned_is_said():
    task = sliding_tiles(3)
    seen = search(task, SearchConfig("goalcount"), Budget(60), max_generated=10, max_links=1).seen
    nothing = VoicesConfig(num_completed=0, num_searches=0, num_walks=0, far_labels=False)
    with pytest.raises(NothingLearnedError):
        learn_voices(task, seen, nothing, TrainingConfig(), seed=0, budget=Budget(60), reporter=Reporter())
    budget = Budget(60)
    budget.interrupt()
    with pytest.raises(LimitReached):
        learn_voices(task, seen, VoicesConfig(), TrainingConfig(), seed=0, budget=budget, reporter=Reporter())


def test_one_goal_and_hundreds(benchmarks):
    for domain, problem in (("grid", "prob02.pddl"), ("maintenance-sat14-adl", None)):
        folder = Path(benchmarks) / domain
        name = folder / problem if problem else min(folder.glob("maintenance*.pddl"))
        result = sing.solve(folder / "domain.pddl", name, config=SMALL, time_limit_s=100)
        assert result.status is Status.SOLVED and is_valid(folder / "domain.pddl", name, result.plan.to_ipc())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"first_generated": 0}, "at least one successor"),
        ({"growth": 0.5}, "1 or more"),
        ({"shorten_share": -1.0}, "0 or more"),
        ({"hidden": (16, 16)}, "one hidden layer"),
        ({"num_states": -1}, "0 or more"),
        ({"nsearches": 5}, "has no nsearches"),
        ({"search": SearchConfig("blind")}, "the others voices"),
    ],
)
def test_bad_configurations_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        CONFIGS["chorus"].override(**options)


def test_an_attempt_without_a_plan_is_not_made_shorter():
    attempt = Attempt("none")
    attempt.shorten(sliding_tiles(3), 1.0, Budget(10), Reporter())
    assert attempt.found is None


def test_a_control_has_the_same_searches():
    chorus, control = CONFIGS["chorus"], CONFIGS["chorus-control"]
    assert isinstance(chorus, Chorus) and isinstance(control, Chorus)
    assert dataclasses.replace(chorus, name="", description="", voices=None) == dataclasses.replace(
        control, name="", description=""
    )


def test_plans_of_rounds_execute():
    task = sliding_tiles(4)
    attempts = sing_in_rounds(task, SMALL, seed=3, budget=Budget(100), reporter=Reporter())
    assert attempts[-1].status is Status.SOLVED
    execute(task, attempts[-1].found.plan)


def test_better_plans_until_the_limit(puzzle, tmp_path):
    plans: list[sing.Plan] = []
    result = sing.solve(*puzzle, config="chorus", seed=1, time_limit_s=6, on_plan=plans.append)
    assert result.status is Status.SOLVED and result.plan == plans[-1]
    costs = [plan.cost for plan in plans]
    assert len(costs) > 1 and costs == sorted(set(costs), reverse=True)
    assert all(is_valid(*puzzle, plan.to_ipc()) for plan in plans)


def test_an_interruption_keeps_the_best_plan(puzzle):
    budget = Budget(100)
    plans: list[sing.Plan] = []

    def hear(plan: sing.Plan) -> None:
        plans.append(plan)
        if len(plans) == 2:
            budget.interrupt()

    result = sing.solve(*puzzle, config="chorus", seed=1, budget=budget, on_plan=hear)
    assert result.status is Status.SOLVED and result.plan == plans[-1] and len(plans) == 2


def test_better_plans_of_other_configurations(puzzle):
    plans: list[sing.Plan] = []
    result = sing.solve(*puzzle, config="goalcount", time_limit_s=4, on_plan=plans.append)
    assert result.plan == plans[-1]


@pytest.mark.parametrize("name", ["chorus", "goalcount"])
def test_a_plan_that_is_known_to_be_shortest_ends_it(tmp_path, name):
    files = write(tmp_path, ERRANDS, ERRANDS_PROBLEM)
    plans: list[sing.Plan] = []
    result = sing.solve(*files, config=name, time_limit_s=600, on_plan=plans.append)
    assert result.plan == plans[-1] and result.times_s["total"] < 300


def test_slices_of_slices_may_be_small(puzzle):
    result = sing.solve(*puzzle, config=SMALL, jobs=4, time_limit_s=100)
    assert result.status is Status.SOLVED
    part = Budget(60, 64 << 20).slice(10, 1 / 4).slice(5)
    assert part.memory_limit_bytes == 16 << 20 and part.remaining_s <= 5
