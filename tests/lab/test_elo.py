"""Elo, error bars and the SPRT, against values worked out by hand and slow twins."""

import math
from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.lab import elo

counts = st.integers(0, 300)
pair_counts = st.lists(counts, min_size=5, max_size=5)
NO_PAIRS = [0, 0, 0, 0, 0]


def test_three_quarters_of_the_points_are_191_elo() -> None:
    assert elo.elo_of(0.75) == pytest.approx(400 * math.log10(3))
    assert elo.elo_of(0.5) == 0


def test_all_or_nothing_has_no_finite_elo() -> None:
    assert elo.elo_of(1) == math.inf
    assert elo.elo_of(0) == -math.inf


@given(st.floats(-1500, 1500))
def test_elo_and_expected_score_are_inverse(difference: float) -> None:
    assert elo.elo_of(elo.expected_score(difference)) == pytest.approx(difference, abs=1e-6)


def test_an_estimate_from_games_worked_out_by_hand() -> None:
    """60-20-20: mean 0.7, variance 0.16, standard error 0.04, ends of the interval 0.6216 and 0.7784."""
    guess = elo.estimate(60, 20, 20, NO_PAIRS)
    assert guess.elo == pytest.approx(147.19, abs=0.01)
    assert guess.error == pytest.approx(66.0, abs=0.1)
    assert guess.los == pytest.approx(1 - 2.87e-7, abs=1e-8)  # five standard errors


def test_an_estimate_from_pairs_worked_out_by_hand() -> None:
    """Ten pairs of 1 point, ten of 1½: mean 0.625, variance 1/64 a pair, standard error √(1/64/20)."""
    guess = elo.estimate(15, 20, 5, [0, 0, 10, 10, 0])
    deviation = math.sqrt(1 / 64 / 20)
    high, low = elo.elo_of(0.625 + 1.959964 * deviation), elo.elo_of(0.625 - 1.959964 * deviation)
    assert guess.elo == pytest.approx(elo.elo_of(0.625))
    assert guess.error == pytest.approx((high - low) / 2, rel=1e-5)


def test_pairs_that_are_all_alike_do_not_promise_certainty() -> None:
    assert elo.estimate(10, 0, 10, [0, 0, 10, 0, 0]) == elo.estimate(10, 0, 10, NO_PAIRS)


def test_nothing_played_means_nothing_known() -> None:
    assert elo.estimate(0, 0, 0, NO_PAIRS) == (0, math.inf, 0.5)


def test_ten_wins_of_ten_are_surely_better_by_an_unknown_amount() -> None:
    assert elo.estimate(10, 0, 0, [0, 0, 0, 0, 5]) == (math.inf, math.inf, 1)


@given(counts, counts, counts)
def test_swapping_the_engines_turns_the_sign(wins: int, draws: int, losses: int) -> None:
    assume(wins and losses)
    ours, theirs = elo.estimate(wins, draws, losses, NO_PAIRS), elo.estimate(losses, draws, wins, NO_PAIRS)
    assert ours.elo == pytest.approx(-theirs.elo, abs=1e-9)
    assert ours.error == pytest.approx(theirs.error)
    assert ours.los == pytest.approx(1 - theirs.los, abs=1e-9)


@given(counts, counts, counts)
def test_more_wins_are_more_elo_and_more_likely_superiority(wins: int, draws: int, losses: int) -> None:
    assume(losses)
    before, after = (
        elo.estimate(wins, draws, losses, NO_PAIRS),
        elo.estimate(wins + 1, draws, losses, NO_PAIRS),
    )
    assert after.elo > before.elo
    assert after.los >= before.los or before.los == 0.5


def test_the_bounds_of_the_usual_sprt() -> None:
    sprt = elo.Sprt(0, 5, 0.05, 0.05)
    assert (sprt.lower, sprt.upper) == pytest.approx((-math.log(19), math.log(19)))
    assert [sprt.verdict(ratio) for ratio in (-3.0, 0.0, 3.0)] == ["H0", "", "H1"]


def test_without_draws_the_ratio_is_that_of_a_biased_coin() -> None:
    """Two outcomes leave no freedom: the expected score is the probability itself."""
    s0, s1 = elo.expected_score(0), elo.expected_score(20)
    by_hand = 60 * math.log(s1 / s0) + 40 * math.log((1 - s1) / (1 - s0))
    assert elo.log_likelihood_ratio([(0.0, 40), (1.0, 60)], 0, 20) == pytest.approx(by_hand)


def best_likelihood(wins: int, draws: int, losses: int, mean: float) -> float:
    """Slow twin: with the mean given, one free number is left, the share of draws; search it."""

    def likelihood(draw: float) -> float:
        win, loss = mean - draw / 2, 1 - mean - draw / 2
        return wins * math.log(win) + draws * math.log(draw) + losses * math.log(loss)

    return peak(likelihood, 1e-12, 2 * min(mean, 1 - mean) - 1e-12)


def peak(function: Callable[[float], float], low: float, high: float) -> float:
    for _ in range(200):
        third = (high - low) / 3
        low, high = (
            (low + third, high) if function(low + third) < function(high - third) else (low, high - third)
        )
    return function((low + high) / 2)


@given(*[st.integers(1, 500)] * 3, st.floats(-30, 30), st.floats(-30, 30))
def test_the_ratio_equals_the_one_found_by_search(
    w: int, d: int, lost: int, elo0: float, elo1: float
) -> None:
    slow = best_likelihood(w, d, lost, elo.expected_score(elo1))
    slow -= best_likelihood(w, d, lost, elo.expected_score(elo0))
    assert elo.log_likelihood_ratio(elo.trinomial(w, d, lost), elo0, elo1) == pytest.approx(slow, abs=1e-5)


@given(pair_counts)
def test_the_ratio_of_the_mirrored_match_is_the_mirrored_ratio(pairs: list[int]) -> None:
    ratio = elo.log_likelihood_ratio(elo.pentanomial(pairs), -2, 5)
    mirrored = elo.log_likelihood_ratio(elo.pentanomial(pairs[::-1]), -5, 2)
    assert ratio == pytest.approx(-mirrored, abs=1e-6)


@given(pair_counts)
def test_equal_hypotheses_are_never_told_apart(pairs: list[int]) -> None:
    assert elo.log_likelihood_ratio(elo.pentanomial(pairs), 3, 3) == pytest.approx(0, abs=1e-9)


def test_a_lost_pair_lowers_the_ratio_and_a_won_one_raises_it() -> None:
    pairs = [10, 20, 40, 20, 10]

    def ratio_with(index: int) -> float:
        more = [count + (place == index) for place, count in enumerate(pairs)]
        return elo.log_likelihood_ratio(elo.pentanomial(more), 0, 10)

    ratios = [ratio_with(index) for index in range(5)]
    assert ratios == sorted(ratios)


def test_no_games_have_no_ratio() -> None:
    assert elo.log_likelihood_ratio(elo.pentanomial(NO_PAIRS), 0, 5) == 0
