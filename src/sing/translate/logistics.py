"""A generator of transport problems: trucks within cities, planes between them, packages to bring to places."""

from __future__ import annotations

import random

from sing.base.errors import InputError
from sing.translate.generators import Family, checked_count, problem_text


def logistics(
    num_cities: int, num_places: int, num_planes: int, num_packages: int, *, count: int = 1, seed: int = 0
) -> Family:
    """Each city has one truck and `num_places` places, the first of them an airport.

    Where packages are to go is one random choice of the seed, for all problems. Raises InputError for a number below
    1, or for more than one city without a plane.

    >>> family = logistics(2, 2, 1, 3, count=2)
    >>> len(family.problems), family.problems[0].count("(in-city ")
    (2, 4)
    """
    if min(num_cities, num_places, num_packages) < 1 or num_planes < (num_cities > 1):
        raise InputError("there must be a city, a place, a package, and a plane where there are several cities")
    rng = random.Random(seed)
    places = [f"c{city}-{place}" for city in range(1, num_cities + 1) for place in range(1, num_places + 1)]
    airports = places[::num_places]
    packages = [f"p{number}" for number in range(1, num_packages + 1)]
    goal = [f"(at {package} {rng.choice(places)})" for package in packages]
    cities = [f"c{city}" for city in range(1, num_cities + 1)]
    trucks, planes = [f"t{city}" for city in range(1, num_cities + 1)], [f"a{i}" for i in range(1, num_planes + 1)]
    objects = {
        "package": packages, "truck": trucks, "plane": planes, "airport": airports,
        "place": [place for place in places if place not in airports], "city": cities,
    }  # fmt: skip
    objects = {kind: names for kind, names in objects.items() if names}
    static = [f"(in-city {place} {place.split('-')[0]})" for place in places]
    problems = []
    for number in range(1, checked_count(count) + 1):
        init = [f"(at {package} {rng.choice(places)})" for package in packages]
        init += [f"(at t{city} c{city}-{rng.randint(1, num_places)})" for city in range(1, num_cities + 1)]
        init += [f"(at {plane} {rng.choice(airports)})" for plane in planes]
        name = f"logistics-{num_cities}-{num_packages}-{number}"
        problems.append(problem_text("logistics", name, objects, [*init, *static], goal))
    return Family(_LOGISTICS, tuple(problems))


_LOGISTICS = """\
(define (domain logistics)
  (:requirements :strips :typing)
  (:types thing place city - object package vehicle - thing truck plane - vehicle airport - place)
  (:predicates
    (at ?thing - thing ?place - place)
    (in ?package - package ?vehicle - vehicle)
    (in-city ?place - place ?city - city))
  (:action load
    :parameters (?package - package ?vehicle - vehicle ?place - place)
    :precondition (and (at ?package ?place) (at ?vehicle ?place))
    :effect (and (in ?package ?vehicle) (not (at ?package ?place))))
  (:action unload
    :parameters (?package - package ?vehicle - vehicle ?place - place)
    :precondition (and (in ?package ?vehicle) (at ?vehicle ?place))
    :effect (and (at ?package ?place) (not (in ?package ?vehicle))))
  (:action drive
    :parameters (?truck - truck ?from ?to - place ?city - city)
    :precondition (and (at ?truck ?from) (in-city ?from ?city) (in-city ?to ?city))
    :effect (and (at ?truck ?to) (not (at ?truck ?from))))
  (:action fly
    :parameters (?plane - plane ?from ?to - airport)
    :precondition (at ?plane ?from)
    :effect (and (at ?plane ?to) (not (at ?plane ?from)))))
"""
