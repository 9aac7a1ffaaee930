"""The program as a whole: killed, told to stop, started twice, without a token, before its server."""

import asyncio
import signal
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from bot.sandbox.embed import NotPlayedError, Sandbox
from tests.service.company import PUPPET
from tests.service.program import TOKEN, descendants, gone, krait, of_process, outcome, several, write_config
from tests.service.scene import tell

pytestmark = pytest.mark.e2e
REGULAR = {"mate", "stalemate", "draw", "insufficientMaterialClaim"}
CLEARLY = 2  # the exit code of whatever the user got wrong


def story_of(story: Any, **options: Any) -> None:
    tell(story, token=TOKEN, keep_alive_s=2.0, **options)


def test_eight_games_survive_a_kill_and_no_engine_does(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        config = write_config(tmp_path / "state", "slow", "20")
        async with krait("run", url=box.url, config=config) as first:
            await box.online()
            games = await several(box, 8)
            for game in games:
                await box.moved(game, 4)
            engines = list(descendants(first.pid))
            assert len(engines) == 2
            first.signal(signal.SIGKILL)
            await first.ends()
        async with asyncio.timeout(10):
            for pid in engines:
                await gone(pid)
        cut_short = [game for game in games if not box.world.games.get(game).is_over]
        assert cut_short
        async with krait("run", url=box.url, config=config):
            for game in games:
                assert (await box.finished(game)).status.label in REGULAR
        assert box.measured.player(box.bot)["timeLosses"] == 0
        assert box.measured.player(box.bot)["illegalMoves"] == 0

    story_of(story)


def test_told_to_stop_it_finishes_its_games_and_takes_no_new_ones(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        config = write_config(tmp_path / "state", "slow", "20")
        async with krait("run", url=box.url, config=config) as program:
            await box.online()
            games = await several(box, 2)
            for game in games:
                await box.moved(game, 4)
            program.signal(signal.SIGTERM)
            await program.says("no new games")
            with pytest.raises(NotPlayedError, match="later"):
                await box.challenge(PUPPET, clock="3+2")
            assert await program.ends() == 0
            assert {box.world.games.get(game).status.label for game in games} <= REGULAR

    story_of(story)


def test_told_to_leave_its_games_it_leaves_them_to_the_next_start(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        config = write_config(tmp_path / "state", "slow", "20", games={"drain": "leave", "max_games": 8})
        async with krait("run", url=box.url, config=config) as program:
            await box.online()
            (game,) = await several(box, 1)
            await box.moved(game, 4)
            program.signal(signal.SIGTERM)
            assert await program.ends() == 0
            assert not box.world.games.get(game).is_over
        async with krait("run", url=box.url, config=config):
            assert (await box.finished(game)).status.label in REGULAR

    story_of(story)


@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_leaves_at_once_and_resigns_nothing(tmp_path: Path, second: signal.Signals) -> None:
    async def story(box: Sandbox) -> None:
        config = write_config(tmp_path / "state")
        async with krait("run", url=box.url, config=config) as program:
            await box.online()
            game = await box.challenge("silent:2", clock="3+2", color="white")
            await box.moved(game, 4)
            program.signal(signal.SIGTERM)
            await program.says("no new games")
            program.signal(second)
            assert await program.ends() == 0
            assert not box.world.games.get(game).is_over
            requests = box.measured.snapshot()["requests"]
            assert not {"resign", "abort"} & set(requests)

    story_of(story)


def test_a_second_instance_is_refused_with_the_pid_of_the_first(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        config = write_config(tmp_path / "state")
        async with krait("run", url=box.url, config=config) as first:
            await box.online()
            code, _, said = await outcome("run", url=box.url, config=config)
            assert (code, f"pid {first.pid}," in said) == (CLEARLY, True)
            assert first.process.returncode is None

    story_of(story)


def test_once_means_one_game(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        config = write_config(tmp_path / "state")
        async with krait("run", "--once", url=box.url, config=config) as program:
            await box.online()
            (game,) = await several(box, 1)
            assert await program.ends() == 0
            assert box.world.games.get(game).status.label in REGULAR

    story_of(story)


def test_an_idle_service_is_light(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        config = write_config(tmp_path / "state", "slow", "0")
        async with krait("run", url=box.url, config=config) as program:
            await box.online()
            (game,) = await several(box, 1)
            await box.finished(game)  # by now the database is open, and every lane in use
            await program.says("game_over")
            (resident,) = [line for line in of_process(program.pid, "status").splitlines() if "VmRSS" in line]
            assert int(resident.split()[1]) <= 90 * 1024

    story_of(story)


def test_the_token_is_nowhere_and_neither_are_numba_and_numpy(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        config = write_config(tmp_path / "state")
        async with krait("run", url=box.url, config=config) as program:
            await box.online()
            (game,) = await several(box, 1)
            await box.moved(game, 2)
            below = list(descendants(program.pid))
            for pid in (program.pid, *below):
                assert TOKEN not in of_process(pid, "cmdline")
            for pid in below:
                assert TOKEN not in of_process(pid, "environ")
            mapped = of_process(program.pid, "maps")
            assert not [name for name in ("numpy", "numba", "llvmlite") if name in mapped]
            await box.finished(game)
            program.signal(signal.SIGTERM)
            await program.ends()
        assert TOKEN not in program.text
        written = [file for file in (tmp_path / "state").rglob("*") if file.is_file()]
        assert {file.suffix for file in written} >= {".db", ".pgn", ".lock", ".json"}
        assert not [file for file in written if TOKEN.encode() in file.read_bytes()]

    story_of(story)


# --- what can be wrong at the start


@pytest.mark.parametrize(
    ("token", "words"),
    [
        ("", "there is no token: make one with the scope bot:play"),
        ("lip_NobodyKnowsThis", "does not know this token"),
        ("not a token!", "characters that no token of Lichess has; copy it anew"),
        ("lip_Scopeless", "lacks the scope bot:play"),
        ("lip_Human", "is no bot: `krait upgrade` makes it one"),
    ],
)
def test_a_token_that_will_not_do_is_told_with_what_to_do(tmp_path: Path, token: str, words: str) -> None:
    async def story(box: Sandbox) -> None:
        accounts = box.world.accounts
        scopeless, human = accounts.create("Scopeless", title="BOT"), accounts.create("Human")
        for account, scope in ((scopeless, "challenge:read"), (human, "bot:play")):
            accounts.issue_token(account.id, [scope], secret=f"lip_{account.name}")
        config = write_config(tmp_path / "state")
        code, _, said = await outcome("run", url=box.url, config=config, token=token)
        lines = [line for line in said.splitlines() if line.startswith("krait:")]
        assert code == CLEARLY
        assert "Traceback" not in said
        assert words in lines[-1]
        assert not token or token not in said

    story_of(story)


def test_a_token_that_is_taken_back_while_we_run_ends_us_with_what_to_do(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        config = write_config(tmp_path / "state")
        async with krait("run", url=box.url, config=config) as program:
            await box.online()
            box.world.accounts.revoke(TOKEN)
            box.faults.add("drop@event")
            assert await program.ends() == CLEARLY
            assert "Traceback" not in program.text
            assert "does not know this token" in program.text

    story_of(story)


@pytest.mark.parametrize("url", ["mysql://somewhere/krait", "no address at all"])
def test_a_database_that_cannot_be_is_told(tmp_path: Path, url: str) -> None:
    async def story(box: Sandbox) -> None:
        config = write_config(tmp_path / "state", database={"url": url})
        code, _, said = await outcome("run", url=box.url, config=config)
        assert (code, "Traceback" in said) == (CLEARLY, False)
        assert "database" in said

    story_of(story)


def test_a_misspelt_setting_is_told_with_the_nearest_right_one(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        config = write_config(tmp_path / "state", games={"max_gmaes": 3})
        code, _, said = await outcome("run", url=box.url, config=config)
        assert code == CLEARLY
        assert "max_gmaes" in said
        assert "max_games" in said
        assert "Traceback" not in said

    story_of(story)


def test_started_before_the_server_it_comes_online_when_the_server_does(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        config = write_config(tmp_path / "state")
        async with AsyncExitStack() as stack:
            async with box.outage():
                program = await stack.enter_async_context(krait("run", url=box.url, config=config))
                await program.says("has not answered yet; trying on")
            await box.online()
            (game,) = await several(box, 1)
            assert (await box.finished(game)).status.label in REGULAR

    story_of(story)


def test_told_to_stop_while_there_is_no_server_it_stops(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        config = write_config(tmp_path / "state")
        async with box.outage(), krait("run", url=box.url, config=config) as program:
            await program.says("has not answered yet; trying on")
            program.signal(signal.SIGTERM)
            assert await program.ends() == 0

    story_of(story)


# --- errands


@pytest.mark.parametrize(("typed", "title"), [("Newcomer\n", "BOT"), ("yes\n", None), ("\n", None)])
def test_an_account_becomes_a_bot_only_after_its_name_was_typed(
    tmp_path: Path, typed: str, title: str | None
) -> None:
    async def story(box: Sandbox) -> None:
        token = box.account("Newcomer")
        config = write_config(tmp_path / "state")
        code, said, _ = await outcome("upgrade", url=box.url, config=config, token=token, typed=typed)
        assert code == 0
        assert "for good" in said
        assert box.world.accounts.require("Newcomer").title == title

    story_of(story)


def test_a_challenge_that_is_accepted_is_played_by_the_service_that_runs(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        config = write_config(tmp_path / "state")
        user = await box.opponent("random")
        async with krait("run", url=box.url, config=config):
            await box.online()
            code, said, _ = await outcome("challenge", user, "--clock", "1+1", url=box.url, config=config)
            assert (code, "accepted" in said) == (0, True)
            await box.until(lambda _: box.measured.player(box.bot)["games"] or None)
            assert box.measured.player(box.bot)["timeLosses"] == 0

    story_of(story)


def test_a_challenge_that_is_declined_is_told(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        config = write_config(tmp_path / "state")
        box.account("Proud")

        async def decline() -> None:
            def look(_: object) -> str | None:
                waiting = box.world.lobby.list("proud")["in"]
                return str(waiting[0]["id"]) if waiting else None

            box.world.lobby.decline(await box.until(look), "proud", "tooFast")

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(decline())
            code, said, _ = await outcome("challenge", "Proud", "--clock", "1+1", url=box.url, config=config)
        assert (code, "declined" in said) == (1, True)

    story_of(story)
