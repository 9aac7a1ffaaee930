"""A page that watches, served in another thread: the test tells it facts and looks at it in Chromium."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import AsyncExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect

from bot.dashboard.server import make_app, serve
from bot.game.facts import ChatHeard, Fact, GameRated, ThoughtGrew
from bot.game.nouns import GameInfo, Player, Speed, State, TimeControl
from bot.store.store import Store
from tests.dashboard.shown import ONLINE, Shown
from tests.store.telling import START_MS, Teller, game_info, thought, url_of

PATIENCE_S = 60.0
DAY_MS = 86_400_000
MAIA = Player("maia", "maia", "BOT", 1700)
ANNA = Player("anna", "Anna", None, 1900)
LINES = (
    ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6"),
    ("e2e4", "e7e6", "d2d4", "d7d5", "b1c3"),
    ("d2d4", "d7d5", "c2c4"),
)


class Stage:
    """`tell` and `shut`, `reopen` may be called from the test's thread."""

    def __init__(self, folder: Path) -> None:
        self.window = Shown()
        self._folder = folder
        self._loop = asyncio.new_event_loop()
        self._ready: Future[str] = Future()
        self._closed = AsyncExitStack()
        self._leave, self._port = asyncio.Event(), 0
        self._thread = threading.Thread(target=self._run, daemon=True)

    @contextmanager
    def open(self) -> Iterator["Stage"]:
        self._thread.start()
        self.url = self._ready.result(PATIENCE_S)
        try:
            yield self
        finally:
            self._loop.call_soon_threadsafe(self._leave.set)
            self._thread.join(PATIENCE_S)

    def tell(self, *facts: Fact) -> None:
        def each() -> None:
            for fact in facts:
                self.window.tell(fact)

        self.call(each)

    def call(self, deed: Callable[[], Any]) -> Any:
        done: Future[Any] = Future()
        self._loop.call_soon_threadsafe(lambda: done.set_result(deed()))
        return done.result(PATIENCE_S)

    def storm(self, teller: Teller, changes: int, pause_s: float) -> Future[None]:
        """So many thoughts about one game, one after another, at this distance."""

        async def blow() -> None:
            for number in range(changes):
                found = replace(thought("e2e4", 0), depth=number + 1)
                self.window.tell(ThoughtGrew(teller.info.id, 0, found, START_MS))
                await asyncio.sleep(pause_s)

        return asyncio.run_coroutine_threadsafe(blow(), self._loop)

    def shut(self) -> None:
        asyncio.run_coroutine_threadsafe(self._closed.aclose(), self._loop).result(PATIENCE_S)

    def reopen(self) -> None:
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(PATIENCE_S)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._live())
        except BaseException as error:  # noqa: BLE001  told to whoever waits for the address
            if not self._ready.done():
                self._ready.set_exception(error)
        finally:
            self._loop.close()

    async def _live(self) -> None:
        async with Store(url_of(self._folder)) as store:
            for fact in past():
                store.tell(fact)
            await store.settle()
            self.window.asked = store.ask
            self.window.tell(ONLINE)
            await self._listen()
            self._ready.set_result(f"http://127.0.0.1:{self._port}/")
            await self._leave.wait()
            await self._closed.aclose()

    async def _listen(self) -> None:
        self._closed = AsyncExitStack()
        url = await self._closed.enter_async_context(serve(make_app(self.window), "127.0.0.1", self._port))
        self._port = int(url.rstrip("/").rpartition(":")[2])


def past() -> Iterator[Fact]:
    """Thirty games: every third a bullet game with a bot, every fifth lost."""
    for number in range(30):
        is_bullet, at_ms = number % 3 == 0, START_MS + number * DAY_MS
        control = TimeControl(60, 0) if is_bullet else TimeControl(180, 2)
        info = game_info(
            f"past{number:04d}",
            opponent=MAIA if is_bullet else ANNA,
            speed=Speed.BULLET if is_bullet else Speed.BLITZ,
            control=control,
            white=number % 2 == 0,
            created_at_ms=at_ms,
        )
        teller = Teller(info, now_ms=at_ms)
        yield teller.opened()
        yield from teller.plies(*LINES[number % len(LINES)])
        yield ChatHeard(info.id, "player", info.opponent.name, "good <b>luck</b>", at_ms)
        yield teller.closed("loss" if number % 5 == 0 else "win", "resign" if number % 5 == 0 else "mate")
        yield GameRated(info.id, -6 if number % 5 == 0 else 5, teller.now_ms)


def a_game(game: str, **more: Any) -> Teller:
    info: GameInfo = game_info(game, **more)
    return Teller(info, State((), 180_000, 180_000, 2000, 2000))


class Watcher:
    """A person who looks at the page."""

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.url = page, url

    def goes(self, where: str = "#/") -> "Watcher":
        self.page.goto(self.url + where)
        return self

    def card(self, opponent: str) -> Locator:
        return self.page.locator(".game-card").filter(has_text=opponent)

    def sees_last_move(self, board: Locator, *squares: str) -> None:
        for square in squares:
            expect(board.locator(f'[data-square="{square}"].last')).to_have_count(1)

    def sees_rows(self, table: str, count: int) -> None:
        expect(self.page.locator(f"#{table} tbody tr")).to_have_count(count)
