"""How many games bots may play against bots: a hundred a day for each, counted when a game starts."""

import datetime as dt

from bot.sandbox.people import Account
from bot.sandbox.refusal import Json, Refusal

MAX_GAMES = 100
DAY_MS = 86_400_000
KEY = "bot.vsBot.day"


class DayCap:
    """A window for each bot that opens with its first game and closes a day later."""

    def __init__(self) -> None:
        self._windows: dict[str, tuple[int, int]] = {}  # user id: games, end of the window in ms

    def count(self, user_id: str, now_ms: int) -> None:
        games, until_ms = self._window(user_id, now_ms)
        self._windows[user_id] = (games + 1, until_ms)

    def games(self, user_id: str, now_ms: int) -> int:
        return self._window(user_id, now_ms)[0]

    def check(self, me: Account, other: Account, now_ms: int) -> None:
        """Refuse a game of two bots when one has had enough: 429 if it is me, 400 if it is the other."""
        if not (me.is_bot and other.is_bot):
            return
        for account, status in ((me, 429), (other, 400)):
            games, until_ms = self._window(account.id, now_ms)
            if games >= MAX_GAMES:
                raise Refusal(status, _body(account, until_ms, now_ms, mine=account is me))

    def _window(self, user_id: str, now_ms: int) -> tuple[int, int]:
        games, until_ms = self._windows.get(user_id, (0, 0))
        return (games, until_ms) if now_ms < until_ms else (0, now_ms + DAY_MS)

    def to_json(self) -> Json:
        return {user_id: list(window) for user_id, window in self._windows.items()}

    def fill(self, data: Json) -> None:
        self._windows = {user_id: (games, until_ms) for user_id, (games, until_ms) in data.items()}


def _body(account: Account, until_ms: int, now_ms: int, *, mine: bool) -> Json:
    until = dt.datetime.fromtimestamp(until_ms / 1000, dt.UTC).isoformat(timespec="seconds")
    text = (
        f"You played {MAX_GAMES} games against other bots today, please wait before challenging another bot."
        if mine
        else f"{account.name} played {MAX_GAMES} games against other bots today, please wait until {until}."
    )
    return {"error": text, "ratelimit": {"key": KEY, "seconds": max(0, (until_ms - now_ms) // 1000)}}
