"""What a training run is asked for, and what it leaves on disk.

`config.json` holds every option, the data's hashes, the versions and the command; `history.csv` a row for
each epoch; `curves.png` the same as a picture; `checkpoint.pt` (`engine.lab.learner`) what it needs to go on.
"""

import csv
import json
import platform
import sys
from hashlib import file_digest
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from engine.lab.aim import Aim
from engine.lab.shape import Shape, checked

CONFIG, CHECKPOINT, HISTORY, CURVES = "config.json", "checkpoint.pt", "history.csv", "curves.png"


class Options(NamedTuple):
    files: tuple[Path, ...]
    out: Path
    shape: Shape = Shape()
    epochs: int = 10
    batch: int = 16_384
    rate: float = 0.001  # AdamW's, after the warm-up; falls along half a cosine
    decay: float = 0.01  # AdamW's, of the weights
    share: float = 0.75  # of the score in the target; the rest is the result
    score_scale: float = 300.0  # centipawns of the data's scores to a unit of log-odds
    power: float = 2.0  # of the error in the loss
    max_score: int = 2_500  # centipawns: more decided positions are left out
    noisy: bool = False  # also train where the best move captures or the king is in check
    validation: float = 0.04  # share of the games
    test: float = 0.04  # as above: seen by nothing but `quantise`
    seed: int = 1
    threads: int = 2

    @property
    def aim(self) -> Aim:
        return Aim(self.share, 1 / self.score_scale, self.power)


def _described(options: Options) -> dict[str, Any]:
    """The options apart from places, as JSON keeps them."""
    fields = options._asdict() | {"shape": options.shape._asdict()}
    return {name: value for name, value in fields.items() if name not in {"files", "out"}}


def digest(path: Path) -> str:
    with path.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()


def create(options: Options) -> None:
    """Make the folder and its config; ValueError when a run is there already."""
    if (options.out / CHECKPOINT).exists():
        raise ValueError(f"{options.out}: a run is there already: --resume it, or give another --out")
    config = {
        "options": _described(options),
        "data": [{"file": str(path), "sha256": digest(path)} for path in options.files],
        "versions": {name: version(name) for name in ("numpy", "numba", "torch")}
        | {"python": platform.python_version()},
        "command": sys.argv,
    }
    options.out.mkdir(parents=True, exist_ok=True)
    part = options.out / (CONFIG + ".part")
    part.write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    part.replace(options.out / CONFIG)


def _config(folder: Path) -> dict[str, Any]:
    path = folder / CONFIG
    try:
        config: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{path}: no training run: {error.strerror or error}") from error
    except ValueError as error:
        raise ValueError(f"{path}: not the config of a training run: {error}") from error
    return config


def read(folder: Path) -> Options:
    """The options of the run in a folder; ValueError with the reason when there is none."""
    config = _config(folder)
    try:
        fields = dict(config["options"])
        shape = checked(Shape(**fields.pop("shape")))
        files = tuple(Path(item["file"]) for item in config["data"])
        return Options(files, folder, shape, **fields)
    except (KeyError, TypeError) as error:
        raise ValueError(f"{folder / CONFIG}: not the config of a training run: {error!r}") from error


def require_same(options: Options) -> None:
    """ValueError unless the run in the folder has these options and these data."""
    before, now = _described(read(options.out)), _described(options)
    differing = [f"{name} {before[name]} then, {now[name]} now" for name in now if before[name] != now[name]]
    if [item["sha256"] for item in _config(options.out)["data"]] != [digest(path) for path in options.files]:
        differing.append("other games")
    if differing:
        raise ValueError(f"{options.out}: not the same run: {'; '.join(differing)}")


def write_history(folder: Path, history: list[dict[str, float]]) -> None:
    with (folder / HISTORY).open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(history[0]))
        writer.writeheader()
        writer.writerows(history)
