"""What the page, the policy and the book ask. Only reads; whatever goes wrong is a BotError of one line."""

import datetime as dt
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, NamedTuple

import chess
from sqlalchemy import ColumnElement, Select, case, func, select, tuple_
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from bot.errors import BotError
from bot.game.nouns import GameId
from bot.store.database import reason
from bot.store.pgn import pgn_of
from bot.store.record import position_key
from bot.store.rows import GameRow, MoveRow, game_row, move_row
from bot.store.schema import CHALLENGES, CHATS, GAMES, MOVES, RATINGS
from bot.store.wanted import Wanted, conditions

DAY_MS = 86_400_000
_PAGE = 50  # games whose moves are read at once


class Tally(NamedTuple):
    """`key` has a value for each column asked for; `score` is the mean of 1, ½ and 0 over decided games."""

    key: tuple[str, ...]
    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        return (self.wins + self.draws / 2) / self.games if self.games else 0.0


class RatingPoint(NamedTuple):
    perf: str
    rating: int
    diff: int
    when_ms: int
    game: GameId


class Queries:
    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def games(
        self, wanted: Wanted | None = None, *, limit: int = 50, offset: int = 0
    ) -> tuple[GameRow, ...]:
        """Newest first."""
        found = select(GAMES).where(*conditions(wanted)).order_by(GAMES.c.began_ms.desc(), GAMES.c.id)
        return tuple(game_row(row) for row in await self._maps(found.limit(limit).offset(offset)))

    async def count(self, wanted: Wanted | None = None) -> int:
        return await self._number(select(func.count()).select_from(GAMES).where(*conditions(wanted)))

    async def game(self, game: GameId) -> tuple[GameRow, tuple[MoveRow, ...]] | None:
        """One game with its moves; None if it is not known."""
        try:
            async with self._engine.connect() as connection:
                return await read_game(connection, game)
        except (SQLAlchemyError, OSError) as error:
            raise BotError(f"database: {reason(error)}") from None

    async def chat(self, game: GameId) -> tuple[tuple[str, str, str, int], ...]:
        """(room, name, text, when_ms), in order."""
        columns = (CHATS.c.room, CHATS.c.name, CHATS.c.text, CHATS.c.when_ms)
        rows = await self._rows(select(*columns).where(CHATS.c.game == game).order_by(CHATS.c.id))
        return tuple((room, name, text, when_ms) for room, name, text, when_ms in rows)

    async def tally(
        self, by: Sequence[str] = (), wanted: Wanted | None = None, *, limit: int = 500
    ) -> tuple[Tally, ...]:
        """Results grouped by any of speed, variant, perf, kind, opponent, opening, eco, rated, day.

        The most played first; days in their order, as ISO dates. Aborted and running games do not count.
        """
        keys = [_KEYS[name] for name in by]
        sums = [func.sum(case((GAMES.c.result == result, 1), else_=0)) for result in _DECIDED]
        decided = (GAMES.c.result.in_(_DECIDED), *conditions(wanted))
        order = keys if "day" in by else [func.count().desc(), *keys]
        found = select(*keys, *sums).where(*decided).group_by(*keys).order_by(*order).limit(limit)
        rows = [tuple(row) for row in await self._rows(found)]
        return tuple(
            Tally(tuple(map(_shown, by, row)), *(int(number) for number in row[len(by) :]))
            for row in rows
            if row[-1] is not None
        )

    async def ratings(
        self, perf: str | None = None, since_ms: int = 0, *, every_ms: int = 0
    ) -> tuple[RatingPoint, ...]:
        """Our rating after each rated game, in order: of one kind of game, or of all.

        `every_ms` keeps only the last of each such stretch of time: a curve needs no ten thousand points.
        """
        columns = (RATINGS.c.perf, RATINGS.c.rating, RATINGS.c.diff, RATINGS.c.when_ms, RATINGS.c.game)
        chosen = [RATINGS.c.when_ms >= since_ms]
        if perf is not None:
            chosen.append(RATINGS.c.perf == perf)
        if every_ms:
            stretch = (RATINGS.c.perf, RATINGS.c.when_ms // every_ms)
            last = select(RATINGS.c.perf, func.max(RATINGS.c.when_ms)).where(*chosen).group_by(*stretch)
            chosen.append(tuple_(RATINGS.c.perf, RATINGS.c.when_ms).in_(last))
        found = select(*columns).where(*chosen).order_by(RATINGS.c.when_ms)
        return tuple(RatingPoint(*row) for row in await self._rows(found))

    async def first_rating_ms(self, since_ms: int = 0) -> int | None:
        """When the first rated game since then was over."""
        rows = await self._rows(select(func.min(RATINGS.c.when_ms)).where(RATINGS.c.when_ms >= since_ms))
        return None if rows[0][0] is None else int(rows[0][0])

    async def challenges(self, limit: int = 50) -> tuple[dict[str, Any], ...]:
        """What was judged, newest first: who, what, verdict, why."""
        found = select(CHALLENGES).order_by(CHALLENGES.c.when_ms.desc(), CHALLENGES.c.id.desc()).limit(limit)
        return tuple(dict(row) for row in await self._maps(found))

    async def games_with(self, opponent: str, since_ms: int) -> int:
        """How many games with this user id began since then: a read of the index alone, for caps."""
        begun = (GAMES.c.opponent == opponent) & (GAMES.c.began_ms >= since_ms)
        return await self._number(select(func.count()).select_from(GAMES).where(begun))

    async def games_by_opponent(self, since_ms: int) -> dict[str, int]:
        """The same for every opponent with an account."""
        begun = (GAMES.c.began_ms >= since_ms) & (GAMES.c.opponent != "")
        found = select(GAMES.c.opponent, func.count()).where(begun).group_by(GAMES.c.opponent)
        return dict(await self._rows(found))

    async def takebacks_given(self, game: GameId) -> int:
        return await self._number(select(GAMES.c.takebacks).where(GAMES.c.id == game))

    async def last_moves(self, opponent: str, board: chess.Board, limit: int = 8) -> tuple[str, ...]:
        """What we played against `opponent` when this very position stood there, newest first."""
        here = (MOVES.c.position == position_key(board)) & (GAMES.c.opponent == opponent)
        found = select(MOVES.c.uci).join(GAMES, GAMES.c.id == MOVES.c.game).where(here)
        rows = await self._rows(found.order_by(MOVES.c.when_ms.desc()).limit(limit))
        return tuple(uci for (uci,) in rows)

    async def pgn(
        self, wanted: Wanted | None = None, *, site: str = "https://lichess.org"
    ) -> AsyncIterator[str]:
        """The games of a selection, newest first, one PGN at a time."""
        offset = 0
        while page := await self.games(wanted, limit=_PAGE, offset=offset):
            offset += len(page)
            of_page = MOVES.c.game.in_([game.id for game in page])
            moves: dict[str, list[MoveRow]] = {game.id: [] for game in page}
            for row in await self._maps(select(MOVES).where(of_page).order_by(MOVES.c.game, MOVES.c.ply)):
                moves[row["game"]].append(move_row(row))
            for game in page:
                yield pgn_of(game, moves[game.id], site=site)

    async def _rows(self, found: Select[Any]) -> list[Any]:
        """Tuples of the columns asked for."""
        return [tuple(row.values()) for row in await self._maps(found)]

    async def _maps(self, found: Select[Any]) -> Sequence[Mapping[Any, Any]]:
        try:
            async with self._engine.connect() as connection:
                rows: Sequence[Mapping[Any, Any]] = (await connection.execute(found)).mappings().all()
                return rows
        except (SQLAlchemyError, OSError) as error:
            raise BotError(f"database: {reason(error)}") from None

    async def _number(self, found: Select[Any]) -> int:
        rows = await self._rows(found)
        return int(rows[0][0]) if rows else 0


async def read_game(connection: AsyncConnection, game: GameId) -> tuple[GameRow, tuple[MoveRow, ...]] | None:
    row = (await connection.execute(select(GAMES).where(GAMES.c.id == game))).mappings().first()
    if row is None:
        return None
    moves = await connection.execute(select(MOVES).where(MOVES.c.game == game).order_by(MOVES.c.ply))
    return game_row(row), tuple(move_row(move) for move in moves.mappings())


_DECIDED = ("win", "draw", "loss")
_KEYS: dict[str, ColumnElement[Any]] = {
    name: GAMES.c[name] for name in ("speed", "variant", "perf", "opening", "eco", "rated")
} | {
    "kind": GAMES.c.opponent_kind,
    "opponent": GAMES.c.opponent_name,
    "day": GAMES.c.began_ms // DAY_MS,
}


def _shown(name: str, value: Any) -> str:
    if name == "day":
        return (dt.date(1970, 1, 1) + dt.timedelta(days=int(value))).isoformat()
    return "" if value is None else str(value)
