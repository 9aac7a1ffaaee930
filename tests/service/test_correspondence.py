"""Games with days a move: they sleep without an engine and a stream, and are served when it is our turn."""

from pathlib import Path
from typing import Any

import pytest

from bot.game.facts import GameClosed, GameOpened, MovePlayed
from bot.play.manager import House
from bot.sandbox.embed import Sandbox
from bot.store.store import Store
from tests.service.company import PUPPET, Hand
from tests.service.scene import engine, running, tell

REGULAR = {"mate", "stalemate", "draw", "resign", "insufficientMaterialClaim"}


@pytest.fixture(autouse=True)
def _looked_at_often(monkeypatch: pytest.MonkeyPatch) -> None:
    def often(capacity: Any, _: float, variants: frozenset[str], *, once: bool) -> House:
        return House(capacity, 0.1, variants, once=once)

    monkeypatch.setattr("bot.app.House", often)


async def sit_down(box: Sandbox, clock: str = "2d") -> Hand:
    return Hand(box, await box.challenge(PUPPET, clock=clock, color="white"))


@pytest.mark.parametrize("clock", ["2d", "unlimited"])
def test_a_game_without_a_clock_is_served_on_its_turn_and_sleeps_between(tmp_path: Path, clock: str) -> None:
    async def story(box: Sandbox) -> None:
        taken = {"time_controls": ["unlimited", "correspondence 1..14"]}
        async with running(box, tmp_path, challenges=taken) as bot:
            hand = await sit_down(box, clock)
            for uci in ("e2e4", "d2d4", "a2a3"):
                await hand.plays(uci)
                await box.left(hand.game, box.bot.lower())
                assert bot.service.pool is not None
                assert all(view.game is None for view in bot.service.pool.snapshot())
            assert hand.match.ply == 6
            assert not bot.troubles()

    tell(story)


def test_a_game_that_slept_through_a_restart_is_served(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path):
            hand = await sit_down(box)
            await hand.plays("e2e4")
        hand.move("d2d4")
        async with running(box, tmp_path) as bot:
            assert (await hand.turn()).ply == 4
            await hand.plays("a2a3")
            assert all(fact.resumed for fact in bot.told(GameOpened))

    tell(story)


def database_of(state: Path) -> str:
    return f"sqlite+aiosqlite:///{state / 'krait.db'}"


@pytest.mark.parametrize("where", ["asleep", "away"])
def test_the_end_of_a_game_that_sleeps_is_recorded(tmp_path: Path, where: str) -> None:
    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path, games={"max_correspondence": 1}) as bot:
            hand = await sit_down(box)
            await hand.plays("e2e4")
            await box.left(hand.game, box.bot.lower())
            if where == "away":
                box.faults.add("silence@event")
            box.world.games.resign(hand.game, PUPPET)
            closed = await bot.until(GameClosed)
            assert (closed.result, closed.state.status) == ("win", "resign")
            box.faults.clear()
            await sit_down(box)  # its place is free
        async with Store(database_of(tmp_path)) as store:
            found = await store.ask.game(closed.game)
            assert found is not None
            assert (found[0].result, len(found[1])) == ("win", 2)

    tell(story)


def test_games_without_a_clock_take_no_place_of_those_with_one(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        caps = {"per_user_at_once": 0}
        async with running(box, tmp_path, games={"max_games": 1}, challenges=caps) as bot:
            for _ in range(3):
                await sit_down(box)
            game = await box.challenge("random", clock="1+1")
            assert (await box.finished(game)).status.label in REGULAR
            await bot.until(GameClosed, lambda fact: fact.game == game)

    tell(story)


def test_a_crowd_of_games_without_a_clock_does_not_starve_one_with_a_clock(tmp_path: Path) -> None:
    crowd = 12

    async def story(box: Sandbox) -> None:
        settings: dict[str, Any] = {
            "games": {"max_correspondence": crowd},
            "challenges": {"per_user_at_once": 0},
            "engines": [engine("slow", "30", processes=1)],
        }
        async with running(box, tmp_path, **settings) as bot:
            hands = [await sit_down(box) for _ in range(crowd)]
            game = await box.challenge("random", clock="0.5+0", color="white")
            for hand in hands:
                hand.move("e2e4")
            match = await box.finished(game)
            assert match.status.label in REGULAR
            assert box.measured.player(box.bot)["timeLosses"] == 0
            for hand in hands:
                await bot.until(MovePlayed, lambda fact, game=hand.game: fact.game == game)  # type: ignore[misc]  # its own

    tell(story)
