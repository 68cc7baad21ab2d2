"""Chorus: whole runs in rounds, restarts within their limits, several searchers."""

from __future__ import annotations

import dataclasses
import itertools
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from clocks import Clock
from pddl import ERRANDS, ERRANDS_PROBLEM, UNSOLVABLE_PROBLEM, is_valid, write
from puzzles import sliding_tiles
from random_tasks import OperatorText, TaskText

import sing
from sing import Budget, Status
from sing.base.budget import LimitReached
from sing.base.errors import InputError, NothingLearnedError
from sing.base.reporter import Reporter
from sing.learning.voices import VoicesConfig, learn_voices, max_links
from sing.networks.training import TrainingConfig
from sing.planners.attempt import Attempt
from sing.planners.configs import CONFIGS
from sing.planners.context import Context
from sing.planners.side_by_side import decisiveness, side_by_side
from sing.search.search import SearchConfig, named_heuristic, search
from sing.task.plan import execute
from sing.task.task import Task
from sing.translate import generators

# Rounds so small that a 15-puzzle needs some of them.
SMALL = CONFIGS["chorus"].override(first_generated=2000, round_work=20_000, growth=1.5)


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
    result = sing.solve(*puzzle, config=config, seed=1)
    assert result.status is Status.SOLVED and is_valid(*puzzle, result.plan.to_ipc())
    assert result.num_restarts > 0
    assert (result.num_samples > 0) == (name == "chorus" and result.num_restarts >= 3)
    assert result.solved_by == f"{name}, round {result.num_restarts}"


def test_those_side_by_side_share_the_memory():
    limits = []

    def run(position: int, context: Context) -> list[Attempt]:
        limits.append((context.budget.memory_limit_bytes, context.budget.remaining_s, context.jobs))
        return [Attempt("none")]

    side_by_side(sliding_tiles(2), ["a", "b", "c", "d"], run, Context(Budget(100, 1 << 30, clock=Clock()), jobs=2))
    assert limits == 4 * [(1 << 28, 100, 1)]


def test_a_seed_gives_one_plan(puzzle):
    results = [sing.solve(*puzzle, config=SMALL, seed=seed) for seed in (5, 5, 6)]
    assert results[0].plan == results[1].plan != results[2].plan
    assert results[0].num_expanded == results[1].num_expanded


def test_several_searchers_leave_no_thread_behind(puzzle, blocks):
    for files in (puzzle, blocks):
        num_threads = threading.active_count()
        result = sing.solve(*files, config=SMALL, seed=1, jobs=3)
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


def test_of_two_plans_at_once_the_shorter_is_reported():
    short, long = Attempt("short", Status.SOLVED), Attempt("long", Status.SOLVED)
    task = sliding_tiles(3)
    plans = [search(task, named_heuristic(task, name), SearchConfig(), Budget()).plan for name in ("ff", "goalcount")]
    short.plan, long.plan = sorted(plans, key=len)
    assert len(short.plan) < len(long.plan)
    attempts = [short, Attempt("none"), long]
    assert max(attempts, key=lambda attempt: decisiveness(task, attempt)) is short


def test_of_two_plans_at_once_the_cheaper_is_reported():
    """However many operators it has; of those that cost as much, the one with fewer."""
    ways = [((0, 0, 2), 5), ((0, 0, 1), 1), ((0, 1, 2), 1), ((0, 0, 2), 2)]
    operators = tuple(OperatorText((), (effect,), cost) for effect, cost in ways)
    task = Task.from_sas(TaskText(True, (3,), (), (0,), ((0, 2),), operators).to_sas())
    dear, cheap, short = (Attempt("", Status.SOLVED, plan=plan) for plan in ((0,), (1, 2), (3,)))
    for plans in itertools.permutations([dear, cheap, short]):
        for num_plans, best in ((2, cheap), (3, short)):
            left = [plan for plan in plans if num_plans == 3 or plan is not short]
            names = [str(position) for position in range(num_plans)]
            attempts = side_by_side(task, names, lambda position, own, left=left: [left[position]], Context(Budget()))
            assert attempts[-1] is best


def test_an_error_beside_a_plan_is_no_error():
    task = sliding_tiles(3)

    def run(position: int, context: Context) -> list[Attempt]:
        if position == 0:
            raise InputError("the first fails")
        if position == 2:
            return []
        attempt = Attempt("second")
        attempt.search(task, named_heuristic(task, "ff"), SearchConfig(), context)
        return [attempt]

    names = ["first", "second", "third"]
    attempts = side_by_side(task, names, run, Context(Budget(), jobs=3))
    assert [attempt.status for attempt in attempts] == [Status.SOLVED]
    with pytest.raises(InputError, match="the first fails"):
        side_by_side(task, names[:1], run, Context(Budget()))


LIMITED = """
import sys, sing
from sing.base.budget import peak_memory_kb
domain, problem, generated, memory_mib = sys.argv[1:]
config = sing.CONFIGS["chorus"].override(first_generated=20_000, round_work=int(generated), growth=1.0)
budget = sing.Budget(memory_limit_bytes=int(memory_mib) << 20)

class Counter(sing.Reporter):
    num_searches = 0

    def done(self, phase, time_s, summary):
        self.num_searches += phase == "search"
        if self.num_searches == 3:
            budget.interrupt()

result = sing.solve(domain, problem, config=config, budget=budget, reporter=Counter())
print(result.status.value, result.num_restarts, peak_memory_kb() >> 10)
"""


def run_limited(folder, *, size: int, generated: int, memory_mib: int) -> tuple[str, int, int]:
    """Status, restarts and peak MiB of two rounds in a process of their own, on a puzzle that they do not solve."""
    family = generators.npuzzle(size, size, seed=1)
    arguments = [*write(folder, family.domain, family.problems[0]), generated, memory_mib]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *map(str, arguments)], capture_output=True, text=True, check=True
    )
    status, num_restarts, peak_mib = done.stdout.split()
    return status, int(num_restarts), int(peak_mib)


