"""Random PDDL from a grammar: all of ADL, with effects that meet and derived predicates."""

from __future__ import annotations

import random
from collections.abc import Sequence

_TYPES = {"thing": "object", "cup": "thing", "box": "thing", "spot": "object"}
# Predicates with the types of their arguments; the first do not change.
_STATIC = {"next": ("spot", "spot"), "heavy": ("thing",)}
_FLUENT = {"at": ("thing", "spot"), "in": ("cup", "box"), "lit": (), "seen": ("spot",), "held": ("thing",)}
_DERIVED = {"near": ("spot", "spot"), "covered": ("cup",)}
_OBJECTS = {"cup": ("c1", "c2"), "box": ("b1",), "spot": ("s1", "s2", "s3")}
_CONSTANT = "s1"


def _subtypes(type_: str) -> set[str]:
    return {type_} | {sub for sub, above in _TYPES.items() if above == type_ or above in _subtypes_once(type_)}


def _subtypes_once(type_: str) -> set[str]:
    return {sub for sub, above in _TYPES.items() if above == type_}


def _objects(type_: str) -> list[str]:
    return [name for of, names in _OBJECTS.items() if of in _subtypes(type_) for name in names]


class _Maker:
    """One domain and problem; everything random comes from one generator."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._uses_axioms = rng.random() < 0.5
        self._uses_costs = rng.random() < 0.5
        self._num_names = 0

    def domain(self) -> str:
        predicates = {**_STATIC, **_FLUENT, **(_DERIVED if self._uses_axioms else {})}
        declared = " ".join(
            f"({name} {' '.join(f'?x{i} - {type_}' for i, type_ in enumerate(types))})"
            for name, types in predicates.items()
        )
        types = " ".join(f"{name} - {above}" for name, above in _TYPES.items())
        parts = [
            "(define (domain random)",
            "(:requirements :adl :derived-predicates :action-costs)",
            f"(:types {types})",
            f"(:constants {_CONSTANT} - spot)",
            f"(:predicates {declared})",
        ]
        if self._uses_costs:
            parts.append("(:functions (total-cost) - number (weight ?x - thing) - number)")
        if self._uses_axioms:
            parts.append(
                "(:derived (near ?a ?b - spot) (or (next ?a ?b) (exists (?c - spot) (and (next ?a ?c) (near ?c ?b)))))"
            )
            parts.append(f"(:derived (covered ?x - cup) {self._condition({'?x': 'cup'}, 2, derived=False)})")
        parts += [self._action(number) for number in range(self._rng.randint(1, 4))]
        return "\n".join(parts) + ")\n"

    def problem(self) -> str:
        objects = " ".join(
            f"{' '.join(name for name in names if name != _CONSTANT)} - {type_}" for type_, names in _OBJECTS.items()
        )
        facts = [atom for name, types in {**_STATIC, **_FLUENT}.items() for atom in self._ground(name, types)]
        init = [atom for atom in facts if self._rng.random() < 0.3]
        if self._uses_costs:
            init += [
                "(= (total-cost) 0)",
                *(f"(= (weight {name}) {self._rng.randint(0, 3)})" for name in ("c1", "c2", "b1")),
            ]
        metric = "(:metric minimize (total-cost))" if self._uses_costs else ""
        goal = self._condition({}, self._rng.randint(0, 2), derived=True)
        head = f"(define (problem p) (:domain random) (:objects {objects})"
        return f"{head}\n(:init {' '.join(init)})\n(:goal {goal})\n{metric})\n"

    def _ground(self, name: str, types: Sequence[str]) -> list[str]:
        rows = [""]
        for type_ in types:
            rows = [f"{row} {name_}" for row in rows for name_ in _objects(type_)]
        return [f"({name}{row})" for row in rows]

    def _action(self, number: int) -> str:
        types = self._rng.choices(("cup", "box", "spot", "thing"), k=self._rng.randint(0, 3))
        scope = {f"?p{i}": type_ for i, type_ in enumerate(types)}
        effects = [self._effect(scope) for _ in range(self._rng.randint(1, 3))]
        things = [name for name, type_ in scope.items() if type_ != "spot"]
        if self._uses_costs and self._rng.random() < 0.7:
            cost = (
                f"(weight {self._rng.choice(things)})"
                if things and self._rng.random() < 0.5
                else str(self._rng.randint(0, 4))
            )
            effects.append(f"(increase (total-cost) {cost})")
        parameters = " ".join(f"{name} - {type_}" for name, type_ in scope.items())
        condition = self._condition(scope, 2, derived=True)
        head = f"(:action act{number} :parameters ({parameters})"
        return f"{head}\n  :precondition {condition}\n  :effect (and {' '.join(effects)}))"

    def _effect(self, scope: dict[str, str]) -> str:
        choice = self._rng.random()
        if choice < 0.15:
            name, type_ = self._fresh(), self._rng.choice(("cup", "spot", "thing"))
            return f"(forall ({name} - {type_}) {self._effect({**scope, name: type_})})"
        if choice < 0.35:
            return f"(when {self._condition(scope, 1, derived=True)} {self._simple_effect(scope)})"
        return self._simple_effect(scope)

    def _simple_effect(self, scope: dict[str, str]) -> str:
        atom = self._atom(scope, _FLUENT)
        return f"(not {atom})" if self._rng.random() < 0.4 else atom

    def _condition(self, scope: dict[str, str], depth: int, *, derived: bool) -> str:
        choice = self._rng.random()
        if depth == 0 or choice < 0.3:
            return self._literal(scope, derived)
        if choice < 0.75:
            junctor = self._rng.choice(("and", "and", "or", "imply"))
            number = 2 if junctor == "imply" else self._rng.randint(1, 3)
            parts = [self._condition(scope, depth - 1, derived=derived) for _ in range(number)]
            return f"({junctor} {' '.join(parts)})"
        if choice < 0.85:
            return f"(not {self._condition(scope, depth - 1, derived=False)})"
        name, type_ = self._fresh(), self._rng.choice(("cup", "spot", "thing"))
        quantifier = self._rng.choice(("exists", "forall"))
        return (
            f"({quantifier} ({name} - {type_}) {self._condition({**scope, name: type_}, depth - 1, derived=derived)})"
        )

    def _literal(self, scope: dict[str, str], derived: bool) -> str:
        if self._rng.random() < 0.1 and len(scope) > 1:
            atom = f"(= {' '.join(self._rng.sample(sorted(scope), 2))})"
        else:
            predicates = {**_STATIC, **_FLUENT, **(_DERIVED if derived and self._uses_axioms else {})}
            atom = self._atom(scope, predicates)
        return f"(not {atom})" if self._rng.random() < 0.3 else atom

    def _atom(self, scope: dict[str, str], predicates: dict[str, tuple[str, ...]]) -> str:
        def terms(type_: str) -> list[str]:
            fitting = [name for name, of in scope.items() if of in _subtypes(type_)]
            return fitting + ([_CONSTANT] if type_ == "spot" else [])

        usable = [name for name, types in predicates.items() if all(map(terms, types))]
        name = self._rng.choice(usable)
        return f"({' '.join([name, *(self._rng.choice(terms(type_)) for type_ in predicates[name])])})"

    def _fresh(self) -> str:
        # Sometimes a name that is used elsewhere, too.
        self._num_names += self._rng.random() < 0.7
        return f"?q{self._num_names}"


def make(rng: random.Random) -> tuple[str, str]:
    """A domain and a problem. Effects on quantified variables never hide a variable around them."""
    maker = _Maker(rng)
    return maker.domain(), maker.problem()
