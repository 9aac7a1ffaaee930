"""The UCI front end: two threads and a queue.

The MAIN thread reads lines and does at once what cannot wait: `uci`, `isready`, `stop`, `ponderhit`, `quit`.
The WORKER compiles or loads the kernels, then carries out everything else in the order it came. So:

* `uci` is answered before anything is compiled; `isready` after everything that came before it is done.
* During a search `isready` is answered at once. `position`, `setoption`, `ucinewgame`, `d` and `eval` wait
  for its end and apply to the next one, so they cannot disturb it.
* `go` during a search stops that one, lets its `bestmove` out, then searches.
* `quit` and the end of input stop the search, and the program leaves with 0: at once if it is compiling,
  otherwise when what was asked before has been answered (`quit` waits for that only briefly).
* The first word of a line decides. A line that is not understood is answered with one `info string`.
"""

import os
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import redirect_stdout, suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, BinaryIO

from engine import startup
from engine.console import Console
from engine.options import OPTIONS
from engine.ticket import Ticket

if TYPE_CHECKING:
    from engine.player import Player

LONGEST_LINE = 1 << 20  # bytes; the longest game of chess there can be takes 70 kB
QUIT_PATIENCE_S = 2.0  # how long `quit` waits for answers that are due; a stopped search takes milliseconds
WORKER_STACK = 64 << 20  # bytes, of address space only: the search and Numba's compiler are recursive

Job = Callable[["Player"], str]
Boot = Callable[[Console, Callable[[], None]], "Player"]


