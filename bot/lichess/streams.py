"""An endless answer of Lichess, read by a thread and followed from the event loop.

A daemon thread a stream: it stamps each line as it arrives, turns it into our words and hands it over once.
The stamp is `time.monotonic()`, which is also the clock of asyncio's loop. Whoever stops following ends the
thread and its connection by shutting the socket down; closing the answer from here would wait for the reader.
"""

import asyncio
import json
import socket
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import suppress
from typing import NamedTuple, TypeVar

import requests
from berserk.formats import FormatHandler

from bot.lichess.lines import Ended, Opened
from bot.lichess.trouble import Explain

T = TypeVar("T")
NDJSON = "application/x-ndjson"


class Line(NamedTuple):
    """`data` is what the line says in JSON; where it is no JSON, its text."""

    data: object
    at: float


class Reading(FormatHandler[Line | Opened]):
    """One stream while it is read: berserk hands the answer to it. `cancel` may be called from anywhere."""

    def __init__(self) -> None:
        super().__init__(NDJSON)
        self._lock = threading.Lock()
        self._response: requests.Response | None = None
        self._socket: socket.socket | None = None
        self._is_cancelled = False
        self.opened_at: float | None = None
        self.heard_at: float | None = None  # blank lines count: they say that the other side lives
        self.blanks = 0

    @property
    def lived_s(self) -> float:
        return 0.0 if self.opened_at is None else time.monotonic() - self.opened_at

    @property
    def silent_s(self) -> float | None:
        """Since the last byte; None before the first."""
        return None if self.heard_at is None else time.monotonic() - self.heard_at

    def parse_stream(self, response: requests.Response) -> Iterator[Line | Opened]:
        try:
            if self._attach(response):
                yield from self._lines(response)
        finally:
            response.close()

    def _lines(self, response: requests.Response) -> Iterator[Line | Opened]:
        self.opened_at = self.heard_at = time.monotonic()
        yield Opened(self.opened_at)
        for raw in response.iter_lines():
            self.heard_at = at = time.monotonic()
            if not raw:
                self.blanks += 1
                continue
            try:
                yield Line(json.loads(raw), at)
            except ValueError:  # one bad line is no reason to lose the stream
                yield Line(raw.decode(errors="replace"), at)

    def _attach(self, response: requests.Response) -> bool:
        """False: it was cancelled while we connected."""
        with self._lock:
            self._response = response
            return not self._is_cancelled

    def awaits(self, sock: socket.socket | None) -> None:
        """The answer is expected from this socket; None: it has come, or will not."""
        with self._lock:
            self._socket = sock
            if self._is_cancelled and sock is not None:
                sock.shutdown(socket.SHUT_RDWR)

    def cancel(self) -> None:
        with self._lock, suppress(RuntimeError, ValueError, OSError):  # over already, perhaps somebody else's
            self._is_cancelled = True
            if self._response is not None:
                self._response.raw.shutdown()
            elif self._socket is not None:
                self._socket.shutdown(socket.SHUT_RDWR)


class Stream(NamedTuple):
    reading: Reading
    ask: Callable[[Reading], Iterator[Line | Opened]]  # blocks: sends the request, then reads
    name: str  # of the thread


async def follow(
    stream: Stream, read: Callable[[Line | Opened], T | None], explain: Explain
) -> AsyncGenerator[T | Ended, None]:
    """What `read` makes of each line, None left out; at last, always, one `Ended`. Use under `aclosing`."""
    loop = asyncio.get_running_loop()
    inbox: asyncio.Queue[T | Ended] = asyncio.Queue()
    reading, ask, name = stream

    def tell(item: T | Ended) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody is there to be told
            loop.call_soon_threadsafe(inbox.put_nowait, item)

    def run() -> None:
        error = None
        try:
            for line in ask(reading):
                item = read(line)
                if item is not None:
                    tell(item)
        except Exception as failure:  # noqa: BLE001  the boundary: every failure becomes one value
            error = explain(failure)
        tell(Ended(error, reading.lived_s))

    threading.Thread(target=run, name=name, daemon=True).start()
    try:
        while True:
            item = await inbox.get()
            yield item
            if isinstance(item, Ended):
                return
    finally:
        reading.cancel()
