"""The nouns of the service: what a game, a challenge, a clock and a thought are. Frozen facts.

Times are whole milliseconds (`_ms`) except instants (`at`), which are seconds of a monotonic clock.
A side is written as python-chess does: True is White.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NewType

GameId = NewType("GameId", str)
ChallengeId = NewType("ChallengeId", str)

NO_CLOCK_MS = 2_147_483_647  # what Lichess shows where nobody is timed
STANDARD_SETUPS = frozenset({"standard", "chess960", "fromPosition"})  # played by the rules of chess


class Speed(StrEnum):
    """As Lichess names them; the estimate is limit + 40 increments."""

    ULTRA_BULLET = "ultraBullet"
    BULLET = "bullet"
    BLITZ = "blitz"
    RAPID = "rapid"
    CLASSICAL = "classical"
    CORRESPONDENCE = "correspondence"


_BELOW_S = (
    (30, Speed.ULTRA_BULLET),
    (180, Speed.BULLET),
    (480, Speed.BLITZ),
    (1500, Speed.RAPID),
    (21_600, Speed.CLASSICAL),
)


@dataclass(frozen=True, slots=True)
class TimeControl:
    """A clock (`limit_s`, `increment_s`), days a turn, or neither: unlimited."""

    limit_s: int | None = None
    increment_s: int = 0
    days: int | None = None

    @property
    def is_clock(self) -> bool:
        return self.limit_s is not None

    @property
    def is_unlimited(self) -> bool:
        return self.limit_s is None and self.days is None

    @property
    def speed(self) -> Speed:
        if self.limit_s is None:
            return Speed.CORRESPONDENCE
        estimate_s = self.limit_s + 40 * self.increment_s
        return next((speed for below_s, speed in _BELOW_S if estimate_s < below_s), Speed.CORRESPONDENCE)

    def __str__(self) -> str:
        """`3+2`, `1/2+0`, `correspondence 3`, `unlimited`: the words of `timecontrol`."""
        if self.limit_s is None:
            return "unlimited" if self.days is None else f"correspondence {self.days}"
        fractions = {15: "1/4", 30: "1/2", 45: "3/4"}
        minutes = fractions.get(self.limit_s) or f"{self.limit_s / 60:.2f}".rstrip("0").rstrip(".")
        return f"{minutes}+{self.increment_s}"


@dataclass(frozen=True, slots=True)
class Player:
    """`id` is None for somebody without an account and for the built-in AI (which has `ai_level`)."""

    id: str | None = None
    name: str = "Anonymous"
    title: str | None = None
    rating: int | None = None
    provisional: bool = False
    ai_level: int | None = None

    @property
    def is_bot(self) -> bool:
        return self.title == "BOT"

    @property
    def is_human(self) -> bool:
        return not self.is_bot and self.ai_level is None


@dataclass(frozen=True, slots=True)
class Challenge:
    """Somebody's wish to play, as it arrived. `challenger` is None when anonymous."""

    id: ChallengeId
    challenger: Player | None
    dest: Player | None
    variant: str
    rated: bool
    control: TimeControl
    color: str  # the challenger's wish: white, black or random
    final_color: str | None = None  # the challenger's colour, where Lichess has drawn it already
    initial_fen: str | None = None
    rematch_of: GameId | None = None
    rules: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class GameBrief:
    """A game as the account's stream and list tell of it: enough to open it."""

    id: GameId
    we_are_white: bool
    speed: Speed
    variant: str
    rated: bool
    opponent: Player
    is_my_turn: bool
    has_moved: bool = False
    seconds_left: int | None = None
    tournament: str | None = None
    source: str = "friend"
    for_bots: bool = True  # Lichess's `compat.bot`; absent means yes
    status: str = "started"
    winner: bool | None = None
    rating_diff: int | None = None


@dataclass(frozen=True, slots=True)
class GameInfo:
    """What does not change while a game is played."""

    id: GameId
    white: Player
    black: Player
    variant: str
    speed: Speed
    rated: bool
    control: TimeControl
    we_are_white: bool
    initial_fen: str | None = None  # None: the usual start of the variant
    created_at_ms: int = 0
    tournament: str | None = None

    @property
    def us(self) -> Player:
        return self.white if self.we_are_white else self.black

    @property
    def opponent(self) -> Player:
        return self.black if self.we_are_white else self.white


@dataclass(frozen=True, slots=True)
class State:
    """What a line of the game's stream says of it now. `status` is Lichess's word."""

    moves: tuple[str, ...]
    white_ms: int
    black_ms: int
    white_inc_ms: int = 0
    black_inc_ms: int = 0
    status: str = "started"
    winner: bool | None = None
    white_draw: bool = False
    black_draw: bool = False
    white_takeback: bool = False
    black_takeback: bool = False
    rematch: GameId | None = None

    @property
    def ply(self) -> int:
        return len(self.moves)

    @property
    def is_over(self) -> bool:
        return self.status not in {"created", "started"}  # an unknown word is an ending

    def left_ms(self, white: bool) -> int:
        return self.white_ms if white else self.black_ms

    def inc_ms(self, white: bool) -> int:
        return self.white_inc_ms if white else self.black_inc_ms


@dataclass(frozen=True, slots=True)
class Position:
    """Where to think: the whole line from the start, so that nobody has to remember anything."""

    variant: str
    initial_fen: str | None
    moves: tuple[str, ...]

    @property
    def ply(self) -> int:
        return len(self.moves)


@dataclass(frozen=True, slots=True)
class Score:
    """For us. Either centipawns or moves to mate (negative: we are mated; 0 is being mated already)."""

    cp: int | None = None
    mate: int | None = None

    @property
    def as_cp(self) -> int:
        """One number for comparisons: a mate is worth more than any score, the nearer the more."""
        if self.mate is None:
            return self.cp or 0
        return 100_000 - self.mate if self.mate > 0 else -100_000 - self.mate

    def __str__(self) -> str:
        return f"#{self.mate}" if self.mate is not None else f"{(self.cp or 0) / 100:+.2f}"


@dataclass(frozen=True, slots=True)
class Thought:
    """A move and what is known of it. `source`: an engine's name, book, tablebase, emergency."""

    uci: str
    source: str
    score: Score | None = None
    depth: int = 0
    nodes: int = 0
    nps: int = 0
    time_ms: int = 0
    pv: tuple[str, ...] = ()
    tablebase_wdl: int | None = None  # of the position for us, -2 lost to 2 won, where a table knows
    others: "tuple[Thought, ...]" = ()  # what else was looked at, where an engine was asked for more lines
