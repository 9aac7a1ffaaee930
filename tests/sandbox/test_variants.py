"""The ten variants: how their moves and positions are written, and how each of them ends."""

import random

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sandbox.variants import (
    VARIANTS,
    Ending,
    Status,
    can_win,
    checked_fen,
    ending_on_board,
    last_move_keys,
    new_board,
    points_ahead,
    random_start,
    read_move,
    shown_fen,
    shown_move,
)
from tests.sandbox.scene import START_MS, a_match, error_of, patient, play

CASTLES = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1"
NOT_STANDARD = [key for key in VARIANTS if key != "standard"]
CAN_CASTLE = ["fromPosition", "crazyhouse", "atomic", "kingOfTheHill", "threeCheck"]


def on(key: str, fen: str) -> chess.Board:
    return new_board(VARIANTS[key], fen)


def written(key: str, board: chess.Board, uci: str) -> str:
    variant = VARIANTS[key]
    return shown_move(variant, board, read_move(variant, board, uci))


# Moves


@pytest.mark.parametrize("sent", ["e1g1", "e1h1"])
def test_standard_castling_is_sent_either_way_and_written_as_two_squares(sent: str) -> None:
    assert written("standard", on("standard", CASTLES), sent) == "e1g1"


@pytest.mark.parametrize("key", CAN_CASTLE)
@pytest.mark.parametrize(("sent", "shown"), [("e1g1", "e1h1"), ("e1h1", "e1h1"), ("e1c1", "e1a1")])
def test_any_other_variant_writes_king_takes_rook(key: str, sent: str, shown: str) -> None:
    assert written(key, on(key, CASTLES), sent) == shown


def test_chess960_knows_castling_as_king_takes_rook_only() -> None:
    board = on("chess960", CASTLES)
    assert written("chess960", board, "e1h1") == "e1h1"
    assert error_of(read_move, VARIANTS["chess960"], board, "e1g1") == "Piece on e1 cannot move to g1"


def test_rooks_may_castle_from_anywhere_in_a_set_up_position() -> None:
    board = on("fromPosition", "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1")
    assert written("fromPosition", board, "e1g1") == "e1g1"  # king takes the rook on g1
    assert written("fromPosition", board, "e1b1") == "e1b1"


@pytest.mark.parametrize("key", CAN_CASTLE)
def test_the_squares_lit_up_show_the_kings_walk(key: str) -> None:
    board = on(key, CASTLES)
    board.push(read_move(VARIANTS[key], board, "e1h1"))
    assert last_move_keys(VARIANTS[key], board) == "e1g1"


def test_the_squares_lit_up_in_chess960_are_kings_and_rooks() -> None:
    board = on("chess960", CASTLES)
    board.push(read_move(VARIANTS["chess960"], board, "e1h1"))
    assert last_move_keys(VARIANTS["chess960"], board) == "e1h1"


def test_a_drop_lights_up_its_square_twice() -> None:
    board = on("crazyhouse", "4k3/8/8/8/8/8/8/4K3[N] w - - 0 1")
    assert written("crazyhouse", board, "N@f3") == "N@f3"
    board.push_uci("N@f3")
    assert last_move_keys(VARIANTS["crazyhouse"], board) == "f3f3"


def test_nothing_is_lit_up_before_the_first_move() -> None:
    assert not last_move_keys(VARIANTS["standard"], chess.Board())


@pytest.mark.parametrize(
    "garbage", ["", "e2", "e2e9", "0000", "e2e4x", "O-O", "n@f3", "K@e4", "e2e4 ", "é2e4"]
)
def test_what_cannot_be_a_move_is_no_uci(garbage: str) -> None:
    assert error_of(read_move, VARIANTS["standard"], chess.Board(), garbage) == f"Invalid UCI: {garbage}"


def test_an_illegal_move_is_named_by_its_squares() -> None:
    assert error_of(read_move, VARIANTS["standard"], chess.Board(), "e2e5") == "Piece on e2 cannot move to e5"


def test_an_illegal_drop_says_so() -> None:
    board = new_board(VARIANTS["crazyhouse"])
    assert error_of(read_move, VARIANTS["crazyhouse"], board, "Q@e4") == "Can't drop Q on e4"


def test_a_promotion_left_out_is_to_a_queen() -> None:
    board = on("standard", "8/P7/8/8/8/8/8/k1K5 w - - 0 1")
    assert written("standard", board, "a7a8") == "a7a8q"
    assert written("standard", board, "a7a8n") == "a7a8n"


# Positions


def test_three_check_shows_the_checks_given() -> None:
    board = new_board(VARIANTS["threeCheck"])
    for uci in ("e2e4", "d7d6", "f1b5"):
        board.push_uci(uci)
    assert shown_fen(board).endswith("w KQkq - 0 1 +0+0") is False
    assert shown_fen(board).endswith("b KQkq - 1 2 +1+0")
    assert new_board(VARIANTS["threeCheck"], shown_fen(board)).fen() == board.fen()


def test_only_some_variants_name_their_first_position() -> None:
    named = {key for key, variant in VARIANTS.items() if a_match(key).initial_fen or variant.own_start}
    assert named == {"chess960", "fromPosition", "horde", "racingKings"}
    assert checked_fen(VARIANTS["atomic"], CASTLES) is None
    assert checked_fen(VARIANTS["horde"], None) == shown_fen(new_board(VARIANTS["horde"]))


@patient(20)
@given(st.integers())
def test_a_drawn_chess960_start_is_one(seed: int) -> None:
    fen = random_start(random.Random(seed))
    assert checked_fen(VARIANTS["chess960"], fen) == fen


