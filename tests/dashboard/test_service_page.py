"""The page of a whole service: it shows a real game and never a secret, and a fault of it harms nobody."""

import asyncio
import json
import socket
import subprocess
import sys
from pathlib import Path

import aiohttp
import pytest

from bot.dashboard.window import Window
from bot.game.facts import GameClosed, MovePlayed, Trouble
from bot.sandbox.embed import Sandbox
from tests.service.scene import Bot, running, tell

SESAME = "open sésame"
PATHS = (
    "",
    "events",
    "healthz",
    "readyz",
    "metrics",
    "api/state",
    "api/games",
    "api/games.pgn",
    "api/ratings",
)


async def address(bot: Bot) -> str:
    """Of the page, as soon as it is served."""
    while bot.service.page_url is None:  # noqa: ASYNC110  nobody is told of it but the log
        await asyncio.sleep(0.01)
    return bot.service.page_url


async def heard(http: aiohttp.ClientSession, path: str) -> str:
    async with http.get(path) as answer:
        if answer.content_type != "text/event-stream":
            return await answer.text()
        lines = [await answer.content.readline() for _ in range(4)]
        return b"".join(lines).decode()


def test_a_game_is_seen_while_it_is_played_and_kept_when_it_is_over(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        async with (
            running(box, tmp_path, web={"port": 0}) as bot,
            aiohttp.ClientSession(await address(bot)) as http,
        ):
            game = await box.challenge("random", clock="1+0")
            await bot.until(MovePlayed)
            state = json.loads(await heard(http, "api/state"))
            assert state["sections"]["service"]["account"]["name"] == bot.service.manager.account.name  # type: ignore[union-attr]  # it plays
            detail = json.loads(await heard(http, f"api/games/{game}"))
            assert detail["moves"]
            await bot.until(GameClosed)
            await (await bot.service.recording()).settle()
            found = json.loads(await heard(http, "api/games"))
            assert [each["id"] for each in found["games"]] == [game]
            assert "[GameId " in await heard(http, "api/games.pgn")
            assert json.loads(await heard(http, "readyz"))["ready"]

    tell(story)


def test_neither_the_token_nor_the_password_is_ever_shown(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        web = {"port": 0, "password": SESAME}
        async with running(box, tmp_path, web=web) as bot:
            await box.challenge("random", clock="1+0")
            await bot.until(GameClosed)
            await (await bot.service.recording()).settle()
            key = {"Authorization": aiohttp.encode_basic_auth("any", SESAME, "utf-8")}
            async with aiohttp.ClientSession(await address(bot), headers=key) as http:
                for path in PATHS:
                    text = await heard(http, path)
                    assert text, path
                    assert box.token not in text
                    assert SESAME not in text

    tell(story)


def test_a_port_that_is_taken_is_told_and_the_games_are_played(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            async with running(box, tmp_path, web={"port": port}) as bot:
                trouble = await bot.until(Trouble, lambda fact: fact.what == "page_unavailable")
                assert trouble.detail.startswith(f"web.port {port}: another program listens there; choose")
                game = await box.challenge("random", clock="1+0")
                await bot.until(GameClosed, lambda fact: fact.game == game)

    tell(story)


def test_a_page_that_breaks_is_told_and_the_games_are_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(Window, "__init__", broken)

    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path, web={"port": 0}) as bot:
            trouble = await bot.until(Trouble, lambda fact: fact.what == "page_failed")
            assert trouble.detail == "RuntimeError: a fault of ours"
            game = await box.challenge("random", clock="1+0")
            await bot.until(GameClosed, lambda fact: fact.game == game)
            await bot.service.recording()

    tell(story)


def test_results_of_an_earlier_life_are_counted_on(tmp_path: Path) -> None:
    async def counted(http: aiohttp.ClientSession) -> int:
        ever = json.loads(await heard(http, "api/state"))["sections"]["results"]["ever"]
        return sum(each["wins"] + each["draws"] + each["losses"] for each in ever)

    async def story(box: Sandbox) -> None:
        for life in (1, 2):
            async with (
                running(box, tmp_path, web={"port": 0}) as bot,
                aiohttp.ClientSession(await address(bot)) as http,
            ):
                game = await box.challenge("random", clock="1+0")
                await bot.until(GameClosed, lambda fact, game=game: fact.game == game)  # type: ignore[misc]  # bound now
                while await counted(http) < life:  # noqa: ASYNC110  the database is asked behind our back
                    await asyncio.sleep(0.01)
                assert await counted(http) == life

    tell(story)


def test_without_a_page_nothing_of_it_is_loaded() -> None:
    """The service is light, and its stream open soon."""
    heavy = "('aiohttp', 'prometheus_client', 'bot.dashboard')"
    program = f"import sys, bot.serving; print([name for name in sys.modules if name.startswith({heavy})])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
