"""Interchangeable objects, and searches that keep one of states that differ only in which of them is which."""

import random

import pytest
import reference
import symmetries_reference as twin
from alike_objects import alike_objects, tasks_of_alike_objects
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tasks import adl_tasks, strips_tasks

from sing import _core
from sing._core import testing
from sing.base.budget import Budget
from sing.base.outcome import Status
from sing.search.cost_search import CostSearch, CostSearchConfig, cheaper_plans
from sing.search.search import SearchConfig, named_heuristic, search
from sing.task.plan import execute
from sing.task.task import Task

ENOUGH = 10**9
TASKS = tasks_of_alike_objects()
BREADTH_FIRST = SearchConfig(("d",))


def found_in(task: Task, max_work: int = ENOUGH) -> _core.InterchangeableObjects | None:
    return task.core.interchangeable_objects(max_work)


def classes_of(task: Task, max_work: int = ENOUGH) -> list[list[str]]:
    found = found_in(task, max_work)
    return found.classes if found else []


@settings(max_examples=300)
@given(TASKS, st.one_of(st.just(ENOUGH), st.integers(0, 500)))
def test_any_two_objects_of_a_class_can_change_places(task, max_work):
    classes = classes_of(task, max_work)
    assert all(len(each) > 1 for each in classes)
    assert twin.are_apart(task, classes)
    for names in twin.all_exchanges(classes):
        assert twin.keeps_task(task, names)


@settings(max_examples=300)
@given(TASKS)
def test_classes_are_those_of_the_twin(task):
    """But for objects that an operator changes without naming them, and operators that share a name."""
    names = [operator.name for operator in task.operators]
    if len(set(names)) < len(names) or any(not is_closed(task, operator) for operator in task.operators):
        return
    expected = [each for each in twin.classes(task) if twin.are_apart(task, [sorted(each)])]
    assert sorted(map(sorted, classes_of(task))) == sorted(map(sorted, expected))


def is_closed(task, operator):
    names = twin.fact_names(task)
    facts = [*operator.preconditions, *(effect.fact for effect in operator.effects)]
    mentioned = {word for fact in facts for word in names[fact][1:]}
    for variable, value in facts:
        if not names[variable, value]:  # then all others of the variable are meant
            named = [set(name[1:]) for fact, name in names.items() if fact.variable == variable and name]
            mentioned |= set.intersection(*named) if named else set()
    return mentioned <= set(operator.name.split()[1:])


@settings(max_examples=60)
@given(strips_tasks())
def test_objects_of_planning_problems(task):
    classes = classes_of(task)
    assert twin.are_apart(task, classes)
    for names in twin.all_exchanges(classes):
        assert twin.keeps_task(task, names)


@given(adl_tasks())
def test_tasks_whose_effects_have_conditions_have_none(task):
    if not task.core.has_fixed_effects:
        assert found_in(task) is None


@settings(max_examples=200)
@given(TASKS)
def test_states_have_one_hash_where_objects_make_the_difference(task):
    found = found_in(task)
    if found is None:
        return
    orbits = testing.OrbitHash(task.core, found)
    hashes: dict[tuple[int, ...], int] = {}
    for state in list(reference.distances(task))[:60]:
        canonical = twin.canonical(task, found.classes, state)
        assert hashes.setdefault(canonical, orbits.of(state)) == orbits.of(state)
        applicable = [i for i, operator in enumerate(task.operators) if reference.is_applicable(operator, state)]
        successors = [reference.successor(task, task.operators[i], state) for i in applicable]
        assert orbits.after(state, applicable) == [orbits.of(each) for each in successors]
    assert len(set(hashes.values())) == len(hashes)


@settings(max_examples=300)
@given(TASKS)
def test_searches_find_what_they_would_find_without(task):
    found = search(task, named_heuristic(task, "blind"), BREADTH_FIRST, Budget(), interchangeable=found_in(task))
    length = reference.plan_length(task)
    assert found.status is (Status.UNSOLVABLE if length is None else Status.SOLVED)
    if length is not None:
        assert len(execute(task, found.plan)) == length


@settings(max_examples=200)
@given(TASKS, st.sampled_from([("h",), ("o", "no", "l", "nl"), ("nh", "h", "ph", "*ld")]), st.integers(0, 5))
def test_searches_of_tasks_with_landmarks_and_without_dead_ends_find_plans_all_the_same(task, queues, seed):
    """Objects are those of the plain task, whose variables come first in the other one."""
    pruned = task.pruned(ENOUGH)
    searched = (pruned[0] if pruned else task).with_landmarks(1)
    config = SearchConfig(queues, "random", goal_orders=True)
    heuristic = named_heuristic(searched, "adjusted")
    found = search(searched, heuristic, config, Budget(), seed=seed, interchangeable=found_in(task))
    length = reference.plan_length(task)
    assert found.status is (Status.UNSOLVABLE if length is None else Status.SOLVED)
    if length is not None:
        execute(task, found.plan)  # raises where it is none


