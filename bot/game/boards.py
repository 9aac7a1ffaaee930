"""Boards from move lists: the position is always the fold of the whole list, but a fold may start half way.

Replaying 150 plies costs two milliseconds on our clock; a game that grew by two plies costs two moves.
"""

from collections import OrderedDict

import chess
import chess.variant

from bot.game.nouns import Position

_KEPT = 256  # positions; a few for each game that is played at once
_VARIANTS = {
    "standard": "chess",
    "fromPosition": "chess",
    "chess960": "chess",
    "kingOfTheHill": "kingofthehill",
    "threeCheck": "3check",
    "racingKings": "racingkings",
}  # python-chess's names where Lichess has others


def start_board(variant: str, initial_fen: str | None) -> chess.Board:
    """The board before the first move. ValueError: no such variant, or a position it cannot have.

    Everything but plain chess may castle by Chess960's rules: positions that were set up may need them.
    """
    kind = chess.variant.find_variant(_VARIANTS.get(variant, variant))
    chess960 = variant in {"chess960", "fromPosition"}
    if initial_fen is None:
        return kind(chess960=chess960)
    return kind(initial_fen, chess960=chess960)


class Folder:
    """Remembers the boards of late; what it gives away is a copy, the caller's to change."""

    def __init__(self) -> None:
        self._seen: OrderedDict[Position, chess.Board] = OrderedDict()

    def board(self, position: Position) -> chess.Board:
        """ValueError when a move of the list is not legal: then our picture of the game is wrong."""
        known = self._seen.get(position) or self._fold(position)
        self._seen[position] = known
        self._seen.move_to_end(position)
        if len(self._seen) > _KEPT:
            self._seen.popitem(last=False)
        return known.copy()

    def _fold(self, position: Position) -> chess.Board:
        moves = position.moves
        for back in range(1, min(len(moves), 4) + 1):  # the usual growth is one or two plies
            before = Position(position.variant, position.initial_fen, moves[:-back])
            if before in self._seen:
                return _pushed(self._seen[before].copy(), moves[-back:])
        return _pushed(start_board(position.variant, position.initial_fen), moves)


def _pushed(board: chess.Board, moves: tuple[str, ...]) -> chess.Board:
    for uci in moves:
        board.push_uci(uci)
    return board


_FOLDER = Folder()


def board_of(position: Position) -> chess.Board:
    """The board of `position`, the caller's to change; quick for a game that is followed move by move."""
    return _FOLDER.board(position)
