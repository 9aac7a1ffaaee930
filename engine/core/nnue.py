"""The net: pieces as each side sees them -> an accumulator a side -> clipped square -> one number.

An accumulator is a sum of rows, one for each piece on the board, so a move changes it by two to four rows. It
is brought up to date only when a position is evaluated: the board's undo rows say which moves lie between it
and the nearest ancestor whose accumulator is known. A slot carries the key of its position, so whatever the
search does in between, a slot is either right or not used.

A side's view turns the board so that it moves up it, and mirrors it so that its own king stands on the files
e to h. When the king changes its lens (half of the board, or bucket) every row changes; the sum is then
repaired from the last one seen through the same lens, which lacks only what has moved since.

Everything here wraps around in 16 bits. `engine/net.py` refuses a net for which the final sums could leave
them; on the way to a sum the order of adding and taking away does not matter.
"""

import numpy as np

from engine.core import evaluate as classical
from engine.core.bits import I64, ZERO, count, drop_lowest, lowest
from engine.core.board import kind, king_square, origin, target
from engine.core.jit import Record, inlined, kernel
from engine.core.layout import (
    CASTLE,
    EMPTY,
    EN_PASSANT,
    FAR_APART,
    FEATURES,
    HIDDEN,
    KING,
    KNIGHT,
    NO_MOVE,
    OUTPUT_BUCKETS,
    PROMOTION,
    QA,
    QB,
    ROOK,
    SLOTS,
    SQUARE,
    U_CAPTURED,
    U_KEY,
    U_MOVE,
)

MEN_A_BUCKET = 32 // OUTPUT_BUCKETS
I16, I32 = np.int16, np.int32


@kernel
def _turn(view: int, king: int) -> int:
    """What to xor a square with to see it as `view` does with its king on `king`."""
    return 56 * view ^ (7 if king & 4 == 0 else 0)


@kernel
def _lens(net: Record, view: int, king: int) -> int:
    """Two positions have their rows in common when this number is the same."""
    return 2 * net.king_bucket[king ^ _turn(view, king)] + (king >> 2 & 1)


@kernel
def _row(net: Record, view: int, king: int, piece: int, square: int) -> int:
    turn = _turn(view, king)
    seen = piece if view == 0 else (piece - 6 if piece >= 6 else piece + 6)
    return net.king_bucket[king ^ turn] * FEATURES + 64 * seen + (square ^ turn)


@inlined
def _move_one(net: Record, eye: Record, onto: int, source: int, view: int, plus: int, minus: int) -> None:
    for i in range(HIDDEN):
        eye.sums[onto, view, i] = eye.sums[source, view, i] + net.rows[plus, i] - net.rows[minus, i]


@inlined
def _move_and_take(
    net: Record, eye: Record, onto: int, source: int, view: int, plus: int, minus: int, taken: int
) -> None:
    for i in range(HIDDEN):
        eye.sums[onto, view, i] = (
            eye.sums[source, view, i] + net.rows[plus, i] - net.rows[minus, i] - net.rows[taken, i]
        )


@inlined
def _move_two(
    net: Record,
    eye: Record,
    onto: int,
    source: int,
    view: int,
    plus: int,
    minus: int,
    plus_too: int,
    minus_too: int,
) -> None:
    for i in range(HIDDEN):
        eye.sums[onto, view, i] = (
            eye.sums[source, view, i]
            + net.rows[plus, i]
            - net.rows[minus, i]
            + net.rows[plus_too, i]
            - net.rows[minus_too, i]
        )


@kernel
def _copy(eye: Record, onto: int, source: int, view: int) -> None:
    for i in range(HIDDEN):
        eye.sums[onto, view, i] = eye.sums[source, view, i]


@kernel
def _step(board: Record, eye: Record, net: Record, view: int, king: int, height: int) -> None:
    """From the sum at `height` to the one a move later."""
    word = I64(board.undo[height, U_MOVE])
    source, onto = height & (SLOTS - 1), (height + 1) & (SLOTS - 1)
    move, piece = word & 0xFFFF, word >> 16
    if move == NO_MOVE:
        _copy(eye, onto, source, view)
        return
    left, reached, sort = origin(move), target(move), kind(move)
    minus = _row(net, view, king, piece, left)
    if sort == CASTLE:
        home, short = reached & 56, reached > left
        rook = piece - KING + ROOK
        _move_two(
            net, eye, onto, source, view,
            _row(net, view, king, piece, home + (6 if short else 2)), minus,
            _row(net, view, king, rook, home + (5 if short else 3)), _row(net, view, king, rook, reached),
        )  # fmt: skip
        return
    black = 6 if piece >= 6 else 0
    landed = piece if sort < PROMOTION else sort - PROMOTION + KNIGHT + black
    plus = _row(net, view, king, landed, reached)
    captured = I64(board.undo[height, U_CAPTURED])
    if captured != EMPTY:
        taken = _row(net, view, king, captured, reached)
        _move_and_take(net, eye, onto, source, view, plus, minus, taken)
    elif sort == EN_PASSANT:
        taken = _row(net, view, king, 6 - black, reached ^ 8)
        _move_and_take(net, eye, onto, source, view, plus, minus, taken)
    else:
        _move_one(net, eye, onto, source, view, plus, minus)


