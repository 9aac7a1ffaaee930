"""What a page is told: always the newest, never more than ten times a second, and nothing is kept for it."""

import asyncio
import json
import random
from collections.abc import AsyncGenerator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bot.dashboard.feed import LOOK_S, PAUSE_S, Feed
from bot.dashboard.picture import CLOSED_KEPT
from bot.game.facts import ThoughtGrew
from bot.store.openings import own_openings
from tests.dashboard.shown import ONLINE, WELL, interleaved, run
from tests.store.telling import START_MS, Teller, game_info, thought

NAMES = own_openings()


class Stopwatch:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    async def sleep(self, seconds: float) -> None:
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append((self.now_s + seconds, woken))
        await woken

    async def pass_(self, seconds: float) -> None:
        """Whoever is due wakes, and does what he wants to before this returns."""
        self.now_s += seconds
        due = [woken for at, woken in self._sleepers if at <= self.now_s + 1e-9]
        self._sleepers = [(at, woken) for at, woken in self._sleepers if at > self.now_s + 1e-9]
        for woken in due:
            if not woken.done():
                woken.set_result(None)
        for _ in range(5):
            await asyncio.sleep(0)


class Page:
    """Reads what it is told as soon as it may, unless it is asleep."""

    def __init__(self, updates: AsyncGenerator[str, None]) -> None:
        self._updates = updates
        self.heard: list[dict[str, Any]] = []
        self.may_read = asyncio.Event()
        self.may_read.set()
        self.task = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for text in self._updates:
            self.heard.append(json.loads(text))
            await self.may_read.wait()

    async def leave(self) -> None:
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)
        await self._updates.aclose()


def a_feed(watch: Stopwatch) -> Feed:
    return Feed(
        lambda: WELL, names=NAMES, sleep=watch.sleep, now_ms=lambda: START_MS + round(watch.now_s * 1000)
    )


def grew(teller: Teller, depth: int) -> ThoughtGrew:
    found = thought("e2e4", 0)
    return ThoughtGrew(
        teller.info.id, 0, type(found)("e2e4", "krait", found.score, depth, 1, 1, 1, ("e2e4",)), START_MS
    )


def test_two_hundred_changes_a_second_are_ten_updates_and_the_last_is_the_newest() -> None:
    async def story() -> None:
        watch, teller = Stopwatch(), Teller()
        feed = a_feed(watch)
        feed.tell(teller.opened())
        page = Page(feed.follow())
        await watch.pass_(0)
        for number in range(200):
            feed.tell(grew(teller, number))
            await watch.pass_(0.005)
        await watch.pass_(PAUSE_S)
        assert 8 <= len(page.heard) <= 12
        assert page.heard[-1]["sections"]["game/game0001"]["thought"]["depth"] == 199
        await page.leave()

    run(story)


def test_a_page_that_does_not_read_is_told_the_end_of_it_in_one() -> None:
    async def story() -> None:
        watch, teller = Stopwatch(), Teller()
        feed = a_feed(watch)
        feed.tell(teller.opened())
        page = Page(feed.follow())
        await watch.pass_(0)
        page.may_read.clear()
        for number in range(1000):
            feed.tell(grew(teller, number))
            await watch.pass_(0.1)
        before = len(page.heard)
        page.may_read.set()
        await watch.pass_(0)
        await watch.pass_(PAUSE_S)
        assert len(page.heard) == before + 1
        assert page.heard[-1]["sections"]["game/game0001"]["thought"]["depth"] == 999
        await page.leave()

    run(story)


def test_where_nothing_changes_a_page_hears_once_a_second_how_the_service_is() -> None:
    async def story() -> None:
        watch = Stopwatch()
        page = Page(a_feed(watch).follow())
        for _ in range(100):
            await watch.pass_(LOOK_S / 20)
        assert 5 <= len(page.heard) <= 8
        assert all(list(update["sections"]) == ["service"] for update in page.heard[2:])
        await page.leave()

    run(story)


