"""`krait lab tune-eval`: the classical evaluation's weights from scored games.

The target of a position is a blend of what the games' engine thought of it (its score as a probability) and how the
game ended. Everything starts from zero but the material.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.core.layout import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK
from engine.core.terms import OFFSET, SIZE, TERMS
from engine.lab import logistic
from engine.lab.counts import Matrix
from engine.lab.games import Positions
from engine.lab.logistic import Lesson, Weights

START_MATERIAL = (100, 300, 320, 500, 950)  # hundredths of START_UNIT
START_UNIT = 0.006  # log-odds a centipawn
ORDERED = (  # tables whose neighbours should be alike
    "knight mobility",
    "bishop mobility",
    "rook mobility",
    "queen mobility",
    "phalanx",
    "supported pawn",
    "passed pawn",
    "passed, square ahead taken",
    "passed, road safe",
    "passed, own king's distance",
    "passed, their king's distance",
    "bishop and pawns of its colour",
    "king danger",
)


def _span(name: str) -> tuple[int, int]:
    return OFFSET[name], next(term.size for term in TERMS if term.name == name)


MOBILITY = {
    KNIGHT: _span("knight mobility"),
    BISHOP: _span("bishop mobility"),
    ROOK: _span("rook mobility"),
    QUEEN: _span("queen mobility"),
}


def start_weights() -> Weights:
    weights = np.zeros((SIZE, 2))
    weights[: len(START_MATERIAL)] = np.array(START_MATERIAL)[:, None] * START_UNIT
    return weights


def neighbours() -> npt.NDArray[np.int64]:
    """Pairs of weights that should be alike: next to each other in an ordered table, or on the board."""
    sizes = {term.name: term.size for term in TERMS}
    pairs = [(OFFSET[name] + i, OFFSET[name] + i + 1) for name in ORDERED for i in range(sizes[name] - 1)]
    return np.array([*pairs, *_next_squares()], np.int64)


def _next_squares() -> Iterator[tuple[int, int]]:
    for sort in range(PAWN, KING + 1):
        ranks = range(1, 7) if sort == PAWN else range(8)
        for square in (8 * rank + file for rank in ranks for file in range(8)):
            here = OFFSET["squares"] + 64 * sort + square
            if square % 8 < 7:
                yield here, here + 1
            if square // 8 + 1 in ranks:
                yield here, here + 8


class Blend(NamedTuple):
    share: float  # of the score in the target; the rest is the game's result
    scale: float  # centipawns of the data's scores to one unit of log-odds


def fitted_scale(positions: Positions) -> float:
    """Centipawns to a unit of log-odds such that the scores best foretell the results: Newton's method."""
    scores, results = positions["score"].astype(np.float64), positions["result"] / 2
    slope = 0.005
    for _ in range(50):
        p = 1 / (1 + np.exp(-slope * scores))
        step = np.sum((results - p) * scores) / np.sum(p * (1 - p) * scores**2)
        slope += float(step)
        if abs(step) < 1e-12:
            break
    return 1 / slope


def lesson(positions: Positions, matrix: Matrix, blend: Blend) -> Lesson:
    used = positions[matrix.origins]
    likely = 1 / (1 + np.exp(-used["score"].astype(np.float64) / blend.scale))
    targets = blend.share * likely + (1 - blend.share) * used["result"] / 2
    return Lesson(matrix, targets.astype(np.float32))


def usage(matrix: Matrix) -> npt.NDArray[np.float64]:
    """How often each weight is counted."""
    return np.bincount(matrix.indexes, np.abs(matrix.times), minlength=SIZE).astype(np.float64)


def normalised(weights: npt.NDArray[np.int64], used: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """The same evaluation with meaningful numbers: what every piece of a sort has, wherever it stands, is its
    material. A table's mean (weighted by use) goes to the material, or, for the king, nowhere: both sides have one.
    """
    plain = weights.copy()
    for sort in range(PAWN, KING + 1):
        tables = [(OFFSET["squares"] + 64 * sort, 64)]
        if sort in MOBILITY:
            tables.append(MOBILITY[sort])
        if sort == BISHOP:
            tables.append(_span("bishop and pawns of its colour"))
        for first, size in tables:
            seen = used[first : first + size] > 0
            if not seen.any():
                continue
            mean = np.average(plain[first : first + size][seen], axis=0, weights=used[first : first + size][seen])
            shift = np.rint(mean).astype(np.int64)
            plain[first : first + size][seen] -= shift
            if sort != KING:
                plain[OFFSET["material"] + sort] += shift
    return plain
