"""One account, its ratings and its tokens. Plain data, and the arithmetic of ratings. Pure."""

from dataclasses import asdict, dataclass, field, fields
from typing import Literal

from bot.sandbox.refusal import Json
from bot.sandbox.speeds import PERF_NAMES

PROVISIONAL_GAMES = 10  # a rating is `provisional` until so many rated games
BOT_START = 3000  # where the ratings of an upgraded account begin
FLOOR, CEILING = 400, 4000
COUNTED = ("all", "rated", "ai", "draw", "loss", "win")
Admits = Literal["always", "registered", "rating", "friends", "never"]


@dataclass
class Perf:
    """A rating in one category. An Elo with a fixed K stands in for Glicko-2: enough to see ratings move."""

    rating: int = 1500
    games: int = 0
    prog: int = 0

    @property
    def provisional(self) -> bool:
        return self.games < PROVISIONAL_GAMES

    @property
    def rd(self) -> int:
        """A deviation that shrinks with games; it is shown and never used."""
        return max(45, 300 - 19 * self.games)

    @property
    def k(self) -> int:
        return 40 if self.provisional else 10

    def diff(self, opponent: int, score: float) -> int:
        """What a game against `opponent` with `score` (0, ½ or 1) changes."""
        expected = 1 / (1 + 10 ** ((opponent - self.rating) / 400))
        moved = self.rating + round(self.k * (score - expected))
        return min(CEILING, max(FLOOR, moved)) - self.rating

    def count(self, diff: int) -> None:
        self.rating += diff
        self.games += 1
        self.prog += diff


@dataclass
class Account:
    """Somebody with a name. `id` is the name in small letters."""

    id: str
    name: str
    title: str | None
    created_at_ms: int
    bio: str = ""
    perfs: dict[str, Perf] = field(default_factory=lambda: {key: Perf() for key in PERF_NAMES})
    blocks: set[str] = field(default_factory=set)
    follows: set[str] = field(default_factory=set)
    takebacks: bool = True  # preference: may the other side ask for one
    challenges_from: Admits = "always"
    flair: str | None = None
    patron: bool = False
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTED, 0))
    seen_at_ms: int = 0
    is_anonymous: bool = False  # somebody without an account: known here, and shown to nobody

    @property
    def is_bot(self) -> bool:
        return self.title == "BOT"

    @property
    def games_played(self) -> int:
        return self.counts["all"]

    @property
    def display(self) -> str:
        """The name with its title before it, as texts show it."""
        return f"{self.title} {self.name}" if self.title else self.name

    def upgrade(self) -> None:
        """Become a bot, for good."""
        self.title = "BOT"
        self.takebacks = False
        self.perfs = {key: Perf(BOT_START) for key in PERF_NAMES}

    def count_game(self, *, rated: bool, ai: bool, score: float) -> None:
        result = {0.0: "loss", 0.5: "draw", 1.0: "win"}[score]
        for key in ("all", result, *(("rated",) if rated else ()), *(("ai",) if ai else ())):
            self.counts[key] += 1

    def to_json(self) -> Json:
        data = asdict(self)
        return {**data, "blocks": sorted(self.blocks), "follows": sorted(self.follows)}

    @classmethod
    def from_json(cls, data: Json) -> "Account":
        known = {each.name for each in fields(cls)}
        account = cls(**{key: value for key, value in data.items() if key in known})
        account.perfs = {key: Perf(**perf) for key, perf in data["perfs"].items()}
        account.blocks, account.follows = set(data["blocks"]), set(data["follows"])
        return account


@dataclass(frozen=True)
class Token:
    secret: str
    user_id: str
    scopes: frozenset[str]
    expires_at_ms: int | None = None

    def to_json(self) -> Json:
        return {**asdict(self), "scopes": sorted(self.scopes)}

    @classmethod
    def from_json(cls, data: Json) -> "Token":
        return cls(data["secret"], data["user_id"], frozenset(data["scopes"]), data["expires_at_ms"])
