"""How a board looks in a terminal. Pure: a position in, rich renderables out.

With colour, squares are painted and both sides use the solid pieces. Without colour the outlined pieces are
White's and the solid ones Black's; where the terminal cannot write them, letters stand in: large for White.
"""

from enum import Enum

import chess
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

SOLID = dict(zip("pnbrqk", "♟♞♝♜♛♚", strict=True))
OUTLINED = dict(zip("pnbrqk", "♙♘♗♖♕♔", strict=True))
WORTH = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
RECENT_MOVES = 8

_LIGHT, _DARK = "#8fa3b0", "#54707f"  # between the two inks, so that both sides can be read on both
_LIGHT_MOVED, _DARK_MOVED = "#aaa548", "#85822a"
_IN_CHECK = "#d9534f"
_INK = {chess.WHITE: "bold #ffffff", chess.BLACK: "bold #1b1b1b"}


class Ink(Enum):
    """What the terminal can show."""

    COLOUR = "painted squares"
    PLAIN = "no colour, but chess pieces"
    LETTERS = "nothing but letters"


def board_picture(board: chess.Board, seen_by: chess.Color, ink: Ink) -> Text:
    """Nine lines: eight ranks and the files, the side `seen_by` at the bottom, the last move marked."""
    files = range(8) if seen_by is chess.WHITE else range(7, -1, -1)
    ranks = range(7, -1, -1) if seen_by is chess.WHITE else range(8)
    picture = Text(no_wrap=True)
    for rank in ranks:
        picture.append(f" {rank + 1} ", "dim")
        for file in files:
            square = chess.square(file, rank)
            picture.append(_square_text(board, square, ink), _square_style(board, square, ink))
        picture.append("\n")
    picture.append("   " + "".join(f" {chess.FILE_NAMES[file]} " for file in files), "dim")
    return picture


def _square_text(board: chess.Board, square: chess.Square, ink: Ink) -> str:
    glyph = _glyph(board.piece_at(square), ink)
    moved = board.move_stack and square in _ends(board.peek())
    return f"[{glyph}]" if moved and ink is not Ink.COLOUR else f" {glyph} "


def _glyph(piece: chess.Piece | None, ink: Ink) -> str:
    if piece is None:
        return " " if ink is Ink.COLOUR else "."
    if ink is Ink.LETTERS:
        return piece.symbol()
    outlined = ink is Ink.PLAIN and piece.color is chess.WHITE
    return (OUTLINED if outlined else SOLID)[piece.symbol().lower()]


def _square_style(board: chess.Board, square: chess.Square, ink: Ink) -> str:
    if ink is not Ink.COLOUR:
        return ""
    is_light = bool(chess.BB_SQUARES[square] & chess.BB_LIGHT_SQUARES)
    paper = _LIGHT if is_light else _DARK
    if board.move_stack and square in _ends(board.peek()):
        paper = _LIGHT_MOVED if is_light else _DARK_MOVED
    if board.is_check() and square == board.king(board.turn):
        paper = _IN_CHECK
    colour = board.color_at(square)
    return f"{_INK[chess.WHITE if colour is None else colour]} on {paper}"


def _ends(move: chess.Move) -> tuple[chess.Square, chess.Square]:
    return move.from_square, move.to_square


def material_balance(board: chess.Board) -> int:
    """Pawns' worth that White is ahead, counted as beginners are taught to."""
    return sum(
        worth * (len(board.pieces(piece, chess.WHITE)) - len(board.pieces(piece, chess.BLACK)))
        for piece, worth in WORTH.items()
    )


def move_lines(board: chess.Board) -> list[str]:
    """The game so far, a line for each full move: `12. Nf3 Nc6`."""
    replay, lines = board.root(), list[str]()
    for move in board.move_stack:
        san = replay.san(move)
        if replay.turn is chess.WHITE:
            lines.append(f"{replay.fullmove_number:>3}. {san}")
        elif lines:
            lines[-1] = f"{lines[-1]:<13}{san}"
        else:
            lines.append(f"{replay.fullmove_number:>3}. …       {san}")
        replay.push(move)
    return lines


def table_view(board: chess.Board, seen_by: chess.Color, ink: Ink, notes: list[str]) -> RenderableType:
    """The board, and beside it `notes`, the material and the last moves."""
    ahead = material_balance(board) * (1 if seen_by is chess.WHITE else -1)
    lines = [
        *notes,
        f"material {ahead:+d}" if ahead else "material even",
        "",
        *move_lines(board)[-RECENT_MOVES:],
    ]
    grid = Table.grid(padding=(0, 3))
    grid.add_row(board_picture(board, seen_by, ink), Text("\n".join(lines)))
    return grid
