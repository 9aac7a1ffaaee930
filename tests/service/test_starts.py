"""What is found at the start, what comes all at once, and what comes from nobody."""

from pathlib import Path

import pytest

from bot.game.facts import ChallengeJudged, ConnectionChanged, GameClosed, GameOpened
from bot.sandbox.embed import NotPlayedError, Sandbox
from bot.sandbox.speeds import TimeControl
from tests.service.scene import running, tell

ONLINE = {"connecting", "online"}
CLOCK = TimeControl(limit_s=180, increment_s=2)


@pytest.mark.parametrize("slots", [1, 4])
def test_every_game_found_at_the_start_is_taken_up_whatever_the_slots(tmp_path: Path, slots: int) -> None:
    async def story(box: Sandbox) -> None:
        games = [await box.pair("random", CLOCK, bot_is_white=number % 2 == 0) for number in range(4)]
        async with running(box, tmp_path, games={"max_games": slots}) as bot:
            for game in games:
                assert (await box.finished(game)).ply > 1
            for game in games:
                await bot.until(GameClosed, lambda fact, game=game: fact.game == game)  # type: ignore[misc]  # its own

    tell(story)


def test_a_burst_of_challenges_fills_the_slots_and_the_rest_wait_their_turn(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        caps = {"per_user_at_once": 0, "per_user_hour": 0}
        async with running(box, tmp_path, games={"max_games": 2}, challenges=caps) as bot:
            users = [
                await box.opponent(kind) for kind in ("random", "script:e4 e5 d4 d5", "silent", "leaver")
            ]
            made = [
                box.world.lobby.create(user, box.bot, {"clock.limit": 60, "clock.increment": 1})["id"]
                for user in users
            ]
            accepted = await bot.until(ChallengeJudged, lambda fact: fact.verdict == "accepted")
            assert accepted.challenge.id in made
            assert len(list(box.world.games.ongoing())) <= 2

    tell(story)


def test_a_challenge_of_nobody_is_judged_like_any_other(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path):
            game = await box.challenge("random", clock="3+2", anonymous=True)
            assert (await box.finished(game)).ply > 1

    tell(story)


def test_a_game_that_is_over_before_we_look_leaves_its_slot_free(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path, games={"max_games": 1}) as bot:
            first = await box.challenge("random", clock="3+2")
            await box.finished(first)
            await bot.until(GameClosed)
            box.replay_start(first)
            second = await box.challenge("random", clock="3+2")
            assert (await box.finished(second)).ply > 1

    tell(story)


def test_a_gamestart_told_twice_is_played_once(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path) as bot:
            box.faults.add("duplicate", on="event", times=0)
            game = await box.challenge("random", clock="3+2")
            await box.finished(game)
            await bot.until(GameClosed)
            assert len(bot.told(GameOpened)) == 1
            assert box.measured.player(box.bot)["refusedMoves"] == 0

    tell(story)


def test_a_second_program_on_our_token_is_recognised_and_not_fought(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path) as bot:
            for _ in range(3):
                await bot.until(ConnectionChanged, lambda fact: fact.state == "online")
                await box.online()
                bot.facts.clear()
                async with box.intruder():
                    said = await bot.until(ConnectionChanged, lambda fact: fact.state not in ONLINE)
            assert said.state == "elsewhere"
            assert "another program" in said.detail

    tell(story)


def test_challenges_wait_while_no_engine_is_ready(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path) as bot:
            game = await box.challenge("random", clock="3+2")
            await box.moved(game, 2)
            assert all(fact.verdict != "declined" for fact in bot.told(ChallengeJudged))

    tell(story)


def test_a_full_house_says_later_when_the_queue_is_full(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path, games={"max_games": 1}, challenges={"queue": 1}) as bot:
            await box.challenge("silent", clock="3+2")
            waiting = await box.opponent("leaver")
            box.world.lobby.create(waiting, box.bot, {"clock.limit": 180, "clock.increment": 2})
            await bot.until(ChallengeJudged, lambda fact: fact.verdict == "queued")
            with pytest.raises(NotPlayedError, match="later"):
                await box.challenge("random", clock="3+2")

    tell(story)
