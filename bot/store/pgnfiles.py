"""The PGN of every game in a folder: a file a day or a file a game, written when the game is over.

A crash leaves no half game: a text is whole in a `.part` file before it goes where it belongs, and what was
left on the way is finished at the next start.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Literal, Self

from bot.errors import BotError, ConfigError
from bot.game.facts import Fact, GameOpened, Witness
from bot.game.nouns import GameId
from bot.store.disk import append_whole, holds, recover, safe, write_whole
from bot.store.openings import Openings, own_openings
from bot.store.pgn import began, pgn_of, player_name
from bot.store.record import GameFact, Record
from bot.store.rows import GameRow, MoveRow
from bot.store.writer import Writer

Recall = Callable[[GameId], Awaitable[tuple[GameRow, tuple[MoveRow, ...]] | None]]
UNWRITTEN_KEPT = 1_000
ALIVE_KEPT = 2_000  # games whose end we never heard of must not pile up


async def _no_memory(_: GameId) -> None:
    return None


class PgnWriter:
    """An async context manager and a witness.

    `recall`: what the database has of a game begun in an earlier life (`Queries.game`); without it, or while
    it fails, the plies of that life have no comments.
    """

    def __init__(
        self,
        folder: Path,
        *,
        per: Literal["day", "game"] = "day",
        tell: Witness = lambda _: None,
        recall: Recall = _no_memory,
        site: str = "https://lichess.org",
        names: Openings | None = None,
        version: str = "",
        late_s: float = 1.0,
        retry_s: float = 1.0,
        close_s: float = 5.0,
    ) -> None:
        self._folder, self._per, self._recall, self._site = folder, per, recall, site
        self._names, self._version = names or own_openings(), version
        self._close_s = close_s
        self._writer = Writer("pgn", self._fold, self._save, tell, pause_s=late_s, retry_s=retry_s)
        self._records: dict[GameId, Record] = {}
        self._resumed: set[GameId] = set()
        self._waited_for: set[GameId] = set()

    async def __aenter__(self) -> Self:
        try:
            await asyncio.to_thread(recover, self._folder)
        except OSError as error:
            raise ConfigError(f"pgn: {self._folder} cannot be written ({error.strerror})") from None
        self._writer.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._writer.close(self._close_s)

    def tell(self, fact: Fact) -> None:
        if isinstance(fact, GameOpened | GameFact):
            self._writer.tell(fact)

    async def settle(self) -> None:
        """Until the PGN of every game that is over is on the disk."""
        await self._writer.settle()

    def _fold(self, fact: Fact) -> None:
        if isinstance(fact, GameOpened):
            self._open(fact)
        elif isinstance(fact, GameFact) and (record := self._records.get(fact.game)):
            record.tell(fact)

    def _open(self, fact: GameOpened) -> None:
        game = fact.info.id
        if game not in self._records:
            row = GameRow(fact.info, fact.info.created_at_ms or fact.when_ms, self._version)
            self._records[game] = Record(row, self._names)
            for old in list(self._records)[:-ALIVE_KEPT]:
                self._gone(old)
        if fact.resumed:
            self._resumed.add(game)
        self._records[game].tell(fact)

    async def _save(self) -> None:
        over = [game for game, record in self._records.items() if record.is_over]
        for game in over[:-UNWRITTEN_KEPT]:
            self._gone(game)
        for game in over[-UNWRITTEN_KEPT:]:
            record = self._records[game]
            if record.lacks_thought and game not in self._waited_for:
                self._waited_for.add(game)  # the answer to our last move may come after the end: one round
                self._writer.wake()
                continue
            await self._remember(record)
            text = pgn_of(record.game, record.moves, site=self._site)
            await asyncio.to_thread(self._write, record.game, text, game in self._resumed)
            self._gone(game)

    async def _remember(self, record: Record) -> None:
        if record.game.id not in self._resumed or not record.is_fresh:
            return
        with suppress(BotError):  # a game is written even while the database is gone
            if found := await self._recall(record.game.id):
                record.recall(*found)

    def _write(self, game: GameRow, text: str, is_perhaps_there: bool) -> None:
        target = self._folder / self._file_name(game)
        if self._per == "game":
            write_whole(target, text)
        elif not (is_perhaps_there and holds(target, f'[GameId "{game.id}"]')):
            append_whole(target, text, str(game.id))

    def _file_name(self, game: GameRow) -> str:
        day = f"{began(game):%Y-%m-%d}"
        if self._per == "day":
            return f"{day}.pgn"
        names = (player_name(player) for player in (game.info.white, game.info.black))
        return "_".join([day, *(safe(name) for name in names), safe(game.id)]) + ".pgn"

    def _gone(self, game: GameId) -> None:
        self._records.pop(game, None)
        self._resumed.discard(game)
        self._waited_for.discard(game)
