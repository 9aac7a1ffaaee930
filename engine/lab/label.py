"""`krait lab label`: branches of games, scored by a UCI engine or by the net inside one.

With no nodes to search, the engine's net is asked itself (`engine.lab.teacher`), and exchanges are played out
before. Otherwise the engine reads a block's questions from one file and writes its answers to another, and
nobody waits for anybody: reading its lines as they came, in Python, cost several times what the searches do.
A process is held to one processor, because Stockfish hands each search to a second thread.

A block is the branches of some games, scored by itself, so the file depends on the settings alone and not on
the number of processes; it is appended block by block, and the notes beside it say how many are whole.
"""

import contextlib
import itertools
import json
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from engine.lab import answers, games, teacher
from engine.lab.branches import branch, offsets_of
from engine.lab.games import Bytes, Positions
from engine.lab.positions import append, cut

GAMES_A_BLOCK = 400
AHEAD = 16  # blocks of one process: another may have to wait for its processor


class LabelError(ValueError):
    """The engine cannot be used; the message says why."""


class Options(NamedTuple):
    files: tuple[Path, ...]
    out: Path
    engine: tuple[str, ...]  # the command
    nodes: int = 20  # 0: the word of its net, without a search
    share: float = 1.0  # of the scored plies that are left by random moves
    moves: int = 1  # at most so many of them, at least one
    line: int = 1  # quiet positions to keep of each line that the engine foretells
    seed: int = 1
    processes: int = 1
    positions: int | None = None  # enough; None: all

    def notes(self) -> dict[str, Any]:
        """What the file depends on."""
        return {
            "files": [path.name for path in self.files],
            "engine": [Path(self.engine[0]).name, *self.engine[1:]],
            "nodes": self.nodes,
            "share": self.share,
            "moves": self.moves,
            "line": self.line,
            "seed": self.seed,
        }


class Block(NamedTuple):
    data: Bytes
    offsets: npt.NDArray[np.int64]


class Scorers:
    """Runs an engine process for each block; any number of threads may ask at once."""

    def __init__(self, command: tuple[str, ...]) -> None:
        self._command = command
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock, self._killed = threading.Lock(), False

    def ask(self, fens: list[bytes], nodes: int) -> Bytes:
        """All that the engine says; LabelError when it cannot be started."""
        with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as said:
            asked.write(b"setoption name Hash value 4\nucinewgame\n")
            asked.writelines(b"position fen %b 0 1\ngo nodes %d\n" % (fen, nodes) for fen in fens)
            asked.write(b"position startpos\ngo nodes 1\nquit\n")  # what the end of input may cut short
            asked.seek(0)
            process = self._start(asked.fileno(), said.fileno())
            process.wait()
            with self._lock:
                self._running.discard(process)
            said.seek(0)
            return np.frombuffer(said.read(), np.uint8)

    def _start(self, asked: int, said: int) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._killed:
                raise LabelError("stopped")
            try:
                process = subprocess.Popen(self._command, stdin=asked, stdout=said)  # noqa: S603 - the user's
            except OSError as error:
                raise LabelError(f"{self._command[0]}: {error.strerror or error}") from error
            self._running.add(process)
        return process

    def kill(self) -> None:
        """End every process; those who wait for one find it gone, and no other begins."""
        with self._lock:
            self._killed = True
            for process in self._running:
                process.kill()


def label(block: Block, scorers: Scorers, options: Options) -> Positions:
    """The branches of a block, or the quiet ends of their exchanges, with White's scores; no mates."""
    positions, fens = branch(block.data, block.offsets, options.seed, options.share, options.moves)
    heard = answers.read(scorers.ask(fens, options.nodes), positions, options.line)
    if heard.answers < len(fens):
        raise LabelError(
            f"{options.engine[0]}: the engine ended after {heard.answers} of {len(fens)} positions"
        )
    if heard.wordless >= 0:
        raise LabelError(f"{options.engine[0]}: no score for {fens[heard.wordless].decode()}")
    return heard.positions


def ask_net(block: Block, net: teacher.Teacher, options: Options) -> Positions:
    """The quiet ends of a block's branches, with White's scores by the teacher's net."""
    found, _ = branch(block.data, block.offsets, options.seed, options.share, options.moves, settled=True)
    found["score"] = teacher.scores(found, net)
    return found


def blocks(files: tuple[Path, ...]) -> Iterator[Block]:
    for path in files:
        games.read(path)  # refuses what is not whole
        data = games.content(path)
        offsets = offsets_of(data)
        for first in range(0, len(offsets), GAMES_A_BLOCK):
            yield Block(data, offsets[first : first + GAMES_A_BLOCK])


def run(options: Options, console: Console) -> int:
    """The whole command; returns how many positions the file holds."""
    notes = options.out.with_name(f"{options.out.name}.json")
    state = _resume(options, notes)
    todo = list(blocks(options.files))[state["blocks"] :]
    began, before = time.monotonic(), state["positions"]
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[speed]}"),
        TimeRemainingColumn(),
    )
    with (
        Progress(*columns, console=console, disable=not console.is_terminal) as bar,
        contextlib.closing(_in_order(todo, options)) as labelled,
    ):
        task = bar.add_task("labelling", total=len(todo), speed="")
        for done, found in enumerate(labelled, 1):
            append(options.out, found)
            state["blocks"] += 1
            state["positions"] += len(found)
            _write(notes, state)
            speed = (state["positions"] - before) / (time.monotonic() - began)
            line = f"{state['positions']:,} positions, {speed:,.0f}/s"
            bar.update(task, completed=done, speed=line)
            if not console.is_terminal and done % 20 == 0:
                console.print(f"block {state['blocks']:,}: {line}", highlight=False)
            if options.positions and state["positions"] >= options.positions:
                break
    return int(state["positions"])


def _in_order(todo: list[Block], options: Options) -> Generator[Positions]:
    """Results in the order of the blocks; few are ahead of the one that is waited for."""
    scorers, turns = Scorers(options.engine), itertools.count()
    work: Callable[[Block], Positions]
    if options.nodes == 0:
        work = partial(ask_net, net=teacher.find(options.engine[0]), options=options)
    else:
        work = partial(label, scorers=scorers, options=options)
    pool = ThreadPoolExecutor(options.processes, initializer=lambda: _hold(next(turns)))
    waiting: list[Future[Positions]] = []
    try:
        for block in todo:
            waiting.append(pool.submit(work, block))
            if len(waiting) >= AHEAD * options.processes:
                yield waiting.pop(0).result()
        for left in waiting:
            yield left.result()
    finally:
        scorers.kill()
        pool.shutdown(cancel_futures=True)


def _hold(turn: int) -> None:
    """Keep this thread and the processes it starts on one processor, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        allowed = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {allowed[turn % len(allowed)]})


def _resume(options: Options, notes: Path) -> dict[str, Any]:
    """What is done already; ValueError if it was done with other settings."""
    fresh = {"settings": options.notes(), "blocks": 0, "positions": 0}
    if not notes.exists():
        options.out.parent.mkdir(parents=True, exist_ok=True)
        cut(options.out, 0)
        _write(notes, fresh)
        return fresh
    state: dict[str, Any] = json.loads(notes.read_text(encoding="utf-8"))
    if state["settings"] != fresh["settings"]:
        raise LabelError(f"{options.out} was made with other settings ({notes}); choose another file")
    cut(options.out, state["positions"])
    return state


def _write(notes: Path, state: dict[str, Any]) -> None:
    part = notes.with_suffix(".part")
    part.write_text(json.dumps(state, indent=2), encoding="utf-8")
    part.replace(notes)
