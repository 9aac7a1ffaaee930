"""Everything the service asks of Lichess, and everything it hears: the only door, and all behind it is ours.

What may safely be done twice is tried again while Lichess is unreachable. Streams are one connection each,
and their last item is always `Ended`; follow them under `aclosing`.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from berserk import JSON_LIST

from bot.errors import BadToken, LichessError, RateLimited
from bot.game.nouns import GameBrief, GameId
from bot.lichess import wire, wire_rest
from bot.lichess.deeds import ChallengeDeeds, GameDeeds, part
from bot.lichess.limits import Kind
from bot.lichess.lines import (
    Account,
    AccountEvent,
    Ended,
    GameLine,
    GameStarted,
    Opened,
    TokenInfo,
    UserStatus,
)
from bot.lichess.session import PATIENCE, Patience
from bot.lichess.streams import Line
from bot.lichess.trouble import readable
from bot.lichess.wire_rest import MOST_GAMES

__all__ = ["MOST_GAMES", "PATIENCE", "Lichess", "Patience"]
MOST_STATUSES = 100
EVENTS = "events"  # what the account's stream is called beside the ids of games


class Lichess(GameDeeds, ChallengeDeeds):
    _me = ""  # our user id, once it is known

    # who we are

    async def whoami(self) -> Account:
        found = await self._surely(Kind.ACCOUNT, lambda door: door.ask.get("/api/account"))
        account = readable(wire_rest.account, found)
        self._me = account.id
        return account

    async def test_token(self) -> TokenInfo:
        """BadToken when Lichess does not know it."""
        found = await self._surely(Kind.LOOKUP, lambda door: door.client.oauth.test_tokens(self._token))
        info = readable(lambda data: wire_rest.token_info(data, self._token), found)
        if info is None:
            raise BadToken(401, f"Lichess does not know this token; {wire_rest.NEW_TOKEN}")
        return info

    async def upgrade(self) -> None:
        """The account becomes a bot, for good. Refused once it has played."""
        await self._ask(Kind.DEED, lambda door: door.ask.post("/api/bot/account/upgrade"))

    async def playing(self) -> tuple[GameBrief, ...]:
        """At most 50, most urgent first."""
        query = wire_rest.ALL_GAMES
        found = await self._surely(
            Kind.LOOKUP, lambda door: door.ask.get("/api/account/playing", params=query)
        )
        return readable(wire.briefs, found)

    # streams

    async def events(self) -> AsyncGenerator[AccountEvent, None]:
        """`Opened`, then what happens to the account; `Ended` alone where it cannot or must not be opened."""
        wait_s = self.limits.wait_s(Kind.EVENT_STREAM, self._now())
        if wait_s:
            yield Ended(RateLimited(wait_s, f"our own limit: {Kind.EVENT_STREAM}"), 0.0)
            return
        self.limits.spend(Kind.EVENT_STREAM, self._now())

        def read(line: Line | Opened) -> AccountEvent:
            return line if isinstance(line, Opened) else wire.account_event(line.data)

        silence_s = self._patience.event_silence_s
        stream: AsyncGenerator[AccountEvent, None] = self._follow(
            Kind.EVENT_STREAM, EVENTS, "/api/stream/event", silence_s, read
        )
        async with aclosing(stream) as items:
            async for item in items:
                if isinstance(item, Opened):
                    self.limits.succeeded(Kind.EVENT_STREAM, self._now())
                elif isinstance(item, GameStarted) and item.brief.opponent.is_bot:
                    self.limits.spend(Kind.BOT_GAME, self._now(), what=item.brief.id)
                yield item

    async def game(self, game: GameId) -> AsyncGenerator[GameLine | Ended, None]:
        """The first line, if all is well, is GameSeen."""
        if not self._me:
            try:
                await self.whoami()
            except LichessError as error:
                yield Ended(error, 0.0)
                return

        def read(line: Line | Opened) -> GameLine | None:
            return None if isinstance(line, Opened) else wire.game_line(line.data, self._me, line.at)

        path, silence_s = f"/api/bot/game/stream/{part(game)}", self._patience.game_silence_s
        stream: AsyncGenerator[GameLine | Ended, None] = self._follow(
            Kind.GAME_STREAM, game, path, silence_s, read
        )
        with self._following_a_game():
            async with aclosing(stream) as items:
                async for item in items:
                    yield item

    def stream_age_s(self, game: GameId | None = None) -> float | None:
        """Seconds since the last byte of the account's stream, or of this game's; None: it is not open."""
        reading = self._readings.get(EVENTS if game is None else game)
        return None if reading is None else reading.silent_s

    # other people

    async def users_status(self, ids: Sequence[str]) -> tuple[UserStatus, ...]:
        """Of the first hundred."""
        query = wire_rest.statuses_query(ids[:MOST_STATUSES])
        found = await self._surely(
            Kind.LOOKUP, lambda door: door.ask.get("/api/users/status", params=query, fmt=JSON_LIST)
        )
        return readable(wire_rest.user_statuses, found)

    async def online_bots(self, most: int = 100) -> tuple[Account, ...]:
        found = await self._surely(Kind.LOOKUP, lambda door: list(door.client.bots.get_online_bots(most)))
        return readable(wire_rest.accounts, found)

    async def teams(self, user: str = "") -> frozenset[str]:
        """The ids of the teams somebody is in; of our own when nobody is named."""
        path = f"/api/team/of/{part(user or self._me)}"
        found = await self._surely(Kind.LOOKUP, lambda door: door.ask.get(path, fmt=JSON_LIST))
        return readable(wire_rest.teams, found)

    async def join_arena(self, arena: str, password: str = "") -> None:
        path, form = f"/api/tournament/{part(arena)}/join", wire_rest.join_form(password)
        await self._done(Kind.ARENA, lambda door: door.ask.post(path, json=form))

    async def withdraw_from_arena(self, arena: str) -> None:
        await self._done(Kind.ARENA, lambda door: door.ask.post(f"/api/tournament/{part(arena)}/withdraw"))
