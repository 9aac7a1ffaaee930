"""The move picker: nothing is forgotten, nothing comes twice, and the stages come in their order."""

import chess
from hypothesis import given
from hypothesis import strategies as st

from engine.core import movegen, order, see
from engine.core.jit import Record
from engine.core.layout import CASTLE, EN_PASSANT, NO_MOVE
from engine.core.node import new_worker
from engine.notation import TABLES, legal_moves, move_text
from tests.core.positions import board_of, positions

WORKER: Record = new_worker()


def picked(board: Record, table_move: int, quiets: int, exchange: int = 0) -> list[int]:
    order.find_checks(TABLES, board, WORKER, 0)
    order.start(WORKER, 0, table_move)
    found = []
    while move := int(order.pick(TABLES, board, WORKER, 0, table_move, exchange, quiets)):
        found.append(move)
    return found


def generated(board: Record) -> list[int]:
    count = movegen.quiet(TABLES, board, 1, movegen.noisy(TABLES, board, 1, 0))
    return sorted(int(move) for move in board["moves"][1, :count])


@given(positions, st.integers(0, 255))
def test_every_move_is_handed_out_once_and_the_table_s_first(position: chess.Board, choice: int) -> None:
    board = board_of(position.fen(en_passant="fen"))
    moves = generated(board)
    table_move = moves[choice % len(moves)] if moves and choice % 3 else NO_MOVE
    found = picked(board, table_move, order.ALL_QUIETS)
    assert sorted(found) == moves
    assert not table_move or found[0] == table_move


@given(positions)
def test_good_captures_come_first_and_bad_ones_last(position: chess.Board) -> None:
    board = board_of(position.fen(en_passant="fen"))
    ranks = []
    for move in picked(board, NO_MOVE, order.ALL_QUIETS):
        noisy = order.is_noisy(board, move)
        ranks.append(1 if not noisy else 0 if see.wins(TABLES, board, move, 0) else 2)
    assert ranks == sorted(ranks)


@given(positions)
def test_without_quiets_only_captures_that_win_enough_come(position: chess.Board) -> None:
    board = board_of(position.fen(en_passant="fen"))
    wanted = [m for m in generated(board) if order.is_noisy(board, m) and see.wins(TABLES, board, m, 100)]
    assert sorted(picked(board, NO_MOVE, order.NO_QUIETS, 100)) == wanted


@given(positions)
def test_a_move_said_to_check_checks_and_no_other_does(position: chess.Board) -> None:
    board = board_of(position.fen(en_passant="fen"))
    order.find_checks(TABLES, board, WORKER, 0)
    for move in legal_moves(board):
        if move >> 12 in (CASTLE, EN_PASSANT):
            continue  # documented as not looked into
        text = move_text(board, move, chess960=True)
        promoted_through = move >> 12 >= 4  # a new piece may check through the square its pawn has left
        if not promoted_through:
            checks = position.gives_check(chess.Move.from_uci(text))
            assert order.gives_check(TABLES, board, WORKER, 0, move) == checks


@given(positions)
def test_the_checks_quiescence_tries_are_quiet_legal_checks(position: chess.Board) -> None:
    if position.is_check():
        return
    board = board_of(position.fen(en_passant="fen"))
    legal = set(legal_moves(board))
    for move in picked(board, NO_MOVE, order.CHECKS, 30_000):
        assert move in legal
        assert position.gives_check(chess.Move.from_uci(move_text(board, move, chess960=True)))


@given(positions)
def test_late_quiet_moves_are_skipped_unless_they_check(position: chess.Board) -> None:
    board = board_of(position.fen(en_passant="fen"))
    order.find_checks(TABLES, board, WORKER, 0)
    order.start(WORKER, 0, NO_MOVE)
    late = False
    while move := int(order.pick(TABLES, board, WORKER, 0, NO_MOVE, 0, order.ALL_QUIETS)):
        quiet = not order.is_noisy(board, move)
        assert not (late and quiet) or order.gives_check(TABLES, board, WORKER, 0, move)
        if quiet:
            late = True
            order.skip_quiets(WORKER, 0)
