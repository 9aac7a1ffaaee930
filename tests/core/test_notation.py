"""FEN and UCI moves: what is read comes back, what is wrong is told, and python-chess agrees."""

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.board import make
from engine.notation import (
    START_FEN,
    TABLES,
    NotationError,
    find_move,
    legal_moves,
    move_text,
    pv_texts,
    set_fen,
    square_name,
    to_fen,
)
from tests.core.positions import TRICKY, board_of, moves_of, names, positions, state

BACK = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
BOTH_CASTLE = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"


@given(positions)
def test_a_position_comes_back_in_either_castling_notation(position: chess.Board) -> None:
    for fen in (position.fen(), position.shredder_fen()):
        board = board_of(fen)
        assert to_fen(board) == position.fen()
        assert to_fen(board, chess960=True) == position.shredder_fen()


@given(positions)
def test_an_en_passant_square_is_kept_only_for_a_legal_capture(position: chess.Board) -> None:
    board = board_of(position.fen(en_passant="fen"))
    kept = position.ep_square if position.has_legal_en_passant() else -1
    assert board["ep"] == kept
    assert to_fen(board) == position.fen(en_passant="legal")


@pytest.mark.parametrize("fen", [position.fen for position in TRICKY])
def test_tricky_positions_come_back(fen: str) -> None:
    theirs = chess.Board(fen, chess960=True)
    assert to_fen(board_of(fen)) == theirs.fen()
    assert to_fen(board_of(fen), chess960=True) == theirs.shredder_fen()


def test_a_fen_may_leave_out_its_last_fields() -> None:
    assert to_fen(board_of(f"{BACK} b KQkq -")) == f"{BACK} b KQkq - 0 1"
    assert to_fen(board_of(f"{BACK} b")) == f"{BACK} b - - 0 1"
    assert to_fen(board_of(f"  {BACK}  ")) == f"{BACK} w - - 0 1"


def test_a_king_s_letter_means_the_outermost_rook() -> None:
    """X-FEN: another rook nearer the king changes nothing; one farther out makes the file be named."""
    assert board_of("4k3/8/8/8/8/8/8/4K1RR w K - 0 1")["rook_home"][0] == chess.H1
    inner = board_of("4k3/8/8/8/8/8/8/4K1RR w G - 0 1")
    assert inner["rook_home"][0] == chess.G1
    assert to_fen(inner) == "4k3/8/8/8/8/8/8/4K1RR w G - 0 1"


BAD_FENS = {
    "": "0 fields",
    "   ": "0 fields",
    f"{BACK} w KQkq - 0 1 extra": "7 fields",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w - - 0 1": "7 ranks",
    f"8/{BACK} w - - 0 1": "9 ranks",
    BACK.replace("/8/8/", "/9/8/"): "unknown piece '9'",
    BACK.replace("/8/8/", "/x7/8/"): "unknown piece 'x' in rank 6",
    BACK.replace("/8/8/", "/7/8/"): "rank 6 of the piece placement has 7 squares",
    BACK.replace("/8/8/", "/8p/8/"): "rank 6 of the piece placement has 9 squares",
    BACK.replace("/8/8/", "/44p/8/"): "rank 6 of the piece placement has 9 squares",
    BACK.replace("/8/8/", "//8/"): "rank 6 of the piece placement has 0 squares",
    "8/8/8/8/8/8/8/4K3 w - - 0 1": "Black has 0 kings",
    "4k3/8/8/8/8/8/8/3KK3 w - - 0 1": "White has 2 kings",
    "4k3/8/8/8/8/QQQQQQQQ/QQQQQQQQ/4K3 b - - 0 1": "White has 17 men",
    "4k2P/8/8/8/8/8/8/4K3 w - - 0 1": "pawn stands on rank 8",
    "4k3/8/8/8/8/8/8/p3K3 w - - 0 1": "pawn stands on rank 1",
    "4k3/8/8/8/8/8/4R3/4K3 w - - 0 1": "not to move stands in check",
    "8/8/8/3kK3/8/8/8/8 w - - 0 1": "not to move stands in check",
    f"{BACK} W KQkq - 0 1": "side to move is 'W'",
    f"{BACK} w KQxq - 0 1": "unknown castling right 'x'",
    f"{BACK} w K- - 0 1": "unknown castling right '-'",
    f"{BACK} w D - 0 1": "castling right 'D': there is no rook",
    "4k3/8/8/8/8/8/8/4K2R w Q - 0 1": "castling right 'Q': there is no rook",
    "4k3/8/8/8/8/8/4K3/7R w K - 0 1": "castling right 'K': the king is not on its first rank",
    "4k3/8/8/8/8/8/8/4K1RR w HG - 0 1": "castling right 'G': that side of the king has one already",
    f"{BACK} w KQkq e4 0 1": "en-passant square is 'e4'",
    f"{BACK} w KQkq x6 0 1": "en-passant square is 'x6'",
    f"{BACK} w KQkq e 0 1": "en-passant square is 'e'",
    f"{BACK} w KQkq e6 0 1": "e6: no pawn has just passed it",
    "4k3/3p4/8/3pP3/8/8/8/4K3 w - d6 0 1": "d6: no pawn has just passed it",
    f"{BACK} w KQkq - x 1": "half-move clock is 'x'",
    f"{BACK} w KQkq - -1 1": "half-move clock is '-1'",
    f"{BACK} w KQkq - 0 one": "move number is 'one'",
    f"{BACK} w KQkq - 0 ²": "move number is '²'",
    f"{BACK} w KQkq - 0 {'9' * 5000}": "move number is '999",
}


