"""What every node does, in `search` as in `quiesce`: leave, draw, judge, step forward, keep the line."""

from typing import NamedTuple

import numpy as np

from engine.core import order, tt
from engine.core.bits import ZERO
from engine.core.board import is_bare, is_repetition, make
from engine.core.jit import Record, kernel
from engine.core.layout import HISTORY_PLIES, MATE_BOUND, MAX_PLY, WORKER
from engine.core.movegen import has_legal_move

EVAL_LIMIT = MATE_BOUND - MAX_PLY - 1
CORRECTION_UNIT = 1_024
DRAW = 0


class Means(NamedTuple):
    """Everything a search works with; to compiled code, six pointers."""

    tables: Record
    board: Record
    worker: Record
    evaluator: Record
    net: Record
    params: Record


def new_worker() -> Record:
    worker = np.zeros(1, WORKER)[0]
    worker["node_limit"] = 1 << 62
    order.before_search(worker)
    return worker


@kernel
def is_stopped(worker: Record) -> bool:
    if worker.nodes >= worker.node_limit:
        worker.stop = worker.ticket
    return worker.stop >= worker.ticket


@kernel
def is_draw(tables: Record, board: Record, ply: int) -> bool:
    if is_repetition(board, ply) or is_bare(board):
        return True
    # Mate on the hundredth half-move still counts
    return board.rule50 >= 100 and (board.checkers == ZERO or has_legal_move(tables, board, MAX_PLY + 1))


@kernel
def corrected(board: Record, worker: Record, params: Record, static: int) -> int:
    """The static evaluation less what it was wrong by lately, and less as the fifty-move rule comes near."""
    static = static * (200 - min(board.rule50, 100)) // 200
    static += order.correction(board, worker) * params.correction_weight // CORRECTION_UNIT
    return min(max(static, -EVAL_LIMIT), EVAL_LIMIT)


@kernel
def go(tables: Record, board: Record, worker: Record, ply: int, move: int) -> None:
    worker.played[ply + HISTORY_PLIES] = order.row_of(board, move)
    worker.nodes += 1
    make(tables, board, move)
    tt.touch(worker, board.key)


@kernel
def extend_pv(worker: Record, ply: int, move: int) -> None:
    worker.pv[ply, ply] = move
    last = worker.pv_length[ply + 1]
    for i in range(ply + 1, last):
        worker.pv[ply, i] = worker.pv[ply + 1, i]
    worker.pv_length[ply] = max(last, ply + 1)
