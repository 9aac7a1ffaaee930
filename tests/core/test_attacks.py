"""Attack tables and bit tricks against their slow twins: a walk over the board, and python-chess."""

from typing import Any

import chess
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core import attacks, bits
from engine.core.bits import U64, bit, drop_lowest
from engine.core.jit import Record, kernel
from engine.core.layout import BISHOP, KING, KNIGHT, QUEEN, ROOK
from engine.notation import TABLES
from tests.core.positions import board_of, positions

count: Any = bits.count  # an intrinsic's Python signature is not the one a kernel calls
lowest: Any = bits.lowest
highest: Any = bits.highest
words = st.integers(0, 2**64 - 1)
squares = st.integers(0, 63)
# A uniform word has half of the board occupied and hardly ever an open line.
occupancies = st.builds(lambda a, b, c: U64(a & b & c), words, words, st.one_of(st.just(2**64 - 1), words))


@given(squares, occupancies)
def test_sliders_reach_what_a_walk_reaches(square: int, occupied: np.uint64) -> None:
    rook = attacks.walk(square, attacks.ROOK_STEPS, occupied, 7)
    bishop = attacks.walk(square, attacks.BISHOP_STEPS, occupied, 7)
    assert attacks.rook_attacks(TABLES, square, occupied) == rook
    assert attacks.bishop_attacks(TABLES, square, occupied) == bishop
    assert attacks.piece_attacks(TABLES, QUEEN, square, occupied) == rook | bishop


@given(squares, occupancies)
def test_a_walk_reaches_what_python_chess_says(square: int, occupied: np.uint64) -> None:
    for piece in (KNIGHT, BISHOP, ROOK, QUEEN, KING):
        board = chess.BaseBoard.empty()
        board.set_piece_at(square, chess.Piece(piece + 1, chess.WHITE))
        board.occupied |= int(occupied)
        assert int(attacks.piece_attacks(TABLES, piece, square, occupied)) == board.attacks_mask(square)


@given(positions, squares)
def test_attackers_are_python_chess_s_of_both_colours(position: chess.Board, square: int) -> None:
    ours = attacks.attackers(TABLES, board_of(position.fen()), square, U64(position.occupied))
    both = position.attackers_mask(chess.WHITE, square) | position.attackers_mask(chess.BLACK, square)
    assert int(ours) == both


@pytest.mark.parametrize("colour", [0, 1])
def test_pawns_attack_the_two_squares_ahead_of_them_aslant(colour: int) -> None:
    assert TABLES["pawn"][colour].tolist() == chess.BB_PAWN_ATTACKS[1 - colour]


def test_lines_segments_and_distances_are_python_chess_s() -> None:
    for a in range(64):
        assert TABLES["line"][a].tolist() == [chess.ray(a, b) for b in range(64)]
        assert TABLES["between"][a].tolist() == [chess.between(a, b) for b in range(64)]
        assert TABLES["distance"][a].tolist() == [chess.square_distance(a, b) for b in range(64)]


def test_the_spans_of_a_pawn_lie_before_it_on_its_own_and_the_next_files() -> None:
    for square in range(64):
        file, rank = square % 8, square // 8
        next_to = sum(chess.BB_FILES[f] for f in (file - 1, file + 1) if 0 <= f < 8)
        ahead = (sum(chess.BB_RANKS[rank + 1 :]), sum(chess.BB_RANKS[:rank]))
        assert TABLES["beside"][square] == next_to
        for colour in (0, 1):
            assert TABLES["forward"][colour, square] == chess.BB_FILES[file] & ahead[colour]
            assert TABLES["passed_span"][colour, square] == (chess.BB_FILES[file] | next_to) & ahead[colour]


def test_a_multiplier_that_mixes_patterns_up_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attacks, "ROOK_MULTIPLIERS", (0x0101010101010101, *attacks.ROOK_MULTIPLIERS[1:]))
    with pytest.raises(AssertionError, match="multiplier"):
        attacks.new_tables()


def test_keys_are_all_different() -> None:
    """A word used twice would make two different positions one."""
    names = ("z_piece", "z_castling", "z_ep", "z_side")
    drawn = np.concatenate([np.asarray(TABLES[name]).ravel() for name in names])
    assert len(set(drawn.tolist()) | {0}) == 12 * 64 + 16 + 8 + 1 + 1


@kernel
def look(board: np.uint64, seen: Record) -> None:
    """The bit tricks have no name outside compiled code."""
    seen[0] = count(board)
    seen[1] = lowest(board)
    seen[2] = highest(board)


@given(words.filter(bool))
def test_bits_are_counted_and_found(board: int) -> None:
    seen = np.zeros(3, np.int64)
    look(U64(board), seen)
    assert seen.tolist() == [board.bit_count(), chess.lsb(board), chess.msb(board)]
    assert int(drop_lowest(U64(board))) == board & (board - 1)


@pytest.mark.parametrize("square", [0, 7, 56, 63])
def test_corners_stay_unsigned(square: int) -> None:
    assert int(bit(square)) == 1 << square
