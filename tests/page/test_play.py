"""A person plays on the page, in a real browser, against the service on the local Lichess."""

import io

import chess
import chess.pgn
from playwright.sync_api import Page, expect

from tests.page.scene import House, Player

PROMOTING = "8/P5k1/8/8/8/8/8/K7 w - - 0 1"


def test_a_whole_game_is_played_by_clicking_until_mate(player: Player) -> None:
    player.start()
    player.click("e2", "e4")
    player.sees_moves("e4", "a5")
    player.click("f1", "c4")
    player.sees_moves("e4", "a5", "Bc4", "a4")
    player.click("d1", "h5")
    player.sees_moves("e4", "a5", "Bc4", "a4", "Qh5", "a3")
    player.click("h5", "f7")
    expect(player.page.locator("#result")).to_be_visible()
    expect(player.page.locator("#result-title")).to_have_text("You won!")
    expect(player.page.locator("#result-text")).to_have_text("You win by checkmate.")
    player.sees_phase("over")
    player.sees_piece("e8", "black king, in check")


def test_a_piece_is_dragged_to_its_square(player: Player) -> None:
    player.start()
    player.drag("g1", "f3")
    player.sees_moves("Nf3", "a5")
    player.sees_piece("f3", "white knight")


def test_a_piece_dropped_where_it_cannot_go_stays_where_it_was(player: Player) -> None:
    player.start()
    player.drag("g1", "g4")
    player.sees_piece("g1", "white knight")
    player.sees_moves()


def test_a_touched_piece_shows_where_it_can_go(player: Player) -> None:
    player.start()
    player.square("b1").click()
    targets = player.page.locator("#board .square.target")
    assert set(targets.evaluate_all("all => all.map(each => each.dataset.square)")) == {"a3", "c3"}


def test_a_pawn_becomes_what_the_player_chooses(player: Player) -> None:
    player.start(fen=PROMOTING)
    player.click("a7", "a8")
    player.page.get_by_role("button", name="knight").click()
    player.sees_piece("a8", "white knight")
    expect(player.page.locator("#moves button").first).to_have_text("a8=N")


def test_a_promotion_is_called_off_with_escape(player: Player) -> None:
    player.start(fen=PROMOTING)
    player.click("a7", "a8")
    player.page.keyboard.press("Escape")
    player.sees_piece("a7", "white pawn")
    player.sees_moves()


def test_a_premove_is_played_when_the_turn_comes(player: Player, house: House) -> None:
    player.start()
    with house.held():
        player.click("e2", "e4")
        player.sees_moves("e4")
        player.click("d2", "d4")
        expect(player.square("d4")).to_have_class("square dark premove")
        player.sees_piece("d2", "white pawn")
    player.sees_moves("e4", "a5", "d4", "a4")


def test_a_premove_that_is_illegal_by_then_is_forgotten(player: Player, house: House) -> None:
    player.start()
    with house.held():
        player.click("e2", "e4")
        player.click("e4", "d5")
        expect(player.square("d5")).to_have_class("square light premove")
    player.sees_moves("e4", "a5")
    expect(player.page.locator("#board .premove")).to_have_count(0)
    expect(player.page.locator("#situation")).to_have_text("Your move.")


def test_a_move_is_taken_back(player: Player) -> None:
    player.start()
    player.click("e2", "e4")
    player.sees_moves("e4", "a5")
    player.page.locator("#takeback").click()
    player.sees_moves()
    player.sees_piece("e2", "white pawn")
    player.click("d2", "d4")
    player.sees_moves("d4", "a5")


def test_resigning_takes_two_clicks_and_a_rematch_changes_colours(player: Player) -> None:
    page = player.start().page
    player.click("e2", "e4")
    player.sees_moves("e4", "a5")
    page.locator("#resign").click()
    player.sees_phase("playing")
    page.locator("#resign").click()
    expect(page.locator("#result-text")).to_have_text("Krait wins by resignation.")
    page.locator("#result-rematch").click()
    player.sees_phase("playing")
    expect(page.locator("#moves button")).to_have_count(1)  # Krait is White now
    assert player.square("h8").bounding_box() == player_corner(page)


