"""Backward sampling: sound labels, the paper's formulas, every limit, the same samples for any number of threads."""

import itertools

import numpy as np
import pytest
import reference
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from puzzles import sliding_tiles
from random_tasks import OperatorText, TaskText, states, strips_tasks, task_texts, tasks_to_search

from sing._core import testing
from sing.base.errors import InputError
from sing.samples.sampling import COLLECTIONS, COMPLETIONS, SPACES, STRATEGIES, SamplingConfig, regression_depth, sample
from sing.task.task import Task

SMALL = {"nsearches": 6, "nsamples": 12}
UNDEFINED = -1


@st.composite
def partial_values(draw, domain_sizes):
    state = draw(states(domain_sizes))
    return tuple(value if draw(st.booleans()) else UNDEFINED for value in state)


def searches(samples):
    """The samples of each search, by position: a depth-first search starts once."""
    starts = [i for i in range(len(samples)) if not samples.operators(i)]
    return [range(a, b) for a, b in itertools.pairwise([*starts, len(samples)])]


@given(task_texts(), st.data())
def test_regression_equals_its_twin(text, data):
    task = Task.from_sas(text.to_sas())
    state = data.draw(partial_values(text.domain_sizes))
    expected = {
        (position, before)
        for position, operator in enumerate(task.operators)
        if (before := reference.regress(task, state, operator)) is not None
    }
    steps = testing.backward_steps(task.core, "r", state)
    assert len(steps) == len(expected)
    assert {(position, tuple(before)) for position, before in steps} == expected


@given(task_texts())
def test_inverse_operators_equal_the_formula_atom_by_atom(text):
    task = Task.from_sas(text.to_sas())
    # The translator writes no variable of one value, and no effect that its own precondition makes idle.
    assume(min(text.domain_sizes) > 1)
    assume(all(before != after for op in text.operators for _, before, after in op.effects))

    def atoms(facts):
        names = (task.variables[variable].value_names[value] for variable, value in facts)
        return {name for name in names if name.startswith("Atom ")}

    for operator, (preconditions, effects) in zip(task.operators, testing.inverse_operators(task.core), strict=True):
        pre, add, delete = reference.strips(task, operator)
        assert atoms(preconditions) == (pre | add) - delete
        made_true = [(variable, value) for variable, values in effects for value in values]
        assert atoms(made_true) == delete
        # add(a) becomes false: its variables take other values.
        assert {variable for variable, _ in effects} == {effect.fact.variable for effect in operator.effects}
        assert not {effect.fact for effect in operator.effects} & set(made_true)


@given(task_texts(), st.data())
def test_inverse_steps_equal_their_twin(text, data):
    task = Task.from_sas(text.to_sas())
    state = data.draw(states(text.domain_sizes))
    possible = {}
    for position, operator in enumerate(task.operators):
        conditions, values = reference.inverse(task, operator)
        if all(state[variable] == value for variable, value in conditions):
            choices = [sorted(values.get(variable, {value})) for variable, value in enumerate(state)]
            possible[position] = set(itertools.product(*choices))
    steps = testing.backward_steps(task.core, "ei", state, data.draw(st.integers(0, 9)))
    assert {position for position, _ in steps} == set(possible)
    assert all(tuple(before) in possible[position] for position, before in steps)


@given(task_texts(), st.data())
def test_original_steps_are_the_forward_operators(text, data):
    task = Task.from_sas(text.to_sas())
    state = data.draw(states(text.domain_sizes))
    expected = {
        (position, reference.successor(task, operator, state))
        for position, operator in enumerate(task.operators)
        if reference.is_applicable(operator, state)
    }
    steps = testing.backward_steps(task.core, "eo", state)
    assert {(position, tuple(before)) for position, before in steps} == expected


@given(tasks_to_search(), st.sampled_from(STRATEGIES), st.sampled_from(COLLECTIONS), st.integers(0, 99))
def test_regression_is_sound(task, strategy, collect, seed):
    """From every full state that agrees with a sample, its operators lead to the goal in `label` steps."""
    sizes = [len(variable.value_names) for variable in task.variables]
    samples = sample(task, SamplingConfig("r", strategy, collect, **SMALL), seed=seed)
    for i, (values, label) in enumerate(zip(samples.values, samples.labels, strict=True)):
        path = samples.operators(i)
        assert len(path) == label
        free = [[value] if value != UNDEFINED else range(sizes[v]) for v, value in enumerate(values)]
        for values in itertools.islice(itertools.product(*free), 10):
            state = reference.completed(task, values)
            for position in path:
                assert reference.is_applicable(task.operators[position], state)
                state = reference.successor(task, task.operators[position], state)
            assert reference.num_open_goals(task, state) == 0


