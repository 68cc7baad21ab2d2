"""Slow, obvious twins of what the core does fast."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from sing import _core
from sing.base.outcome import Status
from sing.networks.training import TrainingConfig
from sing.search.search import NO_LIMIT, SearchConfig
from sing.task.task import Fact, Operator, Task

State = tuple[int, ...]


def is_applicable(operator: Operator, state: Sequence[int]) -> bool:
    return all(state[variable] == value for variable, value in operator.preconditions)


def successor(task: Task, operator: Operator, state: Sequence[int]) -> State:
    values = list(state)
    for effect in operator.effects:
        if all(state[variable] == value for variable, value in effect.conditions):
            values[effect.fact.variable] = effect.fact.value
    return completed(task, values)


def completed(task: Task, state: Sequence[int]) -> State:
    """The state with its derived values: layer by layer, axioms are applied until none changes anything."""
    values = list(state)
    layers = [variable.axiom_layer for variable in task.variables]
    for variable, (_, layer, default, _) in enumerate(task.variables):
        if layer >= 0:
            values[variable] = default
    for layer in range(max(layers, default=-1) + 1):
        axioms = [axiom for axiom in task.axioms if layers[axiom.fact.variable] == layer]
        changed = True
        while changed:
            changed = False
            for conditions, (variable, value) in axioms:
                if values[variable] != value and all(values[v] == wanted for v, wanted in conditions):
                    values[variable] = value
                    changed = True
    return tuple(values)


def num_open_goals(task: Task, state: Sequence[int], orders: Collection[tuple[int, int]] = ()) -> int:
    """Goals that do not hold; with orders (b, a), also each a that holds where b does not."""
    is_open = [state[variable] != value for variable, value in task.goal]
    return len({goal for goal, wanted in enumerate(is_open) if wanted} | {a for b, a in orders if is_open[b]})


def excludes(task: Task, a: Fact, b: Fact) -> bool:
    if a.variable == b.variable:
        return a.value != b.value
    return any(a in group and b in group for group in task.mutex_groups)


def goal_orders(task: Task) -> set[tuple[int, int]]:
    """Pairs (b, a) of positions in the goal: what achieves b excludes a, and what achieves a does not exclude b."""

    def all_exclude(b: Fact, a: Fact) -> bool:
        achievers = [
            [*op.preconditions, *effect.conditions, b, *(other.fact for other in op.effects if not other.conditions)]
            for op in task.operators
            for effect in op.effects
            if effect.fact == b
        ]
        return bool(achievers) and all(any(excludes(task, fact, a) for fact in facts) for facts in achievers)

    goals = list(enumerate(task.goal))
    return {(i, j) for i, b in goals for j, a in goals if i != j and all_exclude(b, a) and not all_exclude(a, b)}


def distances(task: Task) -> dict[State, int]:
    """Every reachable state with its distance from the initial state."""
    found = {task.initial_state: 0}
    queue = deque([task.initial_state])
    while queue:
        state = queue.popleft()
        for operator in task.operators:
            if is_applicable(operator, state):
                after = successor(task, operator, state)
                if after not in found:
                    found[after] = found[state] + 1
                    queue.append(after)
    return found


def plan_length(task: Task) -> int | None:
    """The length of a shortest plan, None where there is no plan."""
    lengths = [distance for state, distance in distances(task).items() if num_open_goals(task, state) == 0]
    return min(lengths, default=None)


def plan_cost(task: Task) -> int | None:
    """The cost of a cheapest plan, None where there is no plan: costs of states fall until none does."""
    costs, queue = {task.initial_state: 0}, deque([task.initial_state])
    while queue:
        state = queue.popleft()
        for operator in task.operators:
            if not is_applicable(operator, state):
                continue
            after = successor(task, operator, state)
            cost = costs[state] + (operator.cost if task.core.uses_costs else 1)
            if cost < costs.get(after, cost + 1):
                costs[after] = cost
                queue.append(after)
    return min((cost for state, cost in costs.items() if num_open_goals(task, state) == 0), default=None)


def relaxed_costs(task: Task, state: Sequence[int], combine) -> dict[tuple[int, int], int]:
    """Costs of reachable facts without deletes; `combine` is sum for h_add and max for h_max."""
    costs = {(variable, value): 0 for variable, value in enumerate(state)}
    rules = [
        (1, set(operator.preconditions) | set(effect.conditions), effect.fact)
        for operator in task.operators
        for effect in operator.effects
    ]
    rules += [(0, set(axiom.conditions), axiom.fact) for axiom in task.axioms]
    changed = True
    while changed:
        changed = False
        found = [
            (fact, own + combine([costs[condition] for condition in conditions] or [0]))
            for own, conditions, fact in rules
            if conditions <= costs.keys()
        ]
        for fact, cost in [*found, *default_costs(task, costs, combine)]:
            if cost < costs.get(fact, cost + 1):
                costs[fact] = cost
                changed = True
    return costs


def default_costs(task: Task, costs: dict[tuple[int, int], int], combine) -> list[tuple[tuple[int, int], int]]:
    """Defaults of derived variables: what denying all their axioms costs, nothing for those that need themselves."""
    found = []
    for variable, (_, layer, default, _) in enumerate(task.variables):
        if layer < 0:
            continue
        if _needs_itself(task, variable):
            found.append(((variable, default), 0))
            continue
        denials = set()
        for number, axiom in enumerate(task.axioms):
            if axiom.fact.variable == variable:
                opposites = {
                    min(
                        (costs[v, other] for other in _values(task, v) if other != value and (v, other) in costs),
                        default=None,
                    )
                    for v, value in axiom.conditions
                } - {None}
                single = axiom.conditions[0] if len(set(axiom.conditions)) == 1 else number
                denials.add((single, min(opposites, default=None)))
        if all(cost is not None for _, cost in denials):
            found.append(((variable, default), combine([cost for _, cost in denials] or [0])))
    return found


def _values(task: Task, variable: int) -> range:
    return range(len(task.variables[variable].value_names))


def _needs_itself(task: Task, variable: int) -> bool:
    needed: set[int] = set()
    while True:
        more = {
            condition.variable
            for axiom in task.axioms
            if axiom.fact.variable in needed | {variable}
            for condition in axiom.conditions
        }
        if more <= needed:
            return variable in needed
        needed |= more


def relaxed_estimate(task: Task, state: Sequence[int], combine) -> int | None:
    costs = relaxed_costs(task, state, combine)
    if any(fact not in costs for fact in task.goal):
        return None
    return combine([costs[fact] for fact in task.goal] or [0])


@dataclass(frozen=True)
class RelaxedPlan:
    """The facts that a relaxed plan needs or makes, with the operators that make them."""

    needed: Counter[Fact]  # by how many operators of the plan and goals
    maker: dict[Fact, int]
    costs: dict[Fact, int]  # h_add


def relaxed_plan(task: Task, makers: dict[Fact, int], costs: dict[Fact, int]) -> RelaxedPlan:
    """What follows from the operators by which facts are made, from the goals on."""
    needed, maker = Counter(task.goal), {}
    to_make, operators = list(task.goal), set()
    while to_make:
        fact = to_make.pop()
        if costs[fact] == 0 or fact in maker:
            continue
        maker[fact] = makers[fact]
        if makers[fact] not in operators:
            operators.add(makers[fact])
            needed.update(set(task.operators[makers[fact]].preconditions))
            to_make += task.operators[makers[fact]].preconditions
    return RelaxedPlan(needed, maker, costs)


def adjusted_estimate(task: Task, state: Sequence[int], plan: RelaxedPlan, number: int) -> int:
    """The size of the relaxed plan of a state, adjusted for the successor by an operator."""
    operators = set(plan.maker.values())
    before = {Fact(variable, value) for variable, value in enumerate(state)}
    effects = {effect.fact for effect in task.operators[number].effects}
    after = {fact for fact in before if all(fact.variable != other.variable for other in effects)} | effects
    done = number in operators
    estimate = len(operators) - done
    for other in operators - {number}:
        estimate -= {fact for fact, maker in plan.maker.items() if maker == other} <= after
    for fact in before - after:
        if plan.needed[fact] > (done and fact in task.operators[number].preconditions):
            again = [
                1
                + sum(
                    0 if condition in effects else plan.costs.get(condition, 10) for condition in operator.preconditions
                )
                for operator in task.operators
                if fact in {effect.fact for effect in operator.effects} and fact not in operator.preconditions
            ]
            estimate += min([10, *again])
    return max(1, estimate)


class Restricted:
    """A task of which some operators alone can be applied."""

    def __init__(self, task: Task, operators: Collection[int]) -> None:
        self.operators = [task.operators[position] for position in operators]
        self.axioms, self.variables = task.axioms, task.variables


def fact_landmarks(task: Task) -> list[Fact]:
    """Facts without which the goal cannot be reached even where nothing is deleted; those that hold initially apart."""

    def is_solvable_without(left_out: Fact) -> bool:
        reached, changed = set(enumerate(task.initial_state)), True
        while changed:
            effects = [
                effect.fact
                for operator in task.operators
                if set(operator.preconditions) <= reached
                for effect in operator.effects
            ]
            before, reached = len(reached), reached | set(effects) - {left_out}
            changed = len(reached) > before
        return set(task.goal) <= reached

    facts = [Fact(variable, value) for variable in range(len(task.variables)) for value in _values(task, variable)]
    return [fact for fact in facts if task.initial_state[fact.variable] != fact.value and not is_solvable_without(fact)]


def landmark_count(
    task: Task,
    landmarks: Sequence[Sequence[tuple[int, int]]],
    orders: Sequence[tuple[tuple[int, int], int]],
    history: Sequence[State],
) -> int:
    """After a path: goals that do not hold, other landmarks that have not held, facts needed again for these two.

    A fact is needed again where it has held and does not, and is no goal.
    """

    def holds(fact: tuple[int, int], state: State) -> bool:
        return state[fact[0]] == fact[1]

    def has_held(landmark: Sequence[tuple[int, int]]) -> bool:
        return any(holds(fact, state) for fact in landmark for state in history)

    state, goals = history[-1], {tuple(goal) for goal in task.goal}
    is_goal = [len(landmark) == 1 and landmark[0] in goals for landmark in landmarks]
    is_open = [
        not holds(landmark[0], state) if is_goal[number] else not has_held(landmark)
        for number, landmark in enumerate(landmarks)
    ]
    others = sum(open_ for number, open_ in enumerate(is_open) if not is_goal[number])
    again = {
        fact
        for fact, number in orders
        if is_open[number] and fact not in goals and has_held([fact]) and not holds(fact, state)
    }
    return num_open_goals(task, state) + others + len(again)


def num_needed_again(entries: Sequence[tuple[tuple[int, int], int, list[tuple[int, int]]]], state: State) -> int:
    """Facts that have held, or held initially, and do not hold, where a goal that needs them before it is open."""

    def holds(fact: tuple[int, int]) -> bool:
        return state[fact[0]] == fact[1]

    return sum(
        not holds(fact) and (has_held < 0 or state[has_held] == 1) and not all(map(holds, before))
        for fact, has_held, before in entries
    )


class Queue:
    """States of one queue of the open list: a list for each rank, the values of the queue's keys."""

    def __init__(self, order: str, ties: str) -> None:
        self.keys = order.removeprefix("*")
        self.is_random = order.startswith("*")
        self.ties = ties
        self.ranks: list[tuple[int, ...]] = []  # those with states
        self.states: dict[tuple[int, ...], list[State]] = defaultdict(list)

    def push(self, keys: dict[str, int], state: State) -> None:
        rank = tuple(keys[key] for key in self.keys)
        if not self.states[rank]:
            self.ranks.append(rank)
        self.states[rank].append(state)

    def pop(self, rng: SplitMix) -> State:
        if self.is_random:
            swap(self.ranks, rng.below(len(self.ranks)), 0)
        else:
            self.ranks.sort()
        states = self.states[self.ranks[0]]
        if self.ties == "random":
            swap(states, rng.below(len(states)), -1)
        state = states.pop(0 if self.ties == "fifo" else -1)
        if not states:
            swap(self.ranks, 0, -1)
            self.ranks.pop()
        return state


