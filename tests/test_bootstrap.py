"""Bootstrapping: how rounds become harder, what they learn from, and when the given problem is tried."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
import reference
from puzzles import sliding_tiles
from small_tasks import SMALL_TASKS

import sing
from sing import Budget, Status
from sing.base.errors import InputError
from sing.base.reporter import Reporter
from sing.learning.bootstrap import BootstrapConfig, Bootstrapping
from sing.networks.encoding import Encoding
from sing.networks.training import TrainingConfig
from sing.planners.configs import CONFIGS
from sing.planners.context import Context
from sing.search.search import SearchConfig

BRIEF = BootstrapConfig(num_problems=30, min_solved=15, first_steps=4, max_rounds=6, first_work=300)


def rounds_of(task, config, *, seed=1, jobs=1, search=None):
    training = TrainingConfig(hidden=(8,), max_epochs=3)
    return Bootstrapping(
        task, config, Encoding.of(task, "boolean"), training, search or SearchConfig(("h", "o")), seed, jobs, Budget(),
        Reporter(),
    )  # fmt: skip


@pytest.mark.parametrize("min_solved", [1, 15, 29])
def test_walks_grow_after_rounds_that_taught_and_searches_after_others(min_solved):
    """Each round follows from the one before it and from how many problems that one solved."""
    config = dataclasses.replace(BRIEF, min_solved=min_solved, greatest_work=2000, greatest_steps=50)
    done = list(rounds_of(sliding_tiles(3), config).rounds())
    assert (done[0].num_steps, done[0].max_work, done[0].number) == (4, 300, 1)
    for one, following in itertools.pairwise(done):
        assert one.has_taught == (len(one.searches.lengths) >= min_solved)
        if one.has_taught:
            assert (following.num_steps, following.max_work) == (min(50, 2 * one.num_steps), one.max_work)
        else:
            assert (following.num_steps, following.max_work) == (one.num_steps, min(2000, 2 * one.max_work))
    assert len(done) == 6 or (done[-1].max_work == 2000 and not done[-1].has_taught)
    if min_solved == 1:
        assert len({one.num_steps for one in done}) >= 4
        hardness = [one.searches.lengths.mean() for one in done]
        assert hardness[0] < hardness[1] < hardness[2]


def test_each_round_searches_with_what_the_last_one_learned_and_learns_from_all_plans():
    task = sliding_tiles(3)
    run = rounds_of(task, BRIEF)
    heuristic, num_taught = None, 0
    for done in run.rounds():
        assert (run.heuristics[0] is not heuristic) == (done.has_taught or done.number == 1)
        heuristic = run.heuristics[0]
        num_taught += done.has_taught
        if done.has_taught:
            assert done.training.num_samples == len(run.learned_from)
            labels, parents = run.learned_from.labels, run.learned_from.parents
            values = run.learned_from.values(np.arange(len(labels), dtype=np.uint32)).tolist()
            operators = run.learned_from.operators
            for i in range(0, len(labels), 17):  # real steps towards the goal
                if labels[i] == 0:
                    assert reference.num_open_goals(task, values[i]) == 0
                else:
                    after = reference.successor(task, task.operators[operators[i]], values[i])
                    assert list(after) == values[parents[i]] and labels[parents[i]] == labels[i] - 1
    assert num_taught >= 3 and run.result is not None


def test_threads_do_not_change_the_rounds():
    one, two = (
        [(d.num_steps, d.max_work, d.searches.work, d.searches.lengths.tolist()) for d in rounds.rounds()]
        for rounds in (rounds_of(sliding_tiles(3), BRIEF, jobs=jobs) for jobs in (1, 2))
    )
    assert one == two


def attempts_of(config, task, budget=None):
    return config.attempts(task, Context(budget or Budget(120), seed=1))


SMALL = CONFIGS["bootstrap"].override(
    num_problems=30, min_solved=15, first_steps=4, first_work=200, hidden=(16,), max_epochs=5
)


def test_the_given_problem_is_tried_after_each_round_for_as_much_work():
    config = SMALL.override(max_rounds=3, try_share=0.1)
    attempts = attempts_of(config, sliding_tiles(5), Budget(3, 2 << 30))
    names = [attempt.name.split(", ")[-1] for attempt in attempts]
    assert names[: len(names) - 1] == [f"round {i + 1}" for i in range(len(names) - 1)]
    assert [attempt.is_restart for attempt in attempts] == [False] + [True] * (len(attempts) - 1)
    for attempt in attempts[:-1]:
        assert attempt.status is Status.OUT_OF_WORK and attempt.num_samples > 0
    assert attempts[-1].status in (Status.SOLVED, Status.OUT_OF_TIME)


def test_it_solves_what_it_learns_for(tmp_path):
    path = tmp_path / "task.sas"
    path.write_text(SMALL_TASKS["tiles 3"]())
    results = [sing.solve(path, config=SMALL, seed=1, jobs=jobs) for jobs in (1, 2)]
    assert [result.status for result in results] == [Status.SOLVED] * 2
    assert results[0].plan.operators == results[1].plan.operators


def test_where_no_round_teaches_it_searches_with_the_first_heuristic(recorder):
    config = SMALL.override(num_problems=5, min_solved=5, first_steps=100, first_work=1, greatest_work=1, try_share=0.0)
    attempts = config.attempts(sliding_tiles(3), Context(Budget(60), seed=1, reporter=recorder))
    assert attempts[-1].status is Status.SOLVED and attempts[-1].name.endswith("last search")
    assert any("searching with goalcount" in summary for _, summary in recorder.phases)


def test_what_it_learned_can_be_kept(tmp_path):
    path = tmp_path / "task.sas"
    path.write_text(SMALL_TASKS["tiles 3"]())
    learned = sing.learn(path, config=SMALL.override(max_rounds=4), seed=1)
    assert learned.model is not None
    learned.model.save(tmp_path / "model.onnx")
    assert sing.solve(path, model=tmp_path / "model.onnx").status is Status.SOLVED


def test_limits_and_interruptions_end_any_phase():
    late = attempts_of(SMALL.override(num_problems=2000, min_solved=2000), sliding_tiles(5), Budget(0.7, 2 << 30))
    assert late[-1].status is Status.OUT_OF_TIME
    budget = Budget(60, 2 << 30)

    class Interrupter(Reporter):
        def working(self, phase: str, news: str = "") -> None:
            budget.interrupt()

    attempts = SMALL.attempts(sliding_tiles(5), Context(budget, seed=1, reporter=Interrupter()))
    assert attempts[-1].status is Status.INTERRUPTED


@pytest.mark.parametrize(
    "options", [{"num_problems": 5, "min_solved": 6}, {"step_growth": 0.5}, {"work_growth": math.nan}]
)
def test_malformed_rounds_are_refused(options):
    with pytest.raises(InputError):
        BootstrapConfig(**options)
