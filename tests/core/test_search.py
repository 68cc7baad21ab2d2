import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from puzzles import sliding_tiles
from random_tasks import random_voices, task_texts, tasks_to_search

from sing import _core
from sing.base.budget import Budget
from sing.base.errors import InputError
from sing.base.outcome import Status
from sing.planners.configs import CONFIGS
from sing.search.search import HEURISTICS, NO_LIMIT, TIES, SearchConfig, named_heuristic, search
from sing.task.plan import execute
from sing.task.task import Task

QUEUES = [("h",), ("o",), ("nh",), ("h", "o"), ("nh", "h", "noh", "o"), ("hon", "ohn"), ("dh",), ("h", "odn", "hd")]
VOICES = "voices"
RANDOM_QUEUES = [("*hd",), ("h", "*hd"), ("*o", "no", "*hond")]


PLAIN = SearchConfig()


def run(task, heuristic, config=PLAIN, seed=0, time_limit_s=60.0, memory_limit_bytes=2 << 30, **options):
    """`heuristic` is one, or the name of one."""
    if isinstance(heuristic, str):
        heuristic = named_heuristic(task, heuristic)
    return search(task, heuristic, config, Budget(time_limit_s, memory_limit_bytes), seed=seed, **options)


@given(task_texts())
def test_blind_search_solves_exactly_what_breadth_first_search_does(text):
    task = Task.from_sas(text.to_sas())
    result = run(task, "blind")
    shortest = reference.plan_length(task)
    if shortest is None:
        assert result.status is Status.UNSOLVABLE
        assert result.statistics.num_registered == len(reference.distances(task))
    else:
        assert result.status is Status.SOLVED
        assert len(execute(task, result.plan)) == shortest  # first in, first out is breadth first


@st.composite
def orders_of_queues(draw: st.DrawFn) -> str:
    """Any keys in any order, of a queue that is sorted by them or of one that takes every combination alike."""
    keys = draw(st.lists(st.sampled_from("hondpl"), unique=True, min_size=1))
    return draw(st.sampled_from(["", "*"])) + "".join(keys)


# What users get: the first search of a chorus and those of its rounds; and anything else.
SEARCHES = st.one_of(
    st.just(CONFIGS["chorus"].first),
    st.just(CONFIGS["chorus"].greedy),
    st.just(CONFIGS["chorus"].broad),
    st.just(CONFIGS["chorus"].search),
    st.builds(
        SearchConfig,
        queues=st.lists(orders_of_queues(), min_size=1, max_size=4).map(tuple),
        ties=st.sampled_from(TIES),
        goal_orders=st.booleans(),
        boost=st.sampled_from([0, 1, 7]),
    ),
)


def check_against_twin(task, config, name, **options):
    """Everything that can be seen of a search is as its slow twin has it."""

    def make() -> _core.Heuristic:
        if name != VOICES:
            return named_heuristic(task, name)
        encoding, layers = random_voices(task, options["seed"])
        return _core.Heuristic.voices(task.core, encoding.features(task), _core.Mlp(layers))

    twin = reference.GreedySearch(task, make(), config, **options)
    status = twin.run()
    result = run(task, make(), config, **options)
    assert (result.status, list(result.plan)) == (status, twin.plan)
    statistics = result.statistics
    assert statistics.num_expanded == len(twin.expanded)
    assert statistics.num_generated == twin.num_generated
    # Successors are evaluated some at a time, fewer where the clock runs fast; those beyond the goal need not be.
    assert 0 <= twin.num_evaluated - statistics.num_evaluated <= twin.num_beyond_goal
    assert statistics.num_registered == len(twin.reached)
    assert statistics.best_estimate == min(twin.estimates, default=None)
    assert statistics.fewest_open_goals == min(twin.open_goals)
    states = [tuple(result.seen.state(number)) for number in range(result.seen.num_states)]
    assert states == list(twin.reached)
    assert [(states[before], states[after]) for before, after in result.seen.links] == twin.links


