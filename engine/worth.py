"""What the net makes of a position: its score, and what each man is worth to it, by taking him away."""

from collections.abc import Mapping

from engine import meaning
from engine.core import nnue
from engine.core.board import complete, copy_board, new_board
from engine.core.jit import Record
from engine.core.layout import EMPTY, KING
from engine.notation import FILES, TABLES

LETTERS = "PNBRQKpnbrqk"


def net_score(board: Record, evaluator: Record, weights: Record) -> int:
    """The net's centipawns as the search takes them, for White, whoever is to move."""
    score = int(nnue.output(board, evaluator, weights))
    return score if board["side"] == 0 else -score


def worths(board: Record, evaluator: Record, weights: Record) -> dict[int, int]:
    """By square: how much lower White's score is without the man there. A king cannot be taken away."""
    whole = net_score(board, evaluator, weights)
    found = {}
    for square in range(64):
        man = int(board["squares"][square])
        if man != EMPTY and man % 6 != KING:
            found[square] = whole - net_score(_without(board, square), evaluator, weights)
    return found


def _without(board: Record, square: int) -> Record:
    made = new_board()
    copy_board(board, made)
    man = int(made["squares"][square])
    left = ~(1 << square) & 0xFFFF_FFFF_FFFF_FFFF
    made["squares"][square] = EMPTY
    made["pieces"][man % 6] &= left
    made["colours"][man // 6] &= left
    made["castling"], made["ep"] = 0, -1
    complete(TABLES, made)
    return made


def picture(board: Record, worth: Mapping[int, int]) -> str:
    """The board, each man over what he is worth in pawns, White's gain being positive."""
    rule = "   +" + "-------+" * 8
    lines = [rule]
    for rank in range(7, -1, -1):
        squares = range(8 * rank, 8 * rank + 8)
        men = [int(board["squares"][square]) for square in squares]
        lines += [
            f" {rank + 1} |" + "|".join(f"{LETTERS[man] if man != EMPTY else '':^7}" for man in men) + "|",
            "   |" + "|".join(_cell(worth.get(square)) for square in squares) + "|",
            rule,
        ]
    return "\n".join([*lines, "    " + " ".join(f"{file:^7}" for file in FILES)])


def _cell(centipawns: int | None) -> str:
    return f"{centipawns / 100:^+7.2f}" if centipawns is not None else " " * 7


def describe(board: Record, evaluator: Record, weights: Record) -> str:
    """For people: what each man is worth, and the score."""
    if not weights["used"]:
        return "no net is in use"
    shown = meaning.of(board["pieces"]).shown
    white = shown(net_score(board, evaluator, weights))
    missed = {square: shown(value) for square, value in worths(board, evaluator, weights).items()}
    mover, score = ("White", white) if board["side"] == 0 else ("Black", -white)
    return "\n".join(
        [
            "What the net would miss if a man were gone, in pawns, White's gain positive:",
            "",
            picture(board, missed),
            "",
            f"net        {white / 100:+.2f} pawns for White",
            f"           {score / 100:+.2f} pawns for {mover}, to move",
        ]
    )
