"""Move generation against python-chess over random games, and the guard of the transposition table."""

from types import ModuleType

import chess
import numpy as np
import pytest
from hypothesis import given

from engine.core import attacks, bits, board, movegen, zobrist
from engine.core.jit import Record, kernel
from engine.core.layout import EN_PASSANT, PROMOTION
from engine.notation import TABLES, find_move, move_text
from tests.core.positions import TRICKY, UNSHRUNK, Game, board_of, compiled_twice, games, names, positions

WORDS = 1 << 16
KERNELS = (attacks, bits, board, movegen, zobrist)
MANY_SHAPES = {"walk"}  # takes tuples of two, four and eight steps on purpose


@kernel
def accepted_words(tables: Record, position: Record, accepted: np.ndarray) -> None:
    for word in range(len(accepted)):
        accepted[word] = movegen.is_pseudo_legal(tables, position, word)


def generated(position: Record) -> list[int]:
    """Every move of both generators, legal or not."""
    end = movegen.quiet(TABLES, position, 0, movegen.noisy(TABLES, position, 0, 0))
    return [int(move) for move in position["moves"][0, :end]]


@given(games)
def test_the_moves_are_python_chess_s_all_through_a_game(game: Game) -> None:
    ours = board_of(game.fen)
    for theirs, text in game.walk():
        assert names(ours) == sorted(move.uci() for move in theirs.legal_moves)
        assert movegen.has_legal_move(TABLES, ours, 0)
        board.make(TABLES, ours, find_move(ours, text))


@pytest.mark.parametrize("fen", [position.fen for position in TRICKY if position.leaves[1] == 0])
def test_a_mated_or_stalemated_side_has_no_legal_move(fen: str) -> None:
    assert not movegen.has_legal_move(TABLES, board_of(fen), 0)


@given(positions)
def test_noisy_moves_are_captures_and_promotions_and_quiet_ones_all_others(position: chess.Board) -> None:
    ours = board_of(position.fen())
    noisy = [int(move) for move in ours["moves"][0, : movegen.noisy(TABLES, ours, 0, 0)]]
    quiet = [int(move) for move in ours["moves"][0, : movegen.quiet(TABLES, ours, 0, 0)]]
    for moves, is_noisy in ((noisy, True), (quiet, False)):
        for move in moves:
            theirs = chess.Move.from_uci(move_text(ours, move, chess960=True))
            assert (position.is_capture(theirs) or theirs.promotion is not None) is is_noisy


def assert_only_its_moves_pass(position: Record) -> None:
    accepted = np.zeros(WORDS, np.bool_)
    accepted_words(TABLES, position, accepted)
    written = generated(position)
    assert np.flatnonzero(accepted).tolist() == sorted(written)
    assert len(set(written)) == len(written)


@UNSHRUNK
@given(positions)
def test_a_word_is_accepted_exactly_when_the_generators_write_it(position: chess.Board) -> None:
    """A torn table entry may hold any 16 bits: those that pass must be moves of this very position."""
    assert_only_its_moves_pass(board_of(position.fen()))


@pytest.mark.parametrize("fen", [position.fen for position in TRICKY])
def test_no_word_slips_through_where_it_is_tricky(fen: str) -> None:
    assert_only_its_moves_pass(board_of(fen))


@given(positions)
def test_only_king_moves_and_en_passant_need_the_second_look(position: chess.Board) -> None:
    """Pins and check masks are honoured while generating, whatever else `is_legal` is asked."""
    ours = board_of(position.fen())
    legal = set(names(ours))
    for move in generated(ours):
        if position.piece_type_at(move & 63) != chess.KING and move >> 12 != EN_PASSANT:
            assert move_text(ours, move, chess960=True) in legal


def test_promotions_come_queen_first() -> None:
    ours = board_of("8/P6k/8/8/8/8/8/K7 w - - 0 1")
    found = movegen.noisy(TABLES, ours, 0, 0)
    assert [int(move) >> 12 for move in ours["moves"][0, :found]] == [PROMOTION + n for n in (3, 2, 1, 0)]


@pytest.mark.parametrize("module", KERNELS, ids=lambda module: module.__name__)
def test_every_kernel_compiles_once(module: ModuleType) -> None:
    """A second signature is a second compilation, paid on the clock in the middle of a game."""
    ours = board_of(chess.STARTING_FEN)
    movegen.perft(TABLES, ours, 2)
    board.play(TABLES, ours, find_move(ours, "e2e4"))
    assert compiled_twice(module) <= MANY_SHAPES