def test_many_restarts_leak_no_memory(tmp_path):
    status, num_restarts, peak_mib = run_limited(tmp_path, size=8, generated=100_000, memory_mib=300)
    assert (status, num_restarts) == ("interrupted", 2)
    assert peak_mib <= 300


def test_a_full_memory_ends_a_round_and_not_the_run(tmp_path):
    status, num_restarts, peak_mib = run_limited(tmp_path, size=8, generated=10**12, memory_mib=100)
    assert (status, num_restarts) == ("interrupted", 2)
    assert peak_mib <= 100


def test_a_memory_that_is_always_full_does_end_the_run(tmp_path):
    status, _, _ = run_limited(tmp_path, size=10, generated=10**12, memory_mib=70)
    assert status == "out_of_memory"


def test_samples_shrink_with_the_memory_limit(monkeypatch):
    monkeypatch.setattr("sing.base.budget.current_memory_bytes", lambda: 0)  # this process has more than the limit
    task = sliding_tiles(8)
    heuristic, config = named_heuristic(task, "goalcount"), SearchConfig(("o",), "random")
    seen = search(task, heuristic, config, Budget(), max_work=20_000, max_links=10**6).seen
    sizes = []
    for limit_bytes in (8 << 30, 64 << 20):
        voices = learn_voices(
            task, seen, VoicesConfig(), TrainingConfig(hidden=(8,), max_epochs=1),
            seed=0, budget=Budget(memory_limit_bytes=limit_bytes), reporter=Reporter(),
        )  # fmt: skip
        sizes.append(voices.num_samples)
    assert sizes[1] < sizes[0] / 2


def test_steps_kept_for_samples_shrink_with_the_memory_limit():
    task = sliding_tiles(3)
    few, many = (max_links(task, Budget(memory_limit_bytes=limit)) for limit in (64 << 20, 8 << 30))
    assert few == (64 << 20) // 256 < many


def test_voices_may_share_several_hidden_layers():
    task = sliding_tiles(3)
    heuristic = named_heuristic(task, "goalcount")
    seen = search(task, heuristic, SearchConfig(), Budget(), max_work=3000, max_links=10**6).seen
    training = TrainingConfig(hidden=(16, 8), max_epochs=5)
    voices = learn_voices(task, seen, VoicesConfig(), training, seed=0, budget=Budget(), reporter=Reporter())
    assert [weights.shape[1] for weights, _ in voices.training.layers] == [16, 8, len(task.goal)]
    assert search(task, voices.heuristic, SearchConfig(), Budget()).status is Status.SOLVED


def test_what_cannot_be_learned_is_said():
    task = sliding_tiles(3)
    heuristic = named_heuristic(task, "goalcount")
    seen = search(task, heuristic, SearchConfig(), Budget(), max_work=10, max_links=1).seen
    nothing = VoicesConfig(num_completed=0, num_searches=0, num_walks=0, far_labels=False)
    with pytest.raises(NothingLearnedError):
        learn_voices(task, seen, nothing, TrainingConfig(), seed=0, budget=Budget(), reporter=Reporter())
    budget = Budget()
    budget.interrupt()
    with pytest.raises(LimitReached):
        learn_voices(task, seen, VoicesConfig(), TrainingConfig(), seed=0, budget=budget, reporter=Reporter())


def test_one_goal_and_hundreds(benchmarks):
    for domain, problem in (("grid", "prob02.pddl"), ("maintenance-sat14-adl", None)):
        folder = Path(benchmarks) / domain
        name = folder / problem if problem else min(folder.glob("maintenance*.pddl"))
        result = sing.solve(folder / "domain.pddl", name, config=SMALL)
        assert result.status is Status.SOLVED and is_valid(folder / "domain.pddl", name, result.plan.to_ipc())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"first_generated": 0}, "first_generated is 0; it must be 1 or more"),
        ({"first_generated": 2**63}, "first_generated is 9223372036854775808; it must be below 2.63"),
        ({"growth": 0.5}, "1 or more"),
        ({"landmarks": -1}, "0 or more"),
        ({"greedy.boost": -1}, "0 or more"),
        ({"greedy.boost": 2**32}, "boost is 4294967296; it must be below 2.32"),
        ({"shorten_share": -1.0}, "0 or more"),
        ({"num_states": -1}, "0 or more"),
        ({"nsearches": 5}, "'chorus' has no field 'nsearches' .did you mean voices.num_searches"),
        ({"first_heuristic": "voices"}, "there is no first_heuristic 'voices'"),
    ],
)
def test_bad_configurations_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        CONFIGS["chorus"].override(**options)


def test_a_control_has_the_same_searches():
    chorus, control = CONFIGS["chorus"], CONFIGS["chorus-control"]
    assert dataclasses.replace(chorus, name="", description="", voices=None) == dataclasses.replace(
        control, name="", description=""
    )


def test_plans_of_rounds_execute():
    task = sliding_tiles(4)
    attempts = SMALL.attempts(task, Context(Budget(), 3, reporter=Reporter()))
    assert attempts[-1].status is Status.SOLVED
    execute(task, attempts[-1].plan)


def test_slices_of_slices_may_be_small(puzzle):
    result = sing.solve(*puzzle, config=SMALL, jobs=4)
    assert result.status is Status.SOLVED
    part = Budget(1800, 64 << 20, clock=Clock()).slice(10, 1 / 4).slice(5)
    assert part.memory_limit_bytes == 16 << 20 and part.remaining_s == 5
