"""What is prepared by the size of a task ends at the limits: it counts its memory and looks at its deadline."""

import threading

import numpy as np
import pytest
from random_tasks import OperatorText, TaskText

from sing import _core
from sing.task.task import Task

ENOUGH_BYTES = 1 << 30


def chain(length: int = 50) -> Task:
    """Facts that are achieved one after the other, with two operators for each, and two variables more."""
    operators = [
        OperatorText(((length, 0),), ((i, 0, 1), *(((i - 1, 1, 1),) if i else ()), (length + 1, -1, side)), 1)
        for i in range(length)
        for side in (0, 1)
    ]
    sizes = (2,) * (length + 2)
    goal = tuple((i, 1) for i in range(length))
    groups = tuple(((i, 1), (i + 1, 0)) for i in range(length - 1))
    return Task.from_sas(TaskText(False, sizes, groups, (0,) * len(sizes), goal, tuple(operators)).to_sas())


def sampler(task: Task, guard, **options):
    config = dict(
        space="r", strategy=_core.Strategy.DFS, collection=_core.Collection.EXPANDED, num_breadth_first=1,
        num_searches=2, num_samples=20, max_depth=100, consistent_starts=False, seed=0,
    )  # fmt: skip
    return _core.Sampler(task.core, **{**config, **options}, guard=guard)


def samples():
    """Of switches that can be turned on and off."""
    size = 10
    switches = [OperatorText((), ((i, value, 1 - value),), 1) for i in range(size) for value in (0, 1)]
    text = TaskText(False, (2,) * size, (), (0,) * size, tuple((i, 1) for i in range(size)), tuple(switches))
    return samples_of(Task.from_sas(text.to_sas()))


def samples_of(task: Task):
    limits = dict(time_limit_s=60.0, memory_limit_bytes=ENOUGH_BYTES)
    return sampler(task, None).run(num_threads=1, progress=lambda num_samples: True, **limits)


def network(task: Task, num_outputs: int):
    features = _core.Features.of_atoms(task.core)
    layers = [(features.num_inputs, 8), (8, num_outputs)]
    return features, _core.Mlp([(np.ones(shape, np.float32), np.zeros(shape[1], np.float32)) for shape in layers])


# What takes a guard, by name.
PREPARATIONS = {
    "reading": lambda task, guard: _core.Task.from_sas(_text_of_chain(), guard),
    "blind": lambda task, guard: _core.Heuristic.named(task.core, "blind", guard),
    "goal count": lambda task, guard: _core.Heuristic.named(task.core, "goalcount", guard),
    "ff": lambda task, guard: _core.Heuristic.named(task.core, "ff", guard),
    "pruning": lambda task, guard: task.core.prune(10**9, guard),
    "network": lambda task, guard: _core.Heuristic.network(task.core, *network(task, 1), guard),
    "voices": lambda task, guard: _core.Heuristic.voices(task.core, *network(task, len(task.goal)), guard),
    "forward operators": lambda task, guard: sampler(task, guard, space="eo"),
    "inverse operators": lambda task, guard: sampler(task, guard, space="ei"),
    "regression": lambda task, guard: sampler(task, guard, space="r"),
    "random states": lambda task, guard: samples_of(task).append_random(task.core, 100, label=1, seed=0, guard=guard),
    "duplicates": lambda task, guard: samples().firsts(guard),
    "bits": lambda task, guard: samples().bits(np.arange(20, dtype=np.uint32), guard),
}


def _text_of_chain() -> str:
    return TaskText(
        False, (2,) * 60, (), (0,) * 60, ((0, 1),), tuple(OperatorText((), ((i, 0, 1),), 1) for i in range(60))
    ).to_sas()


class Stopped(Exception):
    pass


@pytest.mark.parametrize("name", PREPARATIONS)
def test_what_is_prepared_counts_its_memory(name):
    task = chain()
    PREPARATIONS[name](task, _core.Guard(memory_limit_bytes=ENOUGH_BYTES, check=lambda: None))
    with pytest.raises(MemoryError):
        PREPARATIONS[name](task, _core.Guard(memory_limit_bytes=10, check=lambda: None))


@pytest.mark.parametrize("name", PREPARATIONS)
def test_what_is_prepared_looks_at_its_deadline_again_and_again(name):
    num_checks = 0
    now_s = 0.0

    def check() -> None:
        nonlocal num_checks
        num_checks += 1
        if num_checks == 10:
            raise Stopped

    def clock() -> float:
        nonlocal now_s
        now_s += 1.0
        return now_s

    with pytest.raises(Stopped):
        PREPARATIONS[name](chain(), _core.Guard(memory_limit_bytes=ENOUGH_BYTES, check=check, clock=clock))


