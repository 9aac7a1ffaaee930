"""Between text and positions: FEN (standard, X-FEN, Shredder-FEN) and UCI moves (both castling notations)."""

from collections.abc import Iterator

import numpy as np

from engine.core import movegen
from engine.core.attacks import attackers, new_tables
from engine.core.board import complete, copy_board, make, new_board, unmake
from engine.core.jit import Record
from engine.core.layout import CASTLE, EMPTY, KING, PROMOTION, ROOK

START_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
LETTERS = "PNBRQKpnbrqk"
FILES = "abcdefgh"
TABLES = new_tables()
RIGHTS = 4
MAX_RULE50 = 150  # the seventy-five-move rule has ended the game by then
MAX_PLIES = 20_000


class NotationError(ValueError):
    """A text that names no legal position or move; the message says what is wrong with it."""


def square_name(square: int) -> str:
    return f"{FILES[square % 8]}{square // 8 + 1}"


def set_fen(board: Record, fen: str) -> None:
    """Set `board` to the position `fen` names; on NotationError the board is unchanged."""
    fields = fen.split()
    if not 1 <= len(fields) <= 6:
        raise NotationError(f"FEN has {len(fields)} fields, 4 to 6 are expected: {_short(fen)}")
    placement, side, castling, ep, rule50, move = fields + ["w", "-", "-", "0", "1"][len(fields) - 1 :]
    fresh = new_board()
    _place(fresh, placement)
    if side not in ("w", "b"):
        raise NotationError(f"side to move is {_short(side)!r}, not 'w' or 'b'")
    fresh["side"] = "wb".index(side)
    _check_kings(fresh)
    _set_castling(fresh, castling)
    _set_ep(fresh, ep)
    fresh["rule50"] = min(_number(rule50, "half-move clock"), MAX_RULE50)
    number = min(max(_number(move, "move number"), 1), MAX_PLIES // 2)
    fresh["ply"] = 2 * (number - 1) + int(fresh["side"])
    complete(TABLES, fresh)
    copy_board(fresh, board)


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}..."


