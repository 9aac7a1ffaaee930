"""The built-in AI: eight levels, the best engine there is, and chance where there is none."""

import asyncio
import random
from pathlib import Path

import chess
import chess.variant
import pytest

from bot.sandbox.ai import BuiltInAi, level_options, random_share
from tests.sandbox.scene import Scene
from tests.sandbox.thinking import StandIn

OFFERED = (1300, 2800)


def test_each_level_is_stronger_than_the_one_below() -> None:
    elos = [int(str(level_options(OFFERED, level)["UCI_Elo"])) for level in range(1, 8)]
    shares = [random_share(OFFERED, level) for level in range(1, 9)]
    assert elos == sorted(elos)
    assert shares == sorted(shares, reverse=True)
    strengths = list(zip(elos, (-share for share in shares), strict=False))
    assert len(set(strengths)) == len(strengths)


def test_the_highest_level_is_all_an_engine_can() -> None:
    assert level_options(OFFERED, 8) == {}
    assert random_share(None, 8) == 0


def test_an_engine_that_cannot_be_told_a_strength_is_weakened_by_chance() -> None:
    assert level_options(None, 1) == {}
    assert 0 < random_share(None, 6) < random_share(None, 1) < 1


def choose(ai: BuiltInAi, board: chess.Board, level: int = 8) -> chess.Move:
    async def story() -> chess.Move:
        try:
            return await ai.choose(board, level, "gameGAME", 180_000)
        finally:
            await ai.close()

    return asyncio.run(story())


def test_the_best_engine_that_is_there_is_used(tmp_path: Path) -> None:
    stand_in = StandIn(tmp_path, "elo")
    remarks: list[str] = []
    ai = BuiltInAi(random.Random(1), remarks.append, ("no-such-engine", str(stand_in.path)))
    assert choose(ai, chess.Board(), 7).uci() == "a2a3"  # the first of all, as the stand-in plays
    assert "setoption name UCI_Elo value 2000" in stand_in.heard
    assert remarks == ["the AI plays with standin"]


def test_without_an_engine_the_ai_moves_at_random() -> None:
    ai = BuiltInAi(random.Random(1), lambda _: None, ("no-such-engine",))
    assert choose(ai, chess.Board()) in chess.Board().legal_moves


def test_a_variant_no_engine_knows_is_left_to_chance(tmp_path: Path) -> None:
    stand_in = StandIn(tmp_path)
    board = chess.variant.HordeBoard()
    remarks: list[str] = []
    ai = BuiltInAi(random.Random(1), remarks.append, (str(stand_in.path),))
    assert choose(ai, board) in board.legal_moves
    assert not remarks


def test_an_engine_that_keeps_dying_does_not_stop_the_game(tmp_path: Path) -> None:
    remarks: list[str] = []
    ai = BuiltInAi(random.Random(1), remarks.append, (str(StandIn(tmp_path, "dies").path),))
    assert choose(ai, chess.Board()) in chess.Board().legal_moves
    assert "a random move" in remarks[-1]


@pytest.mark.parametrize("color", ["white", "black"])
def test_a_game_against_the_ai_is_answered(color: str) -> None:
    scene = Scene()
    ai = BuiltInAi(random.Random(1), lambda _: None, ())
    form = {"level": 3, "clock.limit": 180, "clock.increment": 2, "color": color}
    game_id = scene.world.lobby.create_ai("numbarine", form)["id"]
    moved = asyncio.Event()

    async def story() -> None:
        task = asyncio.ensure_future(ai.run(scene.world))
        if color == "white":
            scene.world.games.move(game_id, "numbarine", "e2e4")
        scene.world.subscribe_all(lambda kind, _: moved.set() if kind == "move" else None)
        await moved.wait()
        task.cancel()

    asyncio.run(story())
    assert scene.world.games.get(game_id).ply == (2 if color == "white" else 1)