@pytest.mark.parametrize(("fen", "complaint"), BAD_FENS.items(), ids=BAD_FENS.values())
def test_a_bad_fen_is_named_and_leaves_the_board_alone(fen: str, complaint: str) -> None:
    board = board_of(BOTH_CASTLE)
    before = state(board)
    with pytest.raises(NotationError) as told:
        set_fen(board, fen)
    assert complaint in str(told.value)
    assert len(str(told.value)) < 200
    assert state(board) == before


@st.composite
def damaged_fens(draw: st.DrawFn) -> str:
    """A good FEN with one to three characters replaced, taken out or put in."""
    fen = draw(positions).fen()
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(fen) - 1))
        new = draw(st.sampled_from(["", *"pnbrqkPNBRQK12345678/ -wbKQkqahAH036é"]))
        fen = fen[:at] + new + fen[at + draw(st.integers(0, 1)) :]
    return fen


@given(st.one_of(damaged_fens(), st.text(max_size=90)))
def test_whatever_the_text_it_is_refused_or_read_as_python_chess_reads_it(fen: str) -> None:
    try:
        board = board_of(fen)
    except NotationError:
        return
    again = to_fen(board)
    assert state(board_of(again)) == state(board)
    theirs = chess.Board(again, chess960=True)
    assert names(board) == sorted(move.uci() for move in theirs.legal_moves)


def test_huge_counters_are_cut_to_what_a_game_can_have() -> None:
    board = board_of(f"{BACK} w KQkq - 9999 999999999")
    assert board["rule50"] == 150
    assert board["ply"] < 20_000
    assert to_fen(board_of(f"{BACK} b KQkq - 0 0")).endswith(" 0 1")


# Moves


@given(positions)
def test_every_legal_move_is_found_by_its_name(position: chess.Board) -> None:
    board = board_of(position.fen())
    for move in legal_moves(board):
        assert find_move(board, move_text(board, move, chess960=True)) == move


@given(positions)
def test_names_without_chess960_are_python_chess_s(position: chess.Board) -> None:
    board = board_of(position.fen())
    standard = {
        position.uci(move, chess960=False) for move in position.legal_moves if not position.is_castling(move)
    }
    castling = {move_text(board, move, chess960=False) for move in legal_moves(board) if move >> 12 == 1}
    assert {move_text(board, move, chess960=False) for move in legal_moves(board)} == standard | castling


@pytest.mark.parametrize(
    ("side", "standard", "rook"),
    [("w", "e1g1", "e1h1"), ("w", "e1c1", "e1a1"), ("b", "e8g8", "e8h8"), ("b", "e8c8", "e8a8")],
)
def test_castling_is_understood_in_both_notations(side: str, standard: str, rook: str) -> None:
    board = board_of(BOTH_CASTLE.replace(" w ", f" {side} "))
    one, other = moves_of(board, standard, rook)
    assert one == other
    assert move_text(board, one, chess960=False) == standard
    assert move_text(board, one, chess960=True) == rook


def test_a_king_s_step_is_not_taken_for_castling() -> None:
    """Chess960: from f1 the king may step to g1 or castle there; the step has the older claim to the name."""
    board = board_of("4k3/8/8/8/8/8/8/5K1R w H - 0 1")
    step, castling = moves_of(board, "f1g1", "f1h1")
    assert (step >> 12, castling >> 12) == (0, 1)


@pytest.mark.parametrize(
    "text", ["", "0000", "e2e5", "e7e5", "e2e4q", "E2E4", "e2", "e2e4e5", "e1g1", "z9z9", "x" * 5000]
)
def test_a_text_that_names_no_legal_move_is_refused_with_the_position(text: str) -> None:
    with pytest.raises(NotationError, match=r"is not a legal move in rnbqkbnr/") as told:
        find_move(board_of(START_FEN), text)
    assert len(str(told.value)) < 250


def test_a_promotion_names_its_piece() -> None:
    board = board_of("8/P6k/8/8/8/8/8/K7 w - - 0 1")
    texts = ["a7a8n", "a7a8b", "a7a8r", "a7a8q"]
    assert [move_text(board, move, chess960=False) for move in moves_of(board, *texts)] == texts
    with pytest.raises(NotationError):
        find_move(board, "a7a8")


def test_a_line_is_named_and_the_board_left_as_it_was() -> None:
    board = board_of(START_FEN)
    ahead = board_of(START_FEN)
    line, texts = [], ("e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5", "e1g1")
    for text in texts:
        line.append(find_move(ahead, text))
        make(TABLES, ahead, line[-1])
    before = state(board)
    assert pv_texts(board, line, chess960=False) == texts
    assert pv_texts(board, line, chess960=True)[-1] == "e1h1"
    assert state(board) == before


def test_squares_are_named() -> None:
    assert [square_name(square) for square in (0, 7, 56, 63)] == ["a1", "h1", "a8", "h8"]
