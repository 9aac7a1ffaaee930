"""The page to play on and the page to watch on live at one address."""

from playwright.sync_api import expect

from tests.page.scene import House, Player


def test_the_window_of_the_service_is_one_click_away(player: Player, house: House) -> None:
    player.page.get_by_role("link", name="Watch").click()
    expect(player.page).to_have_url(f"{house.url}/watch/")
    expect(player.page.locator("body")).to_contain_text("Krait")


def test_its_address_without_a_slash_leads_there(player: Player, house: House) -> None:
    player.page.goto(f"{house.url}/watch")
    expect(player.page).to_have_url(f"{house.url}/watch/")
