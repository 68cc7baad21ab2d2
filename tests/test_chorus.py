"""Chorus: rounds that learn from one another, restarts within their limits, several searchers."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import reference
from clocks import Clock
from pddl import ERRANDS, ERRANDS_PROBLEM, UNSOLVABLE_PROBLEM, is_valid, write
from puzzles import sliding_tiles

import sing
from sing import Budget, Status
from sing.base.budget import LimitReached
from sing.base.errors import InputError, NothingLearnedError
from sing.base.reporter import Reporter
from sing.learning.voices import VoicesConfig, learn_voices
from sing.networks.train import train
from sing.networks.training import TrainingConfig
from sing.planners.anytime import Improver
from sing.planners.attempt import Attempt
from sing.planners.configs import CONFIGS
from sing.planners.context import Context
from sing.planners.side_by_side import decisiveness, side_by_side
from sing.search.search import SearchConfig, named_heuristic, search
from sing.search.shortening import ShorterPlan
from sing.task.plan import Plan, execute, states_along
from sing.task.task import Task
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
    result = sing.solve(*puzzle, config=config, seed=1)
    assert result.status is Status.SOLVED and is_valid(*puzzle, result.plan.to_ipc())
    assert result.num_restarts > 0
    assert (result.num_samples > 0) == (name == "chorus")
    assert result.solved_by == f"{name}, round {result.num_restarts}"


TIME_S = 1000.0


@dataclasses.dataclass
class Rounds:
    """The calls of a run that is interrupted at the end of a round."""

    searches: list[dict]  # arguments
    learned_from: list[dict]
    taught: list[sing._core.Heuristic]


def record_rounds(monkeypatch, config: sing.Chorus, *, seed: int, num_rounds: int) -> Rounds:
    """Of a first search and so many rounds on a puzzle too large for them: 100 successors each, whatever they may."""
    budget, rounds = Budget(TIME_S, clock=Clock()), Rounds([], [], [])
    real_search, real_learn = search, learn_voices

    def record_search(task, heuristic, config, budget_, **options):
        given = {"heuristic": heuristic, "config": config, "time_s": budget_.remaining_s}
        rounds.searches.append({**given, **options})
        if len(rounds.searches) == 1 + num_rounds:
            budget.interrupt()
        return real_search(task, heuristic, config, budget_, **{**options, "max_generated": 100})

    def record_learning(task, seen, config, training, **options):
        rounds.learned_from.append({"seen": seen, "config": config, "training": training, **options})
        learned = real_learn(task, seen, config, training, **options)
        rounds.taught.append(learned.heuristic)
        return learned

    monkeypatch.setattr("sing.planners.attempt.search", record_search)
    monkeypatch.setattr("sing.planners.chorus.learn_voices", record_learning)
    attempts = config.attempts(sliding_tiles(5), Context(budget, seed))
    assert len(attempts) == len(rounds.searches) == 1 + num_rounds
    return rounds


# Little to learn from, so that a round takes a moment.
BRIEF = CONFIGS["chorus"].override(
    first_generated=70, round_generated=1000, growth=1.5, max_epochs=1, num_states=50, num_completed=50, max_steps=500
)


def test_rounds_have_seeds_of_their_own_and_grow(monkeypatch):
    rounds = record_rounds(monkeypatch, BRIEF, seed=11, num_rounds=5)
    seeds = [int(np.random.SeedSequence([11, number]).generate_state(1, np.uint64)[0]) for number in range(6)]
    assert [call["seed"] for call in rounds.searches] == seeds and len(set(seeds)) == 6
    assert [call["seed"] for call in rounds.learned_from] == seeds[1:]
    assert [call["max_generated"] for call in rounds.searches] == [70, 1000, 1500, 2250, 3375, 5062]
    assert [call["config"] for call in rounds.searches] == [BRIEF.first] + 5 * [BRIEF.search]


def test_rounds_search_with_what_they_learned_from_the_first(monkeypatch):
    rounds = record_rounds(monkeypatch, BRIEF, seed=11, num_rounds=3)
    assert [call["heuristic"] for call in rounds.searches[1:]] == rounds.taught and len(rounds.taught) == 3
    assert [call["max_links"] > 0 for call in rounds.searches] == [True, False, False, False]
    assert len({id(call["seen"]) for call in rounds.learned_from}) == 1
    assert 50 < len(rounds.learned_from[0]["seen"].links) <= 104  # those of about a hundred successors
    assert all(call["training"] == BRIEF.training for call in rounds.learned_from)


def test_every_second_round_learns_from_pairs_of_facts(monkeypatch):
    rounds = record_rounds(monkeypatch, BRIEF, seed=11, num_rounds=5)
    assert BRIEF.voices.max_width == 1
    pairs = dataclasses.replace(BRIEF.voices, max_width=2)
    assert [call["config"] for call in rounds.learned_from] == [BRIEF.voices, pairs, BRIEF.voices, pairs, BRIEF.voices]


def test_pairs_of_facts_make_more_patterns():
    """The width that a round asks for is the width it gets."""
    task = sliding_tiles(3)
    heuristic = named_heuristic(task, "goalcount")
    seen = search(task, heuristic, SearchConfig(), Budget(), max_generated=100, max_links=100).seen
    training = TrainingConfig(hidden=(4,), max_epochs=1)

    class Listener(Reporter):
        def __init__(self) -> None:
            self.num_patterns = 0

        def done(self, phase: str, time_s: float, summary: str) -> None:
            if phase == "sample":
                self.num_patterns = int(summary.split(", ")[1].removesuffix(" patterns").replace(",", ""))

    counts = []
    for max_width in (1, 2):
        config = VoicesConfig(num_walks=0, max_steps=20_000, max_width=max_width)
        listener = Listener()
        learn_voices(task, seen, config, training, seed=0, budget=Budget(), reporter=listener)
        counts.append(listener.num_patterns)
    assert 0 < 2 * counts[0] < counts[1]


def test_a_control_searches_with_goal_count_and_learns_nothing(monkeypatch):
    control = CONFIGS["chorus-control"].override(first_generated=70, round_generated=1000)
    rounds = record_rounds(monkeypatch, control, seed=11, num_rounds=2)
    assert rounds.learned_from == [] and [call["max_links"] for call in rounds.searches] == [0, 0, 0]
    assert [call["config"] for call in rounds.searches] == [control.first, control.search, control.search]
    task = sliding_tiles(5)
    count = named_heuristic(task, "goalcount").evaluate(task.initial_state)
    assert [call["heuristic"].evaluate(task.initial_state) for call in rounds.searches] == 3 * [count]


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


def test_time_ends_the_rounds():
    """A second for every search, by a clock that otherwise stands still."""
    clock = Clock()

    class Timekeeper(Reporter):
        def done(self, phase: str, time_s: float, summary: str) -> None:
            clock.now_s += phase == "search"

    budget = Budget(3.5, clock=clock)
    attempts = BRIEF.attempts(sliding_tiles(7), Context(budget, reporter=Timekeeper()))
    assert [attempt.status for attempt in attempts] == [Status.OUT_OF_WORK] * 3 + [Status.OUT_OF_TIME]
    assert [attempt.num_epochs for attempt in attempts] == [0, 1, 1, 1]


def test_the_first_search_has_a_share_of_the_time(monkeypatch):
    shares = [call["time_s"] for call in record_rounds(monkeypatch, BRIEF, seed=0, num_rounds=2).searches]
    assert shares == [0.2 * TIME_S, TIME_S, TIME_S]


def test_learning_voices_has_a_share_of_the_time(monkeypatch):
    task = sliding_tiles(3)
    seen = search(
        task, named_heuristic(task, "goalcount"), SearchConfig(), Budget(), max_generated=100, max_links=100
    ).seen
    shares = []

    def record(*arguments, budget, **options):
        shares.append(budget.remaining_s)
        return train(*arguments, budget=budget, **options)

    monkeypatch.setattr("sing.learning.voices.train", record)
    training = TrainingConfig(hidden=(4,), max_epochs=1)
    budget = Budget(100, clock=Clock())
    learn_voices(task, seen, VoicesConfig(), training, seed=0, budget=budget, reporter=Reporter())
    assert shares == [30]


def test_an_interruption_ends_the_rounds():
    budget = Budget()

    class Interrupter(Reporter):
        def done(self, phase: str, time_s: float, summary: str) -> None:
            if phase == "train":
                budget.interrupt()

    attempts = SMALL.attempts(sliding_tiles(7), Context(budget, 0, reporter=Interrupter()))
    assert attempts[-1].status is Status.INTERRUPTED and len(attempts) == 2


def test_an_interruption_between_rounds_is_no_end_of_work():
    budget = Budget()

    class Interrupter(Reporter):
        def done(self, phase: str, time_s: float, summary: str) -> None:
            budget.interrupt()

    attempts = SMALL.attempts(sliding_tiles(7), Context(budget, 0, reporter=Interrupter()))
    assert attempts[-1].status is Status.INTERRUPTED and len(attempts) == 1


def test_rounds_may_grow_for_ever(monkeypatch):
    config = CONFIGS["chorus-control"].override(first_generated=1, round_generated=1, growth=1e300)
    rounds = record_rounds(monkeypatch, config, seed=0, num_rounds=3)
    assert [call["max_generated"] for call in rounds.searches] == [1, 1, 2**64 - 1, 2**64 - 1]


def test_of_two_plans_at_once_the_shorter_is_reported():
    short, long = Attempt("short", Status.SOLVED), Attempt("long", Status.SOLVED)
    task = sliding_tiles(3)
    for attempt, heuristic in ((short, "ff"), (long, "goalcount")):
        attempt.plan = search(task, named_heuristic(task, heuristic), SearchConfig(), Budget()).plan
    assert len(short.plan) < len(long.plan)
    attempts = [short, Attempt("none"), long]
    assert sorted(attempts, key=decisiveness)[-1] is short


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
    attempts = side_by_side(names, run, Context(Budget(), jobs=3))
    assert [attempt.status for attempt in attempts] == [Status.SOLVED]
    with pytest.raises(InputError, match="the first fails"):
        side_by_side(names[:1], run, Context(Budget()))


LIMITED = """
import sys, sing
from sing.base.budget import peak_memory_kb
domain, problem, generated, memory_mib = sys.argv[1:]
config = sing.CONFIGS["chorus"].override(first_generated=20_000, round_generated=int(generated), growth=1.0)
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
    status, num_restarts, peak_mib = run_limited(tmp_path, size=6, generated=10**12, memory_mib=140)
    assert (status, num_restarts) == ("interrupted", 2)
    assert peak_mib <= 140


