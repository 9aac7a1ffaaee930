"""The classical evaluation's weights before and after a regression.

Where it starts, what should be alike, and how the result is put so that a chess player can read it.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from engine.core.layout import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK
from engine.core.terms import OFFSET, SIZE, TERMS

Floats = npt.NDArray[np.float64]
START_MATERIAL = (100, 300, 320, 500, 950)
START_UNIT = 0.006  # log-odds a centipawn
PAWN_CP = 100  # what a pawn is worth, the mean of middle game and end game: this sets the unit of all weights
WELL_USED = 500  # times a weight must be counted before its value is believed in a table that only falls
TAIL = 12  # entries whose slope goes on where a falling table is no longer well used

_SIZES = {term.name: term.size for term in TERMS}
ORDERED = (  # tables whose neighbours should be alike
    "knight mobility", "bishop mobility", "rook mobility", "queen mobility", "phalanx", "supported pawn",
    "passed pawn", "passed, square ahead taken", "passed, road safe", "passed, own king's distance",
    "passed, their king's distance", "bishop and pawns of its colour", "king danger",
)  # fmt: skip
OF_EVERY = {  # tables of which each piece of that sort takes exactly one entry
    KNIGHT: ("knight mobility",),
    BISHOP: ("bishop mobility", "bishop and pawns of its colour"),
    ROOK: ("rook mobility",),
    QUEEN: ("queen mobility",),
}


def start_weights() -> Floats:
    """Log-odds: plain material and nothing else."""
    weights = np.zeros((SIZE, 2))
    weights[: len(START_MATERIAL)] = np.array(START_MATERIAL)[:, None] * START_UNIT
    return weights


def neighbours() -> npt.NDArray[np.int64]:
    """Pairs (n, 2) of weights that should be alike: neighbours in an ordered table or on the board."""
    pairs = [(OFFSET[name] + i, OFFSET[name] + i + 1) for name in ORDERED for i in range(_SIZES[name] - 1)]
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


def _tables_of(sort: int) -> Iterator[slice]:
    yield slice(OFFSET["squares"] + 64 * sort, OFFSET["squares"] + 64 * (sort + 1))
    for name in OF_EVERY.get(sort, ()):
        yield slice(OFFSET[name], OFFSET[name] + _SIZES[name])


def normalised(weights: Floats, used: Floats) -> Floats:
    """The same evaluation, with each piece's material what it is worth on the average.

    A table of which every piece of a sort takes one entry gives its mean, weighted by use, to the material.
    Both sides have a king, so the mean of its squares goes nowhere. Entries that no position used are zero.
    """
    plain = np.where(used[:, None] > 0, weights, 0.0)
    for sort in range(PAWN, KING + 1):
        for table in _tables_of(sort):
            seen = used[table] > 0
            if not seen.any():
                continue
            mean = np.average(plain[table], axis=0, weights=used[table])
            plain[table] -= np.where(seen[:, None], mean, 0.0)
            if sort != KING:
                plain[OFFSET["material"] + sort] += mean
    return plain


def falling(values: Floats, used: Floats) -> Floats:
    """The nearest table that never rises (least squares, weighted by use), continued where seldom used."""
    believed = int(np.flatnonzero(used >= WELL_USED).max(initial=-1)) + 1
    if believed < 2:
        return values
    blocks: list[tuple[float, float, int]] = []  # mean, weight, length
    for value, weight in zip(values[:believed], np.maximum(used[:believed], 1e-9), strict=True):
        block = (float(value), float(weight), 1)
        while blocks and blocks[-1][0] < block[0]:
            mean, total, length = blocks.pop()
            both = total + block[1]
            block = ((mean * total + block[0] * block[1]) / both, both, length + block[2])
        blocks.append(block)
    head = np.concatenate([np.full(length, mean) for mean, _, length in blocks])
    tail = min(TAIL, believed - 1)
    slope = (head[-1] - head[-1 - tail]) / tail
    return np.concatenate([head, head[-1] + slope * np.arange(1, len(values) - believed + 1)])


def shaped(weights: Floats, used: Floats) -> Floats:
    """What goes to the file, but for unit and rounding: normalised, and more danger is never less bad."""
    plain = normalised(weights, used)
    danger = slice(OFFSET["king danger"], OFFSET["king danger"] + _SIZES["king danger"])
    for column in range(2):
        plain[danger, column] = falling(plain[danger, column], used[danger])
    return plain


def unit_of(plain: Floats) -> float:
    """Log-odds of one centipawn, such that the mean pawn is worth PAWN_CP."""
    return float(plain[OFFSET["material"] + PAWN].mean()) / PAWN_CP
