"""The door to the database: facts are written behind our back, questions are answered by `ask`.

What a fact changes is folded into a record of its game, and the rows of records that changed are written
over: a fact told twice, a batch tried twice and a game resumed after a restart need no special case.
"""

import time
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Self

from sqlalchemy.exc import DataError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.game.facts import ChallengeGone, ChallengeJudged, Fact, GameOpened, Trouble, Witness
from bot.store.database import open_database, read_url, reason
from bot.store.openings import Openings, own_openings
from bot.store.queries import Queries, read_game
from bot.store.record import GameFact, Record
from bot.store.rows import GameRow
from bot.store.saving import write_challenge, write_game
from bot.store.writer import Writer

if TYPE_CHECKING:
    from bot.game.nouns import GameId

UNSAVED_KEPT = 1_000  # games that are over: an outage of days
SAVED_KEPT = 256  # any other is read again when a fact arrives about it
LOOSE_KEPT = 10_000
_POISON = (IntegrityError, DataError, ValueError, TypeError, OverflowError)  # the row's fault, not the disk's


class Store:
    """An async context manager. ConfigError if the database cannot be opened; later failures are survived."""

    def __init__(
        self,
        url: str,
        *,
        tell: Witness = lambda _: None,
        names: Openings | None = None,
        version: str = "",
        pause_s: float = 0.5,
        retry_s: float = 1.0,
        busy_ms: int = 5_000,
        close_s: float = 10.0,
    ) -> None:
        self._url, self._busy_ms, self._close_s = read_url(url), busy_ms, close_s
        self._complain, self._names, self._version = tell, names or own_openings(), version
        self._writer = Writer("store", self._fold, self._save, tell, pause_s=pause_s, retry_s=retry_s)
        self._records: dict[GameId, Record] = {}
        self._changed: dict[GameId, None] = {}  # a set in the order of the first change
        self._orphans: deque[GameFact] = deque(maxlen=LOOSE_KEPT)
        self._challenges: deque[ChallengeJudged | ChallengeGone] = deque(maxlen=LOOSE_KEPT)

    async def __aenter__(self) -> Self:
        self._engine = await open_database(self._url, busy_ms=self._busy_ms)
        self.ask = Queries(self._engine)
        self._writer.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        try:
            await self._writer.close(self._close_s)
        finally:
            await self._engine.dispose()

    def tell(self, fact: Fact) -> None:
        """A witness: returns at once, and what it heard is written soon."""
        if isinstance(fact, GameOpened | ChallengeJudged | ChallengeGone | GameFact):
            self._writer.tell(fact)

    async def settle(self) -> None:
        """Until everything told so far is in the database."""
        await self._writer.settle()

    def _fold(self, fact: Fact) -> None:
        match fact:
            case ChallengeJudged() | ChallengeGone():
                self._challenges.append(fact)
            case GameOpened(info=info):
                if info.id not in self._records:
                    row = GameRow(info, info.created_at_ms or fact.when_ms, self._version)
                    self._records[info.id] = Record(row, self._names)
                self._records[info.id].tell(fact)
                self._changed[info.id] = None
            case _ if isinstance(fact, GameFact):
                self._fold_of_game(fact)
            case _:
                pass

    def _fold_of_game(self, fact: GameFact) -> None:
        record = self._records.get(fact.game)
        if record is None:
            self._orphans.append(fact)  # of an earlier life: its record has to be read first
            return
        record.tell(fact)
        self._changed[fact.game] = None

    async def _save(self) -> None:
        self._drop_unsaved()
        try:
            async with self._engine.begin() as connection:
                await self._adopt(connection)
                for write in self._writes():
                    await write(connection)
        except _POISON:
            await self._save_one_by_one()
        for game in self._changed:
            self._records[game].mark_saved()
        self._changed.clear()
        self._challenges.clear()
        for game in list(self._records)[:-SAVED_KEPT]:
            del self._records[game]

    def _writes(self) -> list[Callable[[AsyncConnection], Awaitable[None]]]:
        games = [partial(write_game, record=self._records[game]) for game in self._changed]
        return [*games, *(partial(write_challenge, fact=fact) for fact in self._challenges)]

    async def _save_one_by_one(self) -> None:
        """Something in the batch can never be written: it is told and left out, the rest is saved."""
        for write in self._writes():
            try:
                async with self._engine.begin() as connection:
                    await write(connection)
            except _POISON as error:
                self._trouble("store_row_refused", reason(error))

    async def _adopt(self, connection: AsyncConnection) -> None:
        """Read what an earlier life wrote: of games resumed, and of games that facts arrive late for."""
        for game in self._changed:
            record = self._records[game]
            if record.is_fresh and (found := await read_game(connection, game)):
                record.recall(*found)
            record.is_fresh = False
        while self._orphans:
            game = self._orphans[0].game
            if game not in self._records and (found := await read_game(connection, game)):
                self._records[game] = Record.read(*found, self._names)
            fact = self._orphans.popleft()
            if game in self._records:
                self._fold_of_game(fact)

    def _drop_unsaved(self) -> None:
        """An outage must not eat the memory: of the games that are over the oldest go, and that is told."""
        over = [game for game in self._changed if self._records[game].is_over]
        for game in over[:-UNSAVED_KEPT]:
            del self._records[game], self._changed[game]
            self._trouble("store_game_lost", f"{game}: too many are waiting to be written")

    def _trouble(self, what: str, detail: str) -> None:
        self._complain(Trouble(what, detail, time.time_ns() // 1_000_000))
