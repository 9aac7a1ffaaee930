"""Screenshots for the README: `python -m tests.page.shoot FOLDER` (`make screenshots`). Krait itself plays.

The guest's moves are written down, so that the pictures change only when the page or the engine does.
"""

import asyncio
import re
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect, sync_playwright

from bot import log
from bot.demo.house import Parlour
from bot.demo.parlour import opened
from tests.page.scene import FLAGS, Player, find_browser

DESKTOP = {"width": 1280, "height": 840}
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}
QUIET = ("g1f3", "g2g3", "f1g2", "e1g1", "d2d3", "b1d2")  # legal whatever Krait answers, or nearly so
FOOLISH = ("e2e4", "f2f3", "g2g4", "e1e2")
PATIENCE_MS = 120_000
START_S = 180.0


@contextmanager
def parlour() -> Iterator[str]:
    """The address of a parlour with our own engine, in another thread."""
    loop, leave = asyncio.new_event_loop(), asyncio.Event()
    ready: Future[str] = Future()

    async def live(folder: Path) -> None:
        house = Parlour()
        async with opened(house, 0) as box, house.serving(folder):
            ready.set_result(box.url)
            await leave.wait()

    with tempfile.TemporaryDirectory() as folder:
        thread = threading.Thread(target=lambda: loop.run_until_complete(live(Path(folder))), daemon=True)
        thread.start()
        try:
            yield ready.result(START_S)
        finally:
            loop.call_soon_threadsafe(leave.set)
            thread.join(START_S)


@contextmanager
def visitor(browser: Browser, url: str, **wishes: Any) -> Iterator[Player]:
    """Somebody with a browser in which nothing moves, so that no picture is taken half way."""
    settings = {"viewport": DESKTOP, "color_scheme": "light", "reduced_motion": "reduce"} | wishes
    with browser.new_context(**settings) as context:
        context.set_default_timeout(PATIENCE_MS)
        yield Player(context.new_page(), url).arrive()


def play(player: Player, moves: Sequence[str]) -> None:
    """Each move, and Krait's answer."""
    for ply, uci in enumerate(moves):
        player.click(uci[:2], uci[2:])
        expect(player.page.locator("#moves button")).to_have_count(2 * ply + 2, timeout=PATIENCE_MS)


def shoot_setup(browser: Browser, url: str, folder: Path) -> None:
    with visitor(browser, url) as player:
        player.page.screenshot(path=folder / "play-new-game.png")


def shoot_game(browser: Browser, url: str, folder: Path) -> None:
    """Krait at full strength thinks, with the coach beside it."""
    with visitor(browser, url) as player:
        page = player.page
        page.locator("#level").fill("8")
        page.locator("input[name=time][value='3+2']").check()
        player.start(coach="yes")
        play(player, QUIET[:-1])
        player.click(QUIET[-1][:2], QUIET[-1][2:])
        expect(page.locator("#situation")).to_contain_text("thinking")
        expect(page.locator("#coach-depth")).to_contain_text(re.compile(r"depth 1\d"), timeout=PATIENCE_MS)
        page.screenshot(path=folder / "play-light.png")
        page.emulate_media(color_scheme="dark")
        page.screenshot(path=folder / "play-dark.png")
        shoot_watch(page.context.new_page(), url, folder)


def shoot_watch(page: Page, url: str, folder: Path) -> None:
    """The same game, seen by the operator."""
    page.goto(f"{url}/watch/")
    expect(page.locator("#boards li")).to_have_count(1, timeout=PATIENCE_MS)
    page.wait_for_load_state("load")
    page.screenshot(path=folder / "watch.png")


def shoot_end(browser: Browser, url: str, folder: Path) -> None:
    """A fool's game: the dialog at its end, and the review."""
    with visitor(browser, url) as player:
        player.page.locator("#level").fill("8")
        player.page.locator("input[name=time][value='3+2']").check()
        player.start(coach="yes")
        play(player, FOOLISH)
        player.page.locator("#resign").click(click_count=2)
        expect(player.page.locator("#graph figcaption")).to_contain_text("chances", timeout=PATIENCE_MS)
        player.page.screenshot(path=folder / "play-result.png")
        player.page.locator("#result-close").click()
        player.page.screenshot(path=folder / "play-review.png")


def shoot_phone(browser: Browser, url: str, folder: Path) -> None:
    with visitor(browser, url, **PHONE) as player:
        player.start()
        play(player, QUIET[:4])
        player.page.screenshot(path=folder / "play-phone.png")


def main(folder: Path) -> int:
    found = find_browser()
    if found is None:
        print("shoot: no Chromium on this machine (on Debian: apt install chromium)", file=sys.stderr)
        return 1
    log.configure("json", "error")
    folder.mkdir(parents=True, exist_ok=True)
    with parlour() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, headless=True, args=list(FLAGS))
        for shot in (shoot_setup, shoot_game, shoot_end, shoot_phone):
            shot(browser, url, folder)
        browser.close()
    print("\n".join(str(path) for path in sorted(folder.glob("*.png"))))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
