"""Tables about playing one game: the clock, the book, endgame tables, draws, resignation, takebacks.

The defaults are those of the pure code that obeys them: there is one place to change each.
"""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from bot.config.values import Files, Section, Variant, split
from bot.game.clockwork import ClockRules
from bot.game.manners import Manners
from bot.sources.book import BookRules

_CLOCK, _BOOK = ClockRules(), BookRules()
_DRAW, _RESIGN, _TAKEBACK = Manners().draw, Manners().resign, Manners().takeback

Millis = Annotated[int, Field(ge=0, le=600_000)]
SomeMillis = Annotated[int, Field(ge=1, le=600_000)]
Moves = Annotated[int, Field(ge=1, le=1000)]


class Clock(Section):
    first_move_ms: SomeMillis = _CLOCK.first_move_ms
    """Time for the first move, whose clock does not run yet."""
    hurry_below_ms: Millis = _CLOCK.hurry_below_ms
    """With less on our clock we answer as fast as a premove."""
    hurry_ms: SomeMillis = _CLOCK.hurry_ms
    """Time for a move in such a hurry."""
    overhead_ms: Millis = _CLOCK.overhead_ms
    """Kept back on each move on top of the measured way to Lichess and back."""
    first_lag_ms: Millis = _CLOCK.first_lag_ms
    """What that way is thought to take before it was measured."""
    most_lag_ms: SomeMillis = _CLOCK.most_lag_ms
    """The longest way that is believed."""
    correspondence_move_s: Annotated[int, Field(ge=1, le=3600)] = _CLOCK.correspondence_move_ms // 1000
    """Time for a move in correspondence games, in seconds."""


class Draw(Section):
    enabled: bool = _DRAW.enabled
    """Offer and accept draws."""
    score_cp: Annotated[int, Field(ge=0, le=1000)] = _DRAW.score_cp
    """A position is level when its score is at most so many centipawns away from 0."""
    moves: Moves = _DRAW.moves
    """For so many moves in a row."""
    from_move: Annotated[int, Field(ge=0, le=1000)] = _DRAW.from_move
    """Not before this move of the game."""
    max_pieces: Annotated[int, Field(ge=2, le=32)] = _DRAW.pieces or 32
    """Not with more men on the board; 32: any number."""
    offer_to_humans: bool = _DRAW.to_humans
    """Whether humans are offered draws; their own offers are judged anyway."""
    near_flag_ms: Millis = _DRAW.near_flag_ms
    """No draw with an opponent who has less time than this, unless we are worse."""


class Resign(Section):
    enabled: bool = _RESIGN.enabled
    """Resign lost games; never against the word of an endgame table."""
    score_cp: Annotated[int, Field(ge=1, le=100_000)] = _RESIGN.score_cp
    """A position is lost when its score is so many centipawns against us."""
    moves: Moves = _RESIGN.moves
    """For so many moves in a row."""
    to_humans: bool = _RESIGN.to_humans
    """Whether to resign against humans."""
    near_flag_ms: Millis = _RESIGN.near_flag_ms
    """Never against an opponent who has less time than this."""


class Takeback(Section):
    max_a_game: Annotated[int, Field(ge=0, le=1000)] = _TAKEBACK.most
    """Takebacks given in one game; 0: none."""
    humans_only: bool = _TAKEBACK.humans_only
    """Whether only humans are given any."""


def _by_variant(value: Any) -> Any:
    """A bare list is a list of books for standard chess."""
    if isinstance(value, dict):
        return value
    files = split(value)
    return {"standard": files} if files else {}


class Book(Section):
    files: Annotated[dict[Variant, Files], BeforeValidator(_by_variant)] = Field(default_factory=dict)
    """Polyglot books, a list for standard chess or a table of lists by variant."""
    selection: Literal["weighted", "uniform", "best"] = _BOOK.selection
    """Which of a book's moves is played: by its weight, any, or the one with the most weight."""
    min_weight: Annotated[int, Field(ge=0, le=65_535)] = _BOOK.min_weight
    """Moves with less weight are not played."""
    exponent: Annotated[float, Field(ge=0, le=10)] = _BOOK.exponent
    """Shapes the weights: 1 as they are, 0 all alike, 2 the popular moves even more often."""
    max_ply: Annotated[int, Field(ge=0, le=1000)] = _BOOK.max_ply
    """How far a book is followed, in half-moves."""
    variety: bool = _BOOK.variety
    """Rather play what the opponent has not seen from us before."""


class Tablebase(Section):
    paths: Files = ()
    """Folders with Syzygy tables."""
    max_pieces: Annotated[int, Field(ge=3, le=8)] = 7
    """Ask the tables when no more men than this are on the board."""
