"""Hypothesis strategies for small random SAS+ tasks, written in the translator's format."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import reference
from hypothesis import strategies as st
from puzzles import towers_sas

from sing.networks.encoding import Encoding
from sing.task.task import Task

Fact = tuple[int, int]


@dataclass(frozen=True)
class OperatorText:
    prevail: tuple[Fact, ...]
    effects: tuple[tuple[int, int, int], ...]  # variable, value before (-1: any), value after
    cost: int
    conditions: tuple[tuple[Fact, ...], ...] = ()  # of each effect; empty where no effect has any


@dataclass(frozen=True)
class TaskText:
    """All that a SAS file says, as plain data."""

    uses_costs: bool
    domain_sizes: tuple[int, ...]
    mutex_groups: tuple[tuple[Fact, ...], ...]
    initial_state: tuple[int, ...]
    goal: tuple[Fact, ...]
    operators: tuple[OperatorText, ...]
    # By variable: whether its last value negates the others, as "NegatedAtom …" or "<none of those>".
    negated: tuple[bool, ...] = ()
    layers: tuple[int, ...] = ()  # of axioms, by variable; empty where none is derived
    axioms: tuple[tuple[tuple[Fact, ...], int], ...] = ()  # conditions, and the variable that leaves its default

    def value_names(self, variable: int) -> list[str]:
        size = self.domain_sizes[variable]
        names = [f"Atom at(x{variable}, v{value})" for value in range(size)]
        if size > 1 and any(self.negated[variable : variable + 1]):
            names[-1] = f"NegatedAtom at(x{variable}, v0)" if size == 2 else "<none of those>"
        return names

    def to_sas(self) -> str:
        lines = ["begin_version", "3", "end_version", "begin_metric", int(self.uses_costs), "end_metric"]
        lines.append(len(self.domain_sizes))
        for variable, size in enumerate(self.domain_sizes):
            layer = self.layers[variable] if self.layers else -1
            lines += ["begin_variable", f"var{variable}", layer, size, *self.value_names(variable), "end_variable"]
        lines.append(len(self.mutex_groups))
        for group in self.mutex_groups:
            lines += ["begin_mutex_group", len(group), *_fact_lines(group), "end_mutex_group"]
        lines += ["begin_state", *self.initial_state, "end_state"]
        lines += ["begin_goal", len(self.goal), *_fact_lines(self.goal), "end_goal", len(self.operators)]
        for number, op in enumerate(self.operators):
            conditions = op.conditions or ((),) * len(op.effects)
            effects = [
                " ".join(map(str, [len(needed), *(number for fact in needed for number in fact), *effect]))
                for needed, effect in zip(conditions, op.effects, strict=True)
            ]
            lines += ["begin_operator", f"op{number}", len(op.prevail), *_fact_lines(op.prevail)]
            lines += [len(effects), *effects, op.cost, "end_operator"]
        lines.append(len(self.axioms))
        for conditions, variable in self.axioms:
            default = self.initial_state[variable]
            lines += ["begin_rule", len(conditions), *_fact_lines(conditions), f"{variable} {default} {1 - default}"]
            lines.append("end_rule")
        return "\n".join(map(str, lines)) + "\n"


def _fact_lines(facts: tuple[Fact, ...]) -> list[str]:
    return [f"{variable} {value}" for variable, value in facts]


@st.composite
def partial_states(draw: st.DrawFn, domain_sizes: tuple[int, ...], min_size: int = 0) -> tuple[Fact, ...]:
    """Facts on distinct variables."""
    variables = draw(
        st.lists(st.integers(0, len(domain_sizes) - 1), unique=True, min_size=min_size, max_size=3).map(sorted)
    )
    return tuple((variable, draw(st.integers(0, domain_sizes[variable] - 1))) for variable in variables)


@st.composite
def operator_texts(draw: st.DrawFn, domain_sizes: tuple[int, ...]) -> OperatorText:
    effects = []
    for variable, after in draw(partial_states(domain_sizes)):
        effects.append((variable, draw(st.integers(-1, domain_sizes[variable] - 1)), after))
    changed = {variable for variable, _, _ in effects}
    prevail = tuple(fact for fact in draw(partial_states(domain_sizes)) if fact[0] not in changed)
    return OperatorText(prevail, tuple(effects), draw(st.integers(0, 3)))


@st.composite
def task_texts(draw: st.DrawFn, max_variables: int = 5, max_domain_size: int = 4) -> TaskText:
    sizes = tuple(draw(st.lists(st.integers(1, max_domain_size), min_size=1, max_size=max_variables)))
    return TaskText(
        uses_costs=draw(st.booleans()),
        domain_sizes=sizes,
        mutex_groups=tuple(draw(st.lists(partial_states(sizes), max_size=2))),
        initial_state=tuple(draw(st.integers(0, size - 1)) for size in sizes),
        goal=draw(partial_states(sizes)),
        operators=tuple(draw(st.lists(operator_texts(sizes), max_size=10))),
        negated=tuple(draw(st.lists(st.booleans(), min_size=len(sizes), max_size=len(sizes)))),
    )


def states(domain_sizes: tuple[int, ...]) -> st.SearchStrategy[tuple[int, ...]]:
    return st.tuples(*(st.integers(0, size - 1) for size in domain_sizes))


def tasks_to_search() -> st.SearchStrategy[Task]:
    """Tasks that take a search some steps. Hypothesis would prefer those that take none, so it draws but a seed.

    Some have conditional effects, axioms, or both.
    """
    return st.one_of(strips_tasks(), strips_tasks(), adl_tasks())


def strips_tasks() -> st.SearchStrategy[Task]:
    """The same, with neither conditional effects nor axioms."""
    return st.integers(0, 2**32).map(lambda seed: Task.from_sas(_strips_text(random.Random(seed))))


def adl_tasks() -> st.SearchStrategy[Task]:
    """The same, and all of them have conditional effects, axioms, or both."""
    return st.integers(0, 2**32).map(lambda seed: Task.from_sas(adl_text(random.Random(seed)).to_sas()))


def costly_tasks(costs: tuple[int, ...] = (0, 0, 1, 2, 7, 10**9, 2**40)) -> st.SearchStrategy[Task]:
    """Tasks as above, each operator with one of these costs."""

    def with_costs(seed: int) -> Task:
        rng = random.Random(seed)
        text = rng.choice([_strips_text, _strips_text, lambda rng: adl_text(rng).to_sas()])(rng)
        text = text.replace("begin_metric\n0\n", "begin_metric\n1\n")
        return Task.from_sas(re.sub(r"\d+\nend_operator", lambda _: f"{rng.choice(costs)}\nend_operator", text))

    return st.integers(0, 2**32).map(with_costs)


def adl_text(rng: random.Random) -> TaskText:
    """Conditional effects, several on one variable among them, and axioms of several layers, some in cycles.

    Derived variables stand among the others, and have either value as their default.
    """
    kind = rng.choice(["conditions", "axioms", "both"])
    num_derived = 0 if kind == "conditions" else rng.randint(1, 5)
    layers = [-1] * rng.randint(3, 5) + [rng.randrange(3) for _ in range(num_derived)]
    rng.shuffle(layers)
    sizes = tuple(2 if layer >= 0 else rng.randint(2, 3) for layer in layers)
    start = tuple(rng.randrange(size) for size in sizes)
    ordinary = [variable for variable, layer in enumerate(layers) if layer < 0]

    def facts(least: int, most: int, among: list[int]) -> tuple[Fact, ...]:
        variables = sorted(rng.sample(among, min(len(among), rng.randint(least, most))))
        return tuple((variable, rng.randrange(sizes[variable])) for variable in variables)

    def operator() -> OperatorText:
        effects, conditions = [], []
        for variable, after in facts(1, 2, ordinary):
            effects.append((variable, rng.choice([-1, -1, *range(sizes[variable])]), after))
            conditions.append(())
        if kind != "axioms":
            for _ in range(rng.randrange(4)):
                variable = rng.choice(ordinary)
                place = rng.randint(0, len(effects))
                effects.insert(place, (variable, -1, rng.randrange(sizes[variable])))
                conditions.insert(place, facts(1, 2, list(range(len(sizes)))))
        needed = {variable for variable, before, _ in effects if before >= 0}
        prevail = tuple(fact for fact in facts(0, 2, list(range(len(sizes)))) if fact[0] not in needed)
        return OperatorText(prevail, tuple(effects), 1, tuple(conditions))

    def axiom(head: int) -> tuple[tuple[Fact, ...], int]:
        conditions = tuple(
            (variable, value)
            for variable, value in facts(1, 3, list(range(len(sizes))))
            if layers[variable] < layers[head] or (layers[variable] == layers[head] and value != start[variable])
        )
        return conditions or facts(1, 1, ordinary), head

    derived = [variable for variable, layer in enumerate(layers) if layer >= 0]
    return TaskText(
        uses_costs=False,
        domain_sizes=sizes,
        mutex_groups=(),
        initial_state=start,
        goal=facts(2, 4, list(range(len(sizes)))),
        operators=tuple(operator() for _ in range(rng.randint(5, 25))),
        negated=tuple(rng.random() < 0.2 for _ in sizes),
        layers=tuple(layers),
        axioms=tuple(axiom(head) for head in derived for _ in range(rng.randint(1, 3))),
    )


# By kind: what operators cost. Cycles at no cost, costs that differ by a billion, and sums beyond 32 bits.
_COSTS = ((0, 1, 2, 3), (0, 0, 1), (1,), (3, 6, 9), (1, 2, 10**9), (0, 1, 10**9), (2**40, 2**40 + 1, 7))


def tasks_with_costs() -> st.SearchStrategy[Task]:
    """Small enough for a look at all of their states; most of them have a plan that takes some steps."""
    return st.integers(0, 2**32).map(task_with_costs)


def task_with_costs(seed: int) -> Task:
    return Task.from_sas(text_with_costs(seed).to_sas())


def text_with_costs(seed: int, most: int | None = None) -> TaskText:
    """No operator costs more than `most`."""
    rng = random.Random(seed)
    text = adl_text(rng) if rng.random() < 0.3 else _small_text(rng)
    costs = rng.choice([costs for costs in _COSTS if most is None or max(costs) <= most])
    operators = tuple(replace(operator, cost=rng.choice(costs)) for operator in text.operators)
    task = Task.from_sas(replace(text, uses_costs=True, operators=operators).to_sas())
    state = task.initial_state
    for _ in range(rng.randint(3, 20)):
        if applicable := [operator for operator in task.operators if reference.is_applicable(operator, state)]:
            state = reference.successor(task, rng.choice(applicable), state)
    wanted = sorted(rng.sample(range(len(state)), rng.randint(2, len(state))))
    goal = tuple((variable, state[variable]) for variable in wanted) if rng.random() < 0.8 else text.goal
    return replace(text, uses_costs=True, operators=operators, goal=goal)


def _small_text(rng: random.Random) -> TaskText:
    sizes = tuple(rng.randint(2, 4) for _ in range(rng.randint(3, 5)))

    def facts(least: int, most: int) -> tuple[Fact, ...]:
        variables = sorted(rng.sample(range(len(sizes)), rng.randint(least, min(most, len(sizes)))))
        return tuple((variable, rng.randrange(sizes[variable])) for variable in variables)

    def operator() -> OperatorText:
        effects = tuple((variable, rng.choice([-1, *range(sizes[variable])]), after) for variable, after in facts(1, 2))
        changed = {variable for variable, _, _ in effects}
        return OperatorText(tuple(fact for fact in facts(0, 3) if fact[0] not in changed), effects, 1)

    start = tuple(rng.randrange(size) for size in sizes)
    return TaskText(True, sizes, (), start, facts(2, 4), tuple(operator() for _ in range(rng.randint(8, 40))))


def _strips_text(rng: random.Random) -> str:
    if rng.random() < 0.4:
        num_blocks = rng.randint(3, 5)
        return towers_sas(_random_towers(rng, num_blocks), _random_towers(rng, num_blocks))
    sizes = tuple(rng.randint(2, 4) for _ in range(rng.randint(4, 7)))

    def facts(least: int, most: int) -> tuple[Fact, ...]:
        variables = sorted(rng.sample(range(len(sizes)), rng.randint(least, min(most, len(sizes)))))
        return tuple((variable, rng.randrange(sizes[variable])) for variable in variables)

    def operator() -> OperatorText:
        effects = tuple((variable, rng.choice([-1, *range(sizes[variable])]), after) for variable, after in facts(1, 2))
        changed = {variable for variable, _, _ in effects}
        return OperatorText(tuple(fact for fact in facts(1, 3) if fact[0] not in changed), effects, 1)

    text = TaskText(
        uses_costs=False,
        domain_sizes=sizes,
        mutex_groups=tuple(facts(2, 4) for _ in range(rng.randrange(4))),
        initial_state=tuple(rng.randrange(size) for size in sizes),
        goal=facts(2, 4),
        operators=tuple(operator() for _ in range(rng.randint(10, 40))),
        negated=tuple(rng.random() < 0.2 for _ in sizes),
    )
    return text.to_sas()


def _random_towers(rng: random.Random, num_blocks: int) -> list[int]:
    """What each block stands on: another one, or itself for the table. One tower at the least has two blocks."""
    first, *others = rng.sample(range(num_blocks), num_blocks)
    below = list(range(num_blocks))
    below[others[0]] = first
    for lower, upper in pairwise(others):
        below[upper] = upper if rng.random() < 0.3 else lower
    return below


def random_voices(
    task: Task, seed: int, hidden: tuple[int, ...] = (8,)
) -> tuple[Encoding, list[tuple[np.ndarray, np.ndarray]]]:
    """An encoding of the task, and layers with one output for each of its goals."""
    rng = np.random.default_rng(seed)
    encoding = Encoding.of(task, "boolean")
    layers = []
    for position, shape in enumerate(pairwise([encoding.num_inputs, *hidden, len(task.goal)])):
        is_middle = 0 < position < len(hidden)
        weights = rng.normal(0, (2 / shape[0]) ** 0.5 if is_middle else 1, shape)  # so that deep outputs stay small
        biases = rng.normal(3 if position == len(hidden) else 0, 1, shape[1])
        layers.append((weights.astype(np.float32), biases.astype(np.float32)))
    return encoding, layers


def wandering_plan(task: Task, seed: int) -> list[int] | None:
    """Steps at random, then straight to the goal: full of operators that nobody needs."""
    rng = random.Random(seed)
    state, plan = task.initial_state, []
    for _ in range(20):
        positions = [i for i, op in enumerate(task.operators) if reference.is_applicable(op, state)]
        if not positions:
            return None
        plan.append(rng.choice(positions))
        state = reference.successor(task, task.operators[plan[-1]], state)
    ways = {state: []}
    queue = [state]
    for state in queue:
        if reference.num_open_goals(task, state) == 0:
            return plan + ways[state]
        for position, operator in enumerate(task.operators):
            if reference.is_applicable(operator, state):
                after = reference.successor(task, operator, state)
                if after not in ways:
                    ways[after] = [*ways[state], position]
                    queue.append(after)
    return None
