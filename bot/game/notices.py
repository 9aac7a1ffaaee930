"""What the lobby is told, in the past tense, and what it orders, in the imperative."""

from dataclasses import dataclass

from bot.game.nouns import Challenge, ChallengeId, GameBrief, GameId
from bot.game.verdict import DeclineReason, Verdict


@dataclass(frozen=True, slots=True)
class ChallengeArrived:
    """Also when it is replayed: what waits already waits on, and is known to be alive."""

    challenge: Challenge
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class ChallengeWithdrawn:
    """By the challenger."""

    id: ChallengeId


@dataclass(frozen=True, slots=True)
class AcceptFailed:
    """Lichess certainly did not accept. Where that is unsure, say nothing: the promise ends by itself."""

    id: ChallengeId
    why: str


@dataclass(frozen=True, slots=True)
class ChallengeSent:
    """Ours, to somebody; its echo in the account's stream counts as well as our own word."""

    challenge: Challenge


@dataclass(frozen=True, slots=True)
class ChallengeRefused:
    """Ours was declined, cancelled or never created; or theirs was declined, by hand on the web page."""

    id: ChallengeId


@dataclass(frozen=True, slots=True)
class GameBegan:
    """`live`: it began just now. A game replayed after a reconnect, found at start or whose abort was refused
    is not, and is played whatever the slots say.
    """

    brief: GameBrief
    live: bool


@dataclass(frozen=True, slots=True)
class GameEnded:
    """Nobody plays it any more: it is over and its task has ended."""

    id: GameId


@dataclass(frozen=True, slots=True)
class EnginesReady:
    ready: bool


@dataclass(frozen=True, slots=True)
class Draining:
    """No new games from now on; False takes it back."""

    draining: bool


@dataclass(frozen=True, slots=True)
class TimePassed:
    """Comes when the instant of `wake_at` is reached; harmless at any other."""


LobbyEvent = (
    ChallengeArrived
    | ChallengeWithdrawn
    | AcceptFailed
    | ChallengeSent
    | ChallengeRefused
    | GameBegan
    | GameEnded
    | EnginesReady
    | Draining
    | TimePassed
)


@dataclass(frozen=True, slots=True)
class AcceptChallenge:
    id: ChallengeId


@dataclass(frozen=True, slots=True)
class DeclineChallenge:
    id: ChallengeId
    reason: DeclineReason
    why: str


@dataclass(frozen=True, slots=True)
class ForgetChallenge:
    """It is gone from Lichess: nothing to send, something to log."""

    id: ChallengeId
    why: str


@dataclass(frozen=True, slots=True)
class PlayGame:
    brief: GameBrief


@dataclass(frozen=True, slots=True)
class AbortSurplus:
    """Nobody has moved and there is no room. If Lichess refuses, tell `GameBegan(brief, live=False)`."""

    brief: GameBrief


LobbyCommand = AcceptChallenge | DeclineChallenge | ForgetChallenge | PlayGame | AbortSurplus
