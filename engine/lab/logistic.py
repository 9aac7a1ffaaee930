"""Logistic regression of win probability on the weights of a tapered evaluation, by Adam over mini-batches.

Weights are in units of log-odds here: the evaluation e says White scores 1 / (1 + exp(-e)). The loss of a
position is the cross entropy to its target. Two small penalties only matter for weights that the data seldom
speak of: `decay` pulls a weight to zero, `smooth` pulls neighbours in an ordered table together.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.core.endgame import FULL_SCALE
from engine.core.evaluate import FULL_PHASE
from engine.core.jit import kernel
from engine.lab.counts import Matrix

Weights = npt.NDArray[np.float64]  # (terms.SIZE, 2)  middle game, end game
Odds = npt.NDArray[np.float64]  # (rows,)  White's log-odds
Targets = npt.NDArray[np.float32]  # (rows,)  White's expected score, 0 to 1
BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8


class Settings(NamedTuple):
    epochs: int = 20
    batch: int = 16_384
    rate: float = 0.01  # falls to zero along half a cosine
    decay: float = 2e-8
    smooth: float = 2e-6
    seed: int = 1


class Lesson(NamedTuple):
    """Positions with what is to be learned from them."""

    matrix: Matrix
    targets: Targets


@kernel
def _evaluated(matrix: Matrix, row: int, weights: Weights) -> tuple[float, float, float]:
    """Log-odds for White, and the shares that its middle-game and end-game sums have in it."""
    starts, indexes, times, phases, scales, _ = matrix
    early, late = 0.0, 0.0
    for k in range(starts[row], starts[row + 1]):
        index, count = indexes[k], times[k]
        early += weights[index, 0] * count
        late += weights[index, 1] * count
    part = phases[row] / FULL_PHASE
    rest = (1.0 - part) * scales[row, 0 if late > 0.0 else 1] / FULL_SCALE
    return early * part + late * rest, part, rest


@kernel
def _softplus(x: float) -> float:
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


@kernel
def _add_gradient(
    matrix: Matrix, targets: Targets, rows: npt.NDArray[np.int64], weights: Weights, gradient: Weights
) -> float:
    """Add the gradient of the summed loss over `rows`; return that sum."""
    starts, indexes, times, _, _, _ = matrix
    total = 0.0
    for row in rows:
        odds, part, rest = _evaluated(matrix, row, weights)
        total += _softplus(odds) - targets[row] * odds
        error = 1.0 / (1.0 + math.exp(-odds)) - targets[row]
        for k in range(starts[row], starts[row + 1]):
            index, count = indexes[k], times[k]
            gradient[index, 0] += error * part * count
            gradient[index, 1] += error * rest * count
    return total


@kernel
def _predict(matrix: Matrix, weights: Weights, out: Odds) -> None:
    for row in range(out.size):
        out[row] = _evaluated(matrix, row, weights)[0]


def predict(matrix: Matrix, weights: Weights) -> Odds:
    """White's log-odds in every position."""
    out = np.zeros(len(matrix))
    _predict(matrix, weights, out)
    return out


def chance(odds: Odds) -> Odds:
    """Probability of log-odds, of any size."""
    return 0.5 + 0.5 * np.tanh(0.5 * odds)


def loss(odds: Odds, targets: Targets) -> float:
    """Mean cross entropy."""
    return float(np.mean(np.logaddexp(0.0, odds) - targets * odds))


def squared_error(odds: Odds, targets: Targets) -> float:
    return float(np.mean((chance(odds) - targets) ** 2))


def _penalty(weights: Weights, neighbours: npt.NDArray[np.int64], settings: Settings) -> Weights:
    gradient = 2 * settings.decay * weights
    left, right = neighbours[:, 0], neighbours[:, 1]
    step = 2 * settings.smooth * (weights[left] - weights[right])
    np.add.at(gradient, left, step)
    np.add.at(gradient, right, -step)
    return gradient


def fit(
    lesson: Lesson,
    start: Weights,
    neighbours: npt.NDArray[np.int64],
    settings: Settings,
    on_epoch: Callable[[int, float, Weights], None],
) -> Weights:
    """The weights that Adam reaches from `start`; the same arguments give the same bits.

    `neighbours` (pairs, 2) names weights that should be alike. After each epoch `on_epoch` is told its number
    from 1, the mean loss seen during it, and the weights.
    """
    rng = np.random.default_rng(settings.seed)
    weights, first, second = start.copy(), np.zeros_like(start), np.zeros_like(start)
    rows = len(lesson.matrix)
    steps = math.ceil(rows / settings.batch)
    for epoch in range(settings.epochs):
        order = rng.permutation(rows)
        total = 0.0
        for step in range(steps):
            batch = order[step * settings.batch : (step + 1) * settings.batch]
            gradient = np.zeros_like(weights)
            total += _add_gradient(lesson.matrix, lesson.targets, batch, weights, gradient)
            gradient = gradient / len(batch) + _penalty(weights, neighbours, settings)
            done = epoch * steps + step
            first += (1 - BETA1) * (gradient - first)
            second += (1 - BETA2) * (gradient**2 - second)
            rate = settings.rate * (1 + math.cos(math.pi * done / (settings.epochs * steps))) / 2
            size = rate * math.sqrt(1 - BETA2 ** (done + 1)) / (1 - BETA1 ** (done + 1))
            weights -= size * first / (np.sqrt(second) + EPSILON)
        on_epoch(epoch + 1, total / rows, weights)
    return weights
