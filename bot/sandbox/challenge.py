"""A challenge: its form, its state, its reasons for being declined, and whether it may be sent. Pure."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import chess

from bot.sandbox.accounts import Account
from bot.sandbox.refusal import Json, Refusal, refuse, refuse_form
from bot.sandbox.seats import color_name, color_named
from bot.sandbox.speeds import DAYS_ALLOWED, PERF_NAMES, TimeControl, is_slower, may_be_rated, perf_key
from bot.sandbox.variants import VARIANTS, Variant, checked_fen

Form = Mapping[str, Any]
RULES = ("noAbort", "noRematch", "noGiveTime", "noClaimWin", "noEarlyDraw")
QUICK_LIMITS_S = (0, 15, 30, 45, 60, 90)
MAX_LIMIT_S = 10_800
MAX_INCREMENT_S = 60
COLORS = ("white", "black", "random")
UNSEEN_MS = 20_000  # a real-time challenge nobody keeps alive goes offline after this
LIFE_MS = 14 * 86_400_000
OPEN_LIFE_MS = 86_400_000
REMATCH_LIFE_MS = 3_600_000
ANONYMOUS_DELAY_MS = 2000
RATING_RANGE = 300
REASONS = {  # the key sent by whoever declines, and what the other is told
    "generic": "Not now, thank you.",
    "later": "It is a bad moment; please ask again later.",
    "tooFast": "That is too fast for me; a slower game would do.",
    "tooSlow": "That is too slow for me; a faster game would do.",
    "timeControl": "I do not play this time control.",
    "rated": "I would play a rated game.",
    "casual": "I would play a casual game.",
    "standard": "I play no variants at the moment.",
    "variant": "I do not play this variant at the moment.",
    "noBot": "I do not play against bots.",
    "onlyBot": "I play against bots only.",
}
ACTIVE = frozenset({"created", "offline"})


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


class Party(NamedTuple):
    """A side of a challenge: the account, and the rating it had when the challenge was made."""

    user_id: str
    rating: int
    provisional: bool


@dataclass
class Challenge:
    """An invitation; its id becomes the game's. An open one has no challenger until somebody comes."""

    id: str
    variant: Variant
    control: TimeControl
    rated: bool
    color_choice: str  # what the challenger asked for: white, black or random
    final_color: chess.Color  # and what became of it
    challenger: Party | None
    dest: Party | None
    created_at_ms: int
    expires_at_ms: int
    seen_at_ms: int
    initial_fen: str | None = None
    rematch_of: str | None = None
    rules: frozenset[str] = frozenset()
    status: str = "created"
    decline_reason: str | None = None
    is_open: bool = False
    open_to: tuple[str, ...] = ()
    tell_at_ms: int | None = None  # nobody has been told of it yet
    maker_id: str | None = None  # who made an open one; it is nobody's challenge until somebody joins

    @property
    def is_active(self) -> bool:
        return self.status in ACTIVE

    @property
    def perf(self) -> str:
        return perf_key(self.variant.key, self.control.speed)

    @property
    def suits_bots(self) -> bool:
        return self.control.speed != "ultraBullet"

    @property
    def suits_boards(self) -> bool:
        return is_slower(self.control.speed, "bullet")

    def is_for(self, user_id: str) -> bool:
        mine = self.challenger is not None and self.challenger.user_id == user_id
        return not mine and (self.dest is None or self.dest.user_id == user_id)

    def is_by(self, user_id: str) -> bool:
        return self.challenger is not None and self.challenger.user_id == user_id

    @property
    def offline_at_ms(self) -> int | None:
        """When it goes offline if nobody keeps it alive; None for what only its far expiry ends."""
        lasting = self.is_open or self.rematch_of is not None or not self.control.is_clock
        fades = self.status == "created" and not lasting
        return self.seen_at_ms + UNSEEN_MS if fades else None

    def declined(self, reason: str) -> None:
        """Take it as declined; a reason nobody knows is the general one. Capitals do not matter."""
        self.status = "declined"
        self.decline_reason = next((key for key in REASONS if key.lower() == reason.lower()), "generic")

    def to_json(self) -> Json:
        written = {
            "variant": self.variant.key,
            "control": list(self.control),
            "final_color": color_name(self.final_color),
            "challenger": list(self.challenger) if self.challenger else None,
            "dest": list(self.dest) if self.dest else None,
            "rules": sorted(self.rules),
            "open_to": list(self.open_to),
        }
        return asdict(self) | written

    @classmethod
    def from_json(cls, data: Json) -> "Challenge":
        parties = {
            side: Party(*data[side]) if data[side] is not None else None for side in ("challenger", "dest")
        }
        given = {
            "variant": VARIANTS[data["variant"]],
            "control": TimeControl(*data["control"]),
            "final_color": color_named(data["final_color"]),
            "rules": frozenset(data["rules"]),
            "open_to": tuple(data["open_to"]),
        }
        return cls(**(data | parties | given))


def rated_for(wish: Wish) -> bool:
    """Rated if asked for and possible: a variant too fast to be rated is silently played for nothing."""
    return wish.rated and may_be_rated(wish.variant.key, wish.control)


def denial(challenger: Account, dest: Account, wish: Wish) -> Refusal | None:
    """Why `dest` cannot be challenged like this, in Lichess's order of reasons; None when it can."""
    text = _unwelcome(challenger, dest, perf_key(wish.variant.key, wish.control.speed))
    if text is None and dest.is_bot and wish.control.speed == "ultraBullet":
        text = "Bots cannot play UltraBullet. Choose a slower time control."
    return refuse(text) if text else None


def _unwelcome(challenger: Account, dest: Account, perf: str) -> str | None:
    if challenger.id in dest.blocks:
        return f"You cannot challenge {dest.display}."
    if dest.challenges_from == "never":
        return f"{dest.display} does not accept challenges."
    if challenger.id in dest.follows:
        return None
    if challenger.is_anonymous and dest.challenges_from != "always":
        return f"Please register to send challenges to {dest.display}."
    if dest.challenges_from == "friends":
        return f"{dest.display} only accepts challenges from friends."
    if dest.challenges_from == "rating":
        mine, theirs = challenger.perfs[perf], dest.perfs[perf]
        if mine.provisional or theirs.provisional:
            return f"Cannot challenge due to provisional {PERF_NAMES[perf]} rating."
        if abs(mine.rating - theirs.rating) > RATING_RANGE:
            return f"Your {PERF_NAMES[perf]} rating is too far from {dest.display}."
    return None