def player_corner(page: Page) -> object:
    """The box of the square at the bottom left, whatever its name."""
    return page.locator("#board .row").last.locator(".square").first.bounding_box()


def test_a_game_without_moves_is_aborted(player: Player) -> None:
    player.start()
    player.page.locator("#abort").click()
    expect(player.page.locator("#result-title")).to_have_text("Game aborted")


def test_the_strength_asked_for_reaches_the_engine_of_this_game(player: Player, house: House) -> None:
    player.start(elo="1234")
    player.click("e2", "e4")
    player.sees_moves("e4", "a5")
    told = house.told_engine()
    assert "setoption name UCI_Elo value 1234" in told
    assert "setoption name UCI_LimitStrength value true" in told


def test_earlier_positions_are_looked_at_while_the_game_goes_on(player: Player) -> None:
    player.start()
    player.click("e2", "e4")
    player.sees_moves("e4", "a5")
    player.page.locator("#moves button").first.click()
    player.sees_piece("a7", "black pawn")
    player.page.keyboard.press("End")
    player.sees_piece("a7", "empty")


def test_what_is_copied_can_be_read_by_others(player: Player) -> None:
    page = player.start().page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    player.click("e2", "e4")
    player.sees_moves("e4", "a5")
    page.locator("#copy-fen").click()
    expect(page.locator("#toast")).to_have_text("FEN copied")
    fen = page.evaluate("() => navigator.clipboard.readText()")
    assert chess.Board(fen).piece_at(chess.E4) == chess.Piece.from_symbol("P")
    page.locator("#copy-pgn").click()
    expect(page.locator("#toast")).to_have_text("PGN copied")
    game = chess.pgn.read_game(io.StringIO(page.evaluate("() => navigator.clipboard.readText()")))
    assert game is not None
    assert [move.uci() for move in game.mainline_moves()] == ["e2e4", "a7a5"]
    assert (game.headers["Black"], game.headers["Result"]) == ("Krait", "*")


def test_the_coach_shows_what_the_bot_thinks_while_it_thinks(player: Player, house: House) -> None:
    player.start(coach="yes")
    with house.held():
        player.click("e2", "e4")
        expect(player.page.locator("#coach-score")).to_have_text("-0.35")
        expect(player.page.locator("#coach-line")).to_have_text("a5")
        expect(player.page.locator("#coach-others li")).to_have_text(["+0.02 Nh6", "+0.03 Nf6"])
    player.sees_moves("e4", "a5")


def test_after_the_game_the_coach_reviews_every_position(player: Player) -> None:
    page = player.start(coach="yes").page
    player.click("f2", "f3")
    player.sees_moves("f3", "a5")
    page.locator("#resign").click(click_count=2)
    page.locator("#result-close").click()
    expect(page.locator("#graph figcaption")).to_contain_text("White's chances")


def test_a_fast_clock_is_refused_before_it_is_sent(player: Player) -> None:
    page = player.page
    page.locator("input[name=time][value=custom]").check()
    page.locator("#minutes").fill("1")
    page.locator("#increment").fill("0")
    page.locator("#start").click()
    expect(page.locator("#problem")).to_contain_text("too fast")


def test_a_position_that_cannot_be_played_is_refused_in_words(player: Player) -> None:
    page = player.page
    page.locator(".more summary").click()
    page.locator("#fen").fill("nonsense")
    page.locator("#start").click()
    expect(page.locator("#problem")).to_contain_text("check the FEN")


def test_a_game_without_a_clock_is_answered_too(player: Player) -> None:
    player.page.locator("input[name=time][value=unlimited]").check()
    player.start()
    expect(player.page.locator(".clock").first).to_be_hidden()
    player.click("e2", "e4")
    player.sees_moves("e4", "a5")
