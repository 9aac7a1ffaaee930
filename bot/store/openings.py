"""What an opening is called: the longest known line a game begins with. Pure but for reading a folder.

Lines are kept by SAN, as books write them: a file of thousands is read without playing a single move.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bot.errors import ConfigError
from bot.store.opening_lines import LINES


class Opening(NamedTuple):
    eco: str
    name: str


class Openings:
    """`longest`: no line has more plies, so a game need not be named after them."""

    def __init__(self, lines: dict[tuple[str, ...], Opening]) -> None:
        self._lines = lines
        self.longest = max(map(len, lines), default=0)

    def __len__(self) -> int:
        return len(self._lines)

    def find(self, sans: Sequence[str]) -> Opening | None:
        """The name of the longest line that `sans` begins with; None: not even the first move has one."""
        begun = tuple(sans[: self.longest])
        found = (self._lines.get(begun[:plies]) for plies in range(len(begun), 0, -1))
        return next((opening for opening in found if opening is not None), None)


def own_openings() -> Openings:
    """The best known names, which we bring ourselves."""
    rows = (row.split(maxsplit=1)[0:1] + row.split(maxsplit=1)[1].split(" = ") for row in LINES)
    return Openings({_line(moves): Opening(eco, name) for eco, name, moves in rows})


def read_openings(folder: Path) -> Openings:
    """From every `*.tsv` in `folder`: the columns `eco`, `name` and `pgn`, named in the first line."""
    files = sorted(folder.glob("*.tsv"))
    if not files:
        raise ConfigError(f"names_dir: no .tsv file in {folder}; name a folder of them, or leave it empty")
    lines: dict[tuple[str, ...], Opening] = {}
    for file in files:
        try:
            head, *rows = file.read_text(encoding="utf-8").splitlines()
            eco, name, pgn = (head.split("\t").index(column) for column in ("eco", "name", "pgn"))
            for cells in (row.split("\t") for row in rows if row.strip()):
                lines[_line(cells[pgn])] = Opening(cells[eco], cells[name])
        except (ValueError, IndexError, OSError) as error:
            raise ConfigError(
                f"names_dir: {file} is no table with columns eco, name and pgn ({error})"
            ) from None
    return Openings(lines)


def _line(pgn: str) -> tuple[str, ...]:
    """`1. e4 e5 2. Nf3` without its numbers."""
    words = (word.rpartition(".")[2] for word in pgn.split())
    return tuple(word for word in words if word)
