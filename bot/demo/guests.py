"""Who plays on the page: guests of the local Lichess, and how strong each wants the bot to be."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from bot.engines.spec import OptionValue
from bot.game.nouns import GameId, GameInfo
from bot.sandbox.embed import Sandbox

SCOPES = ("board:play", "challenge:write", "challenge:read")
ELO_MIN, ELO_MAX = 800, 2800  # what our engine offers as UCI_Elo


class Level(NamedTuple):
    name: str
    elo: int | None  # None: as well as it can


LEVELS = (
    Level("Beginner", 800),
    Level("Casual", 1100),
    Level("Club novice", 1400),
    Level("Club player", 1700),
    Level("Strong club player", 2000),
    Level("Expert", 2300),
    Level("Master", 2600),
    Level("Full strength", None),
)


def read_elo(value: Any) -> int | None:
    """What the page sent; None is full strength. ValueError says what is wrong."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not ELO_MIN <= value <= ELO_MAX:
        raise ValueError(f"elo is a whole number from {ELO_MIN} to {ELO_MAX}, or null for full strength")
    return value


class Guests:
    """A game keeps the strength its player had asked for when it began."""

    def __init__(self) -> None:
        self._count = 0
        self._wanted: dict[str, int | None] = {}  # by user id
        self._played: dict[GameId, int | None] = {}

    def welcome(self, box: Sandbox) -> tuple[str, str]:
        """A new guest's name and token."""
        self._count += 1
        while box.world.accounts.get(name := f"Guest{self._count}") is not None:
            self._count += 1
        return name, box.account(name, scopes=SCOPES)

    def ask(self, user: str, elo: int | None) -> None:
        """From the next game on."""
        self._wanted[user.lower()] = elo

    def elo_of(self, info: GameInfo) -> int | None:
        if info.id not in self._played:
            self._played[info.id] = self._wanted.get(info.opponent.id or "")
        return self._played[info.id]

    def strength(self, info: GameInfo) -> Mapping[str, OptionValue]:
        """The engine's options for a game."""
        elo = self.elo_of(info)
        return {} if elo is None else {"UCI_LimitStrength": True, "UCI_Elo": elo}
