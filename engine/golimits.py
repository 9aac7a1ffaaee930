"""What a `go` line asks for. Words it cannot use are complained of and skipped: the rest still counts."""

import re
from collections import deque
from collections.abc import Iterable

from engine.driver import Limits
from engine.timeman import Clock

HUGE = 10**12  # milliseconds or nodes: more than anyone waits for, and far from the end of an int64
_NUMBERS = frozenset(
    ("wtime", "btime", "winc", "binc", "movestogo", "depth", "nodes", "movetime", "mate", "perft")
)
_FLAGS = frozenset(("infinite", "ponder"))
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_MOVE = re.compile(r"[a-h][1-8][a-h][1-8][nbrqk]?")


class Asked:
    """The words after `go`, sorted by kind; numbers are within ±HUGE."""

    def __init__(self, words: Iterable[str]) -> None:
        self.numbers: dict[str, int] = {}
        self.flags: set[str] = set()
        self.moves: list[str] = []
        self.complaints: list[str] = []
        rest = deque(words)
        while rest:
            self._take(rest.popleft(), rest)

    def _take(self, word: str, rest: deque[str]) -> None:
        """Sort `word` in, together with what belongs to it at the head of `rest`."""
        if word in _FLAGS:
            self.flags.add(word)
        elif word == "searchmoves":
            while rest and _MOVE.fullmatch(rest[0]):
                self.moves.append(rest.popleft())
        elif word not in _NUMBERS:
            self.complaints.append(f"go: {word[:40]!r} is not understood and ignored")
        elif rest and _INTEGER.fullmatch(rest[0]):
            self.numbers[word] = max(-HUGE, min(HUGE, int(rest.popleft())))
        else:
            self.complaints.append(f"go: {word} lacks its number and is ignored")

    def limit(self, name: str) -> int | None:
        """An explicit limit. Zero and less mean the least there is: a search that ends is safe."""
        number = self.numbers.get(name)
        return None if number is None else max(number, 1)

    def clock(self, *, white: bool) -> Clock | None:
        """The clock of the side to move; the other's if only that was given, rather than think for ever."""
        own, other = ("w", "b") if white else ("b", "w")
        left = self.numbers.get(f"{own}time", self.numbers.get(f"{other}time"))
        if left is None:
            return None
        to_go = self.numbers.get("movestogo", 0)
        return Clock(left, self.numbers.get(f"{own}inc", 0), to_go if to_go > 0 else None)

    def limits(self, *, white: bool) -> Limits:
        return Limits(
            depth=self.limit("depth"),
            nodes=self.limit("nodes"),
            movetime_ms=self.limit("movetime"),
            mate=self.limit("mate"),
            infinite="infinite" in self.flags,
            ponder="ponder" in self.flags,
            clock=self.clock(white=white),
            searchmoves=tuple(self.moves),
        )
