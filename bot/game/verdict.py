"""What is said to a challenge: yes, or no with the reason that Lichess has a sentence for."""

from dataclasses import dataclass
from enum import StrEnum


class DeclineReason(StrEnum):
    """Lichess's keys, and what the challenger reads."""

    GENERIC = "generic"  # I take no challenges at the moment
    LATER = "later"  # not now, ask again
    TOO_FAST = "tooFast"  # send a slower one
    TOO_SLOW = "tooSlow"  # send a faster one
    TIME_CONTROL = "timeControl"  # not with this time control
    RATED = "rated"  # send a RATED one instead: the answer to a casual challenge
    CASUAL = "casual"  # send a CASUAL one instead: the answer to a rated challenge
    STANDARD = "standard"  # no variants at all, only standard chess
    VARIANT = "variant"  # not this variant
    NO_BOT = "noBot"  # no bots
    ONLY_BOT = "onlyBot"  # bots only


@dataclass(frozen=True, slots=True)
class Verdict:
    """`reason` goes to Lichess and means nothing when accepted; `why` is for the operator's log.

    `at_once`: so many games, promises and queued challenges one opponent may have; the lobby holds to it,
    because between judging and accepting others arrive.
    """

    accept: bool
    reason: DeclineReason = DeclineReason.GENERIC
    why: str = ""
    at_once: int | None = None


def declined(reason: DeclineReason, why: str) -> Verdict:
    return Verdict(accept=False, reason=reason, why=why)
