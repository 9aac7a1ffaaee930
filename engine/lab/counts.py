"""What the classical evaluation counts in each position: the sparse matrix of a regression on its weights."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from engine.core.bits import ZERO, drop_lowest
from engine.core.board import new_board
from engine.core.endgame import scale
from engine.core.evaluate import new_evaluator, phase, trace
from engine.core.jit import Record, kernel
from engine.core.layout import WEIGHTS
from engine.core.packed import unpack
from engine.core.terms import SIZE
from engine.lab.games import Positions, unwatched
from engine.notation import TABLES

ROWS = 1 << 17  # positions a kernel call
MOST = 200  # counts that differ from zero in one position: never seen above 130


class Matrix(NamedTuple):
    """Row i: weight indexes[k] counts times[k] (White's less Black's) for starts[i] <= k < starts[i + 1]."""

    starts: npt.NDArray[np.int64]  # (rows + 1,)
    indexes: npt.NDArray[np.int16]  # (entries,)
    times: npt.NDArray[np.int8]  # (entries,)
    phases: npt.NDArray[np.int8]  # (rows,)  24 with all pieces
    scales: npt.NDArray[np.int8]  # (rows, 2)  64ths of the end game, were White or Black ahead in it
    origins: npt.NDArray[np.int64]  # (rows,)  which of the positions given

    def __len__(self) -> int:
        return len(self.phases)


@kernel
def _has_lone_king(board: Record) -> Any:
    return drop_lowest(board.colours[0]) == ZERO or drop_lowest(board.colours[1]) == ZERO


@kernel
def _count(
    tables: Record, board: Record, evaluator: Record, positions: Positions, counts: np.ndarray, matrix: Matrix
) -> int:
    """Fill the arrays of `matrix`; return how many rows. Against a bare king the evaluation is not linear."""
    starts, indexes, times, phases, scales, origins = matrix
    row, entry = 0, 0
    for i in range(positions.size):
        unpack(tables, positions[i], board)
        if _has_lone_king(board):
            continue
        counts[:] = 0
        trace(tables, board, evaluator, counts)
        for index in range(SIZE):
            difference = counts[0, index] - counts[1, index]
            if difference != 0:
                indexes[entry] = index
                times[entry] = difference
                entry += 1
        phases[row] = phase(board)
        scales[row, 0] = scale(board, 0)
        scales[row, 1] = scale(board, 1)
        origins[row] = i
        row += 1
        starts[row] = entry
    return row


def _blank(rows: int) -> Matrix:
    return Matrix(
        np.zeros(rows + 1, np.int64),
        np.zeros(rows * MOST, np.int16),
        np.zeros(rows * MOST, np.int8),
        np.zeros(rows, np.int8),
        np.zeros((rows, 2), np.int8),
        np.zeros(rows, np.int64),
    )


def _taken(matrix: Matrix, rows: int, offset: int) -> Matrix:
    entries = matrix.starts[rows]
    return Matrix(
        matrix.starts[: rows + 1].copy(),
        matrix.indexes[:entries].copy(),
        matrix.times[:entries].copy(),
        matrix.phases[:rows].copy(),
        matrix.scales[:rows].copy(),
        matrix.origins[:rows] + offset,
    )


def _joined(parts: list[Matrix]) -> Matrix:
    ends = np.cumsum([0] + [part.starts[-1] for part in parts])
    starts = [part.starts[:-1] + end for part, end in zip(parts, ends, strict=False)]
    columns = list(zip(*parts, strict=True))
    return Matrix(np.concatenate([*starts, ends[-1:]]), *(np.concatenate(column) for column in columns[1:]))


def matrix_of(positions: Positions, progress: Callable[[int, int], None] = unwatched) -> Matrix:
    """The counts of every position but those with a bare king; `progress` is told how many of how many."""
    board, evaluator = new_board(), new_evaluator(np.zeros((SIZE, 2)))
    counts = np.zeros((2, WEIGHTS), np.int16)
    blank = _blank(min(ROWS, len(positions)))
    parts = [_taken(blank, 0, 0)]
    for begin in range(0, len(positions), ROWS):
        rows = _count(TABLES, board, evaluator, positions[begin : begin + ROWS], counts, blank)
        parts.append(_taken(blank, rows, begin))
        progress(min(begin + ROWS, len(positions)), len(positions))
    return _joined(parts)
