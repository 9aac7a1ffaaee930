"""What an advantage is worth when few men are left: what cannot be won, and how a bare king is mated."""

import numpy as np

from engine.core.bits import FILE_A, I64, LIGHT, U64, ZERO, bit, count, drop_lowest, lowest
from engine.core.jit import Record, kernel
from engine.core.layout import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK

FULL_SCALE = 64
LONE_KING_BONUS = 400
CORNER_STEP, NEAR_STEP = 20, 10


@kernel
def scale(board: Record, strong: int) -> int:
    """How much of its end-game advantage `strong` can hope to convert, in 64ths."""
    weak = 1 - strong
    ours, theirs = board.colours[strong], board.colours[weak]
    pawns, minors = board.pieces[PAWN], board.pieces[KNIGHT] | board.pieces[BISHOP]
    majors = board.pieces[ROOK] | board.pieces[QUEEN]
    our_pieces = (
        count(minors & ours) * 3
        + count(board.pieces[ROOK] & ours) * 5
        + count(board.pieces[QUEEN] & ours) * 9
    )
    their_pieces = (
        count(minors & theirs) * 3
        + count(board.pieces[ROOK] & theirs) * 5
        + count(board.pieces[QUEEN] & theirs) * 9
    )
    our_pawns = pawns & ours
    if our_pawns == ZERO:
        if our_pieces <= 3 or (
            our_pieces == 6 and board.pieces[KNIGHT] & ours == minors & ours and majors & ours == ZERO
        ):
            return 0 if pawns & theirs == ZERO or our_pieces <= 3 else 4
        if our_pieces - their_pieces <= 3:
            return 8
        return FULL_SCALE
    # A rook's pawn with a bishop that does not cover its corner
    if our_pieces == 3 and their_pieces == 0 and board.pieces[BISHOP] & ours != ZERO:
        corner = _wrong_corner(board, strong, our_pawns)
        if corner >= 0:
            king = lowest(board.pieces[KING] & theirs)
            if max(abs((king & 7) - (corner & 7)), abs((king >> 3) - (corner >> 3))) <= 1:
                return 0
    bishops = board.pieces[BISHOP]
    if (
        majors == ZERO
        and board.pieces[KNIGHT] == ZERO
        and count(bishops & ours) == 1
        and count(bishops & theirs) == 1
    ):
        if (bishops & LIGHT == ZERO) == (bishops & ~LIGHT == ZERO):
            return min(20 + 4 * count(our_pawns), FULL_SCALE)
    if our_pieces - their_pieces <= 3 and drop_lowest(our_pawns) == ZERO and their_pieces > 0:
        return 48
    return FULL_SCALE


@kernel
def _wrong_corner(board: Record, strong: int, pawns: np.uint64) -> int:
    """The corner a rook's pawn goes to when our bishop is of the other colour, else -1."""
    bishop_light = board.pieces[BISHOP] & board.colours[strong] & LIGHT != ZERO
    for file in range(0, 8, 7):
        if pawns & ~(FILE_A << U64(file)) == ZERO:
            corner = file + 56 * (1 - strong)
            if (bit(corner) & LIGHT != ZERO) != bishop_light:
                return corner
    return -1


@kernel
def mop_up(tables: Record, board: Record, king: int, bare: int, strong: int) -> int:
    """Against a bare king: drive it to the edge (with bishop and knight to the bishop's corner) and come
    near.
    """
    ours = board.colours[strong]
    file, rank = bare & 7, bare >> 3
    corner = max(3 - file, file - 4) + max(3 - rank, rank - 4)
    minors = board.pieces[KNIGHT] | board.pieces[BISHOP]
    if (board.pieces[QUEEN] | board.pieces[ROOK] | board.pieces[PAWN]) & ours == ZERO and count(
        minors & ours
    ) == 2:
        bishop = board.pieces[BISHOP] & ours
        if bishop & LIGHT != ZERO:
            corner = 7 - min(tables.distance[bare, 7], tables.distance[bare, 56])
        else:
            corner = 7 - min(tables.distance[bare, 0], tables.distance[bare, 63])
    return LONE_KING_BONUS + CORNER_STEP * corner + NEAR_STEP * (7 - I64(tables.distance[king, bare]))
