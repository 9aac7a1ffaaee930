"""Lines for people and for programs: one a move, one a game, and never a token."""

import asyncio
import io
import json
import logging
import re
from collections.abc import Iterator
from typing import Any

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st
from structlog.contextvars import bound_contextvars

from bot import log
from bot.game import facts
from bot.game.nouns import (
    NO_CLOCK_MS,
    Challenge,
    ChallengeId,
    GameId,
    GameInfo,
    Player,
    Score,
    Speed,
    State,
    Thought,
    TimeControl,
)

SECRET = "lip_AbCdEf123456"  # noqa: S105  - nobody's
GAME = GameId("abcd1234")
INFO = GameInfo(
    GAME,
    Player("krait", "Krait"),
    Player("ann", "Ann", rating=1800),
    "standard",
    Speed.BLITZ,
    rated=True,
    control=TimeControl(180, 2),
    we_are_white=True,
)
START, END = State((), 180_000, 180_000), State(("e2e4",) * 9, 1, 1, status="mate", winner=True)
THOUGHT = Thought("e2e4", "Krait", Score(cp=31), depth=12, nodes=812_344)
PLAYED = facts.MovePlayed(GAME, 1, THOUGHT, 840, 59_160, 38, offered_draw=False, when_ms=0)


class Paper(io.StringIO):
    """What was written, as lines or as records."""

    def records(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.getvalue().splitlines()]


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


def paper(style: log.Style = "json", level: str = "info") -> Paper:
    out = Paper()
    log.configure(style, level, secrets=[SECRET, 'open"sesame'], stream=out)
    return out


def told(*told_facts: facts.Fact, level: str = "info") -> list[dict[str, Any]]:
    out = paper(level=level)
    tell = log.log_facts()
    for fact in told_facts:
        tell(fact)
    return out.records()


# --- one line a move, one a game


def test_a_move_is_one_line() -> None:
    (line,) = told(PLAYED)
    wanted = {"event": "move_played", "level": "info", "game": GAME, "uci": "e2e4", "ply": 1, "depth": 12}
    wanted |= {"score": "+0.31", "nodes": 812_344, "spent_ms": 840, "left_ms": 59_160, "lag_ms": 38}
    assert wanted.items() <= line.items()


def test_a_game_is_one_line_that_sums_it_up() -> None:
    slow = facts.MovePlayed(GAME, 3, THOUGHT, 1160, 900, 212, offered_draw=False, when_ms=0)
    lines = told(
        facts.GameOpened(INFO, START, resumed=False, when_ms=0),
        PLAYED,
        slow,
        facts.PliesSeen(GAME, START, 0),
        facts.ThoughtGrew(GAME, 1, THOUGHT, 0),
        facts.GameClosed(GAME, END, "win", 0),
    )
    assert [line["event"] for line in lines] == ["move_played", "move_played", "game_over"]
    wanted = {"game": GAME, "result": "win", "by": "mate", "plies": 9, "moves": 2, "spent_ms": 2000}
    wanted |= {"worst_lag_ms": 212, "least_left_ms": 900, "opponent": "Ann", "clock": "3+2", "color": "white"}
    assert wanted.items() <= lines[-1].items()


def test_a_game_that_ends_before_it_was_seen_is_a_line_all_the_same() -> None:
    (line,) = told(facts.GameClosed(GAME, END, "aborted", 0))
    assert (line["event"], line["result"]) == ("game_over", "aborted")


def test_a_game_that_is_taken_up_again_is_announced() -> None:
    (line,) = told(facts.GameOpened(INFO, START, resumed=True, when_ms=0))
    assert (line["event"], line["opponent"]) == ("game_resumed", "Ann")


def test_no_clock_is_not_shown_as_a_number() -> None:
    (line,) = told(facts.MovePlayed(GAME, 1, THOUGHT, 1, NO_CLOCK_MS, 1, offered_draw=False, when_ms=0))
    assert "left_ms" not in line


def test_a_challenge_says_who_what_and_why() -> None:
    asked = Challenge(
        ChallengeId("c"), None, None, "atomic", rated=False, control=TimeControl(60), color="random"
    )
    (line,) = told(facts.ChallengeJudged(asked, "declined", "variant", "no engine plays atomic", 0))
    assert (line["event"], line["challenger"]) == ("challenge_declined", "Anonymous")
    assert (line["variant"], line["reason"], line["why"]) == ("atomic", "variant", "no engine plays atomic")


@pytest.mark.parametrize(
    ("fact", "level"),
    [
        (facts.ChallengeGone(ChallengeId("c"), "withdrawn", 0), "info"),
        (facts.ConnectionChanged("online", "", 0), "info"),
        (facts.ConnectionChanged("lost", "reset", 0), "warning"),
        (facts.ConnectionChanged("elsewhere", "", 0), "warning"),
        (facts.EngineChanged("Krait", 7, "ready", "", 0), "info"),
        (facts.EngineChanged("Krait", 0, "died", "exit 1", 0), "warning"),
        (facts.Trouble("chat_refused", "too fast", 0, GAME), "warning"),
        (facts.GameRated(GAME, -7, 0), "info"),
        (facts.TakebackGiven(GAME, 0), "info"),
    ],
)
def test_what_an_operator_wants_to_know_is_a_line_of_its_weight(fact: facts.Fact, level: str) -> None:
    (line,) = told(fact)
    assert line["level"] == level


