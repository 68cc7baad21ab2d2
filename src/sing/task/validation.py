"""Plans of others: the IPC file format with its time stamps, and replay by the names of operators."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from sing.base.budget import Budget
from sing.base.errors import InputError, PlanError
from sing.base.words import shortened
from sing.task.plan import Plan, and_more, check_goal, derived_values, fact_name, missing_goals, successor
from sing.task.task import Effect, Operator, Task

State = tuple[int, ...]
# The names of the steps that happen at one time; most often one.
Happening = tuple[str, ...]

_STEP = re.compile(r"(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)\s*:\s*)?\(([^()]+)\)\s*(?:\[[\d.]+\])?")
# Steps whose time stamps are less apart are simultaneous; VAL's tolerance, less what rounding takes away.
_TOLERANCE = 0.01 - 1e-9
# Lines, or values of states, between two looks at the limits.
_POLL_INTERVAL = 20_000


class _Poll:
    """Looks at the limits after so much work."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._work = 0

    def __call__(self, work: int) -> None:
        """Raises LimitReached."""
        self._work += work
        if self._work >= _POLL_INTERVAL:
            self._work = 0
            self._budget.check_memory()


def normalised(name: str) -> str:
    """PDDL does not tell upper case from lower case, nor how many spaces there are."""
    return " ".join(name.lower().split())


