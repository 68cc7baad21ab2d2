"""A plan that is proved cheapest."""

from __future__ import annotations

from dataclasses import dataclass

from sing.base.budget import LimitReached
from sing.base.knobs import check, knob, part
from sing.base.outcome import Status
from sing.planners.attempt import Attempt
from sing.planners.context import Context
from sing.planners.planner import Planner
from sing.planners.pruning import PRUNE_MEANING, PRUNE_WORK, pruned
from sing.planners.symmetries import SYMMETRY_MEANING, SYMMETRY_WORK, interchangeable_objects
from sing.search.cost_search import CostSearchConfig, CostSearchResult, cheaper_plans
from sing.search.search import SearchResult, SearchStatistics
from sing.task.task import Task


@dataclass(frozen=True)
class Optimal(Planner):
    """A* with an admissible heuristic. It goes on after a plan was found until none can be cheaper.

    Where a limit ends it before that, the attempt has the cheapest plan found, and a lower bound that says how much
    cheaper another one might be.
    """

    search: CostSearchConfig = part(CostSearchConfig, "how it searches")
    prune_work: int = knob(PRUNE_WORK, PRUNE_MEANING, least=0)
    symmetry_work: int = knob(SYMMETRY_WORK, SYMMETRY_MEANING, least=0)

    def __post_init__(self) -> None:
        check(self)

    def attempts(self, task: Task, context: Context) -> list[Attempt]:
        attempt = Attempt(self.name)
        budget, reporter = context.budget, context.reporter
        start_s = budget.elapsed_s
        best: CostSearchResult | None = None

        def tell(statistics: SearchStatistics) -> None:
            reporter.working("search", describe_costs(statistics, best.cost if best else None))
            reporter.searching(statistics)

        try:
            searched = pruned(task, self.prune_work, context)
            interchangeable = interchangeable_objects(task, self.symmetry_work, context)
            start_s = budget.elapsed_s
            reporter.working("search")
            for result in cheaper_plans(searched, None, budget, self.search, interchangeable, tell):
                best = result if result.status is Status.SOLVED else best
                _note(attempt, result, best)
                tell(result.statistics)
        except LimitReached as limit:
            attempt.status = limit.status
        except MemoryError:
            attempt.status = Status.OUT_OF_MEMORY
        attempt.search_time_s = budget.elapsed_s - start_s
        if attempt.found is not None:
            summary = describe_costs(attempt.found.statistics, best.cost if best else None)
            reporter.done("search", attempt.search_time_s, summary)
        return [attempt]

    @property
    def is_random(self) -> bool:
        return False


def _note(attempt: Attempt, result: CostSearchResult, best: CostSearchResult | None) -> None:
    """What a call of the search came to, given the cheapest plan so far."""
    attempt.status = result.status if best is None else Status.SOLVED
    attempt.plan = () if best is None else best.plan
    attempt.lower_bound = result.lower_bound
    initial_estimate = attempt.found.initial_estimate if attempt.found else result.initial_bound
    attempt.found = SearchResult(attempt.status, attempt.plan, initial_estimate, result.statistics)


def describe_costs(statistics: SearchStatistics, cost: int | None) -> str:
    """One line on how a search by cost is doing, given the cost of the cheapest plan known."""
    rate = statistics.num_expanded / statistics.time_s if statistics.time_s > 0 else 0.0
    known = "no plan yet" if cost is None else f"cost {cost}"
    return (
        f"{known}, at least {statistics.lower_bound}, {statistics.num_expanded:,} expanded, {rate:,.0f}/s, "
        f"{statistics.num_registered:,} states, {statistics.memory_bytes >> 20:,} MiB"
    )
