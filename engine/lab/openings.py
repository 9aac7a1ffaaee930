"""Opening books: EPD or PGN, plain, in a .zip with one member, or in a .gz.

A book is split into entries when it is loaded and an entry is parsed only when it is played:
parsing all of 35,000 games would take longer than many a match.
"""

import gzip
import io
import random
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import chess
import chess.pgn

_TAG = re.compile(r"\[[A-Za-z]")


class OpeningError(ValueError):
    """Names the file and, where there is one, the line."""


class Opening(NamedTuple):
    """Where a game begins: a position, and moves (UCI text) played from it before the engines are asked."""

    fen: str
    moves: tuple[str, ...]


class Book:
    """Entries of one file, parsed on demand; `len` and `[index]`."""

    def __init__(self, name: str, text: str, chess960: bool) -> None:
        self._name, self._chess960 = name, chess960
        lines = text.splitlines()
        self._is_pgn = any(_TAG.match(line) for line in lines[:100])
        self._entries = _games(lines) if self._is_pgn else _positions(lines)
        if not self._entries:
            raise OpeningError(f"{name}: no openings in it")

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, index: int) -> Opening:
        line, text = self._entries[index]
        try:
            board, moves = self._game(text) if self._is_pgn else self._position(text)
        except ValueError as error:
            raise OpeningError(f"{self._name}:{line}: {error}") from None
        if not board.is_valid():
            raise OpeningError(f"{self._name}:{line}: not a legal position ({board.status()!r})")
        opening = Opening(board.fen(), tuple(_texts(board, moves)))
        if board.is_game_over():
            raise OpeningError(f"{self._name}:{line}: the game is over already")
        return opening

    def _position(self, text: str) -> tuple[chess.Board, list[chess.Move]]:
        fields = text.split(None, 6)
        if len(fields) >= 6 and fields[4].isdigit() and fields[5].rstrip(";").isdigit():
            return chess.Board(" ".join(fields[:6]).rstrip(";"), chess960=self._chess960), []
        board, _ = chess.Board.from_epd(text, chess960=self._chess960)
        return board, []

    def _game(self, text: str) -> tuple[chess.Board, list[chess.Move]]:
        game = chess.pgn.read_game(io.StringIO(text))
        if game is None:
            raise ValueError("no game")
        if game.errors:
            raise ValueError(str(game.errors[0]))
        board = game.board()
        board.chess960 = board.chess960 or self._chess960
        return board, list(game.mainline_moves())


def _texts(board: chess.Board, moves: list[chess.Move]) -> Iterator[str]:
    """UCI texts of the moves; the board is left after the last one."""
    for move in moves:
        yield board.uci(move)
        board.push(move)


def _positions(lines: list[str]) -> list[tuple[int, str]]:
    return [(n, line) for n, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]


def _games(lines: list[str]) -> list[tuple[int, str]]:
    """A game begins at each tag line that does not follow another."""
    starts = [n for n, line in enumerate(lines) if _TAG.match(line) and not (n and _TAG.match(lines[n - 1]))]
    ends = [*starts[1:], len(lines)]
    return [(start + 1, "\n".join(lines[start:end])) for start, end in zip(starts, ends, strict=True)]


def load(path: Path, chess960: bool = False) -> Book:
    return Book(path.name, _text(path), chess960)


def _text(path: Path) -> str:
    try:
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                members = [name for name in archive.namelist() if not name.endswith("/")]
                if len(members) != 1:
                    raise OpeningError(f"{path}: expected one file in the archive, found {len(members)}")
                return archive.read(members[0]).decode("utf-8-sig", "replace")
        if path.suffix == ".gz":
            with gzip.open(path) as stream:
                return stream.read().decode("utf-8-sig", "replace")
        return path.read_text("utf-8-sig", "replace")
    except (OSError, EOFError, zipfile.BadZipFile) as error:
        raise OpeningError(f"{path}: {error}") from None


def order(size: int, seed: int | None, start: int = 0) -> Iterator[int]:
    """Endless indices into a book: from `start` one by one, or each once in an order drawn from `seed`
    and then again in another.
    """
    if seed is None:
        while True:
            yield from ((start + index) % size for index in range(size))
    rng = random.Random(seed)
    indices = list(range(size))
    while True:
        rng.shuffle(indices)
        yield from indices
