"""Weaker on purpose (UCI_LimitStrength, UCI_Elo). Pure.

A weaker Krait sees less (`node_cap`), looks at more moves (`candidate_count`) and picks among them by chance,
~ exp(-loss / temperature). What a player of that strength cannot miss is taken out of the hands of chance
first: short mates, for and against.
"""

import math
from collections.abc import Sequence
from random import Random
from typing import Generic, NamedTuple, TypeVar

MATE = 32_000  # as in the driver: mate in n plies scores MATE - n
MATE_BOUND = 31_000  # |score| >= MATE_BOUND is a mate score

ELO_MIN, ELO_MAX = 800, 2_800
NODES_AT_MIN, NODES_AT_MAX = 100, 1_000_000
CANDIDATES_AT_MIN = 10
TEMPERATURE_AT_MIN_CP = 220.0  # at ELO_MIN a move worse by so much is e times less likely
TEMPERATURE_POWER = 1.5  # above 1: most of the carelessness is gone in the middle of the range
SOFTEN_CP = 600  # up to here a centipawn counts in full, far above it scores are felt by their order of size
MATE_PLY_ELO = 200  # one more ply of mate is seen with every so much Elo above ELO_MIN

M = TypeVar("M")


class Strength(NamedTuple):
    elo: int


class Candidate(NamedTuple, Generic[M]):
    move: M
    score: int  # for the side to move, mate scores as in the driver


def node_cap(elo: int) -> int:
    """Nodes for one move: NODES_AT_MIN at ELO_MIN, NODES_AT_MAX at ELO_MAX, exponential between."""
    return round(NODES_AT_MIN * math.pow(NODES_AT_MAX / NODES_AT_MIN, _fraction(elo)))


def candidate_count(elo: int) -> int:
    """How many lines to search for `choose`: CANDIDATES_AT_MIN at ELO_MIN, one at ELO_MAX."""
    return 1 + math.ceil((CANDIDATES_AT_MIN - 1) * (1 - _fraction(elo)))


def choose(elo: int, candidates: Sequence[Candidate[M]], rng: Random) -> M:
    """The move of one candidate, by `chances`; one number is drawn from `rng`, whatever the outcome.

    Raises ValueError when there are no candidates.
    """
    weights = chances(elo, [candidate.score for candidate in candidates])
    return rng.choices(candidates, weights)[0].move


def chances(elo: int, scores: Sequence[int]) -> list[float]:
    """Probabilities in the order of `scores`: the best (first of equals) is never impossible nor less likely
    than another, and at ELO_MAX it is certain. The expected loss never rises with `elo`.

    Certain as well: a mate that is seen. Impossible: to be mated where it is seen and another move is left.
    """
    if not scores:
        raise ValueError("there is no candidate to choose from")
    best = max(scores)
    temperature_cp = TEMPERATURE_AT_MIN_CP * math.pow(1 - _fraction(elo), TEMPERATURE_POWER)
    if temperature_cp == 0 or (best > 0 and _is_seen_mate(elo, best)):
        return [float(index == scores.index(best)) for index in range(len(scores))]
    shunned = {score for score in scores if score < min(best, 0) and _is_seen_mate(elo, score)}
    weights = [math.exp((_felt(score) - _felt(best)) / temperature_cp) for score in scores]
    weights = [0.0 if score in shunned else weight for score, weight in zip(scores, weights, strict=True)]
    return [weight / sum(weights) for weight in weights]


def _fraction(elo: int) -> float:
    return (min(max(elo, ELO_MIN), ELO_MAX) - ELO_MIN) / (ELO_MAX - ELO_MIN)


def _is_seen_mate(elo: int, score: int) -> bool:
    """A mate for either side, within the plies that this Elo looks ahead: none at ELO_MIN, 1 from 1000 on."""
    return MATE - abs(score) <= (elo - ELO_MIN) // MATE_PLY_ELO


def _felt(score: int) -> float:
    """A score as a player feels it: a pawn matters when level, hardly when a queen up."""
    return SOFTEN_CP * math.asinh(score / SOFTEN_CP)