def parse_ipc(text: str, source: str, budget: Budget) -> list[Happening]:
    """The operator names of an IPC plan file: `(name arguments)` lines, `;` starts a comment.

    As in VAL, a step with a time stamp, as in `0.5: (go home) [1]`, happens at that time, and the others at 1, 2, …
    Raises InputError for anything else, naming the line, and LimitReached.

    >>> parse_ipc("(pick-up A) ; first\\n(stack a  b)", "plan", Budget())
    [('pick-up a',), ('stack a b',)]
    >>> parse_ipc("2: (c)\\n0: (a)\\n0: (b)", "plan", Budget())
    [('a', 'b'), ('c',)]
    """
    poll = _Poll(budget)
    names: list[str] = []
    times: list[float] = []
    known: dict[str, tuple[float | None, str] | None] = {}  # the same lines come again and again in long plans
    num_without_time = 0
    for number, line in enumerate(_lines(text), start=1):
        poll(1 + len(line) // 100)
        if line not in known:
            known[line] = _parse_line(line, number, source)
        step = known[line]
        if step is not None:
            num_without_time += step[0] is None
            times.append(num_without_time if step[0] is None else step[0])
            names.append(step[1])
    return _happenings(names, times)


def _lines(text: str) -> Iterator[str]:
    """Ends at line feeds alone, one after the other: all of them at once would take as much memory again."""
    start = 0
    while start <= len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield text[start:end]
        start = end + 1


def _parse_line(line: str, number: int, source: str) -> tuple[float | None, str] | None:
    """The time stamp and the name of a step, None where the line has none."""
    step = line.split(";", 1)[0].strip()
    if not step:
        return None
    match = _STEP.fullmatch(step)
    name = normalised(match[2]) if match else ""
    if not match or not name:
        hint = "; is the file cut off?" if step.count("(") > step.count(")") else ""
        found = shortened(step, 60)
        raise InputError(f"{source}, line {number}: expected '(operator arguments)', found '{found}'{hint}")
    return (None if match[1] is None else float(match[1])), name


def _happenings(names: list[str], times: list[float]) -> list[Happening]:
    """The steps in the order of their times, those of one time together."""
    order = sorted(range(len(names)), key=times.__getitem__)
    alone: dict[str, Happening] = {}
    happenings: list[Happening] = []
    position = 0
    while position < len(order):
        end = position + 1
        while end < len(order) and times[order[end]] - times[order[position]] < _TOLERANCE:
            end += 1
        steps = tuple(names[step] for step in order[position:end])
        happenings.append(alone.setdefault(steps[0], steps) if len(steps) == 1 else steps)
        position = end
    return happenings


@dataclass(frozen=True)
class _Joint:
    """What the operators of a happening need and do together."""

    preconditions: dict[int, int]
    effects: list[Effect]
    cost: int

    def is_applicable(self, state: State) -> bool:
        return all(state[variable] == value for variable, value in self.preconditions.items())


def replay(task: Task, happenings: list[Happening], budget: Budget) -> Plan:
    """Execute operators given by name. Raises PlanError where that fails, and LimitReached.

    Several operators can have one name (a disjunctive condition is split into several): the plan is valid where
    some choice among them reaches the goal.
    """
    poll = _Poll(budget)
    joints = _Joints(task, happenings, poll)
    derived = derived_values(task)
    reached = {task.initial_state: 0}  # every state the plan may be in, with the least cost of getting there
    num_steps = 0
    for names in happenings:
        before, reached = reached, {}
        alternatives = joints.of(names, num_steps + 1)
        for state, cost in before.items():
            poll(len(alternatives) * len(state))
            for joint in alternatives:
                if joint.is_applicable(state):
                    after, total = successor(joint.effects, state, derived), cost + joint.cost
                    reached[after] = min(total, reached.get(after, total))
        if not reached:
            raise PlanError(_why_not_applicable(task, names, num_steps + 1, alternatives[0], next(iter(before))))
        num_steps += len(names)
    at_goal = [cost for state, cost in reached.items() if not missing_goals(task, state)]
    if not at_goal:
        check_goal(task, next(iter(reached)), num_steps)
    return Plan(tuple(itertools.chain.from_iterable(happenings)), min(at_goal), task.core.uses_costs)


class _Joints:
    """The ways in which each happening may happen."""

    def __init__(self, task: Task, happenings: list[Happening], poll: _Poll) -> None:
        self._task = task
        self._poll = poll
        self._known: dict[Happening, list[_Joint]] = {}
        wanted = set(itertools.chain.from_iterable(happenings))
        self._positions: dict[str, list[int]] = defaultdict(list)
        for position, name in enumerate(task.core.operator_names):
            poll(1)
            if (key := normalised(name)) in wanted:
                self._positions[key].append(position)

    def of(self, names: Happening, step: int) -> list[_Joint]:
        """Raises PlanError where there is none."""
        if names in self._known:
            return self._known[names]
        operators = []
        for offset, name in enumerate(names):
            operators.append([self._task.operator(position) for position in self._positions[name]])
            if not operators[-1]:
                raise PlanError(f"step {step + offset}: there is no operator '{name}', or it can never be applied")
        joints = [joint for choice in itertools.product(*operators) if (joint := self._joint(choice)) is not None]
        if not joints:
            pair = and_more([f"'{name}'" for name in names])
            raise PlanError(f"step {step}: {pair} cannot happen at one time: one changes what another needs or changes")
        self._known[names] = joints
        return joints

    def _joint(self, operators: tuple[Operator, ...]) -> _Joint | None:
        """None where they interfere: one writes what another reads, or they want or write different values."""
        joint = _Joint({}, [], sum(map(self._task.cost, operators)))
        read: set[int] = set()
        written: dict[int, set[int]] = defaultdict(set)  # by variable: values
        for operator in operators:
            self._poll(1 + len(operator.preconditions) + len(operator.effects))
            preconditions = dict(operator.preconditions)
            reads = self._reads(operator) if len(operators) > 1 else set()
            writes: dict[int, set[int]] = defaultdict(set)
            for effect in operator.effects:
                writes[effect.fact.variable].add(effect.fact.value)
            if (
                any(joint.preconditions.get(variable, value) != value for variable, value in preconditions.items())
                or not reads.isdisjoint(written)
                or not read.isdisjoint(writes)
                or any(
                    len(written[variable] | values) > 1 for variable, values in writes.items() if variable in written
                )
            ):
                return None
            joint.preconditions.update(preconditions)
            joint.effects.extend(operator.effects)
            read |= reads
            for variable, values in writes.items():
                written[variable] |= values
        return joint

    def _reads(self, operator: Operator) -> set[int]:
        """The ordinary variables that decide whether it applies and what it does."""
        found = {fact.variable for fact in operator.preconditions}
        found.update(fact.variable for effect in operator.effects for fact in effect.conditions)
        to_follow = [variable for variable in found if variable in self._bodies]
        while to_follow:
            for variable in self._bodies[to_follow.pop()] - found:
                found.add(variable)
                if variable in self._bodies:
                    to_follow.append(variable)
        return found - self._bodies.keys()

    @cached_property
    def _bodies(self) -> dict[int, set[int]]:
        """By derived variable: those that its axioms read."""
        bodies: dict[int, set[int]] = {
            number: set() for number, variable in enumerate(self._task.variables) if variable.axiom_layer >= 0
        }
        for axiom in self._task.axioms:
            self._poll(1 + len(axiom.conditions))
            bodies[axiom.fact.variable].update(fact.variable for fact in axiom.conditions)
        return bodies


def _why_not_applicable(task: Task, names: Happening, step: int, joint: _Joint, state: State) -> str:
    unmet = [fact_name(task, *fact) for fact in joint.preconditions.items() if state[fact[0]] != fact[1]]
    steps = and_more([f"'{name}'" for name in names])
    return f"step {step}: {steps} is not applicable: {and_more(unmet)} does not hold"
