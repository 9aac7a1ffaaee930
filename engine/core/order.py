"""Which move to try next, and what is learnt from the moves that were tried.

The picker hands out, in stages: the table's move, captures that do not lose material, quiet moves by their
history, captures that do. Its state is kept by ply in the worker, so that a stage is only generated when it
is reached.
"""

import numpy as np

from engine.core import movegen, see
from engine.core.attacks import bishop_attacks, rook_attacks
from engine.core.bits import I64, U64, ZERO, bit, drop_lowest, lowest
from engine.core.board import king_square
from engine.core.jit import Record, kernel
from engine.core.layout import (
    BISHOP,
    CASTLE,
    CORRECTIONS,
    EMPTY,
    EN_PASSANT,
    HISTORY_PLIES,
    KING,
    KNIGHT,
    NO_MOVE,
    NO_ROW,
    PAWN,
    PROMOTION,
    QUEEN,
    ROOK,
)

FROM_TABLE, FIND_NOISY, GOOD_NOISY, FIND_QUIET, QUIET, LATE_QUIET, BAD_NOISY, DONE = range(8)
NO_QUIETS, ALL_QUIETS, CHECKS = 0, 1, 2  # which quiet moves `pick` hands out
HISTORY_LIMIT = 16_384
CORRECTION_LIMIT = 1_024
KILLER_1, KILLER_2 = 60_000, 50_000
VICTIMS = np.array((0, 3_000, 3_200, 5_000, 9_500, 0), np.int64)


@kernel
def start(worker: Record, ply: int, move: int) -> None:
    """Begin with `move`, already verified, or without one."""
    worker.stage[ply] = FROM_TABLE if move != NO_MOVE else FIND_NOISY


@kernel
def resume(worker: Record, ply: int) -> None:
    """Go on after the table's move: another search has used this ply's lists meanwhile."""
    worker.stage[ply] = FIND_NOISY


@kernel
def is_noisy(board: Record, move: int) -> bool:
    sort = move >> 12
    if sort >= PROMOTION or sort == EN_PASSANT:
        return True
    return sort == 0 and board.squares[move >> 6 & 63] != EMPTY


@kernel
def row_of(board: Record, move: int) -> int:
    """Piece and target square of a move not yet made: its row and column in the continuation history."""
    return I64(board.squares[move & 63]) * 64 + (move >> 6 & 63)


@kernel
def victim_of(board: Record, move: int) -> int:
    piece = I64(board.squares[move >> 6 & 63])
    return piece % 6 if piece != EMPTY else PAWN


@kernel
def pawn_row(board: Record) -> int:
    return I64(board.pawn_key & U64(511))


@kernel
def quiet_history(board: Record, worker: Record, ply: int, move: int) -> int:
    column = row_of(board, move)
    piece, onto = column >> 6, column & 63
    continuation = worker.continuation
    return (
        I64(worker.butterfly[board.side, move & 4095])
        + I64(worker.pawn_history[pawn_row(board), piece, onto])
        + I64(continuation[worker.played[ply + 3], column])
        + I64(continuation[worker.played[ply + 2], column])
        + I64(continuation[worker.played[ply], column]) // 2
    )


@kernel
def capture_history(board: Record, worker: Record, move: int) -> int:
    return I64(worker.captures[board.squares[move & 63], move >> 6 & 63, victim_of(board, move)])


@kernel
def _score_noisy(board: Record, worker: Record, ply: int, first: int, last: int) -> None:
    for i in range(first, last):
        move = I64(board.moves[ply, i])
        sort = move >> 12
        score = VICTIMS[victim_of(board, move)] + capture_history(board, worker, move) // 2
        if sort >= PROMOTION:
            score += 9_000 if sort == PROMOTION + 3 else -20_000
        worker.scores[ply, i] = score


@kernel
def _score_quiet(board: Record, worker: Record, ply: int, first: int, last: int) -> None:
    for i in range(first, last):
        move = I64(board.moves[ply, i])
        score = quiet_history(board, worker, ply, move)
        if move == worker.killers[ply, 0]:
            score += KILLER_1
        elif move == worker.killers[ply, 1]:
            score += KILLER_2
        worker.scores[ply, i] = score


