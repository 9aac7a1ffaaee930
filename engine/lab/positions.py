"""Files of packed positions, `.pos`: a head of 16 bytes, then records of `engine.core.packed.POSITION`.

They are no games: a position has a score, and its result is NO_RESULT.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.core.packed import POSITION
from engine.lab import games
from engine.lab.games import Filter, GamesError, Positions, unwatched

SUFFIX = ".pos"
HEAD = b"KRAITPOS\x01\x00\x00\x00\x20\x00\x00\x00"


def cut(path: Path, records: int) -> None:
    """Keep the first `records`: what comes after them is the torn end of a run that was killed."""
    with path.open("r+b" if path.exists() else "w+b") as file:
        if file.read(len(HEAD)) != HEAD:
            if path.stat().st_size:
                raise GamesError(f"{path}: not a file of positions")
            file.write(HEAD)
        file.truncate(len(HEAD) + records * POSITION.itemsize)


def append(path: Path, positions: Positions) -> None:
    with path.open("ab") as file:
        file.write(positions.tobytes())


def read(
    path: Path, rules: Filter = games.QUIET, progress: Callable[[int, int], None] = unwatched
) -> Positions:
    """The positions of a `.pos` file or of games that pass the filter; GamesError with file and offset."""
    if path.suffix != SUFFIX:
        return games.read(path, rules, progress)
    data = path.read_bytes()
    if not data.startswith(HEAD):
        raise GamesError(f"{path}: not a file of positions: it does not begin with {HEAD[:8].decode()}")
    whole, torn = divmod(len(data) - len(HEAD), POSITION.itemsize)
    if torn:
        raise GamesError(f"{path}: the file ends inside a position at offset {len(data) - torn}")
    found = np.frombuffer(data, POSITION, whole, len(HEAD))
    progress(len(data), len(data))
    return found[_passes(found, rules)]


def _passes(found: Positions, rules: Filter) -> npt.NDArray[np.bool_]:
    passing: npt.NDArray[np.bool_] = np.abs(found["score"]) <= rules.max_score
    if not rules.bare:
        passing &= ~_is_bare(found)
    return passing


def _is_bare(found: Positions) -> npt.NDArray[np.bool_]:
    """Whether a side has nothing but its king: then all men but one are of one colour."""
    men = np.bitwise_count(found["occupied"]).astype(np.int64)
    halves = np.stack([found["men"] & 15, found["men"] >> 4], axis=2).reshape(len(found), 32)
    black = ((halves >= 6) & (np.arange(32) < men[:, None])).sum(axis=1)
    bare: npt.NDArray[np.bool_] = (black == 1) | (black == men - 1)
    return bare
