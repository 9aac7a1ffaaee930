"""The rules, for a page that knows none: positions, moves and their names out of a list of moves. Pure.

What is legal is said by python-chess here as it is in the sandbox; the page only draws.
"""

from collections import OrderedDict
from typing import Any, NamedTuple

import chess

from bot.game.boards import board_of, start_board
from bot.game.nouns import Position

Json = dict[str, Any]
_KEPT = 64  # lines; the usual growth is one or two plies
LONGEST = 2000  # plies; no game is longer


class Step(NamedTuple):
    """One ply, and the position after it."""

    san: str
    uci: str
    fen: str
    check: bool


class Lines:
    """Told lines are remembered: a game that grew by a move costs that move."""

    def __init__(self) -> None:
        self._known: OrderedDict[Position, tuple[Step, ...]] = OrderedDict()

    def steps(self, position: Position) -> tuple[Step, ...]:
        """ValueError: a move is not legal, or there is no such start."""
        if len(position.moves) > LONGEST:
            raise ValueError(f"more than {LONGEST} moves")
        if position not in self._known:
            self._known[position] = self._walk(position)
        self._known.move_to_end(position)
        if len(self._known) > _KEPT:
            self._known.popitem(last=False)
        return self._known[position]

    def _walk(self, position: Position) -> tuple[Step, ...]:
        moves = position.moves
        for back in (1, 2):
            before = position_at(position, max(0, len(moves) - back))
            if moves and before in self._known:
                return (*self._known[before], *_walked(board_of(before), moves[-back:]))
        return tuple(_walked(start_board(position.variant, position.initial_fen), moves))


def position_at(position: Position, ply: int) -> Position:
    return Position(position.variant, position.initial_fen, position.moves[:ply])


def _walked(board: chess.Board, moves: tuple[str, ...]) -> list[Step]:
    steps = []
    for uci in moves:
        move = board.parse_uci(uci)
        san = board.san_and_push(move)
        steps.append(Step(san, uci, board.fen(), board.is_check()))
    return steps


def seen(position: Position, lines: Lines) -> Json:
    """All that a page needs to draw a game: every position of it, and what may be played in the last."""
    steps = lines.steps(position)
    start = start_board(position.variant, position.initial_fen)
    board = board_of(position)
    return {
        "start": {"fen": start.fen(), "check": start.is_check()},
        "steps": [step._asdict() for step in steps],
        "legal": legal_moves(position.variant, board),
    }


def legal_moves(variant: str, board: chess.Board) -> list[str]:
    """In UCI. Castling may be written as the king walks and, but in standard chess, as king takes rook."""
    if board.is_variant_end():
        return []
    found: list[str] = []
    for move in board.legal_moves:
        found.append(board.uci(move, chess960=variant != "standard"))
        if board.is_castling(move) and variant not in {"standard", "chess960"}:
            found.append(board.uci(move, chess960=False))
    return list(dict.fromkeys(found))


def san_line(position: Position, line: tuple[str, ...], most: int = 12) -> list[str]:
    """A variation in the words of players, as far as it is legal."""
    board = board_of(position)
    words = []
    for uci in line[:most]:
        try:
            words.append(board.san_and_push(board.parse_uci(uci)))
        except ValueError:
            break
    return words
