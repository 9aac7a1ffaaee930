"""Lila's rate limits: budgets over fixed windows, and how many streams one address may hold.

A window opens at the first hit and closes after its length; what is refused meanwhile is not counted and does
not keep it open. The last hit may overdraw: lila asks whether anything is left, not whether it is enough.
There is no Retry-After.
"""

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple, Self

from bot.sandbox.accounts import Account
from bot.sandbox.refusal import Json, Refusal, refuse

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS
TOO_MANY = "Too many requests. Try again later."
MAX_GAMES = 100
KEY = "bot.vsBot.day"


class Budget(NamedTuple):
    points: int
    window_ms: int


class Window(NamedTuple):
    spent: int
    closes_at_ms: int


BUDGETS: Mapping[str, tuple[Budget, ...]] = {
    "api.stream.event.bearer": (Budget(30, 10 * MINUTE_MS),),
    "api.account.user": (Budget(30, 5 * MINUTE_MS),),
    "challenge.create.ip": (Budget(500, 10 * MINUTE_MS),),
    "challenge.create.user": (Budget(25, MINUTE_MS), Budget(200, DAY_MS)),
    "setup.post": (Budget(5, MINUTE_MS),),
    "setup.post.bot.ai": (Budget(20, DAY_MS),),
    "user.show.api.ip": (Budget(16_000, DAY_MS),),
    "users.api.ip": (Budget(2_000, 10 * MINUTE_MS), Budget(30_000, DAY_MS)),
    "crosstable.api.ip": (Budget(30, 10 * MINUTE_MS),),
    "api.token.test": (Budget(10_000, 10 * MINUTE_MS),),
    "cloud-eval.api.ip": (Budget(3_000, DAY_MS),),
    "tournament.user.joinOrResume": (Budget(30, 10 * MINUTE_MS),),
    "import.game.ip": (Budget(10, MINUTE_MS), Budget(150, HOUR_MS)),
    "follow": (Budget(150, 72 * HOUR_MS),),
}
AT_ONCE: Mapping[str, int] = {
    "api.ip.events.anon": 4,
    "api.ip.events.token": 8,
    "api.ip.downloads": 2,
    "api.user.downloads": 1,
    "api.ip.game": 8,
}


class Limits:
    """Who has spent what. Time is the world's: advancing the sandbox's clock opens the windows again."""

    def __init__(
        self,
        now_ms: Callable[[], int],
        budgets: Mapping[str, tuple[Budget, ...]] = BUDGETS,
        at_once: Mapping[str, int] = AT_ONCE,
    ) -> None:
        self._now_ms = now_ms
        self._budgets = budgets
        self._at_once = at_once
        self._windows: dict[tuple[str, str, int], Window] = {}
        self._held: dict[tuple[str, str], int] = {}

    @classmethod
    def off(cls) -> Self:
        """No limits: for load tests, where many clients share one address."""
        return cls(lambda: 0, {}, {})

    def charge(self, key: str, who: str, cost: int = 1) -> None:
        """429 when one of the budgets of `key` is used up for `who`; else `cost` is taken from each."""
        now_ms = self._now_ms()
        budgets = self._budgets.get(key, ())
        windows = [self._window(key, who, budget, now_ms) for budget in budgets]
        if any(window.spent >= budget.points for window, budget in zip(windows, budgets, strict=True)):
            raise refuse(TOO_MANY, 429)
        for window, budget in zip(windows, budgets, strict=True):
            spent = Window(window.spent + cost, window.closes_at_ms)
            self._windows[key, who, budget.window_ms] = spent

    def _window(self, key: str, who: str, budget: Budget, now_ms: int) -> Window:
        window = self._windows.get((key, who, budget.window_ms))
        if window is None or now_ms >= window.closes_at_ms:
            return Window(0, now_ms + budget.window_ms)
        return window

    @contextmanager
    def hold(self, key: str, who: str) -> Iterator[None]:
        """429 when `who` already holds as many of `key` as may run at once; else one more while inside."""
        most = self._at_once.get(key)
        held = self._held.get((key, who), 0)
        if most is not None and held >= most:
            raise refuse(f"Please only run {most} request(s) at a time", 429)
        self._held[key, who] = held + 1
        try:
            yield
        finally:
            self._held[key, who] -= 1
            if not self._held[key, who]:
                del self._held[key, who]


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
