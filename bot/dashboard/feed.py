"""What the page is told: the picture of all facts, and what has changed of it since a page last heard.

    feed.tell(fact)                         a witness
    feed.snapshot()                         frozen: what is to be seen now
    async for text in feed.follow(): ...    JSON for one page, the newest, at most ten times a second

A page holds nothing here but the number of the last change it was told, so a slow one costs nothing: what
happened meanwhile is told at once, and only how it ended.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable

from bot.dashboard import gameshapes, shapes
from bot.dashboard.picture import (
    CHALLENGES,
    RECENT,
    RESULTS,
    SERVICE,
    TROUBLES,
    Picture,
)
from bot.dashboard.results import Results, day_of
from bot.dashboard.snapshot import Asked, Snapshot
from bot.dashboard.vitals import Vitals
from bot.dashboard.watched import GameView
from bot.game.facts import Fact
from bot.play.walltime import wall_ms
from bot.store.openings import Openings
from bot.store.rows import GameRow

PAUSE_S = 0.1  # between two updates of one page
LOOK_S = 1.0  # so often we look at what nobody tells us
Sleep = Callable[[float], Awaitable[None]]


class Feed:
    """`look` tells what is looked up; `sleep` and `now_ms` are time itself."""

    def __init__(
        self,
        look: Callable[[], Vitals],
        *,
        names: Openings | None = None,
        sleep: Sleep = asyncio.sleep,
        now_ms: Callable[[], int] = wall_ms,
    ) -> None:
        self.look = look
        self._sleep, self._now_ms = sleep, now_ms
        self._picture = Picture(names)
        self._changes = 0
        self._changed = dict.fromkeys((SERVICE, RESULTS, RECENT, CHALLENGES, TROUBLES), 0)
        self._written: dict[str, tuple[int, str]] = {}  # as JSON, by section, with the change it shows
        self._news = asyncio.Event()
        self._pages = 0
        self._looking: asyncio.Task[None] | None = None

    def tell(self, fact: Fact) -> None:
        self._touch(self._picture.tell(fact))

    def snapshot(self) -> Snapshot:
        return self._picture.snapshot()

    @property
    def rest(self) -> Snapshot:
        """The snapshot without its games: cheap."""
        return self._picture.rest

    def game(self, game: str) -> GameView | None:
        """One that runs, or was over lately."""
        return self._picture.game(game)

    @property
    def ends(self) -> int:
        """How many games have ended since we began to listen."""
        return self._picture.ends

    @property
    def pages(self) -> int:
        """How many follow."""
        return self._pages

    @property
    def changes(self) -> int:
        """The number of the last change."""
        return self._changes

    def remember(self, results: Results, recent: Iterable[GameRow], asked: Iterable[Asked]) -> None:
        """What the database knows of games and challenges, those of this life included."""
        self._picture.remember(results, recent, asked)
        self._touch({RESULTS, RECENT, CHALLENGES})

    async def follow(self, game: str = "") -> AsyncGenerator[str, None]:
        """First all there is, then what changes: a JSON object each. Of `game`, every detail."""
        seen = -1
        self._enter()
        try:
            while True:
                upto = self._changes
                yield self.since(seen, game)
                seen = upto
                await self._sleep(PAUSE_S)
                while self._changes == seen:
                    await self._news.wait()
        finally:
            self._leave()

    def since(self, seen: int, game: str = "") -> str:
        """What changed after that change; -1: everything. The games that run are always named."""
        names = [name for name, change in self._changed.items() if change > seen]
        shown = [name for name in names if self._is_shown(name, game)]
        parts = [f"{json.dumps(name)}:{self._json(name)}" for name in shown]
        head = {"now_ms": self._now_ms(), "whole": seen < 0, "running": self._picture.running}
        return f'{_dumps(head)[:-1]},"sections":{{{",".join(parts)}}}}}'

    # --- sections

    def _touch(self, names: Iterable[str]) -> None:
        changed = False
        for name in names:
            changed = True
            self._changes += 1
            self._changed[name] = self._changes
        if not changed:
            return
        self._forget_gone()
        self._news.set()
        self._news = asyncio.Event()

    def _forget_gone(self) -> None:
        for name in tuple(self._changed):
            _, is_game, game = name.partition("/")
            if is_game and not self._picture.knows(game):
                del self._changed[name]
                self._written.pop(name, None)

    def _is_shown(self, name: str, followed: str) -> bool:
        """The boards of games that run, and the moves of the one that is followed."""
        kind, _, game = name.partition("/")
        if kind == "moves":
            return game == followed
        return kind != "game" or game in self._picture.running

    def _json(self, name: str) -> str:
        change = self._changed[name]
        known = self._written.get(name)
        if known is None or known[0] != change:
            known = self._written[name] = (change, _dumps(self._section(name)))
        return known[1]

    def _section(self, name: str) -> object:
        rest = self._picture.rest
        if name == SERVICE:
            return shapes.service(self.look(), rest)
        if name == RESULTS:
            return shapes.results(rest, self._now_ms())
        if name == RECENT:
            return [gameshapes.row(row) for row in rest.recent]
        if name == CHALLENGES:
            return shapes.challenges(rest.challenges)
        if name == TROUBLES:
            return shapes.troubles(rest.troubles)
        kind, _, game = name.partition("/")
        view = self.game(game)
        if view is None:
            return None
        return gameshapes.detail(view) if kind == "moves" else gameshapes.board(view)

    # --- looking, while anybody does

    def _enter(self) -> None:
        self._pages += 1
        if self._looking is None:
            self._looking = asyncio.create_task(self._keep_looking(), name="page looks")

    def _leave(self) -> None:
        self._pages -= 1
        if not self._pages and self._looking is not None:
            self._looking.cancel()
            self._looking = None

    async def _keep_looking(self) -> None:
        day = day_of(self._now_ms())
        while True:
            today = day_of(self._now_ms())
            self._touch({SERVICE} if today == day else {SERVICE, RESULTS})
            day = today
            await self._sleep(LOOK_S)


def _dumps(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
