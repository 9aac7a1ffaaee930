"""Scored games in the lab's binary format, as positions of 32 bytes each.

A file is games end to end, little endian, perhaps compressed by xz; every game begins at the start position:

    u16 plies   u8 result (0 Black won, 1 draw, 2 White won)   u8 opening plies (random, without a score)
    plies x { u16 move, i16 score }
    move  = from | to << 6 | promotion << 12    a1 = 0 … h8 = 63; 0 none, 1 n, 2 b, 3 r, 4 q; castling e1g1
    score = centipawns for the side to move before the move; 32002 none; mate: ±(30000 - plies to mate)

The reader replays every move by the engine's own rules and refuses what is not a legal game, so a file that
has been read is known to be whole. Whoever trains an evaluation puts the positions on a board inside a kernel
(`engine.core.packed.unpack`) and takes its features from there.
"""

import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from engine.core.bits import LIGHT, U64, ZERO, drop_lowest, lowest
from engine.core.board import new_board, play
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
    WHITE,
)
from engine.core.movegen import has_legal_move, is_legal, is_pseudo_legal
from engine.core.packed import POSITION, pack
from engine.notation import START_FEN, TABLES, set_fen

HEADER, ENTRY = 4, 4  # bytes
MAX_GAME = 65_535  # plies
NO_SCORE = 32_002
DRAWN = 1
CHUNK = 1 << 18  # positions a kernel call may find: the progress bar's step

Positions = npt.NDArray[Any]  # of POSITION
Bytes = npt.NDArray[np.uint8]
Cursor = npt.NDArray[np.int64]  # (4,)
Rules = tuple[int, int, int, int, int]  # a Filter, for kernels
Number = Any  # a whole number inside a kernel, of whatever width

# What stopped `_replay`
DONE, FULL, SHORT_HEADER, SHORT_GAME, BAD_RESULT, BAD_MOVE = range(6)
FAULTS = {
    SHORT_HEADER: "the file ends inside a game's header",
    SHORT_GAME: "the file ends inside a game",
    BAD_RESULT: "a game's result is none of 0, 1, 2, or its opening is longer than the game",
    BAD_MOVE: "an illegal move",
}
C_OFFSET, C_FILLED, C_GAMES, C_SEEN = range(4)  # what `_replay` leaves in its cursor


class GamesError(ValueError):
    """A file that is not whole; the message names it and the place (offset before compression)."""


class Filter(NamedTuple):
    """Which positions to take. A static evaluation cannot see what a capture or a check decides."""

    quiet: bool = True  # not in check, and the move played is no capture and no promotion
    max_score: int = 2_500  # centipawns; mate scores are beyond any limit
    first_ply: int = 0  # of the game; opening plies have no score and are never taken
    mend: bool = True  # count as won what a shallow engine could not win: see `_is_spoilt`
    bare: bool = True  # take positions in which a side has nothing but its king, too


QUIET = Filter()


class Split(NamedTuple):
    training: Positions
    validation: Positions


class Parts(NamedTuple):
    training: Positions
    validation: Positions
    test: Positions


@kernel
def engine_move(board: Record, raw: Number) -> Number:
    """The engine's encoding of a move of the file; what is not legal here stays illegal."""
    source, onto, promotion = raw & 63, raw >> 6 & 63, raw >> 12
    if promotion != 0:
        return source | onto << 6 | (PROMOTION + promotion - 1) << 12 if promotion <= 4 else 0
    piece = np.int64(board.squares[source])
    if piece == KING + 6 * board.side and abs(onto - source) == 2:
        rook = onto + 1 if onto > source else onto - 2
        return source | (rook & 63) << 6 | CASTLE << 12
    if piece == PAWN + 6 * board.side and onto == board.ep and (onto - source) & 7 != 0:
        return source | onto << 6 | EN_PASSANT << 12
    return source | onto << 6 | NORMAL << 12


@kernel
def copy_start(start: Record, board: Record) -> None:
    """Put the pieces back. What castling looks like and the undo rows are the same for every game."""
    board.pieces[:] = start.pieces
    board.colours[:] = start.colours
    board.squares[:] = start.squares
    board.side, board.castling, board.ep = start.side, start.castling, start.ep
    board.rule50, board.nulls, board.height, board.ply = 0, 0, 0, 0
    board.key, board.pawn_key = start.key, start.pawn_key
    board.side_keys[:] = start.side_keys
    board.checkers, board.pinned = start.checkers, start.pinned


@kernel
def game_hash(data: Bytes, begin: Number, end: Number) -> Number:
    """FNV-1a, its well-mixed middle."""
    mixed = U64(0xCBF2_9CE4_8422_2325)
    for i in range(begin, end):
        mixed = (mixed ^ U64(data[i])) * U64(0x100_0000_01B3)
    return np.int64((mixed ^ mixed >> U64(32)) & U64(0xFFFF_FFFF))


@kernel
def _is_kept(board: Record, move: Number, score: Number, rules: Rules) -> Number:
    quiet, max_score, first_ply, _, bare = rules
    if score == NO_SCORE or abs(score) > max_score or board.ply < first_ply:
        return False
    if bare == 0 and (drop_lowest(board.colours[0]) == ZERO or drop_lowest(board.colours[1]) == ZERO):
        return False
    if quiet == 0:
        return True
    calm = board.squares[move >> 6 & 63] == EMPTY or move >> 12 == CASTLE
    return board.checkers == ZERO and calm and (move >> 12 == NORMAL or move >> 12 == CASTLE)


