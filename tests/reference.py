"""Slow, obvious twins of what the core does fast."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from sing import _core
from sing.search import SearchConfig
from sing.task import Operator, Task

State = tuple[int, ...]


def is_applicable(operator: Operator, state: Sequence[int]) -> bool:
    return all(state[variable] == value for variable, value in operator.preconditions)


def successor(operator: Operator, state: Sequence[int]) -> State:
    values = list(state)
    for effect in operator.effects:
        values[effect.fact.variable] = effect.fact.value
    return tuple(values)


def num_open_goals(task: Task, state: Sequence[int]) -> int:
    return sum(state[variable] != value for variable, value in task.goal)


def distances(task: Task) -> dict[State, int]:
    """Every reachable state with its distance from the initial state."""
    found = {task.initial_state: 0}
    queue = deque([task.initial_state])
    while queue:
        state = queue.popleft()
        for operator in task.operators:
            if is_applicable(operator, state):
                after = successor(operator, state)
                if after not in found:
                    found[after] = found[state] + 1
                    queue.append(after)
    return found


def plan_length(task: Task) -> int | None:
    """The length of a shortest plan, None where there is no plan."""
    lengths = [distance for state, distance in distances(task).items() if num_open_goals(task, state) == 0]
    return min(lengths, default=None)


def relaxed_costs(task: Task, state: Sequence[int], combine) -> dict[tuple[int, int], int]:
    """Costs of reachable facts without deletes; `combine` is sum for h_add and max for h_max."""
    costs = {(variable, value): 0 for variable, value in enumerate(state)}
    changed = True
    while changed:
        changed = False
        for operator in task.operators:
            if all(fact in costs for fact in operator.preconditions):
                cost = 1 + combine([costs[fact] for fact in operator.preconditions] or [0])
                for effect in operator.effects:
                    if cost < costs.get(effect.fact, cost + 1):
                        costs[effect.fact] = cost
                        changed = True
    return costs


def relaxed_estimate(task: Task, state: Sequence[int], combine) -> int | None:
    costs = relaxed_costs(task, state, combine)
    if any(fact not in costs for fact in task.goal):
        return None
    return combine([costs[fact] for fact in task.goal] or [0])


class GreedySearch:
    """Greedy best-first search with first-in-first-out ties, by scanning lists."""

    def __init__(self, task: Task, config: SearchConfig) -> None:
        self.task = task
        self.heuristic = _core.Heuristic.named(task.core, config.heuristic)
        self.space = _core.StateSpace(task.core)
        self.orders = config.queues
        self.queues: list[list[tuple[tuple[int, ...], int, State]]] = [[] for _ in config.queues]
        self.seen: dict[tuple[int, int], set[tuple[int, int]]] = {}
        self.reached: dict[State, tuple[State, str] | None] = {}
        self.num_expanded = 0
        self.num_evaluated = 0

    def _open(self, state: State, estimate: int) -> None:
        goals = num_open_goals(self.task, state)
        facts = set(enumerate(state))
        seen = self.seen.setdefault((estimate, goals), set())
        keys = {"h": estimate, "g": goals, "n": 0 if facts - seen else 1}
        seen |= facts
        for order, queue in zip(self.orders, self.queues, strict=True):
            queue.append((tuple(keys[key] for key in order), len(self.reached), state))

    def run(self) -> list[str] | None:
        """The plan, or None where the open list runs empty."""
        start = self.task.initial_state
        self.reached[start] = None
        estimate = self.heuristic.evaluate(start)
        self.num_evaluated = 1
        if num_open_goals(self.task, start) == 0:
            return []
        if estimate is not None:
            self._open(start, estimate)
        closed = set()
        turn = 0
        while any(self.queues):
            queue = self.queues[turn % len(self.queues)]
            turn += 1
            if not queue:
                continue
            entry = min(queue)
            queue.remove(entry)
            state = entry[2]
            if state in closed:
                continue
            closed.add(state)
            self.num_expanded += 1
            new = []
            for position in self.space.applicable(state):
                operator = self.task.operators[position]
                after = successor(operator, state)
                if after not in self.reached:
                    self.reached[after] = (state, operator.name)
                    new.append(after)
            self.num_evaluated += len(new)
            for after in new:
                if num_open_goals(self.task, after) == 0:
                    return self._trace(after)
                estimate = self.heuristic.evaluate(after)
                if estimate is not None:
                    self._open(after, estimate)
        return None

    def _trace(self, state: State) -> list[str]:
        plan = []
        while (origin := self.reached[state]) is not None:
            state, name = origin
            plan.append(name)
        return plan[::-1]


UNDEFINED = -1


def regress(task: Task, state: Sequence[int], operator: Operator) -> State | None:
    """The partial state before `operator` by the definition on facts; None where it does not apply or is pruned."""
    held = {(variable, value) for variable, value in enumerate(state) if value != UNDEFINED}
    effects = {effect.fact for effect in operator.effects}
    changed = {variable for variable, _ in effects}
    stays = {fact for fact in operator.preconditions if fact.variable not in changed}
    if not held & effects:
        return None
    if any((variable, value) not in held for variable, value in effects | stays if state[variable] != UNDEFINED):
        return None
    before = {fact for fact in held if fact[0] not in changed} | set(operator.preconditions)
    if any(len(before & set(group)) > 1 for group in task.mutex_groups):
        return None
    values = [UNDEFINED] * len(state)
    for variable, value in before:
        values[variable] = value
    return tuple(values)


def strips(task: Task, operator: Operator) -> tuple[set[str], set[str], set[str]]:
    """(pre, add, del) as sets of propositions, by name."""

    def propositions(variable: int, values: Sequence[int]) -> set[str]:
        names = task.variables[variable].value_names
        return {names[value] for value in values if names[value].startswith("Atom ")}

    before = dict(operator.preconditions)
    pre = set().union(*(propositions(variable, [value]) for variable, value in before.items()))
    add: set[str] = set()
    delete: set[str] = set()
    for effect in operator.effects:
        variable, after = effect.fact
        add |= propositions(variable, [after])
        others = [v for v in range(len(task.variables[variable].value_names)) if v != after]
        delete |= propositions(variable, [before[variable]] if variable in before else others)
    return pre, add, delete


def inverse(task: Task, operator: Operator) -> tuple[set[tuple[int, int]], dict[int, set[int]]]:
    """(conditions, the values each changed variable may take) of the inverse operator, from the documentation."""

    def is_proposition(variable: int, value: int) -> bool:
        return task.variables[variable].value_names[value].startswith("Atom ")

    before = dict(operator.preconditions)
    after = {effect.fact.variable: effect.fact.value for effect in operator.effects}
    conditions = {fact for fact in before.items() if fact[0] not in after}
    conditions |= {fact for fact in after.items() if is_proposition(*fact)}
    values = {}
    for variable, value in after.items():
        others = set(range(len(task.variables[variable].value_names))) - {value}
        propositions = {other for other in others if is_proposition(variable, other)}
        values[variable] = {before[variable]} if variable in before else propositions or others or {value}
    return conditions, values
