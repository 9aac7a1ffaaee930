"""What is done in a game and about challenges: the half of the gateway that asks for something to happen."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from urllib.parse import quote

from berserk import JSON_LIST

from bot.errors import RateLimited
from bot.game.nouns import Challenge, ChallengeId, GameId, TimeControl
from bot.lichess import wire, wire_rest
from bot.lichess.gateway import Gateway
from bot.lichess.limits import COST_OF_A_BOT, COST_OF_A_HUMAN, Kind
from bot.lichess.lines import ChallengeLine, ChatLine, Ended, Opened
from bot.lichess.streams import Line
from bot.lichess.trouble import readable


def part(text: str) -> str:
    """One part of a path, whatever is in it."""
    return quote(text, safe="@")


def _of(game: GameId, what: str) -> str:
    return f"/api/bot/game/{part(game)}/{what}"


class GameDeeds(Gateway):
    """A move and a line of chat are tried once: only the game's stream can tell whether they were heard."""

    async def move(self, game: GameId, uci: str, *, offer_draw: bool = False) -> float:
        """The round trip in ms."""
        loop = asyncio.get_running_loop()
        path, query = _of(game, f"move/{part(uci)}"), wire_rest.MOVE_WITH_OFFER if offer_draw else None
        sent_at = loop.time()
        await self._ask(Kind.MOVE, lambda door: door.ask.post(path, params=query))
        return (loop.time() - sent_at) * 1000

    async def abort(self, game: GameId) -> None:
        await self._done(Kind.DEED, lambda door: door.client.bots.abort_game(part(game)))

    async def resign(self, game: GameId) -> None:
        await self._done(Kind.DEED, lambda door: door.client.bots.resign_game(part(game)))

    async def draw(self, game: GameId, accept: bool) -> None:
        """Offer or accept, or decline. Lichess says yes to all, and ignores what is out of place."""
        await self._post(Kind.DEED, _of(game, f"draw/{wire_rest.answer(accept)}"))

    async def takeback(self, game: GameId, accept: bool) -> None:
        await self._post(Kind.DEED, _of(game, f"takeback/{wire_rest.answer(accept)}"))

    async def claim_victory(self, game: GameId) -> None:
        await self._post(Kind.DEED, _of(game, "claim-victory"))

    async def claim_draw(self, game: GameId) -> None:
        await self._post(Kind.DEED, _of(game, "claim-draw"))

    async def say(self, game: GameId, room: str, text: str) -> None:
        """No error does not prove that anybody reads it: Lichess drops what looks like spam."""
        form = wire_rest.chat_form(room, text)
        await self._ask(Kind.CHAT, lambda door: door.ask.post(_of(game, "chat"), json=form))

    async def chat(self, game: GameId) -> tuple[ChatLine, ...]:
        found = await self._surely(Kind.LOOKUP, lambda door: door.ask.get(_of(game, "chat"), fmt=JSON_LIST))
        return readable(wire_rest.chat, found)

    async def _post(self, kind: Kind, path: str) -> None:
        await self._done(kind, lambda door: door.ask.post(path))


class ChallengeDeeds(Gateway):
    """`opponent` names whoever is to be left alone should Lichess say that they have reached a limit."""

    async def accept(self, challenge: ChallengeId, *, opponent: str = "") -> None:
        await self._done(
            Kind.ANSWER, lambda door: door.client.bots.accept_challenge(part(challenge)), opponent=opponent
        )

    async def decline(self, challenge: ChallengeId, reason: str = "generic") -> None:
        path, form = f"/api/challenge/{part(challenge)}/decline", wire_rest.decline_form(reason)
        await self._done(Kind.ANSWER, lambda door: door.ask.post(path, json=form))

    async def cancel(self, challenge: ChallengeId) -> None:
        await self._done(Kind.ANSWER, lambda door: door.client.challenges.cancel(part(challenge)))

    async def show(self, challenge: ChallengeId) -> Challenge:
        """Also one that has just been closed. Wants a token with challenge:read."""
        path = f"/api/challenge/{part(challenge)}/show"
        found = await self._surely(Kind.LOOKUP, lambda door: door.ask.get(path))
        return readable(wire.challenge, found)

    async def challenge(
        self,
        user: str,
        control: TimeControl,
        *,
        rated: bool,
        color: str = "random",
        variant: str = "standard",
        fen: str | None = None,
        to_bot: bool = False,
    ) -> Challenge:
        """It lives for 20 s if the game has a clock. Tried once; a human costs five times what a bot does."""
        cost = self._afford(user, to_bot=to_bot)
        form = wire_rest.challenge_form(control, rated=rated, color=color, variant=variant, fen=fen)
        path = f"/api/challenge/{part(user)}"
        found = await self._ask(
            Kind.CHALLENGE, lambda door: door.ask.post(path, json=form), cost=cost, opponent=user
        )
        return readable(wire.challenge, found)

    async def challenge_kept(
        self,
        user: str,
        control: TimeControl,
        *,
        rated: bool,
        color: str = "random",
        variant: str = "standard",
        fen: str | None = None,
        to_bot: bool = False,
    ) -> AsyncGenerator[ChallengeLine | Ended, None]:
        """A challenge that lives for as long as this is followed: itself, what became of it, `Ended`."""
        form = wire_rest.challenge_form(
            control, rated=rated, color=color, variant=variant, fen=fen, keep_alive=True
        )
        try:
            cost = self._afford(user, to_bot=to_bot)
        except RateLimited as error:
            yield Ended(error, 0.0)
            return
        self.limits.spend(Kind.CHALLENGE, self._now(), cost)

        def read(line: Line | Opened) -> ChallengeLine | None:
            return None if isinstance(line, Opened) else wire.challenge_line(line.data)

        path, silence_s = f"/api/challenge/{part(user)}", self._patience.slow_silence_s
        stream: AsyncGenerator[ChallengeLine | Ended, None] = self._follow(
            Kind.CHALLENGE, f"challenge {user}", path, silence_s, read, form, user
        )
        async with aclosing(stream) as items:
            async for item in items:
                yield item

    async def challenge_ai(
        self, level: int, control: TimeControl, *, color: str = "random", variant: str = "standard"
    ) -> GameId:
        form = wire_rest.ai_form(level, control, color=color, variant=variant)
        found = await self._ask(Kind.AI, lambda door: door.ask.post("/api/challenge/ai", json=form))
        return readable(wire_rest.game_id, found)

    def _afford(self, user: str, *, to_bot: bool) -> int:
        """What challenging them costs; RateLimited if that, they themselves or games with bots must wait."""
        wait_s = self.limits.challenge_wait_s(user, self._now(), is_bot=to_bot)
        if wait_s:
            theirs = self.limits.benched_s(user, self._now()) > 0
            raise RateLimited(wait_s, f"our own limit: {Kind.CHALLENGE}", theirs=theirs)
        return COST_OF_A_BOT if to_bot else COST_OF_A_HUMAN
