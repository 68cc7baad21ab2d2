import math

import pytest
from clocks import Clock

from sing.base.budget import Budget, LimitReached, default_memory_limit_bytes, parse_memory_bytes, parse_time_s
from sing.base.errors import InputError
from sing.base.outcome import Status


@pytest.mark.parametrize(("text", "seconds"), [("90", 90), ("90s", 90), ("30m", 1800), ("2h", 7200), ("0.5", 0.5)])
def test_times(text, seconds):
    assert parse_time_s(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "-1", "5x", "nan", "inf", "1e3", "m", "1 h 2", "0s", "9" * 400])
def test_impossible_times_are_refused(text):
    with pytest.raises(InputError, match="is not a time limit"):
        parse_time_s(text)


@pytest.mark.parametrize(
    ("text", "size"), [("512M", 512 << 20), ("8G", 8 << 30), ("1.5g", 3 << 29), ("64MiB", 64 << 20)]
)
def test_sizes(text, size):
    assert parse_memory_bytes(text) == size


@pytest.mark.parametrize("text", ["", "0", "8", "G", "-1G", "8X", "nanG", "9" * 400 + "G"])
def test_impossible_sizes_are_refused(text):
    with pytest.raises(InputError, match="is not a memory limit"):
        parse_memory_bytes(text)


@pytest.mark.parametrize("text", ["1K", "1M", "0G", "31M"])
def test_sizes_below_what_the_planner_needs_are_refused(text):
    with pytest.raises(InputError, match="too low"):
        parse_memory_bytes(text)


@pytest.mark.parametrize("options", [(0.0,), (-1.0,), (math.nan,), (1.0, 1000)])
def test_a_budget_refuses_impossible_limits(options):
    with pytest.raises(InputError):
        Budget(*options)


def test_a_budget_ends_by_time_or_interruption():
    clock = Clock()
    budget = Budget(60, clock=clock)
    clock.now_s = 59
    budget.check()
    assert (budget.elapsed_s, budget.remaining_s) == (59, 1)
    clock.now_s = 61
    assert budget.remaining_s == 0
    with pytest.raises(LimitReached) as caught:
        budget.check()
    assert caught.value.status is Status.OUT_OF_TIME
    budget.interrupt()
    with pytest.raises(LimitReached) as caught:
        budget.check()
    assert caught.value.status is Status.INTERRUPTED


def test_a_slice_ends_with_its_own_time_or_with_the_whole():
    clock = Clock()
    whole = Budget(10, clock=clock)
    clock.now_s = 4
    short, long = whole.slice(3), whole.slice(100)
    assert (short.elapsed_s, short.remaining_s, long.remaining_s, whole.remaining_s) == (0, 3, 6, 6)
    assert whole.slice(0).remaining_s > 0  # the core has no word for no time at all
    clock.now_s = 8
    assert (short.remaining_s, long.remaining_s, whole.remaining_s) == (0, 2, 2)
    whole.check()
    with pytest.raises(LimitReached):
        short.check()


def test_interrupting_the_whole_ends_its_slices_and_not_the_other_way_round():
    whole = Budget()
    first, second = whole.slice(10), whole.slice(10)
    first.interrupt()
    assert (first.interrupted, second.interrupted, whole.interrupted) == (True, False, False)
    assert first.slice(5).interrupted
    whole.interrupt()
    assert second.interrupted and not Budget().slice(10).interrupted


def test_a_slice_has_its_share_of_the_memory(monkeypatch):
    monkeypatch.setattr("sing.base.budget.current_memory_bytes", lambda: 100 << 20)
    whole = Budget(memory_limit_bytes=1000 << 20)
    assert whole.remaining_bytes == (1000 - 100 - 20) << 20  # 2 % are spare
    part = whole.slice(10, 1 / 4).slice(5, 1 / 2)
    assert (part.memory_limit_bytes, part.remaining_bytes) == (125 << 20, 110 << 20)
    assert Budget(memory_limit_bytes=101 << 20).remaining_bytes == 0
    assert Budget(memory_limit_bytes=110 << 20).remaining_bytes == 6 << 20  # 4 MiB at the least


@pytest.mark.parametrize(("free_bytes", "limit_bytes"), [(1000 << 20, 900 << 20), (1 << 40, 8 << 30)])
def test_the_default_memory_limit_is_what_is_free_and_at_most_eight_gigabytes(monkeypatch, free_bytes, limit_bytes):
    assert 64 << 20 <= default_memory_limit_bytes() <= 8 << 30
    monkeypatch.setattr("sing.base.budget._available_bytes", lambda: free_bytes)
    assert default_memory_limit_bytes() == Budget().memory_limit_bytes == limit_bytes
