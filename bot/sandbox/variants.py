"""The ten variants of Lichess over python-chess boards: starts, notation, how a game ends and stands. Pure.

Castling is written two squares of the king in `standard` alone; every other variant writes king takes rook.
"""

import random
import re
from enum import Enum
from typing import NamedTuple

import chess
import chess.variant

from bot.sandbox.refusal import Refusal, refuse

_UCI = re.compile(r"[a-h][1-8][a-h][1-8][qrbnk]?|[PNBRQ]@[a-h][1-8]")
_POINTS = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}


class Variant(NamedTuple):
    key: str
    name: str
    short: str
    board: type[chess.Board]
    own_start: bool = False  # its first position is written out, never called `startpos`
    any_rook: bool = False  # the rooks that castle may stand anywhere


VARIANTS = {
    variant.key: variant
    for variant in (
        Variant("standard", "Standard", "Std", chess.Board),
        Variant("chess960", "Chess960", "960", chess.Board, own_start=True, any_rook=True),
        Variant("fromPosition", "From Position", "FEN", chess.Board, own_start=True, any_rook=True),
        Variant("crazyhouse", "Crazyhouse", "Crazy", chess.variant.CrazyhouseBoard),
        Variant("antichess", "Antichess", "Anti", chess.variant.AntichessBoard),
        Variant("atomic", "Atomic", "Atom", chess.variant.AtomicBoard),
        Variant("horde", "Horde", "Horde", chess.variant.HordeBoard, own_start=True),
        Variant("kingOfTheHill", "King of the Hill", "KotH", chess.variant.KingOfTheHillBoard),
        Variant("racingKings", "Racing Kings", "Racing", chess.variant.RacingKingsBoard, own_start=True),
        Variant("threeCheck", "Three-check", "3check", chess.variant.ThreeCheckBoard),
    )
}


def new_board(variant: Variant, fen: str | None = None) -> chess.Board:
    """The board a game of `variant` starts from; ValueError for a FEN that cannot be read."""
    if fen is None:
        return variant.board(chess960=variant.any_rook)
    return variant.board(fen, chess960=variant.any_rook)


def random_start(rng: random.Random) -> str:
    return chess.Board.from_chess960_pos(rng.randrange(960)).fen()


def checked_fen(variant: Variant, fen: str | None) -> str | None:
    """The first position a game is to have, tidied; None: the usual one. ValueError if unplayable."""
    if variant.key == "fromPosition":
        board = new_board(variant, (fen or "").strip())
        board.castling_rights = board.clean_castling_rights()
        if not board.has_legal_en_passant():
            board.ep_square = None
        if not board.is_valid() or board.is_game_over():
            raise ValueError("this position cannot be played")
        return board.fen()
    if variant.key == "chess960":
        if fen is None:
            return None
        board = new_board(variant, fen.strip())
        if board.chess960_pos() is None:
            raise ValueError("this is no first position of Chess960")
        return board.fen()
    return shown_fen(new_board(variant)) if variant.own_start else None


def check_uci(uci: str) -> None:
    """Refuse what cannot be a move on any board."""
    if _UCI.fullmatch(uci) is None:
        raise refuse(f"Invalid UCI: {uci}")


def read_move(variant: Variant, board: chess.Board, uci: str) -> chess.Move:
    """The legal move meant by `uci`, or Lichess's refusal. A promotion left out is to a queen."""
    check_uci(uci)
    for written in (uci, f"{uci}q"):
        try:
            move = chess.Move.from_uci(written) if variant.key == "chess960" else board.parse_uci(written)
        except ValueError:
            continue
        if board.is_legal(
            move
        ):  # Chess960 has castling as king takes rook only, so nothing is translated there
            return move
    raise _illegal(uci)


def _illegal(uci: str) -> Refusal:
    if "@" in uci:
        return refuse(f"Can't drop {uci[0]} on {uci[2:4]}")
    return refuse(f"Piece on {uci[:2]} cannot move to {uci[2:4]}")


def shown_move(variant: Variant, board: chess.Board, move: chess.Move) -> str:
    """`move`, about to be played on `board`, as the stream writes it."""
    return board.uci(move, chess960=variant.key != "standard")


def shown_fen(board: chess.Board) -> str:
    """The position as Lichess writes it: in three-check the checks given stand at the end, as `+1+0`."""
    if not isinstance(board, chess.variant.ThreeCheckBoard):
        return board.fen()
    given = [3 - board.remaining_checks[side] for side in (chess.WHITE, chess.BLACK)]
    parts = board.fen().split()
    return " ".join([*parts[:4], *parts[5:], f"+{given[0]}+{given[1]}"])


def last_move_keys(variant: Variant, board: chess.Board) -> str:
    """The squares to light up: castling as the king walks but in Chess960, a drop as its square twice."""
    if not board.move_stack:
        return ""
    move = board.peek()
    if move.drop is not None:
        return chess.square_name(move.to_square) * 2
    if variant.key == "chess960" or not variant.any_rook:
        return move.uci()[:4]
    before = board.copy(stack=1)
    before.pop()
    return before.uci(move, chess960=False)[:4]


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
