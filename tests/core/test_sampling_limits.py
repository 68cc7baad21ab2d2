"""Sampling ends at its limits and by its callback, and keeps what it has."""

import pytest
from puzzles import sliding_tiles
from random_tasks import TaskText

from sing import _core
from sing.base.budget import Budget
from sing.base.outcome import Status
from sing.samples.sampling import SamplingConfig, sample
from sing.task.task import Task


def test_time_memory_and_interruption_end_sampling():
    task = sliding_tiles(5)
    config = SamplingConfig(nsearches=10**6, nsamples=1000)
    late = sample(task, config, budget=Budget(0.3, 4 << 30))
    assert late.status is Status.OUT_OF_TIME
    assert 0 < len(late) < 10**9
    assert len(late.values) == len(late.labels)
    budget = Budget(1800, 4 << 30)
    stopped = sample(task, config, budget=budget, jobs=2, on_progress=lambda count: budget.interrupt())
    assert stopped.status is Status.INTERRUPTED
    small = _core.Sampler(
        task.core,
        space="r",
        strategy=_core.Strategy.DFS,
        collection=_core.Collection.EXPANDED,
        num_searches=10**6,
        num_samples=1000,
        num_breadth_first=1,
        max_depth=999,
        consistent_starts=False,
        seed=0,
    ).run(num_threads=2, time_limit_s=60.0, memory_limit_bytes=8 << 20, progress=lambda count: True)
    assert small.status == _core.SamplingStatus.OUT_OF_MEMORY
    assert small.memory_bytes <= 8 << 20


def test_the_clock_is_kept_where_no_start_is_found_and_while_completing():
    without_steps = Task.from_sas(TaskText(False, (2,), (), (0,), ((0, 0),), ()).to_sas())
    hopeless = sample(without_steps, SamplingConfig("ei", nsearches=10**7), budget=Budget(0.2, 4 << 30))
    assert hopeless.status is Status.OUT_OF_TIME
    completing = SamplingConfig("r", nsearches=1, nsamples=10**8, completion="random")
    late = sample(sliding_tiles(5), completing, budget=Budget(0.5, 8 << 30))
    assert late.status is Status.OUT_OF_TIME
    assert len(late) > 0
    assert (late.values != -1).all()


def test_one_long_search_stops_at_the_memory_limit_and_keeps_what_it_has():
    config = SamplingConfig(nsearches=1, nsamples=10**9)
    samples = sample(sliding_tiles(5), config, budget=Budget(1800, 1 << 30))
    assert samples.status is Status.OUT_OF_MEMORY
    assert len(samples) > 10_000


def test_progress_is_heard_of_within_a_search():
    budget = Budget(1800, 8 << 30)
    config = SamplingConfig(nsearches=1, nsamples=10**9)
    samples = sample(
        sliding_tiles(5), config, budget=budget, on_progress=lambda count: budget.interrupt() if count > 0 else None
    )
    assert samples.status is Status.INTERRUPTED
    assert len(samples) > 0


def test_an_exception_in_the_callback_passes_through_and_ends_the_threads():
    def fail(count):
        raise RuntimeError("from the callback")

    with pytest.raises(RuntimeError, match="from the callback"):
        sample(sliding_tiles(5), SamplingConfig(nsearches=10**6), jobs=2, on_progress=fail)
