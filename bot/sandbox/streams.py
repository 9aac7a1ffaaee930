"""The ndjson streams: a line a chunk, a blank one every 7 s whatever the traffic; who makes room for whom."""

import asyncio
import json
import socket
import struct
from collections import deque
from collections.abc import Hashable, Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from typing import Any, NamedTuple

from aiohttp import web

from bot.sandbox.faults import Fault, Faults, Kind
from bot.sandbox.measurements import Measurements

Json = dict[str, Any]
QUEUE_SIZE = 32
KEEP_ALIVE_S = 7.0
GONE = 499
HEADERS = {"Content-Type": "application/x-ndjson", "X-Accel-Buffering": "no", "Cache-Control": "no-cache"}
IS_STREAMING = web.RequestKey("is_streaming", bool)
NO_LINGER = struct.pack("ii", 1, 0)


class Ending(StrEnum):
    CLEAN = "clean"  # what is queued, then the last chunk
    RESET = "reset"  # the connection is torn


class Label(NamedTuple):
    """What a stream is of; faults and measurements tell streams apart by it."""

    kind: str
    user: str = ""
    game: str = ""


class Line(NamedTuple):
    data: bytes
    ply: int | None = None  # of the position it shows, if it shows one


BLANK = Line(b"\n")


def line_of(what: Json) -> Line:
    state = what.get("state", what)  # a gameFull holds its gameState
    moves = state.get("moves") if state.get("type") == "gameState" else None
    ply = None if moves is None else len(moves.split())
    return Line(
        json.dumps(what, separators=(",", ":"), ensure_ascii=False).encode(errors="replace") + b"\n", ply
    )


class LineQueue:
    """What waits to be written to one stream."""

    def __init__(self, size: int = QUEUE_SIZE) -> None:
        self._lines: deque[Line] = deque(maxlen=size)
        self._changed = asyncio.Event()
        self.ending: Ending | None = None

    def put(self, line: Line) -> bool:
        """Whether a line was lost to make room. What comes after the end is not wanted by anybody."""
        if self.ending is not None:
            return False
        was_full = len(self._lines) == self._lines.maxlen
        self._lines.append(line)
        self.poke()
        return was_full

    def take(self) -> Line | None:
        return self._lines.popleft() if self._lines else None

    def end(self, how: Ending = Ending.CLEAN) -> None:
        """The first end stands, but a reset overrules a clean one."""
        if self.ending is None or how is Ending.RESET:
            self.ending = how
            self.poke()

    def poke(self) -> None:
        """Let a waiting writer look again: an end or a fault may have come."""
        self._changed.set()

    async def wait(self) -> None:
        """Until there was a line, an end or a poke since the last wait."""
        await self._changed.wait()
        self._changed.clear()


class Tap:
    """The faults of one stream, struck as its lines pass."""

    def __init__(self, faults: Faults, label: Label) -> None:
        self._faults = faults
        self._label = label
        self._held: Line | None = None
        self._silent_since: int | None = None  # the generation of faults it was silenced by
        self.sent = 0

    def ending(self) -> Ending | None:
        due = self._due(Kind.DROP)
        return None if due is None else Ending(due.how)

    def is_silent(self) -> bool:
        """Once silent, silent until the faults are cleared."""
        if self._silent_since != self._faults.generation:
            self._silent_since = self._faults.generation if self._due(Kind.SILENCE) else None
        return self._silent_since is not None

    def injected(self) -> Line | None:
        due = self._due(Kind.LINE)
        return None if due is None else Line(due.body.encode() + b"\n")

    def alter(self, line: Line) -> list[Line]:
        """What is written in its place: nothing yet, once, twice, or it and the one held back before."""
        if self._held is not None:
            held, self._held = self._held, None
            return [line, held]
        if self._due(Kind.REORDER):
            self._held = line
            return []
        return [line, line] if self._due(Kind.DUPLICATE) else [line]

    def rest(self) -> list[Line]:
        held, self._held = self._held, None
        return [] if held is None else [held]

    def _due(self, kind: Kind) -> Fault | None:
        return self._faults.of_stream(kind, *self._label, self.sent)


