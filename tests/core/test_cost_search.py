"""Searches by cost end with the cheapest plan, whatever orders their states and wherever limits stop them."""

import itertools
import random

import cost_reference
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from puzzles import sliding_tiles
from random_tasks import OperatorText, TaskText, random_voices, tasks_with_costs

from sing import _core
from sing.base.budget import Budget
from sing.base.errors import InputError
from sing.base.outcome import Status
from sing.search.cost_search import LOWER_BOUNDS, CostSearch, CostSearchConfig, cheaper_plans
from sing.search.search import NO_LIMIT, named_heuristic
from sing.task.plan import execute
from sing.task.task import Task

CONFIGS = st.builds(
    CostSearchConfig,
    bound=st.sampled_from(LOWER_BOUNDS),
    weight=st.sampled_from([0, 1, 1, 2, 5, 10**6]),
    order=st.sampled_from(["cost", "plusone", "steps"]),
    preferred=st.booleans(),
    boost=st.sampled_from([0, 3]),
)
VOICES = "voices"
ESTIMATES = st.sampled_from([None, None, "goalcount", "ff", "relaxed", "landmarks", VOICES])


def estimate_of(task, name):
    if name is None:
        return None
    if name != VOICES:
        return named_heuristic(task, name)
    encoding, layers = random_voices(task, 1)
    return _core.Heuristic.voices(task.core, encoding.features(task), _core.Mlp(layers))


def results_of(search, task, best, bound=None, works=(NO_LIMIT,), times_s=(60.0,)):
    """All results until the search is over, each checked against the cost of a cheapest plan."""
    last_cost = bound
    for work, time_s in zip(itertools.cycle(works), itertools.cycle(times_s)):
        result = search.run(Budget(time_s), bound=bound, max_work=work)
        least = [cost for cost in (best, bound) if cost is not None]
        assert result.lower_bound is None or not least or result.lower_bound <= min(least)
        if result.status is Status.SOLVED:
            plan = execute(task, result.plan)
            assert plan.cost == result.cost
            assert last_cost is None or plan.cost < last_cost
            last_cost = plan.cost
        yield result
        if result.status is Status.UNSOLVABLE:
            return


@settings(max_examples=400)
@given(tasks_with_costs(), CONFIGS, ESTIMATES, st.lists(st.sampled_from([1, 2, 7, 40, NO_LIMIT]), min_size=1))
def test_the_last_plan_is_cheapest(task, config, estimate, works):
    best = cost_reference.costs_to_goal(task)[task.initial_state]
    search = CostSearch(task, config, Budget(60), estimate_of(task, estimate))
    results = list(results_of(search, task, best, works=works))
    costs = [result.cost for result in results if result.status is Status.SOLVED]
    assert costs[-1:] == ([] if best is None else [best])
    assert {result.status for result in results} <= {Status.SOLVED, Status.OUT_OF_WORK, Status.UNSOLVABLE}
    assert results[-1].lower_bound == best
    assert search.run(Budget(60)).status is Status.UNSOLVABLE  # it stays so


@given(tasks_with_costs(), CONFIGS, ESTIMATES, st.sampled_from([-1, 0, 1, 10**10]))
def test_only_plans_below_the_bound_are_found(task, config, estimate, more):
    best = cost_reference.costs_to_goal(task)[task.initial_state]
    bound = max(0, (best or 0) + more)
    search = CostSearch(task, config, Budget(60), estimate_of(task, estimate))
    results = list(results_of(search, task, best, bound=bound))
    is_found = any(result.status is Status.SOLVED for result in results)
    assert is_found == (best is not None and best < bound)
    assert results[-1].lower_bound == (best if is_found else bound)


@settings(max_examples=50)
@given(tasks_with_costs(), CONFIGS, st.sampled_from([None, "ff"]))
def test_a_search_goes_on_where_the_clock_has_stopped_it(task, config, estimate):
    """Wherever that was, within an expansion too."""
    best = cost_reference.costs_to_goal(task)[task.initial_state]
    search = CostSearch(task, config, Budget(60), estimate_of(task, estimate))
    times_s = [1e-9, 20e-6, 40e-6, 80e-6, 160e-6, 1e-3, 0.01, 0.1]
    results = list(results_of(search, task, best, times_s=times_s))
    costs = [result.cost for result in results if result.status is Status.SOLVED]
    assert costs[-1:] == ([] if best is None else [best])
    assert results[-1].lower_bound == best


