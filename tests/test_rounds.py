"""The rounds of a chorus: what each of them asks for, learns and leaves to the others, by recorded calls."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest
from clocks import Clock
from dead_ends import painting
from puzzles import sliding_tiles

import sing
from sing import Budget, Status, _core
from sing.base.budget import LimitReached
from sing.base.reporter import Reporter
from sing.learning.voices import VoicesConfig, learn_voices
from sing.networks.train import train
from sing.networks.training import TrainingConfig
from sing.planners.configs import CONFIGS
from sing.planners.context import Context
from sing.search.search import SearchConfig, named_heuristic, search
from sing.task.plan import execute

# Rounds so small that a 15-puzzle needs some of them.
SMALL = CONFIGS["chorus"].override(first_generated=2000, round_work=20_000, growth=1.5)


TIME_S = 1000.0
PUZZLE = sliding_tiles(5)


# Of a search that did next to nothing.
STATISTICS = SimpleNamespace(
    num_expanded=1, num_generated=1, num_registered=1, memory_bytes=1, best_estimate=1, fewest_open_goals=1, time_s=1.0
)


# Little to learn from, so that a round takes a moment.
BRIEF = CONFIGS["chorus"].override(
    first_generated=70, round_work=1000, breadth=2.0, growth=1.5, max_epochs=1, num_states=50, num_completed=50,
    max_steps=500,
)  # fmt: skip


CONTROL = dataclasses.replace(BRIEF, voices=None)


@dataclasses.dataclass
class Rounds:
    """The calls of a run that is interrupted at the end of a round."""

    searches: list[dict]  # arguments
    learned_from: list[dict]
    taught: list[sing._core.Heuristic]


def record_rounds(monkeypatch, config: sing.Chorus, *, seed: int, num_searches: int, jobs: int = 1) -> Rounds:
    """Of so many searches on a puzzle too large for them: 100 successors each, whatever they may."""
    budget, rounds = Budget(TIME_S, clock=Clock()), Rounds([], [], [])
    real_search, real_learn = search, learn_voices

    def record_search(task, heuristic, config, budget_, **options):
        given = {"task": task, "heuristic": heuristic, "config": config, "time_s": budget_.remaining_s}
        rounds.searches.append({**given, **options})
        if len(rounds.searches) == num_searches:
            budget.interrupt()
        return real_search(task, heuristic, config, budget_, **{**options, "max_work": 100})

    def record_learning(task, seen, config, training, **options):
        rounds.learned_from.append({"seen": seen, "config": config, "training": training, **options})
        learned = real_learn(task, seen, config, training, **options)
        rounds.taught.append(learned.heuristic)
        return learned

    monkeypatch.setattr("sing.planners.attempt.search", record_search)
    monkeypatch.setattr("sing.planners.chorus.learn_voices", record_learning)
    config.attempts(PUZZLE, Context(budget, seed, jobs=jobs))
    assert len(rounds.searches) == num_searches
    return rounds


def seed_of_round(seed: int, number: int) -> int:
    return int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0])


def test_rounds_take_turns_have_seeds_of_their_own_and_grow(monkeypatch):
    """The first learned round explores before it learns."""
    rounds = record_rounds(monkeypatch, BRIEF, seed=11, num_searches=8)
    seeds = [seed_of_round(11, number) for number in (0, 1, 2, 3, 3, 4, 5, 6)]
    assert [call["seed"] for call in rounds.searches] == seeds and len(set(seeds)) == 7
    assert [call["seed"] for call in rounds.learned_from] == [seeds[3], seeds[7]]
    assert [call["max_work"] for call in rounds.searches] == [70, 1000, 2000, 70, 2000, 1500, 3000, 3000]
    kinds = [BRIEF.first, BRIEF.greedy, BRIEF.broad, BRIEF.first, BRIEF.search, BRIEF.greedy, BRIEF.broad, BRIEF.search]
    assert [call["config"] for call in rounds.searches] == kinds


def test_learned_rounds_search_with_what_they_learned_from_a_first_search(monkeypatch):
    rounds = record_rounds(monkeypatch, BRIEF, seed=11, num_searches=8)
    assert [rounds.searches[number]["heuristic"] for number in (4, 7)] == rounds.taught
    assert [call["max_links"] > 0 for call in rounds.searches] == [number == 3 for number in range(8)]
    assert len({id(call["seen"]) for call in rounds.learned_from}) == 1
    assert 50 < len(rounds.learned_from[0]["seen"].links) <= 104  # those of about a hundred successors
    assert all(call["training"] == BRIEF.training for call in rounds.learned_from)


def test_searchers_begin_with_different_kinds_of_rounds(monkeypatch):
    kinds = []
    for position in range(4):

        def run_one(task, names, run, context, position=position):
            return run(position, context)

        monkeypatch.setattr("sing.planners.chorus.side_by_side", run_one)
        searches = record_rounds(monkeypatch, CONTROL, seed=11, num_searches=4, jobs=4).searches
        kinds.append([call["config"] for call in searches[1:]])
    greedy, broad, voices = BRIEF.greedy, BRIEF.broad, BRIEF.search
    assert kinds == [[greedy, broad, voices], [broad, voices, greedy], [voices, greedy, broad], [greedy, broad, voices]]


def test_all_but_learned_rounds_have_landmarks_as_goals(monkeypatch):
    for landmarks in (1, 0):
        config = BRIEF.override(landmarks=landmarks)
        searches = record_rounds(monkeypatch, config, seed=11, num_searches=6).searches
        extended = [call["task"] is not PUZZLE for call in searches]
        assert extended == [landmarks == 1 and number not in (3, 4) for number in range(6)]


def test_relaxed_rounds_estimate_by_relaxed_plans_adjusted_to_successors(monkeypatch):
    searches = record_rounds(monkeypatch, BRIEF, seed=11, num_searches=3).searches
    for call in searches[1:]:
        task = call["task"]
        expected = named_heuristic(task, "adjusted").evaluate_successors(task.initial_state, [0, 1])
        assert call["heuristic"].evaluate_successors(task.initial_state, [0, 1]) == expected


def test_every_second_learned_round_learns_from_pairs_of_facts(monkeypatch):
    rounds = record_rounds(monkeypatch, BRIEF, seed=11, num_searches=11)
    assert BRIEF.voices.max_width == 1
    pairs = dataclasses.replace(BRIEF.voices, max_width=2)
    assert [call["config"] for call in rounds.learned_from] == [BRIEF.voices, pairs, BRIEF.voices]


def test_pairs_of_facts_make_more_patterns():
    """The width that a round asks for is the width it gets."""
    task = sliding_tiles(3)
    heuristic = named_heuristic(task, "goalcount")
    seen = search(task, heuristic, SearchConfig(), Budget(), max_work=100, max_links=100).seen
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
    control = CONFIGS["chorus-control"].override(first_generated=70, round_work=1000)
    rounds = record_rounds(monkeypatch, control, seed=11, num_searches=5)
    assert rounds.learned_from == [] and [call["max_links"] for call in rounds.searches] == 5 * [0]
    kinds = [control.first, control.greedy, control.broad, control.search, control.greedy]
    assert [call["config"] for call in rounds.searches] == kinds
    count = named_heuristic(PUZZLE, "goalcount").evaluate(PUZZLE.initial_state)
    assert rounds.searches[3]["heuristic"].evaluate(PUZZLE.initial_state) == count


def test_rounds_may_grow_for_ever(monkeypatch):
    config = CONFIGS["chorus-control"].override(first_generated=1, round_work=1, breadth=1.0, growth=1e300)
    rounds = record_rounds(monkeypatch, config, seed=0, num_searches=8)
    assert [call["max_work"] for call in rounds.searches] == [1, 1, 1, 1] + 4 * [2**64 - 1]


def test_searchers_have_seeds_of_their_own(monkeypatch):
    budget, seeds = Budget(clock=Clock()), []

    def record(*_, seed, **__):
        seeds.append(seed)
        raise LimitReached(Status.OUT_OF_MEMORY)

    monkeypatch.setattr("sing.planners.attempt.search", record)
    BRIEF.attempts(sliding_tiles(2), Context(budget, 11, jobs=3))
    own = [(11 + position * 0x9E3779B97F4A7C15) % 2**64 for position in range(3)]
    assert sorted(seeds) == sorted(seed_of_round(seed, 0) for seed in own) and len(set(seeds)) == 3


@pytest.mark.parametrize(("num_generated", "num_attempts"), [(99_999, 1), (100_000, 3)])
def test_a_full_memory_is_tried_again_where_it_was_not_full_at_once(monkeypatch, num_generated, num_attempts):
    task, budget, count = sliding_tiles(3), Budget(clock=Clock()), []
    found = search(task, named_heuristic(task, "goalcount"), SearchConfig(), Budget())
    statistics = SimpleNamespace(**{**vars(STATISTICS), "num_generated": num_generated})

    def fill(*_, **__):
        count.append(1)
        if len(count) == 3:
            budget.interrupt()
        return dataclasses.replace(found, status=Status.OUT_OF_MEMORY, statistics=statistics)

    monkeypatch.setattr("sing.planners.attempt.search", fill)
    attempts = dataclasses.replace(BRIEF, voices=None).attempts(task, Context(budget))
    assert len(attempts) == num_attempts
    assert attempts[-1].status is (Status.OUT_OF_MEMORY if num_attempts == 1 else Status.INTERRUPTED)


def test_time_ends_the_rounds():
    """A second for every search, by a clock that otherwise stands still."""
    clock = Clock()

    class Timekeeper(Reporter):
        def done(self, phase: str, time_s: float, summary: str) -> None:
            clock.now_s += phase == "search"

    budget = Budget(4.5, clock=clock)
    attempts = BRIEF.attempts(sliding_tiles(7), Context(budget, reporter=Timekeeper()))
    assert [attempt.status for attempt in attempts] == [Status.OUT_OF_WORK] * 3 + [Status.OUT_OF_TIME]
    assert [attempt.num_epochs for attempt in attempts] == [0, 0, 0, 1]


def test_the_first_search_has_a_share_of_the_time(monkeypatch):
    shares = [call["time_s"] for call in record_rounds(monkeypatch, BRIEF, seed=0, num_searches=5).searches]
    assert shares == [0.2 * TIME_S, TIME_S, TIME_S, 0.2 * TIME_S, TIME_S]


def test_rounds_go_on_where_the_first_search_ended_before_its_first_state(monkeypatch):
    monkeypatch.setattr("sing.planners.chorus._FIRST_SHARE", 1e-12)
    first, *others = SMALL.attempts(sliding_tiles(3), Context(Budget(TIME_S), seed=1, reporter=Reporter()))
    assert first.status is Status.OUT_OF_TIME
    assert first.found.statistics.num_registered == 0
    assert others[-1].status is Status.SOLVED


def test_learning_voices_has_a_share_of_the_time(monkeypatch):
    task, clock, shares = sliding_tiles(3), Clock(), []
    heuristic, make_goal_samples = named_heuristic(task, "goalcount"), _core.make_goal_samples
    seen = search(task, heuristic, SearchConfig(), Budget(), max_work=100, max_links=100).seen

    def record_samples(*arguments, seed, time_limit_s, **options):
        shares.append(("samples", seed, time_limit_s))
        clock.now_s += 10
        return make_goal_samples(*arguments, seed=seed, time_limit_s=time_limit_s, **options)

    def record_training(*arguments, seed, budget, **options):
        shares.append(("training", seed, budget.remaining_s))
        return train(*arguments, seed=seed, budget=budget, **options)

    monkeypatch.setattr(_core, "make_goal_samples", record_samples)
    monkeypatch.setattr("sing.learning.voices.train", record_training)
    training = TrainingConfig(hidden=(4,), max_epochs=1)
    budget = Budget(100, clock=clock)
    learn_voices(task, seen, VoicesConfig(), training, seed=7, budget=budget, reporter=Reporter())
    assert shares == [("samples", 7, 20), ("training", 7, 27)]


def test_an_interruption_ends_the_rounds():
    budget = Budget()

    class Interrupter(Reporter):
        def done(self, phase: str, time_s: float, summary: str) -> None:
            if phase == "train":
                budget.interrupt()

    attempts = BRIEF.attempts(sliding_tiles(7), Context(budget, 0, reporter=Interrupter()))
    assert attempts[-1].status is Status.INTERRUPTED and len(attempts) == 4


def test_an_interruption_between_rounds_is_no_end_of_work():
    budget = Budget()

    class Interrupter(Reporter):
        def done(self, phase: str, time_s: float, summary: str) -> None:
            if phase == "search":
                budget.interrupt()

    attempts = SMALL.attempts(sliding_tiles(7), Context(budget, 0, reporter=Interrupter()))
    assert attempts[-1].status is Status.INTERRUPTED and len(attempts) == 1


def test_where_landmarks_take_too_much_the_plain_task_is_searched(monkeypatch):
    monkeypatch.setattr("sing.planners.preparing._MEMORY_SHARE", 1e-9)
    listener = Listener()
    attempts = SMALL.attempts(sliding_tiles(3), Context(Budget(), seed=1, reporter=listener))
    assert attempts[-1].status is Status.SOLVED
    assert ("landmarks", "nothing: out of memory") in listener.heard


class Listener(Reporter):
    def __init__(self) -> None:
        self.heard: list[tuple[str, str]] = []

    def done(self, phase: str, time_s: float, summary: str) -> None:
        self.heard.append((phase, summary))


def test_what_leads_to_no_plan_is_left_out_before_the_first_search():
    listener = Listener()
    task = painting(5)
    attempts = SMALL.attempts(task, Context(Budget(), seed=1, reporter=listener))
    assert len(execute(task, attempts[-1].plan)) > 0
    assert listener.heard[0] == ("prune", "0 of 12 operators, 6 conditions on others")
    listener = Listener()
    SMALL.override(prune_work=0).attempts(task, Context(Budget(), seed=1, reporter=listener))
    assert listener.heard[0][0] == "landmarks"


def test_where_pruning_takes_too_much_the_plain_task_is_searched(monkeypatch):
    monkeypatch.setattr("sing.planners.preparing._MEMORY_SHARE", 1e-9)
    listener = Listener()
    attempts = SMALL.attempts(sliding_tiles(3), Context(Budget(), seed=1, reporter=listener))
    assert attempts[-1].status is Status.SOLVED
    assert ("prune", "nothing: out of memory") in listener.heard
