"""The textbook as a UCI program: slow, but it plays every variant of Lichess; the compiled engine does not.

The main thread reads lines, a second one searches. A `go` while it searches stops that search first; whatever
else changes the position waits for its end.
"""

import itertools
import sys
import threading
from collections.abc import Iterable, Sequence
from typing import TextIO

import chess
import chess.variant

from engine import startup, timeman
from engine.classic.deepening import DEEPEST, Found, Limits, Searcher
from engine.classic.rules import MATE

VARIANTS = ("chess", "3check", "antichess", "atomic", "crazyhouse", "horde", "kingofthehill", "racingkings")
OVERHEAD_MS = 20  # a Python search looks at its clock at every node, but the way out takes a while
GREETING = (
    "id author the Krait authors",
    "option name UCI_Variant type combo default chess " + " ".join(f"var {name}" for name in VARIANTS),
    "option name UCI_Chess960 type check default false",
    "option name MoveOverhead type spin default 20 min 0 max 5000",
    "uciok",
)


class Textbook:
    """One conversation."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._searcher = Searcher()
        self._search: threading.Thread | None = None
        self._options = {"uci_variant": "chess", "uci_chess960": "false", "moveoverhead": str(OVERHEAD_MS)}
        self._board: chess.Board = chess.Board()

    def run(self, lines: Iterable[str]) -> int:
        for line in lines:
            name, *words = line.split() or [""]
            if name == "quit":
                break
            try:
                self._obey(name, words)
            except ValueError as error:
                self._say(f"info string {error}")
        self._wait(stop=True)
        return 0

    def _obey(self, name: str, words: Sequence[str]) -> None:
        match name:
            case "uci":
                self._say(f"id name Krait textbook {startup.version()}", *GREETING)
            case "isready":
                self._say("readyok")
            case "stop":
                self._wait(stop=True)
            case "ucinewgame":
                self._wait(stop=True)
                self._searcher = Searcher()
            case "setoption":
                self._set(words)
            case "position":
                self._wait(stop=True)
                self._board = self._read(words)
            case "go":
                self._wait(stop=True)
                self._search = threading.Thread(target=self._go, args=(words,), daemon=True)
                self._search.start()

    def _say(self, *lines: str) -> None:
        self._out.write("\n".join([*lines, ""]))
        self._out.flush()

    def _wait(self, *, stop: bool) -> None:
        if self._search is not None:
            while self._search.is_alive():
                if stop:
                    self._searcher.stop()  # again and again: a search that has not begun forgets it
                self._search.join(0.01)
            self._search = None

    def _set(self, words: Sequence[str]) -> None:
        text = " ".join(words)
        name, _, value = text.removeprefix("name ").partition(" value ")
        if name.lower() not in self._options:
            raise ValueError(f"no option {name!r}")
        if name.lower() == "uci_variant" and value not in VARIANTS:
            raise ValueError(f"{value!r} is none of {', '.join(VARIANTS)}")
        if name.lower() == "moveoverhead" and not value.isdecimal():
            raise ValueError(f"MoveOverhead is a number of milliseconds, not {value!r}")
        self._options[name.lower()] = value

    def _read(self, words: Sequence[str]) -> chess.Board:
        """ValueError: no such position, or a move that is not legal in it."""
        kind = chess.variant.find_variant(self._options["uci_variant"])
        chess960 = self._options["uci_chess960"] == "true"
        split = words.index("moves") if "moves" in words else len(words)
        fen = " ".join(words[1:split]) if words[:1] == ["fen"] else kind.starting_fen
        board = kind(fen, chess960=chess960)
        for uci in words[split + 1 :]:
            board.push_uci(uci)
        return board

    def _go(self, words: Sequence[str]) -> None:
        board = self._board.copy()
        found = self._searcher.find(board, self._limits(words, board), self._tell)
        move = self._board.uci(found.move) if found.move else "0000"
        self._say(f"bestmove {move}")

    def _limits(self, words: Sequence[str], board: chess.Board) -> Limits:
        given = {key: int(value) for key, value in itertools.pairwise(words) if _is_number(value)}
        overhead_ms = int(self._options["moveoverhead"])
        time_ms: float | None = None
        side = "w" if board.turn else "b"
        if "movetime" in given:
            time_ms = timeman.movetime(given["movetime"], overhead_ms).hard_ms
        elif f"{side}time" in given:
            clock = timeman.Clock(given[f"{side}time"], given.get(f"{side}inc", 0), given.get("movestogo"))
            time_ms = timeman.budget(clock, overhead_ms, board.ply()).soft_ms
        return Limits(given.get("depth", DEEPEST), given.get("nodes"), time_ms)

    def _tell(self, found: Found) -> None:
        near = MATE - abs(found.score)
        mate = (near + 1) // 2 if found.score > 0 else -(near // 2)
        score = f"mate {mate}" if near <= DEEPEST else f"cp {found.score}"
        pv = self._board.uci(found.move) if found.move else ""
        self._say(f"info depth {found.depth} score {score} nodes {found.nodes} pv {pv}")


def _is_number(text: str) -> bool:
    return text.removeprefix("-").isdecimal()


def main() -> int:
    return Textbook(sys.stdout).run(sys.stdin)