def large_text(seed):
    """So many states that some are reached in cheaper and cheaper ways before they are expanded."""
    rng = random.Random(seed)
    sizes = tuple(rng.randint(2, 4) for _ in range(rng.randint(6, 9)))
    operators = []
    for _ in range(rng.randint(40, 80)):
        variables = rng.sample(range(len(sizes)), rng.randint(1, 3))
        num_effects = rng.randint(1, min(2, len(variables)))
        effects = []
        for variable in variables[:num_effects]:
            before = rng.randrange(-1, sizes[variable])
            after = rng.choice([value for value in range(sizes[variable]) if value != before])
            effects.append((variable, before, after))
        prevail = tuple((variable, rng.randrange(sizes[variable])) for variable in variables[num_effects:])
        operators.append(OperatorText(prevail, tuple(effects), rng.choice([0, 1, 2, 3, 5, 8, 13, 40])))
    initial = tuple(map(rng.randrange, sizes))
    goal = tuple(
        (variable, rng.randrange(sizes[variable]))
        for variable in rng.sample(range(len(sizes)), rng.randint(1, len(sizes)))
    )
    return TaskText(True, sizes, (), initial, goal, tuple(operators))


@pytest.mark.parametrize("seed", [33, 381, 486, 603, 871, 1090])
def test_the_lower_bound_is_never_above_the_cost_of_a_cheapest_plan(seed):
    """After every single expansion. In these tasks old entries of the open list come up, of states whose bound has
    risen since: whoever expands such a state at once skips cheaper ones."""
    task = Task.from_sas(large_text(seed).to_sas())
    search = CostSearch(task, CostSearchConfig(), Budget(60))
    bounds, status = [], None
    while status is not Status.UNSOLVABLE:
        result = search.run(Budget(60), max_work=1)
        bounds.append(result.lower_bound)
        status = result.status
    assert bounds == sorted(bounds) and len(bounds) > 10
    best = execute(task, list(cheaper_plans(task, None, Budget(60), CostSearchConfig("blind")))[-2].plan).cost
    assert bounds[-1] == best


def task_of(costs, goal_after):
    """One variable that each operator takes a step further, and back."""
    operators = tuple(OperatorText((), ((0, step, step + 1),), cost) for step, cost in enumerate(costs))
    back = tuple(OperatorText((), ((0, step + 1, step),), 0) for step in range(len(costs)))
    text = TaskText(True, (len(costs) + 1,), (), (0,), ((0, goal_after),), operators + back)
    return Task.from_sas(text.to_sas())


@pytest.mark.parametrize("bound", LOWER_BOUNDS)
@pytest.mark.parametrize(
    ("costs", "cost"),
    [([0, 0, 0], 0), ([10**9] * 5, 5 * 10**9), ([2**40] * 4, 2**42), ([2**61, 2**61, 2**61], 3 * 2**61)],
)
def test_costs_of_any_size_are_proved(costs, cost, bound):
    *_, found, last = cheaper_plans(task_of(costs, len(costs)), None, Budget(60), CostSearchConfig(bound))
    assert (found.cost, last.status, last.lower_bound) == (cost, Status.UNSOLVABLE, cost)


@pytest.mark.parametrize("bound", LOWER_BOUNDS)
def test_a_plan_beyond_64_bits_is_found_and_not_taken_for_proved(bound):
    costs = [2**63 - 1] * 3
    *_, found, last = cheaper_plans(task_of(costs, 3), None, Budget(60), CostSearchConfig(bound))
    assert found.cost == sum(costs)
    assert last.lower_bound < found.cost
    assert not list(cheaper_plans(task_of(costs, 3), 10, Budget(60), CostSearchConfig(bound)))[:-1]


def test_a_goal_that_holds_costs_nothing():
    found, last = cheaper_plans(task_of([1, 1], 0), None, Budget(60))
    assert (found.plan, found.cost, last.status, last.lower_bound) == ((), 0, Status.UNSOLVABLE, 0)


def test_without_operators_there_is_no_plan():
    (last,) = cheaper_plans(task_of([], 0), 0, Budget(60))
    assert (last.status, last.lower_bound) == (Status.UNSOLVABLE, 0)


def test_the_same_search_expands_the_same_states():
    task = sliding_tiles(3)
    counts = set()
    for _ in range(2):
        *_, last = cheaper_plans(task, None, Budget(60))
        statistics = last.statistics
        counts.add((statistics.num_expanded, statistics.num_evaluated, statistics.num_registered, last.lower_bound))
    assert len(counts) == 1


