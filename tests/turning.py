"""Small tasks whose effects have conditions on single facts: switches, and pieces that operators turn."""

from __future__ import annotations

import random

from random_tasks import OperatorText, TaskText

from sing.task.task import Task


def switches(seed: int) -> Task:
    """Operators toggle lights, each with two effects; some need a door, which is not changed, to have a value."""
    rng = random.Random(seed)
    num_lights = rng.randint(2, 5)
    operators = []
    for _ in range(rng.randint(2, 6)):
        lights = rng.sample(range(num_lights), rng.randint(1, num_lights))
        effects = [(light, -1, 1 - value) for light in lights for value in (0, 1)]
        conditions = tuple(((light, value),) for light in lights for value in (0, 1))
        prevail = ((num_lights, rng.randrange(3)),) if rng.random() < 0.4 else ()
        operators.append(OperatorText(prevail, tuple(effects), 1, conditions))
    sizes = (2,) * num_lights + (3,)
    operators += [OperatorText((), ((num_lights, door, (door + 1) % 3),), 1) for door in range(3)]
    return _task(sizes, (0,) * num_lights + (0,), tuple((light, 0) for light in range(num_lights)), operators, rng)


def pieces(seed: int, with_door: bool = True) -> Task:
    """Pieces stand on places, an atom and a variable for each pair; operators turn the pieces of some places.

    As the translator writes it: what takes a piece away also denies what would put it back.
    """
    rng = random.Random(seed)
    num_pieces, num_places = rng.randint(1, 3), rng.randint(2, 4)
    operators = []
    for number in range(rng.randint(1, 4)):
        effects, conditions = [], []
        # The first operator turns all places: none is out of reach, which the translator would have left out.
        places = rng.sample(range(num_places), rng.randint(2, num_places) if number else num_places)
        for piece in range(num_pieces):
            variable = {place: piece * num_places + place for place in range(num_places)}
            for here, there, before in zip(places, places[1:] + places[:1], places[-1:] + places[:-1], strict=True):
                effects.append((variable[there], -1, 0))
                conditions.append(((variable[here], 0),))
                effects.append((variable[here], -1, 1))
                denied = ((variable[before], 1),) if before != there or len(places) == 2 else ()
                conditions.append(((variable[here], 0), *denied))
        order = rng.sample(range(len(effects)), len(effects))
        prevail = ((num_pieces * num_places, rng.randrange(2)),) if with_door and rng.random() < 0.3 else ()
        operators.append(
            OperatorText(prevail, tuple(effects[i] for i in order), 1, tuple(conditions[i] for i in order))
        )
    door = num_pieces * num_places
    if with_door:
        operators += [OperatorText((), ((door, value, 1 - value),), 1) for value in (0, 1)]
    start: list[int] = []
    goal = []
    for piece in range(num_pieces):
        here = rng.randrange(num_places)
        start += [int(place != here) for place in range(num_places)]
        goal.append((piece * num_places + rng.randrange(num_places), 0))
    sizes = (2,) * (num_pieces * num_places) + (2,)
    return _task(sizes, (*start, 0), tuple(goal), operators, rng, is_negated=True)


def _task(
    sizes: tuple[int, ...],
    start: tuple[int, ...],
    goal: tuple[tuple[int, int], ...],
    operators: list[OperatorText],
    rng: random.Random,
    is_negated: bool = False,
) -> Task:
    rng.shuffle(operators)
    negated = tuple(is_negated for _ in sizes)
    return Task.from_sas(TaskText(False, sizes, (), start, goal, tuple(operators), negated).to_sas())
