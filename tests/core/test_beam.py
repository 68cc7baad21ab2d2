"""Beam search against its slow twin, against breadth-first search, and under limits."""

import heapq
import math

import numpy as np
import pytest
import reference
from beam_reference import Beam
from hypothesis import given, settings
from hypothesis import strategies as st
from puzzles import sliding_tiles
from random_tasks import OperatorText, TaskText, task_texts, tasks_to_search

from sing import _core
from sing.base.budget import Budget
from sing.base.outcome import Status
from sing.networks.encoding import Encoding
from sing.search.beam import BeamConfig, beam_search
from sing.search.search import SearchConfig, named_heuristic, search
from sing.task.plan import execute
from sing.task.task import Task

NETWORK = "network"


def integral_network(task: Task, seed: int = 0) -> _core.Heuristic:
    """A network of whole weights: the order in which its sums are taken does not matter."""
    rng = np.random.default_rng(seed)
    encoding = Encoding.of(task, "boolean")
    layers = [
        (rng.integers(-3, 4, (encoding.num_inputs, 20)).astype(np.float32), np.zeros(20, np.float32)),
        (rng.integers(-8, 16, (20, 1)).astype(np.float32) / 16, np.ones(1, np.float32)),
    ]
    return _core.Heuristic.network(task.core, encoding.features(task), _core.Mlp(layers))


def make_heuristic(task: Task, name: str) -> _core.Heuristic:
    return integral_network(task) if name == NETWORK else named_heuristic(task, name)


def run(task, name, config, *, threads=1, budget=None, **options):
    heuristics = [make_heuristic(task, name) for _ in range(threads)]
    return beam_search(task, heuristics, config, budget or Budget(60.0, 2 << 30), **options)


def twin_of(task: Task, name: str, config: BeamConfig, seed: int, cost_limit: float = math.inf) -> Beam:
    heuristic = make_heuristic(task, name)
    layers_of_network = None
    if name == NETWORK:
        encoding = Encoding.of(task, "boolean")
        rng = np.random.default_rng(0)
        weights = rng.integers(-3, 4, (encoding.num_inputs, 20)).astype(np.float64)
        last = rng.integers(-8, 16, (20, 1)).astype(np.float64) / 16
        layers_of_network = [(weights, np.zeros(20)), (last, np.ones(1))]

    def estimates(parent, operators):
        if layers_of_network is None:
            return [estimate for estimate, _ in heuristic.evaluate_successors(parent, operators)]
        after = [reference.successor(task, task.operators[position], parent) for position in operators]
        inputs = np.array([reference.encoded(task, "boolean", state) for state in after])
        return [max(0.0, float(value)) for value in reference.outputs(layers_of_network, inputs)[:, 0]]

    beam = Beam(task, estimates, config, seed, cost_limit, heuristic.evaluate(task.initial_state) is None)
    beam.run()
    return beam


@settings(max_examples=300)
@given(
    task=tasks_to_search(),
    name=st.sampled_from(["goalcount", "ff", "landmarks", NETWORK]),
    config=st.builds(
        BeamConfig,
        width=st.sampled_from([1, 2, 3, 5, 10, 0]),
        history=st.sampled_from([0, 0, 1, 2]),
        novelty=st.booleans(),
    ),
    seed=st.integers(0, 2**64 - 1),
    max_layers=st.sampled_from([3, 10, 30]),
)
def test_a_beam_equals_its_twin_layer_by_layer(task, name, config, seed, max_layers):
    """A beam with a short history can go round for ever: the cost limit ends it."""
    twin = twin_of(task, name, config, seed, max_layers)
    result = run(task, name, config, seed=seed, cost_limit=max_layers)
    assert (result.status is Status.SOLVED) == (twin.plan is not None)
    assert list(result.plan) == (twin.plan or [])
    assert result.statistics.num_registered == sum(map(len, twin.layers))
    assert (result.statistics.num_expanded, result.statistics.num_generated) == (twin.num_expanded, twin.num_generated)
    assert result.widest == max(map(len, twin.layers), default=0)
    if twin.plan is None:
        assert result.status is (Status.UNSOLVABLE if twin.is_complete else Status.OUT_OF_WORK)


