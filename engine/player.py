"""What the commands that need the engine do. One thread runs them, one after another, in the order they came.

Every command returns what is to be printed when it is over; `info` lines go out on the way.
"""

import threading
import traceback
from collections.abc import Sequence

from engine import bench, strength
from engine.console import Console
from engine.driver import MATE, MATE_BOUND, Answer, Engine, Info, Limits
from engine.golimits import Asked
from engine.notation import START_FEN, NotationError
from engine.options import Refused, Settings
from engine.startup import note

_MOST_COMPLAINTS = 3  # about one line: a megabyte of nonsense is not answered with two


class Search:
    """One `go`. A stop or a ponderhit names the search it is for: it may come before that search has begun,
    where it is kept, or after it has ended, where it is forgotten. It never touches another search.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words
        self._lock = threading.Lock()
        self._engine: Engine | None = None  # while it runs
        self._alive = False  # the engine has reported: from here on it hears us
        self._stopped = self._hit = self._done = False

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            if self._engine:
                self._engine.stop()

    def ponderhit(self) -> None:
        with self._lock:
            first, self._hit = not self._hit, True
            if self._engine and self._alive and first:
                self._engine.ponderhit()

    def begin(self, engine: Engine, limits: Limits) -> Limits:
        """The limits as they are by now: already stopped, already no longer pondering."""
        with self._lock:
            self._engine = engine
            if self._stopped:
                return limits._replace(depth=1, infinite=False, ponder=False)
            return limits._replace(ponder=limits.ponder and not self._hit)

    def reported(self, *, pondering: bool) -> None:
        """The engine is inside the search now: repeat what it may have been told too early to hear."""
        with self._lock:
            if self._engine and self._stopped:
                self._engine.stop()
            elif self._engine and self._hit and pondering and not self._alive:
                self._engine.ponderhit()
            self._alive = True

    def end(self) -> None:
        with self._lock:
            self._engine = None
