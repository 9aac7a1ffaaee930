"""The truth of one game: who may do what when, and what holds whatever is asked of it."""

import chess
import pytest

from bot.sandbox.match import MAX_PLIES, NO_CLOCK_MS
from bot.sandbox.speeds import TimeControl
from bot.sandbox.variants import Status
from tests.sandbox.scene import BLITZ, FOOLS_MATE, START_MS, a_match, error_of, play

W, B = chess.WHITE, chess.BLACK
LATER = START_MS + 10_000
OPENING = ("e2e4", "e7e5")
NOBODY_MATES = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"  # only White can

# Moving


def test_sides_move_in_turn() -> None:
    match = a_match()
    assert error_of(match.play, B, "e7e5", START_MS) == "Not your turn, or game already over"
    play(match, "e2e4")
    assert error_of(match.play, W, "d2d4", START_MS) == "Not your turn, or game already over"
    assert match.moves == ["e2e4"]


def test_an_illegal_move_changes_nothing() -> None:
    match = a_match()
    assert error_of(match.play, W, "e2e5", START_MS) == "Piece on e2 cannot move to e5"
    assert error_of(match.play, W, "hello", START_MS) == "Invalid UCI: hello"
    assert match.ply == 0
    assert match.turn is W


def test_garbage_is_no_uci_even_out_of_turn() -> None:
    assert error_of(a_match().play, B, "hello", START_MS) == "Invalid UCI: hello"


def test_mate_ends_the_game() -> None:
    match = a_match()
    play(match, *FOOLS_MATE)
    assert (match.status, match.winner) == (Status.MATE, B)
    assert error_of(match.play, W, "a2a3", START_MS) == "Not your turn, or game already over"


def test_a_game_is_drawn_when_it_gets_too_long() -> None:
    match = a_match()
    match.moves = ["e2e4"] * MAX_PLIES
    play(match, "e2e4")
    assert match.status is Status.DRAW
    assert match.ply == MAX_PLIES


# Clocks


def test_clocks_start_after_the_second_ply() -> None:
    match = a_match()
    now_ms = play(match, *OPENING, each_ms=60_000)
    assert match.left_ms(W, now_ms) == match.left_ms(B, now_ms) == 180_000
    assert match.left_ms(W, now_ms + 1000) == 179_000
    assert match.left_ms(B, now_ms + 1000) == 180_000


def test_the_mating_move_earns_no_increment() -> None:
    match = a_match()
    now_ms = play(match, *FOOLS_MATE, each_ms=5000)
    assert match.left_ms(W, now_ms) == 180_000 - 5000 + 2000
    assert match.left_ms(B, now_ms) == 180_000 - 5000


def test_clocks_stand_when_the_game_is_over() -> None:
    match = a_match()
    now_ms = play(match, *OPENING)
    match.resign(W, now_ms + 3000)
    assert match.left_ms(W, now_ms + 60_000) == 177_000
    assert match.deadline_ms is None


def test_a_flag_falls_when_time_is_up() -> None:
    match = a_match()
    now_ms = play(match, *OPENING)
    assert match.deadline_ms == now_ms + 180_000
    assert not match.expire(now_ms + 179_999)
    assert match.expire(now_ms + 180_000)
    assert (match.status, match.winner) == (Status.OUT_OF_TIME, B)
    assert not match.expire(now_ms + 190_000)


def test_a_move_after_the_flag_loses_on_time_and_is_not_refused() -> None:
    match = a_match()
    now_ms = play(match, *OPENING)
    match.play(W, "d2d4", now_ms + 180_000)
    assert match.status is Status.OUT_OF_TIME
    assert match.ply == 2


def test_time_is_no_loss_against_a_side_that_cannot_win() -> None:
    match = a_match("fromPosition", NOBODY_MATES)
    now_ms = play(match, "a1a2", "e8e7")
    match.expire(now_ms + 999_999)
    assert (match.status, match.winner) == (Status.OUT_OF_TIME, None)


def test_a_flag_that_falls_under_an_offer_accepts_it() -> None:
    match = a_match()
    now_ms = play(match, *OPENING)
    match.offers.draw.add(B)
    match.expire(now_ms + 999_999)
    assert (match.status, match.winner) == (Status.DRAW, None)


def test_without_a_clock_the_time_is_endless() -> None:
    match = a_match(control=TimeControl())
    play(match, *OPENING)
    assert match.left_ms(W, LATER) == NO_CLOCK_MS
    assert match.deadline_ms is None
    assert match.clock_log == []


