"""The one door to stdout, for every thread: whole lines, each flushed, nothing half written."""

import threading
from collections.abc import Callable
from typing import BinaryIO

_LONGEST_REMARK = 400  # characters; what we quote may be a megabyte long


class Console:
    def __init__(self, stream: BinaryIO, on_broken: Callable[[], None]) -> None:
        """`on_broken` is called, from any thread, once nobody reads `stream` any more."""
        self._stream = stream
        self._on_broken = on_broken
        self._lock = threading.Lock()

    def write(self, text: str) -> None:
        """Write `text`, one line or several, as one piece."""
        try:
            with self._lock:
                self._stream.write(text.encode("utf-8", "backslashreplace") + b"\n")
                self._stream.flush()
        except (OSError, ValueError):  # ValueError: the stream has been closed
            self._on_broken()

    def remark(self, text: str) -> None:
        """Tell the person behind the GUI something, on one line whatever it quotes."""
        printable = "".join(c if c.isprintable() else " " for c in text[:_LONGEST_REMARK])
        self.write(f"info string {printable}")
