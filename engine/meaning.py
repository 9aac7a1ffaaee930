"""What a score means: the chances of win, draw and loss, and the centipawns that people are shown. Pure.

    chance to win = 1 / (1 + exp((half - score) / spread));   to lose, the same of -score

The search counts in centipawns of its own. How many of them win every second game (`half`) depends on what is
left on the board: a pawn's worth decides a full middle game and few rook endings. Shown is score * 100 / half
for the material of the position that is searched, so that +1.00 wins every second game, whatever the phase.
"""

import math
from collections.abc import Iterable
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from engine.core.layout import MATE_BOUND

Floats = npt.NDArray[np.float64]
Number = TypeVar("Number", float, Floats)

UNIT_CP = 100
DECIDED = 19_000  # from here on the endgame tables or a mate speak: no estimate, shown as it is
WORTH = (1, 3, 3, 5, 9, 0)  # pawn … king
FULL_MATERIAL = 78


class Meaning(NamedTuple):
    """Of the scores of one position, in the search's centipawns: see the head of this file."""

    half: float
    spread: float

    def shown(self, score: int) -> int:
        """Centipawns for people. The order of scores stays as it is, and a mirrored score is mirrored."""
        if abs(score) >= DECIDED:
            return score
        return min(max(round(score * UNIT_CP / self.half), 1 - DECIDED), DECIDED - 1)

    def wdl(self, score: int) -> tuple[int, int, int]:
        """Win, draw and loss in per mille, for the side to move; they sum to 1000, and mirror with the score.

        Only a mate score is certain; short of it at least one per mille is left to the draw.
        """
        if abs(score) >= MATE_BOUND:
            return (1000, 0, 0) if score > 0 else (0, 0, 1000)
        win, loss = self._win_per_mille(score), self._win_per_mille(-score)
        return win, 1000 - win - loss, loss

    def _win_per_mille(self, score: int) -> int:
        chance = (1 + math.tanh((score - self.half) / (2 * self.spread))) / 2  # the same curve; exp overflows
        return min(int(1000 * chance), 999)


class Model(NamedTuple):
    """Log-odds of a win = `slope` * score in pawns - `edge`: polynomials in the share of material left."""

    slope: tuple[float, ...]
    edge: tuple[float, ...]

    def half(self, share: Number) -> Number:
        return UNIT_CP * polynomial(self.edge, share) / polynomial(self.slope, share)

    def spread(self, share: Number) -> Number:
        return UNIT_CP / polynomial(self.slope, share)

    def at(self, share: float) -> Meaning:
        return Meaning(self.half(share), self.spread(share))


# Fitted by `krait lab wdl` to our own games of 4,000 nodes a move, tried on others (entry 34 of the ledger)
MODEL = Model(slope=(2.7684, -1.4188), edge=(6.3800, -18.6749, 22.4540, -9.3996))


def polynomial(coefficients: tuple[float, ...], at: Number) -> Number:
    total = at * 0.0
    for coefficient in reversed(coefficients):
        total = total * at + coefficient
    return total


def material(pieces: Iterable[int]) -> float:
    """The worth of all men as a share of that at the start; promoted men do not count beyond it.

    `pieces` are the bitboards of both sides' pawns, knights, bishops, rooks, queens and kings.
    """
    points = sum(worth * int(men).bit_count() for worth, men in zip(WORTH, pieces, strict=True))
    return min(points / FULL_MATERIAL, 1.0)


def of(pieces: Iterable[int]) -> Meaning:
    """Of the scores of a position with these men (see `material`), judged by the shipped net.

    Those of another evaluation are taken for the same.
    """
    return MODEL.at(material(pieces))
