"""How an opponent behaves: its pace, and its answers to draws, takebacks and challenges."""

import random

import chess
import chess.variant
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sandbox.player import Pace, grants_takeback, pause_ms, reason_to_decline, takes_draw

LATE = " w - - 0 30"
EVEN = chess.Board(f"4k3/pppp4/8/8/8/8/PPPP4/4K3{LATE}")
WHITE_IS_A_ROOK_UP = chess.Board(f"4k3/8/8/8/8/8/8/R3K3{LATE}")


def test_a_draw_is_taken_when_the_pieces_are_even() -> None:
    assert takes_draw(EVEN, chess.WHITE, None)


def test_a_draw_is_taken_by_the_weaker_side_alone() -> None:
    assert takes_draw(WHITE_IS_A_ROOK_UP, chess.BLACK, None)
    assert not takes_draw(WHITE_IS_A_ROOK_UP, chess.WHITE, None)


def test_an_engines_judgement_counts_for_more_than_the_pieces() -> None:
    assert takes_draw(WHITE_IS_A_ROOK_UP, chess.WHITE, -50)
    assert not takes_draw(EVEN, chess.WHITE, 50)


def test_an_early_draw_is_declined_even_in_a_lost_position() -> None:
    assert not takes_draw(chess.Board(), chess.WHITE, -900)


def test_where_pieces_do_not_count_as_in_chess_they_are_not_counted() -> None:
    board = chess.variant.AntichessBoard(f"4k3/8/8/8/8/8/8/R3K3{LATE}")
    assert not takes_draw(board, chess.BLACK, None)
    assert takes_draw(board, chess.BLACK, 0)


def test_two_takebacks_of_a_game_are_granted() -> None:
    assert [grants_takeback(granted) for granted in range(4)] == [True, True, False, False]


@pytest.mark.parametrize(
    ("knows_variant", "games", "reason"), [(True, 7, None), (True, 8, "later"), (False, 0, "variant")]
)
def test_a_challenge_is_declined_for_a_reason_lila_knows(
    knows_variant: bool, games: int, reason: str | None
) -> None:
    assert reason_to_decline(knows_variant=knows_variant, games=games, most_games=8) == reason


@given(st.integers(0, 10_800_000), st.integers(0, 60_000), st.integers())
def test_a_human_never_sits_for_more_than_a_quarter_of_the_clock(
    left: int, increment: int, seed: int
) -> None:
    assert 0 <= pause_ms(Pace.HUMAN, left, increment, random.Random(seed)) <= left / 4 + 1


def test_without_a_clock_a_human_still_takes_a_moment() -> None:
    assert pause_ms(Pace.HUMAN, None, 0, random.Random(1)) > 0


def test_at_an_instant_pace_nobody_waits() -> None:
    assert pause_ms(Pace.INSTANT, 180_000, 2_000, random.Random(1)) == 0
