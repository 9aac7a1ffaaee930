"""What stays of the games: database and PGN files, opened beside the games and written behind their back.

Whatever either of them does, no game waits for it and none is lost by it.
"""

import asyncio
import random
from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack, suppress
from importlib import import_module
from typing import TYPE_CHECKING

from bot.config.model import Config
from bot.errors import BotError, ConfigError
from bot.game.facts import GameOpened, Trouble
from bot.game.nouns import GameId
from bot.lichess.backoff import Backoff
from bot.play.tally import DAY_S
from bot.play.walltime import wall_ms
from bot.play.witnesses import Witnesses

if TYPE_CHECKING:
    from bot.store.rows import GameRow, MoveRow
    from bot.store.store import Store

PATIENCE_S = 2.0  # nothing that a game asks of the database is waited for any longer
AGAIN_S = 2.0  # until a database that could not be opened is tried again; longer each time
GAMES_A_DAY = 1000

Met = tuple[float, str, GameId]  # when (wall seconds), with whom, in which game


class Records:
    """`others` is set when everybody else who wants to hear the facts of the start has come."""

    def __init__(self, config: Config, version: str, tell: Witnesses, others: asyncio.Event) -> None:
        self._config, self._version, self._tell, self._others = config, version, tell, others
        self._open = asyncio.Event()
        self.store: Store | None = None

    async def keep(self, met: Callable[[Iterable[Met]], None]) -> None:
        """Until cancelled, and then until everything told is written. ConfigError: that can never be.

        `met` is told whom we played in the last day, before this start.
        """
        await asyncio.to_thread(import_module, "bot.store.store")  # half a second that no clock can spare
        async with AsyncExitStack() as database, AsyncExitStack() as files:  # filed before that closes
            if self._config.pgn.enabled:
                await self._open_files(files)
            self.store = await self._open_store(database)
            self._tell.join(self.store.tell)
            await self._others.wait()
            self._tell.forget_early()
            self._open.set()
            met(await self._met(self.store))
            await asyncio.Event().wait()

    async def opened(self) -> "Store":
        """As soon as it is open and hears everything."""
        await self._open.wait()
        assert self.store is not None  # it was opened before that was said
        return self.store

    async def settle(self) -> None:
        """Until everything told so far is in the database."""
        await (await self.opened()).settle()

    async def before_leaving(self) -> None:
        """Where we are to leave so soon that games were played and the database is not open yet."""
        if self._tell.remembers(GameOpened):
            with suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE_S):
                    await self._open.wait()

    async def takebacks_given(self, game: GameId) -> int:
        """Before a restart; 0 where the database does not say in time."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await (await self.opened()).ask.takebacks_given(game)
        except (TimeoutError, BotError):
            return 0

    async def _open_files(self, stack: AsyncExitStack) -> None:
        from bot.store.pgnfiles import PgnWriter  # noqa: PLC0415  as `keep` says

        writer = PgnWriter(
            self._config.pgn_folder,
            per=self._config.pgn.per,
            tell=self._tell,
            recall=self._recall,
            site=self._config.lichess.url,
            version=self._version,
        )
        self._tell.join((await stack.enter_async_context(writer)).tell)

    async def _recall(self, game: GameId) -> "tuple[GameRow, tuple[MoveRow, ...]] | None":
        if self.store is None:
            raise BotError("the database is not open")
        return await self.store.ask.game(game)

    async def _open_store(self, stack: AsyncExitStack) -> "Store":
        """As soon as it can be had. ConfigError: such a database cannot be."""
        from bot.store.store import Store  # noqa: PLC0415  as `keep` says

        backoff, rng = Backoff(first_s=AGAIN_S, cap_s=60.0), random.Random()
        while True:
            store = Store(self._config.database_url, tell=self._tell, version=self._version)
            try:
                return await stack.enter_async_context(store)
            except ConfigError as error:
                backoff = backoff.failed()
                pause_s = backoff.pause_s(rng)
                self._tell(Trouble("records_wait", f"{error} Next try in {pause_s:.0f} s", wall_ms()))
                await asyncio.sleep(pause_s)

    async def _met(self, store: "Store") -> list[Met]:
        from bot.store.wanted import Wanted  # noqa: PLC0415  as `keep` says

        since_ms = wall_ms() - round(DAY_S * 1000)
        try:
            games = await store.ask.games(Wanted(since_ms=since_ms), limit=GAMES_A_DAY)
        except BotError as error:
            self._tell(Trouble("opponents_unknown", str(error), wall_ms()))
            return []
        return [(row.began_ms / 1000, row.info.opponent.id or "?", row.id) for row in games]
