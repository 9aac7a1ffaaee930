"""The net as trained: 32-bit floats, loss and gradient in one pass over packed positions.

The net is described in `engine/net.py`. Inputs are some thirty of 768 (times the king buckets) for each of
the two views, so a position is a sum of rows: memory traffic, not arithmetic, decides the speed, and both
accumulators of a position stay in the first-level cache from the sum to the gradient.
"""

import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from engine.core.bits import ZERO, drop_lowest, lowest
from engine.core.jit import Record, kernel
from engine.core.layout import KING
from engine.core.packed import NO_RESULT
from engine.lab.aim import Aim, Floats
from engine.lab.games import Positions
from engine.lab.shape import FEATURES

Indexes = npt.NDArray[np.int64]
Buckets = npt.NDArray[np.uint8]
Number = Any  # a number inside a kernel, of whatever width

MEN = 32
ZERO_F, ONE_F, TWO_F = np.float32(0), np.float32(1), np.float32(2)


class Weights(NamedTuple):
    """The net's parameters, or their gradient."""

    rows: Floats  # (K * 768, N)
    bias: Floats  # (N,)
    out_weight: Floats  # (O, 2 N)
    out_bias: Floats  # (O,)


@kernel
def _find_rows(position: Record, king_bucket: Buckets, rows: Indexes) -> Number:
    """Write the input rows of both views, (2, 32); return the number of men."""
    rest = position.occupied
    men = 0
    own = np.zeros(2, np.int64)
    while rest != ZERO:
        square = np.int64(lowest(rest))
        rest = drop_lowest(rest)
        piece = np.int64(position.men[men >> 1] >> 4 * (men & 1) & 15)
        theirs = np.int64(piece >= 6)
        sort = piece - 6 * theirs
        rows[0, men] = (theirs * 6 + sort) * 64 + square
        rows[1, men] = ((1 - theirs) * 6 + sort) * 64 + (square ^ 56)
        if sort == KING:
            own[theirs] = square ^ 56 * theirs
        men += 1
    for view in range(2):
        turn = 7 if own[view] & 4 == 0 else 0
        base = np.int64(king_bucket[own[view] ^ turn]) * FEATURES
        for k in range(men):
            rows[view, k] = base + (rows[view, k] ^ turn)
    return men


@kernel
def _accumulate(weight: Floats, bias: Floats, rows: Indexes, men: Number, out: Floats) -> None:
    """The bias and the rows' sum. Four rows at a time, so that `out` is stored a quarter as often."""
    out[:] = bias
    whole = men - men % 4
    for k in range(0, whole, 4):
        a, b, c, d = weight[rows[k]], weight[rows[k + 1]], weight[rows[k + 2]], weight[rows[k + 3]]
        for j in range(out.size):
            out[j] += (a[j] + b[j]) + (c[j] + d[j])
    for k in range(whole, men):
        a = weight[rows[k]]
        for j in range(out.size):
            out[j] += a[j]


@kernel
def _dot(accumulator: Floats, weight: Floats, products: Floats) -> Number:
    """Activations times weights. The sum is folded in halves, in vectors whose order is the same anywhere."""
    for j in range(products.size):
        clipped = min(max(accumulator[j], ZERO_F), ONE_F)
        products[j] = clipped * clipped * weight[j]
    left = products.size
    while left > 1:
        half = (left + 1) >> 1
        for j in range(left - half):
            products[j] += products[half + j]
        left = half
    return products[0]


@kernel
def _forward(
    position: Record, king_bucket: Buckets, weights: Weights, rows: Indexes, accumulators: Floats
) -> tuple[Number, Number, Number]:
    """The net's output for the side to move, the output bucket and the number of men."""
    weight, bias, out_weight, out_bias = weights
    men = _find_rows(position, king_bucket, rows)
    for view in range(2):
        _accumulate(weight, bias, rows[view], men, accumulators[view])
    bucket = (men - 2) // (MEN // out_bias.size)
    side, size = np.int64(position.side), bias.size
    mine = _dot(accumulators[side], out_weight[bucket, :size], accumulators[2])
    yours = _dot(accumulators[1 - side], out_weight[bucket, size:], accumulators[2])
    return out_bias[bucket] + mine + yours, bucket, men