class Stream:
    """One open response. `tell` is the listener a world is given: objects, and None at the end."""

    def __init__(self, label: Label, faults: Faults, measured: Measurements) -> None:
        self.label = label
        self.queue = LineQueue()
        self._tap = Tap(faults, label)
        self._measured = measured

    def tell(self, what: Json | None) -> None:
        if what is None:
            self.queue.end()
        else:
            self._put(line_of(what))

    def _put(self, line: Line) -> None:
        self._measured.lines_lost += self.queue.put(line)

    async def run(self, request: web.Request, keep_alive_s: float) -> web.StreamResponse:
        """Write until the end; the response, finished or torn. A reader who leaves cancels this."""
        response = web.StreamResponse(headers=HEADERS)  # of no known length: chunked, for all but HTTP/1.0
        try:
            await response.prepare(request)
        except ConnectionError:
            return web.Response(status=GONE)  # the reader left before the first byte; nobody will see it
        request[IS_STREAMING] = True
        with suppress(ConnectionError):  # a reader who is gone misses nothing
            with self._heartbeat(keep_alive_s):
                ending = await self._pump(response)
            if ending is Ending.RESET:
                tear(request)
            else:
                await response.write_eof()
        return response

    async def _pump(self, response: web.StreamResponse) -> Ending:
        while True:
            ending = self._tap.ending() or (self.queue.ending if self.queue.ending is Ending.RESET else None)
            if ending is not None:
                return ending
            if self._tap.is_silent():
                await self.queue.wait()
                continue
            line = self._tap.injected() or self.queue.take()
            if line is not None:
                await self._write(response, self._tap.alter(line) if line.data != BLANK.data else [line])
            elif self.queue.ending is not None:
                await self._write(response, self._tap.rest())
                return self.queue.ending
            else:
                await self.queue.wait()

    async def _write(self, response: web.StreamResponse, lines: list[Line]) -> None:
        for line in lines:
            if line.data != BLANK.data:
                self._tap.sent += 1
                self._measured.pushed(self.label.user, self.label.game, line.ply)
            await response.write(line.data)

    @contextmanager
    def _heartbeat(self, every_s: float) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        handle: asyncio.TimerHandle

        def beat(due_s: float) -> None:
            nonlocal handle
            self._measured.beat((loop.time() - due_s) * 1000)
            self._put(BLANK)
            handle = loop.call_at(due_s + every_s, beat, due_s + every_s)

        first_s = loop.time() + every_s
        handle = loop.call_at(first_s, beat, first_s)
        try:
            yield
        finally:
            handle.cancel()


class Streams:
    """Every open stream, and the older ones that must make room."""

    def __init__(self, measured: Measurements) -> None:
        self._open: set[Stream] = set()
        self._by_key: dict[Hashable, Stream] = {}
        self._measured = measured

    def __len__(self) -> int:
        return len(self._open)

    @contextmanager
    def opened(self, stream: Stream, key: Hashable = None) -> Iterator[None]:
        """Inside, the stream is open; an older one of the same key is ended. No key: there may be many."""
        if key is not None:
            older = self._by_key.get(key)
            if older is not None:
                self._measured.evicted(stream.label.kind, stream.label.user)
                older.queue.end()
            self._by_key[key] = stream
        self._open.add(stream)
        self._measured.opened(stream.label.kind, stream.label.user)
        try:
            yield
        finally:
            self._open.discard(stream)
            if key is not None and self._by_key.get(key) is stream:
                del self._by_key[key]

    def poke(self) -> None:
        """A fault was added or cleared: let every stream look at once."""
        for stream in self._open:
            stream.queue.poke()

    def end_all(self, how: Ending) -> None:
        for stream in tuple(self._open):
            stream.queue.end(how)


def tear(request: web.BaseRequest) -> None:
    """Reset the connection: the other side sees an error, never an orderly end."""
    if request.transport is None:
        return
    bare: socket.socket | None = request.transport.get_extra_info("socket")
    if bare is not None:
        bare.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
    request.transport.abort()