def swap(items: list, a: int, b: int) -> None:
    items[a], items[b] = items[b], items[a]


class GreedySearch:
    """Greedy best-first search, by scanning lists. After run() everything it has seen can be looked at."""

    def __init__(
        self,
        task: Task,
        heuristic: _core.Heuristic,
        config: SearchConfig,
        *,
        seed: int = 0,
        max_work: int = NO_LIMIT,
        max_links: int = 0,
    ) -> None:
        self.task = task
        self.heuristic = heuristic
        self.space = _core.StateSpace(task.core)
        self.orders = goal_orders(task) if config.goal_orders else set()
        self.needed_again = _core.testing.needed_again(task.core)
        self.queues = [Queue(order, config.ties) for order in config.queues]
        self.turns = [0] * len(self.queues)
        self.boost = config.boost
        self.rng = SplitMix(seed)
        self.max_work = max_work
        self.max_links = max_links
        self.seen: dict[tuple[int, int], set[tuple[int, int]]] = defaultdict(set)  # facts by (h, o)
        self.reached: dict[State, tuple[State, int] | None] = {}  # in the order they were met, with their origins
        self.expanded: dict[State, None] = {}  # in this order
        self.links: list[tuple[State, State]] = []
        self.plan: list[int] = []
        self.num_generated = 0
        self.num_evaluated = 0
        self.num_beyond_goal = 0  # of the evaluated: those that came after the goal in the last expansion
        self.estimates: list[int] = []  # of the states that went into the queues
        self.open_goals: list[int] = []

    def run(self) -> Status:
        start, work_before = self.task.initial_state, self.heuristic.work
        self.reached[start] = None
        estimate = self.heuristic.evaluate(start)
        self.num_evaluated = 1
        self.open_goals.append(num_open_goals(self.task, start, self.orders))
        if self.open_goals[0] == 0:
            return Status.SOLVED
        self._open(start, estimate, is_preferred=True)
        while waiting := [number for number, queue in enumerate(self.queues) if queue.ranks]:
            turn = min(waiting, key=lambda number: self.turns[number])
            self.turns[turn] += 1
            state = self.queues[turn].pop(self.rng)
            if state in self.expanded:
                continue
            if self._expand(state):
                return Status.SOLVED
            if self.num_generated + self.heuristic.work - work_before >= self.max_work:
                return Status.OUT_OF_WORK
        return Status.UNSOLVABLE

    def _expand(self, state: State) -> bool:
        """Whether a goal state is among the successors."""
        self.expanded[state] = None
        operators = list(self.space.applicable(state))
        successors = [successor(self.task, self.task.operators[position], state) for position in operators]
        self.num_generated += len(operators)
        if len(self.links) + len(operators) > self.max_links:
            self.max_links = 0
        if self.max_links:
            self.links += [(state, after) for after in successors]
        new = []
        for position, after in zip(operators, successors, strict=True):
            if after not in self.reached:
                self.reached[after] = (state, position)
                new.append((position, after))
        results = self.heuristic.evaluate_successors(state, [position for position, _ in new]) if new else []
        self.num_evaluated += len(new)
        for number, ((_, after), (estimate, is_preferred)) in enumerate(zip(new, results, strict=True), start=1):
            if num_open_goals(self.task, after) == 0:
                self.num_beyond_goal = len(new) - number
                self.plan = self._trace(after)
                return True
            self._open(after, estimate, is_preferred)
        return False

    def _open(self, state: State, estimate: int | None, is_preferred: bool) -> None:
        if estimate is None:
            return
        goals = num_open_goals(self.task, state, self.orders)
        facts, seen = set(enumerate(state)), self.seen[estimate, goals]
        keys = {
            "h": estimate,
            "o": goals,
            "n": 0 if facts - seen else 1,
            "d": len(self._trace(state)),
            "p": 0 if is_preferred else 1,
            "l": goals + num_needed_again(self.needed_again, state),
        }
        if self.estimates and (estimate < min(self.estimates) or goals < min(self.open_goals)):
            for number, queue in enumerate(self.queues):
                self.turns[number] -= self.boost if queue.keys[0] == "p" else 0
        seen |= facts
        self.estimates.append(estimate)
        self.open_goals.append(goals)
        for queue in self.queues:
            queue.push(keys, state)

    def _trace(self, state: State) -> list[int]:
        plan = []
        while (origin := self.reached[state]) is not None:
            state, position = origin
            plan.append(position)
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


