"""A challenge: its state, its reasons for being declined, and whether one may be sent at all. Pure."""

from dataclasses import asdict, dataclass
from typing import NamedTuple

import chess

from bot.sandbox.challenge_form import Wish
from bot.sandbox.people import Account
from bot.sandbox.refusal import Json, Refusal, refuse
from bot.sandbox.seats import color_name, color_named
from bot.sandbox.speeds import PERF_NAMES, TimeControl, is_slower, may_be_rated, perf_key
from bot.sandbox.variants import VARIANTS, Variant

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
