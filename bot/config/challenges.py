"""Whom we play and what: the rules for everybody, and where humans and bots are treated differently."""

import re
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from bot.config.values import CHESS, Count, Rating, Seconds, Section, Variants, Words, split
from bot.game.hours import parse_hours
from bot.game.timecontrol import parse

NO_BOUND = 4000  # as a rating or a distance between ratings
_BOT_CAPS = {"per_user_hour": 5, "per_user_day": 20}  # bots challenge in loops, and Lichess counts 100 a day
_NAME = r"@?[\w-]{2,30}"


def _in_players_words(controls: tuple[str, ...]) -> tuple[str, ...]:
    for control in controls:
        parse(control)
    return controls


def _in_hours(spans: tuple[str, ...]) -> tuple[str, ...]:
    for span in spans:
        parse_hours(span)
    return spans


def _people(entries: tuple[str, ...]) -> tuple[str, ...]:
    for entry in entries:
        if not re.fullmatch(rf"{_NAME}|file:.+|https?://\S+", entry):
            raise ValueError(f'{entry!r} is neither a name nor "file:PATH" nor a web address')
    return entries


Controls = Annotated[Words, AfterValidator(_in_players_words)]
Hours = Annotated[Words, AfterValidator(_in_hours)]
People = Annotated[Words, AfterValidator(_people)]
Modes = Annotated[tuple[Literal["casual", "rated"], ...], BeforeValidator(split)]
Colors = Annotated[tuple[Literal["white", "black"], ...], BeforeValidator(split)]
Kinds = Annotated[tuple[Literal["human", "bot", "anonymous"], ...], BeforeValidator(split)]


class Rules(Section):
    """What is asked of a challenge."""

    time_controls: Controls = ("1/2..30+0..30", "correspondence 1..14")
    """As players say: "3+2", "1..10+0..5", "blitz", "correspondence 1..14", "unlimited"; "!1+0": but not."""
    variants: Variants = CHESS
    """Variants we play; each needs an engine that knows it."""
    modes: Modes = ("casual", "rated")
    """casual, rated or both."""
    colors: Colors = ("white", "black")
    """Colours that we may be asked to play."""
    rating_min: Rating = 0
    """Lowest rating of an opponent; 0: any."""
    rating_max: Rating = NO_BOUND
    """Highest rating of an opponent; 4000: any."""
    below_ours: Rating = NO_BOUND
    """How far below our own rating an opponent may be; 4000: any distance."""
    above_ours: Rating = NO_BOUND
    """How far above our own rating an opponent may be; 4000: any distance."""
    provisional: bool = True
    """Whether players with a provisional rating (the one with a question mark) may play."""
    titles: Words = ()
    """Only holders of these titles may play, such as GM or WIM; nothing: everybody."""
    refused_titles: Words = ()
    """Holders of these titles may not play."""
    rematches: Annotated[int, Field(ge=-1, le=1000)] = -1
    """Rematches in a row with one player; 0: none, -1: no limit."""
    per_user_at_once: Count = 3
    """Games with one player at the same time; 0: no limit."""
    per_user_hour: Count = 0
    """Games with one player in an hour; 0: no limit."""
    per_user_day: Count = 0
    """Games with one player in a day; 0: no limit."""
    min_minutes: Annotated[float, Field(ge=0, le=10_000)] = 0
    """Shortest game, both clocks together for 40 moves each, in minutes; 0: no limit."""
    max_minutes: Annotated[float, Field(ge=0, le=10_000)] = 0
    """Longest game, counted likewise; 0: no limit."""
    refused_rules: Words = ("noAbort",)
    """Special rules of a challenge that are declined: a game without abort can hold its place for ever."""

    @model_validator(mode="after")
    def _lowest_is_below_highest(self) -> Self:
        if self.rating_min > self.rating_max:
            raise ValueError(f"rating_min ({self.rating_min}) is above rating_max ({self.rating_max})")
        return self


class Challenges(Rules):
    accept: Kinds = ("human", "bot", "anonymous")
    """Kinds of opponent: human, bot, anonymous (a human without an account)."""
    welcome: People = ()
    """Players to whom no filter applies: names, "file:PATH", or the web address of a list of names."""
    only: People = ()
    """Nobody but these may play, written as in `welcome`; nothing: everybody."""
    block: People = ()
    """These may never play, written as in `welcome`."""
    teams: Words = ()
    """Only members of these teams may play (the last part of a team's address); nothing: everybody."""
    hours: Hours = ()
    """When we play, by this machine's clock: "18:00-23:30", "sat,sun", "mon-fri 19:00-24:00". Else always."""
    sort: Literal["best", "first", "humans"] = "best"
    """Who is next when all games are taken: the highest rated, the first come, or humans before bots."""
    queue: Annotated[int, Field(ge=0, le=1000)] = 20
    """Challenges that may wait for a free game; further ones are declined with "later"."""
    promise_s: Annotated[Seconds, Field(ge=5)] = 30
    """How long an accepted challenge keeps its place while Lichess has not started the game."""
    human: Rules = Rules()
    """Any rule of [challenges] again, for humans only."""
    bot: Rules = Rules.model_validate(_BOT_CAPS)
    """Any rule of [challenges] again, for bots only."""

    @model_validator(mode="before")
    @classmethod
    def _bots_keep_their_caps(cls, data: Any) -> Any:
        """Unless somebody names them, for bots or for all."""
        if not isinstance(data, dict) or not isinstance(own := data.get("bot", {}), dict):
            return data
        caps = {name: cap for name, cap in _BOT_CAPS.items() if name not in data}
        return {**data, "bot": {**caps, **own}}

    def rules_for(self, kind: str) -> Rules:
        """The rules with what is said of this kind alone laid over them. Anonymous players are humans."""
        own = self.bot if kind == "bot" else self.human
        common = {name: getattr(self, name) for name in Rules.model_fields}
        return Rules.model_validate(common | {name: getattr(own, name) for name in own.model_fields_set})

    @model_validator(mode="after")
    def _somebody_can_play_something(self) -> Self:
        for kind in self.accept:
            rules = self.rules_for(kind)
            if not (rules.time_controls and rules.variants and rules.modes and rules.colors):
                raise ValueError(f"nothing is left that a {kind} could play: take {kind} out of `accept`")
        return self
