"""Plans made shorter, and better and better ones until the budget ends."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import pytest
import reference
from clocks import Clock
from pddl import ERRANDS, ERRANDS_PROBLEM, is_valid, write
from puzzles import sliding_tiles
from random_tasks import OperatorText, TaskText

import sing
from sing import Budget, Status
from sing.base.reporter import Reporter
from sing.planners.anytime import Improver
from sing.planners.attempt import Attempt
from sing.planners.context import Context
from sing.search.search import SearchConfig, named_heuristic, search
from sing.search.shortening import ShorterPlan
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


@pytest.mark.parametrize(("cost", "expected"), [(5, (0, 1)), (2, (2,)), (1, (2,))])
def test_a_plan_with_fewer_operators_may_not_cost_more(monkeypatch, cost, expected):
    steps = ((0, 1, 1), (1, 2, 1), (0, 2, cost))
    operators = tuple(OperatorText((), ((0, before, after),), own) for before, after, own in steps)
    task = Task.from_sas(TaskText(True, (3,), (), (0,), ((0, 2),), operators).to_sas())
    monkeypatch.setattr("sing.planners.attempt.shorten", lambda *_: ShorterPlan((2,), True))
    attempt = solved_attempt(task, (0, 1), 10)
    attempt.shorten(task, 1.0, Context(Budget()))
    assert attempt.plan == expected


def test_plans_of_rounds_are_made_shorter(monkeypatch):
    task = sliding_tiles(3)
    wandering, straight = wander(task, 2), wander(task, 0)
    found = search(task, named_heuristic(task, "goalcount"), SearchConfig(), Budget())
    found = dataclasses.replace(found, plan=wandering)
    monkeypatch.setattr("sing.planners.attempt.search", lambda *_, **__: found)
    monkeypatch.setattr("sing.planners.attempt.shorten", lambda *_: ShorterPlan(straight, False))
    (attempt,) = sing.CONFIGS["chorus"].attempts(task, Context(Budget()))
    assert attempt.plan == straight


def test_an_attempt_without_a_plan_is_not_made_shorter():
    attempt = Attempt("none")
    attempt.shorten(sliding_tiles(3), 1.0, Context(Budget()))
    assert attempt.found is None


class News(Reporter):
    """Keeps what it hears while a phase runs."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, str]] = []

    def working(self, phase: str, news: str = "") -> None:
        self.heard.append((phase, news))


class Helpers:
    """Stands in for what makes plans shorter and for what finds others; a search takes all of its time."""

    def __init__(self, monkeypatch, *, shorter: dict[int, tuple[int, ...]], others: dict[int, tuple[int, ...]]) -> None:
        self.clock = Clock()
        self.shorter = shorter  # by how many times it was asked
        self.others = others
        self.work: list[int] = []
        self.asked: list[tuple[int, float]] = []  # number and seconds of each search
        self.news = News()
        monkeypatch.setattr("sing.planners.anytime.shorten", self.shorten)

    def shorten(self, task: Task, plan: tuple[int, ...], budget: Budget, max_generated: int, tell) -> ShorterPlan:
        self.work.append(max_generated)
        tell(7)
        return ShorterPlan(self.shorter.get(len(self.work), plan), is_cheapest=False)

    def find_another(self, number: int, context: Context) -> tuple[int, ...] | None:
        self.asked.append((number, context.budget.remaining_s))
        context.reporter.working("search", "42 expanded")
        self.clock.now_s += context.budget.remaining_s
        return self.others.get(number)

    def improve(self, task: Task, plan: tuple[int, ...], limit_s: float) -> tuple[Plan, list[Plan]]:
        """The best plan, and all that were told of."""
        told: list[Plan] = []
        budget = Budget(limit_s, clock=self.clock)
        self.clock.now_s += 2.0  # for the plan that there is
        return Improver(task, plan, self.find_another, told.append, budget, self.news).run(), told


def test_where_nothing_helps_others_are_searched_for_longer_and_longer(monkeypatch):
    task = sliding_tiles(3)
    plan = wander(task, 1)
    helpers = Helpers(monkeypatch, shorter={}, others={})
    best, told = helpers.improve(task, plan, 2 + 2 + 3 + 4.5 + 1)
    assert told == [best] and best == execute(task, plan)
    assert helpers.asked == [(1, 2.0), (2, 3.0), (3, 4.5), (4, 1.0)]  # the last one has what is left
    assert helpers.work == [10**6, 2 * 10**6, 4 * 10**6, 8 * 10**6]


def test_a_plan_that_became_shorter_is_made_shorter_again(monkeypatch):
    task = sliding_tiles(3)
    plans = [wander(task, count) for count in (3, 2, 1, 0)]
    helpers = Helpers(monkeypatch, shorter={1: plans[1], 2: plans[2]}, others={1: plans[3]})
    best, told = helpers.improve(task, plans[0], 5.0)
    assert told == [execute(task, plan) for plan in plans] and best == told[-1]
    assert helpers.work == [10**6] * 4 + [2 * 10**6]  # twice with success, once without, for the other plan, and again
    assert helpers.asked == [(1, 2.0), (2, 1.0)]


def test_it_says_what_it_is_doing(monkeypatch):
    task = sliding_tiles(3)
    plan = wander(task, 1)
    helpers = Helpers(monkeypatch, shorter={}, others={})
    helpers.improve(task, plan, 4.0)
    cost = f"cost {len(plan)}"
    assert helpers.news.heard == [
        ("improve", f"{cost}, shortening {len(plan)} operators, 7 successors"),
        ("improve", f"{cost}, another plan, search: 42 expanded"),
    ]


def test_plans_that_are_not_better_are_not_told(monkeypatch):
    task = sliding_tiles(3)
    plan = wander(task, 1)
    helpers = Helpers(monkeypatch, shorter={1: plan, 2: wander(task, 2)}, others={1: wander(task, 2), 2: plan})
    best, told = helpers.improve(task, plan, 100.0)
    assert told == [best] and len(helpers.asked) > 2


def interrupted_at(puzzle, num_plans, **options):
    """The result of a run that is interrupted when it has told of so many plans, and these plans."""
    budget = Budget()
    plans: list[sing.Plan] = []

    def hear(plan: sing.Plan) -> None:
        plans.append(plan)
        if len(plans) == num_plans:
            budget.interrupt()

    return sing.solve(*puzzle, budget=budget, on_plan=hear, **options), plans


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
