"""Plans made shorter, and better and better ones until the budget ends."""

from __future__ import annotations

import dataclasses
import itertools
import math
from types import SimpleNamespace

import pytest
import reference
from clocks import Clock
from hypothesis import given, settings
from hypothesis import strategies as st
from pddl import ERRANDS, ERRANDS_PROBLEM, is_valid, write
from puzzles import sliding_tiles
from random_tasks import OperatorText, TaskText, costly_tasks, wandering_plan

import sing
from sing import Budget, Status
from sing.base.reporter import Reporter
from sing.planners import improving
from sing.planners.anytime import Improver
from sing.planners.attempt import Attempt
from sing.planners.context import Context
from sing.planners.improving import Best, Way
from sing.search.search import SearchConfig, named_heuristic, search
from sing.search.shortening import ShorterPlan
from sing.search.windows import WindowSearch
from sing.task.plan import Plan, execute, states_along
from sing.task.task import Task
from sing.translate import generators


@pytest.fixture(scope="module")
def puzzle(tmp_path_factory):
    family = generators.npuzzle(4, 4, seed=2)
    return write(tmp_path_factory.mktemp("puzzle"), family.domain, family.problems[0])


def wander(task: Task, num_steps: int) -> tuple[int, ...]:
    """A plan for a puzzle that first goes there and back again so many times."""
    plan = search(task, named_heuristic(task, "ff"), SearchConfig(), Budget()).plan
    states = list(states_along(task, plan))
    there = plan[0]
    (back,) = (
        position
        for position, operator in enumerate(task.operators)
        if reference.is_applicable(operator, states[1])
        and reference.successor(task, operator, states[1]) == tuple(states[0])
    )
    return (there, back) * num_steps + plan


def solved_attempt(task: Task, plan: tuple[int, ...], num_generated: int) -> Attempt:
    found = search(task, named_heuristic(task, "blind"), SearchConfig(), Budget())
    found = dataclasses.replace(found, statistics=SimpleNamespace(num_generated=num_generated))
    return Attempt("solved", Status.SOLVED, found, plan)


@pytest.mark.parametrize(
    ("num_generated", "elapsed_s", "work", "time_s"),
    [(1000, 1.0, 300_000, 3.0), (10**8, 1.0, 10**7, 3.0), (1000, 200.0, 300_000, 20.0)],
)
def test_shortening_has_a_share_of_the_search_and_never_next_to_nothing(
    monkeypatch, num_generated, elapsed_s, work, time_s
):
    task, clock, calls = sliding_tiles(3), Clock(), []

    def record(task, plan, budget, max_generated, on_progress):
        calls.append((max_generated, budget.remaining_s))
        return ShorterPlan(plan, False)

    monkeypatch.setattr("sing.planners.attempt.shorten", record)
    attempt = solved_attempt(task, wander(task, 0), num_generated)
    budget = Budget(1000, clock=clock)
    clock.now_s = elapsed_s
    attempt.shorten(task, 0.1, Context(budget))
    assert calls == [(work, time_s)]


def test_plans_of_rounds_are_made_shorter(monkeypatch):
    task = sliding_tiles(3)
    wandering, straight = wander(task, 2), wander(task, 0)
    found = search(task, named_heuristic(task, "goalcount"), SearchConfig(), Budget())
    found = dataclasses.replace(found, plan=wandering)
    monkeypatch.setattr("sing.planners.attempt.search", lambda *_, **__: found)
    monkeypatch.setattr("sing.planners.attempt.shorten", lambda *_: ShorterPlan(straight, False))
    (attempt,) = sing.CONFIGS["chorus"].first_only().attempts(task, Context(Budget()))
    assert attempt.plan == straight
    (attempt,) = sing.CONFIGS["chorus"].attempts(task, Context(Budget()))
    assert execute(task, attempt.plan).cost < len(straight)


def test_a_plan_that_costs_nothing_is_not_improved(monkeypatch):
    """There is no work to be done, and so none that could end it."""
    operators = (OperatorText((), ((0, 0, 1),), 0), OperatorText((), ((0, 1, 0),), 3))
    task = Task.from_sas(TaskText(True, (2,), (), (0,), ((0, 1),), operators).to_sas())
    attempt, calls = solved_attempt(task, (0, 1, 0, 1, 0), 1), []
    improve = WindowSearch.improve
    monkeypatch.setattr(WindowSearch, "improve", lambda *arguments: calls.append(arguments) or improve(*arguments))
    attempt.improve_windows(task, 1.0, 300_000, Context(Budget()))
    assert execute(task, attempt.plan).cost == 0 and len(calls) < 10
    attempt.improve_windows(task, 1.0, 300_000, Context(Budget()))
    assert len(calls) < 10


