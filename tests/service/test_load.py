"""Many games at once on few engines: nobody's flag falls, and no move is illegal."""

import asyncio
import sys
from pathlib import Path

import pytest

from bot import log
from bot.sandbox.embed import Sandbox, sandbox
from bot.sandbox.player import Habits
from tests.service.program import TOKEN, krait, several, write_config

pytestmark = [pytest.mark.slow, pytest.mark.e2e, pytest.mark.timeout(900)]
GAMES, PATIENCE_S = 32, 800.0
REGULAR = {"mate", "stalemate", "draw", "insufficientMaterialClaim"}


def our_engine(config: Path) -> None:
    """Krait's own engine in place of the instant one, two processes of it."""
    text, _, _ = config.read_text().partition("[[engines]]")
    config.write_text(
        f'{text}[[engines]]\nname = "Krait"\ncommand = ["{sys.executable}", "-m", "engine"]\nprocesses = 2\n'
    )


async def all_of_them(box: Sandbox, config: Path) -> None:
    async with krait("run", url=box.url, config=config) as program:
        await program.says('"state": "ready"')
        games = await several(box, GAMES, clock="1+1")
        ends = {(await box.finished(game)).status.label for game in games}
        assert ends <= REGULAR
        assert box.measured.player(box.bot)["timeLosses"] == 0
        assert box.measured.player(box.bot)["illegalMoves"] == 0
        assert "emergency_move" not in program.text


def test_thirty_two_games_of_one_minute_on_two_engines_lose_none_on_time(tmp_path: Path) -> None:
    config = write_config(
        tmp_path / "state", games={"max_games": GAMES}, log={"style": "json", "level": "info"}
    )
    our_engine(config)
    log.configure("json", "error")

    async def whole() -> None:
        habits = Habits(most_games=GAMES)
        async with (
            asyncio.timeout(PATIENCE_S),
            sandbox(token=TOKEN, limited=False, habits=habits, reply_delay_s=0.0) as box,
        ):
            await all_of_them(box, config)

    asyncio.run(whole())
