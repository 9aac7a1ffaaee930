"""The page over HTTP: what is served, to whom, and what is told as it happens."""

import asyncio
import base64
import errno
import json
import socket
from typing import Any

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.dashboard.guard import host_name, is_password
from bot.dashboard.server import make_app, mount, serve, unheard
from bot.errors import ConfigError
from bot.game.facts import ConnectionChanged
from tests.dashboard.shown import ENGINE, ONLINE, WELL, Shown, page, run, without
from tests.store.telling import START_MS, Teller

OPEN = ("/healthz", "/readyz")
SESAME = "open sésame"
CLOSED = ("/", "/events", "/metrics", "/api/state", "/api/about", "/api/games", "/static/watch.css")


def key(word: str, user: str = "anybody") -> dict[str, str]:
    """The header a browser sends with this password."""
    return {"Authorization": f"Basic {base64.b64encode(f'{user}:{word}'.encode()).decode()}"}


async def status(http: aiohttp.ClientSession, path: str, **options: Any) -> int:
    async with http.get(path, **options) as answer:
        return answer.status


async def readiness(http: aiohttp.ClientSession) -> tuple[int, list[str]]:
    async with http.get("/readyz") as answer:
        body = await answer.json()
        assert body["ready"] == (answer.status == 200) == (not body["reasons"])
        return answer.status, body["reasons"]


class Events:
    """Server-sent events, read one by one."""

    def __init__(self, answer: aiohttp.ClientResponse) -> None:
        self._answer = answer

    async def next(self) -> dict[str, Any]:
        while True:
            line = (await self._answer.content.readline()).decode()
            assert line, "the stream has ended"
            if line.startswith("data: "):
                return dict(json.loads(line.removeprefix("data: ")))


def test_the_service_is_alive_whatever_else_is_wrong() -> None:
    async def story() -> None:
        async with page(Shown(without(WELL, engines=(), answering={}))) as http:
            assert await status(http, "/healthz") == 200

    run(story)


def test_it_is_ready_when_an_engine_answers_and_the_stream_is_heard_and_not_before() -> None:
    async def story() -> None:
        window = Shown(without(WELL, engines=(), answering={}, stream_age_s=None))
        async with page(window) as http:
            assert await readiness(http) == (
                503,
                ["engines: none has been started yet", "stream: not asked for yet"],
            )
            starting = ENGINE.__class__("Krait", 1, None, 0, 0, 0, 0, "starting")
            window.vitals = without(WELL, engines=(starting,), answering={"Krait": False}, stream_age_s=None)
            window.tell(ConnectionChanged("connecting", "", START_MS))
            assert await readiness(http) == (
                503,
                ["engine Krait: starts, and compiles its kernels if need be", "stream: connecting"],
            )
            window.tell(ONLINE)
            window.vitals = WELL
            assert await readiness(http) == (200, [])
            window.vitals = without(WELL, stream_age_s=45.0)
            assert await readiness(http) == (503, ["stream: silent for 45 s"])
            window.vitals = without(WELL, answering={"Krait": False})
            assert await readiness(http) == (503, ["engine Krait: does not answer"])
            window.vitals = without(WELL, draining=True)
            assert await readiness(http) == (503, ["draining: no new games are begun"])
            window.vitals = WELL
            window.tell(ConnectionChanged("lost", "no answer", START_MS))
            assert await readiness(http) == (503, ["stream: lost (no answer)"])

    run(story)


def test_every_answer_carries_the_headers_that_keep_a_browser_safe() -> None:
    async def story() -> None:
        async with page(Shown()) as http:
            for path in (*OPEN, *CLOSED, "/nowhere", "/api/games/none"):
                async with http.get(path) as answer:
                    policy = answer.headers["Content-Security-Policy"]
                    assert policy.startswith("default-src 'self';"), path
                    assert "frame-ancestors 'none'" in policy
                    assert "unsafe" not in policy
                    assert answer.headers["X-Content-Type-Options"] == "nosniff"
                    assert answer.headers["Referrer-Policy"] == "no-referrer"

    run(story)


def test_with_a_password_nothing_but_the_health_is_shown_without_it() -> None:
    async def story() -> None:
        async with page(Shown(), password=SESAME) as http:
            for path in CLOSED:
                assert await status(http, path) == 401, path
                assert await status(http, path, headers=key("wrong")) == 401
            for path in ("/", "/events", "/metrics", "/api/state", "/static/watch.css"):
                assert await status(http, path, headers=key(SESAME)) == 200
            assert await status(http, "/healthz") == 200
            assert await status(http, "/readyz") == 503
            async with http.get("/") as asked:
                assert asked.headers["WWW-Authenticate"].startswith("Basic ")

    run(story)


@given(st.text(min_size=1), st.text(), st.text(alphabet=st.characters(exclude_characters=":")))
def test_a_password_is_right_when_it_is_the_password(password: str, other: str, user: str) -> None:
    def header(word: str) -> str:
        raw = f"{user}:{word}".encode("utf-8", "surrogatepass")
        return f"Basic {base64.b64encode(raw).decode()}"

    plain = password.encode("utf-8", "replace").decode()
    assert is_password(header(plain), plain)
    assert is_password(header(other), plain) == (other == plain)
    assert not is_password(header(plain).replace("Basic", "Bearer"), plain)


