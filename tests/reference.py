"""Slow, obvious twins of what the core does fast."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np

from sing import _core
from sing.search.search import SearchConfig
from sing.task.task import Operator, Task

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
        keys = {"h": estimate, "o": goals, "n": 0 if facts - seen else 1, "d": len(self._trace(state))}
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


Layers = list[tuple[np.ndarray, np.ndarray]]


def encoded(task: Task, kind: str, state: Sequence[int]) -> np.ndarray:
    """The input vector of a full state, or of a partial one with -1 where it is undefined."""
    if kind == "sas":
        return np.array(state, dtype=np.float64)
    true = {task.variables[variable].value_names[value] for variable, value in enumerate(state) if value >= 0}
    return np.array([atom in true for atom in task.atoms], dtype=np.float64)


def activations(layers: Layers, inputs: np.ndarray) -> list[np.ndarray]:
    """The inputs, the output of each hidden layer and those of the network, for inputs [n, num_inputs]."""
    values = [inputs]
    for position, (weights, biases) in enumerate(layers):
        sums = values[-1] @ weights.astype(np.float64) + biases
        values.append(sums if position == len(layers) - 1 else np.maximum(sums, 0))
    return values


def outputs(layers: Layers, inputs: np.ndarray) -> np.ndarray:
    return activations(layers, inputs)[-1]


def mean_loss(estimates: np.ndarray, labels: np.ndarray, loss: str, underestimate_weight: float) -> float:
    """Over the labels that are not NaN: |ŷ - y| / (y + 1) or (ŷ - y)², times the weight where ŷ < y."""
    errors = estimates - labels
    losses = np.abs(errors) / (labels + 1) if loss == "re" else errors**2
    return float(np.nanmean(np.where(errors < 0, underestimate_weight, 1) * losses))


def gradients(layers: Layers, inputs: np.ndarray, labels: np.ndarray, loss: str, weight: float) -> Layers:
    """Of the mean loss, by the chain rule written out."""
    values = activations(layers, inputs)
    errors = values[-1] - labels
    slopes = np.sign(errors) / (labels + 1) if loss == "re" else 2 * errors
    deltas = np.nan_to_num(np.where(errors < 0, weight, 1) * slopes) / np.count_nonzero(~np.isnan(labels))
    result = []
    for position in reversed(range(len(layers))):
        result.append((values[position].T @ deltas, deltas.sum(axis=0)))
        deltas = (deltas @ layers[position][0].T.astype(np.float64)) * (values[position] > 0)
    return result[::-1]


class Adam:
    """Kingma and Ba's algorithm as they print it."""

    def __init__(self, weights: np.ndarray, rate: float) -> None:
        self.weights = weights.astype(np.float64)
        self.rate = rate
        self.mean = np.zeros_like(self.weights)
        self.square = np.zeros_like(self.weights)
        self.num_steps = 0

    def step(self, gradient: np.ndarray, moves: np.ndarray | bool = True) -> None:
        """Weights where not `moves` rest."""
        self.num_steps += 1
        self.mean = 0.9 * self.mean + 0.1 * gradient
        self.square = 0.999 * self.square + 0.001 * gradient**2
        mean = self.mean / (1 - 0.9**self.num_steps)
        square = self.square / (1 - 0.999**self.num_steps)
        self.weights -= moves * self.rate * mean / (np.sqrt(square) + 1e-8)


class SplitMix:
    """The core's random numbers."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        x = self.state
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
        return x ^ (x >> 31)

    def shuffle(self, items: list[int]) -> None:
        for last in range(len(items) - 1, 0, -1):
            other = (self.next() >> 32) * (last + 1) >> 32
            items[last], items[other] = items[other], items[last]