def test_a_memory_that_is_always_full_does_end_the_run(tmp_path):
    status, _, _ = run_limited(tmp_path, size=10, generated=10**12, memory_mib=70)
    assert status == "out_of_memory"


def test_samples_shrink_with_the_memory_limit():
    task = sliding_tiles(8)
    heuristic, config = named_heuristic(task, "goalcount"), SearchConfig(("o",), "random")
    seen = search(task, heuristic, config, Budget(), max_generated=20_000, max_links=10**6).seen
    sizes = []
    for limit_bytes in (8 << 30, 64 << 20):
        voices = learn_voices(
            task, seen, VoicesConfig(), TrainingConfig(hidden=(8,), max_epochs=1),
            seed=0, budget=Budget(memory_limit_bytes=limit_bytes), reporter=Reporter(),
        )  # fmt: skip
        sizes.append(voices.num_samples)
    assert sizes[1] < sizes[0] / 2


def test_voices_may_share_several_hidden_layers():
    task = sliding_tiles(3)
    heuristic = named_heuristic(task, "goalcount")
    seen = search(task, heuristic, SearchConfig(), Budget(), max_generated=3000, max_links=10**6).seen
    training = TrainingConfig(hidden=(16, 8), max_epochs=5)
    voices = learn_voices(task, seen, VoicesConfig(), training, seed=0, budget=Budget(), reporter=Reporter())
    assert [weights.shape[1] for weights, _ in voices.training.layers] == [16, 8, len(task.goal)]
    assert search(task, voices.heuristic, SearchConfig(), Budget()).status is Status.SOLVED


