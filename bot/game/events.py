"""What happened in one game, in the past tense. `at` is the instant it reached us."""

from dataclasses import dataclass
from enum import Enum

from bot.game.nouns import GameInfo, State, Thought


@dataclass(frozen=True, slots=True)
class GameSeen:
    """The first line of a stream, also of every reopened one."""

    info: GameInfo
    state: State
    at: float


@dataclass(frozen=True, slots=True)
class StateSeen:
    state: State
    at: float


@dataclass(frozen=True, slots=True)
class ChatSeen:
    room: str  # player or spectator
    name: str
    text: str
    at: float


@dataclass(frozen=True, slots=True)
class OpponentLeft:
    """`claim_in_s` counts down to the moment we may claim; None where Lichess did not say."""

    claim_in_s: int | None
    at: float


@dataclass(frozen=True, slots=True)
class OpponentCameBack:
    at: float


@dataclass(frozen=True, slots=True)
class StreamLost:
    """The stream ended, politely or not. It is not the end of the game; the shell reopens it."""

    reason: str
    at: float


@dataclass(frozen=True, slots=True)
class MoveFound:
    """The answer to `Think` of the same ticket."""

    ticket: int
    thought: Thought
    at: float


@dataclass(frozen=True, slots=True)
class MoveSent:
    """Lichess said ok to `PlayMove` of this ticket."""

    ticket: int
    at: float


class Failure(Enum):
    REFUSED = "refused"  # 4xx: the move was wrong, too late, or already there
    LIMITED = "limited"  # 429: not carried out
    UNSURE = "unsure"  # no whole answer or 5xx: perhaps it was


@dataclass(frozen=True, slots=True)
class MoveFailed:
    ticket: int
    failure: Failure
    reason: str
    at: float


@dataclass(frozen=True, slots=True)
class TimePassed:
    """Comes when the instant the session asked for (`wake_at`) is reached; harmless at any other."""

    at: float


Event = (
    GameSeen
    | StateSeen
    | ChatSeen
    | OpponentLeft
    | OpponentCameBack
    | StreamLost
    | MoveFound
    | MoveSent
    | MoveFailed
    | TimePassed
)