class Voices:
    """One head for each goal, in double precision."""

    def __init__(self, task: Task, layers: Layers) -> None:
        self.task = task
        self.layers = layers

    def heads(self, state: Sequence[int]) -> np.ndarray:
        return outputs(self.layers, encoded(self.task, "boolean", state))

    def is_open(self, state: Sequence[int]) -> np.ndarray:
        return np.array([state[variable] != value for variable, value in self.task.goal], dtype=bool)

    def estimate(self, state: Sequence[int]) -> float:
        """Before it is rounded."""
        return float(np.maximum(self.heads(state), 1)[self.is_open(state)].sum())

    def prefers(self, state: Sequence[int], after: Sequence[int], least_fall: float = 0.6) -> bool:
        """Whether the step from one state to the other achieves a goal, or an open voice falls by more than that."""
        is_open = self.is_open(state)
        falls = (self.heads(state) - self.heads(after))[is_open]
        return bool((is_open & ~self.is_open(after)).any() or (falls > least_fall).any())


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


class Trainer:
    """Training as it is documented, in double precision: which samples, which steps, which rate, when it ends.

    `inputs` [n, inputs] and `labels` [n, outputs] with NaN where there is none; `start` has the weights of the first
    network, whose outputs are to be multiplied by `scale`, the largest label or 1.
    """

    def __init__(
        self, inputs: np.ndarray, labels: np.ndarray, config: TrainingConfig, start: Layers, seed: int
    ) -> None:
        self.inputs, self.labels, self.config = inputs, labels, config
        self.scale = max(1.0, float(np.nanmax(labels)))
        # Rates of the first layer fall with the size of its inputs.
        factor = min(1.0, 32 * len(inputs) / max(1.0, np.abs(inputs).sum()))
        rate = config.learning_rate
        self.adams = [[Adam(weights, rate), Adam(biases, rate)] for weights, biases in start]
        self.rates = [[1.0, 1.0] for _ in start]
        self.rates[0][0] = factor
        self.rng = SplitMix(seed)
        order = list(range(len(inputs)))
        self.rng.shuffle(order)
        num_validation = int(config.validation_share * len(order))
        self.validation = order if num_validation < 10 else order[:num_validation]
        self.training = list(order) if num_validation < 10 else order[num_validation:]
        self.losses: list[tuple[float, float]] = []
        self.best_epoch = 0
        self.best: Layers = []

    def layers(self) -> Layers:
        layers = [(weights.weights.copy(), biases.weights.copy()) for weights, biases in self.adams]
        layers[-1] = (self.scale * layers[-1][0], self.scale * layers[-1][1])
        return layers

    def loss_sum(self, batch: list[int]) -> tuple[float, int]:
        """The sum of the losses of all labels, and how many there are."""
        labels = self.labels[batch]
        count = np.count_nonzero(~np.isnan(labels))
        estimates = outputs(self.layers(), self.inputs[batch])
        mean = mean_loss(estimates, labels, self.config.loss, self.config.underestimate_weight) if count else 0.0
        return mean * count, count

    def step(self, batch: list[int], rate: float) -> None:
        labels, inputs = self.labels[batch], self.inputs[batch]
        slopes = gradients(self.layers(), inputs, labels, self.config.loss, self.config.underestimate_weight)
        slopes[-1] = (self.scale * slopes[-1][0], self.scale * slopes[-1][1])
        for position, (pair, slope_pair) in enumerate(zip(self.adams, slopes, strict=True)):
            for part, (adam, slope) in enumerate(zip(pair, slope_pair, strict=True)):
                adam.rate = rate * self.rates[position][part]
                # Rows of the first layer whose input is 0 in all samples of the batch rest.
                adam.step(slope, inputs.any(axis=0)[:, None] if (position, part) == (0, 0) else True)

    def run(self) -> str:
        """How it ends."""
        rate, num_idle = self.config.learning_rate, 0
        best = goal = np.inf
        while len(self.losses) < self.config.max_epochs:
            self.rng.shuffle(self.training)
            sums = []
            for begin in range(0, len(self.training), self.config.batch_size):
                batch = self.training[begin : begin + self.config.batch_size]
                sums.append(self.loss_sum(batch))
                self.step(batch, rate)
            total, count = self.loss_sum(self.validation)
            validation = total / count
            self.losses.append((sum(loss for loss, _ in sums) / sum(count for _, count in sums), validation))
            if validation < best:
                best, self.best, self.best_epoch = validation, self.layers(), len(self.losses) - 1
            if validation < goal:
                goal, num_idle = (1 - self.config.min_progress) * validation, 0
                continue
            rate = max(self.config.decay * rate, 1e-6 * self.config.learning_rate)
            num_idle += 1
            if num_idle >= self.config.patience:
                return "converged"
        return "max_epochs"


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

    def below(self, bound: int) -> int:
        return (self.next() >> 32) * bound >> 32

    def shuffle(self, items: list[int]) -> None:
        for last in range(len(items) - 1, 0, -1):
            swap(items, last, self.below(last + 1))
