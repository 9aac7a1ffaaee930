"""Keys of positions: piece on square, side to move, castling right by the rook's file, en-passant file.

The words come from splitmix64 with a fixed seed, so that a position has the same key in every process: saved
tables, books and logs can refer to it.
"""

import numpy as np

from engine.core.bits import U64, ZERO, drop_lowest, lowest
from engine.core.jit import Record, kernel
from engine.core.layout import EMPTY, PAWN

SEED = U64(0x6B72616974)
GOLDEN, MIX_1, MIX_2 = U64(0x9E3779B97F4A7C15), U64(0xBF58476D1CE4E5B9), U64(0x94D049BB133111EB)
S27, S30, S31 = U64(27), U64(30), U64(31)


@kernel
def word(index: int) -> np.uint64:
    """The index-th word of the sequence."""
    z = SEED + GOLDEN * U64(index + 1)
    z = (z ^ (z >> S30)) * MIX_1
    z = (z ^ (z >> S27)) * MIX_2
    return z ^ (z >> S31)


@kernel
def fill_keys(tables: Record) -> None:
    for piece in range(12):
        for square in range(64):
            tables.z_piece[piece, square] = word(piece * 64 + square)
    for index in range(16):
        tables.z_castling[index] = word(768 + index)
    for file in range(8):
        tables.z_ep[file] = word(784 + file)
    tables.z_side = word(792)


@kernel
def castling_key(tables: Record, board: Record, rights: int) -> np.uint64:
    key = ZERO
    for right in range(4):
        if rights >> right & 1:
            key ^= tables.z_castling[(right >> 1) * 8 + (board.rook_home[right] & 7)]
    return key


@kernel
def rebuild(tables: Record, board: Record) -> None:
    """Compute every key from the position alone: the slow twin of what make and unmake carry along."""
    board.key = castling_key(tables, board, board.castling)
    board.pawn_key = ZERO
    board.side_keys[0] = ZERO
    board.side_keys[1] = ZERO
    occupied = board.colours[0] | board.colours[1]
    while occupied != ZERO:
        square = lowest(occupied)
        occupied = drop_lowest(occupied)
        piece = board.squares[square]
        if piece == EMPTY:
            continue
        key = tables.z_piece[piece, square]
        board.key ^= key
        if piece % 6 == PAWN:
            board.pawn_key ^= key
        else:
            board.side_keys[piece // 6] ^= key
    if board.ep >= 0:
        board.key ^= tables.z_ep[board.ep & 7]
    if board.side == 1:
        board.key ^= tables.z_side
