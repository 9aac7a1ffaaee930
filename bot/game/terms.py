"""The terms on which we play: what the operator asks (`Policy`) and how things stand (`Situation`)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Self

from bot.game.hours import Hours
from bot.game.nouns import STANDARD_SETUPS, Challenge, Player
from bot.game.timecontrol import TimeRange, parse_all


class Kind(StrEnum):
    HUMAN = "human"
    BOT = "bot"
    ANONYMOUS = "anonymous"


def kind_of(player: Player | None) -> Kind:
    if player is None or player.id is None:
        return Kind.ANONYMOUS
    return Kind.BOT if player.is_bot else Kind.HUMAN


def user_of(player: Player | None) -> str | None:
    """The name in lists and ledgers: Lichess's id. None for somebody without an account."""
    return player.id.lower() if player is not None and player.id is not None else None


@dataclass(frozen=True, slots=True)
class Rules:
    """What is asked of a challenge; humans and bots have a set each. None: no bound.

    `rematches` counts rematches in a row (0: none at all); `max_weaker` and `max_stronger` are rating points
    from ours; `min_minutes` and `max_minutes` bound both clocks together, 40 moves a side; titles are those
    of humans.
    """

    time_controls: tuple[TimeRange, ...] = field(
        default_factory=lambda: parse_all(("bullet", "blitz", "rapid", "classical", "correspondence"))
    )
    variants: frozenset[str] = STANDARD_SETUPS
    rated: bool = True
    casual: bool = True
    colors: frozenset[str] = frozenset({"white", "black"})  # those we may be asked to play
    min_rating: int | None = None
    max_rating: int | None = None
    max_weaker: int | None = None
    max_stronger: int | None = None
    provisional: bool = True
    titles: frozenset[str] = frozenset()  # empty: any and none
    refused_titles: frozenset[str] = frozenset()
    rematches: int | None = None
    at_once: int | None = 3
    games_an_hour: int | None = None
    games_a_day: int | None = None
    min_minutes: float | None = None
    max_minutes: float | None = None
    refused_rules: frozenset[str] = frozenset({"noAbort"})  # a game without abort can hold a slot for ever

    def __post_init__(self) -> None:
        object.__setattr__(self, "titles", frozenset(title.upper() for title in self.titles))
        object.__setattr__(self, "refused_titles", frozenset(title.upper() for title in self.refused_titles))


FOR_HUMANS = Rules()
FOR_BOTS = Rules(games_an_hour=5, games_a_day=20)  # bots challenge in loops, and Lichess counts 100 a day


@dataclass(frozen=True, slots=True)
class Policy:
    """Names may be written in any case. Precedence: `block`, `welcome`, everything else.

    `only`: nobody else plays (empty: everybody may). `welcome`: no filter applies to them; what we cannot
    play and how many games fit still does.
    """

    human: Rules = FOR_HUMANS
    bot: Rules = FOR_BOTS
    kinds: frozenset[Kind] = frozenset(Kind)
    only: frozenset[str] = frozenset()
    welcome: frozenset[str] = frozenset()
    block: frozenset[str] = frozenset()
    teams_only: bool = False
    hours: tuple[Hours, ...] = ()

    def __post_init__(self) -> None:
        for name in ("only", "welcome", "block"):
            object.__setattr__(self, name, frozenset(map(str.lower, getattr(self, name))))

    @classmethod
    def of(
        cls,
        common: Mapping[str, Any] | None = None,
        human: Mapping[str, Any] | None = None,
        bot: Mapping[str, Any] | None = None,
        **rest: Any,
    ) -> Self:
        """Fields of `Rules` for all, and those that differ for humans (anonymous ones too) and for bots.

        A bot keeps its default caps unless `common` or `bot` names them.
        """
        shared = dict(common or {})
        for_humans = replace(FOR_HUMANS, **{**shared, **(human or {})})
        return cls(for_humans, replace(FOR_BOTS, **{**shared, **(bot or {})}), **rest)

    def rules_for(self, kind: Kind) -> Rules:
        return self.bot if kind is Kind.BOT else self.human


@dataclass(frozen=True, slots=True)
class Situation:
    """What varies from one challenge to the next; the counts are of games with this challenger."""

    now: datetime  # by the operator's clock
    our_id: str
    ratings: Mapping[str, int] = field(default_factory=dict)  # ours, by perf key
    games_running: int = 0
    games_this_hour: int = 0
    games_today: int = 0
    rematches_in_a_row: int = 0
    team_mates: frozenset[str] | None = None  # lower case; None: not known (yet)
    blocked: frozenset[str] = frozenset()  # lower case: files and online lists
    playable: frozenset[str] | None = None  # variants an engine is there for; None: not known yet


@dataclass(frozen=True, slots=True)
class Case:
    """One challenge before the judge: what each check looks at."""

    challenge: Challenge
    policy: Policy
    situation: Situation
    rules: Rules
    kind: Kind
    user: str | None


def perf_key(challenge: Challenge) -> str:
    """Under which rating Lichess counts it: standard chess by its speed, a variant by its name."""
    by_speed = challenge.variant in {"standard", "fromPosition"}
    return challenge.control.speed.value if by_speed else challenge.variant


def named(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"