@kernel
def _is_spoilt(tables: Record, board: Record, strong: int) -> Number:
    """Whether a game that ends here, drawn, was won for `strong`.

    Rook or queen, two bishops, or bishop and knight against a lone king that can take none of them and is not
    stalemate. With 500 nodes a move Stockfish runs into the fifty-move rule here: nine of ten positions with
    king and rook against king come from a drawn game.
    """
    ours, weak = board.colours[strong], board.colours[1 - strong]
    if drop_lowest(weak) != ZERO or tables.king[lowest(weak)] & ours & ~board.pieces[KING] != ZERO:
        return False
    majors = (board.pieces[ROOK] | board.pieces[QUEEN]) & ours
    bishops, knights = board.pieces[BISHOP] & ours, board.pieces[KNIGHT] & ours
    pair = bishops & LIGHT != ZERO and bishops & ~LIGHT != ZERO
    if majors == ZERO and not pair and (bishops == ZERO or knights == ZERO):  # noqa: PLR1714 - for Numba
        return False
    return has_legal_move(tables, board, 0)


@kernel
def _replay_game(
    tables: Record,
    board: Record,
    data: Bytes,
    offset: Number,
    plies: Number,
    out: Positions,
    filled: int,
    rules: Rules,
    mark: tuple[np.uint8, np.uint32],
) -> Number:
    """Play one game; return how far `out` is filled, or -1 - (offset of the first illegal move)."""
    first = filled
    for _ in range(plies):
        move = engine_move(board, np.int64(data[offset]) | np.int64(data[offset + 1]) << 8)
        if not is_pseudo_legal(tables, board, move) or not is_legal(tables, board, move):
            return -1 - offset
        score = np.int64(np.int16(np.int64(data[offset + 2]) | np.int64(data[offset + 3]) << 8))
        if _is_kept(board, move, score, rules):
            row = out[filled]
            pack(board, row)
            row.score = score if board.side == WHITE else -score
            row.result, row.game = mark
            filled += 1
        play(tables, board, move)
        offset += ENTRY
    if rules[3] != 0 and mark[0] == DRAWN:
        for colour in range(2):
            if _is_spoilt(tables, board, colour):
                out["result"][first:filled] = 2 - 2 * colour
    return filled


@kernel
def _replay(
    tables: Record, start: Record, board: Record, data: Bytes, rules: Rules, out: Positions, cursor: Cursor
) -> int:
    """Play games from cursor[C_OFFSET] on until the file ends, `out` cannot hold another or one is wrong."""
    offset, filled = cursor[C_OFFSET], 0
    fault = DONE
    while offset < data.size:
        if data.size - offset < HEADER:
            fault = SHORT_HEADER
            break
        plies = np.int64(data[offset]) | np.int64(data[offset + 1]) << 8
        end = offset + HEADER + ENTRY * plies
        if end > data.size:
            fault = SHORT_GAME
            break
        if data[offset + 2] > 2 or data[offset + 3] > plies:
            fault = BAD_RESULT
            break
        if plies > out.size - filled:
            fault = FULL
            break
        copy_start(start, board)
        mark = (data[offset + 2], np.uint32(game_hash(data, offset, end)))
        filled = _replay_game(tables, board, data, offset + HEADER, plies, out, filled, rules, mark)
        if filled < 0:
            offset, fault, filled = -1 - filled, BAD_MOVE, 0
            break
        offset = end
        cursor[C_GAMES] += 1
        cursor[C_SEEN] += plies
    cursor[C_OFFSET], cursor[C_FILLED] = offset, filled
    return fault


def content(path: Path) -> Bytes:
    """The bytes of a file, decompressed when its name ends in .xz."""
    if path.suffix != ".xz":
        return np.fromfile(path, np.uint8)
    parts: list[bytes] = []
    try:
        with lzma.open(path) as stream:
            while part := stream.read(1 << 20):
                parts.append(part)
    except (lzma.LZMAError, EOFError) as error:
        done = sum(map(len, parts))
        raise GamesError(
            f"{path}: compressed data is damaged or cut short after offset {done}: {error}"
        ) from error
    return np.frombuffer(b"".join(parts), np.uint8)


def unwatched(done: int, total: int) -> None:
    """The progress of a run nobody watches."""


def read(path: Path, rules: Filter = QUIET, progress: Callable[[int, int], None] = unwatched) -> Positions:
    """Every position of the file that passes the filter, in order; `progress` is told bytes of how many."""
    data = content(path)
    start, board = new_board(), new_board()
    set_fen(start, START_FEN)
    set_fen(board, START_FEN)
    cursor = np.zeros(4, np.int64)
    chunks: list[Positions] = [np.zeros(0, POSITION)]
    flags = (int(rules.mend), int(rules.bare))
    limits = (int(rules.quiet), min(rules.max_score, 29_000), rules.first_ply, *flags)
    out = np.zeros(CHUNK, POSITION)
    fault = FULL
    while fault == FULL:
        fault = _replay(TABLES, start, board, data, limits, out, cursor)
        if fault in FAULTS:
            raise GamesError(
                f"{path}: {FAULTS[fault]} at offset {cursor[C_OFFSET]} (game {cursor[C_GAMES] + 1})"
            )
        chunks.append(out[: cursor[C_FILLED]].copy())
        progress(int(cursor[C_OFFSET]), data.size)
    return np.concatenate(chunks)


def split(positions: Positions, share: float) -> Split:
    """Part by game: about `share` of the games, always the same ones, for validation. Twins stay together."""
    aside = positions["game"] % 10_000 < round(share * 10_000)
    return Split(positions[~aside], positions[aside])


def parts(positions: Positions, validation: float, test: float) -> Parts:
    """As `split`, with about `test` of the games set aside for a third part. Validation's are the same."""
    band = positions["game"] % 10_000
    first, second = round(validation * 10_000), round((validation + test) * 10_000)
    return Parts(
        positions[band >= second], positions[band < first], positions[(band >= first) & (band < second)]
    )
