"""What the shell tells its witnesses (log, database, PGN, page): facts, once each, in their order.

A witness is called on the event loop and must return at once. `when_ms` is wall time since the epoch.
"""

from collections.abc import Callable
from dataclasses import dataclass

from bot.game.nouns import Challenge, ChallengeId, GameId, GameInfo, State, Thought


@dataclass(frozen=True, slots=True)
class GameOpened:
    info: GameInfo
    state: State
    resumed: bool  # it had begun before we looked: after a restart, or of another program
    when_ms: int


@dataclass(frozen=True, slots=True)
class PliesSeen:
    """Plies that are new to us, ours or theirs; clocks are those of the state that showed them.

    A takeback is told as the state alone, with fewer moves than before.
    """

    game: GameId
    state: State
    when_ms: int


@dataclass(frozen=True, slots=True)
class ThoughtGrew:
    """While an engine thinks: the best so far. At most a few a second."""

    game: GameId
    ply: int
    thought: Thought
    when_ms: int


@dataclass(frozen=True, slots=True)
class MovePlayed:
    """Our move at this ply was sent and heard. `spent_ms` from the line that asked for it to the answer."""

    game: GameId
    ply: int
    thought: Thought
    spent_ms: int
    left_ms: int
    lag_ms: int
    offered_draw: bool
    when_ms: int


@dataclass(frozen=True, slots=True)
class ChatHeard:
    game: GameId
    room: str
    name: str
    text: str
    when_ms: int


@dataclass(frozen=True, slots=True)
class TakebackGiven:
    """Counted over restarts: there is a limit a game."""

    game: GameId
    when_ms: int


@dataclass(frozen=True, slots=True)
class GameClosed:
    """`result` for us: win, loss, draw or aborted."""

    game: GameId
    state: State
    result: str
    when_ms: int


@dataclass(frozen=True, slots=True)
class GameRated:
    """What the account's stream adds after a rated game."""

    game: GameId
    rating_diff: int
    when_ms: int


@dataclass(frozen=True, slots=True)
class ChallengeJudged:
    challenge: Challenge
    verdict: str  # accepted, declined, queued, dropped
    reason: str  # the key Lichess knows, for a decline
    why: str  # in our words
    when_ms: int


@dataclass(frozen=True, slots=True)
class ChallengeGone:
    challenge: ChallengeId
    why: str
    when_ms: int


@dataclass(frozen=True, slots=True)
class ConnectionChanged:
    """The account's stream: connecting, online, lost, elsewhere (another program holds the token)."""

    state: str
    detail: str
    when_ms: int


@dataclass(frozen=True, slots=True)
class EngineChanged:
    """ready, died, silent, restarted, missing; `pid` 0 where there is none."""

    name: str
    pid: int
    state: str
    detail: str
    when_ms: int


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that was survived and that an operator may want to know. `what` is snake_case."""

    what: str
    detail: str
    when_ms: int
    game: GameId | None = None


Fact = (
    GameOpened
    | PliesSeen
    | ThoughtGrew
    | MovePlayed
    | ChatHeard
    | TakebackGiven
    | GameClosed
    | GameRated
    | ChallengeJudged
    | ChallengeGone
    | ConnectionChanged
    | EngineChanged
    | Trouble
)
Witness = Callable[[Fact], None]
