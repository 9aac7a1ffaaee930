"""Time: the source the whole sandbox reads, and the two clocks of one game as Lichess's server keeps them."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import chess

STEP_MS = 10  # Lichess counts in hundredths of a second
Now = Callable[[], int]


def wall_ms() -> int:
    return time.time_ns() // 1_000_000


class SandboxClock:
    """Wall milliseconds that can be pushed forward or stopped, and never run back."""

    def __init__(self, source: Now = wall_ms) -> None:
        self._source = source
        self._ahead_ms = 0
        self._frozen_at: int | None = None
        self._latest = source()

    def __call__(self) -> int:
        now = self._source() + self._ahead_ms if self._frozen_at is None else self._frozen_at
        self._latest = max(self._latest, now)  # the wall clock of a machine may be set back; ours may not
        return self._latest

    @property
    def is_frozen(self) -> bool:
        return self._frozen_at is not None

    def advance(self, ms: int) -> None:
        """Jump `ms` forward, frozen or not. ValueError for a jump back."""
        if ms < 0:
            raise ValueError("time does not run back")
        if self._frozen_at is None:
            self._ahead_ms += ms
        else:
            self._frozen_at += ms

    def freeze(self) -> None:
        if self._frozen_at is None:
            self._frozen_at = self()

    def thaw(self) -> None:
        """Go on from where time stood; what passed meanwhile never happened."""
        if self._frozen_at is not None:
            self._ahead_ms = self._frozen_at - self._source()
            self._frozen_at = None


@dataclass
class GameClock:
    """Two clocks of which at most one runs. What they show is a multiple of 10 ms and never below zero.

    `left` is what each side had when last stopped; the side `ticking` has been thinking since `since_ms`.
    Nobody is compensated for lag: a bot's whole round trip is on its clock.
    """

    initial_ms: int
    increment_ms: int
    left: dict[chess.Color, int] = field(default_factory=dict)
    ticking: chess.Color | None = None
    since_ms: int = 0

    def __post_init__(self) -> None:
        if not self.left:
            self.left = dict.fromkeys(chess.COLORS, self.initial_ms)

    def spent_ms(self, side: chess.Color, now_ms: int) -> int:
        """What `side` has thought about the move at hand, in whole steps."""
        if side is not self.ticking:
            return 0
        return max(0, now_ms - self.since_ms) // STEP_MS * STEP_MS

    def left_ms(self, side: chess.Color, now_ms: int) -> int:
        return max(0, self.left[side] - self.spent_ms(side, now_ms))

    def is_flagged(self, now_ms: int) -> bool:
        return self.ticking is not None and self.left_ms(self.ticking, now_ms) == 0

    @property
    def flag_at_ms(self) -> int | None:
        """The first moment at which `is_flagged` holds if nobody moves."""
        return None if self.ticking is None else self.since_ms + self.left[self.ticking]

    def run(self, side: chess.Color, now_ms: int) -> None:
        """From now on it is `side` that thinks; what the other has spent on its move so far is not taken."""
        self.ticking, self.since_ms = side, now_ms

    def press(self, side: chess.Color, now_ms: int, *, adds: bool = True) -> None:
        """`side` has moved: take what it spent, add the increment (a move that ends the game earns none)."""
        if self.ticking is None:
            return
        self.left[side] = self.left_ms(side, now_ms) + (self.increment_ms if adds else 0)
        self.run(not side, now_ms)

    def stop(self, now_ms: int) -> None:
        """The game is over: the clocks keep what they show."""
        if self.ticking is not None:
            self.left[self.ticking] = self.left_ms(self.ticking, now_ms)
            self.ticking = None

    def give(self, side: chess.Color, ms: int) -> None:
        self.left[side] += ms // STEP_MS * STEP_MS