@settings(max_examples=300)
@given(TASKS, st.sampled_from(["lmcut", "blind"]), st.booleans())
def test_cheapest_plans_are_proved_as_they_would_be_without(task, bound, prunes):
    found = task.pruned(ENOUGH) if prunes else None
    config = CostSearchConfig(bound)
    results = list(cheaper_plans(found[0] if found else task, None, Budget(), config, found_in(task)))
    assert results[-1].status is Status.UNSOLVABLE
    cost = reference.plan_cost(task)
    assert (cost is None) == (len(results) == 1)
    if cost is not None:
        assert execute(task, results[-2].plan).cost == cost == results[-1].lower_bound


@settings(max_examples=100)
@given(TASKS, st.integers(1, 60))
def test_a_search_by_cost_that_is_cut_into_pieces_proves_the_same(task, work):
    search = CostSearch(task, CostSearchConfig("blind"), Budget(), interchangeable=found_in(task))
    cost = None
    while (result := search.run(Budget(), max_work=work)).status is not Status.UNSOLVABLE:
        cost = result.cost if result.status is Status.SOLVED else cost
    assert cost == reference.plan_cost(task)


def counters(count: int, size: int) -> Task:
    """So many things, each of which goes from one state to the next."""
    lines: list[object] = ["begin_version", 3, "end_version", "begin_metric", 0, "end_metric", count]
    for i in range(count):
        lines += ["begin_variable", f"v{i}", -1, size, *(f"Atom at{k}(t{i})" for k in range(size)), "end_variable"]
    lines += [0, "begin_state", *[0] * count, "end_state", "begin_goal", count]
    lines += [*(f"{i} {size - 1}" for i in range(count)), "end_goal", count * (size - 1)]
    for i in range(count):
        for k in range(size - 1):
            lines += ["begin_operator", f"step{k} t{i}", 0, 1, f"0 {i} {k} {k + 1}", 1, "end_operator"]
    return Task.from_sas("\n".join(map(str, [*lines, 0, ""])))


def test_a_search_keeps_one_state_for_each_way_to_share_out_objects():
    task = counters(5, 4)
    everything = search(task, named_heuristic(task, "blind"), BREADTH_FIRST, Budget())
    fewer = search(task, named_heuristic(task, "blind"), BREADTH_FIRST, Budget(), interchangeable=found_in(task))
    assert len(everything.plan) == len(fewer.plan) == 15
    assert everything.statistics.num_registered == 4**5
    assert fewer.statistics.num_registered == 56  # ways to put 5 things into 4 states, (5 + 3 over 3)


def test_objects_of_a_larger_task_are_refused():
    heuristic = named_heuristic(counters(2, 2), "blind")
    with pytest.raises(ValueError, match="of another task"):
        search(counters(2, 2), heuristic, BREADTH_FIRST, Budget(), interchangeable=found_in(counters(3, 3)))


def test_one_name_with_all_objects_keeps_to_its_work():
    """Comparing objects by a fact that names n of them takes n times n steps."""
    things = [f"t{i}" for i in range(3000)]
    names = [f"Atom all({', '.join(things)})", "<none of those>"]
    lines = [
        "begin_version",
        3,
        "end_version",
        "begin_metric",
        0,
        "end_metric",
        1,
        "begin_variable",
        "v",
        -1,
        2,
        *names,
    ]
    lines += ["end_variable", 0, "begin_state", 0, "end_state", "begin_goal", 1, "0 1", "end_goal", 0, 0, ""]
    task = Task.from_sas("\n".join(map(str, lines)))
    assert found_in(task, 100_000) is None and found_in(task) is None


def test_memory_for_the_states_met_counts():
    task = counters(14, 12)
    budget = Budget(60, 40 << 20)
    found = search(task, named_heuristic(task, "blind"), BREADTH_FIRST, budget, interchangeable=found_in(task))
    assert found.status is Status.OUT_OF_MEMORY
    assert found.statistics.memory_bytes <= 40 << 20


def test_finding_them_keeps_to_its_work_and_its_limits():
    task = counters(400, 30)
    assert classes_of(task) == [[f"t{i}" for i in range(400)]]
    assert classes_of(task, 100) == []
    some = classes_of(task, 160_000)
    assert [len(each) for each in some] != [400]
    with pytest.raises(MemoryError):
        task.core.interchangeable_objects(ENOUGH, _core.Guard(memory_limit_bytes=1 << 20, check=lambda: None))


@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 3), max_size=50))
def test_a_set_of_hashes_tells_which_are_new(hashes):
    expected = [hash not in hashes[:i] for i, hash in enumerate(hashes)]
    assert testing.insert_hashes(hashes, memory_limit_bytes=1 << 20) == expected


def test_a_set_of_hashes_grows_as_far_as_memory_goes():
    rng = random.Random(1)
    hashes = [rng.randrange(2**64) for _ in range(10_000)]
    assert all(testing.insert_hashes(hashes, memory_limit_bytes=1 << 20))
    assert not any(testing.insert_hashes(hashes * 2, memory_limit_bytes=1 << 20)[10_000:])
    with pytest.raises(MemoryError):
        testing.insert_hashes(hashes, memory_limit_bytes=1 << 17)


def test_the_random_tasks_have_such_objects_and_others():
    found = [bool(classes_of(Task.from_sas(alike_objects(random.Random(seed))))) for seed in range(300)]
    assert 60 < sum(found) < 240
