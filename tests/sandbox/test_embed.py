"""The sandbox inside another program: opponents, challenges, faults, time and outages steered from Python."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import pytest

from bot.sandbox.embed import NotPlayedError, Sandbox, sandbox
from bot.sandbox.player import Habits
from bot.sandbox.refusal import Refusal
from tests.sandbox.guest import Guest, guest
from tests.sandbox.serving import PATIENCE_S

Story = Callable[[Sandbox, Guest], Awaitable[None]]


def run(story: Story, *, accepts: bool = True, **options: Any) -> None:
    """Tell a story with a bot that is online; nothing may have failed inside."""

    async def tell() -> None:
        wishes: dict[str, Any] = {
            "limited": False,
            "reply_delay_s": 0.0,
            "habits": Habits(greets=False),
            "seed": 1,
        } | options
        async with (
            asyncio.timeout(PATIENCE_S),
            sandbox(**wishes) as box,
            guest(box, accepts=accepts) as bot,
        ):
            await story(box, bot)
            assert box.measured.failures == 0

    asyncio.run(tell())


def seen(bot: Guest, kind: str | None) -> int:
    return sum(event.get("type") == kind for event in bot.events)


@pytest.mark.parametrize("opponent", ["random", "script:e4 e5 Qh5 Nc6 Bc4"])
def test_a_bot_is_challenged_and_plays_a_whole_game(opponent: str) -> None:
    async def story(box: Sandbox, _: Guest) -> None:
        game = await box.challenge(opponent, clock="1+0", color="white")
        match = await box.finished(game)
        assert match.is_over
        played = box.measured.player(box.bot)
        assert (played["games"], played["timeLosses"], played["illegalMoves"]) == (1, 0, 0)
        figures = box.measured.summary(box.bot)
        assert figures is not None
        assert figures["p50Ms"] <= figures["p95Ms"] <= figures["p99Ms"]

    run(story)


def test_several_games_are_played_at_once_against_one_opponent() -> None:
    async def story(box: Sandbox, _: Guest) -> None:
        games = await asyncio.gather(*(box.challenge(clock="1+0") for _ in range(4)))
        for game in games:
            await box.moved(game, 6)
            box.world.games.resign(game, "randommover")
        matches = await asyncio.gather(*(box.finished(game) for game in games))
        assert len({match.id for match in matches}) == 4
        assert box.measured.player(box.bot)["games"] == 4

    run(story)


@pytest.mark.parametrize("variant", ["chess960", "crazyhouse", "atomic", "antichess", "racingKings"])
def test_a_challenge_may_be_of_any_variant(variant: str) -> None:
    async def story(box: Sandbox, _: Guest) -> None:
        match = await box.moved(await box.challenge(clock="1+0", variant=variant), 6)
        assert match.variant.key == variant
        assert match.ply >= 6 or match.is_over

    run(story)


def test_a_challenge_may_be_from_a_position() -> None:
    async def story(box: Sandbox, _: Guest) -> None:
        fen = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
        with pytest.raises(Refusal):  # stalemate: lila would not send it
            await box.challenge(fen=fen)
        game = await box.challenge(fen="4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", clock="unlimited")
        match = await box.moved(game, 4)
        assert match.variant.key == "fromPosition"

    run(story)


def test_a_challenge_the_bot_declines_is_not_played() -> None:
    async def story(box: Sandbox, _: Guest) -> None:
        with pytest.raises(NotPlayedError, match="declined: generic"):
            await box.challenge()

    run(story, accepts=False)


def test_an_anonymous_challenger_is_null_and_its_game_is_played() -> None:
    async def story(box: Sandbox, bot: Guest) -> None:
        box.freeze()
        user = await box.opponent("random", anonymous=True)
        made = asyncio.create_task(box.challenge(anonymous=True, rated=True, clock="1+0"))
        await box.until(lambda world: world.lobby.list(user)["out"] or None)
        assert seen(bot, "challenge") == 0
        box.advance(2000)
        match = await box.moved(await made, 4)
        challenge = next(event for event in bot.events if event["type"] == "challenge")["challenge"]
        assert challenge["challenger"] is None
        assert not match.rated

    run(story)


def test_a_silent_opponent_never_moves_and_loses_on_time() -> None:
    async def story(box: Sandbox, _: Guest) -> None:
        game = await box.challenge("silent:1", clock="1+0", color="black")
        await box.moved(game, 3)
        box.advance(60_000)
        match = await box.finished(game)
        assert (match.status.label, match.ply) == ("outoftime", 3)
        assert box.measured.player("silent")["timeLosses"] == 1
        assert box.measured.player(box.bot)["wins"] == 1

    run(story)


def test_an_opponent_that_leaves_is_gone() -> None:
    async def story(box: Sandbox, _: Guest) -> None:
        game = await box.challenge("leaver:1", clock="3+0", color="black")
        await box.moved(game, 3)
        await box.left(game, "leaver")
        box.freeze()
        for _step in range(13):
            box.advance(5000)
        box.world.games.claim_victory(game, box.bot.lower())
        assert (await box.finished(game)).status.label == "timeout"

    run(story)


def test_faults_strike_and_the_game_goes_on() -> None:
    async def story(box: Sandbox, bot: Guest) -> None:
        for fault in ("drop@game,after=2,times=2", "drop@game,after=4,how=reset", "502@move", "reset@move"):
            box.faults.add(fault)
        box.faults.add("drop", on="event")
        match = await box.moved(await box.challenge(clock="1+0"), 20)
        assert match.ply >= 20
        assert box.faults.struck == 6
        assert bot.ends == 1

    run(story)


def test_a_game_that_is_over_may_be_said_to_begin() -> None:
    async def story(box: Sandbox, bot: Guest) -> None:
        game = await box.challenge("script:e4", clock="1+0")
        box.world.games.abort(game, "scripted")
        await box.finished(game)
        starts = seen(bot, "gameStart")
        box.replay_start(game)
        await bot.until(lambda: seen(bot, "gameStart") > starts)
        last = [event for event in bot.events if event["type"] == "gameStart"][-1]
        assert last["game"]["status"]["name"] == "started"

    run(story)


def test_a_second_client_takes_the_event_stream_away() -> None:
    async def story(box: Sandbox, bot: Guest) -> None:
        async with box.intruder():
            await bot.until(lambda: bot.ends > 0)
        assert box.measured.snapshot()["streams"]["evictedBy"][box.bot.lower()] >= 1

    run(story)


def test_games_survive_a_restart_of_the_server_of_the_sandbox_and_of_the_network() -> None:
    async def story(box: Sandbox, _: Guest) -> None:
        game = await box.challenge(clock="3+0")
        await box.moved(game, 2)
        box.restart()
        await box.moved(game, 4)
        box.reload()
        await box.moved(game, 6)
        async with box.outage():
            with pytest.raises(aiohttp.ClientConnectionError):
                async with aiohttp.ClientSession() as http, http.get(box.url):
                    pass
        assert (await box.moved(game, 8)).ply >= 8

    run(story)


def test_another_account_gets_a_token_of_its_own() -> None:
    async def story(box: Sandbox, _: Guest) -> None:
        token = box.account("Rival", title="BOT")
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            aiohttp.ClientSession() as http,
            http.get(f"{box.url}/api/account", headers=headers) as reply,
        ):
            assert (await reply.json())["id"] == "rival"

    run(story)


@pytest.mark.parametrize("kind", ["", "random,random", "silent:x", "/no/such/engine"])
def test_what_is_no_opponent_is_said_to_be_none(kind: str) -> None:
    async def story(box: Sandbox, _: Guest) -> None:
        with pytest.raises(Exception, match=r"opponent|number|engine"):
            await box.opponent(kind)

    run(story)


def test_a_port_that_is_taken_is_an_error_and_nothing_is_left_running() -> None:
    async def tell() -> None:
        with (
            socket.create_server(("127.0.0.1", 0)) as taken,
            pytest.raises(OSError, match="address already in use"),
        ):
            async with sandbox(port=taken.getsockname()[1], opponents=["random"]):
                pass
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(tell())
