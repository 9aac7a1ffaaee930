"""The file `krait lab datagen` fills: whole games appended in order, and beside it how they were made.

`games.bin` holds games 0, 1, 2 … of one run and nothing else, so how far the run has come is how many games
are in it. `games.bin.json` holds the settings; a run with others is refused. A process that was killed may
leave a part of one game at the end: it is cut off before anything is appended, and the game is played again.
"""

import contextlib
import fcntl
import json
import os
import struct
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from engine.core.board import copy_board, new_board
from engine.core.jit import Record, kernel
from engine.lab.games import ENTRY, HEADER
from engine.lab.selfplay import ILLEGAL, START, advance
from engine.notation import TABLES

REPLAYED = 200  # games at the end that are replayed move by move; before them lengths are enough
REPAIR_MOST = 1 << 20  # bytes: what is worse than this is no unfinished game, and is for a person to judge

Bytes = npt.NDArray[np.uint8]
Settings = dict[str, Any]  # as JSON has them


class FileError(ValueError):
    """A file that cannot be continued; the message names it and the reason."""


class Extent(NamedTuple):
    """The whole games at the head of a file."""

    games: int
    positions: int  # with a score
    size: int  # bytes


@kernel
def _is_playable(tables: Record, board: Record, data: Bytes, offset: int, plies: int) -> bool:
    for ply in range(plies):
        at = offset + ENTRY * ply
        if advance(tables, board, np.int64(data[at]) | np.int64(data[at + 1]) << 8) == ILLEGAL:
            return False
    return True


def survey(data: Bytes) -> Extent:
    """The longest head that is whole games: by the reader's rules, and none without a scored move."""
    offsets, positions, at = [0], [0], 0
    while len(data) - at >= HEADER:
        plies, result, opening = struct.unpack_from("<HBB", data.data, at)
        at += HEADER + ENTRY * plies
        if result > 2 or opening >= plies or at > len(data):
            break
        offsets.append(at)
        positions.append(positions[-1] + plies - opening)
    games = _whole(data, offsets)
    return Extent(games, positions[games], offsets[games])


def _whole(data: Bytes, offsets: list[int]) -> int:
    """How many games before the first that cannot be replayed, among the last ones."""
    board = new_board()
    for game in range(max(len(offsets) - 1 - REPLAYED, 0), len(offsets) - 1):
        begin, end = offsets[game] + HEADER, offsets[game + 1]
        copy_board(START, board)
        if not _is_playable(TABLES, board, data, begin, (end - begin) // ENTRY):
            return game
    return len(offsets) - 1


def notes_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")


class GameFile:
    """Opened, locked and repaired by the constructor; `append` adds one game, whole or not at all."""

    def __init__(self, path: Path, settings: Settings) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("ab", buffering=0)
        try:
            self._lock()
            _agree(path, settings)
            extent = self._repair()
        except BaseException:
            self._file.close()
            raise
        self.games, self.positions, self._size = extent

    def _repair(self) -> Extent:
        data = np.fromfile(self.path, np.uint8)
        extent = survey(data)
        self.cut = len(data) - extent.size  # bytes of an unfinished game
        if self.cut > REPAIR_MOST:
            raise FileError(
                f"{self.path}: damaged at offset {extent.size}, with {self.cut:,} bytes after it;"
                f" `truncate -s {extent.size} {self.path}` keeps the {extent.games:,} games before"
            )
        self._file.truncate(extent.size)
        return extent

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FileError(f"{self.path}: another run is writing to it") from None

    def append(self, record: bytes) -> None:
        """OSError: the disk took only a part; the file is as it was before."""
        done = 0
        try:
            while done < len(record):
                done += self._file.write(record[done:]) or 0
        except OSError as error:
            with contextlib.suppress(OSError):  # the next start repairs what this cannot
                self._file.truncate(self._size)
            raise OSError(error.errno, error.strerror, str(self.path)) from None
        plies, _, opening = struct.unpack_from("<HBB", record)
        self._size += len(record)
        self.games += 1
        self.positions += plies - opening

    def close(self) -> None:
        os.fsync(self._file.fileno())
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _agree(path: Path, settings: Settings) -> None:
    """Write the settings beside a new file; FileError if an old one was made with others."""
    notes = notes_of(path)
    if path.stat().st_size == 0:
        fresh = notes.with_name(f"{notes.name}.new")
        fresh.write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
        fresh.replace(notes)
        return
    try:
        old = json.loads(notes.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileError(f"{path}: it is not empty, and no {notes.name} says how it was made") from None
    except ValueError as error:
        raise FileError(f"{notes}: not readable: {error}") from None
    if old != settings:
        raise FileError(f"{path}: its games were made with other settings: {_difference(old, settings)}")


def _difference(old: object, new: object, name: str = "") -> str:
    """The settings that differ, by name: there and here."""
    if isinstance(old, dict) and isinstance(new, dict):
        keys = sorted(old.keys() | new.keys())
        parts = [_difference(old.get(key), new.get(key), f"{name} {key}".strip()) for key in keys]
        return ", ".join(part for part in parts if part)
    return "" if old == new else f"{name} {old} there, {new} here"
