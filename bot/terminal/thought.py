"""What the engine thinks, in a line a player can read. Pure."""

import chess

from engine import meaning
from engine.driver import MATE, MATE_BOUND, Info

LINE_MOVES = 6


def score_text(score: int) -> str:
    """`+0.34`, `mate in 3`, `mated in 2`: for the side whose score it is."""
    if abs(score) < MATE_BOUND:
        return f"{score / 100:+.2f}"
    moves = (MATE - abs(score) + 1) // 2
    return f"mate in {moves}" if score > 0 else f"mated in {moves}"


def shown(board: chess.Board, score: int) -> int:
    """A score of the search in this position as people are told it: +1.00 wins every second game."""
    men = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    return meaning.of(men).shown(score)


def line_text(board: chess.Board, line: tuple[str, ...]) -> str:
    """UCI moves as a player writes them; the line ends early where it is not legal."""
    replay, sans = board.copy(stack=False), list[str]()
    for text in line[:LINE_MOVES]:
        try:
            move = replay.parse_uci(text)
        except ValueError:
            break
        sans.append(replay.san(move))
        replay.push(move)
    return " ".join(sans)


def thought_text(board: chess.Board, info: Info) -> str:
    """`depth 14  +0.34  1.9 Mn/s  Nf3 d5 d4`"""
    speed = f"{info.nps / 1e6:.1f} Mn/s"
    score = score_text(shown(board, info.score))
    return f"depth {info.depth}  {score}  {speed}  {line_text(board, info.pv)}".rstrip()
