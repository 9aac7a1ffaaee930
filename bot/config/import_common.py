"""What both other bots say in nearly the same words: clocks, variants, engines, chat."""

import math
import re
from collections.abc import Iterable
from fractions import Fraction
from pathlib import PurePath
from typing import Any, get_args

from bot.config.draft import Draft
from bot.config.values import Variant
from bot.game.manners import Manners

VARIANTS: tuple[str, ...] = get_args(Variant)
SPEEDS = ("bullet", "blitz", "rapid", "classical")
SELECTIONS = {"weighted_random": "weighted", "uniform_random": "uniform", "best_move": "best"}
NO_BULLET_WITHOUT_INCREMENT = "!..2+0"

_OTHER_NAMES = {"giveaway": "antichess", "3check": "threeCheck"}
_BASES_S = (0, 15, 30, 45, 60, 90, *range(120, 10_801, 60))  # the clocks that Lichess knows
_LONGEST_INCREMENT_S = 180
_KNOWN_HOLES = {"me", "opponent", "engine"}


def variant(name: str) -> str:
    """Ours for theirs, whatever the case; KeyError: there is no such variant."""
    by_name = {known.lower(): known for known in VARIANTS} | _OTHER_NAMES
    return by_name[name.lower()]


def variants(names: Iterable[str]) -> list[str]:
    return [variant(name) for name in names]


def minutes(seconds: int) -> str:
    return str(Fraction(seconds, 60))


def limits(
    low_s: float | None, high_s: float | None, low_increment: float | None, high_increment: float | None
) -> list[str]:
    """Bounds of base and increment as exclusions: whatever else a list says, these are taken out of it."""
    found = []
    if high_s is not None and (above := [base for base in _BASES_S if base > high_s]):
        found.append(f"!{minutes(above[0])}..+..")
    if low_s is not None and (below := [base for base in _BASES_S if base < low_s]):
        found.append(f"!..{minutes(below[-1])}+..")
    if high_increment is not None and 0 <= high_increment < _LONGEST_INCREMENT_S:
        found.append(f"!..+{math.floor(high_increment) + 1}..")
    if low_increment is not None and 0 < low_increment <= _LONGEST_INCREMENT_S:
        found.append(f"!..+..{math.ceil(low_increment) - 1}")
    return found


def engine_path(folder: Any, name: Any) -> str:
    """A path that can be started; a bare name would be looked for elsewhere."""
    path = PurePath(str(folder or "."), str(name))
    return str(path) if path.is_absolute() or len(path.parts) > 1 else f"./{path}"


def options(given: Any) -> dict[str, Any]:
    """Engine options that have a plain value."""
    pairs = given.items() if isinstance(given, dict) else ()
    return {str(name): value for name, value in pairs if isinstance(value, str | int | float | bool)}


def chat(draft: Draft, theirs: str, ours: str) -> None:
    """A line that Krait could not say is left, with the reason; holes it does not know would stay empty."""
    said = draft.get(theirs)
    if said is None:
        return
    holes = set(re.findall(r"\{(.*?)\}", str(said)))
    if unknown := sorted(holes - _KNOWN_HOLES):
        draft.leave(theirs, f"Krait cannot fill in {{{unknown[0]}}}")
        return
    try:
        Manners(greeting=str(said))
    except ValueError as error:
        draft.leave(theirs, str(error).removeprefix("greeting: "))
    else:
        draft.put(theirs, ours, str(said))
