"""What moves are worth."""

from hypothesis import given
from hypothesis import strategies as st

from bot.demo.judgement import for_white, share, verdict
from bot.game.nouns import Score

SCORES = st.one_of(
    st.builds(Score, cp=st.integers(-3000, 3000)),
    st.builds(Score, mate=st.integers(-30, 30).filter(bool)),
)


@given(SCORES)
def test_what_white_may_expect_black_may_not(score: Score) -> None:
    assert abs(share(score) + share(for_white(score, white=False)) - 1) < 1e-9


@given(SCORES, SCORES)
def test_a_better_score_never_promises_less(one: Score, other: Score) -> None:
    if one.as_cp <= other.as_cp:
        assert share(one) <= share(other)


@given(SCORES, SCORES)
def test_the_same_step_is_judged_alike_for_both_sides(before: Score, after: Score) -> None:
    one, other = for_white(before, white=False), for_white(after, white=False)
    assert verdict(before, after, white_moved=True).word == verdict(one, other, white_moved=False).word


@given(SCORES)
def test_a_move_that_keeps_what_there_was_is_not_blamed(score: Score) -> None:
    assert verdict(score, score, white_moved=True) == ("", 0.0)


def test_a_piece_left_hanging_is_a_blunder_and_a_slip_an_inaccuracy() -> None:
    level = Score(cp=0)
    assert verdict(level, Score(cp=-300), white_moved=True).word == "blunder"
    assert verdict(level, Score(cp=120), white_moved=False).word == "mistake"
    assert verdict(level, Score(cp=60), white_moved=False).word == "inaccuracy"
    assert verdict(level, Score(cp=-30), white_moved=True).word == ""


def test_nothing_is_blamed_in_a_position_that_is_won_anyway() -> None:
    assert verdict(Score(mate=3), Score(cp=1500), white_moved=True).word == ""


def test_being_mated_is_the_worst_for_whoever_is_mated() -> None:
    assert for_white(Score(mate=0), white=True).as_cp == -100_000
    assert for_white(Score(mate=0), white=False).as_cp == 100_000