@kernel
def _take_best(board: Record, worker: Record, ply: int, cursor: int, filled: int) -> int:
    """Bring the best move of the rest to `cursor`."""
    best, top = cursor, worker.scores[ply, cursor]
    for i in range(cursor + 1, filled):
        if worker.scores[ply, i] > top:
            best, top = i, worker.scores[ply, i]
    move = board.moves[ply, best]
    board.moves[ply, best] = board.moves[ply, cursor]
    worker.scores[ply, best] = worker.scores[ply, cursor]
    board.moves[ply, cursor] = move
    worker.scores[ply, cursor] = top
    return I64(move)


@kernel
def pick(
    tables: Record, board: Record, worker: Record, ply: int, table_move: int, exchange: int, quiets: int
) -> int:
    """The next pseudo-legal move, or NO_MOVE. Captures that lose more than -exchange come last, and only if
    all quiet moves are wanted.
    """
    if worker.stage[ply] == FROM_TABLE:
        worker.stage[ply] = FIND_NOISY
        return table_move
    if worker.stage[ply] == FIND_NOISY:
        filled = movegen.noisy(tables, board, ply, I64(0))
        _score_noisy(board, worker, ply, I64(0), filled)
        worker.filled[ply], worker.cursor[ply], worker.bad[ply] = filled, 0, 0
        worker.stage[ply] = GOOD_NOISY
    if worker.stage[ply] == GOOD_NOISY:
        while worker.cursor[ply] < worker.filled[ply]:
            cursor = worker.cursor[ply]
            move = _take_best(board, worker, ply, cursor, worker.filled[ply])
            worker.cursor[ply] = cursor + 1
            if move == table_move:
                continue
            if see.wins(tables, board, move, exchange):
                return move
            board.moves[ply, worker.bad[ply]] = move
            worker.bad[ply] += 1
        worker.stage[ply] = FIND_QUIET if quiets != NO_QUIETS else DONE
    return _pick_late(tables, board, worker, ply, table_move, quiets)


@kernel
def _pick_late(tables: Record, board: Record, worker: Record, ply: int, table_move: int, quiets: int) -> int:
    if worker.stage[ply] == FIND_QUIET:
        first = worker.bad[ply]
        if quiets == CHECKS:
            find_checks(tables, board, worker, ply)
            first = I64(0)
            worker.bad[ply] = 0
            filled = movegen.checks(tables, board, ply, first, worker.checks)
        else:
            filled = movegen.quiet(tables, board, ply, first)
        _score_quiet(board, worker, ply, first, filled)
        worker.filled[ply], worker.cursor[ply] = filled, first
        worker.stage[ply] = QUIET
    if worker.stage[ply] == QUIET:
        while worker.cursor[ply] < worker.filled[ply]:
            cursor = worker.cursor[ply]
            move = _take_best(board, worker, ply, cursor, worker.filled[ply])
            worker.cursor[ply] = cursor + 1
            if move != table_move:
                return move
        worker.stage[ply] = LATE_QUIET
    if worker.stage[ply] == LATE_QUIET:
        while worker.cursor[ply] < worker.filled[ply]:
            move = I64(board.moves[ply, worker.cursor[ply]])
            worker.cursor[ply] += 1
            if move != table_move and gives_check(tables, board, worker, ply, move):
                return move
        worker.stage[ply] = BAD_NOISY
        worker.cursor[ply] = 0
    if worker.stage[ply] == BAD_NOISY and worker.cursor[ply] < worker.bad[ply]:
        worker.cursor[ply] += 1
        return I64(board.moves[ply, worker.cursor[ply] - 1])
    return NO_MOVE


@kernel
def skip_quiets(worker: Record, ply: int) -> None:
    """Of the quiet moves that are left only those that check are wanted, in any order."""
    if worker.stage[ply] == QUIET:
        worker.stage[ply] = LATE_QUIET


@kernel
def find_checks(tables: Record, board: Record, worker: Record, ply: int) -> None:
    """Prepare `gives_check` for the moves of this position."""
    us, them = board.side, 1 - board.side
    king = king_square(board, them)
    ours, occupied = board.colours[us], board.colours[0] | board.colours[1]
    straight, diagonal = rook_attacks(tables, king, occupied), bishop_attacks(tables, king, occupied)
    checks = worker.checks
    checks[ply, PAWN] = tables.pawn[them, king]
    checks[ply, KNIGHT] = tables.knight[king]
    checks[ply, BISHOP] = diagonal
    checks[ply, ROOK] = straight
    checks[ply, QUEEN] = straight | diagonal
    checks[ply, KING] = ZERO
    # Our own men that stand alone between one of our sliders and their king
    behind = occupied ^ (ours & (straight | diagonal))
    snipers = (
        rook_attacks(tables, king, behind) & ~straight & (board.pieces[ROOK] | board.pieces[QUEEN])
    ) | (bishop_attacks(tables, king, behind) & ~diagonal & (board.pieces[BISHOP] | board.pieces[QUEEN]))
    snipers &= ours
    shields = ZERO
    while snipers != ZERO:
        shields |= tables.between[king, lowest(snipers)] & ours
        snipers = drop_lowest(snipers)
    worker.shields[ply] = shields


