"""Deadlines, with a clock that moves when a test says so."""

from __future__ import annotations

from itertools import pairwise

import pytest

from sing._core import testing

NONE, TIME_UP, STOPPED = testing.Deadline.End.NONE, testing.Deadline.End.TIME_UP, testing.Deadline.End.STOPPED


class Clock:
    def __init__(self) -> None:
        self.now_s = 1000.0
        self.num_looks = 0

    def __call__(self) -> float:
        self.num_looks += 1
        return self.now_s


def make_deadline(clock, *, time_s=10.0, keep_going=lambda: True):
    return testing.Deadline(time_s=time_s, keep_going=keep_going, clock=clock)


def test_it_passes_at_its_time_and_stays_so():
    clock = Clock()
    deadline = make_deadline(clock, time_s=2.0)
    assert not deadline.passed(0) and deadline.end == NONE
    clock.now_s += 1.99
    assert not deadline.passed_now() and not deadline.is_time_up
    clock.now_s += 0.01
    assert deadline.is_time_up and not deadline.has_passed
    assert deadline.passed_now() and deadline.has_passed and deadline.end == TIME_UP
    clock.now_s -= 2.0
    assert deadline.passed(0) and deadline.passed(1) and deadline.end == TIME_UP


@pytest.mark.parametrize("time_s", [0.0, -1.0])
def test_the_first_question_is_answered_by_the_clock(time_s):
    assert make_deadline(Clock(), time_s=time_s).passed(0)


def test_a_limit_without_end_is_one():
    clock = Clock()
    deadline = make_deadline(clock, time_s=float("inf"))
    clock.now_s = 1e12
    assert not deadline.passed_now()


def test_time_is_counted_from_the_beginning():
    clock = Clock()
    deadline = make_deadline(clock)
    clock.now_s += 3.5
    assert deadline.elapsed_s == 3.5


def test_whoever_waits_is_called_ten_times_a_second():
    clock = Clock()
    calls = []
    deadline = make_deadline(clock, time_s=1e6, keep_going=lambda: calls.append(clock.now_s) or True)
    for _ in range(10_000):
        clock.now_s += 0.001
        deadline.passed(1)
    assert 80 <= len(calls) <= 100
    assert min(b - a for a, b in pairwise(calls)) >= 0.099


def test_whoever_waits_can_stop_it():
    clock = Clock()
    answers = [True, False]
    deadline = make_deadline(clock, keep_going=lambda: answers.pop(0))
    clock.now_s += 0.2
    assert not deadline.passed(1)
    assert not deadline.passed(1) and len(answers) == 1, "no tenth of a second has passed"
    assert deadline.passed_now() and not answers
    assert deadline.end == STOPPED
    assert deadline.passed_now(), "nobody is asked again"


def test_when_time_is_up_only_those_who_insist_are_called():
    clock = Clock()
    calls = []
    deadlines = [make_deadline(clock, keep_going=lambda: calls.append(1) or True) for _ in range(2)]
    clock.now_s += 10
    assert deadlines[0].passed(1) and not calls
    assert deadlines[1].passed_now() and len(calls) == 1
    assert [deadline.end for deadline in deadlines] == [TIME_UP, TIME_UP]


def test_another_thread_can_stop_it():
    deadline = make_deadline(Clock())
    deadline.stop()
    assert deadline.has_passed and deadline.end == STOPPED
    assert deadline.passed(deadline.interval)


def test_quick_work_looks_at_the_clock_rarely():
    clock = Clock()
    deadline = make_deadline(clock, time_s=1e6)
    for _ in range(1_000_000):
        clock.now_s += 1e-6
        deadline.passed(1)
    assert 1000 <= deadline.interval < 4000
    assert clock.num_looks < 1100


def test_work_that_becomes_slow_is_looked_at_often():
    clock = Clock()
    deadline = make_deadline(clock, time_s=1e6)
    for _ in range(100):
        deadline.passed(1 << 20)
    assert deadline.interval == 1 << 12
    for _ in range(10):
        clock.now_s += 1.0
        deadline.passed(1 << 20)
    assert deadline.interval == 1


def test_an_exception_in_the_callback_reaches_the_owner():
    clock = Clock()
    deadline = make_deadline(clock, keep_going=lambda: 1 / 0)
    clock.now_s += 1
    with pytest.raises(ZeroDivisionError):
        deadline.passed(1)


def test_work_of_another_kind_is_looked_at_from_its_first_unit():
    clock = Clock()
    deadline = make_deadline(clock, time_s=2.0)
    while deadline.interval < 1000:  # short work, of which a look passes much
        deadline.passed(1)
    deadline.begin_other_work()
    assert deadline.interval == 1
    clock.now_s += 2.0
    assert deadline.passed(1) and deadline.end == TIME_UP
    deadline.begin_other_work()
    assert deadline.passed(0)  # over stays over