@kernel
def _repair(board: Record, eye: Record, net: Record, view: int, king: int, slot: int) -> None:
    """Bring the last sum seen through this lens up to date, and use it."""
    lens = _lens(net, view, king)
    for piece in range(12):
        now = board.pieces[piece % 6] & board.colours[piece // 6]
        before = eye.lens_pieces[view, lens, piece]
        gone, come = before & ~now, now & ~before
        while gone != ZERO:
            row = _row(net, view, king, piece, lowest(gone))
            gone = drop_lowest(gone)
            for i in range(HIDDEN):
                eye.lens_sums[view, lens, i] -= net.rows[row, i]
        while come != ZERO:
            row = _row(net, view, king, piece, lowest(come))
            come = drop_lowest(come)
            for i in range(HIDDEN):
                eye.lens_sums[view, lens, i] += net.rows[row, i]
        eye.lens_pieces[view, lens, piece] = now
    for i in range(HIDDEN):
        eye.sums[slot, view, i] = eye.lens_sums[view, lens, i]


@kernel
def _catch_up(board: Record, eye: Record, net: Record, view: int) -> None:
    """Make the slot of the board's height right for `view`."""
    top, slot = board.height, board.height & (SLOTS - 1)
    if eye.sum_keys[slot, view] == board.key:
        return
    king = king_square(board, view)
    lens = _lens(net, view, king)
    height, known = top, False
    while height > 0 and top - height < FAR_APART:
        height -= 1
        word = I64(board.undo[height, U_MOVE])
        if word >> 16 == KING + 6 * view and _lens(net, view, word & 63) != lens:
            break
        if eye.sum_keys[height & (SLOTS - 1), view] == board.undo[height, U_KEY]:
            known = True
            break
    if known:
        while height < top:
            _step(board, eye, net, view, king, height)
            height += 1
            eye.sum_keys[height & (SLOTS - 1), view] = (
                board.undo[height, U_KEY] if height < top else board.key
            )
    else:
        _repair(board, eye, net, view, king, slot)
        eye.sum_keys[slot, view] = board.key


@kernel
def _clipped_square_sum(net: Record, eye: Record, slot: int, side: int, bucket: int) -> int:
    """The output before its bias, in units of SQUARE * QB.

    The square keeps 14 of its 18 bits: the upper half of a product of 16-bit numbers is one instruction.
    """
    total = I32(0)
    for half in range(2):
        for i in range(HIDDEN):
            x = I32(I16(min(max(eye.sums[slot, side ^ half, i], I16(0)), I16(QA)) << 6))
            square = I16((x * x) >> 16)
            total = I32(total + I32(square) * I32(net.out_weight[bucket, half, i]))
    return I64(total)


@kernel
def output(board: Record, eye: Record, net: Record) -> int:
    """The net's score for the side to move, in its own centipawns."""
    _catch_up(board, eye, net, I64(0))
    _catch_up(board, eye, net, I64(1))
    bucket = (count(board.colours[0] | board.colours[1]) - 2) // MEN_A_BUCKET
    total = _clipped_square_sum(net, eye, board.height & (SLOTS - 1), board.side, bucket)
    return (total + net.out_bias[bucket]) * net.scale // (SQUARE * QB)


@kernel
def evaluate(tables: Record, board: Record, eye: Record, net: Record) -> int:
    """Centipawns for the side to move; the position is not a check.

    A bare king is driven to its corner by the classical rules: the games the net learnt from do it badly.
    """
    kings = board.pieces[KING]
    if net.used == 0 or board.colours[0] & ~kings == ZERO or board.colours[1] & ~kings == ZERO:
        return classical.evaluate(tables, board, eye)
    return output(board, eye, net)


@kernel
def forget(eye: Record) -> None:
    """No sum is known: after a change of net."""
    for slot in range(SLOTS):
        eye.sum_keys[slot, 0] = ZERO
        eye.sum_keys[slot, 1] = ZERO


def reset(eye: Record, net: Record) -> None:
    """Begin with another net: empty boards through every lens."""
    forget(eye)
    eye["lens_pieces"][:] = 0
    eye["lens_sums"][:] = net["bias"]