@kernel
def gives_check(tables: Record, board: Record, worker: Record, ply: int, move: int) -> bool:
    """Whether a legal move checks, directly or by leaving a line; castling and en passant are not looked
    into.
    """
    source, onto, sort = move & 63, move >> 6 & 63, move >> 12
    piece = I64(board.squares[source]) % 6
    if sort >= PROMOTION:
        piece = sort - PROMOTION + KNIGHT
    if sort != CASTLE and worker.checks[ply, piece] & bit(onto) != ZERO:
        return True
    if worker.shields[ply] & bit(source) == ZERO:
        return False
    return tables.line[king_square(board, 1 - board.side), source] & bit(onto) == ZERO


@kernel
def _pull(old: int, bonus: int, limit: int) -> int:
    """Move a history towards ±limit: the nearer it is, the less a bonus of that sign adds."""
    return old + bonus - old * abs(bonus) // limit


@kernel
def reward_quiet(board: Record, worker: Record, ply: int, move: int, bonus: int) -> None:
    column = row_of(board, move)
    side, row, piece, onto = board.side, pawn_row(board), column >> 6, column & 63
    step = move & 4095
    worker.butterfly[side, step] = _pull(I64(worker.butterfly[side, step]), bonus, HISTORY_LIMIT)
    worker.pawn_history[row, piece, onto] = _pull(
        I64(worker.pawn_history[row, piece, onto]), bonus, HISTORY_LIMIT
    )
    for back in (3, 2, 0):
        earlier = worker.played[ply + back]
        if earlier != NO_ROW:
            old = I64(worker.continuation[earlier, column])
            worker.continuation[earlier, column] = _pull(old, bonus, HISTORY_LIMIT)


@kernel
def reward_noisy(board: Record, worker: Record, move: int, bonus: int) -> None:
    piece, onto, victim = I64(board.squares[move & 63]), move >> 6 & 63, victim_of(board, move)
    worker.captures[piece, onto, victim] = _pull(
        I64(worker.captures[piece, onto, victim]), bonus, HISTORY_LIMIT
    )


@kernel
def _slot(key: np.uint64) -> int:
    return I64(key & U64(CORRECTIONS - 1))


@kernel
def correction(board: Record, worker: Record) -> int:
    """How far the static evaluation was off in positions like this one, in units of 1/CORRECTION_LIMIT."""
    side = board.side
    return (
        I64(worker.pawn_correction[side, _slot(board.pawn_key)])
        + I64(worker.white_correction[side, _slot(board.side_keys[0])])
        + I64(worker.black_correction[side, _slot(board.side_keys[1])])
    )


@kernel
def learn_correction(board: Record, worker: Record, bonus: int) -> None:
    side = board.side
    bonus = min(max(bonus, -CORRECTION_LIMIT // 4), CORRECTION_LIMIT // 4)
    slot = _slot(board.pawn_key)
    worker.pawn_correction[side, slot] = _pull(
        I64(worker.pawn_correction[side, slot]), bonus, CORRECTION_LIMIT
    )
    slot = _slot(board.side_keys[0])
    worker.white_correction[side, slot] = _pull(
        I64(worker.white_correction[side, slot]), bonus, CORRECTION_LIMIT
    )
    slot = _slot(board.side_keys[1])
    worker.black_correction[side, slot] = _pull(
        I64(worker.black_correction[side, slot]), bonus, CORRECTION_LIMIT
    )


@kernel
def forget(worker: Record) -> None:
    """A new game: nothing learnt in the last one counts."""
    worker.butterfly[:] = 0
    worker.captures[:] = 0
    worker.continuation[:] = 0
    worker.pawn_history[:] = 0
    worker.pawn_correction[:] = 0
    worker.white_correction[:] = 0
    worker.black_correction[:] = 0
    worker.killers[:] = 0


@kernel
def before_search(worker: Record) -> None:
    for i in range(HISTORY_PLIES):
        worker.played[i] = NO_ROW
    worker.excluded[:] = 0
    worker.killers[:] = 0
    worker.cut_count[:] = 0
    worker.doubled[:] = 0
