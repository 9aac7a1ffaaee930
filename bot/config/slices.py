"""What each room gets to know of the configuration: its own slice, in its own words."""

import os
import sys
from typing import Any

from bot.config.challenges import NO_BOUND, Rules
from bot.config.model import Config
from bot.config.sections import Engine
from bot.config.values import CHESS
from bot.engines.spec import EngineSpec
from bot.game.clockwork import ClockRules
from bot.game.hours import parse_hours
from bot.game.ledger import Capacity, Sort
from bot.game.manners import DrawRule, Manners, ResignRule, TakebackRule
from bot.game.nouns import Speed
from bot.game.policy import Kind, Policy
from bot.game.policy import Rules as PolicyRules
from bot.game.timecontrol import parse_all
from bot.sources.book import BookRules

OUR_ENGINE = (sys.executable, "-m", "engine")
OUR_TEXTBOOK = (sys.executable, "-m", "engine.classic")  # weaker, and it plays every variant


def policy_of(config: Config) -> Policy:
    """Of the lists only the names themselves: files and web pages change while we run (`bot.lists`)."""
    challenges = config.challenges
    return Policy(
        human=_rules(challenges.rules_for("human")),
        bot=_rules(challenges.rules_for("bot")),
        kinds=frozenset(map(Kind, challenges.accept)),
        only=_names(challenges.only),
        welcome=_names(challenges.welcome),
        block=_names(challenges.block),
        teams_only=bool(challenges.teams),
        hours=tuple(parse_hours(span) for span in challenges.hours),
    )


def _names(entries: tuple[str, ...]) -> frozenset[str]:
    return frozenset(entry.removeprefix("@") for entry in entries if ":" not in entry)


def _rules(rules: Rules) -> PolicyRules:
    return PolicyRules(
        time_controls=parse_all(rules.time_controls),
        variants=frozenset(rules.variants),
        rated="rated" in rules.modes,
        casual="casual" in rules.modes,
        colors=frozenset(rules.colors),
        min_rating=rules.rating_min or None,
        max_rating=_unless(rules.rating_max, NO_BOUND),
        max_weaker=_unless(rules.below_ours, NO_BOUND),
        max_stronger=_unless(rules.above_ours, NO_BOUND),
        provisional=rules.provisional,
        titles=frozenset(rules.titles),
        refused_titles=frozenset(rules.refused_titles),
        rematches=_unless(rules.rematches, -1),
        at_once=rules.per_user_at_once or None,
        games_an_hour=rules.per_user_hour or None,
        games_a_day=rules.per_user_day or None,
        min_minutes=rules.min_minutes or None,
        max_minutes=rules.max_minutes or None,
        refused_rules=frozenset(rules.refused_rules),
    )


def _unless(value: int, unbounded: int) -> int | None:
    return None if value == unbounded else value


def capacity_of(config: Config) -> Capacity:
    return Capacity(
        max_games=config.games.max_games,
        max_correspondence=config.games.max_correspondence,
        reserved_for_humans=config.games.reserved_for_humans,
        queue_length=config.challenges.queue,
        sort=Sort(config.challenges.sort),
        promise_s=float(config.challenges.promise_s),
    )


def manners_of(config: Config) -> Manners:
    draw, resign, takeback = config.draw, config.resign, config.takeback
    return Manners(
        greeting=config.chat.greeting,
        greeting_spectators=config.chat.greeting_spectators,
        goodbye=config.chat.goodbye,
        goodbye_spectators=config.chat.goodbye_spectators,
        engine=config.engines[0].name,
        draw=DrawRule(
            enabled=draw.enabled,
            score_cp=draw.score_cp,
            moves=draw.moves,
            from_move=draw.from_move,
            pieces=_unless(draw.max_pieces, 32),
            to_humans=draw.offer_to_humans,
            near_flag_ms=draw.near_flag_ms,
        ),
        resign=ResignRule(
            resign.enabled, resign.score_cp, resign.moves, resign.to_humans, resign.near_flag_ms
        ),
        takeback=TakebackRule(most=takeback.max_a_game, humans_only=takeback.humans_only),
        abort_after_human_s=float(config.games.abort_after_human_s) or None,
        abort_after_bot_s=float(config.games.abort_after_bot_s) or None,
    )


def clock_rules_of(config: Config) -> ClockRules:
    numbers = config.clock.model_dump(exclude={"correspondence_move_s"})
    return ClockRules(correspondence_move_ms=config.clock.correspondence_move_s * 1000, **numbers)


def book_rules_of(config: Config) -> BookRules:
    return BookRules(**config.book.model_dump(exclude={"files"}))


def engine_specs_of(config: Config) -> tuple[EngineSpec, ...]:
    return tuple(_spec(engine, config.games.max_games) for engine in config.engines)


def _spec(engine: Engine, games: int) -> EngineSpec:
    options: dict[str, Any] = dict(engine.options)
    return EngineSpec(
        name=engine.name,
        command=engine.command or _ours(engine),
        options={name: str(value) if isinstance(value, float) else value for name, value in options.items()},
        protocol=engine.protocol,
        variants=frozenset(engine.variants),
        speeds=frozenset(map(Speed, engine.speeds)) or None,
        processes=engine.processes or max(1, min(games, os.cpu_count() or 1)),
        ponder=engine.ponder,
        cwd=engine.cwd or None,
        start_s=engine.start_s,
    )


def _ours(engine: Engine) -> tuple[str, ...]:
    return OUR_ENGINE if set(engine.variants) <= set(CHESS) else OUR_TEXTBOOK
