"""The page in a real browser: server and service live in another thread, the test drives Chromium."""

import asyncio
import re
import shutil
import sys
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from playwright.sync_api import Locator, Page, expect

from bot.demo.house import Parlour
from bot.demo.parlour import opened
from bot.sandbox.embed import Sandbox

ENGINE = Path(__file__).with_name("gated_engine.py")
PATIENCE_S = 60.0  # for a machine that is busy with something else
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
T = TypeVar("T")


def find_browser() -> str | None:
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


class House:
    """A parlour in another thread. `hold` lets the bot think until it is let go."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        engine = {"name": "gated", "command": [sys.executable, str(ENGINE), str(folder)], "processes": 1}
        self.parlour = Parlour(engines=(engine,))
        self._loop = asyncio.new_event_loop()
        self._ready: Future[str] = Future()
        self._leave = asyncio.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def box(self) -> Sandbox:
        return self.parlour.box

    @contextmanager
    def open(self) -> Iterator["House"]:
        self._thread.start()
        self.url = self._ready.result(PATIENCE_S)
        try:
            yield self
        finally:
            self._loop.call_soon_threadsafe(self._leave.set)
            self._thread.join(PATIENCE_S)

    def do(self, deed: Coroutine[Any, Any, T]) -> T:
        """Run in the server's loop, and wait for it."""
        return asyncio.run_coroutine_threadsafe(deed, self._loop).result(PATIENCE_S)

    @contextmanager
    def held(self) -> Iterator[None]:
        gate = self.folder / "held"
        gate.touch()
        try:
            yield
        finally:
            gate.unlink()

    @contextmanager
    def outage(self) -> Iterator[None]:
        """Nobody listens at the port while inside."""
        away = self.box.outage()
        self.do(away.__aenter__())
        try:
            yield
        finally:
            self.do(away.__aexit__(None, None, None))

    def clear_table(self) -> None:
        """Every game that is left is over."""
        self.do(self._clear())

    async def _clear(self) -> None:
        games = self.box.world.games
        for match in list(games.ongoing()):
            user = next(seat.user_id for seat in match.seats.values() if seat.title != "BOT")
            assert user is not None  # a guest has an account
            (games.resign if match.ply >= 2 else games.abort)(match.id, user)

    def told_engine(self) -> list[str]:
        return (self.folder / "log").read_text(encoding="utf-8").splitlines()

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
        async with opened(self.parlour, 0) as box, self.parlour.serving(self.folder / "state"):
            self._ready.set_result(box.url)
            await self._leave.wait()


class Player:
    """A person at the page."""

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.url = page, url

    def arrive(self) -> "Player":
        self.page.goto(self.url)
        expect(self.page.locator("body")).to_have_attribute("data-phase", "setup")
        return self

    def start(self, **wishes: str) -> "Player":
        """Begin a game. `fen`, `variant`, `color`, `elo` as in the form."""
        page = self.page
        if wishes.keys() & {"fen", "variant"}:
            page.locator(".more summary").click()
        if fen := wishes.get("fen"):
            page.locator("#fen").fill(fen)
        if variant := wishes.get("variant"):
            page.locator("#variant").select_option(variant)
        if elo := wishes.get("elo"):
            page.locator("#elo").fill(elo)
        if color := wishes.get("color"):
            page.locator(f"input[name=color][value={color}]").check()
        if wishes.get("coach"):
            page.locator("#coach-wanted").check()
        page.locator("#start").click()
        self.sees_phase("playing")
        return self

    def square(self, name: str) -> Locator:
        return self.page.locator(f'#board [data-square="{name}"]')

    def click(self, start: str, end: str) -> None:
        self.square(start).click()
        self.square(end).click()

    def drag(self, start: str, end: str) -> None:
        self.square(start).drag_to(self.square(end))

    def sees_moves(self, *sans: str) -> None:
        expect(self.page.locator("#moves button")).to_have_text(list(sans), timeout=PATIENCE_S * 1000)

    def sees_piece(self, square: str, words: str) -> None:
        label = f"{square}, {words}"
        expect(self.square(square)).to_have_attribute("aria-label", _beginning(label))

    def sees_phase(self, phase: str) -> None:
        expect(self.page.locator("body")).to_have_attribute("data-phase", phase)


def _beginning(text: str) -> re.Pattern[str]:
    return re.compile(rf"^{re.escape(text)}")
