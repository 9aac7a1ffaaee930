"""The position: making and unmaking moves, who checks and who is pinned, and when a game is drawn.

Moves given to `make` are legal. Everything that cannot be computed backwards goes to an undo row, so that
unmake(make(p)) is p to the last bit.
"""

import numpy as np

from engine.core.attacks import attackers, bishop_attacks, rook_attacks
from engine.core.bits import I64, LIGHT, U64, ZERO, bit, count, drop_lowest, lowest
from engine.core.jit import Record, kernel
from engine.core.layout import (
    BISHOP,
    BOARD,
    CASTLE,
    EMPTY,
    EN_PASSANT,
    KING,
    KNIGHT,
    NO_MOVE,
    PAWN,
    PROMOTION,
    QUEEN,
    ROOK,
    STACK,
    U_BLACK_KEY,
    U_CAPTURED,
    U_CASTLING,
    U_CHECKERS,
    U_EP,
    U_KEY,
    U_MOVE,
    U_NULLS,
    U_PAWN_KEY,
    U_PINNED,
    U_RULE50,
    U_WHITE_KEY,
)
from engine.core.zobrist import castling_key, rebuild


def new_board() -> Record:
    board = np.zeros(1, BOARD)[0]
    board["squares"][:] = EMPTY
    board["ep"] = -1
    return board


def copy_board(source: Record, onto: Record) -> None:
    for name in BOARD.names or ():
        onto[name] = source[name]


@kernel
def origin(move: int) -> int:
    return move & 63


@kernel
def target(move: int) -> int:
    return move >> 6 & 63


@kernel
def kind(move: int) -> int:
    return move >> 12


@kernel
def king_square(board: Record, colour: int) -> int:
    return lowest(board.pieces[KING] & board.colours[colour])


@kernel
def _lift(tables: Record, board: Record, square: int, piece: int) -> None:
    where = bit(square)
    colour, sort = (1, piece - 6) if piece >= 6 else (0, piece)
    board.pieces[sort] ^= where
    board.colours[colour] ^= where
    board.squares[square] = EMPTY
    _toggle_keys(tables, board, square, piece, colour, sort)


@kernel
def _drop(tables: Record, board: Record, square: int, piece: int) -> None:
    where = bit(square)
    colour, sort = (1, piece - 6) if piece >= 6 else (0, piece)
    board.pieces[sort] ^= where
    board.colours[colour] ^= where
    board.squares[square] = piece
    _toggle_keys(tables, board, square, piece, colour, sort)


@kernel
def _toggle_keys(tables: Record, board: Record, square: int, piece: int, colour: int, sort: int) -> None:
    key = tables.z_piece[piece, square]
    board.key ^= key
    if sort == PAWN:
        board.pawn_key ^= key
    else:
        board.side_keys[colour] ^= key


@kernel
def set_checks(tables: Record, board: Record) -> None:
    """Find who gives check to the side to move and which of its pieces shield the king."""
    us, them = board.side, 1 - board.side
    king = king_square(board, us)
    occupied = board.colours[0] | board.colours[1]
    theirs = board.colours[them]
    straight = (board.pieces[ROOK] | board.pieces[QUEEN]) & theirs
    diagonal = (board.pieces[BISHOP] | board.pieces[QUEEN]) & theirs
    checkers = (tables.knight[king] & board.pieces[KNIGHT] & theirs) | (
        tables.pawn[us, king] & board.pieces[PAWN] & theirs
    )
    # Rays through our own men end at their first piece; one shield on the way is a pin, none is a check.
    snipers = (rook_attacks(tables, king, theirs) & straight) | (
        bishop_attacks(tables, king, theirs) & diagonal
    )
    pinned = ZERO
    while snipers != ZERO:
        sniper = lowest(snipers)
        snipers = drop_lowest(snipers)
        shield = tables.between[king, sniper] & occupied
        if shield == ZERO:
            checkers |= bit(sniper)
        elif drop_lowest(shield) == ZERO:
            pinned |= shield
    board.checkers = checkers
    board.pinned = pinned


