"""Interchangeable objects, and states that differ only in which of them is which: slow and obvious versions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, permutations, product

from sing.task.task import Fact, Operator, Task

Name = tuple[str, ...]  # the predicate or action, then objects


def fact_name(text: str) -> Name:
    """Empty for what is no name, such as `<none of those>`."""
    match = re.fullmatch(r"((?:Negated)?Atom [^(]*)\((.*)\)", text)
    return (match[1], *filter(None, match[2].split(", "))) if match else ()


def fact_names(task: Task) -> dict[Fact, Name]:
    return {
        Fact(number, value): fact_name(text)
        for number, variable in enumerate(task.variables)
        for value, text in enumerate(variable.value_names)
    }


def renamed(name: Name, names: dict[str, str]) -> Name:
    return (*name[:1], *(names.get(word, word) for word in name[1:]))


def images(task: Task, names: dict[str, str]) -> dict[Fact, Fact] | None:
    """What each fact becomes under a permutation of names; None where variables do not become variables."""
    known = fact_names(task)
    by_name = {name: fact for fact, name in known.items() if name}
    variables: dict[int, int] = {}
    found: dict[Fact, Fact] = {}
    for fact, name in known.items():
        if name:
            image = by_name.get(renamed(name, names))
            if image is None or variables.setdefault(fact.variable, image.variable) != image.variable:
                return None
            found[fact] = image
    for fact, name in known.items():
        if not name:
            other = variables.get(fact.variable, fact.variable)
            unnamed = [each for each, its_name in known.items() if not its_name and each.variable == other]
            mine = [each for each, its_name in known.items() if not its_name and each.variable == fact.variable]
            if other != fact.variable and (len(unnamed) != 1 or len(mine) != 1):
                return None
            found[fact] = unnamed[0] if other != fact.variable else fact
    return found if len(set(found.values())) == len(found) else None


def content(operator: Operator, image: dict[Fact, Fact]) -> tuple:
    return (
        frozenset(image[Fact(*fact)] for fact in operator.preconditions),
        frozenset(image[Fact(*effect.fact)] for effect in operator.effects),
        operator.cost,
    )


def keeps_task(task: Task, names: dict[str, str]) -> bool:
    """Whether goal and operators, whose names change with what they do, stay what they are."""
    image = images(task, names)
    if image is None or {image[Fact(*fact)] for fact in task.goal} != {Fact(*fact) for fact in task.goal}:
        return False
    same = {fact: fact for fact in image}
    before = Counter((tuple(each.name.split()), content(each, same)) for each in task.operators)
    after = Counter((renamed(tuple(each.name.split()), names), content(each, image)) for each in task.operators)
    return before == after


def classes(task: Task) -> list[set[str]]:
    """All classes of objects of which any two can change places."""
    objects = sorted({word for name in fact_names(task).values() for word in name[1:]})
    found: list[set[str]] = []
    for a in objects:
        same = next((each for each in found if keeps_task(task, exchange(a, next(iter(each))))), None)
        if same is None:
            found.append({a})
        else:
            same.add(a)
    return [each for each in found if len(each) > 1]


def exchange(a: str, b: str) -> dict[str, str]:
    return {a: b, b: a}


def are_apart(task: Task, groups: Sequence[Sequence[str]]) -> bool:
    """Whether no fact names two of these objects, or one twice."""
    objects = {word for group in groups for word in group}
    return all(sum(word in objects for word in name[1:]) <= 1 for name in fact_names(task).values())


def canonical(task: Task, groups: Sequence[Sequence[str]], state: Sequence[int]) -> tuple[int, ...]:
    """The least of all states that this one becomes when objects of the groups are permuted."""
    found = []
    for orders in product(*(permutations(group) for group in groups)):
        names = {
            old: new for group, order in zip(groups, orders, strict=True) for old, new in zip(group, order, strict=True)
        }
        image = images(task, names)
        assert image is not None
        facts = dict(image[Fact(variable, value)] for variable, value in enumerate(state))
        found.append(tuple(facts[variable] for variable in range(len(state))))
    return min(found)


def all_exchanges(groups: Sequence[Sequence[str]]) -> list[dict[str, str]]:
    return [exchange(a, b) for group in groups for a, b in combinations(group, 2)]
