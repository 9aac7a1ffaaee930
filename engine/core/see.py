"""Static exchange evaluation: what a capture is worth when both sides go on taking on its square."""

import numpy as np

from engine.core.attacks import attackers, bishop_attacks, rook_attacks
from engine.core.bits import I64, ZERO, bit, lowest
from engine.core.jit import Record, kernel
from engine.core.layout import BISHOP, CASTLE, EMPTY, EN_PASSANT, KING, PAWN, PROMOTION, QUEEN, ROOK

VALUES = np.array((100, 320, 330, 500, 950, 20_000), np.int64)


@kernel
def gain(board: Record, move: int) -> int:
    """What a move takes and promotes to, before any answer."""
    sort = move >> 12
    if sort == CASTLE:
        return 0
    if sort == EN_PASSANT:
        return VALUES[PAWN]
    victim = I64(board.squares[move >> 6 & 63])
    taken = VALUES[victim % 6] if victim != EMPTY else 0
    return taken + (VALUES[sort - PROMOTION + 1] - VALUES[PAWN] if sort >= PROMOTION else 0)


@kernel
def wins(tables: Record, board: Record, move: int, threshold: int) -> bool:
    """Whether the exchange that `move` begins gains at least `threshold`; pins are not looked at."""
    source, onto, sort = move & 63, move >> 6 & 63, move >> 12
    if sort == CASTLE:
        return threshold <= 0
    balance = gain(board, move) - threshold
    if balance < 0:
        return False
    mover = sort - PROMOTION + 1 if sort >= PROMOTION else I64(board.squares[source]) % 6
    balance -= VALUES[mover]
    if balance >= 0:
        return True
    us = board.side
    occupied = ((board.colours[0] | board.colours[1]) ^ bit(source)) | bit(onto)
    if sort == EN_PASSANT:
        occupied ^= bit(onto - 8 + 16 * us)
    diagonal = board.pieces[BISHOP] | board.pieces[QUEEN]
    straight = board.pieces[ROOK] | board.pieces[QUEEN]
    rest = attackers(tables, board, onto, occupied) & occupied
    side = 1 - us
    while True:
        ours = rest & board.colours[side]
        if ours == ZERO:
            break
        taker = PAWN
        while taker < KING and ours & board.pieces[taker] == ZERO:
            taker += 1
        side = 1 - side
        # The one who has just taken stands at -balance - 1 if the piece is then lost
        balance = -balance - 1 - VALUES[taker]
        if balance >= 0:
            # A king may not take what is still defended
            if taker == KING and rest & board.colours[side] != ZERO:
                side = 1 - side
            break
        occupied ^= bit(lowest(ours & board.pieces[taker]))
        if taker in (PAWN, BISHOP, QUEEN):
            rest |= bishop_attacks(tables, onto, occupied) & diagonal
        if taker in (ROOK, QUEEN):
            rest |= rook_attacks(tables, onto, occupied) & straight
        rest &= occupied
    return side != us