@kernel
def _save(board: Record, move: int, piece: int, captured: int) -> None:
    row = board.height
    undo = board.undo
    undo[row, U_KEY] = board.key
    undo[row, U_PAWN_KEY] = board.pawn_key
    undo[row, U_WHITE_KEY] = board.side_keys[0]
    undo[row, U_BLACK_KEY] = board.side_keys[1]
    undo[row, U_CHECKERS] = board.checkers
    undo[row, U_PINNED] = board.pinned
    undo[row, U_CASTLING] = U64(board.castling)
    undo[row, U_EP] = U64(board.ep)
    undo[row, U_RULE50] = U64(board.rule50)
    undo[row, U_CAPTURED] = U64(captured)
    undo[row, U_MOVE] = U64(move | piece << 16)
    undo[row, U_NULLS] = U64(board.nulls)
    board.height = row + 1


@kernel
def _restore(board: Record) -> None:
    row = board.height - 1
    undo = board.undo
    board.key = undo[row, U_KEY]
    board.pawn_key = undo[row, U_PAWN_KEY]
    board.side_keys[0] = undo[row, U_WHITE_KEY]
    board.side_keys[1] = undo[row, U_BLACK_KEY]
    board.checkers = undo[row, U_CHECKERS]
    board.pinned = undo[row, U_PINNED]
    board.castling = I64(undo[row, U_CASTLING])
    board.ep = I64(undo[row, U_EP])
    board.rule50 = I64(undo[row, U_RULE50])
    board.nulls = I64(undo[row, U_NULLS])
    board.height = row
    board.ply -= 1
    board.side = 1 - board.side


@kernel
def ep_is_legal(tables: Record, board: Record, taker: int, victim: int, onto: int, us: int) -> bool:
    """Whether our king is safe once `taker` has taken the pawn on `victim` in passing: two men leave one
    rank.
    """
    king = king_square(board, us)
    occupied = ((board.colours[0] | board.colours[1]) ^ bit(taker) ^ bit(victim)) | bit(onto)
    return attackers(tables, board, king, occupied) & board.colours[1 - us] & occupied == ZERO


@kernel
def _ep_after(tables: Record, board: Record, us: int, onto: int) -> int:
    """The en-passant square after our pawn's double step to `onto`: only when a legal move takes it there."""
    behind = onto - 8 if us == 0 else onto + 8
    takers = tables.pawn[us, behind] & board.pieces[PAWN] & board.colours[1 - us]
    while takers != ZERO:
        if ep_is_legal(tables, board, lowest(takers), onto, behind, 1 - us):
            return behind
        takers = drop_lowest(takers)
    return -1


@kernel
def make(tables: Record, board: Record, move: int) -> None:
    us = board.side
    source, onto, sort = origin(move), target(move), kind(move)
    piece = I64(board.squares[source])
    captured = I64(board.squares[onto]) if sort != CASTLE else EMPTY
    _save(board, move, piece, captured)
    board.rule50 += 1
    board.nulls += 1
    board.ply += 1
    if board.ep >= 0:
        board.key ^= tables.z_ep[board.ep & 7]
        board.ep = -1

    if sort == CASTLE:
        short = onto > source
        home = 56 * us
        rook = I64(board.squares[onto])
        _lift(tables, board, source, piece)
        _lift(tables, board, onto, rook)
        _drop(tables, board, home + (6 if short else 2), piece)
        _drop(tables, board, home + (5 if short else 3), rook)
    else:
        if captured != EMPTY:
            _lift(tables, board, onto, captured)
            board.rule50 = 0
        elif sort == EN_PASSANT:
            _lift(tables, board, onto - 8 + 16 * us, 6 - 6 * us)
        _lift(tables, board, source, piece)
        _drop(tables, board, onto, piece if sort < PROMOTION else sort - PROMOTION + KNIGHT + 6 * us)
        if piece == 6 * us:  # a pawn
            board.rule50 = 0
            if onto - source == 16 or source - onto == 16:
                board.ep = _ep_after(tables, board, us, onto)
                if board.ep >= 0:
                    board.key ^= tables.z_ep[board.ep & 7]

    lost = board.castling & (board.rights_lost[source] | board.rights_lost[onto])
    if lost != 0:
        board.key ^= castling_key(tables, board, lost)
        board.castling ^= lost
    board.side = 1 - us
    board.key ^= tables.z_side
    set_checks(tables, board)


@kernel
def _shift(board: Record, piece: int, source: int, onto: int) -> None:
    """Move a piece without touching the keys."""
    both = bit(source) | bit(onto)
    colour, sort = (1, piece - 6) if piece >= 6 else (0, piece)
    board.pieces[sort] ^= both
    board.colours[colour] ^= both
    board.squares[source] = EMPTY
    board.squares[onto] = piece