def test_only_the_first_update_is_whole() -> None:
    async def story() -> None:
        watch, teller = Stopwatch(), Teller()
        feed = a_feed(watch)
        feed.tell(teller.opened())
        page = Page(feed.follow())
        await watch.pass_(0)
        feed.tell(ONLINE)
        await watch.pass_(PAUSE_S)
        assert [update["whole"] for update in page.heard] == [True, False]
        assert "game/game0001" in page.heard[0]["sections"]
        assert "moves/game0001" not in page.heard[0]["sections"]  # nobody asked for them
        assert "game/game0001" not in page.heard[1]["sections"]
        await page.leave()

    run(story)


def test_a_page_for_one_game_is_told_every_detail_of_it() -> None:
    async def story() -> None:
        watch, teller = Stopwatch(), Teller()
        feed = a_feed(watch)
        feed.tell(teller.opened())
        page = Page(feed.follow("game0001"))
        await watch.pass_(0)
        for fact in teller.plies("e2e4", "e7e5"):
            feed.tell(fact)
        await watch.pass_(PAUSE_S)
        assert [move["san"] for move in page.heard[-1]["sections"]["moves/game0001"]["moves"]] == ["e4", "e5"]
        feed.tell(grew(teller, 3))
        await watch.pass_(PAUSE_S)
        assert list(page.heard[-1]["sections"]) == ["game/game0001"]  # a thought changes no move
        feed.tell(teller.closed())
        await watch.pass_(PAUSE_S)
        assert page.heard[-1]["sections"]["moves/game0001"]["result"] == "win"
        assert page.heard[-1]["running"] == []
        await page.leave()

    run(story)


def test_nobody_looks_when_nobody_watches() -> None:
    async def story() -> None:
        watch, looks = Stopwatch(), []
        feed = Feed(lambda: looks.append(1) or WELL, names=NAMES, sleep=watch.sleep)  # type: ignore[func-returns-value]  # counted
        page = Page(feed.follow())
        await watch.pass_(0)
        await page.leave()
        seen = len(looks)
        for _ in range(10):
            await watch.pass_(LOOK_S)
        assert len(looks) == seen > 0
        assert feed.pages == 0
        assert "page looks" not in {task.get_name() for task in asyncio.all_tasks()}

    run(story)


def test_games_that_are_long_over_leave_nothing_behind() -> None:
    feed = Feed(lambda: WELL, names=NAMES)
    for number in range(100):
        teller = Teller(game_info(f"game{number:04d}"))
        feed.tell(teller.opened())
        feed.since(-1, teller.info.id)
        feed.tell(teller.closed())
    assert len(feed._changed) <= 5 + 2 * CLOSED_KEPT
    assert len(feed._written) <= 5 + 2 * CLOSED_KEPT


@given(
    st.lists(st.integers(0, 400), min_size=1, max_size=4),
    st.randoms(use_true_random=False),
    st.lists(st.integers(1, 40), max_size=30),
)
def test_whenever_a_page_asks_it_ends_with_the_same_picture(
    seeds: list[int], order: random.Random, rhythm: list[int]
) -> None:
    facts, _ = interleaved(seeds, order)
    feed = Feed(lambda: WELL, names=NAMES, now_ms=lambda: START_MS)
    held: dict[str, Any] = {}
    seen = -1

    def ask() -> None:
        nonlocal seen
        upto = feed.changes
        update = json.loads(feed.since(seen))
        seen = upto
        held.update(update["sections"])
        for name in [name for name in held if name.startswith("game/")]:
            if name.removeprefix("game/") not in update["running"]:
                del held[name]

    pauses = iter(rhythm)
    wait = next(pauses, 10**9)
    for number, fact in enumerate(facts):
        feed.tell(fact)
        if number >= wait:
            ask()
            wait = number + next(pauses, 10**9)
    ask()
    assert held == json.loads(feed.since(-1))["sections"]
