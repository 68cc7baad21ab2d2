"""Search spaces by name, and how their states become the inputs of a network."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sing import _core
from sing.errors import InputError
from sing.task import Task

ENCODINGS = ("boolean", "sas")
# Names of differing atoms shown in an error before "and 12 more".
_NUM_SHOWN = 3


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
            raise InputError(f"there is no encoding '{self.kind}'; there are {', '.join(ENCODINGS)}")

    @classmethod
    def of(cls, task: Task, kind: str) -> Encoding:
        variables = tuple(variable.value_names for variable in task.variables) if kind == "sas" else ()
        return cls(kind, task.atoms, _goal_names(task), variables)

    @property
    def num_inputs(self) -> int:
        return len(self.variables) if self.kind == "sas" else len(self.atoms)

    def features(self, task: Task) -> _core.Features:
        """What each fact of `task` contributes to the input vector.

        Raises InputError where the task is of another search space: another goal, or atoms not known here.
        """
        if self.goal is not None:
            _require_same("goals", self.goal, _goal_names(task))
        _require_known("atoms", task.atoms, self.atoms)
        undefined = [-1] * len(task.variables)
        if self.kind == "boolean":
            input_of = {atom: position for position, atom in enumerate(self.atoms)}
            inputs = [input_of.get(name, -1) for variable in task.variables for name in variable.value_names]
            coefficients = [1.0] * len(inputs)
        else:
            inputs, coefficients, undefined = self._sas_features(task)
        return _core.Features(
            task.core,
            self.num_inputs,
            np.array(inputs, dtype=np.int64),
            np.array(coefficients, dtype=np.float32),
            np.array(undefined, dtype=np.int64),
            np.full(len(undefined), -1, dtype=np.float32),
        )

    def _sas_features(self, task: Task) -> tuple[list[int], list[float], list[int]]:
        position_of = {frozenset(names): position for position, names in enumerate(self.variables)}
        inputs, coefficients, undefined = [], [], []
        for variable in task.variables:
            position = position_of.get(frozenset(variable.value_names))
            if position is None:
                raise InputError(
                    "the model numbers the values of variables, and this task groups its atoms into other variables: "
                    f"{_listed(variable.value_names)} are one here"
                )
            value_of = {name: value for value, name in enumerate(self.variables[position])}
            undefined.append(position)
            for name in variable.value_names:
                inputs.append(position)
                coefficients.append(float(value_of[name]))
        return inputs, coefficients, undefined


def _goal_names(task: Task) -> tuple[str, ...]:
    """The goal's facts by name, sorted: the translator's order is not part of the search space."""
    names = []
    for variable, value in task.goal:
        value_names = task.variables[variable].value_names
        name = value_names[value]
        if not name.startswith(("Atom ", "NegatedAtom ")):
            name = "none of " + ", ".join(sorted(set(value_names) - {name}))
        names.append(name)
    return tuple(sorted(names))


def _require_same(what: str, known: tuple[str, ...], found: tuple[str, ...]) -> None:
    _require_known(what, found, known)
    if missing := sorted(set(known) - set(found)):
        raise InputError(
            f"the model is for another search space: it has {what} that the task lacks: {_listed(missing)}"
        )


def _require_known(what: str, found: tuple[str, ...], known: tuple[str, ...]) -> None:
    if unknown := sorted(set(found) - set(known)):
        raise InputError(
            f"the model is for another search space: the task has {what} that the model lacks: {_listed(unknown)}"
        )


def _listed(names: tuple[str, ...] | list[str]) -> str:
    shown = "; ".join(names[:_NUM_SHOWN])
    return shown if len(names) <= _NUM_SHOWN else f"{shown} and {len(names) - _NUM_SHOWN} more"
