"""Pieces that operators move between places, where the task says so by conditional effects on single atoms.

An operator that turns a side of Rubik's cube has for each place of the side an effect "where the piece is here, it is
no longer here, and it is there". The translator makes a variable of two values for each atom. Here the atoms that
such effects connect become one variable again, whose values are these atoms: exactly one of them is true initially, and
operators keep it so, because each of them maps atoms to atoms.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sing.base.budget import Budget
from sing.base.errors import UnsupportedError
from sing.task.task import Effect, Fact, Operator, Task

_PER_POLL = 64


@dataclass
class Pieces:
    """Which variables of a task stand for a piece together. The others stay as they are, and come first."""

    sizes: tuple[int, ...]
    core_facts: tuple[tuple[tuple[Fact, ...], ...], ...]  # by variable and value: the facts of the task that hold
    num_merged: int  # variables of the task that became pieces
    kept: dict[int, int] = field(default_factory=dict)  # from variables of the task to ours
    places: dict[int, Fact] = field(default_factory=dict)  # from variables of the task to the piece and its value
    true_value: dict[int, int] = field(default_factory=dict)  # of those

    def values(self, state: tuple[int, ...]) -> tuple[int, ...]:
        """A state of the task in our variables."""
        found = [0] * len(self.sizes)
        for variable, ours in self.kept.items():
            found[ours] = state[variable]
        for variable, (piece, place) in self.places.items():
            if state[variable] == self.true_value[variable]:
                found[piece] = place
        return tuple(found)

    def facts(self, facts: tuple[Fact, ...], where: str) -> tuple[Fact, ...]:
        """Facts of the task in our variables. Raises UnsupportedError where one says where a piece is not."""
        found = {self._fact(fact) for fact in facts if self._is_positive(fact)}
        pieces = {variable for variable, _ in found}
        for fact in facts:
            if not self._is_positive(fact) and self.places[fact.variable].variable not in pieces:
                raise UnsupportedError(f"{where} asks where a piece is not, which tensors do not support")
        return tuple(sorted(found))

    def own_effects(self, operator: Operator) -> list[Effect]:
        """The effects on variables that are no pieces, in our variables."""
        return [
            Effect(self.facts(effect.conditions, f"operator '{operator.name}'"), self._fact(effect.fact))
            for effect in operator.effects
            if effect.fact.variable in self.kept
        ]

    def turns(self, operator: Operator) -> dict[int, list[int]]:
        """Where the operator moves each piece from each place."""
        maps: dict[int, list[int]] = {}
        for source, target in moves_of_atoms(operator, self.true_value).items():
            piece, place = self.places[source]
            maps.setdefault(piece, list(range(self.sizes[piece])))[place] = self.places[target].value
        return maps

    def _is_positive(self, fact: Fact) -> bool:
        return fact.variable in self.kept or self.true_value[fact.variable] == fact.value

    def _fact(self, fact: Fact) -> Fact:
        if fact.variable in self.kept:
            return Fact(self.kept[fact.variable], fact.value)
        return self.places[fact.variable]


def find_pieces(task: Task, budget: Budget) -> Pieces:
    """The pieces of a task; none where all effects depend on their own variables at most.

    Raises UnsupportedError where effects depend on others and do not move pieces, and LimitReached.
    """
    merged = _variables_to_merge(task, budget)
    true_value = {}
    for variable in merged:
        values = [value for value, name in enumerate(task.variables[variable].value_names) if name.startswith("Atom ")]
        if len(task.variables[variable].value_names) != 2 or len(values) != 1:
            raise _unsupported(task, variable)
        true_value[variable] = values[0]
    groups = _connected(task, true_value, budget)
    kept = {variable: ours for ours, variable in enumerate(v for v in range(len(task.variables)) if v not in merged)}
    sizes = [len(task.variables[variable].value_names) for variable in kept]
    core_facts: list[tuple[tuple[Fact, ...], ...]] = [
        tuple((Fact(variable, value),) for value in range(sizes[ours])) for variable, ours in kept.items()
    ]
    places: dict[int, Fact] = {}
    for group in groups:
        if sum(task.initial_state[variable] == true_value[variable] for variable in group) != 1:
            raise _unsupported(task, group[0])
        places |= {variable: Fact(len(sizes), place) for place, variable in enumerate(group)}
        sizes.append(len(group))
        core_facts.append(
            tuple(
                tuple(Fact(v, true_value[v] if v == here else 1 - true_value[v]) for v in group) for here in group
            )
        )  # fmt: skip
    return Pieces(tuple(sizes), tuple(core_facts), len(merged), kept, places, true_value)


def _variables_to_merge(task: Task, budget: Budget) -> set[int]:
    """Variables with effects that depend on other ones, and those that they depend on."""
    merged: set[int] = set()
    if not task.core.has_conditional_effects:
        return merged
    for position in range(task.num_operators):
        if position % _PER_POLL == 0:
            budget.check_memory()
        operator = task.operator(position)
        needed = {fact.variable for fact in operator.preconditions}
        for effect in operator.effects:
            others = {fact.variable for fact in effect.conditions} - needed - {effect.fact.variable}
            if others:
                merged |= others | {effect.fact.variable}
    return merged


def moves_of_atoms(operator: Operator, true_value: dict[int, int]) -> dict[int, int]:
    """From each atom that the operator takes away to the one that it puts in its place.

    Raises UnsupportedError where its effects on these atoms do anything else.
    """
    targets: dict[int, int] = {}
    left: set[int] = set()
    for effect in operator.effects:
        variable, value = effect.fact
        if variable not in true_value:
            continue
        sources = [fact.variable for fact in effect.conditions if true_value.get(fact.variable) == fact.value]
        if any(fact.variable not in true_value for fact in effect.conditions):
            raise _no_turn(operator)
        if value == true_value[variable]:
            if len(effect.conditions) != 1 or len(sources) != 1 or targets.get(sources[0], variable) != variable:
                raise _no_turn(operator)
            targets[sources[0]] = variable
        elif sources == [variable]:  # further conditions deny what would put the piece back, which cannot be
            left.add(variable)
        else:
            raise _no_turn(operator)
    if {source for source, target in targets.items() if source != target} != left:
        raise _no_turn(operator)
    return targets


def _connected(task: Task, true_value: dict[int, int], budget: Budget) -> list[list[int]]:
    """The atoms that effects connect, as groups: those of each piece."""
    root = {variable: variable for variable in true_value}

    def find(variable: int) -> int:
        while root[variable] != variable:
            root[variable] = root[root[variable]]
            variable = root[variable]
        return variable

    if true_value:
        for position in range(task.num_operators):
            if position % _PER_POLL == 0:
                budget.check_memory()
            operator = task.operator(position)
            moves_of_atoms(operator, true_value)
            for effect in operator.effects:
                if effect.fact.variable in true_value:
                    for condition in effect.conditions:
                        root[find(condition.variable)] = find(effect.fact.variable)
    groups: dict[int, list[int]] = {}
    for variable in sorted(true_value):
        groups.setdefault(find(variable), []).append(variable)
    return list(groups.values())


def _unsupported(task: Task, variable: int) -> UnsupportedError:
    name = task.variables[variable].value_names[0]
    return UnsupportedError(
        f"conditional effects connect '{name}' with other facts, which tensors support only where they move a piece: "
        "a set of atoms of which exactly one is true; drop the device"
    )


def _no_turn(operator: Operator) -> UnsupportedError:
    return UnsupportedError(
        f"operator '{operator.name}' has conditional effects that do not move a piece from place to place, which "
        "tensors do not support; drop the device"
    )