def read_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Every line, the last even without its newline; of one too long, the first LONGEST_LINE + 1 bytes."""
    with suppress(OSError, ValueError):  # a terminal that went away, a closed file: the end of input
        while line := stream.readline(LONGEST_LINE + 1):
            tail = line
            while tail and not tail.endswith(b"\n"):
                tail = stream.readline(LONGEST_LINE)
            yield line


class Uci:
    """One conversation. `boot` makes the player, in the worker; `abort` ends the program from any thread."""

    def __init__(self, console: Console, boot: Boot, abort: Callable[[int], None]) -> None:
        self._console, self._boot, self._abort = console, boot, abort
        self._jobs: SimpleQueue[tuple[Job, bool] | None] = SimpleQueue()
        self._ticket = Ticket(())
        self._lock = threading.Lock()  # guards the four fields below
        self._busy = False  # a search, perft or bench is running
        self._owed: list[object] = []  # an `isready` each, waiting for its turn in the queue
        self._compiling = False
        self._leaving = False
        self._over = threading.Event()  # nothing is left that is worth waiting for
        self._commands: dict[str, Callable[[str, Sequence[str]], None]] = {
            "uci": self._uci,
            "isready": self._isready,
            "ucinewgame": lambda _line, _words: self._do(lambda player: player.new_game()),
            "setoption": lambda line, _words: self._do(lambda player: player.set_option(line)),
            "position": lambda _line, words: self._do(lambda player: player.position(words)),
            "go": self._go,
            "stop": lambda _line, _words: self._ticket.stop(),
            "ponderhit": lambda _line, _words: self._ticket.ponderhit(),
            "d": lambda _line, _words: self._do(lambda player: player.show()),
            "eval": lambda _line, _words: self._do(lambda player: player.evaluate()),
            "bench": lambda _line, _words: self._do(lambda player: player.bench(), long=True),
            "debug": lambda _line, _words: None,  # we say all we know anyway
            "register": lambda _line, _words: None,  # there is nothing to register
        }

    def run(self, lines: Iterable[bytes]) -> int:
        """Talk until `quit` or the end of `lines`; the result is the program's exit code."""
        threading.Thread(target=self._work, name="worker", daemon=True).start()
        patience = None
        for line in lines:
            if not self._obey(line):
                patience = QUIT_PATIENCE_S
                break
        self._leave(patience)
        return 0

    # --- the main thread ---

    def _obey(self, raw: bytes) -> bool:
        """Act on one line. False: it was `quit`."""
        if len(raw) > LONGEST_LINE:
            self._console.remark(f"a line of more than {LONGEST_LINE} bytes is ignored")
            return True
        line = raw.decode("utf-8", "replace").lstrip("\ufeff").strip()
        name, *words = line.split() or [""]
        if name in self._commands:
            self._commands[name](line, words)
        elif name and name != "quit":
            self._console.remark(f"unknown command: {line[:80]!r}")
        return name != "quit"

    def _do(self, job: Job, *, long: bool = False) -> None:
        self._jobs.put((job, long))

    def _uci(self, _line: str, _words: Sequence[str]) -> None:
        head = f"id name Krait {startup.version()}\nid author the Krait authors"
        self._console.write("\n".join([head, *(option.offer() for option in OPTIONS), "uciok"]))

    def _isready(self, _line: str, _words: Sequence[str]) -> None:
        token = object()
        with self._lock:
            self._owed.append(token)
            if self._busy:
                self._pay_all()
            else:
                self._do(lambda _player: self._pay(token))

    def _go(self, _line: str, words: Sequence[str]) -> None:
        self._ticket.stop()
        if "perft" in words:
            self._do(lambda player: player.perft(words), long=True)
            return
        ticket = self._ticket = Ticket(words)
        self._do(lambda player: player.go(ticket), long=True)

    def _leave(self, patience_s: float | None) -> None:
        self._ticket.stop()
        self._jobs.put(None)
        with self._lock:
            self._leaving = True
            if self._compiling:
                self._over.set()
        self._over.wait(patience_s)
        if self._compiling:
            startup.restore_terminal()

    # --- the worker ---

    def _work(self) -> None:
        try:
            player = self._boot(self._console, self._found_cold)
            self._compiling = False
            for job, long in iter(self._jobs.get, None):
                self._run(player, job, long=long)
        except BaseException as error:  # noqa: BLE001  - without kernels there is no engine: a crash is an exit code
            self._console.remark(f"error cannot go on: {type(error).__name__}: {error}")
            startup.note(traceback.format_exc())
            self._abort(1)
        finally:
            self._over.set()

    def _found_cold(self) -> None:
        with self._lock:
            self._compiling = True
            if self._leaving:
                self._over.set()

    def _run(self, player: "Player", job: Job, *, long: bool) -> None:
        with self._lock:
            self._busy = long
            if long:
                self._pay_all()
        answer = player.attempt(job)
        with self._lock:  # not busy BEFORE the answer is seen: an `isready` sent because of it waits its turn
            self._busy = False
        if answer:
            self._console.write(answer)

    def _pay(self, token: object) -> str:
        with self._lock:
            if token not in self._owed:
                return ""  # paid by the search before it in the queue
            self._owed.remove(token)
            return "readyok"

    def _pay_all(self) -> None:
        """Answer every `isready` that is due: who waits for it must be able to say `stop`."""
        for _ in self._owed:
            self._console.write("readyok")
        self._owed.clear()


def boot(console: Console, on_cold: Callable[[], None]) -> "Player":
    engine = startup.make_engine(on_cold)
    from engine.player import Player  # noqa: PLC0415  - loads Numba, see `startup`

    return Player(engine, console)


def main() -> int:
    """Talk UCI on stdin and stdout. Ends the process itself: the worker may be deep inside LLVM."""
    threading.stack_size(WORKER_STACK)
    if sys.stdin is None or sys.stdout is None:
        return 0
    console = Console(sys.stdout.buffer, on_broken=lambda: os._exit(0))
    with redirect_stdout(sys.stderr):  # a stray print must not reach the GUI
        try:
            code = Uci(console, boot, os._exit).run(read_lines(sys.stdin.buffer))
        except KeyboardInterrupt:
            startup.restore_terminal()
            code = 130
    os._exit(code)
