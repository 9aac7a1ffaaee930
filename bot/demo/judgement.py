"""What a move was worth: from two scores to «inaccuracy», «mistake», «blunder». Pure; scores are White's."""

import math
from typing import NamedTuple

from bot.game.nouns import Score

# The share of points a score promises is 1 / (1 + exp(-cp / SPREAD_CP)); what a move loses of it is judged.
SPREAD_CP = 272.0
INACCURACY, MISTAKE, BLUNDER = 0.05, 0.10, 0.15
MOST_CP = 1000  # beyond that nobody cares how much


class Verdict(NamedTuple):
    word: str  # "" where nothing is to be said
    lost: float  # of the point, for whoever moved


def for_white(score: Score, white: bool) -> Score:
    """A score of the side `white` as White sees it; being mated already stays being mated."""
    if white:
        return score
    if score.mate is not None:
        return Score(mate=-score.mate) if score.mate else Score(cp=100_000)
    return Score(cp=-(score.cp or 0))


def share(score: Score) -> float:
    """The share of a point that White may expect, 0 to 1."""
    cp = max(-MOST_CP, min(MOST_CP, score.as_cp))
    return 1 / (1 + math.exp(-cp / SPREAD_CP))


def verdict(before: Score, after: Score, white_moved: bool) -> Verdict:
    """Of the move that led from a position with one score to a position with another."""
    lost = share(before) - share(after) if white_moved else share(after) - share(before)
    for word, least in (("blunder", BLUNDER), ("mistake", MISTAKE), ("inaccuracy", INACCURACY)):
        if lost >= least:
            return Verdict(word, lost)
    return Verdict("", max(0.0, lost))
