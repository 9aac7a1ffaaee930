"""What an engine says while it thinks, kept as text and read only when somebody asks.

Reading each line of a flood with its whole variation costs half a millisecond a line in python-chess; looking
whether a line is worth keeping costs one microsecond.
"""

import contextlib
import re
from typing import NamedTuple

from bot.game.nouns import Score, Thought

PV_PLIES = 32  # nobody reads further
_MOVE = re.compile(r"[a-h][1-8][a-h][1-8][nbrqk]?|[PNBRQK]@[a-h][1-8]")
_POST = re.compile(
    r"\s*(\d+)\S*\s+(-?\d+)\s+(\d+)\s+(\d+)\s*(.*)"
)  # XBoard: depth score centiseconds nodes pv
_FURTHER = re.compile(r"info .*\bmultipv ([2-9]) .*\bpv ")
_XBOARD_MATE = 100_000


class Insight(NamedTuple):
    """What one line says; the score is the engine's, so ours when it thinks for us."""

    score: Score | None = None
    depth: int = 0
    nodes: int = 0
    nps: int = 0
    time_ms: int = 0
    pv: tuple[str, ...] = ()
    others: "tuple[Insight, ...]" = ()  # further lines, where more than one was asked for

    def thought(self, uci: str, source: str) -> Thought:
        others = tuple(other.thought(other.pv[0], source) for other in self.others if other.pv[0] != uci)
        return Thought(
            uci, source, self.score, self.depth, self.nodes, self.nps, self.time_ms, self.pv, others=others
        )


class Record:
    """The best line about the position that was told last."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Another position was told: what was said of the last one is of no use."""
        self._line = ""
        self._is_exact = False
        self._others: dict[int, str] = {}

    def hear(self, line: str) -> bool:
        """Whether the line says more of the best move than was known. No bound replaces an exact score."""
        if not _is_worthy(line):
            if (further := _FURTHER.match(line)) is not None:
                self._others[int(further[1])] = line
            return False
        is_exact = "bound " not in line
        if self._is_exact and not is_exact:
            return False
        self._line, self._is_exact = line, is_exact
        return True

    def read(self) -> Insight:
        if not self._line.startswith("info"):
            return read_post(self._line)
        others = (read_uci(line) for _, line in sorted(self._others.items()))
        return read_uci(self._line)._replace(others=tuple(other for other in others if other.pv))


def _is_worthy(line: str) -> bool:
    if line.startswith("info "):
        is_first = " multipv " not in line or " multipv 1 " in line
        return " pv " in line and is_first and not line.startswith("info string")
    return line[:1].isdigit() or line[:1] == " "


def read_uci(line: str) -> Insight:
    """Whatever is not understood is left out."""
    words = iter(line.split())
    numbers: dict[str, int] = {}
    score = None
    for word in words:
        if word == "pv":
            return _insight(numbers, score, tuple(words))
        with contextlib.suppress(ValueError):
            if word in {"depth", "nodes", "nps", "time"}:
                numbers[word] = int(next(words, ""))
            elif word == "score":
                score = _score(next(words, ""), int(next(words, "")))
    return _insight(numbers, score, ())


def read_post(line: str) -> Insight:
    """An XBoard engine's line. Its variation is kept only where it is in coordinates."""
    found = _POST.match(line)
    if found is None:
        return Insight()
    depth, value, centis, nodes = (int(number) for number in found.groups()[:4])
    mate = abs(value) - _XBOARD_MATE
    score = Score(cp=value) if mate < 0 else Score(mate=mate if value > 0 else -mate)
    nps = nodes * 100 // centis if centis else 0
    numbers = {"depth": depth, "nodes": nodes, "nps": nps, "time": centis * 10}
    return _insight(numbers, score, tuple(found[5].split()))


def _score(kind: str, value: int) -> Score | None:
    return Score(mate=value) if kind == "mate" else Score(cp=value) if kind == "cp" else None


def _insight(numbers: dict[str, int], score: Score | None, line: tuple[str, ...]) -> Insight:
    pv = []
    for word in line[:PV_PLIES]:
        if not _MOVE.fullmatch(word):
            break
        pv.append(word)
    get = numbers.get
    return Insight(score, get("depth", 0), get("nodes", 0), get("nps", 0), get("time", 0), tuple(pv))