@given(st.text())
def test_no_header_breaks_the_door(text: str) -> None:
    assert not is_password(text, "secret")
    assert not is_password(f"Basic {text}", "secret") or base64.b64decode(text).endswith(b":secret")


@pytest.mark.parametrize(
    ("host", "served"),
    [
        ("localhost:8000", True),
        ("127.0.0.1", True),
        ("[::1]:8000", True),
        ("LOCALHOST", True),
        ("evil.example", False),
        ("localhost.evil.example:8000", False),
        ("127.0.0.1.evil.example", False),
    ],
)
def test_without_a_password_only_this_machines_own_name_is_answered(host: str, served: bool) -> None:
    """A stranger's page may have its name lead here; the browser then says that name."""

    async def story() -> None:
        async with page(Shown()) as http:
            assert await status(http, "/api/state", headers={"Host": host}) == (200 if served else 403)
            assert await status(http, "/healthz", headers={"Host": host}) == 200

    run(story)


def test_with_a_password_any_name_leads_here() -> None:
    """A proxy for the world's side of the house passes the world's name on."""

    async def story() -> None:
        async with page(Shown(), password=SESAME) as http:
            headers = {"Host": "bot.example"} | key(SESAME, user="")
            assert await status(http, "/api/state", headers=headers) == 200

    run(story)


def test_a_name_is_read_without_its_port() -> None:
    assert [host_name(host) for host in ("a:1", "a", "[::1]:1", "[::1]", "")] == ["a", "a", "::1", "::1", ""]


def test_the_page_only_looks() -> None:
    async def story() -> None:
        async with page(Shown()) as http:
            for method in ("POST", "PUT", "DELETE", "PATCH"):
                for path in (*OPEN, *CLOSED):
                    async with http.request(method, path) as answer:
                        assert answer.status == 405

    run(story)


def test_what_happens_is_told_as_it_happens() -> None:
    async def story() -> None:
        window, teller = Shown(), Teller()
        async with page(window) as http, http.get("/events") as answer:
            events = Events(answer)
            assert answer.content_type == "text/event-stream"
            assert (await events.next())["running"] == []
            window.tell(teller.opened())
            for fact in teller.plies("e2e4"):
                window.tell(fact)
            while not (update := await events.next())["running"]:
                pass
            assert update["sections"]["game/game0001"]["san"] == "e4"

    run(story)


def test_two_pages_do_not_share_what_they_have_heard() -> None:
    async def story() -> None:
        window, teller = Shown(), Teller()
        window.tell(teller.opened())
        async with page(window) as http, http.get("/events") as first:
            assert (await Events(first).next())["whole"]
            async with http.get("/events") as second:
                update = await Events(second).next()
                assert update["whole"]
                assert "game/game0001" in update["sections"]

    run(story)


def test_a_server_that_leaves_ends_its_streams_at_once() -> None:
    async def story() -> None:
        window = Shown()
        async with aiohttp.ClientSession() as http:
            async with serve(make_app(window), "127.0.0.1", 0) as url:
                answer = await http.get(f"{url}events")
                await Events(answer).next()
            assert window.feed.pages == 0
            while await answer.content.readline():
                pass
            answer.close()

    run(story)


def test_a_page_that_leaves_is_followed_no_more() -> None:
    async def story() -> None:
        window = Shown()
        async with page(window) as http:
            async with http.get("/events") as answer:
                await Events(answer).next()
                assert window.feed.pages == 1
            while window.feed.pages:
                window.tell(ONLINE)
                await asyncio.sleep(0)

    run(story)


def test_it_can_be_mounted_under_another_page() -> None:
    async def story() -> None:
        from aiohttp import web

        whole = web.Application()
        mount(whole, Shown(), "/watch", play="/")
        async with serve(whole, "127.0.0.1", 0) as url, aiohttp.ClientSession(url) as http:
            for path in (
                "/watch",
                "/watch/",
                "/watch/healthz",
                "/watch/static/watch.css",
                "/watch/api/state",
            ):
                assert await status(http, path) == 200, path
            async with http.get("/watch/api/about") as answer:
                assert await answer.json() == {"play": "/"}
                assert answer.headers["X-Content-Type-Options"] == "nosniff"

    run(story)


def test_a_port_that_is_taken_is_named_with_what_to_do() -> None:
    async def story() -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            with pytest.raises(ConfigError, match=f"^web.port {port}: another program listens there; choose"):
                async with serve(make_app(Shown()), "127.0.0.1", port):
                    pass

    run(story)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (PermissionError(errno.EACCES, "Permission denied"), "web.port 80: this user may not listen there"),
        (OSError(errno.EADDRNOTAVAIL, "no"), "web.host 10.9.8.7: no address of this machine"),
        (socket.gaierror(-2, "Name or service not known"), "web.host 10.9.8.7: no address of this machine"),
        (OSError(errno.EMFILE, "Too many open files"), "web.host 10.9.8.7, web.port 80: Too many open files"),
    ],
)
def test_whatever_keeps_us_from_listening_is_said_in_one_line(error: OSError, words: str) -> None:
    assert unheard(error, "10.9.8.7", 80).startswith(words)
