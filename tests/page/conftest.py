"""A server and a browser for each file of tests, a fresh visitor for each test.

Neither outlives its file: tests that look for threads and sockets left behind would find theirs.
"""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.page.scene import FLAGS, PATIENCE_S, House, Player, find_browser

expect.set_options(timeout=20_000)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Of one file: while it is open its loop runs in this thread, and no other test could run one."""
    found = find_browser()
    if found is None:
        pytest.skip("no Chromium on this machine (on Debian: apt install chromium): the page is not tested")
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=found, headless=True, args=list(FLAGS))
        yield made
        made.close()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with House(tmp_path_factory.mktemp("house")).open() as made:
        yield made


@pytest.fixture
def player(browser: Browser, house: House) -> Iterator[Player]:
    """At the form; whatever the page complains of in its console fails the test."""
    with browser.new_context(viewport={"width": 1200, "height": 820}) as context:
        context.set_default_timeout(PATIENCE_S * 1000)
        page = context.new_page()
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
        yield Player(page, house.url).arrive()
        house.clear_table()
        # the browser itself tells of every request that did not get through: that is no fault of the page
        assert [fault for fault in faults if not re.match("Failed to load resource", fault)] == []
