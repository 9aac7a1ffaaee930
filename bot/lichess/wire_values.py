"""How Lichess writes the small things: ids, times, words, sides, people and time controls.

Whatever the spec does not model is met with the mildest reading: who has no id is anonymous, what is left out
has its usual value; only what makes no sense at all raises, and `read` turns that into `Unknown`.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, TypeVar

from bot.game.nouns import Player, Speed, TimeControl
from bot.lichess.lines import Unknown

Json = dict[str, Any]
T = TypeVar("T")
SHORT = 160  # letters of somebody else's prose that we repeat
_UNREADABLE = (KeyError, TypeError, ValueError, AttributeError, OverflowError)


def read(data: object, reading: Callable[[Json], T]) -> T | Unknown:
    if not isinstance(data, dict):
        return Unknown("", f"not an object: {str(data)[:SHORT]}")
    try:
        return reading(data)
    except _UNREADABLE as error:
        return Unknown(str(data.get("type", "")), f"{type(error).__name__}: {error}"[:SHORT])


def id_of(data: Json) -> str:
    found = data.get("gameId") or data["id"]
    if not isinstance(found, str):
        raise TypeError(f"id is {found!r}")
    return found


def millis(value: object) -> int:
    """The models of berserk make timedeltas of some clocks and leave others; nobody timed is NO_CLOCK_MS."""
    if isinstance(value, timedelta):
        return max(0, round(value / timedelta(milliseconds=1)))
    if isinstance(value, datetime):
        return round(value.timestamp() * 1000)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return max(0, int(value))
    raise TypeError(f"{value!r} is no time")


def whole(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def side(value: object) -> bool | None:
    return {"white": True, "black": False}.get(str(value))


def key_of(value: object, default: str) -> str:
    """Variants and statuses come as a word, or as an object that has the word in it."""
    if isinstance(value, dict):
        value = value.get("key") or value.get("name")
    return value if isinstance(value, str) and value else default


def speed_of(value: object, default: Speed = Speed.CLASSICAL) -> Speed:
    return next((speed for speed in Speed if speed.value == value), default)


def player(data: object) -> Player:
    """A side of a game or of a challenge: a person, the AI, or nobody in particular."""
    found = data if isinstance(data, dict) else {}
    level = whole(found.get("aiLevel", found.get("ai")))
    if level is not None:
        return Player(name=f"Stockfish level {level}", ai_level=level)
    shown = found.get("name") or found.get("username") or found.get("id")
    if not shown or not found.get("id"):
        return Player(rating=whole(found.get("rating")))
    prefix, _, name = str(shown).rpartition(" ")  # the account's stream writes the title before the name
    return Player(
        id=str(found["id"]),
        name=name,
        title=found.get("title") or prefix or None,
        rating=whole(found.get("rating")),
        provisional=found.get("provisional") is True,
    )


def control_of(data: Json) -> TimeControl:
    match data.get("type"):
        case "clock":
            return TimeControl(limit_s=int(data["limit"]), increment_s=int(data.get("increment") or 0))
        case "correspondence":
            return TimeControl(days=whole(data.get("daysPerTurn")))
        case "unlimited":
            return TimeControl()
        case kind:
            raise ValueError(f"time control {kind!r}")


def fen_of(value: object) -> str | None:
    return value if isinstance(value, str) and value != "startpos" else None
