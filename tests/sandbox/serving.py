"""A sandbox on a free port, and clients that speak to it over real sockets. Nothing waits for ever."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import aiohttp
from aiohttp import web

from bot.sandbox.clock import SandboxClock
from bot.sandbox.limits import Limits
from bot.sandbox.server import make_app, serve
from bot.sandbox.site import SITE, Site
from bot.sandbox.world import World

Json = dict[str, Any]
START_MS = 1_790_000_000_000
PATIENCE_S = 60.0  # for a machine that is busy with something else
NEVER_S = 3600.0  # a keep-alive that no test lives to see
BLITZ = {"clock.limit": 180, "clock.increment": 2}
NDJSON = "application/x-ndjson"
HOLES = {
    "uci": "e2e4",
    "accept": "yes",
    "seconds": "15",
    "verb": "block",
    "team_id": "team",
    "id": "arena",
    "stream_id": "mine",
}
NO_LIMIT = aiohttp.ClientTimeout(total=None)


class Reply(NamedTuple):
    status: int
    body: Any
    headers: dict[str, str]
    raw: bytes


class Lines:
    """An open stream, read line by line; blank lines are kept apart."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self.response = response
        self.blanks = 0

    async def raw(self) -> bytes:
        """The next line with its end; b'' at a clean end; ClientError when torn."""
        async with asyncio.timeout(PATIENCE_S):
            return await self.response.content.readline()

    async def next(self) -> Json:
        """The next object; EOFError at a clean end."""
        while True:
            line = await self.raw()
            if not line:
                raise EOFError
            if line.strip():
                return dict(json.loads(line))
            self.blanks += 1

    async def until(self, wanted: str) -> Json:
        """The next object of this type; what comes before it is passed over."""
        while (found := await self.next()).get("type") != wanted:
            pass
        return found

    async def rest(self) -> list[Json]:
        """All that is left until the clean end."""
        found = []
        while line := await self.raw():
            if line.strip():
                found.append(json.loads(line))
        return found

    def close(self) -> None:
        self.response.close()


class Client:
    def __init__(self, http: aiohttp.ClientSession, token: str | None, agent: str = "test") -> None:
        self._http = http
        self._headers = {"User-Agent": agent} | ({"Authorization": f"Bearer {token}"} if token else {})
        self.token = token

    async def ask(self, method: str, path: str, **options: Any) -> Reply:
        """The whole answer; of one without an end, its head."""
        headers = self._headers | options.pop("headers", {})
        async with (
            asyncio.timeout(PATIENCE_S),
            self._http.request(method, path, headers=headers, **options) as response,
        ):
            endless = response.content_type == NDJSON and response.content_length is None
            raw = b"" if endless else await response.read()
            body = json.loads(raw) if raw and response.content_type == "application/json" else None
            return Reply(response.status, body, dict(response.headers), raw)

    async def get(self, path: str, **options: Any) -> Reply:
        return await self.ask("GET", path, **options)

    async def post(self, path: str, form: Json | None = None, **options: Any) -> Reply:
        return await self.ask("POST", path, data=form, **options)

    @asynccontextmanager
    async def stream(self, path: str, method: str = "GET", **options: Any) -> AsyncIterator[Lines]:
        headers = self._headers | options.pop("headers", {})
        async with self._http.request(method, path, headers=headers, timeout=NO_LIMIT, **options) as response:
            assert response.status == 200, await response.text()
            yield Lines(response)

    def events(self) -> Any:
        return self.stream("/api/stream/event")

    def game(self, game_id: str, **options: Any) -> Any:
        return self.stream(f"/api/bot/game/stream/{game_id}", **options)

    async def move(self, game_id: str, uci: str) -> Reply:
        return await self.post(f"/api/bot/game/{game_id}/move/{uci}")


class Box(NamedTuple):
    world: World
    clock: SandboxClock
    app: web.Application
    site: Site
    url: str
    http: aiohttp.ClientSession
    anyone: Client

    def enter(
        self, name: str, *, title: str | None = "BOT", scopes: tuple[str, ...] = ("bot:play",)
    ) -> Client:
        """A new account and a client with a token for it."""
        account = self.world.accounts.create(name, title=title)
        return Client(self.http, self.world.accounts.issue_token(account.id, scopes).secret)

    def start(self, white: str, black: str, **form: Any) -> str:
        """A game between two accounts: challenged, accepted, its id."""
        wish = BLITZ | {"color": "white"} | form
        challenge = self.world.lobby.create(white.lower(), black, wish)
        self.world.lobby.accept(challenge["id"], black.lower())
        return str(challenge["id"])

    def play(self, game_id: str, *moves: str) -> None:
        """Moves by whoever's turn it is, without a request."""
        for uci in moves:
            match = self.world.games.get(game_id)
            user = match.seats[match.turn].user_id
            assert user is not None
            self.world.games.move(game_id, user, uci)

    def paths(self, method: str, game_id: str) -> list[str]:
        """Every path that answers to this method, its holes filled with something that may fit."""
        holes = {"game_id": game_id, "challenge_id": game_id, "username": "rival"} | HOLES
        formats = {
            route.resource.get_info().get("formatter", route.resource.canonical)
            for route in self.app.router.routes()
            if route.resource is not None and route.method == method
        }
        return sorted(path.format(**holes) for path in formats)

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A bare socket to it."""
        host, port = self.url.removeprefix("http://").split(":")
        return await asyncio.open_connection(host, int(port))

    def advance(self, ms: int) -> None:
        self.clock.advance(ms)
        self.world.tick()


@asynccontextmanager
async def opened(
    *, limited: bool = False, source: Callable[[], int] = lambda: START_MS, **options: Any
) -> AsyncIterator[Box]:
    """Time stands still but for `advance`, and there are no keep-alives and no delays, unless asked for."""
    clock = SandboxClock(source)
    world = World(now_ms=clock, rng=random.Random(4))
    wishes = {"keep_alive_s": NEVER_S, "reply_delay_s": 0.0} | options
    app = make_app(world, limits=None if limited else Limits.off(), **wishes)
    async with serve(app) as served:
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(served.url, connector=connector) as http:
            yield Box(world, clock, app, app[SITE], served.url, http, Client(http, None))


def run(story: Callable[[Box], Awaitable[None]], **options: Any) -> None:
    """Tell a story in a fresh sandbox; it must not have failed inside."""

    async def tell() -> None:
        async with opened(**options) as box:
            await story(box)
            assert box.site.measured.failures == 0

    asyncio.run(tell())


NOT_A_BOT = "This endpoint can only be used with a Bot account. See https://lichess.org/api#operation/botAccountUpgrade"
OK: tuple[int, Any] = (200, {"ok": True})
ALL = ("bot:play", "challenge:read", "challenge:write", "follow:write", "msg:write", "team:write")


def said(reply: Reply) -> tuple[int, Any]:
    return reply.status, reply.body


def error(text: str, status: int = 400) -> tuple[int, Any]:
    return status, {"error": text}


def pair(box: Box, **form: Any) -> tuple[Client, Client, str]:
    """Krait with white, Rival with black, their game."""
    return box.enter("Krait", scopes=ALL), box.enter("Rival", scopes=ALL), box.start("Krait", "Rival", **form)
