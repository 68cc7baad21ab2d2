"""Better and better plans until the budget ends."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from sing.base.budget import Budget, LimitReached
from sing.base.reporter import PartReporter, Reporter
from sing.planners.context import Context
from sing.search.search import NO_LIMIT
from sing.search.shortening import ShorterPlan, shorten
from sing.task.plan import Plan, execute
from sing.task.task import Task

OnPlan = Callable[[Plan], object]
# Another plan, found in this context by a search of this number; None where there is none.
FindAnother = Callable[[int, Context], tuple[int, ...] | None]

# Successors for the first try to make a plan shorter, twice as many whenever that did not help.
_FIRST_WORK = 1_000_000
# Seconds for another plan: as long as the first took, and a little more each time.
_LEAST_SEARCH_S = 1.0
_SEARCH_GROWTH = 1.5


@dataclass
class Improver:
    """Looks for better plans than a given one. It calls `on_plan` with each, first with the given one."""

    task: Task
    operators: tuple[int, ...]  # of the best plan so far
    find_another: FindAnother
    on_plan: OnPlan
    budget: Budget
    reporter: Reporter

    def __post_init__(self) -> None:
        self.plan = execute(self.task, self.operators)

    def run(self) -> Plan:
        """The best plan found within the budget.

        The plan is made shorter with more and more work, and where that no longer helps other plans are searched for.
        It ends with the budget, or with a plan that is known to be shortest or costs nothing.
        """
        self.on_plan(self.plan)
        with suppress(LimitReached, MemoryError):
            self._improve()
        return self.plan

    def _improve(self) -> None:
        work, search_s = _FIRST_WORK, max(_LEAST_SEARCH_S, self.budget.elapsed_s)
        number = 0
        while self._has_time() and self.plan.cost > 0:
            shorter = self._shorten(self.operators, work)
            is_better = self._offer(shorter.operators)
            if shorter.is_cheapest:
                return
            if is_better:
                continue
            number += 1
            reporter = PartReporter(self.reporter, "improve", f"cost {self.plan.cost}, another plan")
            other = self.find_another(number, Context(self.budget.slice(search_s), reporter=reporter))
            if other is not None and self._has_time():
                self._offer(self._shorten(other, work).operators)
            work, search_s = min(2 * work, NO_LIMIT), _SEARCH_GROWTH * search_s

    def _shorten(self, operators: tuple[int, ...], work: int) -> ShorterPlan:
        def tell(num_generated: int) -> None:
            news = f"cost {self.plan.cost}, shortening {len(operators)} operators, {num_generated:,} successors"
            self.reporter.working("improve", news)

        return shorten(self.task, operators, self.budget, work, tell)

    def _has_time(self) -> bool:
        return not self.budget.interrupted and self.budget.remaining_s > 0

    def _offer(self, operators: tuple[int, ...]) -> bool:
        """Whether this plan is better: of less cost."""
        plan = execute(self.task, operators)
        if plan.cost >= self.plan.cost:
            return False
        self.operators, self.plan = operators, plan
        self.reporter.done("improve", self.budget.elapsed_s, f"{len(plan)} operators, cost {plan.cost}")
        self.on_plan(plan)
        return True
