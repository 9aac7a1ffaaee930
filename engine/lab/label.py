"""`krait lab label`: branches of games, scored by a UCI engine.

An engine that is asked one position at a time waits for us more than it thinks: here whole blocks of them are
written ahead and the answers read as they come. A block is the branches of some games, scored by an engine
that has forgotten everything before, so the file depends on the settings alone and not on the number of
processes; it is appended block by block, and the notes beside it say how many are whole.
"""

import contextlib
import json
import re
import subprocess
import threading
import time
from collections.abc import Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from engine.core.bits import U64, ZERO, count
from engine.core.jit import kernel
from engine.core.layout import PAWN
from engine.lab import games
from engine.lab.branches import branch, offsets_of
from engine.lab.games import Bytes, Positions
from engine.lab.players import score_said
from engine.lab.positions import append, cut
from engine.lab.selfplay import CP_MOST, move_named

GAMES_A_BLOCK = 100
_BEST = re.compile(rb"^bestmove (\S+).*$", re.MULTILINE)


class LabelError(ValueError):
    """The engine cannot be used; the message says why."""


class Options(NamedTuple):
    files: tuple[Path, ...]
    out: Path
    engine: tuple[str, ...]  # the command
    nodes: int = 100
    share: float = 1.0  # of the scored plies that are left by a random move
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
            "seed": self.seed,
        }


class Block(NamedTuple):
    data: Bytes
    offsets: npt.NDArray[np.int64]


class Answer(NamedTuple):
    score: int | None  # on the scale of the lab's files, for the side to move
    move: str


class Scorer:
    """An engine process; one thread uses it at a time."""

    def __init__(self, command: tuple[str, ...]) -> None:
        self._name = command[0]
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the engine the user asked for
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
            )
        except OSError as error:
            raise LabelError(f"{self._name}: {error.strerror or error}") from error

    def ask(self, fens: list[bytes], nodes: int) -> list[Answer]:
        asked = b"".join(b"position fen %b 0 1\ngo nodes %d\n" % (fen, nodes) for fen in fens)
        head = b"setoption name Hash value 4\nucinewgame\n"
        writer = threading.Thread(target=self._write, args=(head + asked,))
        writer.start()
        try:
            heard = self._hear(len(fens))
        finally:
            writer.join()
        found, begin = [], 0
        for best in _BEST.finditer(heard):
            score = score_said(bytes(heard[begin : best.start()]))
            found.append(Answer(score, best[1].decode("ascii", "replace")))
            begin = best.end()
        return found

    def _hear(self, wanted: int) -> bytearray:
        """What it says until it has named so many moves."""
        heard, answers = bytearray(), 0
        while answers < wanted:
            part = self._process.stdout.read(1 << 18) if self._process.stdout else b""
            if not part:
                raise LabelError(f"{self._name}: the engine ended after {answers} of {wanted} positions")
            seen = heard.rfind(b"\n") + 1
            heard += part
            answers += sum(1 for _ in _BEST.finditer(heard, seen, heard.rfind(b"\n") + 1))
        return heard

    def _write(self, text: bytes) -> None:
        try:
            if self._process.stdin:
                self._process.stdin.write(text)
        except OSError:
            return  # the reader finds the engine gone, and says so

    def kill(self) -> None:
        """End the process; whoever reads from it or writes to it finds it gone."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """After `kill`, when nobody uses it any more."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()


@kernel
def _is_noisy(position: Any, source: int, onto: int) -> bool:
    """Whether the move takes something: en passant is a pawn's step aside to an empty square."""
    occupied = position.occupied
    if occupied >> U64(onto) & U64(1) != ZERO:
        return True
    before = count(occupied & ((U64(1) << U64(source)) - U64(1)))
    piece = position.men[before >> 1] >> 4 * (before & 1) & 15
    return piece % 6 == PAWN and (source - onto) & 7 != 0


def label(block: Block, scorer: Scorer, options: Options) -> Positions:
    """The quiet branches of a block with White's scores; mates are left out."""
    positions, fens = branch(block.data, block.offsets, options.seed, options.share)
    kept = []
    for row, (score, move) in enumerate(scorer.ask(fens, options.nodes)):
        if score is None:
            raise LabelError(f"{options.engine[0]}: no score for {fens[row].decode()}")
        if abs(score) > CP_MOST or len(move) != 4:  # a mate; a promotion, or no move at all
            continue
        position = positions[row]
        if not _is_noisy(position, move_named(move) & 63, move_named(move) >> 6):
            position["score"] = score if position["side"] == 0 else -score
            kept.append(row)
    return positions[kept]


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
    """Results in the order of the blocks; each engine is at most one block ahead."""
    scorers = [Scorer(options.engine) for _ in range(options.processes)]
    pools = [ThreadPoolExecutor(1) for _ in scorers]
    waiting: list[Future[Positions]] = []
    try:
        for number, block in enumerate(todo):
            turn = number % len(scorers)
            waiting.append(pools[turn].submit(label, block, scorers[turn], options))
            if len(waiting) >= 2 * len(scorers):
                yield waiting.pop(0).result()
        for left in waiting:
            yield left.result()
    finally:
        for scorer, pool in zip(scorers, pools, strict=True):
            scorer.kill()
            pool.shutdown(cancel_futures=True)
            scorer.close()


def _resume(options: Options, notes: Path) -> dict[str, Any]:
    """What is done already; ValueError if it was done with other settings."""
    fresh = {"settings": options.notes(), "blocks": 0, "positions": 0}
    if not notes.exists():
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
