"""The page for everybody: small screens, keyboards, screen readers, slow lines, dark rooms."""

from importlib import resources
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.page.scene import House, Player

FIRST_LOAD = 100_000  # bytes on the wire
AXE = "axe_playwright_python"  # the package that carries axe-core; nothing else of it is used


def findings(page: Page) -> list[str]:
    """What axe calls serious or worse."""
    page.evaluate(resources.files(AXE).joinpath("axe.min.js").read_text(encoding="utf-8"))
    wish = {"resultTypes": ["violations"]}
    violations: list[dict[str, Any]] = page.evaluate("wish => axe.run(document, wish)", wish)["violations"]
    return [
        f"{each['id']}: {node['html']}"
        for each in violations
        if each["impact"] in {"serious", "critical"}
        for node in each["nodes"]
    ]


def is_within(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_serious_barrier_is_found_before_during_and_after_a_game(player: Player, scheme: str) -> None:
    page = player.page
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
    page.locator(".more summary").click()
    assert findings(page) == []
    page.locator(".more summary").click()
    player.start(coach="yes")
    player.click("e2", "e4")
    player.sees_moves("e4", "a5")
    page.locator(".chat summary").click()
    assert findings(page) == []
    page.locator("#resign").click(click_count=2)
    expect(page.locator("#result")).to_be_visible()
    assert findings(page) == []
    page.locator("#result-close").click()
    expect(page.locator("#graph figcaption")).to_contain_text("White's chances")
    assert findings(page) == []


def test_a_barrier_would_be_found(player: Player) -> None:
    player.page.evaluate("() => document.getElementById('start').replaceChildren()")
    assert any(found.startswith("button-name") for found in findings(player.page))


def test_nothing_is_wider_than_a_phone(player: Player) -> None:
    page = player.page
    page.set_viewport_size({"width": 375, "height": 667})
    assert is_within(page)
    page.locator(".more summary").click()
    assert is_within(page)
    page.locator(".more summary").click()
    player.start(coach="yes")
    player.click("e2", "e4")
    player.sees_moves("e4", "a5")
    assert is_within(page)
    box = page.locator("#board").bounding_box()
    assert box is not None
    assert box["width"] >= 340
    page.locator("#resign").click(click_count=2)
    expect(page.locator("#result")).to_be_visible()
    assert is_within(page)


def test_a_finger_plays_on_a_phone(browser: Browser, house: House) -> None:
    with browser.new_context(viewport={"width": 375, "height": 667}, has_touch=True, is_mobile=True) as phone:
        player = Player(phone.new_page(), house.url).arrive().start()
        box = player.page.locator("#board").bounding_box()
        assert box is not None
        assert box["y"] >= 0  # in sight, wherever the form had been scrolled to
        assert box["y"] + box["height"] <= 667
        player.square("e2").tap()
        player.square("e4").tap()
        player.sees_moves("e4", "a5")
        house.clear_table()


def test_a_game_is_begun_and_moved_in_with_the_keyboard_alone(player: Player) -> None:
    page = player.page
    page.locator("#start").focus()
    page.keyboard.press("Enter")
    player.sees_phase("playing")
    while page.evaluate("document.activeElement.dataset.square") != "e2":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#board [role=status]")).to_have_text("e2 selected, 2 moves")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    player.sees_moves("e4", "a5")
    expect(page.locator("#board [role=status]")).to_have_text("Krait: a5")
    player.sees_piece("e4", "white pawn")


def test_the_first_visit_costs_little(browser: Browser, house: House) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        line = context.new_cdp_session(page)
        line.send("Network.enable")
        sizes: list[float] = []
        line.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
        Player(page, house.url).arrive()
        page.wait_for_load_state("networkidle")
        assert len(sizes) > 20  # modules, styles and pieces were counted
        assert sum(sizes) < FIRST_LOAD


def test_nothing_is_asked_of_any_other_machine(player: Player, house: House) -> None:
    asked: list[str] = []
    player.page.on("request", lambda request: asked.append(request.url))
    player.arrive().start()
    player.click("e2", "e4")
    player.sees_moves("e4", "a5")
    assert asked
    assert [url for url in asked if not url.startswith(house.url)] == []


def test_light_or_dark_is_remembered(player: Player) -> None:
    page = player.page
    page.emulate_media(color_scheme="light")
    page.get_by_role("button", name="Dark colours").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_a_mute_is_remembered(player: Player) -> None:
    button = player.page.get_by_role("button", name="Sound")
    button.click()
    player.page.reload()
    expect(button).to_have_attribute("aria-pressed", "false")
