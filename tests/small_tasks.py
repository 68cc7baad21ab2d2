"""Small planning tasks written without the translator: the same on every machine and in every version of it.

Each function returns the text of a SAS file of a well-known domain. `SMALL_TASKS` has those that the signature is made
of.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

from puzzles import sliding_tiles_sas
from random_tasks import OperatorText, TaskText
from reference import SplitMix

Facts = dict[int, int]  # by variable: its value


def _to_sas(sizes: list[int], start: list[int], goal: Facts, operators: list[tuple[Facts, Facts]], mutexes=()) -> str:
    """`operators`: what each needs, and what it changes."""
    texts = []
    for needed, changed in operators:
        prevail = tuple((variable, value) for variable, value in needed.items() if variable not in changed)
        effects = tuple((variable, needed.get(variable, -1), value) for variable, value in changed.items())
        texts.append(OperatorText(prevail, effects, 1))
    text = TaskText(False, tuple(sizes), tuple(mutexes), tuple(start), tuple(goal.items()), tuple(texts))
    return text.to_sas()


def _below(rng: SplitMix, bound: int) -> int:
    return (rng.next() >> 32) * bound >> 32


def _towers(num_blocks: int, rng: SplitMix) -> list[int]:
    """What each block stands on: another block, or the table, which is `num_blocks`."""
    order = list(range(num_blocks))
    rng.shuffle(order)
    below = [num_blocks] * num_blocks
    for lower, upper in itertools.pairwise(order):
        if _below(rng, 3):
            below[upper] = lower
    return below


def blocks(num_blocks: int, seed: int = 1) -> str:
    """Blocks world with a hand. By block: what it stands on, the table, or the hand; then whether it is clear."""
    rng = SplitMix(seed)
    start, goal = _towers(num_blocks, rng), _towers(num_blocks, rng)
    table, hand = num_blocks, num_blocks + 1
    free = 2 * num_blocks  # the variable of the hand: 1 where it holds nothing
    sizes = [num_blocks + 2] * num_blocks + [2] * num_blocks + [2]
    operators: list[tuple[Facts, Facts]] = []
    for a in range(num_blocks):
        clear = num_blocks + a
        operators.append(({a: table, clear: 1, free: 1}, {a: hand, clear: 0, free: 0}))
        operators.append(({a: hand}, {a: table, clear: 1, free: 1}))
        for b in range(num_blocks):
            if b != a:
                other = num_blocks + b
                operators.append(({a: b, clear: 1, free: 1}, {a: hand, clear: 0, free: 0, other: 1}))
                operators.append(({a: hand, other: 1}, {a: b, clear: 1, free: 1, other: 0}))
    mutexes = [(*tuple((a, b) for a in range(num_blocks) if a != b), (num_blocks + b, 1)) for b in range(num_blocks)]
    mutexes.append((*tuple((a, hand) for a in range(num_blocks)), (free, 1)))
    clear_at_start = [int(b not in start) for b in range(num_blocks)]
    wanted = {a: below for a, below in enumerate(goal) if below != table}
    return _to_sas(sizes, [*start, *clear_at_start, 1], wanted, operators, mutexes)


def delivery(num_trucks: int, num_packages: int, num_places: int, fuel: int = 0, seed: int = 1) -> str:
    """Packages to bring to places on a ring. With `fuel`, a truck drives so often at most: then there are dead ends."""
    rng = SplitMix(seed)
    sizes = [num_places] * num_trucks + [num_places + num_trucks] * num_packages
    start = [_below(rng, num_places) for _ in range(num_trucks + num_packages)]
    goal = {num_trucks + p: _below(rng, num_places) for p in range(num_packages)}
    operators: list[tuple[Facts, Facts]] = []
    for truck in range(num_trucks):
        tank = len(sizes)
        if fuel:
            sizes.append(fuel + 1)
            start.append(fuel)
        for place in range(num_places):
            for after in ((place + 1) % num_places, (place - 1) % num_places):
                for level in range(1, fuel + 1):
                    operators.append(({truck: place, tank: level}, {truck: after, tank: level - 1}))
                if not fuel:
                    operators.append(({truck: place}, {truck: after}))
            for p in range(num_trucks, num_trucks + num_packages):
                operators.append(({truck: place, p: place}, {p: num_places + truck}))
                operators.append(({truck: place, p: num_places + truck}, {p: place}))
    return _to_sas(sizes, start, goal, operators)


def hanoi(num_disks: int) -> str:
    """Disk 0 is the smallest. By disk: its peg."""
    operators = []
    for disk in range(num_disks):
        for source, target in ((a, b) for a in range(3) for b in range(3) if a != b):
            other = 3 - source - target
            operators.append(({disk: source, **dict.fromkeys(range(disk), other)}, {disk: target}))
    return _to_sas([3] * num_disks, [0] * num_disks, dict.fromkeys(range(num_disks), 2), operators)


def lights(num_lights: int, seed: int = 1) -> str:
    """A ring of lamps; each button toggles three neighbours, one operator for each combination of what is on."""
    rng = SplitMix(seed)
    operators = []
    for button in range(num_lights):
        lamps = [(button + step) % num_lights for step in range(3)]
        for pattern in range(8):
            before = {lamp: pattern >> i & 1 for i, lamp in enumerate(lamps)}
            operators.append((before, {lamp: 1 - value for lamp, value in before.items()}))
    start = [_below(rng, 2) for _ in range(num_lights)]
    return _to_sas([2] * num_lights, start, dict.fromkeys(range(num_lights), 1), operators)


def doors(num_rooms: int, seed: int = 1) -> str:
    """A row of rooms with locked doors; the key of each lies in some room before it. Visit all rooms and come back."""
    rng = SplitMix(seed)
    robot, held = 0, num_rooms  # a key's variable: the room it lies in, or `held`
    num_doors = num_rooms - 1
    sizes = [num_rooms] + [num_rooms + 1] * num_doors + [2] * num_doors + [2] * num_rooms
    start = [0] + [_below(rng, door + 1) for door in range(num_doors)] + [0] * num_doors + [1] + [0] * num_doors
    operators: list[tuple[Facts, Facts]] = []
    for door in range(num_doors):
        key, lock = 1 + door, 1 + num_doors + door
        for room in range(num_rooms):
            operators.append(({robot: room, key: room}, {key: held}))
        operators.append(({robot: door, key: held}, {lock: 1}))
        visited = 1 + 2 * num_doors + door
        operators.append(({robot: door, lock: 1}, {robot: door + 1, visited + 1: 1}))
        operators.append(({robot: door + 1, lock: 1}, {robot: door, visited: 1}))
    goal = {1 + 2 * num_doors + room: 1 for room in range(num_rooms)} | {robot: 0}
    return _to_sas(sizes, start, goal, operators)


SMALL_TASKS: dict[str, Callable[[], str]] = {
    "tiles 3": lambda: sliding_tiles_sas(3),
    "tiles 4": lambda: sliding_tiles_sas(4),
    "blocks 6": lambda: blocks(6),
    "blocks 12": lambda: blocks(12),
    "blocks 20": lambda: blocks(20),
    "delivery 8": lambda: delivery(2, 8, 6),
    "delivery 20": lambda: delivery(3, 20, 12),
    "delivery 7 fuel": lambda: delivery(2, 7, 6, fuel=9),
    "hanoi 6": lambda: hanoi(6),
    "lights 16": lambda: lights(16),
    "doors 8": lambda: doors(8),
    "unsolvable tiles": lambda: sliding_tiles_sas(2, swap_goal=True),
}
