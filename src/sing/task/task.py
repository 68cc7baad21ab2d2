"""A SAS+ planning task as a translator states it, and its STRIPS view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

from sing import _core
from sing.base.errors import SasError


class Fact(NamedTuple):
    """Variable number `variable` has value number `value`."""

    variable: int
    value: int


class Variable(NamedTuple):
    name: str
    axiom_layer: int  # -1: an ordinary variable
    default_value: int  # of a derived variable, where no axiom applies; -1 for others
    value_names: tuple[str, ...]


class Effect(NamedTuple):
    conditions: tuple[Fact, ...]  # empty: unconditional
    fact: Fact


class Operator(NamedTuple):
    name: str  # as in plans, without parentheses: "move truck1 depot shop"
    preconditions: tuple[Fact, ...]  # sorted by variable
    effects: tuple[Effect, ...]
    cost: int  # as written; see Task.cost


class Axiom(NamedTuple):
    """Where the conditions hold, the fact does."""

    conditions: tuple[Fact, ...]
    fact: Fact


class Task:
    """A planning task. The data lives in the core; Python views of it are made when asked for."""

    def __init__(self, core: _core.Task, initial_atoms: Callable[[], frozenset[str]] = frozenset) -> None:
        self.core = core
        self._initial_atoms = initial_atoms
        self._pruned: dict[int, tuple[Task, int, int] | None] = {}  # by the work that it may take
        self._interchangeable: dict[int, _core.InterchangeableObjects | None] = {}  # by work

    @classmethod
    def from_sas(cls, text: str, source: str = "SAS text", guard: _core.Guard | None = None) -> Task:
        """Parse the translator's output format.

        Raises SasError naming `source` and the line, and what the guard raises.
        """
        try:
            return cls(_core.Task.from_sas(text, guard))
        except ValueError as error:
            raise SasError(f"{source}, {error}") from None

    @cached_property
    def initial_atoms(self) -> frozenset[str]:
        """The PDDL's initial facts by name, also those that are not in the task because they never change."""
        return self._initial_atoms()

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        return tuple(
            Variable(name, layer, default, tuple(values)) for name, layer, default, values in self.core.variables
        )

    @cached_property
    def mutex_groups(self) -> tuple[tuple[Fact, ...], ...]:
        return tuple(_facts(group) for group in self.core.mutex_groups)

    @cached_property
    def initial_state(self) -> tuple[int, ...]:
        """With the derived values that follow from the others."""
        return tuple(self.core.initial_state)

    @cached_property
    def goal(self) -> tuple[Fact, ...]:
        return _facts(self.core.goal)

    @cached_property
    def operators(self) -> tuple[Operator, ...]:
        return tuple(self.operator(i) for i in range(self.num_operators))

    @cached_property
    def axioms(self) -> tuple[Axiom, ...]:
        return tuple(Axiom(_facts(conditions), Fact(*fact)) for conditions, fact in self.core.axioms)

    @property
    def num_operators(self) -> int:
        return self.core.num_operators

    def operator(self, position: int) -> Operator:
        op = self.core.operator(position)
        effects = tuple(Effect(_facts(conditions), Fact(*fact)) for conditions, fact in op.effects)
        return Operator(op.name, _facts(op.preconditions), effects, op.cost)

    def with_landmarks(self, max_facts: int, guard: _core.Guard | None = None) -> Task:
        """The task with one more goal for each landmark that is no goal yet: that it has held at some time.

        A landmark is a fact, or up to `max_facts` facts, of which one holds at some time in every plan. A plan of
        either task is one of the other. The task itself where even without deletes there is no plan. Raises what the
        guard raises.
        """
        core = self.core.with_landmarks(max_facts, guard)
        return self if core is None else Task(core)

    def pruned(self, max_work: int, guard: _core.Guard | None = None) -> tuple[Task, int, int] | None:
        """The task without operators that no plan has, and with conditions on others that keep them out of dead ends.

        Pairs of facts that hold together on no way from the initial state to the goal tell which. A plan of either task
        is one of the other, and operators keep their positions. Beside the task: how many operators are left out, and
        how many conditions are new. None where there is nothing to change, or where finding out takes more than
        `max_work`, some tenths of a nanosecond each. What was found is kept for the next call. Raises what the guard
        raises.
        """
        if max_work not in self._pruned:
            found = self.core.prune(max_work, guard)
            self._pruned[max_work] = (Task(found[0]), *found[1:]) if found else None
        return self._pruned[max_work]

    def interchangeable_objects(
        self, max_work: int, guard: _core.Guard | None = None
    ) -> _core.InterchangeableObjects | None:
        """Objects of which any two of a class can change places: operators and goal stay what they are.

        The initial state has no part in it. None where there are no such objects. After `max_work`, some nanoseconds
        each, no more are looked for. What was found is kept for the next call. Raises what the guard raises.
        """
        if max_work not in self._interchangeable:
            self._interchangeable[max_work] = self.core.interchangeable_objects(max_work, guard)
        return self._interchangeable[max_work]

    def cost(self, operator: Operator) -> int:
        """The operator's cost under the task's metric: 1 for each where the task has none."""
        return operator.cost if self.core.uses_costs else 1

    @cached_property
    def atoms(self) -> tuple[str, ...]:
        """The STRIPS propositions: the facts that the translator names `Atom …`, in order.

        `NegatedAtom …` and `<none of those>` are negations of propositions, not propositions.
        """
        return tuple(name for variable in self.variables for name in variable.value_names if name.startswith("Atom "))

    @property
    def is_emptied(self) -> bool:
        """Whether the translator replaced a task whose goal is static, true or false, by one without operators."""
        return self.num_operators == 0 and self.atoms[:1] == ("Atom dummy(val1)",)


def _facts(facts: Sequence[tuple[int, int]]) -> tuple[Fact, ...]:
    return tuple(Fact(*fact) for fact in facts)
