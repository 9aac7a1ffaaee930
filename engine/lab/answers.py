"""What an engine says of many positions, read in one pass by a kernel.

A position whose best move captures or promotes is no lesson for a static evaluation, but the end of that
exchange is: the line the engine foretells is followed through such moves to the first quiet position, which
has the same score. Where an exact line ends, the engine stood pat, and that is quiet too. Positions further
down the line are the same search's word as well, and cost nothing.
"""

from typing import Any, NamedTuple

import numpy as np

from engine.core.bits import I64, ZERO
from engine.core.board import make, new_board
from engine.core.jit import Record, kernel
from engine.core.layout import EMPTY, PAWN
from engine.core.movegen import is_legal, is_pseudo_legal
from engine.core.packed import POSITION, pack, unpack
from engine.lab.games import Bytes, Positions, engine_move
from engine.lab.selfplay import CP_MOST
from engine.notation import START_FEN, TABLES, set_fen

Number = Any  # a whole number inside a kernel, of whatever width

NEWLINE, SPACE, MINUS, ZERO_DIGIT, A, B, C, L, U = 10, 32, 45, 48, 97, 98, 99, 108, 117
SCORE, PV, BESTMOVE = (np.frombuffer(text, np.uint8) for text in (b"score ", b"pv ", b"bestmove "))
PROMOTIONS = np.frombuffer(b"?nbrq", np.uint8)
NO_MOVE = -1
NONE = 1 << 20  # no score
WHITE_TO_MOVE = 0


class Heard(NamedTuple):
    positions: Positions
    answers: int  # read
    wordless: int  # the first answer that came without a score, or -1


@kernel
def _is_word(said: Bytes, at: Number, word: Bytes) -> Number:
    if at + word.size > said.size:
        return False
    for k in range(word.size):  # noqa: SIM110 - Numba has no generator expressions
        if said[at + k] != word[k]:
            return False
    return True


@kernel
def read_move(said: Bytes, at: Number) -> Number:
    """The move of the file's encoding named at `at`, legal or not; NO_MOVE when it is no move's name."""
    if at + 4 > said.size:
        return NO_MOVE
    square = np.zeros(2, np.int64)
    for k in range(2):
        file, rank = I64(said[at + 2 * k]) - A, I64(said[at + 2 * k + 1]) - ZERO_DIGIT - 1
        if not (0 <= file < 8 and 0 <= rank < 8):
            return NO_MOVE
        square[k] = 8 * rank + file
    promotion = 0
    if at + 4 < said.size:
        for k in range(1, PROMOTIONS.size):
            if said[at + 4] == PROMOTIONS[k]:
                promotion = k
    return square[0] | square[1] << 6 | promotion << 12


@kernel
def read_score(said: Bytes, at: Number) -> tuple[Number, Number]:
    """What follows the word `score`: centipawns, or NONE for a mate; and whether it is but a bound."""
    if at + 3 >= said.size or said[at] != C:
        return NONE, False
    at += 3
    sign = 1
    if said[at] == MINUS:
        sign = -1
        at += 1
    value = 0
    while at < said.size and ZERO_DIGIT <= said[at] < ZERO_DIGIT + 10:
        value = value * 10 + I64(said[at]) - ZERO_DIGIT
        at += 1
    bound = at + 1 < said.size and (said[at + 1] == L or said[at + 1] == U)
    return sign * min(value, CP_MOST), bound


@kernel
def is_noisy(board: Record, move: Number) -> Number:
    """Whether a move of the file takes something or promotes."""
    source, onto = move & 63, move >> 6 & 63
    if move >> 12 != 0 or board.squares[onto] != EMPTY:
        return True
    return board.squares[source] % 6 == PAWN and (source - onto) & 7 != 0


@kernel
def _next_word(said: Bytes, at: Number) -> Number:
    """Where the word after the one at `at` begins; at the end of the line, where no move can be read."""
    while at < said.size and said[at] > SPACE:
        at += 1
    return at + 1 if at < said.size and said[at] == SPACE else said.size


@kernel
def _settle(
    tables: Record,
    board: Record,
    said: Bytes,
    words: tuple[Number, Number, Number, Number],
    row: Record,
    out: Positions,
    most: Number,
) -> Number:
    """Write what a position and the words about it teach, at most so many positions; return how many."""
    exact, bound, line, best = words
    move = read_move(said, best)
    if (exact == NONE and bound == NONE) or move == NO_MOVE:
        return 0
    score = exact if bound == NONE else bound if exact == NONE else (exact + bound) // 2
    is_sure = bound == NONE and line != 0 and read_move(said, line) == move
    at, found, raw = line, 0, move
    unpack(tables, row, board)
    while True:
        if board.checkers == ZERO and (raw == NO_MOVE or not is_noisy(board, raw)):
            kept = out[found]
            pack(board, kept)
            kept.game, kept.result = row.game, row.result
            kept.score = score if board.side == WHITE_TO_MOVE else -score
            found += 1
        if not is_sure or raw == NO_MOVE or found == most:
            return found
        move = engine_move(board, raw)
        if not is_pseudo_legal(tables, board, move) or not is_legal(tables, board, move):
            return found  # castling and en passant are not known to a packed position
        make(tables, board, move)
        score = -score
        at = _next_word(said, at)
        raw = read_move(said, at)


@kernel
def _read(
    tables: Record, board: Record, said: Bytes, rows: Positions, out: Positions, most: Number
) -> tuple[Number, Number, Number]:
    """Go through the answers; return how many there were, the first without a score, what `out` holds."""
    count, at, wordless, filled = 0, 0, -1, 0
    exact, bound, line, spoke = NONE, NONE, 0, False
    while at < said.size and count < rows.size:
        if said[at] == B and _is_word(said, at, BESTMOVE):
            if not spoke and wordless < 0:
                wordless = count
            words = (exact, bound, line, at + BESTMOVE.size)
            filled += _settle(tables, board, said, words, rows[count], out[filled:], most)
            count += 1
            exact, bound, line, spoke = NONE, NONE, 0, False
        score, is_bound, seen, pv = NONE, False, False, 0
        while at < said.size and said[at] != NEWLINE:
            if said[at] == SPACE:
                if _is_word(said, at + 1, SCORE):
                    spoke = seen = True
                    score, is_bound = read_score(said, at + 1 + SCORE.size)
                elif _is_word(said, at + 1, PV):
                    pv = at + 1 + PV.size
            at += 1
        at += 1
        if is_bound:
            bound = score
        elif seen:
            exact, bound, line = score, NONE, pv
    return count, wordless, filled


def read(said: Bytes, positions: Positions, most: int = 1) -> Heard:
    """Quiet positions with White's scores out of what an engine said of `positions`, in order: of each the
    first `most` on the line that the engine foretells; mates are left out.
    """
    board = new_board()
    set_fen(board, START_FEN)
    out = np.zeros(len(positions) * most, POSITION)
    answers, wordless, filled = _read(TABLES, board, said, positions, out, most)
    return Heard(out[:filled], int(answers), int(wordless))
