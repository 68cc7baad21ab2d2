"""How planning can end."""

from __future__ import annotations

import enum


class Status(enum.Enum):
    """The outcome of a run. Values are the `status` of the JSON output."""

    SOLVED = "solved"
    UNSOLVABLE = "unsolvable"
    OUT_OF_MEMORY = "out_of_memory"
    OUT_OF_TIME = "out_of_time"
    OUT_OF_WORK = "out_of_work"  # a search that was given only so much to do
    INTERRUPTED = "interrupted"

    @property
    def words(self) -> str:
        """For people: `out of time`."""
        return self.value.replace("_", " ")

    @property
    def exit_code(self) -> int:
        """Fast Downward's exit code; 130 for an interruption, as shells report Ctrl-C.

        >>> Status.UNSOLVABLE.exit_code
        11
        """
        return _EXIT_CODES[self]


_EXIT_CODES = {
    Status.SOLVED: 0,
    Status.UNSOLVABLE: 11,
    Status.OUT_OF_MEMORY: 22,
    Status.OUT_OF_TIME: 23,
    Status.OUT_OF_WORK: 12,
    Status.INTERRUPTED: 130,
}
