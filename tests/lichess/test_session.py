"""What goes over the wire with every request, and what never does."""

import asyncio
import logging
import socket
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from bot.errors import ConfigError, Refused
from bot.game.nouns import GameId
from bot.lichess.client import Lichess
from bot.lichess.session import socket_options, user_agent
from bot.sandbox.faults import Faults, parse_fault
from tests.lichess.entering import entered, secret_of
from tests.lichess.test_lanes import game_of
from tests.sandbox.serving import Box, run

PASSWORD = "lip_A_secret_0123456789"  # noqa: S105  of nobody


async def asked_twice(handler: Any) -> list[dict[str, str]]:
    """The headers of two requests, as a server saw them that answers as `handler` does."""
    seen: list[dict[str, str]] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        seen.append(dict(request.headers))
        response: web.StreamResponse = await handler(request)
        return response

    app = web.Application()
    app.router.add_get("/api/account", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        door = web.TCPSite(runner, "127.0.0.1", 0)
        await door.start()
        url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        async with Lichess(url, PASSWORD, version="9.9", name="Krait") as lichess:
            for _ in range(2):
                await lichess.whoami()
    finally:
        await runner.cleanup()
    return seen


async def baker(_: web.Request) -> web.StreamResponse:
    response = web.json_response({"id": "krait", "username": "Krait"})
    response.set_cookie("sid", "crumbs")
    return response


def run_alone(coroutine: Any) -> Any:
    return asyncio.run(coroutine)


def test_every_request_carries_the_token_and_one_constant_name_and_no_cookie() -> None:
    first, second = run_alone(asked_twice(baker))
    assert first["Authorization"] == second["Authorization"] == f"Bearer {PASSWORD}"
    assert first["User-Agent"] == second["User-Agent"] == "krait/9.9 (bot:Krait)"
    assert "Cookie" not in second


def test_the_surroundings_have_no_say(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A .netrc for the host would replace the token, a proxy would read it."""
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password mine\n")
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    assert run_alone(asked_twice(baker))[0]["Authorization"] == f"Bearer {PASSWORD}"


def test_a_redirect_is_refused_and_the_token_goes_nowhere_else() -> None:
    async def mover(_: web.Request) -> web.StreamResponse:
        raise web.HTTPFound("https://example.org/elsewhere")

    with pytest.raises(Refused, match=r"another address, https://example.org/elsewhere"):
        run_alone(asked_twice(mover))


@pytest.mark.parametrize("name", ["", "x", "user:x"])
def test_the_user_agent_is_never_a_bare_name(name: str) -> None:
    assert user_agent("1", name).startswith("krait/1")


def test_a_connection_whose_other_end_is_gone_is_found_out() -> None:
    options = socket_options()
    assert (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1) in options
    assert (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1) in options


def test_the_token_is_never_logged_whatever_the_level(caplog: pytest.LogCaptureFixture) -> None:
    async def story(box: Box) -> None:
        game = game_of(box)
        token = secret_of(box)
        async with entered(box, token=token) as lichess:
            await lichess.test_token()
            with pytest.raises(Refused) as caught:
                await lichess.move(game, "e2e5")
            assert token not in repr(lichess) + repr(vars(caught.value)) + str(caught.value)
        assert token not in caplog.text

    with caplog.at_level(logging.DEBUG):
        run(story)


def test_a_token_that_comes_back_in_an_error_is_struck_out() -> None:
    async def story(box: Box) -> None:
        token = secret_of(box)
        box.site.faults.add(parse_fault(f"400@move,body={token}"))
        async with entered(box, token=token) as lichess:
            with pytest.raises(Refused) as caught:
                await lichess.move(GameId("abcdefgh"), "e2e4")
            assert token not in str(caught.value)
            assert caught.value.__cause__ is None

    run(story, faults=Faults())


@pytest.mark.parametrize("token", ["", "has space", "new\nline", "ümlaut"])
def test_what_can_be_no_token_is_refused_without_being_shown(token: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Lichess("https://lichess.org", token, version="1")
    assert "KRAIT_TOKEN" in str(caught.value)
    assert not token or token not in str(caught.value)


@pytest.mark.parametrize("url", ["lichess.org", "ftp://lichess.org", "https://x.org/prefix", "https://", ""])
def test_an_address_must_be_bare(url: str) -> None:
    with pytest.raises(ConfigError, match="the address of Lichess"):
        Lichess(url, PASSWORD, version="1")
