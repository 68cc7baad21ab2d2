"""Beam search by scanning lists: slow, and obvious."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence

import reference

from sing import _core
from sing.search.beam import BeamConfig
from sing.task.plan import State
from sing.task.task import Task

Estimates = Callable[[State, Sequence[int]], list[float | None]]


class Beam:
    """One beam, layer by layer. After run() all layers can be looked at."""

    def __init__(
        self,
        task: Task,
        estimates: Estimates,
        config: BeamConfig,
        seed: int,
        cost_limit: float = math.inf,
        starts_dead: bool = False,
    ) -> None:
        self.task = task
        self.starts_dead = starts_dead  # the heuristic sees a dead end in the initial state
        self.estimates = estimates
        self.config = config
        self.seed = seed
        self.cost_limit = cost_limit
        self.space = _core.StateSpace(task.core)
        self.layers: list[dict[State, tuple[State | None, int, int]]] = []  # parent, operator and cost of each state
        self.remembered: list[set[State]] = [set()]  # the newest last
        self.num_in_newest = 0
        self.facts: dict[int, set[tuple[int, int]]] = defaultdict(set)  # of kept states, by open goals
        self.num_expanded = self.num_generated = 0
        self.is_complete = True
        self.plan: list[int] | None = None

    def run(self) -> None:
        start = self.task.initial_state
        if reference.num_open_goals(self.task, start) == 0:
            self.plan = [] if self.cost_limit > 0 else None
        elif self.cost_limit > 0 and not self.starts_dead:
            self._keep({start: (None, -1, 0)})
            while self.layers[-1] and self.plan is None:
                self._next_layer()

    def _next_layer(self) -> None:
        found: dict[State, tuple[State | None, int, int]] = {}
        for parent, (_, _, parent_cost) in self.layers[-1].items():
            self.num_expanded += 1
            for position in self.space.applicable(parent):
                self.num_generated += 1
                operator = self.task.operators[position]
                cost = parent_cost + (operator.cost if self.task.core.uses_costs else 1)
                after = reference.successor(self.task, operator, parent)
                if cost >= self.cost_limit:
                    continue
                if reference.num_open_goals(self.task, after) == 0:
                    self.plan = [*self._trace(parent), position]
                    return
                if any(after in states for states in self.remembered):
                    continue
                if after not in found or cost < found[after][2]:
                    found[after] = (parent, position, cost)
        ranks = {}
        for number, (state, (parent, position, _)) in enumerate(found.items()):
            (estimate,) = self.estimates(parent, [position])
            if estimate is not None:
                is_known = self.config.novelty and not self._is_novel(state)
                tie = _core.testing.beam_tie(self.task.core, state, self.seed)
                ranks[state] = (is_known, estimate, tie, number)
        best = sorted(ranks, key=lambda state: ranks[state])[: self.config.width or None]
        self.is_complete &= len(best) == len(ranks)
        self._keep({state: origin for state, origin in found.items() if state in set(best)})

    def _is_novel(self, state: State) -> bool:
        return bool(set(enumerate(state)) - self.facts[reference.num_open_goals(self.task, state)])

    def _keep(self, layer: dict[State, tuple[State | None, int, int]]) -> None:
        if self.config.history and self.num_in_newest == self.config.history:
            self.remembered = [self.remembered[-1], set()]
            self.num_in_newest = 0
        self.num_in_newest += 1
        self.remembered[-1].update(layer)
        self.layers.append(layer)
        for state in layer:
            self.facts[reference.num_open_goals(self.task, state)].update(enumerate(state))

    def _trace(self, state: State) -> list[int]:
        plan = []
        for layer in reversed(self.layers):
            parent, position, _ = layer[state]
            if parent is None:
                break
            plan.append(position)
            state = parent
        return plan[::-1]
