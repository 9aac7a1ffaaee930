"""One `go`, seen from the thread that reads commands."""

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.driver import Engine, Limits


class Ticket:
    """A stop or a ponderhit names the search it is for: it may come before that search begins, and is kept,
    or after it has ended, and is forgotten. It never touches another search.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words  # what follows `go`
        self._lock = threading.Lock()
        self._engine: Engine | None = None  # from begin to end
        self._stopped = self._hit = self._pondering = self._heard = False

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            self._pass_on()

    def ponderhit(self) -> None:
        with self._lock:
            self._hit = True
            self._pass_on()

    def begin(self, engine: "Engine", limits: "Limits") -> "Limits":
        """The limits as they are by now: perhaps already stopped, or no longer pondering."""
        with self._lock:
            self._engine = engine
            if self._stopped:
                return limits._replace(depth=1, infinite=False, ponder=False)
            self._pondering = limits.ponder and not self._hit
            return limits._replace(ponder=self._pondering)

    def heard(self) -> None:
        """The engine reports, so it is inside this search: repeat what it may have been told too early."""
        with self._lock:
            self._heard = True
            self._pass_on()

    def end(self) -> None:
        with self._lock:
            self._engine = None

    def _pass_on(self) -> None:
        if self._engine is None:
            return
        if self._stopped:
            self._engine.stop()
        elif self._hit and self._pondering and self._heard:
            self._pondering = False  # a second ponderhit must not start the clock again
            self._engine.ponderhit()
