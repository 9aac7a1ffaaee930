"""What a match knows of its players: who sits where, and what each has put to the other. Plain data."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field

import chess

from bot.sandbox.refusal import Json


@dataclass
class Seat:
    """Who plays a colour: an account as it was when the game began, the built-in AI, or nobody known."""

    user_id: str | None = None
    name: str = "Anonymous"
    title: str | None = None
    rating: int | None = None
    provisional: bool = False
    ai_level: int | None = None
    rating_diff: int | None = None
    is_anonymous: bool = False  # a user only the sandbox knows
    player_id: str = ""  # four letters that, after a game's id, name this player of it

    @property
    def is_bot(self) -> bool:
        return self.title == "BOT"

    @property
    def is_rated(self) -> bool:
        return self.user_id is not None and not self.is_anonymous

    def to_json(self) -> Json:
        return asdict(self)


@dataclass
class Offers:
    """Standing offers, and the past ones that forbid asking again."""

    draw: set[chess.Color] = field(default_factory=set)
    draw_ply: dict[chess.Color, int] = field(default_factory=dict)  # of each side's latest offer
    takeback: dict[chess.Color, int] = field(
        default_factory=dict
    )  # the ply at which a standing proposal was made
    refused: int = 0  # takebacks refused so far
    refused_at_ms: int = 0

    def to_json(self) -> Json:
        return {
            "draw": by_name(dict.fromkeys(self.draw, 1)),
            "draw_ply": by_name(self.draw_ply),
            "takeback": by_name(self.takeback),
            "refused": self.refused,
            "refused_at_ms": self.refused_at_ms,
        }

    @classmethod
    def from_json(cls, data: Json) -> "Offers":
        return cls(
            set(by_color(data["draw"])),
            by_color(data["draw_ply"]),
            by_color(data["takeback"]),
            int(data["refused"]),
            int(data["refused_at_ms"]),
        )


def color_name(side: chess.Color) -> str:
    return chess.COLOR_NAMES[side]


def color_named(name: str) -> chess.Color:
    """ValueError for what is no colour."""
    return bool(["black", "white"].index(name))


def by_name(numbers: Mapping[chess.Color, int]) -> dict[str, int]:
    return {color_name(side): number for side, number in numbers.items()}


def by_color(numbers: Mapping[str, int]) -> dict[chess.Color, int]:
    return {color_named(name): int(number) for name, number in numbers.items()}


def both(values: Iterable[Seat]) -> dict[chess.Color, Seat]:
    """White's seat first, then Black's."""
    return dict(zip((chess.WHITE, chess.BLACK), values, strict=True))
