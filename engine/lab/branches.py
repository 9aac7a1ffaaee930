"""Positions one random move, or a few, away from those of games.

A search looks at little else than bad moves, and games show good ones only: a net that has seen nothing but
games judges a tree's positions by hearsay. A branch carries the game it left, so that a split by game keeps
the branches on the side of their game.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from engine.core import see
from engine.core.bits import I64, U64, ZERO
from engine.core.board import make, new_board, play, unmake
from engine.core.jit import Record, kernel
from engine.core.layout import EMPTY
from engine.core.movegen import legal
from engine.core.packed import NO_RESULT, POSITION, pack
from engine.lab.games import ENTRY, HEADER, Bytes, Positions, copy_start, engine_move, game_hash
from engine.notation import START_FEN, TABLES, set_fen

Number = Any  # a whole number inside a kernel, of whatever width
FEN_MOST = 100  # bytes
LETTERS = np.frombuffer(b"PNBRQKpnbrqk", np.uint8)
SLASH, SPACE, DASH, NEWLINE, ONE, A = 47, 32, 45, 10, 49, 97
RIGHTS = np.frombuffer(b"KQkq", np.uint8)
EVERY = 1 << 32
EXCHANGES = 8  # captures to follow at most


class Branches(NamedTuple):
    positions: Positions  # without scores
    fens: list[bytes]


@kernel
def _next(state: Number) -> Number:
    """xorshift64"""
    state ^= state << U64(13)
    state ^= state >> U64(7)
    return state ^ state << U64(17)


@kernel
def write_fen(board: Record, out: Bytes, at: Number) -> Number:
    """Write a position of standard chess, without counters, and a line's end; return where it ends."""
    for rank in range(7, -1, -1):
        gap = 0
        for file in range(8):
            piece = board.squares[8 * rank + file]
            if piece == EMPTY:
                gap += 1
                continue
            if gap > 0:
                out[at] = ONE - 1 + gap
                at += 1
                gap = 0
            out[at] = LETTERS[piece]
            at += 1
        if gap > 0:
            out[at] = ONE - 1 + gap
            at += 1
        out[at] = SLASH if rank > 0 else SPACE
        at += 1
    out[at], out[at + 1] = (119 if board.side == 0 else 98), SPACE
    at += 2
    for right in range(4):
        if board.castling >> right & 1:
            out[at] = RIGHTS[right]
            at += 1
    if board.castling == 0:
        out[at] = DASH
        at += 1
    out[at] = SPACE
    at += 1
    if board.ep >= 0:
        out[at], out[at + 1] = A + (board.ep & 7), ONE + (board.ep >> 3)
        at += 1
    else:
        out[at] = DASH
    out[at + 1] = NEWLINE
    return at + 2


@kernel
def settle(tables: Record, board: Record) -> Number:
    """Play out what wins material, the largest prize first; the number of moves made.

    -1, and none made, when that does not end in a quiet position: no check, a legal move, and no exchange or
    promotion that gains anything.
    """
    made = 0
    while made < EXCHANGES and board.checkers == ZERO:
        found = legal(tables, board, 0)
        if found == 0:
            break
        best, prize = I64(0), I64(0)
        for i in range(found):
            move = I64(board.moves[0, i])
            gain = I64(see.gain(board, move))
            if gain > prize and see.wins(tables, board, move, I64(1)):
                best, prize = move, gain
        if prize == 0:
            return I64(made)
        make(tables, board, best)
        made += 1
    for _ in range(made):
        unmake(board)
    return I64(-1)


@kernel
def _branch_game(
    tables: Record,
    start: Record,
    board: Record,
    data: Bytes,
    offset: Number,
    dice_of: tuple[int, int, int, int],
    out: Positions,
    text: Bytes,
    cursor: npt.NDArray[np.int64],
) -> Number:
    """Replay one game and leave it where the dice say; return the offset of the next."""
    seed, share, moves, settled = dice_of
    plies = I64(data[offset]) | I64(data[offset + 1]) << 8
    end = offset + HEADER + ENTRY * plies
    mark = game_hash(data, offset, end)
    dice = _next(_next(U64(mark) * U64(0x9E37_79B9_7F4A_7C15) ^ U64(seed) ^ U64(0x1234_5678_9ABC)))
    copy_start(start, board)
    scored = offset + HEADER + ENTRY * I64(data[offset + 3])
    offset += HEADER
    while offset < end:
        played = engine_move(board, I64(data[offset]) | I64(data[offset + 1]) << 8)
        dice = _next(dice)
        if offset >= scored and I64(dice >> U64(32)) < share:
            dice = _next(dice)
            wanted, made = 1 + I64(dice >> U64(33)) % moves, 0
            while made < wanted:
                count = legal(tables, board, 0)
                if count == 0:
                    break
                dice = _next(dice)
                move = I64(board.moves[0, I64(dice >> U64(33)) % count])
                if made == 0 and move == played:
                    break
                make(tables, board, move)
                made += 1
            if made == wanted and settled != 0:
                followed = settle(tables, board)
                wanted += followed
                made += max(followed, I64(0))  # nothing is made, and too little, when it does not settle
            if made == wanted and board.checkers == ZERO and legal(tables, board, 0) > 0:
                row = out[cursor[0]]
                pack(board, row)
                row.game, row.result, row.score = np.uint32(mark), NO_RESULT, 0
                cursor[0] += 1
                cursor[1] = write_fen(board, text, cursor[1])
            for _ in range(made):
                unmake(board)
        play(tables, board, played)
        offset += ENTRY
    return end


@kernel
def _branch(
    tables: Record,
    start: Record,
    board: Record,
    data: Bytes,
    offsets: npt.NDArray[np.int64],
    dice: tuple[int, int, int, int],
    out: Positions,
    text: Bytes,
    cursor: npt.NDArray[np.int64],
) -> None:
    for offset in offsets:
        _branch_game(tables, start, board, data, offset, dice, out, text, cursor)


def offsets_of(data: Bytes) -> npt.NDArray[np.int64]:
    """Where each game begins, in data the reader has found whole."""
    found, at = [], 0
    while at < data.size:
        found.append(at)
        at += HEADER + ENTRY * (int(data[at]) | int(data[at + 1]) << 8)
    return np.array(found, np.int64)


def branch(
    data: Bytes,
    offsets: npt.NDArray[np.int64],
    seed: int,
    share: float,
    moves: int = 1,
    settled: bool = False,
) -> Branches:
    """Leave the games at `offsets` by 1 to `moves` random moves at about `share` of their scored plies;
    `settled`: and follow the exchanges that win something to a quiet end.
    """
    plies = int((data[offsets].astype(np.int64) | data[offsets + 1].astype(np.int64) << 8).sum())
    out, text = np.zeros(plies, POSITION), np.zeros(plies * FEN_MOST, np.uint8)
    start, board, cursor = new_board(), new_board(), np.zeros(2, np.int64)
    set_fen(start, START_FEN)
    set_fen(board, START_FEN)
    dice = (seed, round(share * EVERY), moves, int(settled))
    _branch(TABLES, start, board, data, offsets, dice, out, text, cursor)
    return Branches(out[: cursor[0]].copy(), text[: cursor[1]].tobytes().splitlines())
