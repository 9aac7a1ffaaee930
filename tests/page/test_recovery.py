"""The server goes away and comes back; the page finds its way without being asked."""

from playwright.sync_api import expect

from tests.page.scene import House, Player


def test_the_page_says_that_the_server_is_lost_and_goes_on_when_it_is_back(
    player: Player, house: House
) -> None:
    player.start()
    player.click("e2", "e4")
    player.sees_moves("e4", "a5")
    with house.outage():
        expect(player.page.locator("#banner")).to_contain_text("connection is lost")
    expect(player.page.locator("#banner")).to_be_hidden()
    player.click("d2", "d4")
    player.sees_moves("e4", "a5", "d4", "a4")


def test_a_move_made_while_the_server_is_away_is_sent_when_it_is_back(player: Player, house: House) -> None:
    player.start()
    player.click("e2", "e4")
    player.sees_moves("e4", "a5")
    with house.outage():
        expect(player.page.locator("#banner")).to_be_visible()
        player.click("d2", "d4")
    player.sees_moves("e4", "a5", "d4", "a4")


def test_a_reload_finds_the_running_game(player: Player) -> None:
    player.start()
    player.click("e2", "e4")
    player.sees_moves("e4", "a5")
    player.page.reload()
    player.sees_moves("e4", "a5")
    player.click("d2", "d4")
    player.sees_moves("e4", "a5", "d4", "a4")


def test_a_player_nobody_knows_any_more_is_welcomed_as_a_new_guest(player: Player, house: House) -> None:
    player.start()

    async def forget() -> None:
        accounts = house.box.world.accounts
        for token in [token for token in accounts._tokens if token != house.box.token]:
            accounts.revoke(token)
        house.box.restart()

    house.do(forget())
    expect(player.page.locator("#problem")).to_contain_text("game is gone")
    player.start()
    player.click("e2", "e4")
    player.sees_moves("e4", "a5")
