"""What every handler of the sandbox shares: the world, its limits and faults, the streams, the figures."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

from aiohttp import web

from bot.sandbox.clock import SandboxClock
from bot.sandbox.faults import Faults
from bot.sandbox.limits import Limits
from bot.sandbox.lines import Ending, Label
from bot.sandbox.match import Match
from bot.sandbox.measurements import Measurements
from bot.sandbox.results import score_of
from bot.sandbox.streams import KEEP_ALIVE_S, Stream, Streams
from bot.sandbox.verdicts import Status
from bot.sandbox.world import World

Json = dict[str, Any]
T = TypeVar("T")
REPLY_DELAY_S = 0.5  # what lila takes for a claim, and before a move against its AI
SLOWER = 50 / 7  # the blank lines of streams that are not a bot's come every 50 s instead of 7
CLOCK_STEP_S = 0.01
_log = logging.getLogger(__name__)


class Site:
    def __init__(
        self,
        world: World,
        faults: Faults,
        limits: Limits,
        *,
        keep_alive_s: float = KEEP_ALIVE_S,
        reply_delay_s: float = REPLY_DELAY_S,
    ) -> None:
        self.world = world
        self.faults = faults
        self.limits = limits
        self.keep_alive_s = keep_alive_s
        self.slow_keep_alive_s = keep_alive_s * SLOWER
        self._reply_delay_s = reply_delay_s
        self.measured = Measurements()
        self.streams = Streams(self.measured)
        faults.on_change = self.streams.poke
        self.is_down = False
        self._deeds: set[asyncio.Future[Any]] = set()
        self._moved_on: list[Callable[[World], None]] = []
        self._stirred = asyncio.Event()
        self._leave: list[Callable[[], None]] = []
        self._look_at(world)

    def stream(self, kind: str, user: str = "", game: str = "") -> Stream:
        return Stream(Label(kind, user, game), self.faults, self.measured)

    async def carry_out(self, deed: Awaitable[T]) -> T:
        """A request once begun is carried out even if its sender has left meanwhile, as on lila."""
        task = asyncio.ensure_future(deed)
        self._deeds.add(task)
        task.add_done_callback(self._deeds.discard)
        return await asyncio.shield(task)

    async def pause(self) -> None:
        await asyncio.sleep(self._reply_delay_s)

    def _look_at(self, world: World) -> None:
        for leave in self._leave:
            leave()
        self._leave = [world.subscribe_deadline(self._stirred.set), world.subscribe_all(self._on_news)]
        self.world = world
        self._stirred.set()

    def _on_news(self, kind: str, facts: Json) -> None:
        if kind == "gameFinish":
            self.measured.forget(facts["id"])
            self._count(facts["match"])

    def _count(self, match: Match) -> None:
        for side, seat in match.seats.items():
            if seat.user_id is not None:
                flagged = match.status is Status.OUT_OF_TIME and match.turn is side
                self.measured.finished(seat.user_id, score_of(match, side), flagged=flagged)

    def replace_world(self, world: World) -> None:
        """Another world takes the place of this one: every stream is torn, and whoever asked is told."""
        world.site = self.world.site
        self._look_at(world)
        self.streams.end_all(Ending.RESET)
        for listener in tuple(self._moved_on):
            listener(world)

    def subscribe_world(self, listener: Callable[[World], None]) -> Callable[[], None]:
        """`listener` hears of every world that takes the place of the last; undone by what is returned."""
        self._moved_on.append(listener)

        def undo() -> None:
            with suppress(ValueError):
                self._moved_on.remove(listener)

        return undo

    async def keep_time(self) -> None:
        """Tick the world whenever it has something due; for ever, whatever a tick may run into."""
        while True:
            self._stirred.clear()
            deadline_ms = self.world.next_deadline_ms()
            wait_s = None
            if deadline_ms is not None:
                wait_s = max(CLOCK_STEP_S, (deadline_ms - self.world.now_ms()) / 1000)
            with suppress(TimeoutError):
                async with asyncio.timeout(wait_s):  # `wait_for` of 3.11 may swallow the end of this task
                    await self._stirred.wait()
            try:
                self.world.tick()
            except Exception:  # noqa: BLE001  time goes on for all other games
                _log.exception("sandbox_tick_failed")
                self.measured.failures += 1

    def clock(self) -> SandboxClock | None:
        """None when this world was given a clock nobody can move."""
        return self.world.now_ms if isinstance(self.world.now_ms, SandboxClock) else None

    def jump(self, ms: int) -> None:
        """Time leaps, if it can."""
        clock = self.clock()
        if clock is not None:
            clock.advance(ms)
            self.world.tick()
            self._stirred.set()

    def stir(self) -> None:
        """Time was stopped or set going: look at it again."""
        self._stirred.set()

    def go_down(self) -> None:
        """Every stream is torn, and until `come_up` every request is answered by the proxy alone."""
        self.is_down = True
        self.streams.end_all(Ending.RESET)

    def come_up(self) -> None:
        """Back from a restart, with the time lila gives to all clocks for it. Nothing when it is not down."""
        if self.is_down:
            self.is_down = False
            self.world.restart_bonus()

    def restart(self, down_ms: int) -> None:
        self.go_down()
        if down_ms:
            asyncio.get_running_loop().call_later(down_ms / 1000, self.come_up)
        else:
            self.come_up()

    def reopen(self) -> None:
        """Serve again, after `close`, the same world with the same figures."""
        self._look_at(self.world)

    async def close(self) -> None:
        """End what is open; deeds under way are given up."""
        self.streams.end_all(Ending.CLEAN)
        for leave in self._leave:
            leave()
        for deed in tuple(self._deeds):
            deed.cancel()
        await asyncio.gather(*self._deeds, return_exceptions=True)


SITE = web.AppKey("site", Site)