def test_days_a_turn_run_for_the_side_to_move_and_start_anew_with_each_move() -> None:
    match = a_match(control=TimeControl(days=2))
    day_ms = 86_400_000
    assert match.left_ms(W, START_MS + day_ms) == day_ms
    assert match.left_ms(B, START_MS + day_ms) == 2 * day_ms
    match.play(W, "e2e4", START_MS + day_ms)
    assert match.left_ms(B, START_MS + day_ms) == 2 * day_ms
    assert match.expire(START_MS + 3 * day_ms)
    assert match.winner is W


# First moves


def test_nobody_waits_for_the_first_move_of_a_challenge_with_a_watch() -> None:
    assert a_match().deadline_ms is None


def test_a_lobby_game_nobody_starts_is_aborted() -> None:
    match = a_match(source="lobby")
    assert match.first_move_ms == 25_000
    assert match.deadline_ms == START_MS + 26_000  # a second of grace
    assert match.expire(START_MS + 26_000)
    assert match.status is Status.ABORTED


def test_an_arena_game_nobody_starts_is_won_by_the_other() -> None:
    match = a_match(source="arena")
    play(match, "e2e4")
    assert match.expire(START_MS + 60_000)
    assert (match.status, match.winner) == (Status.NO_START, W)


def test_after_the_first_moves_the_clock_decides() -> None:
    match = a_match(source="lobby")
    now_ms = play(match, *OPENING)
    assert match.first_move_ms is None
    assert match.deadline_ms == now_ms + 180_000


# Abort and resign


@pytest.mark.parametrize("moves", [(), OPENING[:1]])
def test_a_game_is_aborted_while_fewer_than_two_plies_are_played(moves: tuple[str, ...]) -> None:
    match = a_match()
    play(match, *moves)
    match.abort(START_MS)
    assert match.status is Status.ABORTED
    assert match.winner is None


@pytest.mark.parametrize("match", [a_match(rules=("noAbort",)), a_match(source="arena")])
def test_some_games_cannot_be_aborted_at_all(match: object) -> None:
    assert error_of(match.abort, START_MS) == "This game can no longer be aborted"  # type: ignore[attr-defined]


def test_a_game_with_two_plies_can_no_longer_be_aborted() -> None:
    match = a_match()
    play(match, *OPENING)
    assert error_of(match.abort, START_MS) == "This game can no longer be aborted"


def test_resigning_a_game_that_could_be_aborted_aborts_it() -> None:
    match = a_match()
    match.resign(W, START_MS)
    assert match.status is Status.ABORTED


def test_resigning_loses() -> None:
    match = a_match()
    play(match, *OPENING)
    match.resign(W, START_MS)
    assert (match.status, match.winner) == (Status.RESIGN, B)


def test_a_game_that_is_over_cannot_be_resigned_nor_one_that_must_not_be_aborted_yet() -> None:
    match = a_match()
    play(match, *FOOLS_MATE)
    assert error_of(match.resign, B, START_MS) == "This game cannot be resigned"
    assert error_of(a_match(rules=("noAbort",)).resign, W, START_MS) == "This game cannot be resigned"


def test_a_match_that_is_over_stays_as_it_is() -> None:
    match = a_match()
    match.finish(Status.CHEAT, W, START_MS)
    match.finish(Status.DRAW, None, START_MS)
    assert (match.status, match.winner) == (Status.CHEAT, W)


# Who is who


def test_a_match_knows_who_has_moved() -> None:
    match = a_match("fromPosition", "4k3/8/8/8/8/8/8/R3K3 b - - 0 1")
    assert not match.has_moved(B)
    play(match, "e8e7")
    assert match.has_moved(B)
    assert not match.has_moved(W)
    assert match.color_of("white") is W
    assert match.color_of("nobody") is None


def test_the_ai_is_to_move_when_it_is_its_turn_and_the_game_runs() -> None:
    match = a_match(ai=3)
    asked = [match.ai_to_move]
    play(match, "e2e4")
    asked.append(match.ai_to_move)
    match.resign(W, START_MS)
    asked.append(match.ai_to_move)
    assert asked == [False, True, False]
    assert match.has_ai


def test_which_games_can_be_lost_by_leaving() -> None:
    running = [a_match(), a_match(ai=1), a_match(control=TimeControl()), a_match(rules=("noClaimWin",))]
    assert not running[0].is_forfeitable  # nobody has moved
    for match in running:
        play(match, *OPENING)
    assert [match.is_forfeitable for match in running] == [True, False, False, False]
    assert not a_match(control=BLITZ, source="swiss").is_forfeitable
