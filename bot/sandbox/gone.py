"""The watch kept over players who have left a running game: a word to the other side every five seconds."""

import chess

from bot.sandbox.core import Core
from bot.sandbox.match import Match
from bot.sandbox.presence import SPARE_MS, TICK_MS
from bot.sandbox.views import opponent_gone

Key = tuple[str, chess.Color]


def game_topic(game_id: str, side: chess.Color) -> tuple[str, str, chess.Color]:
    """What the streams of `side` in a game listen to."""
    return ("game", game_id, side)


class GoneWatch:
    """When each absent player of a running, timed game is next looked at."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._next_ms: dict[Key, tuple[int, Match]] = {}
        self._told: set[Key] = set()

    def look_at(self, match: Match, side: chess.Color) -> None:
        """`side` has come or gone, or the game has begun. Only people are announced when they come back."""
        key = (match.id, side)
        seat = match.seats[side]
        timed = match.clock is not None and not match.has_ai and not match.is_over
        if timed and not self._core.presence.has_stream(match, side):
            self._next_ms[key] = (self._core.presence.first_tick_ms(match, side), match)
            return
        self._next_ms.pop(key, None)
        if key in self._told:
            self._told.discard(key)
            if timed and not seat.is_bot:
                self._core.hub.publish(game_topic(match.id, not side), opponent_gone(None))

    def forget(self, match: Match) -> None:
        for side in chess.COLORS:
            self._next_ms.pop((match.id, side), None)
            self._told.discard((match.id, side))

    @property
    def next_ms(self) -> int | None:
        return min((at_ms for at_ms, _ in self._next_ms.values()), default=None)

    def tick(self) -> None:
        now_ms = self._core.now_ms()
        for key, (at_ms, match) in list(self._next_ms.items()):
            if at_ms <= now_ms and key in self._next_ms:
                self._next_ms[key] = (now_ms + TICK_MS, match)
                self._tell(match, key[1], now_ms)

    def _tell(self, match: Match, away: chess.Color, now_ms: int) -> None:
        """Say when the game may be claimed, if it may be at all and the clock does not end it before."""
        waits = self._core.presence.ms_to_claim(match, away)
        if waits is None or not match.is_forfeitable or match.ply < 2:
            return
        if not self._core.presence.is_here(match, not away):
            return
        if waits > 0 and match.left_ms(away, now_ms) <= waits + SPARE_MS:
            return
        self._told.add((match.id, away))
        self._core.hub.publish(game_topic(match.id, not away), opponent_gone(waits))
