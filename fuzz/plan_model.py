"""Plan files read and executed as VAL does it, independently of sing: it imports nothing of it."""

from __future__ import annotations

import itertools
import re

from sas_model import Malformed, Operator, SasTask, State

# When a step happens, and the operator's name in lower case.
Step = tuple[float, str]
_TOLERANCE = 0.01
_MAX_CHOICES = 2000


def read_steps(text: str) -> list[Step]:
    """The steps in the order of their times; those without a time stamp happen at 1, 2, … Raises Malformed."""
    steps: list[Step] = []
    num_without = 0
    for line in re.split(r"\r\n|\r|\n", text):
        content = line.partition(";")[0].strip()
        if not content:
            continue
        before, opened, rest = content.partition("(")
        name, closed, after = rest.partition(")")
        words = name.lower().split()
        if not opened or not closed or "(" in name or not words:
            raise Malformed("no step")
        if after.strip() and not re.fullmatch(r"\[[0-9.]+\]", after.strip()):
            raise Malformed("something behind a step")
        if before:
            stamp, colon, nothing = before.partition(":")
            if not colon or nothing.strip() or not _is_number(stamp.rstrip()):
                raise Malformed("something before a step")
            time = float(stamp)
        else:
            num_without += 1
            time = float(num_without)
        steps.append((time, " ".join(words)))
    return sorted(steps, key=lambda step: step[0])


def _is_number(text: str) -> bool:
    whole, point, fraction = text.lower().partition(".")
    if point and not whole:
        return fraction.isdigit()
    digits, has_exponent, exponent = text.lower().partition("e")
    if has_exponent and not re.fullmatch(r"[+-]?[0-9]+", exponent):
        return False
    whole, point, fraction = digits.partition(".")
    return whole.isdigit() and (not fraction or fraction.isdigit())


def is_valid(task: SasTask, steps: list[Step]) -> bool | None:
    """Whether some choice among the operators of each name reaches the goal; None where there are too many choices."""
    states = {task.initial_state}
    position = 0
    while position < len(steps):
        start = steps[position][0]
        names = [name for time, name in steps[position:] if time == start or time - start < _TOLERANCE - 1e-9]
        position += len(names)
        named = [[op for op in task.operators if " ".join(op.name.lower().split()) == name] for name in names]
        choices = list(itertools.islice(itertools.product(*named), _MAX_CHOICES))
        if len(choices) * len(states) >= _MAX_CHOICES:
            return None
        after = (_together(task, choice, state) for choice in choices for state in states)
        states = {state for state in after if state is not None}
    return any(task.is_goal(state) for state in states)


def _together(task: SasTask, operators: tuple[Operator, ...], state: State) -> State | None:
    """The state after operators that happen at one time; None where one does not apply or disturbs another."""
    for one, other in itertools.permutations(operators, 2):
        changed = {effect.variable for effect in one.effects}
        if changed & _read_by(task, other):
            return None
        for variable in changed & {effect.variable for effect in other.effects}:
            if len({e.after for operator in (one, other) for e in operator.effects if e.variable == variable}) > 1:
                return None
    if not all(operator.applies(state) for operator in operators):
        return None
    changes = [operator.changes(state) for operator in operators]
    values = list(state)
    for variable, value in itertools.chain.from_iterable(change.items() for change in changes):
        values[variable] = value
    return task.completed(values)


def _read_by(task: SasTask, operator: Operator) -> set[int]:
    """The variables that decide whether it applies and what it does; through axioms, too."""
    read = {variable for variable, _ in operator.preconditions}
    read |= {variable for effect in operator.effects for variable, _ in effect.conditions}
    while True:
        more = {variable for conditions, head, _, _ in task.axioms if head in read for variable, _ in conditions}
        if more <= read:
            return read
        read |= more
