from __future__ import annotations

import itertools
import random

import reference
import small_tasks
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tasks import OperatorText, TaskText, adl_tasks, states, strips_tasks

from sing import _core
from sing._core import testing
from sing.task.task import Task

Rule = tuple[int, frozenset[int], int]  # the fact that it adds, its conditions, its weight


def schema_text(rng: random.Random) -> TaskText:
    """Operators for nearly all combinations of some variables' values, as from actions with parameters."""
    sizes = tuple(rng.randint(2, 4) for _ in range(rng.randint(3, 5)))
    operators = []
    for _ in range(rng.randint(1, 3)):
        needed = sorted(rng.sample(range(len(sizes)), rng.randint(1, 3)))
        changed = sorted(rng.sample(range(len(sizes)), rng.randint(1, 2)))
        free = sorted({*needed, *changed})
        for values in itertools.product(*(range(sizes[variable]) for variable in free)):
            if rng.random() < 0.1:
                continue
            before = dict(zip(free, values, strict=True))
            effects = tuple(
                (variable, before[variable] if variable in needed else -1, rng.randrange(sizes[variable]))
                for variable in changed
            )
            prevail = tuple((variable, before[variable]) for variable in needed if variable not in changed)
            operators.append(OperatorText(prevail, effects, 1))
    start = tuple(rng.randrange(size) for size in sizes)
    goal = tuple((variable, rng.randrange(size)) for variable, size in enumerate(sizes) if rng.random() < 0.7)
    return TaskText(False, sizes, (), start, goal, tuple(operators))


schema_texts = st.integers(0, 2**32).map(lambda seed: schema_text(random.Random(seed)))
FAMILIES = [small_tasks.blocks(5), small_tasks.delivery(3, 3, 5), small_tasks.hanoi(4), small_tasks.doors(4)]
tasks = st.one_of(
    schema_texts.map(lambda text: Task.from_sas(text.to_sas())),
    strips_tasks(),
    adl_tasks(),
    st.sampled_from(FAMILIES).map(Task.from_sas),
)


def members_of(factored: testing.FactoredRules, fact: int) -> list[int]:
    """The facts that a condition stands for: a union's, of unions in it again, or the fact alone."""
    if fact < factored.num_facts:
        return [fact]
    return [found for member in factored.unions[fact - factored.num_facts] for found in members_of(factored, member)]


def single(rules: list[tuple[list[int], list[int], int]]) -> set[Rule]:
    return {(fact, frozenset(conditions), weight) for conditions, added, weight in rules for fact in added}


@settings(max_examples=300)
@given(tasks)
def test_rules_stand_for_the_same_rules_as_before(task):
    """And for some that have what they add among their conditions, which make nothing cheaper."""
    factored = testing.FactoredRules(task.core)
    expanded = {
        (fact, frozenset(chosen), weight)
        for conditions, added, weight in factored.rules
        for chosen in itertools.product(*(members_of(factored, condition) for condition in conditions))
        for fact in added
    }
    before = single(factored.originals)
    assert before <= expanded
    assert all(fact in conditions for fact, conditions, _ in expanded - before)


@settings(max_examples=200)
@given(tasks, st.randoms(use_true_random=False))
def test_what_unions_were_reached_by_names_the_original(task, rng):
    factored = testing.FactoredRules(task.core)
    reached_by = [0] * factored.num_facts + [rng.choice(facts) for facts in factored.unions]

    def reached(fact: int) -> int:
        return fact if fact < factored.num_facts else reached(reached_by[fact])

    for number, (conditions, added, _) in enumerate(factored.rules):
        chosen = {reached(condition) for condition in conditions}
        if chosen & set(added):
            continue  # the rule has not made it cheaper
        needed, makes, _ = factored.originals[factored.origin(number, reached_by)]
        assert set(needed) == chosen and set(added) <= set(makes)


@given(schema_texts, st.data())
def test_facts_cost_the_same(text, data):
    task = Task.from_sas(text.to_sas())
    heuristic = testing.AdditiveHeuristic(task.core)
    for _ in range(3):
        state = data.draw(states(text.domain_sizes))
        assert heuristic.evaluate(state) == reference.relaxed_estimate(task, state, sum)


def driving(num_places: int) -> Task:
    """A truck that drives anywhere from anywhere."""
    drives = itertools.permutations(range(num_places), 2)
    operators = tuple(OperatorText((), ((0, place, after),), 1) for place, after in drives)
    return Task.from_sas(TaskText(False, (num_places,), (), (0,), ((0, 1),), operators).to_sas())


def test_driving_anywhere_needs_to_be_anywhere():
    factored = testing.FactoredRules(driving(20).core)
    assert len(factored.originals) == 20 * 19
    assert sorted(factored.rules) == [([20], [place], 1) for place in range(20)]
    assert factored.unions == [list(range(20))]


def test_without_memory_rules_stay_as_they_are():
    core = driving(100).core
    found = []
    for kilobytes in range(50, 5000, 50):
        try:
            factored = testing.FactoredRules(core, _core.Guard(memory_limit_bytes=kilobytes << 10, check=lambda: None))
        except MemoryError:
            found.append("no room")
            continue
        found.append("factored" if factored.unions else "as they are")
        assert factored.unions or single(factored.rules) == single(factored.originals)
    assert [kind for kind, _ in itertools.groupby(found)] == ["no room", "as they are", "factored"]
