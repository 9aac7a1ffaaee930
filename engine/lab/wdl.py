"""What a score is worth, fitted to scored games that have been played out. Pure arithmetic.

The model is that of `engine.meaning`, with one `half` and `spread` for all positions (`Wdl`) or by the
material (`Model`). The games must be of the engine whose scores are to be understood: other players turn the
same advantage into other results. Scores and results may be either side's, but of one side both.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.lab import logistic
from engine.lab.games import Positions
from engine.meaning import FULL_MATERIAL, UNIT_CP, WORTH, Floats, Model

Results = npt.NDArray[np.uint8]  # half-points
Source = Callable[[Positions], Floats]  # White's scores, centipawns

UNRELATED = "the scores do not foretell the results: the better side wins no more often"
IMPOSSIBLE = 1e-9  # the chance that a model is believed to have given at least


class Wdl(NamedTuple):
    """In centipawns: see `engine.meaning`."""

    half: float
    spread: float


class Sample(NamedTuple):
    scores: Floats  # centipawns
    results: Results
    material: Floats  # as a share of that at the start
    games: npt.NDArray[np.uint32]  # which one each comes from

    def where(self, rows: npt.NDArray[np.bool_]) -> "Sample":
        return Sample(self.scores[rows], self.results[rows], self.material[rows], self.games[rows])


def stored(positions: Positions) -> Floats:
    """What the games' engine said."""
    return positions["score"].astype(np.float64)


def material(positions: Positions) -> Floats:
    """The worth of all men but kings, as a share of that at the start."""
    halves = np.concatenate([positions["men"] & 15, positions["men"] >> 4], axis=1)
    unused = 32 - np.bitwise_count(positions["occupied"]).astype(np.int64)  # they read as White's pawns
    points = np.array(WORTH)[halves % 6].sum(axis=1) - unused * WORTH[0]
    return np.asarray(points / FULL_MATERIAL, np.float64)


def sample_of(positions: Positions, source: Source = stored) -> Sample:
    return Sample(source(positions), positions["result"], material(positions), positions["game"])


def chances(scores: Floats, half: float | Floats, spread: float | Floats) -> Floats:
    """(scores, 3)  loss, draw, win: in the order of half-points. A `half` below zero leaves no draws."""
    win, loss = (logistic.chance((way * scores - half) / spread) for way in (1, -1))
    return np.stack([loss, np.maximum(1 - win - loss, 0), win], axis=1)


def surprise(likely: Floats, results: Results) -> float:
    """Mean cross entropy of results to the chances given to them."""
    given = likely[np.arange(len(results)), results]
    return float(-np.log(np.maximum(given, IMPOSSIBLE)).mean())


def fit_wdl(scores: Floats, results: Results) -> Wdl:
    """A win is to one side what a loss is to the other. ValueError: the games do not say."""
    slope, base = _regress((_both(scores) / UNIT_CP,), _won(results))
    return Wdl(-UNIT_CP * base / slope, UNIT_CP / slope)


def fit_by_material(sample: Sample) -> Model:
    """As `fit_wdl`; `slope` is a line and `edge` a cubic, which fit held-out games better than less does."""
    pawns, share = _both(sample.scores) / UNIT_CP, np.tile(sample.material, 2)
    columns = pawns, pawns * share, share, share**2, share**3
    slope, more, *edge, base = _regress(columns, _won(sample.results))
    if slope + more <= 0:
        raise ValueError(UNRELATED)
    return Model((slope, more), (-base, *(-part for part in edge)))


def chances_by_material(sample: Sample, model: Model) -> Floats:
    """As `chances`."""
    return chances(sample.scores, model.half(sample.material), model.spread(sample.material))


def deviations(sample: Sample, wdl: Wdl) -> Wdl:
    """Standard errors of a fit. Games are the sample, not positions: those of one game end alike."""
    pawns = _both(sample.scores) / UNIT_CP
    features = np.stack([pawns, np.ones_like(pawns)], axis=1)
    slope, base = UNIT_CP / wdl.spread, -wdl.half / wdl.spread
    p = logistic.chance(slope * pawns + base)
    bread = np.linalg.inv((features * (p * (1 - p))[:, None]).T @ features)
    pulls = features * (_won(sample.results) - p)[:, None]
    _, owner = np.unique(sample.games, return_inverse=True)
    by_game = np.stack([np.bincount(np.tile(owner, 2), pull) for pull in pulls.T])
    spread = bread @ (by_game @ by_game.T) @ bread
    toward_half, toward_spread = np.array([base / slope**2, -1 / slope]), np.array([-1 / slope**2, 0.0])
    return Wdl(*(float(UNIT_CP * np.sqrt(way @ spread @ way)) for way in (toward_half, toward_spread)))


def _both(scores: Floats) -> Floats:
    return np.concatenate([scores, -scores])


def _won(results: Results) -> Floats:
    return np.concatenate([results == 2, results == 0]).astype(np.float64)


def _regress(columns: Sequence[Floats], won: Floats) -> list[float]:
    """Logistic regression by Newton's method: a weight for each column, and a constant.

    The first column are the scores; in pawns, which keeps the equations well conditioned.
    """
    if not 0 < won.sum() < len(won):
        raise ValueError("too few games: some must have been won, and some not")
    features = np.stack([*columns, np.ones_like(won)], axis=1)
    weights = np.zeros(features.shape[1])
    weights[-1] = np.log(won.mean() / (1 - won.mean()))
    for _ in range(50):
        p = logistic.chance(features @ weights)
        hessian = (features * (p * (1 - p))[:, None]).T @ features
        step = np.linalg.lstsq(hessian, features.T @ (won - p))[0]
        weights += step
        if np.abs(step).max() < 1e-10:
            break
    if weights[0] <= 0:
        raise ValueError(UNRELATED)
    return [float(weight) for weight in weights]
