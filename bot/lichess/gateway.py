"""How the service speaks to Lichess without ever blocking the loop: lanes, streams, limits and patience.

Moves have a lane of their own, with connections that are kept warm while games run; all else has another.
"""

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager, suppress
from types import TracebackType
from typing import Any, Self, TypeVar

from bot.errors import RateLimited, Refused, Unreachable
from bot.lichess.backoff import Backoff
from bot.lichess.lanes import Door, Lane, open_door
from bot.lichess.limits import Kind, Limits
from bot.lichess.lines import Ended, Opened
from bot.lichess.session import PATIENCE, BotSession, Patience, checked, origin, user_agent
from bot.lichess.streams import Line, Reading, Stream, follow
from bot.lichess.trouble import explainer

T = TypeVar("T")
Call = Callable[[Door], T]
GAMES_A_CONNECTION = 8  # a move takes a tenth of a second, and a game asks for one every other second
SPARE_CONNECTIONS = 2  # one of them may just be pinged when a move is to go out
STREAMS_KEPT = 64  # connections of ended streams that wait for the next
PING = "/__ping"  # costs Lichess nothing; whatever it answers, the connection was used


class Gateway:
    """Use as an async context manager. `limits` is read and written here, and kept by whoever made it."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        version: str,
        name: str = "",
        limits: Limits | None = None,
        patience: Patience = PATIENCE,
        lanes: int = 8,
        rng: random.Random | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._url, self._token = origin(url), checked(token)
        self._agent = user_agent(version, name)
        self.limits = Limits() if limits is None else limits
        self._patience, self._rng, self._now = patience, rng or random.Random(), now
        self._explain = explainer(token)
        self._moves = self._lane("moves", lanes, patience.move_s)
        self._calls = self._lane("calls", max(2, lanes // 2), patience.answer_s)
        self._streaming = self._door(patience.answer_s, STREAMS_KEPT)
        self._readings: dict[str, Reading] = {}
        self._games_followed = 0
        self._game_opened = asyncio.Event()
        self._warming: asyncio.Task[None] | None = None

    def _door(self, answer_s: float, connections: int = 1) -> Door:
        timeout = (self._patience.connect_s, answer_s)
        session = BotSession(self._token, agent=self._agent, timeout=timeout, connections=connections)
        return open_door(session, self._url)

    def _lane(self, name: str, workers: int, answer_s: float) -> Lane:
        return Lane(name, workers, lambda: self._door(answer_s), self._explain)

    async def __aenter__(self) -> Self:
        self._warming = asyncio.create_task(self._keep_warm(), name="lichess warmth")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._warming is not None:
            self._warming.cancel()
            with suppress(asyncio.CancelledError):
                await self._warming
        for reading in self._readings.values():
            reading.cancel()
        await asyncio.gather(self._moves.leave(), self._calls.leave())
        self._streaming.session.close()

    async def _ask(self, kind: Kind, call: Call[T], *, cost: int = 1, opponent: str = "") -> T:
        """Once. RateLimited, without a request, while this kind must wait."""
        wait_s = self.limits.wait_s(kind, self._now(), cost)
        if wait_s:
            raise RateLimited(wait_s, f"our own limit: {kind}")
        self.limits.spend(kind, self._now(), cost)
        lane = self._moves if kind is Kind.MOVE else self._calls
        try:
            found = await lane.ask(call)
        except RateLimited as error:
            raise self._obeyed(kind, error, opponent) from None
        self.limits.succeeded(kind, self._now())
        return found

    async def _surely(self, kind: Kind, call: Call[T], *, opponent: str = "") -> T:
        """Again and again while Lichess is unreachable, for so long as patience lasts."""
        loop = asyncio.get_running_loop()
        give_up_at = loop.time() + self._patience.retry_s
        backoff = Backoff(first_s=0.4, cap_s=2.0)
        while True:
            try:
                return await self._ask(kind, call, opponent=opponent)
            except Unreachable:
                backoff = backoff.failed()
                pause_s = backoff.pause_s(self._rng)
                if loop.time() + pause_s >= give_up_at:
                    raise
                await asyncio.sleep(pause_s)

    async def _done(self, kind: Kind, call: Call[object], *, opponent: str = "") -> None:
        """As `_surely`, for a deed: refused after an attempt that may have been heard, it was heard."""
        attempts = 0

        def attempt(door: Door) -> None:
            nonlocal attempts
            attempts += 1
            try:
                call(door)
            except Exception as failure:  # noqa: BLE001  explained, and raised again unless it means success
                error = self._explain(failure)
                if attempts == 1 or not isinstance(error, Refused):
                    raise error from None

        await self._surely(kind, attempt, opponent=opponent)

    def _obeyed(self, kind: Kind, error: RateLimited, opponent: str = "") -> RateLimited:
        """The same, with the time it really means, and written down."""
        seconds = self.limits.limited(
            kind, self._now(), error.seconds, error.key, opponent=opponent, theirs=error.theirs
        )
        return RateLimited(seconds, error.key, theirs=error.theirs)

    async def _follow(
        self,
        kind: Kind,
        name: str,
        path: str,
        silence_s: float,
        read: Callable[[Line | Opened], T | None],
        form: dict[str, Any] | None = None,
        opponent: str = "",
    ) -> AsyncGenerator[T | Ended, None]:
        """One connection to a stream; `form` makes it a POST."""
        timeout = (self._patience.connect_s, silence_s)

        def ask(reading: Reading) -> Iterator[Line | Opened]:
            method = "GET" if form is None else "POST"
            found: Iterator[Line | Opened] = self._streaming.ask.request(
                method, path, stream=True, fmt=reading, json=form, timeout=timeout, on_socket=reading.awaits
            )
            return found

        self._readings[name] = reading = Reading()
        try:
            stream = Stream(reading, ask, f"lichess {name}")
            async with aclosing(follow(stream, read, self._explain)) as items:
                async for item in items:
                    if isinstance(item, Ended) and isinstance(item.error, RateLimited):
                        yield Ended(self._obeyed(kind, item.error, opponent), item.lived_s)
                    else:
                        yield item
        finally:
            if self._readings.get(name) is reading:
                del self._readings[name]

    @contextmanager
    def _following_a_game(self) -> Iterator[None]:
        self._games_followed += 1
        self._game_opened.set()
        try:
            yield
        finally:
            self._games_followed -= 1
            if not self._games_followed:
                self._game_opened.clear()

    async def _keep_warm(self) -> None:
        """While a game is followed, the connections for its moves are never idle for long."""
        while True:
            await self._game_opened.wait()
            count = SPARE_CONNECTIONS + (self._games_followed - 1) // GAMES_A_CONNECTION
            await self._moves.warm(
                count, self._patience.warm_s, lambda door: door.session.request("GET", self._url + PING)
            )
            await asyncio.sleep(self._patience.warm_s)
