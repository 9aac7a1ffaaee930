"""From a challenge to the end of a game, through every part of the service."""

from pathlib import Path

import pytest

from bot.game.facts import ChallengeJudged, GameClosed, MovePlayed
from bot.lichess.client import Patience
from bot.sandbox.embed import NotPlayedError, Sandbox
from tests.service.scene import running, tell


def test_a_challenge_is_accepted_and_played_to_its_end(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path, patience=Patience()) as bot:
            match = await box.finished(await box.challenge("random", clock="1+1"))
            closed = await bot.until(GameClosed)
            assert (closed.game, closed.state.ply) == (match.id, match.ply)
            assert box.measured.snapshot()["illegal"] == []
            assert bot.troubles() == set()
            await bot.until(MovePlayed, lambda fact: fact.ply + 2 >= match.ply)  # its answer may come last
            assert len(bot.told(MovePlayed)) >= match.ply // 2

    tell(story)


def test_a_challenge_we_do_not_want_is_declined_with_the_reason_lichess_has_for_it(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path, challenges={"time_controls": ["rapid"]}) as bot:
            with pytest.raises(NotPlayedError, match="tooFast"):
                await box.challenge("random", clock="1+1")
            judged = await bot.until(ChallengeJudged)
            assert (judged.verdict, judged.reason) == ("declined", "tooFast")

    tell(story)
