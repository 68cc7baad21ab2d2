"""A unified-planning problem as PDDL, and the plans for it back as unified-planning's."""

from __future__ import annotations

import itertools

from unified_planning.engines.compilers.utils import get_fresh_name
from unified_planning.exceptions import UPException
from unified_planning.io import PDDLWriter
from unified_planning.model import (
    AbstractProblem,
    Action,
    Fluent,
    FNode,
    MinimizeActionCosts,
    Problem,
    ProblemKind,
)
from unified_planning.model.walkers import Simplifier
from unified_planning.plans import ActionInstance, SequentialPlan

from sing.base.errors import UnsupportedError
from sing.base.files import Text

SUPPORTED = frozenset(
    {
        "ACTION_BASED",
        "FLAT_TYPING",
        "HIERARCHICAL_TYPING",
        "BOUNDED_TYPES",  # of numbers in costs; there are no others
        "NEGATIVE_CONDITIONS",
        "DISJUNCTIVE_CONDITIONS",
        "EXISTENTIAL_CONDITIONS",
        "UNIVERSAL_CONDITIONS",
        "EQUALITIES",
        "CONDITIONAL_EFFECTS",
        "FORALL_EFFECTS",
        "STATIC_FLUENTS_IN_BOOLEAN_ASSIGNMENTS",
        "FLUENTS_IN_BOOLEAN_ASSIGNMENTS",
        "ACTIONS_COST",
        "INT_NUMBERS_IN_ACTIONS_COST",
        "STATIC_FLUENTS_IN_ACTIONS_COST",
        "PLAN_LENGTH",
    }
)
# Whether these work depends on the problem, and else the translator refuses. Anything beyond them is not even tried,
# since PDDL or the translator might drop it without a word.
_TRIED = frozenset(
    {
        "REAL_NUMBERS_IN_ACTIONS_COST",
        "UNDEFINED_INITIAL_NUMERIC",
    }
)
# The first one that has numbers in costs.
KIND_VERSION = 2


class PddlProblem:
    """A problem written as PDDL.

    Where it is the number of actions that counts, they cost 1 each: a plan's cost is always what the problem's metric
    says. Raises UnsupportedError for a problem beyond PDDL or beyond the translator.
    """

    def __init__(self, problem: AbstractProblem) -> None:
        _require_supported(problem.kind)
        self._environment = problem.environment
        try:
            plain = _PlainProblem(problem)
            self._writer = PDDLWriter(plain.problem, rewrite_bool_assignments=True)
            # In this order: the writer takes objects in costs for constants once it has written the domain, without
            # them, and would leave them out of the problem.
            self.problem = Text("problem.pddl", self._writer.get_problem())
            self.domain = Text("domain.pddl", self._writer.get_domain())
        except UPException as error:
            raise UnsupportedError(f"this problem cannot be written as PDDL: {error}") from error

    def plan(self, operators: tuple[str, ...]) -> SequentialPlan:
        """The plan of these operators, such as `move a b`."""
        instances = []
        for operator in operators:
            name, *arguments = operator.split()
            action = self._writer.get_item_named(name)
            objects = (self._writer.get_item_named(argument) for argument in arguments)
            parameters = tuple(map(self._environment.expression_manager.ObjectExp, objects))
            instances.append(ActionInstance(action, parameters))
        return SequentialPlan(instances, self._environment)


class _PlainProblem:
    """The same problem in terms that the translator accepts.

    Left out are numbers outside costs and actions without effects.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = Problem(problem.name, problem.environment)
        self._original = problem
        self._simplifier = Simplifier(problem.environment, problem)
        costs = {action: self._plain_cost(action) for action in problem.actions if action.effects}
        self._copy_state(costs)
        for action, cost in costs.items():
            self.problem.add_action(action)
            if not _is_plain(cost):
                costs[action] = self._tabulate(action, cost)
        self._set_goal()
        self.problem.add_quality_metric(MinimizeActionCosts(costs, environment=problem.environment))

    def _plain_cost(self, action: Action) -> FNode:
        metrics = self._original.quality_metrics
        if len(metrics) > 1:
            raise UnsupportedError(f"this problem has {len(metrics)} quality metrics; sing supports one")
        if not metrics or not isinstance(metrics[0], MinimizeActionCosts):
            return self._original.environment.expression_manager.Int(1)
        cost = metrics[0].get_action_cost(action)
        if cost is None:
            raise UnsupportedError(f"this problem does not say what action '{action.name}' costs")
        return self._simplifier.simplify(cost)

    def _copy_state(self, costs: dict[Action, FNode]) -> None:
        free_vars = self._original.environment.free_vars_extractor
        in_costs = {fact.fluent() for cost in costs.values() if _is_plain(cost) for fact in free_vars.get(cost)}
        defaults = self._original.fluents_defaults
        for fluent in self._original.fluents:
            if fluent.type.is_bool_type() or fluent in in_costs:
                self.problem.add_fluent(fluent, default_initial_value=defaults.get(fluent))
        self.problem.add_objects(self._original.all_objects)
        for fact, value in self._original.explicit_initial_values.items():
            if self.problem.has_fluent(fact.fluent().name):
                self.problem.set_initial_value(fact, value)

    def _tabulate(self, action: Action, cost: FNode) -> FNode:
        """A new fluent that holds the cost for all objects: the translator does no arithmetic."""
        manager = self._original.environment.expression_manager
        facts = self._original.environment.free_vars_extractor.get(cost)
        used = {argument.parameter() for fact in facts for argument in fact.args if argument.is_parameter_exp()}
        parameters = [parameter for parameter in action.parameters if parameter in used]
        name = get_fresh_name(self.problem, f"cost_of_{action.name}")
        fluent = Fluent(name, cost.type, parameters, environment=self._original.environment)
        self.problem.add_fluent(fluent)
        for objects in itertools.product(*(self._original.objects(parameter.type) for parameter in parameters)):
            value = self._simplifier.simplify(cost.substitute(dict(zip(parameters, objects, strict=True))))
            self.problem.set_initial_value(fluent(*objects), value)
        return fluent(*map(manager.ParameterExp, parameters))

    def _set_goal(self) -> None:
        environment = self._original.environment
        goal = environment.expression_manager.And(self._original.goals).simplify()
        if goal.is_false():  # PDDL has no word for it
            goal = Fluent(get_fresh_name(self.problem, "never"), environment=environment)
            self.problem.add_fluent(goal, default_initial_value=False)
        self.problem.add_goal(goal)


def _require_supported(kind: ProblemKind) -> None:
    if not kind <= ProblemKind(SUPPORTED | _TRIED, version=KIND_VERSION):
        features = ", ".join(sorted(kind.features - SUPPORTED - _TRIED))
        raise UnsupportedError(f"this problem has {features}; sing does not support that")


def _is_plain(cost: FNode) -> bool:
    """Whether the translator reads such a cost: a number, or a function of parameters and objects."""
    return bool(cost.is_constant() or cost.is_fluent_exp())