@given(task_texts(), st.sampled_from([1, 2, 5, 0]), st.integers(1, 9))
def test_costs_bound_a_beam_as_they_do_its_twin(text, width, cost_limit):
    """Operators cost 0 to 3 here, so that two ways to a state differ."""
    task = Task.from_sas(text.to_sas())
    config = BeamConfig(width=width)
    twin = twin_of(task, "goalcount", config, 7, cost_limit)
    result = run(task, "goalcount", config, seed=7, cost_limit=cost_limit)
    assert list(result.plan) == (twin.plan or [])
    assert result.statistics.num_registered == sum(map(len, twin.layers))
    if result.status is Status.SOLVED:
        assert execute(task, result.plan).cost < cost_limit
    if result.status is Status.UNSOLVABLE:  # proved, so that a search with costs finds nothing better
        assert cheapest(task) >= cost_limit


@pytest.mark.parametrize(("cost_limit", "num_steps"), [(None, 1), (2**62, 2), (2**64, 2), (7, 0)])
def test_costs_as_large_as_they_can_be_are_no_limit(cost_limit, num_steps):
    """One step whose cost is the largest, or two of 3 and 4."""
    ways = [((0, 0, 2), 2**63 - 1), ((0, 0, 1), 3), ((0, 1, 2), 4)]
    operators = tuple(OperatorText((), (effect,), cost) for effect, cost in ways)
    task = Task.from_sas(TaskText(True, (3,), (), (0,), ((0, 2),), operators).to_sas())
    result = run(task, "goalcount", BeamConfig(), cost_limit=cost_limit)
    assert (len(result.plan), result.status) == (num_steps, Status.SOLVED if num_steps else Status.UNSOLVABLE)


def test_a_cheaper_way_that_comes_later_keeps_a_beam_from_proving_anything():
    """A state is reached for 5, and one layer on, where it is known, for 2; the goal is 4 from there."""
    ways = [((0, 0, 1), 5), ((0, 0, 2), 1), ((0, 2, 1), 1), ((0, 1, 3), 4)]
    operators = tuple(OperatorText((), (effect,), cost) for effect, cost in ways)
    task = Task.from_sas(TaskText(True, (4,), (), (0,), ((0, 3),), operators).to_sas())
    assert cheapest(task) == 6
    result = run(task, "goalcount", BeamConfig(), cost_limit=8)
    assert (result.plan, result.status, result.was_cut) == ((), Status.OUT_OF_WORK, True)
    assert run(task, "goalcount", BeamConfig()).status is Status.SOLVED


def cheapest(task: Task) -> float:
    """The cost of a cheapest plan, by Dijkstra's algorithm; infinite where there is none."""
    waiting, done = [(0, tuple(task.initial_state))], set()
    while waiting:
        cost, state = heapq.heappop(waiting)
        if reference.num_open_goals(task, state) == 0:
            return cost
        if state in done:
            continue
        done.add(state)
        for operator in task.operators:
            if reference.is_applicable(operator, state):
                own = operator.cost if task.core.uses_costs else 1
                heapq.heappush(waiting, (cost + own, reference.successor(task, operator, state)))
    return math.inf


@given(task_texts(), st.sampled_from(["blind", "goalcount", "ff"]), st.integers(0, 1000))
def test_a_beam_that_is_never_full_finds_a_shortest_plan(text, name, seed):
    task = Task.from_sas(text.to_sas())
    shortest = reference.plan_length(task)
    result = run(task, name, BeamConfig(width=10**6), seed=seed)
    if shortest is None:
        assert result.status is Status.UNSOLVABLE
    else:
        assert result.status is Status.SOLVED
        execute(task, result.plan)
        assert len(result.plan) == shortest


def run_core(task, heuristic, width, *, round_size=1 << 16, memory_bytes=2 << 30, max_work=2**64 - 1, cost_limit=60):
    prepared = _core.BeamSearch(
        task.core, (heuristic,), width=width, history=0, novelty=False, seed=0, round=round_size
    )
    return prepared.run(
        time_limit_s=60.0,
        memory_limit_bytes=memory_bytes,
        max_work=max_work,
        cost_limit=cost_limit,
        progress=lambda _: True,
    )


