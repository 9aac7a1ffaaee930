"""python-chess's UCI and XBoard drivers, with an ear of our own and two holes closed.

A search that is cancelled or hurried before the engine said `readyok` would still be started by the driver,
and nobody would stop it: here every `go` that comes too late is followed by a stop. And a stream without line
ends does not fill the memory.
"""

import contextlib
import logging
from typing import TYPE_CHECKING

import chess.engine

from bot.engines.record import Insight, Record

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST_LINE = 1 << 20

logging.getLogger("chess.engine").addHandler(logging.NullHandler())  # engines' chatter stays off the terminal


class Listening(chess.engine.Protocol):
    """Keeps what the engine says of the position at hand, and its last words on stderr."""

    stop_word = "stop"

    def __init__(self) -> None:
        super().__init__()
        self.record = Record()
        self.on_insight: Callable[[Record], None] | None = None
        self.last_words = ""
        self._is_hurried = False
        self._is_asked = False
        self._answer: Insight | None = None

    def begin(self) -> None:
        """Another question is about to be asked; what is said until then belongs to none."""
        self._is_hurried = self._is_asked = False
        self._answer = None

    @property
    def insight(self) -> Insight:
        """What was said of this question: when it was answered, or until now."""
        return self._answer or (self.record.read() if self._is_asked else Insight())

    def hurry(self) -> None:
        """The search under way, or about to begin, shall answer now. Harmless at any other time."""
        self._is_hurried = True
        if self.command is not None and not self.returncode.done():
            self.send_line(self.stop_word)

    def send_line(self, line: str) -> None:
        super().send_line(line)
        if line.startswith(("position", "new", "force")):
            self.record.clear()
        elif line.startswith(("go", "ponderhit")):
            self._is_asked = True
            if self._is_hurried or self._is_cancelled():
                super().send_line(self.stop_word)

    def line_received(self, line: str) -> None:
        if not self._is_asked or self._answer is not None:
            self.record.hear(line)  # it ponders: of use if the guess is right
        elif line.startswith(("bestmove", "move ")):
            self._answer = self.record.read()  # now: to ponder, the driver tells it another position
        elif self.record.hear(line) and self.on_insight is not None:
            self.on_insight(self.record)

    def error_line_received(self, line: str) -> None:
        self.last_words = line.strip() or self.last_words

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        super().pipe_data_received(fd, data)
        if len(self.buffer[fd]) > LONGEST_LINE:
            self.buffer[fd].clear()

    def _is_cancelled(self) -> bool:
        return self.command is not None and self.command.result.cancelled()


class Uci(Listening, chess.engine.UciProtocol):
    """`lines`: how many variations the next question is to be answered with; the first is played."""

    lines = 1

    def _setoption(self, name: str, value: chess.engine.ConfigValue) -> None:
        """`play` asks for the default number of lines each time: this is where another is wished for."""
        super()._setoption(name, self.lines if name == "MultiPV" else value)

    def knows(self, board: chess.Board) -> bool:
        """Whether it offers the rules of this board."""
        if board.chess960 and "UCI_Chess960" not in self.options:
            return False
        if board.uci_variant == "chess":
            return True
        variants = self.options["UCI_Variant"].var if "UCI_Variant" in self.options else None
        return board.uci_variant in (variants or ())


class XBoard(Listening, chess.engine.XBoardProtocol):
    stop_word = "?"

    def knows(self, board: chess.Board) -> bool:
        """Whether it offers the rules of this board."""
        variant = type(board).xboard_variant
        if board.chess960 and variant == "normal":
            variant = "fischerandom"
        offered = str(self.features.get("variants", "normal")).split(",")
        return variant is not None and variant in {name.strip() for name in offered}


Driver = Uci | XBoard


def plainly(board: chess.Board) -> chess.Board | None:
    """The same game by the castling rules of plain chess; None: it needs those of Chess960."""
    plain = board.root()
    plain.chess960 = False
    with contextlib.suppress(ValueError):
        if plain.is_valid():
            for move in board.move_stack:
                plain.push_uci(move.uci())
            return plain
    return None
