"""What comes through the door beside the events of a game: the account's events, and people as shown."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from bot.errors import LichessError
from bot.game.events import ChatSeen, GameSeen, OpponentCameBack, OpponentLeft, StateSeen
from bot.game.nouns import Challenge, ChallengeId, GameBrief, Player


@dataclass(frozen=True, slots=True)
class Opened:
    """Lichess has answered: from now on silence means something."""

    at: float


@dataclass(frozen=True, slots=True)
class GameStarted:
    """Also told anew for every running game whenever the stream is opened."""

    brief: GameBrief


@dataclass(frozen=True, slots=True)
class GameFinished:
    brief: GameBrief


@dataclass(frozen=True, slots=True)
class ChallengeSeen:
    """To us, or the echo of our own; `for_bots` is true where Lichess does not say."""

    challenge: Challenge
    for_bots: bool = True


@dataclass(frozen=True, slots=True)
class ChallengeCanceled:
    id: ChallengeId


@dataclass(frozen=True, slots=True)
class ChallengeDeclined:
    """`reason_key` in lower case, as Lichess sends it: toofast, nobot."""

    id: ChallengeId
    reason_key: str
    reason: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """A line we have no word for, or could not read: `kind` is its type, `why` what was wrong with it."""

    kind: str
    why: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The last of every stream. No error: the server closed it politely. Never opened: it lived for 0 s."""

    error: LichessError | None
    lived_s: float


@dataclass(frozen=True, slots=True)
class ChallengeClosed:
    """What became of a challenge that was kept alive: accepted, declined or canceled."""

    how: str


AccountEvent = (
    Opened
    | GameStarted
    | GameFinished
    | ChallengeSeen
    | ChallengeCanceled
    | ChallengeDeclined
    | Unknown
    | Ended
)
GameLine = GameSeen | StateSeen | ChatSeen | OpponentLeft | OpponentCameBack | Unknown
ChallengeLine = Challenge | ChallengeClosed | Unknown


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody with an account; `ratings` by Lichess's key of the kind of chess (bullet, chess960)."""

    id: str
    name: str
    title: str | None = None
    ratings: Mapping[str, int] = field(default_factory=dict)
    games: int = 0
    disabled: bool = False

    @property
    def is_bot(self) -> bool:
        return self.title == "BOT"


@dataclass(frozen=True, slots=True)
class TokenInfo:
    user_id: str
    scopes: frozenset[str]
    expires_at_ms: int | None


@dataclass(frozen=True, slots=True)
class UserStatus:
    player: Player
    is_online: bool
    is_playing: bool


class ChatLine(NamedTuple):
    room: str
    name: str
    text: str