def test_what_cannot_be_learned_is_said():
    task = sliding_tiles(3)
    heuristic = named_heuristic(task, "goalcount")
    seen = search(task, heuristic, SearchConfig(), Budget(), max_generated=10, max_links=1).seen
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
        ({"growth": 0.5}, "1 or more"),
        ({"shorten_share": -1.0}, "0 or more"),
        ({"num_states": -1}, "0 or more"),
        ({"nsearches": 5}, "'chorus' has no field 'nsearches' .did you mean voices.num_searches"),
        ({"first_heuristic": "voices"}, "there is no first_heuristic 'voices'"),
    ],
)
def test_bad_configurations_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        CONFIGS["chorus"].override(**options)


def test_an_attempt_without_a_plan_is_not_made_shorter():
    attempt = Attempt("none")
    attempt.shorten(sliding_tiles(3), 1.0, Context(Budget()))
    assert attempt.found is None


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


def test_an_interruption_keeps_the_best_plan(puzzle):
    budget = Budget()
    plans: list[sing.Plan] = []

    def hear(plan: sing.Plan) -> None:
        plans.append(plan)
        if len(plans) == 2:
            budget.interrupt()

    result = sing.solve(*puzzle, config="chorus", seed=1, budget=budget, on_plan=hear)
    assert result.status is Status.SOLVED and result.plan == plans[-1] and len(plans) == 2


def test_plans_of_any_configuration_get_better(puzzle):
    budget = Budget()
    plans: list[sing.Plan] = []

    def hear(plan: sing.Plan) -> None:
        plans.append(plan)
        if len(plans) == 3:
            budget.interrupt()

    result = sing.solve(*puzzle, config="goalcount", budget=budget, on_plan=hear)
    assert result.status is Status.SOLVED and result.plan == plans[-1] and len(plans) == 3
    assert plans[0].cost > plans[1].cost > plans[2].cost
    assert all(is_valid(*puzzle, plan.to_ipc()) for plan in plans)


