"""The file in which a tuning run lives: written after every iteration, read when the run goes on.

JSON, written beside its place and moved there in one stroke: a kill leaves the old file or the new one. What
is read is checked as if a stranger had written it, for a night of games hangs on it.
"""

import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.lab.spsa import Knob, Schedule, Walk
from engine.params import Param

FORMAT = "krait lab tune 1"
PATH_POINTS = 200  # how many points of the path are kept, about

Settings = dict[str, int | float | str]


class StateError(ValueError):
    """A file that cannot be used; the message names it and says why."""


@dataclass
class Run:
    """A walk, what must stay the same while it goes on, and what has come of it."""

    walk: Walk
    settings: Settings
    shipped: dict[str, int]  # every search parameter when the run began
    games: int
    path: list[tuple[int, list[float]]]  # trials done, theta: from time to time


def new_run(walk: Walk, settings: Settings, params: Sequence[Param]) -> Run:
    shipped = {param.name: param.value for param in params}
    return Run(walk, settings, shipped, 0, [(0, walk.theta.tolist())])


def note_path(run: Run, iterations: int) -> None:
    """Keep where the walk is, if the last point kept is long enough ago."""
    if run.walk.done - run.path[-1][0] >= max(iterations // PATH_POINTS, 1):
        run.path.append((run.walk.done, run.walk.theta.tolist()))


def save(path: Path, run: Run) -> None:
    walk = run.walk
    content = {
        "format": FORMAT,
        "settings": run.settings,
        "seed": walk.seed,
        "schedule": walk.schedule._asdict(),
        "begun": walk.begun,
        "owed": walk.owed,
        "games": run.games,
        "knobs": [knob._asdict() for knob in walk.knobs],
        "theta": walk.theta.tolist(),
        "shipped": run.shipped,
        "path": run.path,
    }
    fresh = path.with_name(f"{path.name}.new")
    with fresh.open("w", encoding="utf-8") as stream:
        json.dump(content, stream, allow_nan=False)
        stream.flush()
        os.fsync(stream.fileno())
    fresh.replace(path)


def load(path: Path) -> Run:
    """StateError: the file is damaged, or is none of ours."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise StateError(f"{path}: {error}") from None
    except json.JSONDecodeError as error:
        raise StateError(f"{path}: damaged, not JSON: {error}") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise StateError(f"{path}: not the state of a tuning run ({FORMAT!r})")
    try:
        return _run(content)
    except KeyError as error:
        raise StateError(f"{path}: damaged, {error} is missing") from None
    except (TypeError, ValueError, AttributeError) as error:
        raise StateError(f"{path}: damaged, {error}") from None


def _run(content: dict[str, Any]) -> Run:
    """KeyError, TypeError, ValueError, AttributeError: what is there was not written by `save`."""
    knobs = [
        Knob(str(k["name"]), *(_whole(k[key]) for key in ("start", "low", "high"))) for k in content["knobs"]
    ]
    schedule = Schedule(**{key: _number(value) for key, value in content["schedule"].items()})
    begun, owed = _whole(content["begun"]), [_whole(number) for number in content["owed"]]
    if not set(owed) <= set(range(1, begun + 1)) or len(set(owed)) < len(owed):
        raise ValueError(f"trials {owed} are owed of {begun} begun")
    theta = _theta(knobs, content["theta"])
    path = [(_whole(done), _theta(knobs, point)) for done, point in content["path"]]
    if not path or not knobs:
        raise ValueError("nothing in it is tuned")
    shipped = {str(name): _whole(value) for name, value in content["shipped"].items()}
    walk = Walk(knobs, schedule, _whole(content["seed"]), theta, begun, owed)
    return Run(walk, dict(content["settings"]), shipped, _whole(content["games"]), path)


def _whole(value: object) -> int:
    if type(value) is not int:
        raise TypeError(f"{value!r} should be a whole number")
    return value


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TypeError(f"{value!r} should be a number")
    return float(value)


def _theta(knobs: Sequence[Knob], values: Iterable[object]) -> list[float]:
    """A value for each knob, within its range."""
    theta = [_number(value) for value in values]
    for knob, value in zip(knobs, theta, strict=True):
        if not knob.low <= value <= knob.high:
            raise ValueError(f"{knob.name} is {value}, outside {knob.low} to {knob.high}")
    return theta


def refuse_other(
    path: Path, run: Run, knobs: Sequence[Knob], settings: Settings, params: Sequence[Param]
) -> None:
    """StateError unless the run is one of these knobs, settings and search parameters."""
    now = {param.name: param.value for param in params}
    strange = _differences(run.shipped, now)
    if strange:
        raise StateError(f"{path}: made with other search parameters: {strange}")
    if run.walk.knobs != tuple(knobs):
        theirs, ours = ({k.name: f"{k.low} to {k.high}" for k in each} for each in (run.walk.knobs, knobs))
        raise StateError(f"{path}: tunes other parameters: {_differences(theirs, ours)}")
    strange = _differences(run.settings, settings)
    if strange:
        raise StateError(f"{path}: made with other settings: {strange}")


def _differences(theirs: Mapping[str, object], ours: Mapping[str, object]) -> str:
    names = [name for name in {**theirs, **ours} if theirs.get(name) != ours.get(name)]
    return ", ".join(f"{n} was {theirs.get(n, 'absent')}, is {ours.get(n, 'absent')}" for n in names)