@settings(max_examples=1000)
@given(
    task=st.one_of(tasks_to_search(), tasks_to_search().map(lambda task: task.with_landmarks(2))),
    config=SEARCHES,
    name=st.sampled_from([*HEURISTICS, VOICES]),
    seed=st.integers(0, 2**64 - 1),
    max_work=st.sampled_from([NO_LIMIT, NO_LIMIT, 30]),
    max_links=st.sampled_from([1, 20, 10**6]),
)
def test_search_equals_its_twin_step_by_step(task, config, name, **options):
    check_against_twin(task, config, name, **options)


@pytest.mark.parametrize("name", [*HEURISTICS, VOICES])
@pytest.mark.parametrize("part", ["first", "greedy", "broad", "search"])
def test_a_long_search_equals_its_twin_step_by_step(part, name):
    """As users get it, with thousands of states of hundreds of ranks."""
    config = getattr(CONFIGS["chorus"], part)
    check_against_twin(sliding_tiles(3), config, name, seed=4, max_work=4000, max_links=2000)


@settings(max_examples=100)
@given(
    task_texts(max_variables=6),
    st.sampled_from(HEURISTICS),
    st.sampled_from(QUEUES + RANDOM_QUEUES),
    st.integers(0, 2**64 - 1),
)
def test_random_ties_are_sound_complete_and_reproducible(text, heuristic, queues, seed):
    task = Task.from_sas(text.to_sas())
    config = SearchConfig(queues, "random")
    first, second = (run(task, heuristic, config, seed) for _ in range(2))
    assert (first.status, first.plan) == (second.status, second.plan)
    assert first.statistics.num_expanded == second.statistics.num_expanded
    if reference.plan_length(task) is None:
        assert first.status is Status.UNSOLVABLE
    else:
        execute(task, first.plan)


def test_the_whole_space_of_the_8_puzzle_is_found():
    """Half of 9! states are reachable; with a goal in the other half each is expanded once."""
    result = run(sliding_tiles(3, swap_goal=True), "blind")
    assert result.status is Status.UNSOLVABLE
    assert result.statistics.num_registered == result.statistics.num_expanded == 181_440
    assert result.statistics.num_generated == 181_440 * 8 // 3


def test_every_type_has_the_same_chance():
    """A chain of a thousand states beside one state of another type: soon that one is expanded too."""
    chain = 1000
    lines = ["begin_version", 3, "end_version", "begin_metric", 0, "end_metric", 2]
    lines += ["begin_variable", "step", -1, chain, *(f"Atom at({i})" for i in range(chain)), "end_variable"]
    lines += ["begin_variable", "done", -1, 3, "Atom no()", "Atom half()", "Atom yes()", "end_variable", 0]
    lines += ["begin_state", 0, 0, "end_state", "begin_goal", 1, "1 2", "end_goal", 2 * (chain - 1) + 2]
    for i in range(chain - 1):  # two steps forward and any number back keep every state's successors few
        for name, before, after in (("go", i, i + 1), ("back", i + 1, i)):
            lines += ["begin_operator", f"{name} {i}", 0, 1, f"0 0 {before} {after}", 1, "end_operator"]
    lines += ["begin_operator", "begin", 1, "0 0", 1, "0 1 0 1", 1, "end_operator"]
    lines += ["begin_operator", "finish", 1, "0 0", 1, "0 1 1 2", 1, "end_operator", 0]
    task = Task.from_sas("\n".join(map(str, lines)))
    expanded = [run(task, "blind", SearchConfig(("*d",), "random"), seed).statistics.num_expanded for seed in range(20)]
    assert max(expanded) < chain / 2


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("queues", QUEUES + RANDOM_QUEUES, ids=",".join)
@pytest.mark.parametrize("heuristic", HEURISTICS)
def test_every_search_solves_the_8_puzzle(heuristic, queues, ties):
    task = sliding_tiles(3)
    result = run(task, heuristic, SearchConfig(queues, ties), seed=3)
    assert result.status is Status.SOLVED
    execute(task, result.plan)


def test_the_time_limit_ends_the_search():
    result = run(sliding_tiles(5), "blind", time_limit_s=0.2)
    assert result.status is Status.OUT_OF_TIME
    assert result.statistics.num_expanded > 0


