"""Coming to an end: what was promised is played, what sleeps is left; and a server away for a while."""

from pathlib import Path

import pytest

from bot.game.facts import ConnectionChanged, GameClosed, GameRated
from bot.game.nouns import GameId
from bot.sandbox.embed import NotPlayedError, Sandbox
from bot.store.store import Store
from tests.service.company import PUPPET, Hand
from tests.service.scene import running, tell

REGULAR = {"mate", "stalemate", "draw", "resign", "insufficientMaterialClaim"}


def test_a_game_that_was_promised_before_we_were_told_to_stop_is_played(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path) as bot:
            game = await box.challenge("random", clock="1+1")  # accepted, and its beginning not yet heard of
            bot.service.drain()
            assert (await box.finished(game)).status.label in REGULAR
            await bot.until(GameClosed)

    tell(story)


def test_nothing_is_accepted_after_we_were_told_to_stop(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path) as bot:
            hand = Hand(box, await box.challenge(PUPPET, clock="3+2", color="white"))
            await hand.plays("e2e4")
            bot.service.drain()
            with pytest.raises(NotPlayedError, match="later"):
                await box.challenge("random", clock="1+1")
            await hand.plays("d2d4")

    tell(story)


def test_games_without_a_clock_keep_nobody_from_leaving(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path) as bot:
            hand = Hand(box, await box.challenge(PUPPET, clock="2d", color="white"))
            await hand.plays("e2e4")
            bot.service.drain()
            await box.until(lambda world: None if world.follows(box.bot) else True)
            assert not hand.match.is_over

    tell(story)


@pytest.mark.parametrize("how", ["outage", "restart"])
def test_games_outlive_a_server_that_is_away_for_a_while(tmp_path: Path, how: str) -> None:
    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path) as bot:
            hands = [Hand(box, await box.challenge(PUPPET, clock="3+2", color="white")) for _ in range(2)]
            for hand in hands:
                await hand.plays("e2e4")
            if how == "restart":
                box.restart(down_ms=700)
                for hand in hands:
                    hand.move("d2d4")
            else:
                async with box.outage():
                    for hand in hands:
                        hand.move("d2d4")
                    await bot.until(ConnectionChanged, lambda fact: fact.state == "lost")
            for hand in hands:
                assert (await hand.plays("a2a3")).ply == 6

    tell(story)


def test_the_rating_a_game_brought_is_told_and_kept(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path) as bot:
            game = await box.challenge("random", clock="1+1", rated=True)
            rated = await bot.until(GameRated)
            await bot.until(GameClosed)
        async with Store(f"sqlite+aiosqlite:///{tmp_path / 'krait.db'}") as store:
            found = await store.ask.game(GameId(game))
            assert found is not None
            assert found[0].rating_diff == rated.rating_diff

    tell(story)


def test_a_service_that_is_idle_and_told_to_stop_ends(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path) as bot:
            bot.service.drain()
            await box.until(lambda world: None if world.follows(box.bot) else True)

    tell(story)
