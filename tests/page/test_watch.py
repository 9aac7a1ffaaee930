"""The page that watches, in a real browser: live boards, a game, history; for everybody, and never frozen."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from bot.game.facts import ChatHeard, ConnectionChanged
from bot.game.nouns import Player
from tests.page.test_everybody import findings, is_within
from tests.page.watching import PATIENCE_S, Stage, Watcher, a_game
from tests.store.telling import START_MS

FIRST_LOAD = 100_000  # bytes on the wire
VIEWS = ("#/", "#/game/past0004", "#/history")


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with Stage(tmp_path_factory.mktemp("stage")).open() as made:
        yield made


@pytest.fixture
def watcher(browser: Browser, stage: Stage) -> Iterator[Watcher]:
    """Whatever the page complains of in its console fails the test."""
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        context.set_default_timeout(PATIENCE_S * 1000)
        page = context.new_page()
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
        yield Watcher(page, stage.url)
        for game in stage.call(lambda: tuple(stage.window.feed.snapshot().games)):
            stage.tell(a_game(game).closed())
        assert [fault for fault in faults if not re.match("Failed to load resource", fault)] == []


def shows_view(page: Page, where: str) -> None:
    """Everything that the view asks for has come."""
    page.wait_for_load_state("domcontentloaded")
    name = where.removeprefix("#/").partition("/")[0] or "overview"
    expect(page.locator(f"#{name}")).to_be_visible()
    landmark = {"overview": "#vitals dd", "game": "#game-moves button", "history": "#found tbody tr"}[name]
    expect(page.locator(landmark).first).to_be_visible()


def test_a_running_game_moves_on_its_board_as_it_is_played(watcher: Watcher, stage: Stage) -> None:
    teller = a_game("live0001", opponent=Player("zoe", "Zoe", None, 2100))
    watcher.goes()
    expect(watcher.page.locator("#live-empty")).to_be_visible()
    stage.tell(teller.opened())
    card = watcher.card("Zoe")
    expect(card).to_contain_text("Zoe2100")
    expect(card).to_contain_text("3:00")
    stage.tell(*teller.plies("e2e4", "c7c5"))
    watcher.sees_last_move(card, "c7", "c5")
    expect(card).to_contain_text("Sicilian Defense")
    expect(card.locator(".numbers")).to_contain_text("depth 10")
    expect(card.locator(".numbers")).to_contain_text("lag 30 ms")
    expect(card.locator("svg.eval")).to_have_attribute("aria-label", re.compile(r"now \+0.25 for White"))
    stage.tell(teller.closed())
    expect(card).to_have_count(0)
    expect(watcher.page.locator("#recent tbody tr").first).to_contain_text("Zoe")
    expect(watcher.page.locator("#results")).to_contain_text("Blitzpeople")


def test_a_click_opens_the_game_with_its_moves_evaluations_and_chat(watcher: Watcher, stage: Stage) -> None:
    teller, page = a_game("live0002", opponent=Player("yan", "Yan")), watcher.page
    stage.tell(teller.opened(), *teller.plies("d2d4", "d7d5"))
    watcher.goes()
    watcher.card("Yan").locator("a").click()
    moves = page.locator("#game-moves button")
    expect(moves).to_have_count(2)
    expect(moves.first).to_contain_text("d4")
    expect(moves.first).to_contain_text("+0.25")
    stage.tell(*teller.plies("c2c4"))
    expect(moves).to_have_count(3)
    watcher.sees_last_move(page.locator("#game-squares"), "c2", "c4")
    expect(page.locator("#game-said")).to_have_text("c4")
    expect(page.locator("#game-thought")).to_contain_text("krait thought · +0.27 for White · depth 12")
    stage.tell(ChatHeard(teller.info.id, "player", "Yan", "<img src=x onerror=alert(1)>", START_MS))
    expect(page.locator("#game-chat")).to_contain_text("Yan: <img src=x onerror=alert(1)>")
    assert page.locator("#game-chat img").count() == 0
    stage.tell(teller.closed())
    expect(page.locator("#game-facts")).to_contain_text("we won (checkmate)")


def test_a_takeback_is_taken_back_on_the_page(watcher: Watcher, stage: Stage) -> None:
    teller = a_game("live0003", opponent=Player("xenia", "Xenia"))
    stage.tell(teller.opened(), *teller.plies("e2e4", "e7e5", "g1f3"))
    watcher.goes("#/game/live0003")
    moves = watcher.page.locator("#game-moves button")
    expect(moves).to_have_count(3)
    stage.tell(teller.taken_back(2))
    expect(moves).to_have_count(1)
    watcher.sees_last_move(watcher.page.locator("#game-squares"), "e2", "e4")


def test_a_game_of_the_past_is_replayed_with_the_keys(watcher: Watcher) -> None:
    page, board = watcher.goes("#/game/past0003").page, watcher.page.locator("#game-squares")
    watcher.sees_last_move(board, "a7", "a6")
    page.keyboard.press("ArrowLeft")
    watcher.sees_last_move(board, "f1", "b5")
    page.keyboard.press("Home")
    expect(board.locator(".last")).to_have_count(0)
    expect(page.locator("#game-thought")).to_have_text("Before the first move.")
    page.keyboard.press("ArrowRight")
    watcher.sees_last_move(board, "e2", "e4")
    expect(page.locator("#game-moves [aria-current]")).to_contain_text("e4")
    page.get_by_role("button", name="Last position").click()
    watcher.sees_last_move(board, "a7", "a6")
    expect(page.locator("#game-chat")).to_contain_text("maia: good <b>luck</b>")


def test_a_game_that_is_not_there_is_said_not_to_be(watcher: Watcher) -> None:
    expect(watcher.goes("#/game/nosuch01").page.locator("#game-error")).to_have_text(
        "there is no game nosuch01"
    )


def test_history_shows_what_is_asked_for(watcher: Watcher) -> None:
    page = watcher.goes("#/history").page
    expect(page.locator("#history-count")).to_have_text(re.compile(r"^3\d games$"))
    page.get_by_label("Speed").select_option("bullet")
    expect(page.locator("#history-count")).to_have_text("10 games")
    watcher.sees_rows("found", 10)
    page.get_by_label("Result", exact=True).select_option("loss")
    expect(page.locator("#history-count")).to_have_text("2 games")
    expect(page).to_have_url(re.compile(r"#/history\?speed=bullet&result=loss$"))
    with page.expect_download() as download:
        page.get_by_role("link", name="Download PGN").click()
    assert Path(download.value.path()).read_text(encoding="utf-8").count("[GameId ") == 2
    page.reload()
    expect(page.locator("#history-count")).to_have_text("2 games")
    page.get_by_role("button", name="Clear").click()
    expect(page.locator("#history-count")).to_have_text(re.compile(r"^3\d games$"))


def test_an_opening_leads_to_its_games(watcher: Watcher) -> None:
    page = watcher.goes("#/history?opponent=anna").page
    expect(page.locator("#history-count")).to_have_text("20 games")
    page.locator("#openings").get_by_role("link", name=re.compile("French")).first.click()
    expect(page.locator("#history-count")).to_have_text("10 games")
    page.locator("#found").get_by_role("link").first.click()
    expect(page.locator("#game-title")).to_contain_text("Anna")
    page.go_back()
    expect(page.locator("#history-count")).to_have_text("10 games")


def test_games_are_leafed_through(watcher: Watcher) -> None:
    page = watcher.goes("#/history?since=2026-09-21&until=2026-10-20").page
    watcher.sees_rows("found", 25)
    page.get_by_role("link", name="Older").click()
    watcher.sees_rows("found", 5)
    expect(page.locator("#pages")).to_contain_text("Page 2 of 2")


def test_the_rating_has_a_curve(watcher: Watcher) -> None:
    picture = watcher.goes().page.locator("#ratings svg")
    expect(picture).to_have_attribute("aria-label", re.compile(r"Rating over time: .*Blitz 25\d\d"))
    expect(picture.locator("path")).to_have_count(2)


def test_two_hundred_changes_a_second_do_not_freeze_the_page(watcher: Watcher, stage: Stage) -> None:
    """It is told of few of them, shows the newest, and answers meanwhile."""
    page = watcher.page
    page.add_init_script(
        """
        const Plain = window.EventSource;
        window.told = 0;
        window.EventSource = class extends Plain {
          constructor(...given) {
            super(...given);
            this.addEventListener("message", () => { window.told += 1; });
          }
        };
        """
    )
    tellers = [
        a_game(f"wind{number:04d}", opponent=Player(f"w{number}", f"Wind{number}")) for number in range(8)
    ]
    stage.tell(*(teller.opened() for teller in tellers))
    watcher.goes()
    expect(page.locator(".game-card")).to_have_count(8)
    before = page.evaluate("window.told")
    storms = [stage.storm(teller, 75, 0.04) for teller in tellers]  # 25 a second in each of 8 games
    page.locator("#nav-history").click()
    expect(page.locator("#history-count")).to_contain_text("games")
    page.locator("#nav-overview").click()
    expect(watcher.card("Wind0")).to_contain_text("depth")
    for storm in storms:
        storm.result(PATIENCE_S)
    for number in range(8):
        expect(watcher.card(f"Wind{number}").locator(".numbers")).to_contain_text("depth 75")
    assert page.evaluate("window.told") - before < 8 * 75 / 4


def test_a_service_that_goes_away_is_missed_and_found_again(watcher: Watcher, stage: Stage) -> None:
    teller = a_game("live0009", opponent=Player("vera", "Vera"))
    stage.tell(teller.opened())
    watcher.goes()
    expect(watcher.card("Vera")).to_be_visible()
    stage.shut()
    expect(watcher.page.locator("#link-state")).to_have_text("No connection to the service: trying again")
    stage.tell(*teller.plies("e2e4"))
    stage.reopen()
    watcher.sees_last_move(watcher.card("Vera"), "e2", "e4")
    expect(watcher.page.locator("#link-state")).to_have_text("")


def test_a_lost_connection_to_lichess_is_plain_to_see(watcher: Watcher, stage: Stage) -> None:
    watcher.goes()
    stage.tell(ConnectionChanged("lost", "silence", START_MS))
    expect(watcher.page.locator("#vitals")).to_contain_text("connection lost")
    stage.tell(ConnectionChanged("online", "Krait", START_MS))
    expect(watcher.page.locator("#vitals")).to_contain_text("online, heard 2 s ago")


@pytest.mark.parametrize("where", VIEWS)
def test_nothing_is_wider_than_a_phone(watcher: Watcher, stage: Stage, where: str) -> None:
    teller = a_game("live0010", opponent=Player("n", "Somebody-with-a-long-name-of-30", "GM", 2750))
    stage.tell(teller.opened(), *teller.plies("e2e4"))
    watcher.page.set_viewport_size({"width": 360, "height": 640})
    shows_view(watcher.goes(where).page, where)
    assert is_within(watcher.page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("where", VIEWS)
def test_no_serious_barrier_is_found(watcher: Watcher, stage: Stage, where: str, scheme: str) -> None:
    teller = a_game("live0011", opponent=Player("uwe", "Uwe"))
    stage.tell(teller.opened(), *teller.plies("e2e4", "e7e5"))
    page = watcher.page
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
    shows_view(watcher.goes(where).page, where)
    assert findings(page) == []


def test_the_views_are_reached_with_the_keyboard_and_said_aloud(watcher: Watcher) -> None:
    page = watcher.goes().page
    shows_view(page, "#/")
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("To the content")
    page.locator("#nav-history").focus()
    page.keyboard.press("Enter")
    shows_view(page, "#/history")
    expect(page.locator("#main")).to_be_focused()
    expect(page).to_have_title("Krait: history")
    expect(page.locator("#nav-history")).to_have_attribute("aria-current", "page")


def test_the_first_visit_costs_little_and_asks_nobody_else(browser: Browser, stage: Stage) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        line = context.new_cdp_session(page)
        line.send("Network.enable")
        sizes: list[float] = []
        asked: list[str] = []
        line.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
        page.on("request", lambda request: asked.append(request.url))
        shows_view(Watcher(page, stage.url).goes().page, "#/")
        expect(page.locator("#ratings svg")).to_be_visible()
        assert len(sizes) > 10  # modules and styles were counted
        assert sum(sizes) < FIRST_LOAD
        assert [url for url in asked if not url.startswith(stage.url)] == []
