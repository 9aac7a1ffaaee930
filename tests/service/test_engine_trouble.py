"""Engines that crash, hang or are killed in the middle of a game: the game goes on, on its own clock."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from bot.game.facts import EngineChanged, GameClosed, MovePlayed
from bot.sandbox.embed import Sandbox
from bot.sandbox.speeds import TimeControl
from tests.service.scene import engine, running, tell

REGULAR = {"mate", "stalemate", "draw", "resign", "insufficientMaterialClaim"}


def plays_with(tmp_path: Path, broken: dict[str, Any], *others: dict[str, Any]) -> set[str]:
    """A whole game against a random mover; who found our moves."""
    sources: set[str] = set()

    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path / "state", engines=[broken, *others]) as bot:
            match = await box.finished(await box.challenge("random", clock="1+1"))
            await bot.until(GameClosed)
            assert match.status.label in REGULAR
            assert box.measured.player(box.bot)["timeLosses"] == 0
            assert box.measured.player(box.bot)["illegalMoves"] == 0
            sources.update(fact.thought.source for fact in bot.told(MovePlayed))

    tell(story)
    return sources


def test_an_engine_that_dies_once_is_replaced_and_asked_again(tmp_path: Path) -> None:
    assert plays_with(tmp_path, engine("crash-once", str(tmp_path / "died"))) == {"instant"}


def test_another_engine_stands_in_for_one_that_always_dies(tmp_path: Path) -> None:
    sources = plays_with(tmp_path, engine("crash", name="broken", speeds=["bullet"]), engine(name="spare"))
    assert "spare" in sources
    assert "broken" not in sources


@pytest.mark.parametrize("how", ["crash", "hang"])
def test_without_any_engine_that_answers_legal_moves_are_played_in_time(tmp_path: Path, how: str) -> None:
    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path, engines=[engine(how, processes=1)]) as bot:
            game = await box.pair("random", TimeControl(limit_s=6, increment_s=0), bot_is_white=True)
            await box.moved(game, 4)
            assert {fact.thought.source for fact in bot.told(MovePlayed)} == {"emergency"}
            assert box.measured.player(box.bot)["illegalMoves"] == 0

    tell(story)


def test_a_worker_that_is_killed_while_it_thinks_costs_nothing_but_time(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        slow = engine("slow", "300", processes=1)
        async with running(box, tmp_path, engines=[slow]) as bot:
            game = await box.challenge("random", clock="3+2", color="black")
            await box.moved(game, 2)
            assert bot.service.pool is not None
            victims = [view.pid for view in bot.service.pool.snapshot()]
            for pid in victims:
                os.kill(pid, signal.SIGKILL)
            await bot.until(EngineChanged, lambda fact: fact.state == "restarted")
            await box.moved(game, 8)
            assert not box.world.games.get(game).is_over

    tell(story)
