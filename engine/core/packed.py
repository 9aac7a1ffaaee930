"""A scored position in 32 bytes, for training: ten million of them fit in memory."""

import numpy as np

from engine.core.bits import I64, ZERO, bit, drop_lowest, lowest
from engine.core.board import complete
from engine.core.jit import Record, kernel
from engine.core.layout import EMPTY

NO_RESULT = 3
POSITION = np.dtype(
    [
        ("occupied", "u8"),
        (
            "men",
            "u1",
            (16,),
        ),  # piece + 6 for Black, four bits each, low half first, in the order of the squares
        ("score", "i2"),  # centipawns, White's view
        ("result", "u1"),  # half-points for White, or NO_RESULT
        ("side", "u1"),
        ("game", "u4"),  # a hash of the game's moves and scores: what a split goes by
    ]
)


@kernel
def pack(board: Record, out: Record) -> None:
    """Write the pieces and the side to move; castling rights and the en-passant square are not kept."""
    occupied = board.colours[0] | board.colours[1]
    out.occupied = occupied
    out.side = board.side
    for half in range(16):
        out.men[half] = 0
    n = 0
    while occupied != ZERO:
        out.men[n >> 1] |= board.squares[lowest(occupied)] << 4 * (n & 1)
        occupied = drop_lowest(occupied)
        n += 1


@kernel
def unpack(tables: Record, position: Record, board: Record) -> None:
    """Set `board` to a packed position without castling, en passant or history."""
    board.pieces[:] = ZERO
    board.colours[:] = ZERO
    board.squares[:] = EMPTY
    board.side, board.castling, board.ep, board.rule50, board.ply = I64(position.side), 0, -1, 0, 0
    rest = position.occupied
    n = 0
    while rest != ZERO:
        square = lowest(rest)
        rest = drop_lowest(rest)
        piece = I64(position.men[n >> 1] >> 4 * (n & 1) & 15)
        n += 1
        board.squares[square] = piece
        board.pieces[piece % 6] |= bit(square)
        board.colours[piece // 6] |= bit(square)
    complete(tables, board)
