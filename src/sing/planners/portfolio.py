"""Several planners that share the time and the memory."""

from __future__ import annotations

import dataclasses
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from sing.base.errors import InputError, UnsupportedError
from sing.base.knobs import UnknownFieldError, text_of
from sing.base.outcome import Status
from sing.base.reporter import MemberReporter
from sing.networks.training import TrainingConfig
from sing.planners.attempt import Attempt
from sing.planners.context import Context
from sing.planners.planner import Planner
from sing.planners.side_by_side import side_by_side
from sing.task.task import Task


@dataclass(frozen=True)
class Portfolio(Planner):
    """Its members take turns, each with an equal share of the time that is left, or run side by side with several jobs.

    Whatever is a planner can be a member.
    """

    members: tuple[Planner, ...] = field(default=())

    def __post_init__(self) -> None:
        if not self.members:
            raise InputError(f"portfolio '{self.name}' has no members")

    def attempts(self, task: Task, context: Context) -> list[Attempt]:
        members = self._members_for(task, context)
        if context.jobs == 1:
            return self._take_turns(members, task, context)
        jobs = max(1, context.jobs // len(members))

        def run(position: int, own: Context) -> list[Attempt]:
            return members[position].attempts(task, dataclasses.replace(own, seed=context.seed, jobs=jobs))

        return side_by_side(task, [member.name for member in members], run, context)

    def check_task(self, task: Task) -> None:
        """Raise UnsupportedError where every member does."""
        errors = [error for error in (_refusal(member, task) for member in self.members) if error]
        if len(errors) == len(self.members):
            raise errors[0]

    def _members_for(self, task: Task, context: Context) -> list[Planner]:
        """Those that can work on the task; of the others it says why not. Raises UnsupportedError where none can."""
        self.check_task(task)
        able = []
        for member in self.members:
            if error := _refusal(member, task):
                context.reporter.done("learn", 0.0, f"{member.name} is left out: {error}")
            else:
                able.append(member)
        return able

    def _take_turns(self, members: list[Planner], task: Task, context: Context) -> list[Attempt]:
        """The decisive attempt is last."""
        attempts: list[Attempt] = []
        for position, member in enumerate(members):
            share = context.budget.slice(context.budget.remaining_s / (len(members) - position))
            reporter = MemberReporter(context.reporter, member.name, threading.Lock())
            attempts += member.attempts(task, dataclasses.replace(context, budget=share, reporter=reporter))
            if attempts[-1].is_decisive or attempts[-1].status is Status.INTERRUPTED:
                break
        return attempts

    @property
    def is_random(self) -> bool:
        return any(member.is_random for member in self.members)

    def first_only(self) -> Portfolio:
        return dataclasses.replace(self, members=tuple(member.first_only() for member in self.members))

    @property
    def trainings(self) -> tuple[TrainingConfig, ...]:
        return tuple(training for member in self.members for training in member.trainings)

    @property
    def parts(self) -> tuple[Planner, ...]:
        return self.members

    def parse(self, assignment: str) -> tuple[str, Any]:
        for member in self.members[:-1]:
            with suppress(UnknownFieldError):
                return member.parse(assignment)
        return self.members[-1].parse(assignment)

    def set(self, values: dict[str, Any]) -> Portfolio:
        """Each field is set in the members that have it. Raises InputError where none has."""
        members = self.members
        for name, value in values.items():
            changed, errors = [], []
            for member in members:
                try:
                    changed.append(member.set({name: value}))
                except UnknownFieldError as error:
                    changed.append(member)
                    errors.append(error)
            if len(errors) == len(members):
                raise errors[0]
            members = tuple(changed)
        words = " ".join(f"{name}={text_of(value)}" for name, value in values.items())
        return dataclasses.replace(self, name=f"{self.name} {words}", members=members)


def _refusal(member: Planner, task: Task) -> UnsupportedError | None:
    try:
        member.check_task(task)
    except UnsupportedError as error:
        return error
    return None
