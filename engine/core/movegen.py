"""Move generation. Pins and check masks are honoured while generating; only king moves and en-passant
captures are left for `is_legal`, which the search asks of the moves it really tries.

Moves are written to a row of `board.moves`; each function takes where to begin and returns where it ended.
"""

import numpy as np

from engine.core.attacks import attackers, bishop_attacks, piece_attacks, rook_attacks
from engine.core.bits import (
    EIGHT,
    FULL,
    I64,
    NINE,
    NOT_A,
    NOT_H,
    RANK_1,
    RANK_3,
    RANK_6,
    RANK_8,
    SEVEN,
    ZERO,
    bit,
    drop_lowest,
    lowest,
)
from engine.core.board import ep_is_legal, king_square, make, unmake
from engine.core.jit import Record, kernel
from engine.core.layout import (
    BISHOP,
    CASTLE,
    EMPTY,
    EN_PASSANT,
    KING,
    KNIGHT,
    NORMAL,
    PAWN,
    PROMOTION,
    QUEEN,
    ROOK,
)


@kernel
def _check_mask(tables: Record, board: Record, king: int) -> np.uint64:
    """Where a piece other than the king may go: anywhere, onto or before a single checker, nowhere at a
    double.
    """
    checkers = board.checkers
    if checkers == ZERO:
        return FULL
    if drop_lowest(checkers) != ZERO:
        return ZERO
    return checkers | tables.between[king, lowest(checkers)]


@kernel
def _add_promotions(board: Record, level: int, n: int, source: int, onto: int) -> int:
    for sort in range(4):
        board.moves[level, n] = source | onto << 6 | (PROMOTION + 3 - sort) << 12
        n += 1
    return n


@kernel
def _pawns(tables: Record, board: Record, level: int, n: int, mask: np.uint64, king: int, noisy: bool) -> int:
    us = board.side
    pawns = board.pieces[PAWN] & board.colours[us]
    theirs = board.colours[1 - us]
    empty = ~(board.colours[0] | board.colours[1])
    if us == 0:
        once = (pawns << EIGHT) & empty
        twice = ((once & RANK_3) << EIGHT) & empty & mask
        left, right = ((pawns & NOT_A) << SEVEN) & theirs & mask, ((pawns & NOT_H) << NINE) & theirs & mask
        up, last = 8, RANK_8
    else:
        once = (pawns >> EIGHT) & empty
        twice = ((once & RANK_6) >> EIGHT) & empty & mask
        left, right = ((pawns & NOT_A) >> NINE) & theirs & mask, ((pawns & NOT_H) >> SEVEN) & theirs & mask
        up, last = -8, RANK_1
    once &= mask
    if not noisy:
        n = _pawn_moves(tables, board, level, n, once & ~last, up, king)
        return _pawn_moves(tables, board, level, n, twice, 2 * up, king)
    n = _pawn_moves(tables, board, level, n, left, up - 1, king)
    n = _pawn_moves(tables, board, level, n, right, up + 1, king)
    n = _pawn_moves(tables, board, level, n, once & last, up, king)
    if board.ep >= 0:
        takers = tables.pawn[1 - us, board.ep] & pawns
        while takers != ZERO:
            board.moves[level, n] = lowest(takers) | board.ep << 6 | EN_PASSANT << 12
            takers = drop_lowest(takers)
            n += 1
    return n


@kernel
def _pawn_moves(
    tables: Record, board: Record, level: int, n: int, targets: np.uint64, step: int, king: int
) -> int:
    while targets != ZERO:
        onto = lowest(targets)
        targets = drop_lowest(targets)
        source = onto - step
        if board.pinned & bit(source) != ZERO and tables.line[king, source] & bit(onto) == ZERO:
            continue
        if onto < 8 or onto >= 56:
            n = _add_promotions(board, level, n, source, onto)
        else:
            board.moves[level, n] = source | onto << 6 | NORMAL << 12
            n += 1
    return n