def core_search(task, heuristic, queues):
    return _core.Search(
        task.core, heuristic, queues=queues, ties=_core.Ties.RANDOM, goal_orders=False, boost=0, max_links=0, seed=7
    )


def run_within(searching, memory_limit_bytes):
    """Within so many bytes of its own, whatever the process holds."""
    limits = {"time_limit_s": 600.0, "memory_limit_bytes": memory_limit_bytes, "max_work": NO_LIMIT}
    return searching.run(**limits, progress=lambda statistics: True)


def test_the_memory_limit_ends_the_search_at_the_same_state_each_time():
    task = sliding_tiles(5)
    counts = set()
    for _ in range(2):
        searching = core_search(task, named_heuristic(task, "blind"), ["h", "nh"])
        result = run_within(searching, 20 << 20)
        assert result.status == _core.SearchStatus.OUT_OF_MEMORY
        assert result.statistics.memory_bytes <= 20 << 20
        counts.add((result.statistics.num_expanded, result.statistics.num_registered))
        with pytest.raises(ValueError, match="only once"):
            run_within(searching, 20 << 20)
    assert len(counts) == 1


def test_classes_of_novelty_fill_the_memory_too():
    """Every step of a chain is a class of its own, and every class has a bit for each of a hundred thousand facts."""
    chain, others = 1000, 100_000
    lines = ["begin_version", 3, "end_version", "begin_metric", 0, "end_metric", 2]
    for name, size in (("step", chain), ("other", others)):
        lines += ["begin_variable", name, -1, size, *(f"Atom {name}({i})" for i in range(size)), "end_variable"]
    lines += [0, "begin_state", 0, 0, "end_state", "begin_goal", 1, f"0 {chain - 1}", "end_goal", chain - 1]
    for i in range(chain - 1):
        lines += ["begin_operator", f"go {i}", 0, 1, f"0 0 {i} {i + 1}", 1, "end_operator"]
    task = Task.from_sas("\n".join(map(str, [*lines, 0])))
    few, enough = (run_within(core_search(task, named_heuristic(task, "ff"), ["nh"]), size << 20) for size in (8, 40))
    assert few.status == _core.SearchStatus.OUT_OF_MEMORY and few.statistics.num_expanded < chain
    assert enough.status == _core.SearchStatus.SOLVED


@pytest.mark.parametrize("queues", [[], ["hh"], ["x"], [""], ["*"], ["h*"]])
def test_the_core_refuses_malformed_queues_by_itself(queues):
    task = sliding_tiles(2)
    with pytest.raises(ValueError, match="queue"):
        core_search(task, named_heuristic(task, "blind"), queues)


def test_an_interrupted_budget_ends_the_search_and_says_what_it_did():
    budget = Budget(1800, 2 << 30)
    seen = []

    def interrupt(statistics):
        seen.append(statistics.num_expanded)
        budget.interrupt()

    task = sliding_tiles(5)
    result = search(task, named_heuristic(task, "blind"), SearchConfig(), budget, on_progress=interrupt)
    assert result.status is Status.INTERRUPTED
    assert len(seen) == 1
    assert result.statistics.num_expanded >= seen[0]


def test_an_exception_in_the_callback_passes_through():
    def fail(statistics):
        raise RuntimeError("from the callback")

    with pytest.raises(RuntimeError, match="from the callback"):
        run(sliding_tiles(5), "blind", on_progress=fail)


@pytest.mark.parametrize(
    "options",
    [
        {"queues": ()},
        {"queues": ("hh",)},
        {"queues": ("x",)},
        {"queues": ("",)},
        {"queues": ("*",)},
        {"queues": ("h*",)},
        {"ties": "lifo"},
    ],
    ids=str,
)
def test_malformed_configurations_are_refused(options):
    with pytest.raises(InputError):
        SearchConfig(**options)


def test_a_search_can_begin_in_another_state():
    task = sliding_tiles(2)
    for state in list(reference.distances(task))[::3]:
        found = search(task, named_heuristic(task, "blind"), SearchConfig(), Budget(), initial_state=state)
        at = state
        for position in found.plan:
            assert reference.is_applicable(task.operators[position], at)
            at = reference.successor(task, task.operators[position], at)
        assert reference.num_open_goals(task, at) == 0
