"""Other doors to a game: open challenges, the built-in AI, and rematches.

A rematch is a challenge that names the last game, with colours changed; it is answered as any other.
"""

import chess

from bot.sandbox.accounts import Account
from bot.sandbox.challenge import (
    LIFE_MS,
    OPEN_LIFE_MS,
    REMATCH_LIFE_MS,
    Challenge,
    Form,
    flattened,
    read_number,
    read_wish,
)
from bot.sandbox.lobby import Lobby
from bot.sandbox.match import Match
from bot.sandbox.refusal import Json, refuse, refuse_form
from bot.sandbox.seats import Seat, color_named
from bot.sandbox.spectators import description
from bot.sandbox.speeds import perf_key
from bot.sandbox.views import full_id

LEVELS = range(1, 9)


class Doors(Lobby):
    """The lobby with all its doors."""

    def create_open(self, maker_id: str | None, form: Form) -> Json:
        """A challenge for any two, or two named: the first to come takes a side, the second begins."""
        flat = flattened(form)
        names = [name.strip().lower() for name in str(flat.get("users") or "").split(",") if name.strip()]
        if names and (len(set(names)) != 2 or any(self._core.accounts.get(name) is None for name in names)):
            raise refuse_form(users="Invalid value")
        challenge = self._made(read_wish(form, by_bot=False), None, None)
        now_ms = self._core.now_ms()
        challenge.is_open, challenge.open_to, challenge.maker_id = True, tuple(names), maker_id
        expires_at_ms = read_number(flat, "expiresAt") or now_ms + OPEN_LIFE_MS
        challenge.expires_at_ms = min(max(expires_at_ms, now_ms + 1), now_ms + LIFE_MS)
        self._note("challenge", challenge)
        url = f"{self._core.site}/{challenge.id}"
        return self.shown(challenge) | {"urlWhite": f"{url}?color=white", "urlBlack": f"{url}?color=black"}

    def create_ai(self, user_id: str, form: Form) -> Json:
        """A game against the built-in AI begins at once; what is returned is what 201 carries."""
        account = self._core.accounts.require(user_id)
        level = read_number(flattened(form), "level")
        if level not in LEVELS:
            raise refuse_form(
                level="Must be between 1 and 8" if level is not None else "This field is required"
            )
        wish = read_wish({**form, "rated": False}, by_bot=account.is_bot)
        random_color = self._core.rng.random() < 0.5
        mine = random_color if wish.color == "random" else color_named(wish.color)
        me = self._games.seat_for(account, perf_key(wish.variant.key, wish.control.speed))
        ai = Seat(name=f"Stockfish level {level}", ai_level=level)
        match = self._games.start(
            me if mine is chess.WHITE else ai,
            ai if mine is chess.WHITE else me,
            variant=wish.variant.key,
            initial_fen=wish.initial_fen,
            control=wish.control,
            source="ai",
        )
        shown = description(match) | {"fullId": full_id(match, mine)}
        del shown["players"]  # whoever asked knows them
        return shown

    def offer_rematch(self, game_id: str, user_id: str) -> Json:
        """What a person's rematch button does; an offer of the other side that stands is accepted by it."""
        match, me, other = self._pair(game_id, user_id)
        standing = next((each for each in self._offers(match) if each.is_for(me.id)), None)
        if standing is not None:
            self.accept(standing.id, me.id)
            return self.shown(standing, "in")
        if any(each.is_by(me.id) for each in self._offers(match)):
            raise refuse("A rematch is offered already")
        challenge = self._rematch(match, me, other)
        self._tell("challenge", challenge, to=[challenge.dest])
        return self.shown(challenge, "out")

    def _pair(self, game_id: str, user_id: str) -> tuple[Match, Account, Account]:
        match, side = self._games.mine(game_id, user_id)
        me = self._core.accounts.require(user_id)
        other = self._core.accounts.get(match.seats[not side].user_id or "")
        if me.is_bot:
            raise refuse("This API endpoint is not for Bot accounts.", 403)
        if not match.is_over or match.is_mandatory or "noRematch" in match.rules or other is None:
            raise refuse("This game cannot be played again")
        if match.rematch_id is not None:
            raise refuse("There has been a rematch")
        return match, me, other

    def _offers(self, match: Match) -> list[Challenge]:
        return [each for each in self._challenges.values() if each.rematch_of == match.id and each.is_active]

    def _rematch(self, match: Match, me: Account, other: Account) -> Challenge:
        now_ms = self._core.now_ms()
        mine = match.color_of(other.id)  # colours change
        assert mine is not None
        challenge = Challenge(
            self._games.free_id(),
            match.variant,
            match.control,
            match.rated,
            "white" if mine else "black",
            mine,
            self._party(me, match.perf),
            self._party(other, match.perf),
            now_ms,
            now_ms + REMATCH_LIFE_MS,
            now_ms,
            initial_fen=match.initial_fen,
            rematch_of=match.id,
            rules=match.rules,
        )
        self._challenges[challenge.id] = challenge
        return challenge

    def _begin(self, challenge: Challenge, host: Account, guest: Account) -> Match:
        match = super()._begin(challenge, host, guest)
        if challenge.rematch_of is not None:
            self._games.get(challenge.rematch_of).rematch_id = match.id
        return match
