"""What goes wrong between us and Lichess, a fault at a time, in whole games over HTTP: none costs a game."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.game.facts import ConnectionChanged, GameClosed, GameOpened
from bot.sandbox.embed import Sandbox
from bot.sandbox.match import Match
from tests.service.scene import Bot, running, tell


def plays_on(tmp_path: Path, *faults: str, **settings: Any) -> tuple[Bot, Match, dict[str, Any]]:
    """A whole game with these faults; the service, the game, and what the sandbox measured."""
    found: list[tuple[Bot, Match, dict[str, Any]]] = []

    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path, **settings) as bot:
            game = await box.challenge("random", clock="3+2", color="white")
            match = await box.finished(game)
            await bot.until(GameClosed)
            found.append((bot, match, box.measured.snapshot()))

    tell(story, faults=faults, seed=3)
    return found[0]


REGULAR = {"mate", "stalemate", "draw", "resign", "insufficientMaterialClaim"}


GAME_STREAM = ("drop@game,after=3", "drop@game,after=3,how=reset", "silence@game,after=3")


@pytest.mark.parametrize("fault", GAME_STREAM)
def test_a_game_goes_on_when_its_stream_is_lost(tmp_path: Path, fault: str) -> None:
    bot, match, measured = plays_on(tmp_path, fault)
    assert match.status.label in REGULAR
    assert measured["streams"]["opened"]["game"] > 1
    assert len(bot.told(GameOpened)) == 1


EVENT_STREAM = ("drop@event,after=1", "drop@event,after=1,how=reset", "silence@event,after=1")


@pytest.mark.parametrize("fault", EVENT_STREAM)
def test_a_lost_event_stream_is_opened_again_and_the_game_is_played_once(tmp_path: Path, fault: str) -> None:
    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path) as bot:
            first = await box.challenge("random", clock="3+2")
            await bot.until(ConnectionChanged, lambda fact: fact.state == "lost")
            second = await box.challenge("random", clock="3+2")  # it is heard: we are not deaf
            assert (await box.finished(first)).status.label in REGULAR
            assert (await box.finished(second)).status.label in REGULAR
            opened = [fact.info.id for fact in bot.told(GameOpened)]
            assert sorted(opened) == sorted([first, second])

    tell(story, faults=[fault])


MOVES = (
    "429@move,after=2",
    "502@move,after=2,times=3",
    "reset@move,after=2,how=before",
    "reset@move,after=2,how=after",
    "slow@move,after=2,ms=4000",
    "slow@move,after=2,ms=4000,how=after",
)


@pytest.mark.parametrize("fault", MOVES)
def test_a_move_is_neither_lost_nor_played_twice(tmp_path: Path, fault: str) -> None:
    _, match, _ = plays_on(tmp_path, fault)
    assert match.status.label in REGULAR


@pytest.mark.parametrize("fault", ["429@chat,times=0", "slow@chat,ms=30000,times=0"])
def test_chat_that_is_refused_or_slow_delays_no_move(tmp_path: Path, fault: str) -> None:
    _, match, measured = plays_on(tmp_path, fault)
    assert match.status.label in REGULAR
    assert measured["requests"]["move"] >= match.ply // 2


@pytest.mark.parametrize(
    "line", [{"type": "weather", "sun": True}, {"sun": True}, {"type": "gameStart"}, {"type": "challenge"}]
)
def test_a_line_nobody_can_read_makes_us_neither_deaf_nor_blind(tmp_path: Path, line: dict[str, Any]) -> None:
    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path) as bot:
            box.faults.add("line", on="event", body=json.dumps(line))
            assert (await box.finished(await box.challenge("random", clock="3+2"))).status.label in REGULAR
            assert (await box.finished(await box.challenge("random", clock="3+2"))).status.label in REGULAR
            assert "line_unread" in bot.troubles()

    tell(story)
