"""Moves without an engine: legal in every variant, and not the worst."""

import chess
import chess.variant
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.engines.emergency import NO_MOVE, SOURCE, emergency_move
from bot.game.boards import start_board

VARIANTS = (
    "standard",
    "chess960",
    "antichess",
    "atomic",
    "crazyhouse",
    "horde",
    "kingOfTheHill",
    "racingKings",
    "threeCheck",
)


@given(st.sampled_from(VARIANTS), st.lists(st.integers(0, 400), max_size=60))
def test_it_is_legal_in_every_variant_and_leaves_the_board_alone(variant: str, dice: list[int]) -> None:
    board = start_board(variant, None)
    for roll in dice:
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(moves[roll % len(moves)])
    before = board.copy()
    found = emergency_move(board)
    assert board == before
    assert board.move_stack == before.move_stack
    if any(board.legal_moves):
        board.push_uci(found.uci)
    else:
        assert found.uci == NO_MOVE


def test_a_hint_is_taken_if_it_is_legal() -> None:
    assert emergency_move(chess.Board(), "d2d4").uci == "d2d4"
    assert emergency_move(chess.Board(), "d2d5").uci != "d2d5"
    assert emergency_move(chess.Board(), "nonsense").source == SOURCE


@pytest.mark.parametrize(
    ("fen", "best"),
    [
        ("6k1/5ppp/8/8/8/8/8/R3q1K1 w - - 0 1", "a1e1"),  # a queen hangs
        ("6k1/5ppp/8/7q/8/8/8/R5K1 w - - 0 1", "a1a8"),  # mate
        ("7k/P7/8/8/8/8/8/K7 w - - 0 1", "a7a8q"),
    ],
)
def test_simple_sense(fen: str, best: str) -> None:
    assert emergency_move(chess.Board(fen)).uci == best


def test_a_queen_is_not_given_for_a_defended_pawn() -> None:
    board = chess.Board("4k3/2p5/3p4/8/8/8/8/3QK3 w - - 0 1")
    assert emergency_move(board).uci != "d1d6"


def test_the_middle_of_the_board_wins_the_race_for_the_hill() -> None:
    board = chess.variant.KingOfTheHillBoard("k7/8/8/8/8/3K4/8/8 w - - 0 1")
    assert emergency_move(board).uci in {"d3d4", "d3e4"}