def test_a_limit_that_is_reached_before_ends_work_at_once():
    def check() -> None:
        raise Stopped

    with pytest.raises(Stopped):
        _core.Heuristic.named(chain(1).core, "blind", _core.Guard(memory_limit_bytes=ENOUGH_BYTES, check=check))


def search(task: Task, *, time_limit_s=60.0, memory_limit_bytes=ENOUGH_BYTES, max_work=10**6):
    searching = _core.Search(
        task.core, _core.Heuristic.named(task.core, "goalcount"), queues=["h"], ties=_core.Ties.FIFO, goal_orders=True,
        boost=0, max_links=0, seed=0,
    )  # fmt: skip
    return searching.run(
        time_limit_s=time_limit_s,
        memory_limit_bytes=memory_limit_bytes,
        max_work=max_work,
        progress=lambda statistics: True,
    )


def test_preparing_a_search_ends_at_its_limits():
    assert search(chain()).status is _core.SearchStatus.SOLVED
    late = search(chain(), time_limit_s=0.0)
    assert late.status is _core.SearchStatus.OUT_OF_TIME and late.statistics.num_evaluated == 0
    full = search(chain(), memory_limit_bytes=1000)
    assert full.status is _core.SearchStatus.OUT_OF_MEMORY and full.statistics.num_evaluated == 0


def in_a_thread_with_a_small_stack(work) -> list:
    results: list = []
    before = threading.stack_size(256 << 10)
    try:
        thread = threading.Thread(target=lambda: results.append(work()))
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    return results


def test_conditions_as_long_as_the_task_need_no_stack():
    """Many operators that share all but the last of their preconditions, and of their effects."""
    length = 30_000
    shared = tuple((i, 0) for i in range(length))
    last = OperatorText(shared[:-1], ((length, -1, 1),), 1)
    operators = (OperatorText(shared, ((length, -1, 1),), 1), OperatorText(shared, ((length, -1, 1),), 1), last)
    sizes = (2,) * (length + 1)
    task = Task.from_sas(TaskText(False, sizes, (), (0,) * len(sizes), ((length, 1),), operators).to_sas())
    (found,) = in_a_thread_with_a_small_stack(lambda: search(task))
    assert found.status is _core.SearchStatus.SOLVED and len(found.plan) == 1
    assert in_a_thread_with_a_small_stack(lambda: len(samples_of(task))) == [2 * 3]


def test_regression_over_many_effects_takes_memory_by_their_number():
    """Two operators that set thousands of variables each: achievements share the effects of their operator."""
    num_variables = 5000
    effects = tuple((i, -1, 1) for i in range(num_variables))
    sizes = (2,) * num_variables
    goal = tuple((i, 1) for i in range(num_variables))
    operators = (OperatorText((), effects, 1), OperatorText((), effects, 1))
    task = Task.from_sas(TaskText(False, sizes, (), (0,) * num_variables, goal, operators).to_sas())
    sampler(task, _core.Guard(memory_limit_bytes=4 << 20, check=lambda: None))


def test_few_branches_among_many_values_need_no_table():
    """Six operators for each of many values of the first variable, on values of a second that has thousands."""
    domain_size, num_nodes = 20_000, 200
    values = (0, 5, 77, 4000, 12_345, domain_size - 1)
    operators = tuple(
        OperatorText(((0, node), (1, value)), ((2, 0, 1),), 1) for node in range(num_nodes) for value in values
    )
    text = TaskText(False, (num_nodes, domain_size, 2), (), (0, 0, 0), ((2, 1),), operators)
    task = Task.from_sas(text.to_sas())
    assert search(task, memory_limit_bytes=12 << 20).status is _core.SearchStatus.SOLVED
    space = _core.StateSpace(task.core)
    for node in (0, 1, num_nodes - 1):
        for value in (*values, 1, 76, 78, 19_000):
            expected = [node * len(values) + values.index(value)] if value in values else []
            assert space.applicable([node, value, 0]) == expected
    backward = _core.testing.backward_steps(task.core, "r", [-1, -1, 1])
    assert [op for op, _ in backward] == list(range(len(operators)))
    assert {tuple(state) for _, state in backward} == {(*(value for _, value in op.prevail), 0) for op in operators}


def test_goal_orders_over_many_overlapping_mutexes_take_no_room():
    num_goals = 200
    facts = tuple((i, 1) for i in range(num_goals))
    operators = tuple(OperatorText((), tuple((i, -1, 1) for i in range(num_goals)), 1) for _ in range(3))
    sizes = (2,) * num_goals
    task = Task.from_sas(TaskText(False, sizes, (facts,) * num_goals, (0,) * num_goals, facts, operators).to_sas())
    assert search(task, memory_limit_bytes=6 << 20).status is _core.SearchStatus.SOLVED
