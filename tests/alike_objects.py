"""Small random tasks with objects that are alike, or nearly."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from sing.task.task import Task


def tasks_of_alike_objects() -> st.SearchStrategy[Task]:
    return st.integers(0, 2**32).map(lambda seed: Task.from_sas(alike_objects(random.Random(seed))))


def alike_objects(rng: random.Random) -> str:
    """Things with a state each, of which one at a time may be held; sometimes one of them is not like the others.

    Sometimes there is a door, too, whose states have no names of the translator's form.
    """
    things = [f"t{i}" for i in range(rng.randint(2, 4))]
    num_states, has_hand = rng.randint(2, 3), rng.random() < 0.6
    last = rng.choice(["named", "unnamed"])
    variables = [
        [f"Atom is{value}({thing})" for value in range(num_states - 1)]
        + [f"Atom is{num_states - 1}({thing})" if last == "named" else "<none of those>"]
        for thing in things
    ]
    if has_hand:
        variables.append([*(f"Atom held({thing})" for thing in things), "<none of those>"])
    hand, empty = len(things), len(things)
    if has_door := rng.random() < 0.3:
        variables.append([rng.choice(["closed", "Atom closed()"]), "ajar", "open"])
    door = len(variables) - 1

    operators = []
    for number in range(rng.randint(2, 5)):
        before, after = rng.sample(range(num_states), 2)
        use = rng.choice(["take", "drop", "with", "none"]) if has_hand else "none"
        is_pair, beside, cost = rng.random() < 0.3, rng.randrange(num_states), rng.choice([0, 1, 1, 3])
        for i, thing in enumerate(things):
            for j, other in enumerate(things):
                if (i == j) == is_pair:
                    continue
                name = f"act{number} {thing} {other}" if is_pair else f"act{number} {thing}"
                conditions = {i: before} | ({j: beside} if is_pair else {})
                effects = {i: after}
                if use != "none":
                    conditions[hand] = empty if use == "take" else i
                if use in ("take", "drop"):
                    effects[hand] = i if use == "take" else empty
                if has_door and number == 0:
                    conditions[door] = 2
                operators.append([name, conditions, effects, cost])
    if has_door:
        operators += [["unlatch", {door: 0}, {door: 1}, 1], ["swing", {door: 1}, {door: 2}, 1]]
    goal = {i: num_states - 1 for i in range(len(things))}
    _break(rng, operators, goal, variables)
    initial = [rng.choice([0, 0, rng.randrange(num_states)]) for _ in things]
    initial += [empty] * has_hand + [0] * has_door
    return _sas(variables, initial, goal, operators)


def _break(rng: random.Random, operators: list, goal: dict[int, int], variables: list[list[str]]) -> None:
    """Half of the tasks stay as they are."""
    chosen = rng.choice(operators)
    match rng.randrange(14):
        case 0:
            operators.remove(chosen)
        case 1:
            chosen[3] += 1
        case 2:
            chosen[2][rng.randrange(len(variables))] = 0
        case 3:
            chosen[1][rng.randrange(len(variables))] = 0
        case 4:
            del goal[0]
        case 5:
            goal[0] = 0
        case 6:
            chosen[0] = "act9"  # does not say what it does it to
        case 7:
            operators.append([chosen[0], dict(chosen[1]), {0: 0}, 1])  # two of one name


def _sas(variables: list[list[str]], initial: list[int], goal: dict[int, int], operators: list) -> str:
    lines: list[object] = ["begin_version", 3, "end_version", "begin_metric", 1, "end_metric", len(variables)]
    for number, names in enumerate(variables):
        lines += ["begin_variable", f"var{number}", -1, len(names), *names, "end_variable"]
    lines += [0, "begin_state", *initial, "end_state", "begin_goal", *_fact_lines(goal), "end_goal", len(operators)]
    for name, conditions, effects, cost in operators:
        prevail = {variable: value for variable, value in conditions.items() if variable not in effects}
        lines += ["begin_operator", name, *_fact_lines(prevail), len(effects)]
        lines += [f"0 {variable} {conditions.get(variable, -1)} {value}" for variable, value in sorted(effects.items())]
        lines += [cost, "end_operator"]
    return "\n".join(map(str, [*lines, 0, ""]))


def _fact_lines(facts: dict[int, int]) -> list[str]:
    return [str(len(facts)), *(f"{variable} {value}" for variable, value in sorted(facts.items()))]
