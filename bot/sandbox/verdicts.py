"""How a game stands: Lichess's statuses, and what the rules of each variant say of a position. Pure."""

from enum import Enum
from typing import NamedTuple

import chess
import chess.variant

_POINTS = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}


class Status(Enum):
    """A game's status: its number and its name on the wire. Numbers grow as a game goes on."""

    CREATED = (10, "created")
    STARTED = (20, "started")
    ABORTED = (25, "aborted")
    MATE = (30, "mate")
    RESIGN = (31, "resign")
    STALEMATE = (32, "stalemate")
    TIMEOUT = (33, "timeout")
    DRAW = (34, "draw")
    OUT_OF_TIME = (35, "outoftime")
    CHEAT = (36, "cheat")
    NO_START = (37, "noStart")
    UNKNOWN_FINISH = (38, "unknownFinish")
    INSUFFICIENT_MATERIAL_CLAIM = (39, "insufficientMaterialClaim")
    VARIANT_END = (60, "variantEnd")

    @property
    def id(self) -> int:
        return self.value[0]

    @property
    def label(self) -> str:
        return self.value[1]

    @property
    def is_finished(self) -> bool:
        """The game is over, an abort included."""
        return self.id >= Status.ABORTED.id


BY_LABEL = {status.label: status for status in Status}


class Ending(NamedTuple):
    status: Status
    winner: chess.Color | None = None


def ending_on_board(board: chess.Board) -> Ending | None:
    """How the rules end the game here by themselves; fifty moves and a fivefold repetition need no claim.

    A threefold repetition is not among them: Lichess claims it for the players one step later.
    """
    if _is_mate(board):
        return Ending(Status.MATE, not board.turn)
    if board.is_variant_draw():
        return Ending(Status.DRAW)
    if board.is_variant_win():
        return Ending(Status.VARIANT_END, board.turn)
    if board.is_variant_loss():
        return Ending(Status.VARIANT_END, not board.turn)
    if board.is_stalemate():
        return Ending(Status.STALEMATE)
    if is_dead(board) or board.is_fifty_moves() or board.is_fivefold_repetition():
        return Ending(Status.DRAW)
    return None


def _is_mate(board: chess.Board) -> bool:
    """Mate comes before a variant's own end, where python-chess knows no moves: it is looked for without."""
    if not isinstance(board, chess.variant.ThreeCheckBoard | chess.variant.KingOfTheHillBoard):
        return board.is_checkmate()
    plain = chess.Board(None)
    plain.set_board_fen(board.board_fen())
    plain.turn, plain.ep_square, plain.castling_rights = board.turn, board.ep_square, board.castling_rights
    return plain.is_checkmate()


def is_dead(board: chess.Board) -> bool:
    return not any(can_win(board, side) for side in chess.COLORS)


def can_win(board: chess.Board, side: chess.Color) -> bool:
    """Whether `side` has anything to win with; in crazyhouse it always has."""
    return isinstance(board, chess.variant.CrazyhouseBoard) or not board.has_insufficient_material(side)


def is_threefold(board: chess.Board) -> bool:
    return board.is_repetition(3)


def points_ahead(board: chess.Board, side: chess.Color) -> int:
    """Material on the board in pawns, from `side`'s view; kings and pockets count nothing."""
    return sum(
        worth * (len(board.pieces(piece, side)) - len(board.pieces(piece, not side)))
        for piece, worth in _POINTS.items()
    )
