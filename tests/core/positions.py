"""What the tests of the core share: positions to start from, random games, and ways to look at a board."""

import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import chess
from hypothesis import Phase, settings
from hypothesis import strategies as st
from numba.types import unliteral

from engine.core.board import new_board
from engine.core.jit import Record
from engine.core.layout import BOARD
from engine.notation import find_move, legal_moves, move_text, set_fen

DATA = Path(__file__).parent / "data"
SUITES = Path(__file__).parents[2].parent / "shared" / "data" / "suites"
# A game that fails a slow twin would take minutes to shrink, and is as good a witness as it is.
UNSHRUNK = settings(phases=[Phase.explicit, Phase.reuse, Phase.generate])
SCRATCH = {"moves", "undo"}  # of `undo` only the rows below `height` mean something


class Counted(NamedTuple):
    name: str
    fen: str
    leaves: dict[int, int]  # of the legal tree, by depth


def read_counted(path: Path) -> list[Counted]:
    """The positions of an EPD file with ;D1 … ;D6 counts; the comment just above a line is its name."""
    found = []
    above = ""
    for line in path.read_text(encoding="ascii").splitlines():
        fen = line.partition(" ;")[0]
        leaves = {int(depth): int(count) for depth, count in re.findall(r";D(\d+) (\d+)", line)}
        if leaves:
            found.append(Counted(above.removeprefix("# ") or fen, fen, leaves))
        above = "" if leaves else line
    return found


TRICKY = read_counted(DATA / "tricky.epd")


# Shortest mates: in how many moves, and where
MATES = (
    (1, "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"),  # back rank
    (1, "5k2/5P2/5K2/8/8/8/8/6B1 w - - 0 1"),  # one bishop is enough
    (2, "5r1k/6pp/7N/8/8/1Q6/8/K7 w - - 0 1"),  # smothered, by a sacrifice
    (2, "7k/8/8/8/8/8/R7/1R5K w - - 0 1"),  # two rooks, by a quiet move
    (3, "5rk1/5Npp/8/8/8/1Q6/8/K7 w - - 0 1"),  # smothered, after a double check
)


class Game(NamedTuple):
    """Both boards at the start, and bytes that choose the moves."""

    fen: str
    choices: bytes

    def slow(self) -> chess.Board:
        return chess.Board(self.fen, chess960=True)

    def walk(self) -> Iterator[tuple[chess.Board, str]]:
        """Each position with the move that leads on; the game ends early when no move is legal."""
        board = self.slow()
        for choice in self.choices:
            moves = sorted(move.uci() for move in board.legal_moves)
            if not moves:
                return
            text = moves[choice % len(moves)]
            yield board, text
            board.push_uci(text)


starts = st.one_of(
    st.just(chess.STARTING_FEN),
    st.integers(0, 959).map(lambda number: chess.Board.from_chess960_pos(number).fen()),
    st.sampled_from([position.fen for position in TRICKY]),
)
games = st.builds(
    Game, starts, st.integers(0, 120).flatmap(lambda plies: st.binary(min_size=plies, max_size=plies))
)


def board_of(fen: str) -> Record:
    board = new_board()
    set_fen(board, fen)
    return board


def end_of(game: Game) -> chess.Board:
    """The last position of a game, without its history."""
    board = game.slow()
    for position, text in game.walk():
        board = position.copy(stack=False)
        board.push_uci(text)
    return board.copy(stack=False)


positions = games.map(end_of)


def names(board: Record) -> list[str]:
    """The legal moves by UCI name, castling as the king takes its rook; a list, so that doubles show."""
    return sorted(move_text(board, move, chess960=True) for move in legal_moves(board))


def moves_of(board: Record, *texts: str) -> list[int]:
    return [find_move(board, text) for text in texts]


def state(board: Record) -> dict[str, bytes]:
    """Everything a board says about its position and its history."""
    fields = {name: board[name].tobytes() for name in BOARD.names or () if name not in SCRATCH}
    return fields | {"undo": board["undo"][: board["height"]].tobytes()}


def compiled_twice(module: ModuleType) -> set[str]:
    """Kernels compiled for several lists of types; a literal handed on by a kernel is no type of its own."""
    kernels = {name: thing.signatures for name, thing in vars(module).items() if hasattr(thing, "signatures")}
    shapes = {name: {tuple(map(unliteral, types)) for types in found} for name, found in kernels.items()}
    return {name for name, found in shapes.items() if len(found) > 1}
