"""From results to Elo. Pure arithmetic.

A *sample* is a list of (score, count): `[(0, losses), (.5, draws), (1, wins)]` for single games, or the
five scores of a pair of games from one opening with colours swapped (0, ¼, ½, ¾, 1: the pentanomial).
Pairs are the better sample: an opening that favours White favours both engines once, so the two games
of a pair are not independent, and the variance between pairs is smaller than the games alone suggest.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

Sample = Sequence[tuple[float, float]]

NORMAL = NormalDist()
Z95 = NORMAL.inv_cdf(0.975)
PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
# A score never seen gets this many games in the likelihood ratio, or one lucky start could decide at once.
UNSEEN = 1e-3


def expected_score(elo: float) -> float:
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float:
    """Inverse of `expected_score`; ±infinity at the ends."""
    if score <= 0:
        return -math.inf
    return math.inf if score >= 1 else 400 * math.log10(score / (1 - score))


def trinomial(wins: int, draws: int, losses: int) -> Sample:
    return ((0.0, losses), (0.5, draws), (1.0, wins))


def pentanomial(pairs: Sequence[int]) -> Sample:
    """`pairs` counts the pairs that brought 0, ½, 1, 1½, 2 points."""
    return tuple(zip(PAIR_SCORES, pairs, strict=True))


def mean_variance(sample: Sample) -> tuple[float, float, float]:
    """Size, mean and variance of one draw; (0, ½, 0) of an empty sample."""
    size = sum(count for _, count in sample)
    if not size:
        return 0.0, 0.5, 0.0
    mean = sum(score * count for score, count in sample) / size
    return size, mean, sum(count * (score - mean) ** 2 for score, count in sample) / size


class Estimate(NamedTuple):
    """`error` is half the width of the 95 % interval in Elo; `los` is P(better than the opponent)."""

    elo: float
    error: float
    los: float


def estimate(wins: int, draws: int, losses: int, pairs: Sequence[int]) -> Estimate:
    """Mean from all games; spread from the pairs, or from the games while the pairs show none."""
    games, mean, spread = mean_variance(trinomial(wins, draws, losses))
    if not games:
        return Estimate(0.0, math.inf, 0.5)
    between_pairs = mean_variance(pentanomial(pairs))[2]
    if between_pairs:
        spread = 2 * between_pairs  # a pair's score is the mean of two games: back to one
    deviation = math.sqrt(spread / games)
    if not deviation:
        return Estimate(elo_of(mean), math.inf, 0.5 if mean == 0.5 else float(mean > 0.5))
    error = (elo_of(mean + Z95 * deviation) - elo_of(mean - Z95 * deviation)) / 2
    return Estimate(elo_of(mean), error, NORMAL.cdf((mean - 0.5) / deviation))


class Sprt(NamedTuple):
    """H0: the difference is `elo0`; H1: it is `elo1`. alpha, beta: chance to accept the wrong one."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    @property
    def lower(self) -> float:
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        return math.log((1 - self.beta) / self.alpha)

    def verdict(self, ratio: float) -> str:
        """`"H0"`, `"H1"` or `""` while undecided."""
        return "H1" if ratio >= self.upper else "H0" if ratio <= self.lower else ""


def log_likelihood_ratio(sample: Sample, elo0: float, elo1: float) -> float:
    """Generalised: how much likelier `elo1` makes the sample than `elo0`, each with the distribution
    that fits the sample best among those of that expected score. 0 while nothing has been played.
    """
    if not sum(count for _, count in sample):
        return 0.0
    seen = [(score, count or UNSEEN) for score, count in sample]
    size = sum(count for _, count in seen)
    shares = [(score, count / size) for score, count in seen]
    under0 = _fitted(shares, expected_score(elo0))
    under1 = _fitted(shares, expected_score(elo1))
    return size * sum(
        share * math.log(p1 / p0) for (_, share), p0, p1 in zip(shares, under0, under1, strict=True)
    )


def _fitted(shares: Sample, mean: float) -> list[float]:
    """The likeliest probabilities with that mean: p = share / (1 + x (score - mean)), with the one x
    that brings the mean about. Left side below falls strictly in x, so bisection finds it.
    """
    low, high = -1 / (max(s for s, _ in shares) - mean), 1 / (mean - min(s for s, _ in shares))
    for _ in range(200):
        x = (low + high) / 2
        if sum(p * (s - mean) / (1 + x * (s - mean)) for s, p in shares) > 0:
            low = x
        else:
            high = x
    return [p / (1 + x * (s - mean)) for s, p in shares]
