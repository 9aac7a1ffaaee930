"""One engine process, spoken to in UCI over pipes, strictly.

Reads block in `poll` on two descriptors: the engine's output and `wake`, a pipe whose closing ends every
wait with `Stopped`. Time is the runner's own monotonic clock, from before `go` is written to after the
read that brought `bestmove`. What an engine does wrong but survivably is counted in `warnings`; what
ends its game is raised as a `Fault`.

The engine leads a process group of its own, so that Ctrl-C reaches only the runner.
"""

import contextlib
import os
import select
import signal
import subprocess
import tempfile
import time
from collections import Counter
from typing import NamedTuple

from engine.lab.settings import EngineSpec

LINE_MAX = 1 << 20  # an engine that writes so much without a line's end will never end it
QUIT_S = 1.0  # patience with an engine that was told to quit


class Stopped(Exception):  # noqa: N818 -- not an error: the match is being ended
    """The wake pipe was closed."""


class Fault(Exception):  # noqa: N818 -- a loss in the game, not an error of the runner
    """What cost an engine its game: `kind` is counted, `detail` is for people."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind, self.detail = kind, detail


class StartError(RuntimeError):
    """An engine that cannot be used at all: the match cannot go on."""


class Reply(NamedTuple):
    move: str
    elapsed_ms: float
    info: str  # the last line with a score for the best line; "" if there was none


class Patience(NamedTuple):
    """How long to wait for answers that no clock measures."""

    start_s: float = 120.0  # `uci` to `uciok`: the first start of a compiled engine compiles
    answer_s: float = 10.0  # `isready` to `readyok`; `stop` to `bestmove`
    search_s: float = 300.0  # a search limited by depth or nodes only


class UciEngine:
    """Started by the constructor; `go` may be called until it raises a `Fault`, then only `close`."""

    def __init__(self, spec: EngineSpec, wake: int, patience: Patience) -> None:
        self.name, self.patience = spec.name, patience
        self.warnings: Counter[str] = Counter()
        self.options: dict[str, str] = {}  # name -> the line that offered it
        self._buffer, self._arrived_ns = b"", 0
        self._wake = wake
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 -- closed with the process, in `close`
        try:
            self._process = subprocess.Popen(  # noqa: S603 -- the engine the user asked for
                spec.command, cwd=spec.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=self._errors, bufsize=0, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            self._errors.close()
            raise StartError(f"{spec.name}: cannot start {spec.command[0]!r}: {error}") from None
        assert self._process.stdin
        assert self._process.stdout
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(wake, select.POLLIN)
        try:
            self._shake_hands(spec)
        except BaseException:
            self.close()
            raise

    def _shake_hands(self, spec: EngineSpec) -> None:
        try:
            self._send("uci")
            deadline_ns = _in(self.patience.start_s)
            while (line := self._line(deadline_ns, "no uciok")) != "uciok":
                if line.startswith("option name "):
                    self.options[line[12:].split(" type ")[0].strip().lower()] = line
            for name, value in spec.options:
                self.set_option(name, value)
            self._ready(self.patience.start_s, refuse=True)
        except Fault as fault:
            raise StartError(f"{self.name}: {fault}") from None

    def set_option(self, name: str, value: str) -> None:
        """StartError if the engine did not offer it or the value is out of its range: a setting that
        is silently ignored makes a measurement of something else.
        """
        offer = self.options.get(name.lower())
        if offer is None:
            raise StartError(f"{self.name}: it has no option {name!r}")
        words = offer.split(" type ")[1].split() if " type " in offer else []
        if words[:1] == ["spin"]:
            low, high = _after(words, "min"), _after(words, "max")
            try:
                fits = (low is None or int(low) <= int(value)) and (high is None or int(value) <= int(high))
            except ValueError:
                fits = False
            if not fits:
                raise StartError(f"{self.name}: option {name} must be in {low}..{high}, not {value!r}")
        self._send(f"setoption name {name} value {value}" if value else f"setoption name {name}")

    def new_game(self) -> None:
        self._send("ucinewgame")
        self._ready(self.patience.start_s)

    def go(self, position: str, command: str, allowed_ms: float | None) -> Reply:
        """The engine's answer, late or not. `allowed_ms`: when to interrupt it with `stop` (None: when
        patience ends). Fault: it died, or did not answer `stop` either.
        """
        self._send(position)
        self._ready(self.patience.answer_s)
        started_ns = time.monotonic_ns()
        self._send(command)
        info, interrupted = "", False
        wait_s = self.patience.search_s if allowed_ms is None else allowed_ms / 1000
        deadline_ns = started_ns + int(wait_s * 1e9)
        while True:
            try:
                line = self._line(deadline_ns, "no bestmove, not even after stop")
            except Fault as fault:
                if fault.kind != "hang" or interrupted:
                    raise
                self._send("stop")
                deadline_ns, interrupted = _in(self.patience.answer_s), True
                continue
            if line.startswith("bestmove"):
                words = line.split()
                elapsed_ms = (self._arrived_ns - started_ns) / 1e6
                return Reply(words[1] if len(words) > 1 else "", elapsed_ms, info)
            if line.startswith("info ") and " score " in line and _is_best_line(line):
                info = line

    def close(self) -> None:
        """Quit, and kill what does not; never raises for the engine's sake. A second time is nothing."""
        if self._errors.closed:
            return
        with contextlib.suppress(Fault):
            self._send("quit")
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()
        try:
            self._process.wait(QUIT_S)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._errors.close()

    def _ready(self, seconds: float, refuse: bool = False) -> None:
        """`refuse`: StartError when it complains. An option that was not taken measures something else."""
        self._send("isready")
        deadline_ns = _in(seconds)
        while (line := self._line(deadline_ns, "no readyok")) != "readyok":
            if refuse and line.lower().startswith("info string error"):
                raise StartError(f"{self.name}: it says: {line.removeprefix('info string ')}")
            if line.startswith("bestmove"):
                self.warnings["bestmove without go"] += 1

    def _send(self, line: str) -> None:
        try:
            os.write(self._in, line.encode() + b"\n")
        except OSError:
            raise self._death() from None

    def _line(self, deadline_ns: int, complaint: str) -> str:
        """The next line, stripped. Fault `hang` with the complaint once the deadline has passed."""
        while b"\n" not in self._buffer:
            left_ms = (deadline_ns - time.monotonic_ns()) / 1e6
            if left_ms <= 0:
                raise Fault("hang", complaint)
            ready = dict(self._poll.poll(left_ms))
            if self._wake in ready:
                raise Stopped
            if self._out in ready:
                self._read()
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode("utf-8", "replace").strip()

    def _read(self) -> None:
        chunk = os.read(self._out, 1 << 16)
        self._arrived_ns = time.monotonic_ns()
        if not chunk:
            raise self._death()
        self._buffer += chunk
        if len(self._buffer) > LINE_MAX:
            raise Fault("disconnect", "a line without end")

    def _death(self) -> Fault:
        """A clean exit in the middle of a game is a disconnect, anything else a crash."""
        try:
            code = self._process.wait(QUIT_S)
        except subprocess.TimeoutExpired:
            return Fault("disconnect", "it closed its output")
        self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(self._errors.tell() - 2000, 0))
        said = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return Fault("crash" if code else "disconnect", f"{how}{': ' + said[-1] if said else ''}")


def _in(seconds: float) -> int:
    return time.monotonic_ns() + int(seconds * 1e9)


def _after(words: list[str], key: str) -> str | None:
    return words[words.index(key) + 1] if key in words[:-1] else None


def _is_best_line(line: str) -> bool:
    return " multipv " not in line or " multipv 1 " in line
