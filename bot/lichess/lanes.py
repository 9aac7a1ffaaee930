"""Blocking calls on threads of their own, each thread with a session and so a connection of its own.

A lane is a few such workers. The one that worked last is asked first, because its connection is the warmest;
only when none is idle does a call wait. State is touched on the event loop alone: there is nothing to lock.
Threads are daemons: a call that hangs delays nobody's leaving.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeVar

import berserk

from bot.errors import LichessError
from bot.lichess.session import BotSession
from bot.lichess.trouble import Explain

T = TypeVar("T")
Ask = berserk.Requestor[dict[str, Any]]
Tell = Callable[..., None]
LEAVE_S = 0.5


def _call(loop: asyncio.AbstractEventLoop, what: Callable[..., None], *told: Any) -> None:
    with suppress(RuntimeError):  # the loop is closed: nobody is waiting
        loop.call_soon_threadsafe(what, *told)


class Door(NamedTuple):
    """One session, as berserk's client and, for what that lacks, as its bare requestor."""

    session: BotSession
    client: berserk.Client
    ask: Ask


def open_door(session: BotSession, url: str) -> Door:
    return Door(session, berserk.Client(session, base_url=url), Ask(session, url, default_fmt=berserk.JSON))


class _Job(NamedTuple):
    call: Callable[[Door], Any]
    done: asyncio.Future[Any]


class _Worker:
    def __init__(self, name: str, open_door: Callable[[], Door], explain: Explain) -> None:
        self._open_door = open_door
        self._explain = explain
        self._jobs: SimpleQueue[tuple[_Job, Tell] | Callable[[], None]] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self.used_at = float("-inf")  # loop time; never used means that it has no connection yet

    def give(self, job: _Job, tell: Tell) -> None:
        if not self.has_begun:
            self._thread.start()
        self._jobs.put((job, tell))

    @property
    def has_begun(self) -> bool:
        return self._thread.ident is not None

    def leave(self, tell_gone: Callable[[], None]) -> None:
        self._jobs.put(tell_gone)

    def _run(self) -> None:
        door = self._open_door()
        with door.session:
            while isinstance(given := self._jobs.get(), tuple):
                job, tell = given
                result, error = None, None
                try:
                    result = job.call(door)
                except Exception as failure:  # noqa: BLE001  the boundary: it is raised again on the loop
                    error = self._explain(failure)  # here, for the answer may still have to be read
                tell(self, job, result, error)
        given()


class Lane:
    def __init__(self, name: str, workers: int, open_door: Callable[[], Door], explain: Explain) -> None:
        self._workers = [
            _Worker(f"lichess {name} {number}", open_door, explain) for number in range(1, workers + 1)
        ]
        self._idle = list(reversed(self._workers))  # the last is asked first
        self._waiting: deque[_Job] = deque()

    async def ask(self, call: Callable[[Door], T]) -> T:
        """Its result, or a LichessError. Who is cancelled meanwhile leaves the call to end by itself."""
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        job = _Job(call, done)
        if self._idle:
            self._give(self._idle.pop(), job)
        else:
            self._waiting.append(job)
        return await done

    async def warm(self, count: int, idle_s: float, ping: Callable[[Door], object]) -> None:
        """`ping` through those of the `count` hottest workers that have been idle for so long, one by one."""
        loop = asyncio.get_running_loop()
        for worker in self._idle[-count:]:
            if worker in self._idle and worker.used_at <= loop.time() - idle_s:
                self._idle.remove(worker)
                done: asyncio.Future[object] = loop.create_future()
                self._give(worker, _Job(ping, done))
                with suppress(LichessError):  # it warms or it does not
                    await done

    async def leave(self) -> None:
        """Close the connections; whoever is in the middle of a call is waited for a little, then left."""
        loop = asyncio.get_running_loop()
        gone = []
        for worker in self._workers:
            if worker.has_begun:
                left: asyncio.Future[None] = loop.create_future()
                gone.append(left)
                worker.leave(partial(_call, loop, left.set_result, None))
        if gone:
            await asyncio.wait(gone, timeout=LEAVE_S)

    def _give(self, worker: _Worker, job: _Job) -> None:
        worker.give(job, partial(_call, asyncio.get_running_loop(), self._finished))

    def _finished(self, worker: _Worker, job: _Job, result: Any, error: LichessError | None) -> None:
        if not job.done.done():
            if error is None:
                job.done.set_result(result)
            else:
                job.done.set_exception(error)
        worker.used_at = asyncio.get_running_loop().time()
        while self._waiting:
            waiting = self._waiting.popleft()
            if not waiting.done.done():
                self._give(worker, waiting)
                return
        self._idle.append(worker)
