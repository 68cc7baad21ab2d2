"""A task as moves: preconditions, and for each variable that changes a map from old values to new ones.

An effect without conditions is a constant map. An effect whose condition is on its own variable, such as turning a
switch, changes one value in the map. So moves need no conditions, and many can be inverted by inverting maps.
"""

from __future__ import annotations

from dataclasses import dataclass

from sing.base.budget import Budget
from sing.base.errors import UnsupportedError
from sing.task.task import Effect, Fact, Operator, Task
from sing.tensors.pieces import Pieces, find_pieces

Map = tuple[int, ...]  # by old value of a variable: the new one

# Operators between two looks at the clock.
_PER_POLL = 256
# What a move takes as Python objects, and an entry of a map.
_BYTES_PER_MOVE, _BYTES_PER_ENTRY = 600, 8


@dataclass(frozen=True)
class Move:
    """`effects` hold variables that may change, each once, in order; `operator` is its position in the task."""

    operator: int
    preconditions: tuple[Fact, ...]
    effects: tuple[tuple[int, Map], ...]


@dataclass(frozen=True)
class MoveTask:
    """A task without conditional effects and axioms.

    Its variables are those of the task, or stand for several of two values each, of which exactly one is true: a piece
    of a puzzle, whose values are its places. `core_facts` says by variable and value which facts of the task hold.
    """

    sizes: tuple[int, ...]
    initial_state: tuple[int, ...]
    goal: tuple[Fact, ...]
    moves: tuple[Move, ...]
    core_facts: tuple[tuple[tuple[Fact, ...], ...], ...]
    mutex_groups: tuple[tuple[Fact, ...], ...]

    def core_state(self, state: tuple[int, ...]) -> tuple[int, ...]:
        """The values of the task's own variables."""
        facts = sorted(fact for facts, value in zip(self.core_facts, state, strict=True) for fact in facts[value])
        return tuple(value for _, value in facts)

    def state_of(self, core_state: tuple[int, ...]) -> tuple[int, ...]:
        """The state in which these values of the task's own variables hold."""
        return tuple(
            next(value for value, facts in enumerate(by_value) if all(core_state[v] == d for v, d in facts))
            for by_value in self.core_facts
        )


def to_moves(task: Task, budget: Budget) -> MoveTask:
    """Raises UnsupportedError, LimitReached, and MemoryError where the moves would not fit the memory that is left."""
    if task.core.has_axioms:
        raise UnsupportedError("the task has axioms, and states on tensors cannot derive values; drop the device")
    num_entries = max((len(variable.value_names) for variable in task.variables), default=1)
    _require_room(task.num_operators * _BYTES_PER_MOVE + task.core.num_effects * 2 * _BYTES_PER_ENTRY, budget)
    _require_room(num_entries * num_entries * _BYTES_PER_ENTRY, budget)
    pieces = find_pieces(task, budget)
    compiler = _Compiler(pieces)
    moves = []
    for position in range(task.num_operators):
        if position % _PER_POLL == 0:
            budget.check_memory()
        moves.append(compiler.move(position, task.operator(position)))
    return MoveTask(
        pieces.sizes,
        pieces.values(task.initial_state),
        pieces.facts(task.goal, "the goal"),
        tuple(moves),
        pieces.core_facts,
        () if pieces.num_merged else task.mutex_groups,
    )


def _require_room(num_bytes: int, budget: Budget) -> None:
    budget.check()
    if num_bytes > budget.remaining_bytes:
        raise MemoryError("the task's operators do not fit the memory limit")


class _Compiler:
    """Makes moves that share equal maps."""

    def __init__(self, pieces: Pieces) -> None:
        self.pieces = pieces
        self.sizes = pieces.sizes
        self.shared: dict[Map, Map] = {}

    def move(self, position: int, operator: Operator) -> Move:
        where = f"operator '{operator.name}'"
        preconditions = self.pieces.facts(operator.preconditions, where)
        needed = dict(preconditions)
        maps: dict[int, list[int]] = {}
        for effect in self.pieces.own_effects(operator):
            variable, value = effect.fact
            changed = maps.setdefault(variable, list(range(self.sizes[variable])))
            for before in self._values_before(effect, needed, where):
                changed[before] = value
        for variable, places in self.pieces.turns(operator).items():
            maps[variable] = list(places)
        effects = []
        for variable, by_value in sorted(maps.items()):
            if variable in needed:  # what other values would become does not matter
                by_value = [by_value[needed[variable]]] * len(by_value)
                if by_value[0] == needed[variable]:
                    continue
            if by_value != list(range(len(by_value))):
                key = tuple(by_value)
                effects.append((variable, self.shared.setdefault(key, key)))
        return Move(position, preconditions, tuple(effects))

    def _values_before(self, effect: Effect, needed: dict[int, int], where: str) -> list[int]:
        """The values of the effect's variable for which it takes place."""
        variable = effect.fact.variable
        values = list(range(self.sizes[variable]))
        for condition in effect.conditions:
            if condition.variable in needed:
                if needed[condition.variable] != condition.value:
                    return []
            elif condition.variable == variable:
                values = [value for value in values if value == condition.value]
            else:
                raise UnsupportedError(
                    f"an effect of {where} depends on another variable than the one it changes, which tensors do not "
                    "support; drop the device"
                )
        return values