@kernel
def _spread(board: Record, level: int, n: int, source: int, targets: np.uint64) -> int:
    while targets != ZERO:
        board.moves[level, n] = source | lowest(targets) << 6
        targets = drop_lowest(targets)
        n += 1
    return n


@kernel
def _pieces(tables: Record, board: Record, level: int, n: int, mask: np.uint64, king: int) -> int:
    ours = board.colours[board.side]
    occupied = board.colours[0] | board.colours[1]
    movers = board.pieces[KNIGHT] & ours & ~board.pinned
    while movers != ZERO:
        source = lowest(movers)
        movers = drop_lowest(movers)
        n = _spread(board, level, n, source, tables.knight[source] & mask)
    movers = (board.pieces[BISHOP] | board.pieces[QUEEN]) & ours
    while movers != ZERO:
        source = lowest(movers)
        movers = drop_lowest(movers)
        targets = bishop_attacks(tables, source, occupied) & mask
        if board.pinned & bit(source) != ZERO:
            targets &= tables.line[king, source]
        n = _spread(board, level, n, source, targets)
    movers = (board.pieces[ROOK] | board.pieces[QUEEN]) & ours
    while movers != ZERO:
        source = lowest(movers)
        movers = drop_lowest(movers)
        targets = rook_attacks(tables, source, occupied) & mask
        if board.pinned & bit(source) != ZERO:
            targets &= tables.line[king, source]
        n = _spread(board, level, n, source, targets)
    return n


@kernel
def noisy(tables: Record, board: Record, level: int, n: int) -> int:
    """Captures, en passant and every promotion."""
    us = board.side
    king = king_square(board, us)
    mask = _check_mask(tables, board, king)
    theirs = board.colours[1 - us]
    if mask != ZERO:
        n = _pawns(tables, board, level, n, mask, king, True)
        n = _pieces(tables, board, level, n, mask & theirs, king)
    return _spread(board, level, n, king, tables.king[king] & theirs)


@kernel
def quiet(tables: Record, board: Record, level: int, n: int) -> int:
    """Everything that `noisy` leaves out."""
    us = board.side
    king = king_square(board, us)
    mask = _check_mask(tables, board, king)
    empty = ~(board.colours[0] | board.colours[1])
    if mask != ZERO:
        n = _pawns(tables, board, level, n, mask, king, False)
        n = _pieces(tables, board, level, n, mask & empty, king)
    n = _spread(board, level, n, king, tables.king[king] & empty)
    if board.checkers == ZERO:
        for right in range(2 * us, 2 * us + 2):
            if board.castling >> right & 1 and board.castle_empty[right] & ~empty == ZERO:
                board.moves[level, n] = king | board.rook_home[right] << 6 | CASTLE << 12
                n += 1
    return n


@kernel
def checks(tables: Record, board: Record, level: int, n: int, aims: np.ndarray) -> int:
    """Quiet moves of knights, bishops, rooks and queens onto aims[level, sort], the squares that check. The
    side to move is not in check itself; discovered checks are left out.
    """
    ours = board.colours[board.side]
    occupied = board.colours[0] | board.colours[1]
    for sort in range(KNIGHT, KING):
        movers = board.pieces[sort] & ours & ~board.pinned
        while movers != ZERO:
            source = lowest(movers)
            movers = drop_lowest(movers)
            targets = piece_attacks(tables, sort, source, occupied) & aims[level, sort] & ~occupied
            n = _spread(board, level, n, source, targets)
    return n


@kernel
def _castling_is_safe(tables: Record, board: Record, right: int) -> bool:
    us = board.side
    occupied = board.colours[0] | board.colours[1]
    path = board.castle_safe[right]
    while path != ZERO:
        if attackers(tables, board, lowest(path), occupied) & board.colours[1 - us] != ZERO:
            return False
        path = drop_lowest(path)
    # In Chess960 the castling rook itself may have been the shield of the king's new square.
    return board.pinned & bit(board.rook_home[right]) == ZERO