@pytest.mark.parametrize("name", ["chorus", "goalcount"])
def test_a_plan_that_is_known_to_be_shortest_ends_it(tmp_path, name):
    """However much time there is: it would go on for good."""
    files = write(tmp_path, ERRANDS, ERRANDS_PROBLEM)
    plans: list[sing.Plan] = []
    result = sing.solve(*files, config=name, budget=Budget(10**9), on_plan=plans.append)
    assert result.plan == plans[-1]


def wander(task: Task, num_steps: int) -> tuple[int, ...]:
    """A plan for a puzzle that first goes there and back again so many times."""
    plan = search(task, named_heuristic(task, "ff"), SearchConfig(), Budget()).plan
    states = list(states_along(task, plan))
    there = plan[0]
    (back,) = (
        position
        for position, operator in enumerate(task.operators)
        if reference.is_applicable(operator, states[1]) and reference.successor(operator, states[1]) == tuple(states[0])
    )
    return (there, back) * num_steps + plan


class Helpers:
    """Stands in for what makes plans shorter and for what finds others; a search takes all of its time."""

    def __init__(self, monkeypatch, *, shorter: dict[int, tuple[int, ...]], others: dict[int, tuple[int, ...]]) -> None:
        self.clock = Clock()
        self.shorter = shorter  # by how many times it was asked
        self.others = others
        self.work: list[int] = []
        self.asked: list[tuple[int, float]] = []  # number and seconds of each search
        monkeypatch.setattr("sing.planners.anytime.shorten", self.shorten)

    def shorten(self, task: Task, plan: tuple[int, ...], budget: Budget, max_generated: int) -> ShorterPlan:
        self.work.append(max_generated)
        return ShorterPlan(self.shorter.get(len(self.work), plan), is_shortest=False)

    def find_another(self, number: int, budget: Budget) -> tuple[int, ...] | None:
        self.asked.append((number, budget.remaining_s))
        self.clock.now_s += budget.remaining_s
        return self.others.get(number)

    def improve(self, task: Task, plan: tuple[int, ...], limit_s: float) -> tuple[Plan, list[Plan]]:
        """The best plan, and all that were told of."""
        told: list[Plan] = []
        budget = Budget(limit_s, clock=self.clock)
        self.clock.now_s += 2.0  # for the plan that there is
        return Improver(task, plan, self.find_another, told.append, budget, Reporter()).run(), told


def test_where_nothing_helps_others_are_searched_for_longer_and_longer(monkeypatch):
    task = sliding_tiles(3)
    plan = wander(task, 1)
    helpers = Helpers(monkeypatch, shorter={}, others={})
    best, told = helpers.improve(task, plan, 2 + 2 + 3 + 4.5 + 1)
    assert told == [best] and best == execute(task, plan)
    assert helpers.asked == [(1, 2.0), (2, 3.0), (3, 4.5), (4, 1.0)]  # the last one has what is left
    assert helpers.work == [10**6, 2 * 10**6, 4 * 10**6, 8 * 10**6]


def test_a_plan_that_became_shorter_is_made_shorter_again(monkeypatch):
    task = sliding_tiles(3)
    plans = [wander(task, count) for count in (3, 2, 1, 0)]
    helpers = Helpers(monkeypatch, shorter={1: plans[1], 2: plans[2]}, others={1: plans[3]})
    best, told = helpers.improve(task, plans[0], 5.0)
    assert told == [execute(task, plan) for plan in plans] and best == told[-1]
    assert helpers.work == [10**6] * 4 + [2 * 10**6]  # twice with success, once without, for the other plan, and again
    assert helpers.asked == [(1, 2.0), (2, 1.0)]


def test_plans_that_are_not_better_are_not_told(monkeypatch):
    task = sliding_tiles(3)
    plan = wander(task, 1)
    helpers = Helpers(monkeypatch, shorter={1: plan, 2: wander(task, 2)}, others={1: wander(task, 2), 2: plan})
    best, told = helpers.improve(task, plan, 100.0)
    assert told == [best] and len(helpers.asked) > 2


def test_slices_of_slices_may_be_small(puzzle):
    result = sing.solve(*puzzle, config=SMALL, jobs=4)
    assert result.status is Status.SOLVED
    part = Budget(1800, 64 << 20, clock=Clock()).slice(10, 1 / 4).slice(5)
    assert part.memory_limit_bytes == 16 << 20 and part.remaining_s == 5
