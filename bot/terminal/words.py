"""What a typed line means. Pure: a line and a board in, a move, an order or a reason out."""

import difflib
import re
from enum import StrEnum
from typing import NamedTuple

import chess

from bot.terminal.reasons import which_one, why_no_such_move, why_not


class Order(StrEnum):
    """A command of the player; its value is the word to type."""

    HELP = "help"
    UNDO = "undo"
    NEW = "new"
    FLIP = "flip"
    HINT = "hint"
    EVAL = "eval"
    MOVES = "moves"
    PGN = "pgn"
    RESIGN = "resign"
    QUIT = "quit"


class Refused(NamedTuple):
    """The line is no legal move and no order; `why` is one sentence for the player."""

    why: str


MEANING = {
    Order.HELP: "this list",
    Order.UNDO: "take your last move back",
    Order.NEW: "start again",
    Order.FLIP: "turn the board round",
    Order.HINT: "ask Krait what it would play",
    Order.EVAL: "see the position judged term by term",
    Order.MOVES: "list every legal move",
    Order.PGN: "print the game so far",
    Order.RESIGN: "give up this game",
    Order.QUIT: "leave (so do Ctrl-D and Ctrl-C)",
}
ALIASES = {"?": Order.HELP, "h": Order.HELP, "q": Order.QUIT, "exit": Order.QUIT, "takeback": Order.UNDO}

_UCI = re.compile(r"([a-h][1-8])-?([a-h][1-8])=?([qrbn])?", re.IGNORECASE)
_CASTLES = re.compile(r"[0oO]-?[0oO](-?[0oO])?")


def interpret(line: str, board: chess.Board) -> chess.Move | Order | Refused | None:
    """The meaning of `line` for the side to move; None when the line is blank. A move returned is legal."""
    word = line.strip()
    if not word:
        return None
    order = _order(word.lower().lstrip("/:"))
    if order is not None:
        return order
    if coordinates := _UCI.fullmatch(word):
        return _by_squares(board, *coordinates.groups())
    return _by_san(board, word)


def _order(word: str) -> Order | None:
    return Order(word) if word in list(Order) else ALIASES.get(word)


def _by_squares(board: chess.Board, start: str, end: str, piece: str | None) -> chess.Move | Refused:
    origin, target = chess.parse_square(start.lower()), chess.parse_square(end.lower())
    promotion = chess.PIECE_SYMBOLS.index(piece.lower()) if piece else None
    move = chess.Move(origin, target, promotion)
    if origin == target:  # which python-chess would take for a null move
        return Refused(why_not(board, move))
    try:
        return board.parse_uci(move.uci())
    except chess.IllegalMoveError:
        return Refused(why_not(board, move))


def _by_san(board: chess.Board, word: str) -> chess.Move | Refused:
    san = _tidy(word)
    # A capital is forgiven, but only second: `bxc3` is a pawn's capture before it is a bishop's.
    readings = (san, san[0].upper() + san[1:]) if san[0] in "nbrqk" else (san,)
    refusal = Refused(_not_understood(word))
    for reading in readings:
        try:
            return board.parse_san(reading)
        except chess.AmbiguousMoveError:
            return Refused(which_one(board, reading))
        except chess.IllegalMoveError:
            refusal = Refused(why_no_such_move(board, reading))
        except chess.InvalidMoveError:
            continue
    return refusal


def _tidy(word: str) -> str:
    """Forgive zeros for castling, a small promotion letter, and `!` or `?` after the move."""
    san = word.rstrip("!?")
    if not san:
        return word
    if _CASTLES.fullmatch(san):
        return "O-O-O" if len(san.replace("-", "")) == 3 else "O-O"
    return re.sub(r"([18])=?([qrbnQRBN])(?=[+#]?$)", lambda m: f"{m[1]}={m[2].upper()}", san)


def _not_understood(word: str) -> str:
    near = difflib.get_close_matches(word.lower(), list(Order), n=1)
    hint = f"did you mean {near[0]}?" if near else "type a move like e4, Nf3 or e2e4, or help."
    shown = word if len(word) <= 20 else word[:20] + "…"
    return f"“{shown}” is neither a move nor a command; {hint}"