@kernel
def is_legal(tables: Record, board: Record, move: int) -> bool:
    """Whether a generated move is legal."""
    source, onto, sort = move & 63, move >> 6 & 63, move >> 12
    us = board.side
    if sort == EN_PASSANT:
        return ep_is_legal(tables, board, source, onto - 8 + 16 * us, onto, us)
    if board.squares[source] != KING + 6 * us:
        return True
    if sort == CASTLE:
        return _castling_is_safe(tables, board, 2 * us + (0 if onto > source else 1))
    occupied = (board.colours[0] | board.colours[1]) ^ bit(source)
    return attackers(tables, board, onto, occupied) & board.colours[1 - us] == ZERO


@kernel
def is_pseudo_legal(tables: Record, board: Record, move: int) -> bool:
    """Whether `noisy` or `quiet` would generate this move here: a table entry may be of another position."""
    source, onto, sort = move & 63, move >> 6 & 63, move >> 12
    us = board.side
    piece = I64(board.squares[source])
    if move <= 0 or sort > PROMOTION + 3 or piece == EMPTY or piece // 6 != us:
        return False
    piece -= 6 * us
    king = king_square(board, us)
    if sort == CASTLE:
        return _castling_is_generated(board, source, onto, king)
    if board.colours[us] & bit(onto) != ZERO:
        return False
    if piece == KING:
        return sort == NORMAL and tables.king[king] & bit(onto) != ZERO
    if sort == EN_PASSANT:
        return piece == PAWN and onto == board.ep and tables.pawn[us, source] & bit(onto) != ZERO
    if _check_mask(tables, board, king) & bit(onto) == ZERO:
        return False
    if board.pinned & bit(source) != ZERO and tables.line[king, source] & bit(onto) == ZERO:
        return False
    if piece == PAWN:
        return _pawn_move_exists(tables, board, source, onto, sort)
    occupied = board.colours[0] | board.colours[1]
    return sort == NORMAL and piece_attacks(tables, piece, source, occupied) & bit(onto) != ZERO


@kernel
def _castling_is_generated(board: Record, source: int, onto: int, king: int) -> bool:
    right = 2 * board.side + (0 if onto > source else 1)
    occupied = board.colours[0] | board.colours[1]
    return (
        source == king
        and board.checkers == ZERO
        and board.castling >> right & 1 != 0
        and board.rook_home[right] == onto
        and board.castle_empty[right] & occupied == ZERO
    )


@kernel
def _pawn_move_exists(tables: Record, board: Record, source: int, onto: int, sort: int) -> bool:
    us = board.side
    if (sort >= PROMOTION) != (onto < 8 or onto >= 56) or (sort != NORMAL and sort < PROMOTION):
        return False
    if board.squares[onto] != EMPTY:
        return tables.pawn[us, source] & bit(onto) != ZERO
    up = 8 - 16 * us
    if onto == source + up:
        return True
    home = 1 + 5 * us
    return onto == source + 2 * up and source // 8 == home and board.squares[source + up] == EMPTY


@kernel
def legal(tables: Record, board: Record, level: int) -> int:
    """Write every legal move of the position; return how many."""
    n = quiet(tables, board, level, noisy(tables, board, level, I64(0)))
    kept = 0
    for i in range(n):
        move = I64(board.moves[level, i])
        if is_legal(tables, board, move):
            board.moves[level, kept] = move
            kept += 1
    return kept


@kernel
def has_legal_move(tables: Record, board: Record, level: int) -> bool:
    n = quiet(tables, board, level, noisy(tables, board, level, I64(0)))
    for i in range(n):
        if is_legal(tables, board, I64(board.moves[level, i])):
            return True
    return False


@kernel
def perft(tables: Record, board: Record, depth: int) -> int:
    """Leaves of the legal tree, each of them made and unmade."""
    if depth == 0:
        return 1
    n = quiet(tables, board, depth, noisy(tables, board, depth, I64(0)))
    leaves = 0
    for i in range(n):
        move = I64(board.moves[depth, i])
        if is_legal(tables, board, move):
            make(tables, board, move)
            leaves += perft(tables, board, depth - 1)
            unmake(board)
    return leaves
