"""Static exchange evaluation against the exchange played out, take by take, over a python-chess board."""

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core import see
from engine.core.layout import CASTLE
from engine.notation import TABLES, find_move, legal_moves, move_text
from tests.core.positions import board_of, positions

VALUE = [0, *see.VALUES.tolist()]


def takers(board: chess.Board, square: int, occupied: int, colour: chess.Color) -> list[int]:
    """Who attacks the square once others have left the board, the least valuable first."""
    seen = board.attackers_mask(colour, square, occupied) & occupied
    return sorted(chess.scan_forward(seen), key=lambda s: (board.piece_type_at(s) or 0, s))


def best_reply(board: chess.Board, square: int, occupied: int, colour: chess.Color, on_it: int) -> int:
    """What `colour` gains by taking the piece worth `on_it`, or 0 if it had better not."""
    mine = takers(board, square, occupied, colour)
    if not mine:
        return 0
    after = occupied & ~chess.BB_SQUARES[mine[0]]
    kind = board.piece_type_at(mine[0]) or 0
    if kind == chess.KING and takers(board, square, after, not colour):
        return 0
    return max(0, on_it - best_reply(board, square, after, not colour, VALUE[kind]))


def played_out(board: chess.Board, move: chess.Move) -> int:
    taken = board.piece_type_at(move.to_square) or 0
    occupied = board.occupied & ~chess.BB_SQUARES[move.from_square] | chess.BB_SQUARES[move.to_square]
    if board.is_en_passant(move):
        taken = chess.PAWN
        occupied &= ~chess.BB_SQUARES[move.to_square + (-8 if board.turn else 8)]
    gain = VALUE[taken]
    left = VALUE[move.promotion or board.piece_type_at(move.from_square) or 0]
    if move.promotion:
        gain += left - VALUE[chess.PAWN]
    return gain - best_reply(board, move.to_square, occupied, not board.turn, left)


@given(positions)
def test_the_verdict_is_that_of_the_exchange_played_out(position: chess.Board) -> None:
    board = board_of(position.fen(en_passant="fen"))
    for move in legal_moves(board):
        if move >> 12 == CASTLE:
            continue
        worth = played_out(position, chess.Move.from_uci(move_text(board, move, chess960=True)))
        assert see.wins(TABLES, board, move, worth)
        assert not see.wins(TABLES, board, move, worth + 1)


@given(positions, st.integers(-2_000, 2_000))
def test_who_wins_so_much_wins_less_as_well(position: chess.Board, threshold: int) -> None:
    board = board_of(position.fen(en_passant="fen"))
    for move in legal_moves(board):
        if see.wins(TABLES, board, move, threshold):
            assert see.wins(TABLES, board, move, threshold - 1)


@pytest.mark.parametrize(
    ("fen", "text", "worth"),
    [
        ("4k3/8/8/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", 100),  # nobody defends
        ("4k3/8/4p3/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", 100 - 500),  # a pawn does
        ("3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 100),  # the rook behind takes part
        ("4k3/8/8/2n5/1P6/8/8/4K3 w - - 0 1", "b4c5", 320),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", 0),  # castling takes nothing
    ],
)
def test_exchanges_known_by_heart(fen: str, text: str, worth: int) -> None:
    board = board_of(fen)
    move = find_move(board, text)
    assert see.wins(TABLES, board, move, worth)
    assert not see.wins(TABLES, board, move, worth + 1)
