"""Two ways to hold a UCI conversation: with a scripted engine in this process, and with the real program."""

import contextlib
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, cast

import pytest

from engine.console import Console
from engine.core.board import new_board
from engine.core.jit import Record
from engine.driver import Answer, Engine, Info, Limits
from engine.notation import START_FEN, NotationError, set_fen
from engine.player import Player
from engine.uci import Uci, read_lines

if TYPE_CHECKING:
    from engine.strength import Strength
    from engine.syzygy import Tables

DEADLINE_S = 60  # only a program that hangs ever meets it
ROOT = Path(__file__).parents[2]


class ScriptedEngine:
    """Keeps a diary. Any move but "e1e8" is legal; `infinite` and `ponder` wait as they should."""

    def __init__(self) -> None:
        self.chess960 = False
        self.multipv, self.overhead_ms = 1, 10
        self.strength: Strength | None = None
        self.tables: Tables | None = None
        self.position: tuple[str, tuple[str, ...]] = (START_FEN, ())
        self.board = new_board()
        set_fen(self.board, START_FEN)
        self.diary: list[str] = []
        self.limits: list[Limits] = []
        self.answer = Answer("e2e4", None, 30, 400)
        self.lines = [Info(4, 6, 1, 30, "", 400, 1000, 5, 0, 7, ("e2e4", "e7e5"))]
        self.breaks_with: Exception | None = None
        self._released = threading.Event()

    def resize(self, hash_mb: int) -> None:
        if hash_mb > 30_000:
            raise MemoryError
        self.diary.append(f"resize {hash_mb}")

    def set_threads(self, count: int) -> None:
        self.diary.append(f"threads {count}")

    def use_net(self, weights: Record) -> None:
        self.diary.append("net used" if weights["used"] else "net unused")

    def new_game(self) -> None:
        self.diary.append("new game")

    def set_position(self, fen: str, moves: Sequence[str]) -> None:
        if "e1e8" in moves or "/" not in fen:
            raise NotationError("no such thing")
        self.position = (fen, tuple(moves))
        self.diary.append(f"position {' '.join(moves)}".strip())

    def search(self, limits: Limits, on_info: Callable[[Info], None]) -> Answer:
        self._released.clear()
        self.limits.append(limits)
        self.diary.append("search")
        for line in self.lines:
            on_info(line)
        if self.breaks_with:
            raise self.breaks_with
        if limits.infinite or limits.ponder:
            self._released.wait()
        self.diary.append("found")
        return self.answer

    def stop(self) -> None:
        self.diary.append("stop")
        self._released.set()

    def ponderhit(self) -> None:
        self.diary.append("ponderhit")
        self._released.set()

    def perft(self, depth: int) -> dict[str, int]:
        self.diary.append(f"perft {depth}")
        return {"a2a3": 380, "b2b3": 420}

    def fen(self) -> str:
        return self.position[0]

    def describe(self) -> str:
        return "a board\nof several lines"

    def breakdown(self) -> str:
        return "terms"


class Talk:
    """One side of a conversation. Reading never blocks for ever, whatever the other side does."""

    def __init__(self, to_engine: IO[bytes], from_engine: IO[bytes]) -> None:
        self._to, self._from = to_engine, from_engine
        self._heard: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        with contextlib.suppress(ValueError, OSError):
            for line in self._from:
                self._heard.put(line.decode().rstrip("\r\n"))
        self._heard.put(None)

    def say(self, *lines: str | bytes) -> None:
        for line in lines:
            self._to.write((line.encode() if isinstance(line, str) else line) + b"\n")
        self._to.flush()

    def hang_up(self) -> None:
        self._to.close()

    def until(self, start: str) -> list[str]:
        """The lines up to and including the first that begins with `start`."""
        lines: list[str] = []
        while True:
            line = self._heard.get(timeout=DEADLINE_S)
            assert line is not None, f"the engine left before {start!r}, having said {lines}"
            lines.append(line)
            if line.startswith(start):
                return lines

    def ask(self, question: str, start: str) -> str:
        """The answer to `question`: the first line that begins with `start`."""
        self.say(question)
        return self.until(start)[-1]

    def sync(self) -> list[str]:
        """What has been said before everything asked so far was done."""
        self.say("isready")
        return self.until("readyok")[:-1]

    def rest(self) -> list[str]:
        """Everything up to the end of the conversation."""
        lines = list(iter(lambda: self._heard.get(timeout=DEADLINE_S), None))
        self._heard.put(None)
        return lines


class Inside(Talk):
    """A conversation with `Uci` in this process; `door` lets the scripted engine come to life."""

    def __init__(self, *, cold: bool = False, closed: bool = False, broken: Exception | None = None) -> None:
        self.engine = ScriptedEngine()
        self.door = threading.Event()
        self.exit_codes: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._cold, self._broken = cold, broken
        if not closed:
            self.door.set()
        (there, to_engine), (from_engine, here) = os.pipe(), os.pipe()
        self._input, self._output = os.fdopen(there, "rb"), os.fdopen(here, "wb")
        super().__init__(os.fdopen(to_engine, "wb"), os.fdopen(from_engine, "rb"))
        console = Console(cast("BinaryIO", self._output), on_broken=lambda: self.exit_codes.put(0))
        self._uci = Uci(console, self._boot, self.exit_codes.put)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _boot(self, console: Console, on_cold: Callable[[], None]) -> Player:
        if self._cold:
            on_cold()
        assert self.door.wait(DEADLINE_S)
        if self._broken:
            raise self._broken
        return Player(cast("Engine", self.engine), console)

    def _run(self) -> None:
        self.exit_codes.put(self._uci.run(read_lines(cast("BinaryIO", self._input))))

    def exit_code(self) -> int:
        return self.exit_codes.get(timeout=DEADLINE_S)

    def close(self) -> None:
        self.door.set()
        self.hang_up()
        self._thread.join(DEADLINE_S)
        for stream in (self._output, self._input):
            with contextlib.suppress(OSError):
                stream.close()
        self._listener.join(DEADLINE_S)
        self._from.close()


class Program(Talk):
    """A conversation with the real program, over pipes."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "engine", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
            env=os.environ | environment,
        )
        assert self.process.stdin
        assert self.process.stdout
        super().__init__(self.process.stdin, self.process.stdout)

    def exit_code(self) -> int:
        return self.process.wait(DEADLINE_S)

    def close(self) -> None:
        self.process.kill()
        self.process.wait(DEADLINE_S)
        with contextlib.suppress(OSError):
            self.hang_up()
        self._listener.join(DEADLINE_S)
        self._from.close()


@pytest.fixture
def inside() -> Iterator[Callable[..., Inside]]:
    with contextlib.ExitStack() as stack:

        def start(*, cold: bool = False, closed: bool = False, broken: Exception | None = None) -> Inside:
            return stack.enter_context(contextlib.closing(Inside(cold=cold, closed=closed, broken=broken)))

        yield start


@pytest.fixture
def talk(inside: Callable[..., Inside]) -> Inside:
    return inside()


@pytest.fixture
def program() -> Iterator[Callable[..., Program]]:
    with contextlib.ExitStack() as stack:
        yield lambda *arguments, **env: stack.enter_context(contextlib.closing(Program(*arguments, **env)))
