"""What the operator wants of an engine against what the engine offers."""

import difflib
from collections.abc import Mapping
from typing import NamedTuple

import chess.engine

from bot.engines.spec import OptionValue
from bot.errors import EngineMissing

OVERHEAD_MS = 10  # lag is already off the clock an engine is told: only its own slowness is left


class Checked(NamedTuple):
    accepted: dict[str, OptionValue]
    warnings: tuple[str, ...]


def check_options(
    engine: str, wanted: Mapping[str, OptionValue], offered: Mapping[str, chess.engine.Option]
) -> Checked:
    """An option that is not offered is skipped with a warning that names the nearest; so is one we manage.

    EngineMissing: a value the engine would refuse.
    """
    names = {_plain(name): name for name in offered}
    accepted: dict[str, OptionValue] = {}
    warnings = []
    for wish, value in wanted.items():
        name = names.get(_plain(wish))
        if name is None:
            warnings.append(f"{engine} has no option {wish!r}{_nearest(wish, names)}: skipped")
        elif offered[name].is_managed():
            warnings.append(f"{engine}: option {name!r} is set by the game that is played: skipped")
        else:
            accepted[name] = _refuse_bad(engine, offered[name], value)
    overhead = names.get("moveoverhead")
    if overhead is not None and overhead not in accepted:
        accepted[overhead] = max(OVERHEAD_MS, offered[overhead].min or 0)
    return Checked(accepted, tuple(warnings))


def _plain(name: str) -> str:
    """`Move Overhead`, `move_overhead` and `MoveOverhead` are one name."""
    return name.lower().replace(" ", "").replace("_", "")


def _nearest(wish: str, names: Mapping[str, str]) -> str:
    near = difflib.get_close_matches(_plain(wish), names, n=1)
    return f" (did you mean {names[near[0]]!r}?)" if near else ""


def _refuse_bad(engine: str, option: chess.engine.Option, value: OptionValue) -> OptionValue:
    is_switch = isinstance(value, bool) or str(value).lower() in {"true", "false"}
    if option.type == "check" and not is_switch:
        raise EngineMissing(f"{engine}: option {option.name!r} is true or false, not {value!r}")
    if option.type == "check":
        return value if isinstance(value, bool) else str(value).lower() == "true"
    try:
        option.parse(value)
    except chess.engine.EngineError as error:
        raise EngineMissing(f"{engine}: {error}") from None
    return value
