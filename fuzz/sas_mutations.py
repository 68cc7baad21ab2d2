"""Changes to a SAS task that mostly leave it one."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable

from sas_model import Effect, Fact, Operator, SasTask, Variable


def mutated_task(task: SasTask, donor: SasTask, rng: random.Random) -> SasTask:
    """A few changes to a copy; where there is nothing to change, it stays."""
    task = pickle.loads(pickle.dumps(task))  # several times as fast as copy.deepcopy
    for _ in range(rng.choice((1, 1, 2, 4, 8))):
        change, weight_free = rng.choice(_CHANGES)
        if task.variables or weight_free:
            change(task, donor, rng)
    return task


def _fact(task: SasTask, rng: random.Random) -> Fact:
    variable = rng.randrange(len(task.variables))
    return variable, rng.randrange(len(task.variables[variable].values))


def _facts(task: SasTask, rng: random.Random, most: int) -> list[Fact]:
    """On different variables."""
    count = rng.randint(0, min(most, len(task.variables)))
    variables = rng.sample(range(len(task.variables)), count)
    return [(variable, rng.randrange(len(task.variables[variable].values))) for variable in variables]


def _add_variable(task: SasTask, donor: SasTask, rng: random.Random) -> None:
    size = rng.choice((1, 2, 2, 3, 5, 17))
    number = len(task.variables)
    names = [f"Atom n{number}({value})" for value in range(size)]
    if rng.random() < 0.3:
        names[-1] = rng.choice(("<none of those>", f"NegatedAtom n{number}(0)", names[0], "Atom ", ""))
    task.variables.append(Variable(f"var{number}", rng.choice((-1, -1, -1, 0)), names))
    task.start.append(rng.randrange(size))


def _grow_domain(task: SasTask, donor: SasTask, rng: random.Random) -> None:
    values = rng.choice(task.variables).values
    values.extend(f"Atom more({len(values)}, {i})" for i in range(rng.choice((1, 1, 2, 30, 300))))


def _rename_value(task: SasTask, donor: SasTask, rng: random.Random) -> None:
    values = rng.choice(task.variables).values
    other = rng.choice(rng.choice(task.variables).values)
    values[rng.randrange(len(values))] = rng.choice((other, "<none of those>", "NegatedAtom x()", "Atom é(\u2028)"))


def _change_start(task: SasTask, donor: SasTask, rng: random.Random) -> None:
    variable, value = _fact(task, rng)
    task.start[variable] = value


def _change_goal(task: SasTask, donor: SasTask, rng: random.Random) -> None:
    task.goal = _facts(task, rng, rng.choice((1, 3, 8)))


def _add_mutexes(task: SasTask, donor: SasTask, rng: random.Random) -> None:
    group = [_fact(task, rng) for _ in range(rng.choice((0, 1, 2, 5, 20)))]
    task.mutexes.extend([group] * rng.choice((1, 1, 2)))


def _remove_mutexes(task: SasTask, donor: SasTask, rng: random.Random) -> None:
    task.mutexes = task.mutexes[: rng.randrange(len(task.mutexes) + 1)]


def _add_operator(task: SasTask, donor: SasTask, rng: random.Random) -> None:
    effects = []
    for variable, after in _facts(task, rng, rng.choice((1, 2, 6))):
        before = rng.choice((-1, rng.randrange(len(task.variables[variable].values))))
        effects.append(Effect([], variable, before, after))
    changed = {effect.variable for effect in effects}
    prevail = [fact for fact in _facts(task, rng, rng.choice((1, 3, 6))) if fact[0] not in changed]
    names = [operator.name for operator in task.operators] or ["twin"]
    name = rng.choice((f"new {len(task.operators)}", f"new {len(task.operators)}", rng.choice(names)))
    task.operators.append(Operator(name, prevail, effects, rng.choice((0, 1, 1, 5, 2**31, 2**63 - 1))))


def _repeat_operator(task: SasTask, donor: SasTask, rng: random.Random) -> None:
    if task.operators:
        task.operators.append(copy.deepcopy(rng.choice(task.operators)))


def _remove_operators(task: SasTask, donor: SasTask, rng: random.Random) -> None:
    if task.operators:
        begin = rng.randrange(len(task.operators))
        del task.operators[begin : begin + rng.choice((1, 1, 3, 10))]


def _change_operator(task: SasTask, donor: SasTask, rng: random.Random) -> None:
    if not task.operators:
        return
    operator = rng.choice(task.operators)
    variable, value = _fact(task, rng)
    if operator.effects and rng.random() < 0.5:
        effect = rng.choice(operator.effects)
        effect.after = rng.randrange(len(task.variables[effect.variable].values))
        effect.before = rng.choice((-1, effect.before))
    elif variable not in {used for used, _ in operator.preconditions} | {e.variable for e in operator.effects}:
        operator.prevail.append((variable, value))
    elif operator.prevail:
        del operator.prevail[rng.randrange(len(operator.prevail))]


def _condition_effect(task: SasTask, donor: SasTask, rng: random.Random) -> None:
    if task.operators and rng.random() < 0.3 and rng.choice(task.operators).effects:
        operator = rng.choice([operator for operator in task.operators if operator.effects])
        rng.choice(operator.effects).conditions = _facts(task, rng, 2)


def _add_axiom(task: SasTask, donor: SasTask, rng: random.Random) -> None:
    """A derived variable with some axioms, which the goal and an operator may need; some have no meaning."""
    layer = max(variable.layer for variable in task.variables) + rng.choice((0, 1, 1))
    conditions = [_facts(task, rng, 3) for _ in range(rng.randint(1, 3))]
    default = rng.randrange(2)
    head = len(task.variables)
    task.variables.append(
        Variable(f"var{head}", max(layer, 0), [f"Atom derived{head}()", f"NegatedAtom derived{head}()"])
    )
    task.start.append(default)
    task.axioms += [(facts, head, default, 1 - default) for facts in conditions]
    if rng.random() < 0.3:
        task.goal.append((head, rng.randrange(2)))
    if task.operators and rng.random() < 0.5:
        rng.choice(task.operators).prevail.append((head, rng.randrange(2)))


def _switch_metric(task: SasTask, donor: SasTask, rng: random.Random) -> None:
    task.metric = 1 - task.metric


def _put_beside(task: SasTask, donor: SasTask, rng: random.Random) -> None:
    """The other task's variables and operators as well, and the goals of both."""
    if len(task.variables) + len(donor.variables) > 60 or len(task.operators) + len(donor.operators) > 300:
        return
    offset = len(task.variables)

    def moved(facts: list[Fact]) -> list[Fact]:
        return [(variable + offset, value) for variable, value in facts]

    donor = pickle.loads(pickle.dumps(donor))
    task.variables += donor.variables
    task.start += donor.start
    task.goal += moved(donor.goal)
    task.mutexes += [moved(group) for group in donor.mutexes]
    for operator in donor.operators:
        operator.prevail = moved(operator.prevail)
        for effect in operator.effects:
            effect.conditions, effect.variable = moved(effect.conditions), effect.variable + offset
    task.operators += donor.operators
    task.axioms += [
        (moved(conditions), head + offset, before, after) for conditions, head, before, after in donor.axioms
    ]


Change = Callable[[SasTask, SasTask, random.Random], None]
# Each with whether it can change a task without variables.
_CHANGES: tuple[tuple[Change, bool], ...] = (
    (_add_variable, True),
    (_grow_domain, False),
    (_rename_value, False),
    (_change_start, False),
    (_change_goal, False),
    (_change_goal, False),
    (_add_mutexes, False),
    (_remove_mutexes, True),
    (_add_operator, False),
    (_add_operator, False),
    (_repeat_operator, True),
    (_remove_operators, True),
    (_change_operator, False),
    (_change_operator, False),
    (_condition_effect, False),
    (_add_axiom, False),
    (_switch_metric, True),
    (_put_beside, True),
)
