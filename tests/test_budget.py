import math

import pytest

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
    budget = Budget(60)
    budget.check()
    assert 0 < budget.remaining_s <= 60
    budget.interrupt()
    with pytest.raises(LimitReached) as caught:
        budget.check()
    assert caught.value.status is Status.INTERRUPTED
    with pytest.raises(LimitReached) as caught:
        Budget(1e-9).check()
    assert caught.value.status is Status.OUT_OF_TIME


def test_the_default_memory_limit_is_at_most_eight_gigabytes():
    assert 64 << 20 <= default_memory_limit_bytes() <= 8 << 30
