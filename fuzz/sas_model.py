"""SAS tasks read, written, executed and searched through, independently of sing: it imports nothing of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

Fact = tuple[int, int]
State = tuple[int, ...]
_MAX_COUNT = 2**31 - 1
# What a plan file cannot hold: there a name stands in parentheses on a line of its own, and ";" begins a comment.
_NOT_IN_NAMES = re.compile(r"[\x00-\x1f\x7f();\x85\u2028\u2029]")
_NUMBERS = re.compile(r" *-?[0-9]+( +-?[0-9]+)* *")


class Malformed(Exception):
    """The text is not a SAS file."""


@dataclass
class Variable:
    name: str
    layer: int
    values: list[str]


@dataclass
class Effect:
    conditions: list[Fact]
    variable: int
    before: int  # -1: any value
    after: int


@dataclass
class Operator:
    name: str
    prevail: list[Fact]
    effects: list[Effect]
    cost: int

    @property
    def preconditions(self) -> list[Fact]:
        return self.prevail + [(e.variable, e.before) for e in self.effects if e.before != -1]

    def applies(self, state: State) -> bool:
        return all(state[variable] == value for variable, value in self.preconditions)

    def changes(self, state: State) -> dict[int, int]:
        """What its effects set: those whose conditions hold, and of several on one variable the last."""
        return {
            effect.variable: effect.after
            for effect in self.effects
            if all(state[variable] == value for variable, value in effect.conditions)
        }


@dataclass
class SasTask:
    metric: int = 0
    variables: list[Variable] = field(default_factory=list)
    mutexes: list[list[Fact]] = field(default_factory=list)
    start: list[int] = field(default_factory=list)
    goal: list[Fact] = field(default_factory=list)
    operators: list[Operator] = field(default_factory=list)
    axioms: list[tuple[list[Fact], int, int, int]] = field(default_factory=list)

    @property
    def has_fixed_effects(self) -> bool:
        return not self.axioms and not any(effect.conditions for op in self.operators for effect in op.effects)

    @property
    def initial_state(self) -> State:
        return self.completed(self.start)

    def completed(self, state: Iterable[int]) -> State:
        """With derived values: layer by layer from the defaults, which the initial state has, until nothing follows."""
        values = list(state)
        for position, variable in enumerate(self.variables):
            if variable.layer >= 0:
                values[position] = self.start[position]
        for layer in sorted({variable.layer for variable in self.variables}):
            axioms = [axiom for axiom in self.axioms if self.variables[axiom[1]].layer == layer]
            while new := [
                (variable, after)
                for conditions, variable, _, after in axioms
                if values[variable] != after and all(values[v] == value for v, value in conditions)
            ]:
                for variable, after in new:
                    values[variable] = after
        return tuple(values)

    def successor(self, operator: Operator, state: State) -> State | None:
        """The state after the operator; None where it does not apply."""
        if not operator.applies(state):
            return None
        changes = operator.changes(state)
        return self.completed(changes.get(variable, value) for variable, value in enumerate(state))

    def is_goal(self, state: State) -> bool:
        return all(state[variable] == value for variable, value in self.goal)

    def cost(self, operator: Operator) -> int:
        return operator.cost if self.metric else 1

    def has_plan(self, max_steps: int) -> bool | None:
        """Whether a goal state can be reached, by trying everything; None where that takes more steps than given."""
        frontier = [self.initial_state]
        seen = set(frontier)
        while frontier:
            state = frontier.pop()
            if self.is_goal(state):
                return True
            max_steps -= len(self.operators) + 1
            if max_steps < 0:
                return None
            for operator in self.operators:
                after = self.successor(operator, state)
                if after is not None and after not in seen:
                    seen.add(after)
                    frontier.append(after)
        return False

    def outcomes(self, names: Iterable[str]) -> set[tuple[State, int]]:
        """The states, with the costs, in which operators of these names may end: several can have one name."""
        reached = {(self.initial_state, 0)}
        for name in names:
            named = [operator for operator in self.operators if operator.name == name]
            steps = [(self.successor(op, state), cost + self.cost(op)) for state, cost in reached for op in named]
            reached = {(state, cost) for state, cost in steps if state is not None}
        return reached

    def plan_costs(self, names: Iterable[str]) -> set[int]:
        """The costs that a plan of these operators can have; empty where it is not a plan."""
        return {cost for state, cost in self.outcomes(names) if self.is_goal(state)}

    def to_text(self) -> str:
        def facts(items: list[Fact]) -> list[str]:
            return [str(len(items)), *(f"{variable} {value}" for variable, value in items)]

        lines = ["begin_version", "3", "end_version", "begin_metric", str(self.metric), "end_metric"]
        lines.append(str(len(self.variables)))
        for item in self.variables:
            lines += ["begin_variable", item.name, str(item.layer), str(len(item.values)), *item.values]
            lines.append("end_variable")
        lines.append(str(len(self.mutexes)))
        for group in self.mutexes:
            lines += ["begin_mutex_group", *facts(group), "end_mutex_group"]
        lines += ["begin_state", *map(str, self.start), "end_state", "begin_goal", *facts(self.goal), "end_goal"]
        lines.append(str(len(self.operators)))
        for op in self.operators:
            lines += ["begin_operator", op.name, *facts(op.prevail), str(len(op.effects))]
            for effect in op.effects:
                conditions = [str(number) for fact in effect.conditions for number in fact]
                numbers = [len(effect.conditions), *conditions, effect.variable, effect.before, effect.after]
                lines.append(" ".join(map(str, numbers)))
            lines += [str(op.cost), "end_operator"]
        lines.append(str(len(self.axioms)))
        for conditions_, variable, before, after in self.axioms:
            lines += ["begin_rule", *facts(conditions_), f"{variable} {before} {after}", "end_rule"]
        return "\n".join(lines) + "\n"


def read_sas(text: str) -> SasTask:
    """Raises Malformed for all that sing must refuse as well."""
    return _Reader(text).read()


class _Reader:
    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        if self.lines[-1] == "":
            self.lines.pop()
        self.position = 0
        self.task = SasTask()
        self.sizes: list[int] = []  # of the domains

    def line(self) -> str:
        if self.position == len(self.lines):
            raise Malformed("the file ends early")
        self.position += 1
        return self.lines[self.position - 1].removesuffix("\r")

    def expect(self, keyword: str) -> None:
        if self.line() != keyword:
            raise Malformed(f"no {keyword} at line {self.position}")

    def numbers(self) -> list[int]:
        line = self.line()
        if not _NUMBERS.fullmatch(line):
            raise Malformed(f"no numbers in line {self.position}")
        return [int(word) for word in line.split()]

    def number(self, low: int, high: int = _MAX_COUNT) -> int:
        numbers = self.numbers()
        if len(numbers) != 1 or not low <= numbers[0] <= high:
            raise Malformed(f"not one number within bounds in line {self.position}")
        return numbers[0]

    def value(self, variable: int, value: int, low: int = 0) -> None:
        if not 0 <= variable < len(self.sizes) or not low <= value < self.sizes[variable]:
            raise Malformed(f"no value of a variable in line {self.position}")

    def facts(self) -> list[Fact]:
        found = []
        for _ in range(self.number(0)):
            numbers = self.numbers()
            if len(numbers) != 2:
                raise Malformed(f"no fact in line {self.position}")
            self.value(*numbers)
            found.append((numbers[0], numbers[1]))
        return found

    def different(self, variables: Iterable[int]) -> None:
        items = list(variables)
        if len(set(items)) < len(items):
            raise Malformed(f"a variable twice before line {self.position}")

    def read(self) -> SasTask:
        task = self.task
        self.expect("begin_version")
        self.number(3, 3)
        self.expect("end_version")
        self.expect("begin_metric")
        task.metric = self.number(0, 1)
        self.expect("end_metric")
        for _ in range(self.number(0)):
            self.expect("begin_variable")
            variable = Variable(self.line(), self.number(-1), [])
            variable.values = [self.line() for _ in range(self.number(1))]
            if variable.layer >= 0 and len(variable.values) != 2:
                raise Malformed(f"a derived variable that has not two values before line {self.position}")
            self.expect("end_variable")
            task.variables.append(variable)
            self.sizes.append(len(variable.values))
        for _ in range(self.number(0)):
            self.expect("begin_mutex_group")
            task.mutexes.append(self.facts())
            self.expect("end_mutex_group")
        self.expect("begin_state")
        task.start = [self.number(0, size - 1) for size in self.sizes]
        self.expect("end_state")
        self.expect("begin_goal")
        task.goal = self.facts()
        self.different(variable for variable, _ in task.goal)
        self.expect("end_goal")
        task.operators = [self.operator() for _ in range(self.number(0))]
        task.axioms = [self.axiom() for _ in range(self.number(0))]
        if self.position < len(self.lines):
            raise Malformed("more than a task")
        return task

    def operator(self) -> Operator:
        self.expect("begin_operator")
        operator = Operator(self.line().rstrip(" "), [], [], 0)
        if not operator.name or _NOT_IN_NAMES.search(operator.name):
            raise Malformed(f"no name for a plan file in line {self.position}")
        operator.prevail = self.facts()
        operator.effects = [self.effect() for _ in range(self.number(0))]
        self.different(effect.variable for effect in operator.effects if not effect.conditions)
        befores = {(effect.variable, effect.before) for effect in operator.effects if effect.before != -1}
        self.different(variable for variable, _ in [*operator.prevail, *sorted(befores - set(operator.prevail))])
        operator.cost = self.number(0, 2**63 - 1)
        self.expect("end_operator")
        return operator

    def effect(self) -> Effect:
        count, *numbers = self.numbers()
        if not 0 <= count <= _MAX_COUNT or len(numbers) != 2 * count + 3:
            raise Malformed(f"no effect in line {self.position}")
        conditions = [(numbers[i], numbers[i + 1]) for i in range(0, 2 * count, 2)]
        for condition in conditions:
            self.value(*condition)
        variable, before, after = numbers[2 * count :]
        self.value(variable, before, -1)
        self.value(variable, after)
        if self.task.variables[variable].layer >= 0:
            raise Malformed(f"an operator sets a derived variable in line {self.position}")
        return Effect(conditions, variable, before, after)

    def axiom(self) -> tuple[list[Fact], int, int, int]:
        self.expect("begin_rule")
        conditions = self.facts()
        numbers = self.numbers()
        if len(numbers) != 3:
            raise Malformed(f"no head in line {self.position}")
        variable, before, after = numbers
        self.value(variable, before)
        self.value(variable, after)
        layer = self.task.variables[variable].layer
        if layer < 0 or before != self.task.start[variable] or after == before:
            raise Malformed(f"no axiom in line {self.position}")
        for other, value in conditions:
            is_negation = value == self.task.start[other]
            if (needed := self.task.variables[other].layer) > layer or (needed == layer and is_negation):
                raise Malformed(f"a condition of a later layer before line {self.position}")
        self.expect("end_rule")
        return conditions, variable, before, after