@given(task_texts(), st.sampled_from(STRATEGIES), st.sampled_from(COLLECTIONS), st.integers(0, 99))
def test_inexact_inversions_are_counted(text, strategy, collect, seed):
    """A step is exact where the forward operator applies to the sample and leads back to the one before it."""
    task = Task.from_sas(text.to_sas())
    samples = sample(task, SamplingConfig("ei", strategy, collect, **SMALL), seed=seed)
    values = [tuple(row) for row in samples.values.tolist()]
    parents, operators = samples.links
    steps = [i for i in range(len(samples)) if samples.operators(i)]
    inexact = 0
    for i in steps:
        forward = task.operators[operators[i]]
        exact = (
            reference.is_applicable(forward, values[i])
            and reference.successor(task, forward, values[i]) == values[parents[i]]
        )
        inexact += not exact
    expected = inexact / len(steps) if steps else 0.0
    assert samples.summary().share_inexact == pytest.approx(expected)


@given(
    strips_tasks(),
    st.sampled_from(SPACES),
    st.sampled_from(STRATEGIES),
    st.sampled_from(COLLECTIONS),
    st.sampled_from([0, 1, 4]),
)
def test_limits_hold_and_searches_do_not_repeat(task, space, strategy, collect, max_depth):
    config = SamplingConfig(space, strategy, collect, max_depth=max_depth, **SMALL)
    samples = sample(task, config)
    assert len(samples) <= config.nsearches * config.nsamples
    assert samples.labels.max(initial=0) <= max_depth
    assert samples.summary().num_searches == config.nsearches
    values = [tuple(row) for row in samples.values.tolist()]
    if strategy == "dfs":
        for search in searches(samples):
            assert len(search) <= config.nsamples
            assert len({values[i] for i in search}) == len(search)
    if space != "r":
        assert all(value != UNDEFINED for row in values for value in row)
        for i, row in enumerate(values):
            if not samples.operators(i):
                assert reference.num_open_goals(task, row) == 0


@given(task_texts(), st.sampled_from(SPACES), st.sampled_from(STRATEGIES), st.sampled_from(COMPLETIONS))
def test_threads_do_not_change_the_samples(text, space, strategy, completion):
    task = Task.from_sas(text.to_sas())
    config = SamplingConfig(space, strategy, completion=completion, **SMALL)
    one, three = (sample(task, config, seed=5, jobs=jobs) for jobs in (1, 3))
    assert np.array_equal(one.values, three.values)
    assert np.array_equal(one.labels, three.labels)
    assert np.array_equal(one.states, three.states)


@given(task_texts(), st.sampled_from(["random", "walk"]), st.integers(0, 9))
def test_completion_keeps_what_is_defined_and_contradicts_nothing(text, completion, seed):
    task = Task.from_sas(text.to_sas())
    partial = sample(task, SamplingConfig(**SMALL), seed=seed)
    full = sample(task, SamplingConfig(completion=completion, **SMALL), seed=seed)
    assert np.array_equal(partial.labels, full.labels)
    incomplete = 0
    for before, after in zip(partial.values, full.values, strict=True):
        defined = before != UNDEFINED
        assert np.array_equal(before[defined], after[defined])
        incomplete += bool((after == UNDEFINED).any())
        held = set(enumerate(after.tolist()))
        given_ = {(v, x) for v, x in enumerate(before.tolist()) if x != UNDEFINED}
        for group in task.mutex_groups:
            assert len(held & set(group)) <= max(1, len(given_ & set(group)))
        for variable in np.flatnonzero(after == UNDEFINED):
            for value in range(text.domain_sizes[variable]):
                groups = [set(group) for group in task.mutex_groups if (variable, value) in group]
                assert any(held & (group - {(variable, value)}) for group in groups)
    assert full.summary().num_incomplete == incomplete


@given(strips_tasks(), st.sampled_from(SPACES), st.integers(0, 99))
def test_walks_that_end_early_are_dead_ends(task, space, seed):
    samples = sample(task, SamplingConfig(space, "rw", **SMALL), seed=seed)
    summary = samples.summary()
    num_early = sum(len(walk) < SMALL["nsamples"] for walk in searches(samples))
    assert summary.num_dead_ends == num_early and len(searches(samples)) == 6 - summary.num_searches_without_start


