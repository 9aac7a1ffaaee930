"""What Lichess was asked for and the stream has not shown yet: repeated, waited for, looked after. Pure.

The stream is the truth. A move that may have arrived is sent again as it is, never replaced by another:
Lichess takes it once and refuses it the second time.
"""

from dataclasses import dataclass, replace
from enum import Enum, auto

from bot.game.commands import Command, PlayMove, Reconnect, Resign
from bot.game.events import Failure

LOOK_S = 5.0  # a stream that shows nothing for so long is opened anew
REFUSED_LOOK_S = 1.0  # after a refusal that says the move is most likely there
UNSURE_WAITS_S = (
    0.5,
    0.5,
    1.0,
    1.0,
    2.0,
)  # the last one for ever: the move is not given up before the game is
LIMITED_WAITS_S = (1.0, 2.0, 4.0)


class Aim(Enum):
    DELIVER = auto()  # a move or our resignation
    RETHINK = auto()  # what we had was refused: another move once the stream shows where we are
    LOOK = auto()  # no more moves for this position: only what the stream shows can help


@dataclass(frozen=True, slots=True)
class Errand:
    aim: Aim
    asked: PlayMove | Resign | None = None
    under_way: bool = False  # asked, and neither confirmed nor failed
    doubtful: bool = False  # an attempt may have been carried out, although the stream does not show it
    held: bool = False  # Lichess told us to wait before the next attempt
    unsure: int = 0
    limited: int = 0
    due_at: float | None = None
    repeats: bool = False  # what is due: the same request once more; otherwise a new stream


def carry_move(move: PlayMove) -> Errand:
    return Errand(Aim.DELIVER, move, under_way=True)


def carry_resignation(at: float) -> Errand:
    """Nobody confirms it but the stream."""
    return Errand(Aim.DELIVER, Resign(), due_at=at + LOOK_S)


def watch(aim: Aim, at: float) -> Errand:
    return Errand(aim, due_at=at + LOOK_S)


def confirmed(errand: Errand, at: float) -> Errand:
    """Lichess said yes: the stream will show it, or is dead."""
    return replace(errand, under_way=False, due_at=at + LOOK_S, repeats=False)


def failed(errand: Errand, failure: Failure, at: float) -> Errand | None:
    """What to do about an attempt that failed; None: it was refused for good."""
    match failure:
        case Failure.UNSURE:
            due_at = at + _nth(UNSURE_WAITS_S, errand.unsure)
            unsure = errand.unsure + 1
            return replace(errand, under_way=False, doubtful=True, unsure=unsure, due_at=due_at, repeats=True)
        case Failure.LIMITED:
            due_at = at + _nth(LIMITED_WAITS_S, errand.limited)
            limited = errand.limited + 1
            return replace(errand, under_way=False, held=True, limited=limited, due_at=due_at, repeats=True)
        case Failure.REFUSED if errand.doubtful:
            due_at = at + REFUSED_LOOK_S
            return replace(errand, under_way=False, due_at=due_at, repeats=False)
        case Failure.REFUSED:
            return None


def _nth(waits: tuple[float, ...], number: int) -> float:
    return waits[min(number, len(waits) - 1)]


def not_there(errand: Errand, at: float) -> tuple[Errand, tuple[Command, ...]]:
    """A stream was opened anew and does not show it: it was not carried out, so it is asked for once more."""
    if errand.asked is None or errand.under_way:
        return errand, ()
    if errand.held:
        return replace(errand, doubtful=False), ()
    return _again(replace(errand, doubtful=False), at)


def due(errand: Errand, at: float) -> tuple[Errand, tuple[Command, ...]]:
    """What the clock brings; nothing before `due_at`."""
    if errand.due_at is None or at < errand.due_at:
        return errand, ()
    if errand.repeats:
        return _again(errand, at)
    return replace(errand, due_at=at + LOOK_S), (Reconnect(),)


def _again(errand: Errand, at: float) -> tuple[Errand, tuple[Command, ...]]:
    asked = errand.asked
    assert asked is not None  # only what was asked for is repeated
    if isinstance(asked, Resign):
        return replace(errand, due_at=at + LOOK_S), (asked,)
    return replace(errand, under_way=True, held=False, due_at=None, repeats=False), (asked,)