def test_trouble_is_named_by_what_it_is() -> None:
    (line,) = told(facts.Trouble("chat_refused", "too fast", 0, GAME))
    assert (line["event"], line["detail"], line["game"]) == ("chat_refused", "too fast", GAME)


def test_small_talk_is_for_those_who_look_for_faults() -> None:
    said = facts.ChatHeard(GAME, "player", "Ann", "hi", 0)
    opened = facts.GameOpened(INFO, START, resumed=False, when_ms=0)
    assert not told(said, opened)
    assert [line["event"] for line in told(said, opened, level="debug")] == ["chat_heard", "game_opened"]


def test_below_the_level_nothing_is_written() -> None:
    assert not told(PLAYED, level="warning")


# --- the game's name


def test_each_game_keeps_its_own_name() -> None:
    out = paper()

    async def play(game: str) -> None:
        with bound_contextvars(game=game):
            await asyncio.sleep(0)
            structlog.get_logger().info("thinking")

    async def both() -> None:
        async with asyncio.TaskGroup() as games:
            games.create_task(play("aaaa"))
            games.create_task(play("bbbb"))

    asyncio.run(both())
    assert sorted(line["game"] for line in out.records()) == ["aaaa", "bbbb"]


# --- secrets


def fail(reason: str, _secret: str = "") -> None:
    raise ValueError(reason)


@pytest.mark.parametrize("style", ["json", "console"])
def test_no_token_gets_into_a_line(style: log.Style) -> None:
    out = paper(style)
    token, other = SECRET, "lip_SomebodyElses"
    logger = structlog.get_logger()
    event = f"said_{token}"
    logger.info(event, text=f"x{token}x", deep={"a": [token, other]}, **{token: 1})
    logger.info("typed", typed='open"sesame', thing=Exception(token))
    try:
        fail(f"Bearer {token}")
    except ValueError:
        logger.exception("failed")
        logging.getLogger("urllib3").exception("%s", token)
    text = out.getvalue()
    assert "AbCdEf" not in text
    assert "Somebody" not in text
    assert 'open"sesame' not in text.replace("\\", "")
    assert text.count("Traceback") == 2


def test_a_traceback_shows_no_local_variables() -> None:
    out = paper()
    try:
        fail(SECRET[4:9], SECRET[9:])
    except ValueError:
        structlog.get_logger().exception("failed", known=1)
    assert "Traceback" in out.getvalue()
    assert SECRET[9:] not in out.getvalue()


@given(st.text(), st.text())
def test_whatever_stands_around_a_secret_it_is_found(before: str, after: str) -> None:
    assert "AbCdEf" not in log.Scrubber([SECRET])(f"{before}{SECRET}{after}")


def test_a_secret_too_short_to_be_one_mutilates_no_line() -> None:
    assert log.Scrubber(["", "e", "12345"])("spent 12345 ms") == "spent 12345 ms"


# --- people and programs


def test_a_terminal_gets_a_console_and_a_pipe_gets_json() -> None:
    class Terminal(Paper):
        def isatty(self) -> bool:
            return True

    pipe, terminal = Paper(), Terminal()
    for out in (pipe, terminal):
        log.configure("auto", "info", stream=out)
        structlog.get_logger().info("ready", engine="Krait")
    assert pipe.records()[0]["engine"] == "Krait"
    assert "\x1b[" in terminal.getvalue()


@pytest.mark.parametrize("style", ["json", "console"])
def test_what_strangers_write_is_one_line_and_commands_no_terminal(style: log.Style) -> None:
    out = paper(style, "debug")
    log.log_facts()(facts.ChatHeard(GAME, "player", "Ann", "hi\n2026 fake_line\x1b[2J\u2028\x9b1m", 0))
    assert len(out.getvalue().splitlines()) == 1
    assert not re.search(r"[\x1b\x9b\u2028]", out.getvalue())


def test_libraries_speak_through_the_same_door_and_only_when_it_matters() -> None:
    out = paper(level="debug")
    for name in ("urllib3.connectionpool", "berserk", "aiosqlite"):
        logging.getLogger(name).info("chatter")
        logging.getLogger(name).warning("%s is slow", name)
    lines = out.records()
    assert [line["event"] for line in lines] == [f"{line['event'].split()[0]} is slow" for line in lines]
    assert len(lines) == 3


def test_to_configure_twice_is_to_configure_anew() -> None:
    first, second = paper(), paper()
    logging.getLogger("somebody").warning("hello")
    structlog.get_logger().info("ready")
    assert not first.getvalue()
    assert len(second.records()) == 2