def test_walks_complete_states_with_what_they_have_seen():
    """No operator changes the second variable, so walks have seen one of its values."""
    steps = tuple(OperatorText((), ((0, i, (i + 1) % 6),), 1) for i in range(6))
    task = Task.from_sas(TaskText(False, (6, 5), (), (0, 2), ((0, 5),), steps).to_sas())
    values = {
        completion: set(sample(task, SamplingConfig(completion=completion, **SMALL)).values[:, 1].tolist())
        for completion in ("walk", "random")
    }
    assert values == {"walk": {2}, "random": {0, 1, 2, 3, 4}}


@given(task_texts(), st.sampled_from(SPACES))
def test_states_are_packed_atoms(text, space):
    task = Task.from_sas(text.to_sas())
    samples = sample(task, SamplingConfig(space, **SMALL))
    bits = np.unpackbits(samples.states, axis=1, count=len(task.atoms), bitorder="little")
    for row, values in zip(bits, samples.values.tolist(), strict=True):
        names = {task.variables[v].value_names[x] for v, x in enumerate(values) if x != UNDEFINED}
        assert {atom for atom, bit in zip(task.atoms, row, strict=True) if bit} == {
            n for n in names if n[:5] == "Atom "
        }


@given(task_texts(), st.sampled_from(SPACES), st.sampled_from(STRATEGIES), st.integers(0, 9))
def test_min_label_keeps_the_least_of_equal_states(text, space, strategy, seed):
    task = Task.from_sas(text.to_sas())
    every = sample(task, SamplingConfig(space, strategy, **SMALL), seed=seed)
    least = sample(task, SamplingConfig(space, strategy, min_label=True, **SMALL), seed=seed)
    expected: dict[bytes, float] = {}
    for bits, label in zip(every.states, every.labels, strict=True):
        expected[bits.tobytes()] = min(label, expected.get(bits.tobytes(), label))
    assert {bits.tobytes(): label for bits, label in zip(least.states, least.labels, strict=True)} == expected
    assert len(least) == len(expected) == every.summary().num_unique
    assert all(len(least.operators(i)) == label for i, label in enumerate(least.labels))


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_seeds_matter(space, strategy):
    task = sliding_tiles(3)
    one, other = (sample(task, SamplingConfig(space, strategy, **SMALL), seed=seed).values for seed in (1, 2))
    assert not np.array_equal(one, other)


def test_least_labels_approach_true_distances():
    """The 8-puzzle near its goal: no label is below the distance, and many searches reach it."""
    task = sliding_tiles(3)
    goal = tuple(range(9))
    distance = {goal: 0}
    frontier = [goal]
    for depth in range(1, 6):
        frontier = [
            after
            for state in frontier
            for operator in task.operators
            if reference.is_applicable(operator, state)
            and (after := reference.successor(task, operator, state)) not in distance
            and not distance.update({after: depth})
        ]
    gaps = []
    for nsearches in (2, 2000):
        config = SamplingConfig("r", "rw", nsearches=nsearches, nsamples=30, min_label=True)
        samples = sample(task, config, seed=1)
        labels = {tuple(values): label for values, label in zip(samples.values.tolist(), samples.labels, strict=True)}
        assert all(label >= distance.get(state, 6) for state, label in labels.items() if state in distance)
        gaps.append(sum(labels.get(state, 30) - distance[state] for state in distance))
    assert gaps[1] == 0 < gaps[0]


def test_expanded_paths_go_deep_where_generated_states_do_not():
    """One step from the goal there are hundreds of states: all of a search's samples, if each counts."""
    size = 300
    task = Task.from_sas(
        TaskText(
            False, (size, 2), (), (0, 0), ((0, 0),),
            tuple(OperatorText((), ((0, i, j),), 1) for i in range(size) for j in (0, (i + 1) % size) if i != j),
        ).to_sas()
    )  # fmt: skip
    deepest = {c: sample(task, SamplingConfig(collect=c)).summary().deepest_label for c in COLLECTIONS}
    assert deepest["generated"] == 1
    assert deepest["expanded"] > 50


def one_variable(operators=(), goal=((0, 0),), negated=()):
    return Task.from_sas(TaskText(False, (2,), (), (0,), goal, tuple(operators), negated).to_sas())


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("collect", COLLECTIONS)
def test_tasks_without_backward_moves_have_a_clear_outcome(strategy, collect):
    config = {"strategy": strategy, "collect": collect, **SMALL}
    task = one_variable()
    regression = sample(task, SamplingConfig("r", **config))
    assert regression.labels.tolist() == [0] * 6  # the goal itself, once a search
    for space in ("ei", "eo"):
        explicit = sample(task, SamplingConfig(space, **config))
        assert len(explicit) == 0
        assert explicit.status is None
        assert explicit.states.shape == (0, 1)
        summary = explicit.summary()
        assert summary.num_searches_without_start == 6
        assert summary.num_redraws == 6 * 999
        assert (summary.deepest_label, summary.num_unique, summary.share_inexact) == (0, 0, 0)


