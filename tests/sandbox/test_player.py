"""One game as an opponent plays it: pace, patience, offers, greetings, and going on where it was left."""

import asyncio
import random

import chess
import pytest

from bot.sandbox.player import Habits, Pace, Record, board_of
from bot.sandbox.world import World
from tests.sandbox.scene import Scene
from tests.sandbox.thinking import QUIET, Ears, invite, living, opponent_of, scripted


def test_a_draw_is_declined_at_first_and_taken_once_it_is_due() -> None:
    scene = Scene()
    pawns = "a2a3 a7a6 b2b3 b7b6 c2c3 c7c6 d2d3 d7d6 e2e3 e7e6 f2f3 f7f6 g2g3 g7g6 h2h3 h7h6"
    line = f"{pawns} a3a4 a6a5 b3b4 b6b5 c3c4 c6c5 c1b2 c8b7 f1g2 f8g7".split()

    async def story() -> None:
        ears = Ears(scene.world)
        async with living(opponent_of(scene, scripted(" ".join(line)))):
            game_id = invite(scene)
            await ears.until("gameStart")
            match = scene.world.games.get(game_id)
            for ply in range(0, len(line), 2):
                offering = ply in {2, 24}  # lila takes no second offer within twenty plies
                scene.world.games.move(game_id, "numbarine", line[ply], offering_draw=offering)
                await ears.until("move")
                if ply == 24:
                    break
                await ears.until("move")
                assert not match.is_over
            await ears.until("gameFinish")
        assert (match.status.label, match.ply) == ("draw", 25)

    asyncio.run(story())


def test_takebacks_are_granted_twice() -> None:
    scene = Scene(takebacks=True)

    async def story() -> None:
        ears = Ears(scene.world)
        async with living(opponent_of(scene, scripted("e4 e5 Nf3 Nc6"))):
            game_id = invite(scene)
            await ears.until("gameStart")
            match = scene.world.games.get(game_id)
            stream = scene.game_stream(match)
            for asked in range(3):
                scene.world.games.move(game_id, "numbarine", "e2e4")
                await ears.until("move")
                await ears.until("move")
                scene.world.games.takeback(game_id, "numbarine", accept=True)
                for _ in range(5):
                    await asyncio.sleep(0)  # it reads the proposal and answers
                assert match.ply == (0 if asked < 2 else 2)
                assert stream

    asyncio.run(story())


def test_a_game_that_never_begins_is_aborted() -> None:
    scene = Scene()
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async def story() -> None:
        ears = Ears(scene.world)
        async with living(opponent_of(scene, sleep=sleep)):
            invite(scene)
            match = scene.world.games.get(await ears.until("gameFinish"))
        assert match.status.label == "aborted"
        assert slept == [QUIET.patience_s]

    asyncio.run(story())


def test_a_human_pace_sits_before_it_moves() -> None:
    scene = Scene()
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        if seconds == QUIET.patience_s:
            await asyncio.Event().wait()

    async def story() -> None:
        ears = Ears(scene.world)
        async with living(opponent_of(scene, habits=QUIET._replace(pace=Pace.HUMAN), sleep=sleep)):
            invite(scene, color="black")
            await ears.until("move")
        assert 0 < slept[0] < QUIET.patience_s

    asyncio.run(story())


def test_an_opponent_greets_once() -> None:
    scene = Scene()

    async def story() -> None:
        ears = Ears(scene.world)
        async with living(opponent_of(scene, habits=Habits())):
            game_id = invite(scene)
            await ears.until("gameStart")
            for _ in range(3):
                await asyncio.sleep(0)  # it opens the game
        assert [line["user"] for line in scene.world.games.chat(game_id, "numbarine")] == ["Opal"]

    asyncio.run(story())


def test_a_running_game_of_a_saved_world_is_taken_up_again() -> None:
    scene = Scene()
    game = scene.game(color="black")
    world = World.load(scene.world.save(), now_ms=scene.world.now_ms, rng=random.Random(1))
    scene.world = world

    async def story() -> None:
        ears = Ears(world)
        async with living(opponent_of(scene, scripted("e4 e5"))):
            world.games.move(game.id, "numbarine", "e2e4")
            await ears.until("move")
            await ears.until("move")
        assert world.games.get(game.id).moves == ["e2e4", "e7e5"]

    asyncio.run(story())


def test_a_record_follows_a_game_forward_and_back() -> None:
    record = Record("standard", "startpos")
    for moves in ("", "e2e4", "e2e4 e7e5 g1f3", "e2e4", "d2d4 d7d5"):
        assert record.after(moves.split()).fen() == board_of("standard", "startpos", moves.split()).fen()


@pytest.mark.parametrize(
    ("key", "fen", "is_960"),
    [
        ("standard", "startpos", False),
        ("fromPosition", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", False),
        ("fromPosition", "4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1", True),
        ("chess960", "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1", True),
    ],
)
def test_a_board_is_of_chess960_only_where_its_castling_is(key: str, fen: str, is_960: bool) -> None:
    assert board_of(key, fen, ()).chess960 == is_960


def test_a_win_is_claimed_from_an_opponent_who_has_left() -> None:
    scene = Scene()

    async def story() -> None:
        ears = Ears(scene.world)
        async with living(opponent_of(scene, scripted("e4 e5"))):
            game_id = invite(scene)
            await ears.until("gameStart")
            scene.world.games.move(game_id, "numbarine", "e2e4")
            await ears.until("move")
            await ears.until("move")
            scene.wait(90_000)  # the bot has no stream of this game
            await ears.until("gameFinish")
        match = scene.world.games.get(game_id)
        assert (match.status.label, match.winner) == ("timeout", chess.BLACK)

    asyncio.run(story())
