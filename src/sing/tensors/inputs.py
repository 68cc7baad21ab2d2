"""States on a device as inputs of a network: which row of the first layer each value adds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from sing.networks.encoding import FactInputs
from sing.task.task import Task
from sing.tensors.moves import MoveTask
from sing.tensors.tables import MoveTables

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class StateInputs:
    """`matrix` [values of all variables, inputs] is what each value contributes, `constant` what every state does."""

    matrix: Floats
    constant: Floats
    offsets: torch.Tensor  # [variables]: where the values of each begin

    @classmethod
    def of(cls, task: Task, moves: MoveTask, tables: MoveTables, fact_inputs: FactInputs) -> StateInputs:
        first_fact = np.cumsum([0, *(len(variable.value_names) for variable in task.variables)])
        matrix = np.zeros((sum(moves.sizes), len(fact_inputs.constant)), dtype=np.float32)
        row = 0
        for by_value in moves.core_facts:
            for facts in by_value:
                for variable, value in facts:
                    fact = first_fact[variable] + value
                    if fact_inputs.inputs[fact] >= 0:
                        matrix[row, fact_inputs.inputs[fact]] += fact_inputs.coefficients[fact]
                row += 1
        offsets = np.cumsum([0, *moves.sizes[:-1]])
        return cls(matrix, fact_inputs.constant, torch.from_numpy(offsets).to(tables.device))

    @property
    def num_inputs(self) -> int:
        return len(self.constant)

    def rows(self, states: torch.Tensor) -> torch.Tensor:
        """[states, variables]: positions in the matrix."""
        return states + self.offsets

    def single(self) -> npt.NDArray[np.int64]:
        """By row of the matrix: its one input, which it adds 1 to; -1 where it adds nothing.

        Raises ValueError where a row is anything else, or there are constants: such inputs are evaluated, not learned.
        """
        is_one = (self.matrix == 1).sum(1)
        if self.constant.any() or ((self.matrix != 0).sum(1) != is_one).any() or (is_one > 1).any():
            raise ValueError("values have several inputs, or other coefficients than 1")
        return np.where(is_one > 0, self.matrix.argmax(1), -1)
