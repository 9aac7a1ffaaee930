"""What to do in one game, in the imperative. The shell obeys in order and reports what came of it."""

from dataclasses import dataclass

from bot.game.nouns import Position, State


@dataclass(frozen=True, slots=True)
class Think:
    """Find a move; the answer names the ticket. `seen_at` is when the clocks of `state` were true."""

    ticket: int
    position: Position
    state: State
    seen_at: float
    we_are_white: bool


@dataclass(frozen=True, slots=True)
class StopThinking:
    """Whatever is thought about now is of no use any more (a ponder search too)."""


@dataclass(frozen=True, slots=True)
class PlayMove:
    ticket: int
    uci: str
    offer_draw: bool = False


@dataclass(frozen=True, slots=True)
class Reconnect:
    """What we know of this game contradicts Lichess: open its stream anew and begin from its first line."""


@dataclass(frozen=True, slots=True)
class Abort: ...


@dataclass(frozen=True, slots=True)
class Resign: ...


@dataclass(frozen=True, slots=True)
class AnswerDraw:
    accept: bool


@dataclass(frozen=True, slots=True)
class AnswerTakeback:
    accept: bool


@dataclass(frozen=True, slots=True)
class ClaimVictory: ...


@dataclass(frozen=True, slots=True)
class ClaimDraw: ...


@dataclass(frozen=True, slots=True)
class Say:
    """Best effort, after everything else; never the same line twice in a room."""

    room: str
    text: str


@dataclass(frozen=True, slots=True)
class AnswerChat:
    """Somebody typed a command; the chat desk (built-in and plugged-in commands) finds the words."""

    room: str
    name: str
    text: str


Command = (
    Think
    | StopThinking
    | PlayMove
    | Reconnect
    | Abort
    | Resign
    | AnswerDraw
    | AnswerTakeback
    | ClaimVictory
    | ClaimDraw
    | Say
    | AnswerChat
)
