"""The compiled net against its slow twin, whatever way the board came to its position."""

import chess
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import evaluation, net
from engine.core import nnue
from engine.core.board import make, make_null, play, unmake, unmake_null
from engine.core.jit import Record
from engine.core.layout import FAR_APART, HIDDEN, KING_BUCKETS, SLOTS
from engine.net import Net
from engine.notation import TABLES, find_move, legal_moves
from tests.core.positions import Game, board_of, compiled_twice, games


def made_up(buckets: int, hidden: int, outputs: int) -> Net:
    """A net of random weights in which every feature, bucket and side tells."""
    random = np.random.default_rng(7)
    table = random.integers(0, buckets, 64).astype(np.uint8)
    return Net(
        table,
        random.integers(-300, 301, (buckets, 768, hidden)).astype(np.int16),
        random.integers(-500, 900, hidden).astype(np.int16),
        random.integers(-400, 401, (outputs, 2 * hidden)).astype(np.int16),
        random.integers(-4_000_000, 4_000_000, outputs).astype(np.int32),
        400,
    )


class Pair:
    """A net and its record, with an evaluator that has seen everything before."""

    def __init__(self, slow: Net) -> None:
        self.slow, self.fast = slow, net.compiled(slow)
        self.eye = evaluation.new_evaluator()
        nnue.reset(self.eye, self.fast)

    def agree(self, board: Record) -> None:
        assert int(nnue.output(board, self.eye, self.fast)) == net.evaluate(
            self.slow, men_of(board), int(board["side"])
        )


def men_of(board: Record) -> net.Men:
    return [(int(man) // 6, int(man) % 6, square) for square, man in enumerate(board["squares"]) if man < 12]


@pytest.fixture(scope="module")
def pair() -> Pair:
    return Pair(made_up(KING_BUCKETS, HIDDEN, 8))


@given(games, st.integers(1, 4))
def test_carried_from_move_to_move_the_sums_are_what_a_rebuilt_board_gives(
    pair: Pair, game: Game, stride: int
) -> None:
    board = board_of(game.fen)
    for ply, (_, text) in enumerate(game.walk()):
        make(TABLES, board, find_move(board, text))
        if ply % stride == 0:
            pair.agree(board)
    pair.agree(board)


@given(games)
def test_moves_taken_back_leave_no_trace_in_the_sums(pair: Pair, game: Game) -> None:
    board = board_of(game.fen)
    for _, text in game.walk():
        for move in legal_moves(board)[:3]:
            make(TABLES, board, move)
            pair.agree(board)
            unmake(board)
        play(TABLES, board, find_move(board, text))


@given(games)
def test_a_null_move_changes_the_side_and_nothing_else(pair: Pair, game: Game) -> None:
    board = board_of(game.fen)
    for position, text in game.walk():
        if not position.is_check():
            make_null(TABLES, board)
            pair.agree(board)
            unmake_null(board)
        make(TABLES, board, find_move(board, text))


def test_a_line_longer_than_the_slots_wraps_around_unharmed(pair: Pair) -> None:
    board = board_of(chess.STARTING_FEN)
    for ply in range(SLOTS + 20):
        text = ("g1f3", "g8f6", "f3g1", "f6g8")[ply % 4]
        make(TABLES, board, find_move(board, text))
        if ply % (FAR_APART + 1) == 0:
            pair.agree(board)


@given(games)
def test_colours_swapped_the_net_says_the_same_for_the_side_to_move(pair: Pair, game: Game) -> None:
    last = game.slow()
    for _, text in game.walk():
        last.push_uci(text)
    here, there = (int(nnue.output(board_of(b.fen()), pair.eye, pair.fast)) for b in (last, last.mirror()))
    assert here == there


@pytest.mark.parametrize("outputs", [1, 2, 4, 8])
def test_a_smaller_net_says_the_same_inside_the_engine_s_shape(outputs: int) -> None:
    small = Pair(made_up(1, HIDDEN // 2, outputs))
    for fen in (
        chess.STARTING_FEN,
        "8/5k2/3p4/1P6/8/4K3/8/8 w - - 0 1",
        "r3k2r/8/8/8/3Q4/8/8/R3K2R b KQkq - 0 1",
    ):
        small.agree(board_of(fen))


def test_a_bare_king_is_left_to_the_classical_rules(pair: Pair) -> None:
    board = board_of("8/8/8/3k4/8/8/4R3/4K3 w - - 0 1")
    nets, classic = pair.fast, net.without()
    assert nnue.evaluate(TABLES, board, pair.eye, nets) == nnue.evaluate(TABLES, board, pair.eye, classic)


def test_another_net_does_not_see_the_sums_of_the_one_before() -> None:
    first, second = Pair(made_up(1, HIDDEN, 8)), Pair(made_up(1, HIDDEN // 2, 4))
    board = board_of(chess.STARTING_FEN)
    first.agree(board)
    first.slow, first.fast = second.slow, second.fast
    nnue.reset(first.eye, first.fast)
    first.agree(board)


def test_every_kernel_of_the_net_is_compiled_once() -> None:
    assert not compiled_twice(nnue)
