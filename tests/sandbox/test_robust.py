"""No request can crash it: nonsense gets an answer, and the sandbox goes on as before."""

import asyncio
import json
import resource
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.sandbox.serving import Box, Client, opened, run

JUNK: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    10**30,
    1.5,
    "",
    "x" * 300,
    "\ud800",
    "\x00",
    [],
    [1],
    {},
    {"a": {}},
    "Infinity",
    "\uff11\uff12",
)
BODIES = (
    b"",
    b"{",
    b"[]",
    b"null",
    b'"text"',
    b"\xff\xfe",
    b'{"a":' * 5000,
    b'{"level": NaN}',
    b'{"level": 1e999}',
    b'{"reason": "\\ud800"}',
    b"level=9&level=8&days=two&clock.limit=%ff",
    b"=&&&=;%",
)
TYPES = (
    "application/json",
    "application/json; charset=nonsense",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "multipart/form-data; boundary=x",
    "text/plain",
    "",
)
FIELDS = (
    "rated", "clock", "clock.limit", "clock.increment", "days", "color", "variant", "fen", "keepAliveStream",
    "rules", "level", "room", "text", "reason", "message", "users", "name", "expiresAt", "from", "to", "user",
    "title", "rating", "games", "bio", "scopes", "takebacks", "kind", "on", "after", "advanceMs", "frozen",
)  # fmt: skip


async def all_right(box: Box, bot: Client) -> None:
    """It still answers, and nothing failed inside."""
    assert (await bot.get("/api/account")).status == 200
    assert box.site.measured.failures == 0


