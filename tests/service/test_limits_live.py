"""Limits of Lichess, seen from outside: obeyed one kind at a time, kept over a restart, never run into."""

import json
from pathlib import Path

import pytest

from bot.errors import RateLimited
from bot.game.facts import ConnectionChanged, GameClosed
from bot.game.nouns import TimeControl
from bot.lichess.backoff import Backoff
from bot.lichess.client import Patience
from bot.lichess.limits import BUDGETS, Kind
from bot.sandbox.embed import Sandbox
from tests.lichess.passage import corridor
from tests.service.company import PUPPET, Hand
from tests.service.scene import Bot, running, tell

REGULAR = {"mate", "stalemate", "draw", "resign", "insufficientMaterialClaim"}


async def refused(bot: Bot, user: str) -> RateLimited:
    """Why a challenge of ours was not sent, or not heard."""
    assert bot.service.lichess is not None
    with pytest.raises(RateLimited) as error:
        await bot.service.lichess.challenge(
            user, TimeControl(180, 2), rated=False, color="random", variant="standard"
        )
    return error.value


def test_a_limit_on_challenges_delays_no_move_and_holds_over_a_restart(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        user = await box.opponent(PUPPET)
        async with running(box, tmp_path) as bot:
            game = await box.challenge("random", clock="1+1")
            box.faults.add("429@challenge_create")
            await refused(bot, user)
            asked = box.measured.snapshot()["requests"]["challenge_create"]
            await refused(bot, user)
            assert (await box.finished(game)).status.label in REGULAR
        assert "challenge" in json.loads((tmp_path / "limits.json").read_text())["rests"]
        async with running(box, tmp_path) as bot:
            await refused(bot, user)
            assert box.measured.snapshot()["requests"]["challenge_create"] == asked
            assert (await box.finished(await box.challenge("random", clock="1+1"))).status.label in REGULAR

    tell(story)


def test_a_damaged_file_of_limits_is_told_and_begun_anew(tmp_path: Path) -> None:
    (tmp_path / "limits.json").write_text('{"spent": 3')

    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path) as bot:
            await box.finished(await box.challenge("random", clock="1+1"))
            assert "limits_unreadable" in bot.troubles()
        assert "spent" in json.loads((tmp_path / "limits.json").read_text())

    tell(story)


def test_a_stream_that_keeps_dying_is_not_opened_more_often_than_lichess_allows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.lichess.rivalry.Backoff", lambda **_: Backoff(first_s=0.001, cap_s=0.001))

    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path) as bot:
            hand = Hand(box, await box.challenge(PUPPET, clock="3+2", color="white"))
            box.faults.add("drop@event,how=reset,times=0")
            await bot.until(ConnectionChanged, lambda fact: "our own limit" in fact.detail)
            most = BUDGETS[Kind.EVENT_STREAM][0].points
            snapshot = box.measured.snapshot()
            assert most - 5 <= snapshot["streams"]["opened"]["event"] <= most + 1  # one is the opponent's
            assert not [each for each in snapshot["illegal"] if each["status"] == 429]
            assert (await hand.plays("e2e4", "d2d4")).ply == 4  # the game has a stream of its own

    tell(story, limited=True)


def test_a_pause_of_the_opponent_costs_our_next_move_no_new_connection(tmp_path: Path) -> None:
    patience = Patience(game_silence_s=2.0, event_silence_s=2.0, warm_s=0.02)

    async def story(box: Sandbox) -> None:
        async with corridor(box.url) as passage:
            at = {"url": passage.url}
            async with running(box, tmp_path, patience=patience, lichess=at) as bot:
                hand = Hand(box, await box.challenge(PUPPET, clock="3+2", color="white"))
                await hand.plays("e2e4")
                pings = passage.on("/__ping").total()
                await passage.until(lambda: passage.on("/__ping").total() > pings + 10)  # a long think
                before, moves = passage.connections, passage.on("/move/")
                await hand.plays("d2d4")
                assert passage.connections == before
                assert set(passage.on("/move/") - moves) <= set(passage.on("/__ping"))
                box.world.games.resign(hand.game, PUPPET)
                await bot.until(GameClosed)

    tell(story)
