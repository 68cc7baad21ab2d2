"""Child processes under a budget: waiting for one, and talking to one through pipes."""

from __future__ import annotations

import os
import select
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sing.base.budget import Budget, LimitReached
from sing.base.outcome import Status

_POLL_S = 0.05
_CHUNK_BYTES = 1 << 20


def wait_for(child: subprocess.Popen[bytes], budget: Budget, on_wait: Callable[[], object] = lambda: None) -> int:
    """The exit code of a child process. It is killed where the budget ends first, and LimitReached is raised.

    Children should have a session of their own: Ctrl-C then reaches us alone, and we end the child.
    """
    try:
        while True:
            try:
                return child.wait(timeout=_POLL_S)
            except subprocess.TimeoutExpired:
                budget.check()
                on_wait()
    finally:
        child.kill()
        child.wait()


@dataclass(frozen=True)
class Answer:
    """How a child ended, what it printed, and what it wrote to the files that were ours."""

    exit_code: int
    printed: str
    written: list[bytes]


def converse(
    command: Callable[[list[str]], list[str]],
    sent: list[bytes],
    num_written: int,
    budget: Budget,
    room_bytes: int,
    on_wait: Callable[[], object] = lambda: None,
) -> Answer:
    """Run a child that reads `sent` from files and writes to others, all of them pipes: nothing can stay behind.

    `command` gets the names of the files, those to read first. Standard input is a pipe that closes when we are gone.
    Raises LimitReached where the budget ends first or the child writes more than `room_bytes`, and OSError where it
    cannot be started.
    """
    pipes = _Pipes(sent, 1 + num_written)
    try:
        names = [f"/dev/fd/{end}" for end in pipes.theirs]
        child = subprocess.Popen(
            command(names[:-1]), stdin=subprocess.PIPE, stdout=pipes.theirs[-1], stderr=subprocess.STDOUT,
            start_new_session=True, pass_fds=pipes.theirs[:-1],
        )  # fmt: skip
        try:
            pipes.close(pipes.theirs)  # the child has copies; a pipe ends when these alone are closed
            *written, printed = pipes.exchange(budget, room_bytes, on_wait)
            exit_code = wait_for(child, budget, on_wait)
        finally:
            child.kill()
            child.wait()
            if child.stdin:
                child.stdin.close()
    finally:
        pipes.close()
    return Answer(exit_code, printed.decode(errors="replace"), written)


class _Pipes:
    """Pipes between us and a child: what we send, then what we receive. `theirs` are the child's ends."""

    def __init__(self, sent: list[bytes], num_received: int) -> None:
        self._sent: dict[int, memoryview] = {}
        self._received: dict[int, bytearray] = {}
        self.theirs: list[int] = []
        for data in sent:
            theirs, ours = os.pipe()
            self.theirs.append(theirs)
            self._sent[ours] = memoryview(data)
        for _ in range(num_received):
            ours, theirs = os.pipe()
            self.theirs.append(theirs)
            self._received[ours] = bytearray()
        for end in (*self._sent, *self._received):
            os.set_blocking(end, False)
        self._open = {*self.theirs, *self._sent, *self._received}

    def close(self, ends: Iterable[int] | None = None) -> None:
        """Close these ends, or all; those that are closed already stay so."""
        for end in list(self._open) if ends is None else ends:
            if end in self._open:
                self._open.remove(end)
                os.close(end)

    def exchange(self, budget: Budget, room_bytes: int, on_wait: Callable[[], object]) -> list[bytes]:
        """Send and receive until the child has closed all that it writes to. Raises LimitReached."""
        poller = select.poll()
        for end in (*self._sent, *self._received):
            poller.register(end, select.POLLOUT if end in self._sent else select.POLLIN)
        while any(end in self._open for end in self._received):
            budget.check()
            events = poller.poll(1000 * _POLL_S)
            for end, _ in events:
                is_over = self._send(end) if end in self._sent else self._receive(end)
                if is_over:
                    poller.unregister(end)
                    self.close([end])
            if sum(map(len, self._received.values())) > room_bytes:
                raise LimitReached(Status.OUT_OF_MEMORY)
            if not events:
                on_wait()
        return [bytes(data) for data in self._received.values()]

    def _send(self, end: int) -> bool:
        try:
            self._sent[end] = self._sent[end][os.write(end, self._sent[end][:_CHUNK_BYTES]) :]
        except BlockingIOError:
            return False
        except BrokenPipeError:  # it has read enough, or is gone
            return True
        return not self._sent[end]

    def _receive(self, end: int) -> bool:
        try:
            chunk = os.read(end, _CHUNK_BYTES)
        except BlockingIOError:
            return False
        self._received[end] += chunk
        return not chunk
