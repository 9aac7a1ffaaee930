"""What a score stands for: odds fair to both sides, and centipawns: a hundred win every second game."""

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import meaning
from engine.core.layout import MATE, MATE_BOUND
from engine.meaning import DECIDED, FULL_MATERIAL, MODEL, Meaning
from tests.core.positions import board_of

ROOK_ENDING = "8/5pk1/4p1p1/3p3p/3P3P/4P1P1/r4PK1/1R6 w - - 0 1"

meanings = st.integers(0, FULL_MATERIAL).map(lambda points: MODEL.at(points / FULL_MATERIAL))
scores = st.integers(-MATE, MATE)


@given(meanings, scores)
def test_the_odds_sum_to_a_thousand_and_mirror(means: Meaning, score: int) -> None:
    win, draw, loss = means.wdl(score)
    assert win + draw + loss == 1000
    assert min(win, draw, loss) >= 0
    assert means.wdl(-score) == (loss, draw, win)


@given(meanings, st.integers(1 - MATE_BOUND, MATE_BOUND - 1), st.integers(0, 2_000))
def test_a_better_score_never_has_worse_odds(means: Meaning, score: int, more: int) -> None:
    better = min(score + more, MATE_BOUND - 1)
    assert means.wdl(score)[0] <= means.wdl(better)[0]
    assert means.wdl(score)[2] >= means.wdl(better)[2]


@given(meanings)
def test_a_mate_is_certain_and_nothing_else_is(means: Meaning) -> None:
    assert means.wdl(MATE - 1) == means.wdl(MATE_BOUND) == (1000, 0, 0)
    assert means.wdl(1 - MATE) == means.wdl(-MATE_BOUND) == (0, 0, 1000)
    assert means.wdl(MATE_BOUND - 1) == (999, 1, 0)


@given(meanings)
def test_a_hundred_shown_wins_every_second_game_and_level_is_fair(means: Meaning) -> None:
    score = round(means.half)
    assert means.shown(score) == pytest.approx(100, abs=1)
    assert means.wdl(score)[0] == pytest.approx(500, abs=8)  # half a centipawn of rounding is so much
    win, _, loss = means.wdl(0)
    assert win == loss


@given(meanings, scores, scores)
def test_what_is_shown_keeps_the_order_and_the_side(means: Meaning, one: int, other: int) -> None:
    low, high = sorted((one, other))
    assert means.shown(low) <= means.shown(high)
    assert means.shown(-one) == -means.shown(one)


@given(meanings, st.integers(DECIDED, MATE))
def test_mates_and_the_word_of_the_tables_are_shown_as_they_are(means: Meaning, score: int) -> None:
    assert means.shown(score) == score
    assert means.shown(DECIDED - 1) < DECIDED


def test_the_fewer_men_the_more_a_win_takes() -> None:
    halves = [MODEL.half(points / FULL_MATERIAL) for points in range(FULL_MATERIAL + 1)]
    assert all(max(halves[points:]) < half + 1 for points, half in enumerate(halves))  # a cubic's ripple
    assert 40 < halves[-1] < halves[0] < 300


def test_a_level_rook_ending_is_drawn_more_often_than_a_level_middle_game() -> None:
    full, few = (meaning.of(board_of(fen)["pieces"]).wdl(0) for fen in (chess.STARTING_FEN, ROOK_ENDING))
    assert few[1] > full[1]


@pytest.mark.parametrize(
    ("fen", "points"),
    [
        (chess.STARTING_FEN, 78),
        (ROOK_ENDING, 20),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", 0),
        ("QQQQQQQQ/QQQ5/4k3/8/8/4K3/8/8 b - - 0 1", 78),
    ],
)
def test_material_is_that_of_both_sides_and_never_more_than_at_the_start(fen: str, points: int) -> None:
    assert meaning.material(board_of(fen)["pieces"]) == points / FULL_MATERIAL
