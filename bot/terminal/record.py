"""One game: its moves, how it ended, and its PGN. Pure but for the date, which is handed in."""

import datetime as dt
from typing import NamedTuple

import chess
import chess.pgn


class Ending(NamedTuple):
    """A result as PGN writes it, and the reason in words."""

    result: str
    why: str


_REASONS = {
    chess.Termination.CHECKMATE: "checkmate",
    chess.Termination.STALEMATE: "stalemate",
    chess.Termination.INSUFFICIENT_MATERIAL: "neither side can mate",
    chess.Termination.SEVENTYFIVE_MOVES: "seventy-five moves without a capture or a pawn move",
    chess.Termination.FIVEFOLD_REPETITION: "fivefold repetition",
    chess.Termination.FIFTY_MOVES: "fifty moves without a capture or a pawn move",
    chess.Termination.THREEFOLD_REPETITION: "threefold repetition",
}


def win_for(side: chess.Color) -> str:
    return "1-0" if side is chess.WHITE else "0-1"


def ending_on_board(board: chess.Board) -> Ending | None:
    """How the rules end this game, a draw being claimed as soon as it may be; None while it goes on."""
    outcome = board.outcome(claim_draw=True)
    if outcome is None:
        return None
    return Ending(outcome.result(), _REASONS.get(outcome.termination, "the rules of the variant"))


def flag_fall(board: chess.Board, side: chess.Color) -> Ending:
    """`side` has no time left: lost, unless the other side has nothing to mate with."""
    if board.has_insufficient_material(not side):
        return Ending("1/2-1/2", "time ran out, but there is nothing to mate with")
    return Ending(win_for(not side), "time ran out")


def pgn(board: chess.Board, white: str, black: str, ending: Ending | None, day: dt.date) -> str:
    """The whole game as PGN, with its result and the reason where there is one."""
    game = chess.pgn.Game.from_board(board)
    game.headers["Event"] = "A game in the terminal"
    game.headers["Site"] = "Krait"
    game.headers["Date"] = day.strftime("%Y.%m.%d")
    game.headers["White"], game.headers["Black"] = white, black
    game.headers["Result"] = ending.result if ending else "*"
    if ending:
        game.headers["Termination"] = ending.why
    return str(game)


def takeback(board: chess.Board, player: chess.Color) -> bool:
    """Go back to the last turn of `player`; False, and nothing changed, when there is none."""
    plies = 2 if board.turn is player else 1
    if len(board.move_stack) < plies:
        return False
    for _ in range(plies):
        board.pop()
    return True