def test_an_attempt_without_a_plan_is_not_made_shorter():
    attempt = Attempt("none")
    attempt.shorten(sliding_tiles(3), 1.0, Context(Budget()))
    assert attempt.found is None


class News(Reporter):
    """Keeps what it hears."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, str]] = []
        self.ended: list[tuple[str, float, str]] = []

    def working(self, phase: str, news: str = "") -> None:
        self.heard.append((phase, news))

    def done(self, phase: str, time_s: float, summary: str) -> None:
        self.ended.append((phase, time_s, summary))


class Told(Way):
    """Finds the plans that it was told, one in each of these turns, and takes a second for each."""

    share = 0.5

    def __init__(self, clock: Clock, plans: dict[int, tuple[int, ...]], *, fails_in: int | None = None) -> None:
        self.clock, self.plans, self.fails_in = clock, plans, fails_in
        self.work: list[int] = []

    def run(self, best: Best, max_work: int, context: Context) -> tuple[int, ...] | None:
        self.work.append(max_work)
        context.reporter.working("looking", "here")
        self.clock.now_s += 1.0
        if len(self.work) == self.fails_in:
            raise MemoryError
        return self.plans.get(len(self.work))


def improve(task: Task, plan: tuple[int, ...], ways: list[Told], limit_s: float) -> tuple[Improver, list[Plan], News]:
    """The improver at its end, the plans that were told of, and what it said."""
    told: list[Plan] = []
    news = News()
    context = Context(Budget(limit_s, clock=ways[0].clock), reporter=news)
    improver = Improver(task, plan, None, told.append, context, ways=list(ways))
    assert improver.run() == told[-1]
    return improver, told, news


def test_ways_take_turns_and_have_more_work_when_none_has_helped():
    task, clock = sliding_tiles(3), Clock()
    plan = wander(task, 1)
    ways = [Told(clock, {}), Told(clock, {})]
    _, told, news = improve(task, plan, ways, 7.5)
    assert told == [execute(task, plan)]
    assert ways[0].work == [500_000, 10**6, 2 * 10**6, 4 * 10**6] and ways[1].work == ways[0].work
    left = f"cost {len(plan)}, 8 s left, looking: here"
    assert news.heard[0] == ("improve", left) and not news.ended


def test_a_way_that_has_helped_goes_on_and_every_plan_is_told():
    task, clock = sliding_tiles(3), Clock()
    plans = [wander(task, count) for count in (4, 3, 2, 1, 0)]
    ways = [Told(clock, {1: plans[1], 2: plans[2]}), Told(clock, {1: plans[3], 3: plans[4]})]
    improver, told, news = improve(task, plans[0], ways, 7.0)
    assert told == [execute(task, plan) for plan in plans] and improver.operators == plans[4]
    assert (ways[0].work == [500_000] * 4 and ways[1].work == [500_000] * 2 + [10**6] * 0) or len(ways[1].work) == 3
    assert [time_s for _, time_s, _ in news.ended] == [1.0, 1.0, 2.0, 3.0]  # since the plan before, not since the start


def test_what_is_said_within_a_turn_is_of_that_moment():
    """A turn may take long: what is known and the time that is left are not those of its beginning."""
    task, clock = sliding_tiles(3), Clock()

    class Slow(Told):
        def run(self, best: Best, max_work: int, context: Context) -> tuple[int, ...] | None:
            super().run(best, max_work, context)
            best.raise_bound(2)
            context.reporter.working("looking", "there")
            return None

    plan = wander(task, 0)
    _, _, news = improve(task, plan, [Slow(clock, {})], 9.0)
    begun, ended = (
        f"cost {len(plan)}, 9 s left, looking: here",
        f"cost {len(plan)}, at least 2, 8 s left, looking: there",
    )
    assert [heard for _, heard in news.heard[:2]] == [begun, ended]
    _, _, news = improve(task, plan, [Told(clock, {}, fails_in=1)], math.inf)
    assert [heard for _, heard in news.heard] == [f"cost {len(plan)}, looking: here"]


def test_plans_that_are_not_better_are_not_told():
    task, clock = sliding_tiles(3), Clock()
    plan = wander(task, 1)
    _, told, _ = improve(task, plan, [Told(clock, {1: plan, 2: wander(task, 2)})], 5.0)
    assert told == [execute(task, plan)]


def test_a_way_without_memory_gets_no_other_turn():
    task, clock = sliding_tiles(3), Clock()
    ways = [Told(clock, {}, fails_in=1), Told(clock, {})]
    improve(task, wander(task, 0), ways, 6.0)
    assert len(ways[0].work) == 1 and len(ways[1].work) == 5
    alone = Told(clock, {}, fails_in=2)
    improve(task, wander(task, 0), [alone], 10**9)  # it ends although there is time
    assert len(alone.work) == 2


TWO_ROUTES = """
(define (domain routes) (:requirements :strips :typing :action-costs) (:types place)
 (:predicates (at ?p - place) (road ?a ?b - place) (done))
 (:functions (total-cost) - number (length ?a ?b - place) - number)
 (:action drive :parameters (?a ?b - place) :precondition (and (at ?a) (road ?a ?b))
  :effect (and (not (at ?a)) (at ?b) (increase (total-cost) (length ?a ?b)))))