def test_the_memory_limit_ends_the_search_for_good():
    task = sliding_tiles(5)
    counts = set()
    for _ in range(2):
        bound = _core.LowerBound.named(task.core, "blind")
        search = _core.CostSearch(
            task.core, bound, None, weight=1, order=_core.CostKind.REAL, preferred=False, boost=0
        )  # fmt: skip
        limits = {"time_limit_s": 600.0, "max_work": NO_LIMIT, "bound": None, "progress": lambda statistics: True}
        result = search.run(memory_limit_bytes=30 << 20, **limits)
        assert result.status == _core.SearchStatus.OUT_OF_MEMORY
        assert result.statistics.memory_bytes <= 30 << 20
        counts.add((result.statistics.num_expanded, result.statistics.num_registered))
        assert search.run(memory_limit_bytes=1 << 30, **limits).status == _core.SearchStatus.OUT_OF_MEMORY
    assert len(counts) == 1


def test_states_that_cost_as_much_as_the_plan_are_not_expanded():
    """They were put into the open list when no plan was known."""
    ways = [*(((0, 0, 2 + other), 5) for other in range(10)), ((0, 0, 1), 5)]
    operators = tuple(OperatorText((), (effect,), cost) for effect, cost in ways)
    task = Task.from_sas(TaskText(True, (12,), (), (0,), ((0, 1),), operators).to_sas())
    found, last = cheaper_plans(task, None, Budget(60), CostSearchConfig("blind"))
    assert (found.cost, found.statistics.num_expanded) == (5, 1)
    assert (last.status, last.statistics.num_expanded) == (Status.UNSOLVABLE, 1)


def ways_to_the_goal():
    """The goal at once for 10, or by a step for 2."""
    ways = [((0, 0, 2), 10), ((0, 0, 1), 1), ((0, 1, 2), 1)]
    operators = tuple(OperatorText((), (effect,), cost) for effect, cost in ways)
    return Task.from_sas(TaskText(True, (3,), (), (0,), ((0, 2),), operators).to_sas())


def test_a_plan_that_is_found_when_time_ends_is_returned():
    """The second call has no time, and reaches the goal more cheaply before it looks at the clock."""
    search = CostSearch(ways_to_the_goal(), CostSearchConfig("blind"), Budget(60))
    assert search.run(Budget(60)).plan == (0,)
    result = search.run(Budget(1e-9))
    assert (result.status, result.plan, result.cost) == (Status.SOLVED, (1, 2), 2)
    assert search.run(Budget(60)).status is Status.UNSOLVABLE


def test_a_plan_that_is_found_when_memory_ends_is_returned():
    """Wherever in an expansion that is: it finds the goal first, and then has no room for the other successors."""
    ways = [((0, 0, 1), 100), *(((0, 0, 2 + other), 1 + other) for other in range(60))]
    operators = tuple(OperatorText((), (effect,), cost) for effect, cost in ways)
    task = Task.from_sas(TaskText(True, (62,), (), (0,), ((0, 1),), operators).to_sas())

    def run(memory_limit_bytes):
        bound = _core.LowerBound.named(task.core, "blind")
        options = {"weight": 1, "order": _core.CostKind.REAL, "preferred": False, "boost": 0}
        limits = {"time_limit_s": 600.0, "max_work": NO_LIMIT, "bound": None, "progress": lambda statistics: True}
        search = _core.CostSearch(task.core, bound, None, **options)
        return search.run(memory_limit_bytes=memory_limit_bytes, **limits)

    most = run(1 << 30).statistics.memory_bytes
    num_evaluated = set()
    for less in range(0, 8000, 40):
        result = run(most - less)
        if result.statistics.num_evaluated <= 1:  # not even the goal
            assert result.status == _core.SearchStatus.OUT_OF_MEMORY
        else:
            assert (result.status, result.plan) == (_core.SearchStatus.SOLVED, [0])
        num_evaluated.add(result.statistics.num_evaluated)
    assert num_evaluated == set(range(63))


def test_an_interrupted_search_says_what_it_knows():
    budget = Budget(1800)
    seen = []

    def interrupt(statistics):
        seen.append(statistics.lower_bound)
        budget.interrupt()

    *_, last = cheaper_plans(sliding_tiles(5), None, budget, on_progress=interrupt)
    assert last.status is Status.INTERRUPTED
    assert seen and last.lower_bound >= seen[-1]


@pytest.mark.parametrize("options", [{"bound": "hmax"}, {"weight": -1}, {"order": "length"}, {"boost": -1}], ids=str)
def test_malformed_configurations_are_refused(options):
    with pytest.raises(InputError):
        CostSearchConfig(**options)
