"""The ten variants of Lichess over python-chess boards: starts, notation of moves and positions. Pure.

Castling is written two squares of the king in `standard` alone; every other variant writes king takes rook.
"""

import random
import re
from typing import NamedTuple

import chess
import chess.variant

from bot.sandbox.refusal import Refusal, refuse

_UCI = re.compile(r"[a-h][1-8][a-h][1-8][qrbnk]?|[PNBRQ]@[a-h][1-8]")


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
