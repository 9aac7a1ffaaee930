"""Who is online, who has left a game, and for how long. The server tells; nothing is found out here.

As on Lichess, a bot that drops its game stream counts as absent a second later, and then as absent since the
game began; a person is absent since closing the page.
"""

from collections import Counter

import chess

from bot.sandbox.clock import Now
from bot.sandbox.match import Match
from bot.sandbox.variants import points_ahead

ONLINE_MS = 10_000  # each sign of life is good for so long
BOT_DROP_MS = 1000
SHOWN_AFTER_MS = 5000  # an absence shorter than this is nobody's business
TICK_MS = 5000
LEAST_MS = 10_000
SPARE_MS = 3000  # no countdown is shown that the clock would win anyway
_TIMEOUT_S = {"ultraBullet": 30, "bullet": 30, "blitz": 60, "rapid": 120}
_SLOW_TIMEOUT_S = 300
_NO_MATERIAL = frozenset({"antichess", "crazyhouse", "horde"})  # where fewer pieces prove nothing

Place = tuple[str, str | None]


class Presence:
    """Open streams, counted: two opened need two closed."""

    def __init__(self, now_ms: Now) -> None:
        self._now_ms = now_ms
        self._open: Counter[Place] = Counter()
        self._streams: Counter[str] = Counter()  # of any kind, by user
        self._left_at_ms: dict[Place, int] = {}
        self._seen_at_ms: dict[str, int] = {}
        self._began_ms: dict[str, int] = {}  # since when a game is watched over: its start, or ours

    def began(self, match: Match) -> None:
        """Watch over a game from now on; an absence before that is nobody's fault."""
        self._began_ms[match.id] = self._now_ms()

    def opened(self, user_id: str, game_id: str | None) -> None:
        self._open[user_id, game_id] += 1
        self._streams[user_id] += 1

    def closed(self, user_id: str, game_id: str | None) -> bool:
        """One stream fewer; True when it was the last of its kind. Closing what is not open does nothing."""
        if not self._open[user_id, game_id]:
            return False
        self._open[user_id, game_id] -= 1
        self._streams[user_id] -= 1
        self._seen_at_ms[user_id] = self._now_ms()
        if self._open[user_id, game_id]:
            return False
        del self._open[user_id, game_id]
        self._left_at_ms[user_id, game_id] = self._now_ms()
        return True

    def is_online(self, user_id: str) -> bool:
        if self._streams[user_id]:
            return True
        seen = self._seen_at_ms.get(user_id)
        return seen is not None and self._now_ms() < seen + ONLINE_MS

    def follows(self, user_id: str, game_id: str | None) -> bool:
        return self._open[user_id, game_id] > 0

    def seen_at_ms(self, user_id: str) -> int:
        """When the last stream of `user_id` was closed; 0 before that."""
        return self._seen_at_ms.get(user_id, 0)

    def is_here(self, match: Match, side: chess.Color) -> bool:
        """Whether `side` is at the board. The AI always is; a bot that dropped out is, for another second."""
        seat = match.seats[side]
        if seat.ai_level is not None or self.has_stream(match, side):
            return True
        left = self._left_at_ms.get((seat.user_id or "", match.id))
        return seat.is_bot and left is not None and self._now_ms() < left + BOT_DROP_MS

    def has_stream(self, match: Match, side: chess.Color) -> bool:
        return bool(self._open.get((match.seats[side].user_id or "", match.id)))

    def absent_since_ms(self, match: Match, side: chess.Color) -> int:
        """From when an absence of `side` is counted; only meaningful when it is not here."""
        seat = match.seats[side]
        began_ms = self._began_ms.get(match.id, match.created_at_ms)
        return began_ms if seat.is_bot else self._left_at_ms.get((seat.user_id or "", match.id), began_ms)

    def first_tick_ms(self, match: Match, side: chess.Color) -> int:
        """When the other side may first hear that `side`, which has just left or never came, is gone."""
        drop_ms = BOT_DROP_MS if match.seats[side].is_bot else 0
        left_ms = self._left_at_ms.get((match.seats[side].user_id or "", match.id), 0)
        return max(left_ms + drop_ms, self.absent_since_ms(match, side) + SHOWN_AFTER_MS)

    def ms_to_claim(self, match: Match, side: chess.Color) -> int | None:
        """How long until `side`'s absence may be claimed, zero or less: now; None while `side` is here."""
        if self.is_here(match, side):
            return None
        return self.absent_since_ms(match, side) + timeout_ms(match, side) - self._now_ms()

    def forget(self, match: Match) -> None:
        """A game is over: nobody leaves it any more."""
        self._began_ms.pop(match.id, None)
        for seat in match.seats.values():
            self._left_at_ms.pop((seat.user_id or "", match.id), None)


def timeout_ms(match: Match, side: chess.Color) -> int:
    """How long `side` may be away: less in fast games, when it is losing, and for those without a name."""
    ms = _TIMEOUT_S.get(match.control.speed, _SLOW_TIMEOUT_S) * 1000
    if match.variant.key not in _NO_MATERIAL and points_ahead(match.board, side) <= -4:
        ms //= 2
    if match.seats[side].user_id is None or match.seats[side].is_anonymous:
        ms //= 2
    return max(LEAST_MS, ms)
