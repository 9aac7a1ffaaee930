"""The body of a challenge, as a form or JSON brings it, read into what is wished for. Pure."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from bot.sandbox.refusal import refuse_form
from bot.sandbox.speeds import DAYS_ALLOWED, TimeControl, may_be_rated
from bot.sandbox.variants import VARIANTS, Variant, checked_fen

Form = Mapping[str, Any]
RULES = ("noAbort", "noRematch", "noGiveTime", "noClaimWin", "noEarlyDraw")
QUICK_LIMITS_S = (0, 15, 30, 45, 60, 90)
MAX_LIMIT_S = 10_800
MAX_INCREMENT_S = 60
COLORS = ("white", "black", "random")


class Wish(NamedTuple):
    """What somebody would like to play."""

    variant: Variant
    control: TimeControl
    rated: bool
    color: str
    initial_fen: str | None
    rules: frozenset[str]


def read_wish(form: Form, *, by_bot: bool, clock_needed: bool = False) -> Wish:
    """The game `form` asks for, or the form error Lichess answers with."""
    flat = flattened(form)
    variant = _variant(flat)
    control = _control(flat)
    rated = read_flag(flat, "rated")
    if clock_needed and control.is_unlimited:
        raise refuse_form(clock="This field is required")
    try:
        initial_fen = checked_fen(variant, flat.get("fen") or None)
    except (ValueError, TypeError, AttributeError) as error:
        raise refuse_form(**{"global": "invalidFen"}) from error
    if by_bot and control.speed == "ultraBullet":
        raise refuse_form(**{"global": "Invalid speed"})
    if rated and not may_be_rated(variant.key, control) and not control.is_clock:
        raise refuse_form(**{"global": "can't be rated"})
    if rated and variant.key == "fromPosition":
        raise refuse_form(**{"global": "can't be rated"})
    return Wish(variant, control, rated, _color(flat), initial_fen, _rules(flat))


def flattened(form: Form) -> dict[str, Any]:
    """JSON may nest what a form writes with a dot: `{"clock": {"limit": 60}}` is `clock.limit=60`."""
    flat: dict[str, Any] = {}
    for key, value in form.items():
        if isinstance(value, Mapping):
            flat |= {f"{key}.{inner}": each for inner, each in value.items()}
        else:
            flat[str(key)] = value
    return flat


def read_flag(flat: Form, key: str) -> bool:
    value = flat.get(key, False)
    if isinstance(value, bool):
        return value
    if str(value).lower() in {"true", "false", "1", "0", "on", "yes", "no", ""}:
        return str(value).lower() in {"true", "1", "on", "yes"}
    raise refuse_form(**{key: "Invalid value"})


def read_number(flat: Form, key: str) -> int | None:
    """A whole number, however it is written; None when it is not there."""
    value = flat.get(key)
    if value is None or value == "":
        return None
    try:
        return int(str(value))
    except ValueError as error:
        raise refuse_form(**{key: "Numeric value expected"}) from error


def _control(flat: Form) -> TimeControl:
    limit_s, increment_s = read_number(flat, "clock.limit"), read_number(flat, "clock.increment")
    days = read_number(flat, "days")
    if limit_s is None and increment_s is None:
        if days is not None and days not in DAYS_ALLOWED:
            raise refuse_form(days="Invalid value")
        return TimeControl(days=days)
    if limit_s is None:
        raise refuse_form(clock_limit="This field is required")
    if increment_s is None:
        raise refuse_form(clock_increment="This field is required")
    if limit_s not in QUICK_LIMITS_S and not (limit_s % 60 == 0 and 0 < limit_s <= MAX_LIMIT_S):
        raise refuse_form(clock_limit="Invalid value")
    if not 0 <= increment_s <= MAX_INCREMENT_S:
        raise refuse_form(clock_increment=f"Must be between 0 and {MAX_INCREMENT_S}")
    if limit_s == increment_s == 0:
        raise refuse_form(clock="Invalid clock")
    return TimeControl(limit_s, increment_s)


def _variant(flat: Form) -> Variant:
    """A position given for a standard game makes it one from that position."""
    key = flat.get("variant") or "standard"
    variant = VARIANTS.get(key) if isinstance(key, str) else None
    if variant is None:
        raise refuse_form(variant="Invalid value")
    fen = flat.get("fen")
    set_up = isinstance(fen, str) and fen.strip() and fen.strip() != variant.board().fen()
    return VARIANTS["fromPosition"] if variant.key == "standard" and set_up else variant


def _color(flat: Form) -> str:
    color = flat.get("color") or "random"
    if color not in COLORS:
        raise refuse_form(color="Invalid value")
    return str(color)


def _rules(flat: Form) -> frozenset[str]:
    names = [name.strip() for name in str(flat.get("rules") or "").split(",") if name.strip()]
    if unknown := [name for name in names if name not in RULES]:
        raise refuse_form(rules=f"Invalid value: {unknown[0]}")
    return frozenset(names)