async def bare_stream(box: Box, path: str, bot: Client) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A stream on a bare socket, its head read."""
    reader, writer = await box.connect()
    writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {bot.token}\r\n\r\n".encode())
    await reader.readuntil(b"\r\n\r\n")
    return reader, writer


@pytest.mark.parametrize("kind", TYPES)
def test_a_body_that_cannot_be_read_is_answered(kind: str) -> None:
    async def story(box: Box) -> None:
        bot = box.enter("Krait", scopes=("bot:play", "challenge:write", "msg:write", "follow:write"))
        box.enter("Rival")
        game = box.start("Krait", "Rival")
        for path in box.paths("POST", game):
            for body in BODIES:
                reply = await bot.ask("POST", path, data=body, headers={"Content-Type": kind})
                assert reply.status < 500, (path, body)
        await all_right(box, bot)

    run(story, control=True)


def test_fields_of_the_wrong_type_are_answered() -> None:
    async def story(box: Box) -> None:
        bot = box.enter("Krait", scopes=("bot:play", "challenge:write", "msg:write", "follow:write"))
        box.enter("Rival")
        game = box.start("Krait", "Rival")
        for path in box.paths("POST", game):
            for junk in JUNK:
                reply = await bot.ask("POST", path, json=dict.fromkeys(FIELDS, junk))
                assert reply.status < 500, (path, junk)
        await all_right(box, bot)

    run(story, control=True)


@settings(max_examples=30, suppress_health_check=list(HealthCheck))
@given(
    st.dictionaries(
        st.sampled_from(FIELDS),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        ),
    )
)
def test_any_json_object_is_answered(fields: dict[str, Any]) -> None:
    async def story(box: Box) -> None:
        bot = box.enter("Krait", scopes=("bot:play", "challenge:write"))
        box.enter("Rival")
        for path in ("/api/challenge/rival", "/api/challenge/ai", "/api/challenge/open"):
            headers = {"Content-Type": "application/json"}
            reply = await bot.ask("POST", path, data=json.dumps(fields).encode(), headers=headers)
            assert reply.status < 500
        assert box.site.measured.failures == 0

    run(story)


@pytest.mark.parametrize(
    "path",
    [
        "/", "/api", "/api/nothing", "/api/bot", "/api/bot/game/x/dance", "/sandbox", "/game/export/",
        "/api/challenge/%00/show", "/api/bot/game/stream/%F0%9F%98%80", "/api/user/%ff", "/game/export/x",
        "/api/user/" + "x" * 4000, "/api/users/status?ids=" + ",," * 500, "/api/bot/online?nb=-4",
        "/api/account/playing?nb=x", "/api/account/playing?nb=9999999999999999999999",
        "/api/games/user/krait?max=-1&since=x&until=1e9&color=green&vs=%00", "/api/stream/game/nothing1",
        "/api/game/nothing1/chat", "/api/crosstable/a/b", "/api/cloud-eval?fen=x",
    ],
)  # fmt: skip
def test_any_path_is_answered_whatever_the_method(path: str) -> None:
    async def story(box: Box) -> None:
        bot = box.enter("Krait")
        for method in ("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "BREW"):
            reply = await bot.ask(method, path)
            assert reply.status < 500, method
        await all_right(box, bot)

    run(story)


@pytest.mark.parametrize(
    "uci", ["", "e2e5", "e7e5", "xxxx", "e2e4q", "a0a0", "N@f3", "0000", "e2e4%20", "%F0%9F%98%80", "z" * 500]
)
def test_any_move_is_answered(uci: str) -> None:
    async def story(box: Box) -> None:
        bot = box.enter("Krait")
        box.enter("Rival")
        game = box.start("Krait", "Rival")
        reply = await bot.move(game, uci)
        assert reply.status in {400, 404}
        assert "error" in reply.body
        assert box.world.games.get(game).moves == []
        await all_right(box, bot)

    run(story)


@pytest.mark.parametrize(
    "raw",
    [
        b"", b"\r\n\r\n", b"GARBAGE", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\x00\x01",
        b"GET /api/account HTTP/1.1\r\n", b"GET /api/account HTTP/1.0\r\n\r\n",
        b"POST /api/token/test HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\nfew",
        b"POST /api/token/test HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST /api/token/test HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    ],
)  # fmt: skip
@pytest.mark.parametrize("half_closed", [True, False])
def test_whatever_comes_out_of_a_socket_the_next_request_is_answered(raw: bytes, half_closed: bool) -> None:
    async def story(box: Box) -> None:
        reader, writer = await box.connect()
        writer.write(raw)
        if half_closed:
            writer.write_eof()
            async with asyncio.timeout(10):
                while await reader.read(4096):
                    pass
        writer.close()
        await all_right(box, box.enter("Krait"))

    run(story)


def test_a_stream_whose_reader_has_half_closed_ends_without_harm() -> None:
    async def story(box: Box) -> None:
        bot = box.enter("Krait")
        reader, writer = await bare_stream(box, "/api/stream/event", bot)
        writer.write_eof()
        async with asyncio.timeout(10):
            await reader.read()
        writer.close()
        await all_right(box, bot)

    run(story, keep_alive_s=0.01)


def test_a_reader_that_never_reads_loses_lines_and_harms_nobody() -> None:
    async def story(box: Box) -> None:
        bot, rival = box.enter("Krait"), box.enter("Rival")
        game = box.start("Krait", "Rival")
        _, writer = await bare_stream(box, f"/api/bot/game/stream/{game}", bot)
        async with rival.game(game) as lines:
            await lines.next()
            while not box.site.measured.lines_lost:
                for stream in box.site.streams._open:
                    stream.tell({"type": "chatLine", "text": "x" * 30_000})
                assert len((await lines.next())["text"]) == 30_000
        writer.close()
        await all_right(box, bot)

    run(story)


@pytest.mark.parametrize("crowd", [100, pytest.param(1000, marks=pytest.mark.slow)])
def test_a_crowd_of_streams_is_served(crowd: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * crowd + 200  # both ends of each are in this process
    if soft < wanted:
        if hard != resource.RLIM_INFINITY and hard < wanted:
            pytest.skip("this system does not allow so many open files")
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))

    async def story(box: Box) -> None:
        names = [f"bot{number}" for number in range(crowd)]
        streams = [box.enter(name).events() for name in names]
        box.enter("Rival")
        opened_lines = await asyncio.gather(*(stream.__aenter__() for stream in streams))
        assert len(box.site.streams) == crowd
        for name in names:
            box.world.lobby.create("rival", name, {"clock.limit": 60, "clock.increment": 1})
        found = await asyncio.gather(*(lines.next() for lines in opened_lines))
        assert [event["challenge"]["destUser"]["id"] for event in found] == names
        await asyncio.gather(*(stream.__aexit__(None, None, None) for stream in streams))

    run(story)


def test_leaving_ends_every_stream() -> None:
    async def tell() -> None:
        async with opened() as box, box.enter("Krait").events() as lines:
            await box.site.close()
            assert await lines.rest() == []

    asyncio.run(tell())