"""


def two_routes(num_stops: int, short: int, long: int) -> str:
    """One road that is dear, and a way of many cheap ones."""
    stops = [f"p{number}" for number in range(num_stops + 1)]
    roads = [(a, b, short) for a, b in itertools.pairwise(stops)] + [(stops[0], stops[-1], long)]
    facts = " ".join(f"(road {a} {b}) (= (length {a} {b}) {cost})" for a, b, cost in roads)
    return (
        f"(define (problem two) (:domain routes) (:objects {' '.join(stops)} - place) "
        f"(:init (at p0) (= (total-cost) 0) {facts}) (:goal (at {stops[-1]})) (:metric minimize (total-cost)))"
    )


@pytest.mark.parametrize("name", ["chorus", "goalcount", "blind"])
@pytest.mark.parametrize(("short", "long", "best"), [(1, 2004, 10), (0, 10**9, 0), (10**9, 2 * 10**10, 10**10)])
def test_the_cheapest_route_is_found_and_proved(tmp_path, name, short, long, best):
    """However short the dear one is, and however much time there is."""
    files = write(tmp_path, TWO_ROUTES, two_routes(10, short, long))
    plans: list[sing.Plan] = []
    result = sing.solve(*files, config=name, budget=Budget(10**9), on_plan=plans.append)
    assert result.plan == plans[-1] and result.plan.cost == best and result.is_optimal
    assert [plan.cost for plan in plans] == sorted({plan.cost for plan in plans}, reverse=True)


def test_costs_beyond_32_bits_are_kept(tmp_path):
    huge = 2**31 - 1
    files = write(tmp_path, TWO_ROUTES, two_routes(40, huge, 50 * huge))
    result = sing.solve(*files, budget=Budget(10**9), on_plan=lambda plan: None)
    assert result.plan is not None and result.plan.cost == 40 * huge > 2**36 and result.is_optimal


def with_beams(algorithm: str) -> sing.Planner:
    return sing.CONFIGS["goalcount"].override(algorithm=algorithm, improve_work=10_000)


@pytest.mark.parametrize(
    "planner",
    [sing.CONFIGS["chorus"], sing.CONFIGS["optimal"], with_beams("beam"), with_beams("best-first")],
    ids=lambda planner: planner.name,
)
def test_plans_beyond_64_bits_are_found_and_made_cheaper(tmp_path, planner):
    """Two steps that cost as much as a task can say, and perhaps a long way that costs next to nothing."""
    most, num_steps = 2**63 - 1, 20
    dear = [OperatorText((), ((0, place, place + 1),), most) for place in range(2)]
    stops = [0, *range(3, 2 + num_steps), 2]
    cheap = [OperatorText((), ((0, *places),), 7) for places in itertools.pairwise(stops)]
    files = tmp_path / "dear.sas", tmp_path / "both.sas"
    for file, operators in zip(files, (dear, dear + cheap), strict=True):
        file.write_text(TaskText(True, (num_steps + 2,), (), (0,), ((0, 2),), tuple(operators)).to_sas())
    result = sing.solve(files[0], config=planner)
    assert result.plan is not None and result.plan.cost == 2 * most and not result.is_optimal
    told: list[Plan] = []
    result = sing.solve(files[1], config=planner, budget=Budget(10**9), on_plan=told.append)
    assert result.plan == told[-1] and result.plan.cost == 7 * num_steps and result.is_optimal


@settings(max_examples=40, deadline=None)
@given(costly_tasks((0, 1, 2, 7, 10**9)), st.integers(0, 100))
def test_what_is_proved_is_cheapest(task, seed):
    plan = wandering_plan(task, seed)
    if plan is None:
        return
    told: list[Plan] = []
    improver = Improver(task, tuple(plan), None, told.append, Context(Budget(10**9), seed))
    found = improver.run()
    assert improver.best.is_cheapest and found.cost == reference.plan_cost(task)
    costs = [plan.cost for plan in told]
    assert costs == sorted(set(costs), reverse=True) and told[-1] == found


@pytest.mark.parametrize("name", ["Windows", "Neighbourhood", "WeightedSearches", "Proof", "BeamsBelow"])
def test_every_way_leads_somewhere(name):
    """Each alone finds a cheaper plan for a puzzle, and the same one every time."""
    task = sliding_tiles(3)
    plan = wander(task, 1)
    make = {
        "WeightedSearches": lambda: improving.WeightedSearches(task, task, None),
        "BeamsBelow": lambda: improving.BeamsBelow(task, None),
    }.get(name, lambda: getattr(improving, name)(task))
    found = []
    for _ in range(2):
        way, best = make(), Best(plan, len(plan))
        turns = (way.run(best, 200_000, Context(Budget())) for _ in range(20))
        found.append(next(other for other in turns if other is not None and len(other) < len(plan)))
    assert found[0] == found[1] and execute(task, found[0])


def test_other_plans_say_that_they_are_not_the_best_one():
    task, news = sliding_tiles(3), News()
    plan = wander(task, 2)

    def find_another(number: int, context: Context) -> tuple[int, ...]:
        context.reporter.working("search", f"as number {number}")
        return plan

    way = improving.OtherPlans(task, find_another, 0.0)
    found = way.run(Best(wander(task, 0), 1), 200_000, Context(Budget(), reporter=news))
    assert found is not None and execute(task, found).cost < len(plan)
    assert news.heard[0] == ("another plan", "try 1, search: as number 1")
    assert all(phase == "another plan" and text.startswith("try 1, cost ") for phase, text in news.heard[1:])


def interrupted_at(puzzle, num_plans, **options):
    """The result of a run that is interrupted when it has told of so many plans, and these plans."""
    budget = Budget()
    plans: list[sing.Plan] = []

    def hear(plan: sing.Plan) -> None:
        plans.append(plan)
        if len(plans) == num_plans:
            budget.interrupt()

    return sing.solve(*puzzle, budget=budget, on_plan=hear, **options), plans


def test_the_first_plan_is_told_before_better_ones_are_looked_for(puzzle):
    """A process that is killed while the default makes its plan cheaper has written it by then."""
    result, plans = interrupted_at(puzzle, 1, config="chorus")
    assert plans[0] == sing.solve(*puzzle, config=sing.CONFIGS["chorus"].first_only()).plan
    assert result.plan.cost <= plans[0].cost and result.times_s["improve"] > 0


def test_an_interruption_keeps_the_best_plan(puzzle):
    result, plans = interrupted_at(puzzle, 2, config="chorus", seed=1)
    assert result.status is Status.SOLVED and result.plan == plans[-1] and len(plans) == 2


def test_plans_of_any_configuration_get_better(puzzle):
    result, plans = interrupted_at(puzzle, 3, config="goalcount")
    assert result.status is Status.SOLVED and result.plan == plans[-1] and len(plans) == 3
    assert plans[0].cost > plans[1].cost > plans[2].cost
    assert all(is_valid(*puzzle, plan.to_ipc()) for plan in plans)


@pytest.mark.parametrize("name", ["chorus", "goalcount"])
def test_a_plan_that_is_known_to_be_shortest_ends_it(tmp_path, name):
    """However much time there is: it would go on for good."""
    files = write(tmp_path, ERRANDS, ERRANDS_PROBLEM)
    plans: list[sing.Plan] = []
    result = sing.solve(*files, config=name, budget=Budget(10**9), on_plan=plans.append)
    assert result.plan == plans[-1]