@kernel
def _put_back(board: Record, piece: int, square: int) -> None:
    where = bit(square)
    board.pieces[piece % 6] ^= where
    board.colours[piece // 6] ^= where
    board.squares[square] = piece


@kernel
def unmake(board: Record) -> None:
    row = board.height - 1
    move = I64(board.undo[row, U_MOVE]) & 0xFFFF
    captured = I64(board.undo[row, U_CAPTURED])
    _restore(board)
    us = board.side
    source, onto, sort = origin(move), target(move), kind(move)
    if sort == CASTLE:
        home = 56 * us
        king_onto = home + (6 if onto > source else 2)
        rook_onto = home + (5 if onto > source else 3)
        board.pieces[KING] ^= bit(king_onto) ^ bit(source)
        board.pieces[ROOK] ^= bit(rook_onto) ^ bit(onto)
        board.colours[us] ^= bit(king_onto) ^ bit(source) ^ bit(rook_onto) ^ bit(onto)
        board.squares[king_onto] = EMPTY
        board.squares[rook_onto] = EMPTY
        board.squares[source] = KING + 6 * us
        board.squares[onto] = ROOK + 6 * us
        return
    if sort >= PROMOTION:
        where = bit(onto)
        board.pieces[sort - PROMOTION + KNIGHT] ^= where
        board.pieces[PAWN] ^= where
        board.squares[onto] = 6 * us
    _shift(board, I64(board.squares[onto]), onto, source)
    if captured != EMPTY:
        _put_back(board, captured, onto)
    elif sort == EN_PASSANT:
        _put_back(board, 6 - 6 * us, onto - 8 + 16 * us)


@kernel
def make_null(tables: Record, board: Record) -> None:
    """Pass the move. The fifty-move count goes on, but no repetition is seen across it."""
    _save(board, NO_MOVE, EMPTY, EMPTY)
    board.rule50 += 1
    board.nulls = 0
    board.ply += 1
    if board.ep >= 0:
        board.key ^= tables.z_ep[board.ep & 7]
        board.ep = -1
    board.side = 1 - board.side
    board.key ^= tables.z_side
    set_checks(tables, board)


@kernel
def unmake_null(board: Record) -> None:
    _restore(board)


@kernel
def play(tables: Record, board: Record, move: int) -> None:
    """Make a move of the game that will not be taken back; keep only the history a repetition can reach."""
    if board.height > STACK // 2:
        kept = STACK // 4
        for row in range(kept):
            for column in range(12):
                board.undo[row, column] = board.undo[board.height - kept + row, column]
        board.height = kept
    make(tables, board, move)
    if board.rule50 == 0:
        board.height = 0


@kernel
def is_repetition(board: Record, ply: int) -> bool:
    """Twofold inside the tree (`ply` half-moves below the root), threefold over the whole game."""
    far = min(board.rule50, board.nulls, board.height)
    seen = 0
    back = 4
    while back <= far:
        if board.undo[board.height - back, U_KEY] == board.key:
            if back < ply:
                return True
            seen += 1
            if seen == 2:
                return True
        back += 2
    return False


@kernel
def is_bare(board: Record) -> bool:
    """Neither side can ever mate: lone kings, one minor piece, or bishops all on one colour."""
    if board.pieces[PAWN] | board.pieces[ROOK] | board.pieces[QUEEN] != ZERO:
        return False
    knights, bishops = board.pieces[KNIGHT], board.pieces[BISHOP]
    if count(knights | bishops) <= 1:
        return True
    return knights == ZERO and (bishops & LIGHT == ZERO or bishops & ~LIGHT == ZERO)


@kernel
def has_pieces(board: Record, colour: int) -> bool:
    return board.colours[colour] & ~(board.pieces[PAWN] | board.pieces[KING]) != ZERO


@kernel
def complete(tables: Record, board: Record) -> None:
    """Derive what a freshly set position lacks: a true en-passant square, keys, checks, an empty history."""
    board.height = 0
    board.nulls = 0
    if board.ep >= 0:
        us = 1 - board.side
        onto = board.ep + 8 if us == 0 else board.ep - 8
        board.ep = _ep_after(tables, board, us, onto)
    rebuild(tables, board)
    set_checks(tables, board)
