"""Cheaper and cheaper plans until the budget ends, or until one is proved cheapest."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from sing import _core
from sing.base.budget import LimitReached
from sing.base.reporter import PartReporter
from sing.planners.context import Context
from sing.planners.improving import (
    BeamsBelow,
    Best,
    FindAnother,
    Neighbourhood,
    Operators,
    OtherPlans,
    Proof,
    Way,
    WeightedSearches,
    Windows,
    run_way,
)
from sing.search.search import NO_LIMIT
from sing.task.plan import Plan, execute
from sing.task.task import Task

OnPlan = Callable[[Plan], object]

# What each way may do in the first turn, in successors generated; more each time all of them had a turn in vain.
_FIRST_WORK, _GROWTH = 1_000_000, 2


@dataclass
class Improver:
    """Looks for cheaper plans than a given one. It calls `on_plan` with each, first with the given one.

    All ways to a cheaper plan take turns. One that has found a plan goes on; when no way has found any, all get twice
    as much work. Work ends a turn, and time only the whole, so that a seed gives the same plans up to the end; other
    plans alone are searched for by time.
    """

    task: Task
    operators: Operators  # of the cheapest plan so far
    find_another: FindAnother | None  # None: there is but one plan to be found so
    on_plan: OnPlan
    context: Context
    searched: Task | None = None  # the task with landmarks as goals, where there are any
    learned: _core.Heuristic | None = None  # estimates steps, also in `searched`
    ways: list[Way] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.plan = execute(self.task, self.operators)
        self.best = Best(self.operators, self.plan.cost)
        self._last_s = self.context.budget.elapsed_s
        if not self.ways:
            self.ways = self._all_ways()

    def _all_ways(self) -> list[Way]:
        task, searched = self.task, self.searched or self.task
        learned = self.learned
        make = None if learned is None else (lambda: learned)
        ways: list[Way] = [Neighbourhood(task), Windows(task), WeightedSearches(task, searched, learned), Proof(task)]
        if self.find_another is not None:
            ways.append(OtherPlans(task, self.find_another, self.context.budget.elapsed_s))
        return [*ways, BeamsBelow(searched if make else task, make)]

    def run(self) -> Plan:
        """The cheapest plan found within the budget."""
        self.on_plan(self.plan)
        with suppress(LimitReached):
            self._improve()
        return self.plan

    def lower_bound(self, known: int | None) -> int | None:
        """What every plan costs at least, given what was known before; None where that is nothing."""
        if self.best.is_cheapest:
            return self.plan.cost
        return max(known or 0, self.best.lower_bound) or None

    def _improve(self) -> None:
        work = _FIRST_WORK
        while self._goes_on():
            has_helped = False
            for way in self.ways:
                while self._goes_on() and not way.is_done and self._take_turn(way, work):
                    has_helped = True
            if all(way.is_done for way in self.ways):
                return
            if not has_helped:
                work = min(_GROWTH * work, NO_LIMIT)

    def _take_turn(self, way: Way, work: int) -> bool:
        """Whether it led to a cheaper plan."""
        reporter = PartReporter(self.context.reporter, "improve", self._describe)
        operators = run_way(way, self.best, work, dataclasses.replace(self.context, reporter=reporter))
        return operators is not None and self._offer(operators)

    def _describe(self) -> str:
        """What is known, and how much time is left."""
        best, left_s = self.best, self.context.budget.remaining_s
        known = f"cost {best.cost}" + (f", at least {best.lower_bound}" if best.lower_bound else "")
        return known if left_s == math.inf else f"{known}, {left_s:.0f} s left"

    def _goes_on(self) -> bool:
        budget = self.context.budget
        return not self.best.is_cheapest and not budget.interrupted and budget.remaining_s > 0

    def _offer(self, operators: Operators) -> bool:
        """Whether this plan is better: of less cost."""
        plan = execute(self.task, operators)
        if plan.cost >= self.best.cost:
            return False
        self.operators, self.plan = operators, plan
        self.best.operators, self.best.cost = operators, plan.cost
        now_s = self.context.budget.elapsed_s
        self.context.reporter.done("improve", now_s - self._last_s, f"{len(plan)} operators, cost {plan.cost}")
        self._last_s = now_s
        self.on_plan(plan)
        return True
