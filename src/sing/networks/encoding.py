"""Search spaces by name, and how their states become the inputs of a network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sing import _core
from sing.base.errors import InputError, NothingLearnedError
from sing.base.names import unknown
from sing.task.task import Task

if TYPE_CHECKING:
    import numpy.typing as npt

ENCODINGS = ("boolean", "sas")
# Names of differing atoms shown in an error before "and 12 more".
_NUM_SHOWN = 3


class FactInputs(NamedTuple):
    """The input vector of a state is a constant and the sum of what its facts contribute.

    A fact adds its coefficient to one input, or to none, which is -1. Facts are in the order of variables and their
    values; a variable that is undefined contributes what stands in the last two arrays.
    """

    constant: npt.NDArray[np.float32]  # [inputs]
    inputs: npt.NDArray[np.int64]  # [facts]
    coefficients: npt.NDArray[np.float32]  # [facts]
    undefined_inputs: npt.NDArray[np.int64]  # [variables]
    undefined_coefficients: npt.NDArray[np.float32]  # [variables]


@dataclass(frozen=True)
class Encoding:
    """What a network's inputs mean, independent of the order in which the translator lists things.

    `kind`: `boolean`, one bit per atom, 0 also where its variable is undefined; or `sas`, one number per
    variable: the position of its value in `variables`, -1 where it is undefined. `atoms`, `goal` and
    `variables` hold the translator's names; `variables` is empty for `boolean`, and a goal of None fits any.
    """

    kind: str
    atoms: tuple[str, ...]
    goal: tuple[str, ...] | None
    variables: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in ENCODINGS:
            raise InputError(unknown("encoding", self.kind, ENCODINGS))

    @classmethod
    def of(cls, task: Task, kind: str) -> Encoding:
        """The encoding for tasks like this one. Raises NothingLearnedError where names do not tell its facts apart."""
        variables = tuple(variable.value_names for variable in task.variables) if kind == "sas" else ()
        if len(set(task.atoms)) < len(task.atoms) or len(set(map(frozenset, variables))) < len(variables):
            raise NothingLearnedError("facts of the task share a name, and a network tells them apart by their names")
        return cls(kind, task.atoms, tuple(sorted(goal_names(task))), variables)

    @property
    def num_inputs(self) -> int:
        return len(self.variables) if self.kind == "sas" else len(self.atoms)

    def features(self, task: Task, force: bool = False) -> _core.Features:
        """What each fact of `task` contributes to the input vector, for the core. As fact_inputs()."""
        return _core.Features(task.core, **self.fact_inputs(task, force)._asdict())

    def fact_inputs(self, task: Task, force: bool = False) -> FactInputs:
        """What each fact of `task` contributes to the input vector.

        Atoms known here that the task lacks never change in it: they are true where its PDDL has them in the initial
        state, else false. Raises InputError where the task is of another search space: another goal, or atoms not
        known here. With `force` such a goal is not looked at, and such atoms contribute nothing.
        """
        constant_atoms = (task.initial_atoms - set(task.atoms)) & set(self.atoms)
        if not force:
            if self.goal is not None:
                found = goal_names(task)
                _require_known("goals", found, self.goal)
                _require_present("goals", self.goal, {*found, *constant_atoms})
            _require_known("atoms", task.atoms, self.atoms)
        if self.kind == "boolean":
            return self._boolean_features(task, constant_atoms)
        return self._sas_features(task, constant_atoms, force)

    def _boolean_features(self, task: Task, constant_atoms: frozenset[str]) -> FactInputs:
        input_of = {atom: position for position, atom in enumerate(self.atoms)}
        names = [name for variable in task.variables for name in variable.value_names]
        constant = np.zeros(self.num_inputs, dtype=np.float32)
        constant[[input_of[atom] for atom in constant_atoms]] = 1
        return FactInputs(
            constant=constant,
            inputs=np.array([input_of.get(name, -1) for name in names], dtype=np.int64),
            coefficients=np.ones(len(names), dtype=np.float32),
            undefined_inputs=np.full(len(task.variables), -1, dtype=np.int64),
            undefined_coefficients=np.zeros(len(task.variables), dtype=np.float32),
        )

    def _sas_features(self, task: Task, constant_atoms: frozenset[str], force: bool) -> FactInputs:
        position_of = {frozenset(names): position for position, names in enumerate(self.variables)}
        place_of = {
            name: (position, value)
            for position, names in enumerate(self.variables)
            for value, name in enumerate(names)
            if name.startswith("Atom ")
        }
        # Unless stated otherwise, a variable has the value that none of its atoms has; 0 where there is no such value.
        constant = np.array([_default_value(names) for names in self.variables], dtype=np.float32)
        for atom in constant_atoms:
            position, value = place_of[atom]
            constant[position] = value
        inputs, coefficients, undefined = [], [], []
        taken: set[int] = set()  # a variable of ours may be several there
        for variable in task.variables:
            # The same variable, or one of which the translator left out values that never occur here.
            positions = {place_of[name][0] for name in variable.value_names if name in place_of}
            same = position_of.get(frozenset(variable.value_names))
            if same is not None:
                positions = {same}
            if len(positions) != 1 or positions & taken:
                if not force:
                    raise InputError(
                        "the model numbers the values of variables, and this task groups its atoms into other "
                        f"variables: {_listed(variable.value_names)} are one here"
                    )
                undefined.append(-1)
                inputs += [-1] * len(variable.value_names)
                coefficients += [0.0] * len(variable.value_names)
                continue
            (position,) = positions
            taken.add(position)
            value_of = {name: value for value, name in enumerate(self.variables[position])}
            default = _default_value(self.variables[position])
            constant[position] = 0
            undefined.append(position)
            inputs += [position] * len(variable.value_names)
            coefficients += [float(value_of.get(name, default)) for name in variable.value_names]
        return FactInputs(
            constant=constant,
            inputs=np.array(inputs, dtype=np.int64),
            coefficients=np.array(coefficients, dtype=np.float32),
            undefined_inputs=np.array(undefined, dtype=np.int64),
            undefined_coefficients=np.full(len(undefined), -1, dtype=np.float32),
        )


def _default_value(names: tuple[str, ...]) -> int:
    """The position of the value that negates the others, 0 where there is none."""
    return next((value for value, name in enumerate(names) if not name.startswith("Atom ")), 0)


def goal_names(task: Task) -> tuple[str, ...]:
    """The goal's facts by name, in the order of the task, which is not part of the search space."""
    names = []
    for variable, value in task.goal:
        value_names = task.variables[variable].value_names
        name = value_names[value]
        if not name.startswith(("Atom ", "NegatedAtom ")):
            name = "none of " + ", ".join(sorted(set(value_names) - {name}))
        names.append(name)
    return tuple(names)


def _require_known(what: str, found: tuple[str, ...], known: tuple[str, ...]) -> None:
    if unknown := sorted(set(found) - set(known)):
        raise InputError(
            f"the model is for another search space: the task has {what} that the model lacks: {_listed(unknown)}"
        )


def _require_present(what: str, known: tuple[str, ...], found: set[str]) -> None:
    if missing := sorted(set(known) - found):
        raise InputError(
            f"the model is for another search space: it has {what} that the task lacks: {_listed(missing)}"
        )


def _listed(names: tuple[str, ...] | list[str]) -> str:
    shown = "; ".join(names[:_NUM_SHOWN])
    return shown if len(names) <= _NUM_SHOWN else f"{shown} and {len(names) - _NUM_SHOWN} more"