@pytest.mark.parametrize(
    ("key", "fen"),
    [
        ("fromPosition", None),
        ("fromPosition", "hello"),
        ("fromPosition", "8/8/8/8/8/8/8/8 w - - 0 1"),
        ("fromPosition", "k7/8/1K6/8/8/8/8/1R6 w - - 0 1 extra words here"),
        ("fromPosition", "k7/1Q6/1K6/8/8/8/8/8 b - - 0 1"),  # mated already
        ("chess960", CASTLES),
    ],
)
def test_a_position_nobody_can_play_is_refused(key: str, fen: str | None) -> None:
    with pytest.raises(ValueError, match=r"."):
        checked_fen(VARIANTS[key], fen)


def test_rights_a_position_cannot_have_are_dropped() -> None:
    tidy = checked_fen(VARIANTS["fromPosition"], "4k3/8/8/8/8/8/8/4K2R w KQkq e3 0 1")
    assert tidy == "4k3/8/8/8/8/8/8/4K2R w K - 0 1"


# Ends


@pytest.mark.parametrize(
    ("key", "fen", "ending"),
    [
        ("standard", "k7/1Q6/1K6/8/8/8/8/8 b - - 0 1", Ending(Status.MATE, chess.WHITE)),
        ("standard", "k7/2Q5/1K6/8/8/8/8/8 b - - 0 1", Ending(Status.STALEMATE)),
        ("standard", "k7/8/1K6/8/8/8/8/8 b - - 0 1", Ending(Status.DRAW)),
        ("standard", "k7/8/1K6/8/8/8/8/7R b - - 100 90", Ending(Status.DRAW)),
        ("standard", "k7/8/1K6/8/8/8/8/7R b - - 99 90", None),
        ("crazyhouse", "k7/8/1K6/8/8/8/8/8[] b - - 100 90", None),
        ("antichess", "8/8/8/8/8/8/8/7R b - - 0 1", Ending(Status.VARIANT_END, chess.BLACK)),
        ("antichess", "8/8/8/8/8/p7/P7/8 w - - 0 1", Ending(Status.VARIANT_END, chess.WHITE)),
        ("atomic", "8/8/8/8/8/8/8/K6R b - - 0 1", Ending(Status.VARIANT_END, chess.WHITE)),
        ("horde", "4k3/8/8/8/8/8/8/8 w - - 0 1", Ending(Status.VARIANT_END, chess.BLACK)),
        ("kingOfTheHill", "4k3/8/8/8/4K3/8/8/8 b - - 0 1", Ending(Status.VARIANT_END, chess.WHITE)),
        ("racingKings", "7K/8/8/8/8/8/k7/8 b - - 0 1", Ending(Status.VARIANT_END, chess.WHITE)),
        ("racingKings", "7K/k7/8/8/8/8/8/8 b - - 0 1", None),  # Black may still draw level
        ("racingKings", "k6K/8/8/8/8/8/8/8 w - - 0 1", Ending(Status.DRAW)),
        ("threeCheck", "4k3/8/8/8/8/8/8/4R1K1 b - - 0 1 +3+0", Ending(Status.VARIANT_END, chess.WHITE)),
        ("threeCheck", "k7/1Q6/1K6/8/8/8/8/8 b - - 0 1 +3+0", Ending(Status.MATE, chess.WHITE)),
        ("kingOfTheHill", "k6R/7R/8/8/4K3/8/8/8 b - - 0 1", Ending(Status.MATE, chess.WHITE)),
    ],
)
def test_how_each_variant_ends(key: str, fen: str, ending: Ending | None) -> None:
    assert ending_on_board(on(key, fen)) == ending


def test_in_crazyhouse_anybody_can_win() -> None:
    assert can_win(on("crazyhouse", "4k3/8/8/8/8/8/8/4K3[] w - - 0 1"), chess.WHITE)
    assert not can_win(chess.Board("4k3/8/8/8/8/8/8/4K3 w - - 0 1"), chess.WHITE)


def test_material_is_counted_in_pawns() -> None:
    board = chess.Board("4k3/8/8/8/8/8/8/QRBNPK2 w - - 0 1")
    assert points_ahead(board, chess.WHITE) == 21
    assert points_ahead(board, chess.BLACK) == -21


def test_status_numbers_and_names_are_lichesss() -> None:
    shown = {status.id: status.label for status in Status}
    assert shown[20] == "started"
    assert shown[35] == "outoftime"
    assert shown[60] == "variantEnd"
    assert [status.id for status in Status if not status.is_finished] == [10, 20]


@pytest.mark.parametrize("key", VARIANTS)
@patient(4)
@given(seed=st.integers(0, 10_000))
def test_a_random_game_ends_as_python_chess_says(key: str, seed: int) -> None:
    """The slow twin: the outcome of the library over the whole game."""
    rng = random.Random(seed)
    match = a_match(key, random_start(rng) if key == "chess960" else None)
    while not match.is_over and match.ply < 80:
        moves = list(match.board.legal_moves)
        play(match, match.board.uci(rng.choice(moves), chess960=True))
        outcome = match.board.outcome()
        assert match.is_over == (outcome is not None)
        assert match.winner == (outcome.winner if outcome else None)
    fold = new_board(match.variant, match.initial_fen)
    for uci in match.moves:
        fold.push(read_move(match.variant, fold, uci))
    assert fold.fen() == match.board.fen()


@pytest.mark.parametrize("key", VARIANTS)
def test_every_variant_can_be_begun_and_moved_in(key: str) -> None:
    match = a_match(key)
    play(match, next(iter(match.board.legal_moves)).uci(), from_ms=START_MS)
    assert match.ply == 1