@settings(max_examples=100)
@given(task=tasks_to_search(), width=st.integers(1, 30), round_size=st.integers(1, 50))
def test_the_size_of_rounds_changes_nothing(task, width, round_size):
    """The best states are kept again and again within a layer, or once."""
    often, once = (run_core(task, integral_network(task), width, round_size=size) for size in (round_size, 1 << 16))
    assert (often.status, often.plan) == (once.status, once.plan)
    assert often.statistics.search.num_registered == once.statistics.search.num_registered


@pytest.mark.parametrize("name", ["ff", NETWORK])
def test_one_seed_gives_one_plan_on_any_number_of_threads(name):
    task = sliding_tiles(3)
    results = [run(task, name, BeamConfig(width=300), threads=threads, seed=5) for threads in (1, 2, 5)]
    assert results[0].status is Status.SOLVED
    assert len({result.plan for result in results}) == 1
    counts = {(r.statistics.num_expanded, r.statistics.num_evaluated, r.statistics.num_registered) for r in results}
    assert len(counts) == 1


def test_other_seeds_keep_other_states():
    task = sliding_tiles(3)
    assert len({run(task, "goalcount", BeamConfig(width=20), seed=seed).plan for seed in range(5)}) > 1


def test_memory_narrows_the_beam():
    task = sliding_tiles(4)
    limit = 24 << 20
    heuristic = named_heuristic(task, "goalcount")
    result = run_core(task, heuristic, 10**6, round_size=1000, memory_bytes=limit, max_work=200_000, cost_limit=10**6)
    statistics = result.statistics
    assert result.status == _core.SearchStatus.OUT_OF_WORK
    assert statistics.search.memory_bytes <= limit
    assert statistics.narrowest < 10**6
    assert not statistics.is_complete
    assert statistics.widest < 20_000


def test_a_width_of_0_is_as_wide_as_memory_allows():
    task = sliding_tiles(3)
    result = run(task, "goalcount", BeamConfig(width=0))
    breadth_first = search(task, named_heuristic(task, "blind"), SearchConfig(), Budget(60.0, 2 << 30))
    assert len(result.plan) == len(breadth_first.plan) == 26


def test_limits_end_a_beam():
    task = sliding_tiles(4, swap_goal=True)
    assert run(task, "ff", BeamConfig(), budget=Budget(0.2, 2 << 30)).status is Status.OUT_OF_TIME
    result = run(task, "goalcount", BeamConfig(width=100), max_work=5000)
    assert result.status is Status.OUT_OF_WORK
    assert not result.was_cut
    assert 5000 <= result.statistics.num_generated < 5000 + 4 * 100
    result = run_core(task, named_heuristic(task, "goalcount"), 100, memory_bytes=1000)
    assert result.status == _core.SearchStatus.OUT_OF_MEMORY


def test_a_beam_can_be_interrupted():
    task = sliding_tiles(4, swap_goal=True)
    budget = Budget(60.0, 2 << 30)
    result = run(task, "ff", BeamConfig(), threads=2, budget=budget, on_progress=lambda _: budget.interrupt())
    assert result.status is Status.INTERRUPTED


def test_what_a_heuristic_raises_comes_out_of_every_thread():
    task = sliding_tiles(3)

    def fail(inputs):
        raise ValueError("no estimates today")

    features = Encoding.of(task, "boolean").features(task)
    heuristics = [_core.Heuristic.foreign(task.core, features, fail) for _ in range(3)]
    with pytest.raises(ValueError, match="today"):
        beam_search(task, heuristics, BeamConfig(), Budget(60.0, 2 << 30))


def test_a_network_outside_the_core_gives_the_same_beam():
    task = sliding_tiles(3)
    encoding = Encoding.of(task, "boolean")
    rng = np.random.default_rng(0)
    weights = rng.integers(-3, 4, (encoding.num_inputs, 20)).astype(np.float32)
    last = rng.integers(-8, 16, (20, 1)).astype(np.float32) / 16

    def evaluate(inputs):
        return (np.maximum(inputs @ weights, 0) @ last + 1)[:, 0].astype(np.float32)

    foreign = _core.Heuristic.foreign(task.core, encoding.features(task), evaluate)
    config = BeamConfig(width=50)
    result = beam_search(task, [foreign], config, Budget(60.0, 2 << 30), cost_limit=100)
    assert result.plan == run(task, NETWORK, config, cost_limit=100).plan