@kernel
def _target(position: Record, aim: Aim) -> Number:
    """For the side to move."""
    share, slope, _ = aim
    if position.result == NO_RESULT:
        share = 1.0
    white = share / (1.0 + math.exp(-slope * position.score)) + (1.0 - share) * 0.5 * position.result
    return white if position.side == 0 else 1.0 - white


@kernel
def _backward(
    accumulator: Floats, slope: Number, weight: Floats, out_gradient: Floats, bias_gradient: Floats
) -> None:
    """Of one view: add to the gradients of its output weights and of the bias; the accumulator becomes its
    own gradient.
    """
    for j in range(accumulator.size):
        x = accumulator[j]
        clipped = min(max(x, ZERO_F), ONE_F)
        out_gradient[j] += slope * clipped * clipped
        inner = TWO_F * slope * clipped * weight[j] if x < ONE_F else ZERO_F
        accumulator[j] = inner
        bias_gradient[j] += inner


@kernel
def _scatter(rows: Indexes, men: Number, inner: Floats, gradient: Floats) -> None:
    for k in range(men):
        row = gradient[rows[k]]
        for j in range(inner.size):
            row[j] += inner[j]


@kernel
def _add_gradient(
    positions: Positions, order: Indexes, king_bucket: Buckets, aim: Aim, weights: Weights, gradient: Weights
) -> Number:
    """Add the gradient of the summed loss over positions[order]; return that sum."""
    size = weights[1].size
    rows, accumulators = np.empty((2, MEN), np.int64), np.empty((3, size), np.float32)
    power, total = aim[2], 0.0
    for index in order:
        position = positions[index]
        output, bucket, men = _forward(position, king_bucket, weights, rows, accumulators)
        chance = 1.0 / (1.0 + math.exp(-np.float64(output)))
        error = chance - _target(position, aim)
        steep = abs(error) if power == 2.0 else abs(error) ** (power - 1.0)
        total += steep * abs(error)
        slope = np.float32(math.copysign(power * steep, error) * chance * (1.0 - chance))
        gradient[3][bucket] += slope
        side = np.int64(position.side)
        for half in range(2):
            view, begin = side ^ half, half * size
            inner = accumulators[view]
            weight, out_gradient = weights[2][bucket, begin : begin + size], gradient[2][bucket]
            _backward(inner, slope, weight, out_gradient[begin : begin + size], gradient[1])
            _scatter(rows[view], men, inner, gradient[0])
    return total


@kernel
def _predict(positions: Positions, king_bucket: Buckets, weights: Weights, out: Floats) -> None:
    rows, accumulators = np.empty((2, MEN), np.int64), np.empty((3, weights[1].size), np.float32)
    for index in range(out.size):
        out[index] = _forward(positions[index], king_bucket, weights, rows, accumulators)[0]


class Crew:
    """Threads, each with a gradient of its own: a batch is parted among them in the same way every time."""

    def __init__(self, weights: Weights, threads: int) -> None:
        self._gradients = [Weights(*(np.zeros_like(part) for part in weights)) for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads)

    def gradient(
        self, positions: Positions, order: Indexes, king_bucket: Buckets, aim: Aim, weights: Weights
    ) -> tuple[float, Weights]:
        """Summed loss over positions[order] and its gradient, which the next call overwrites."""

        def part(share: Indexes, gradient: Weights) -> float:
            for array in gradient:
                array[...] = 0
            return float(_add_gradient(positions, share, king_bucket, aim, weights, gradient))

        shares = np.array_split(order, len(self._gradients))
        total = sum(self._pool.map(part, shares, self._gradients))
        first, *others = self._gradients
        for other in others:
            for into, array in zip(first, other, strict=True):
                np.add(into, array, out=into)
        return total, first

    def predict(self, positions: Positions, king_bucket: Buckets, weights: Weights) -> Floats:
        """The net's output, log-odds for the side to move, in every position."""
        out = np.empty(len(positions), np.float32)

        def part(begin: int, end: int) -> None:
            _predict(positions[begin:end], king_bucket, weights, out[begin:end])

        edges = np.linspace(0, len(positions), len(self._gradients) + 1).astype(int)
        list(self._pool.map(part, edges[:-1], edges[1:]))
        return out