def _number(text: str, name: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 9:
        raise NotationError(f"{name} is {_short(text)!r}, not a number")
    return int(text)


def _place(board: Record, placement: str) -> None:
    ranks = placement.split("/")
    if len(ranks) != 8:
        raise NotationError(f"piece placement has {len(ranks)} ranks, not 8: {_short(placement)}")
    for rank, text in zip(range(7, -1, -1), ranks, strict=True):
        file = 0
        for letter in text:
            if letter in "12345678":
                file += int(letter)
            elif letter in LETTERS and file < 8:
                _put(board, rank * 8 + file, LETTERS.index(letter))
                file += 1
            elif letter not in LETTERS:
                raise NotationError(f"unknown piece {letter!r} in rank {rank + 1} of the piece placement")
            else:
                file += 1
        if file != 8:
            raise NotationError(
                f"rank {rank + 1} of the piece placement has {file} squares, not 8: {_short(text)}"
            )


def _put(board: Record, square: int, piece: int) -> None:
    board["squares"][square] = piece
    board["pieces"][piece % 6] |= np.uint64(1 << square)
    board["colours"][piece // 6] |= np.uint64(1 << square)


def _check_kings(board: Record) -> None:
    squares = board["squares"]
    for colour, name in enumerate(("White", "Black")):
        kings = int((squares == KING + 6 * colour).sum())
        if kings != 1:
            raise NotationError(f"{name} has {kings} kings, not 1")
        men = int(((squares >= 6 * colour) & (squares < 6 + 6 * colour)).sum())
        if men > 16:
            raise NotationError(f"{name} has {men} men, more than 16")
    for rank in (0, 7):
        if np.isin(squares[rank * 8 : rank * 8 + 8], (0, 6)).any():
            raise NotationError(f"a pawn stands on rank {rank + 1}")
    side = int(board["side"])
    waiting = int(np.flatnonzero(squares == KING + 6 * (1 - side))[0])
    occupied = board["colours"][0] | board["colours"][1]
    if attackers(TABLES, board, waiting, occupied) & board["colours"][side]:
        raise NotationError("the side that is not to move stands in check")


def _set_castling(board: Record, text: str) -> None:
    board["rook_home"][:] = -1
    if text == "-":
        return
    for letter in text:
        colour = 0 if letter.isupper() else 1
        king = int(np.flatnonzero(board["squares"] == KING + 6 * colour)[0])
        rook = _castling_rook(board, letter, colour, king)
        right = 2 * colour + (0 if rook > king else 1)
        if int(board["castling"]) >> right & 1:
            raise NotationError(f"castling right {letter!r}: that side of the king has one already")
        _grant(board, right, king, rook)


def _castling_rook(board: Record, letter: str, colour: int, king: int) -> int:
    home = 56 * colour
    lowered = letter.lower()
    if king // 8 != home // 8:
        raise NotationError(f"castling right {letter!r}: the king is not on its first rank")
    rooks = [s for s in range(home, home + 8) if board["squares"][s] == ROOK + 6 * colour]
    if lowered in FILES:
        wanted = [s for s in rooks if s % 8 == FILES.index(lowered)]
    elif lowered == "k":
        wanted = [s for s in rooks if s > king][-1:]
    elif lowered == "q":
        wanted = [s for s in rooks if s < king][:1]
    else:
        raise NotationError(f"unknown castling right {letter!r}")
    if not wanted:
        raise NotationError(f"castling right {letter!r}: there is no rook for it")
    return wanted[0]


def _grant(board: Record, right: int, king: int, rook: int) -> None:
    colour = right // 2
    short = right % 2 == 0
    king_onto, rook_onto = 56 * colour + (6 if short else 2), 56 * colour + (5 if short else 3)
    king_path = set(_span(king, king_onto))
    path = king_path | set(_span(rook, rook_onto))
    board["castling"] |= 1 << right
    board["rook_home"][right] = rook
    board["rights_lost"][rook] |= 1 << right
    board["rights_lost"][king] |= 1 << right
    board["castle_empty"][right] = np.uint64(sum(1 << s for s in path - {king, rook}))
    board["castle_safe"][right] = np.uint64(sum(1 << s for s in king_path))


def _span(a: int, b: int) -> Iterator[int]:
    return iter(range(min(a, b), max(a, b) + 1))


def _set_ep(board: Record, text: str) -> None:
    """Take an en-passant square that a double step can have left; `complete` drops it if it is of no use."""
    board["ep"] = -1
    if text == "-":
        return
    side = int(board["side"])
    if len(text) != 2 or text[0] not in FILES or text[1] != ("6" if side == 0 else "3"):
        raise NotationError(f"en-passant square is {_short(text)!r}")
    square = FILES.index(text[0]) + 8 * (int(text[1]) - 1)
    step = -8 if side == 0 else 8
    squares = board["squares"]
    if (
        squares[square + step] != 6 * (1 - side)
        or squares[square] != EMPTY
        or squares[square - step] != EMPTY
    ):
        raise NotationError(f"en-passant square {text}: no pawn has just passed it")
    board["ep"] = square


def to_fen(board: Record, *, chess960: bool = False) -> str:
    squares = board["squares"]
    ranks = []
    for rank in range(7, -1, -1):
        text, gap = "", 0
        for piece in squares[rank * 8 : rank * 8 + 8]:
            if piece == EMPTY:
                gap += 1
                continue
            text += (str(gap) if gap else "") + LETTERS[piece]
            gap = 0
        ranks.append(text + (str(gap) if gap else ""))
    ep = square_name(int(board["ep"])) if board["ep"] >= 0 else "-"
    number = int(board["ply"]) // 2 + 1
    return (
        f"{'/'.join(ranks)} {'wb'[int(board['side'])]} {_castling_text(board, chess960=chess960)} {ep}"
        f" {int(board['rule50'])} {number}"
    )


def _castling_text(board: Record, *, chess960: bool) -> str:
    text = ""
    for right in range(RIGHTS):
        if int(board["castling"]) >> right & 1:
            rook = int(board["rook_home"][right])
            letter = FILES[rook % 8] if chess960 or not _is_outermost(board, right, rook) else "kq"[right % 2]
            text += letter.upper() if right < 2 else letter
    return text or "-"


def _is_outermost(board: Record, right: int, rook: int) -> bool:
    home = 56 * (right // 2)
    beyond = range(rook + 1, home + 8) if right % 2 == 0 else range(home, rook)
    return all(board["squares"][s] != ROOK + 6 * (right // 2) for s in beyond)


def legal_moves(board: Record) -> list[int]:
    found = movegen.legal(TABLES, board, 0)
    return [int(move) for move in board["moves"][0, :found]]


def move_text(board: Record, move: int, *, chess960: bool) -> str:
    """The UCI name of a move: castling is e1g1, or in Chess960 the king's move onto its rook, e1h1."""
    source, onto, kind = move & 63, move >> 6 & 63, move >> 12
    if kind == CASTLE and not chess960:
        onto = 56 * int(board["side"]) + (6 if onto > source else 2)
    promoted = "nbrq"[kind - PROMOTION] if kind >= PROMOTION else ""
    return f"{square_name(source)}{square_name(onto)}{promoted}"


def find_move(board: Record, text: str) -> int:
    """The legal move a UCI text names; castling is understood in both notations, the rook's first."""
    legal = legal_moves(board)
    for chess960 in (True, False):
        for move in legal:
            if move_text(board, move, chess960=chess960) == text:
                return move
    raise NotationError(f"{_short(text)!r} is not a legal move in {to_fen(board)}")


def pv_texts(board: Record, moves: list[int], *, chess960: bool) -> tuple[str, ...]:
    """Name the moves of a line played from `board`, which is left as it was."""
    texts = []
    for move in moves:
        texts.append(move_text(board, move, chess960=chess960))
        make(TABLES, board, move)
    for _ in moves:
        unmake(board)
    return tuple(texts)
