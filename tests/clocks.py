"""A clock for budgets that does not depend on how busy the machine is."""

from __future__ import annotations


class Clock:
    """Stands still until its time is set, or goes on by `tick_s` whenever it is looked at.

    What the core does within a time limit it still measures by the clock of the machine: a phase that would go on for
    ever ends after as many real seconds as its budget says at its start.
    """

    def __init__(self, tick_s: float = 0.0) -> None:
        self.now_s = 0.0
        self.tick_s = tick_s

    def __call__(self) -> float:
        self.now_s += self.tick_s
        return self.now_s