def test_odd_goals_and_variables():
    flip = [OperatorText((), ((0, 0, 1),), 1), OperatorText((), ((0, 1, 0),), 1)]
    assert sample(one_variable(flip), SamplingConfig(**SMALL)).labels.max() == 1  # true from the start
    assert sample(one_variable(flip, goal=()), SamplingConfig(**SMALL)).labels.max() == 0  # nothing to regress
    only_negated = one_variable(flip, goal=((0, 1),), negated=(True,))
    samples = sample(only_negated, SamplingConfig(**SMALL))
    assert set(samples.labels.tolist()) == {0, 1}
    assert set(samples.states.ravel().tolist()) == {0, 1}


@pytest.mark.parametrize(("facts", "effects", "depth"), [((4, 4), 1, 8), ((4, 4), 2, 4), ((3, 4), 2, 4)])
def test_the_depth_formula(facts, effects, depth):
    operators = tuple(OperatorText((), tuple((v, -1, 0) for v in range(effects)), 1) for _ in range(3))
    task = Task.from_sas(TaskText(False, facts, (), (0, 0), ((0, 0),), operators).to_sas())
    assert regression_depth(task) == depth
    assert regression_depth(one_variable()) == 1


def test_long_searches_do_not_repeat_either():
    samples = sample(sliding_tiles(3), SamplingConfig("ei", nsearches=2, nsamples=150_000), seed=1)
    for search in (samples.values[:150_000], samples.values[150_000:]):
        assert len(np.unique(search, axis=0)) == 150_000


@pytest.mark.parametrize(
    "options",
    [
        {"nsamples": 1.5}, {"nsamples": "5"}, {"max_depth": 2.5}, {"max_depth": True},
        {"space": "x"}, {"strategy": "bfs"}, {"collect": "all"}, {"completion": "some"}, {"nsearches": 0},
        {"nsamples": -1}, {"nsearches": 2**20, "nsamples": 2**12}, {"max_depth": -1}, {"max_depth": "deep"},
    ],
    ids=str,
)  # fmt: skip
def test_malformed_configurations_are_refused(options):
    with pytest.raises(InputError):
        SamplingConfig(**options)


@settings(max_examples=20)
@given(st.integers(0, 99))
def test_consistent_starts_contradict_no_mutex(seed):
    groups = (tuple((v, 0) for v in range(4)), tuple((v, 1) for v in range(4)))
    operators = tuple(OperatorText((), ((v, 0, 1),), 1) for v in range(4))
    task = Task.from_sas(TaskText(False, (4,) * 4, groups, (2,) * 4, ((0, 1),), operators).to_sas())
    for consistent in (False, True):
        config = SamplingConfig("ei", nsearches=50, nsamples=1, consistent_starts=consistent)
        starts = [set(enumerate(row)) for row in sample(task, config, seed=seed).values.tolist()]
        assert len(starts) == 50
        assert all(len(start & set(group)) <= 1 for start in starts for group in groups) == consistent


def test_a_goal_that_contradicts_itself_has_no_consistent_start():
    flips = (OperatorText((), ((0, 0, 1),), 1), OperatorText((), ((0, 1, 0),), 1))
    text = TaskText(False, (2, 2), (((0, 0), (1, 0)),), (1, 1), ((0, 0), (1, 0)), flips)
    assert len(sample(Task.from_sas(text.to_sas()), SamplingConfig("ei", consistent_starts=True, **SMALL))) == 0


def test_a_fact_listed_twice_in_a_group_does_not_exclude_itself():
    moves = (OperatorText((), ((0, 1, 0),), 1),)
    text = TaskText(False, (2, 2), (((0, 1), (0, 1), (1, 1)),), (1, 0), ((0, 0),), moves)
    assert sample(Task.from_sas(text.to_sas()), SamplingConfig(**SMALL)).labels.max() == 1


def test_bad_states_and_spaces_are_refused():
    task = one_variable()
    with pytest.raises(ValueError, match="there is no backward space 'x'"):
        testing.backward_steps(task.core, "x", [0])
    for state in ([], [2], [-2]):
        with pytest.raises(ValueError, match="value"):
            testing.backward_steps(task.core, "r", state)
