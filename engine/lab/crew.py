"""Processes that play what they are sent, one job at a time each.

Each is a fresh interpreter at the other end of a pipe and ends when the pipe does, so none outlives a tuner
that was killed. Ctrl-C is for the tuner alone, which then ends them.
"""

import contextlib
import multiprocessing
import signal
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import NamedTuple, Self

from engine.lab.duel import Arena, Score, Terms, Values
from engine.lab.openings import Opening

GRACE_S = 5.0  # between being told to end and being made to


class Job(NamedTuple):
    number: int  # of the trial
    plus: Values
    minus: Values
    openings: tuple[Opening, ...]  # a pair of games from each


class Played(NamedTuple):
    number: int
    scores: tuple[Score, ...]


class CrewError(RuntimeError):
    """A process that cannot go on, and why."""


def _serve(pipe: Connection, terms: Terms) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    arena = Arena(terms)
    with contextlib.suppress(EOFError, ConnectionError):  # nobody is left to play for
        while True:
            pipe.send(_attempt(arena, pipe.recv()))


def _attempt(arena: Arena, job: Job) -> Played | str:
    try:
        return Played(job.number, tuple(arena.pair(job.plus, job.minus, each) for each in job.openings))
    except Exception as error:  # noqa: BLE001 -- a process' boundary: the error is handed to the caller
        return f"iteration {job.number}: {type(error).__name__}: {error}"


class Crew:
    """`give` while someone is idle, `hear` what was played. Leaving its `with` drops games under way."""

    def __init__(self, size: int, terms: Terms) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would copy locks that other threads hold
        self._idle: list[Connection] = []
        self._busy: list[Connection] = []
        self._woken, self._alarm = context.Pipe(duplex=False)
        self._processes = []
        for _ in range(size):
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs, terms), daemon=True)
            process.start()
            theirs.close()
            self._processes.append(process)
            self._idle.append(ours)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.join(GRACE_S)
            process.kill()
            process.join()
        for pipe in (*self._idle, *self._busy, self._woken, self._alarm):
            pipe.close()

    @property
    def idle(self) -> int:
        return len(self._idle)

    def give(self, job: Job) -> None:
        pipe = self._idle.pop()
        self._busy.append(pipe)
        with contextlib.suppress(ConnectionError):  # it has died: `hear` will say so
            pipe.send(job)

    def wake(self) -> None:
        """End the wait in `hear`; safe inside a signal handler."""
        self._alarm.send(None)

    def hear(self) -> list[Played]:
        """What has been played since; waits until there is something, or for `wake`. CrewError."""
        ready = wait([*self._busy, self._woken])
        heard = []
        for pipe in [pipe for pipe in self._busy if pipe in ready]:
            try:
                answer: Played | str = pipe.recv()
            except (EOFError, ConnectionError):
                raise CrewError("a playing process has died") from None
            if isinstance(answer, str):
                raise CrewError(answer)
            heard.append(answer)
            self._busy.remove(pipe)
            self._idle.append(pipe)
        return heard
