"""What every handler shares: the world with its limits, faults, streams and figures; who asks; plain answers.

A body may be a form or JSON, as with lila's form binder; whatever cannot be read is a 400, never a 500.
"""

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

from aiohttp import web

from bot.sandbox.accounts import Account
from bot.sandbox.clock import SandboxClock
from bot.sandbox.faults import Faults
from bot.sandbox.limits import Limits
from bot.sandbox.match import Match
from bot.sandbox.measurements import Measurements
from bot.sandbox.refusal import refuse
from bot.sandbox.shelf import score_of
from bot.sandbox.streams import KEEP_ALIVE_S, Ending, Label, Stream, Streams
from bot.sandbox.variants import Status
from bot.sandbox.world import World

Json = dict[str, Any]
T = TypeVar("T")
REPLY_DELAY_S = 0.5  # what lila takes for a claim, and before a move against its AI
SLOWER = 50 / 7  # the blank lines of streams that are not a bot's come every 50 s instead of 7
CLOCK_STEP_S = 0.01
_log = logging.getLogger(__name__)
BEARER = "Bearer "
NAMED_AGENT = re.compile(r"(?:user|as):\s?([\w\-]{3,31})")  # only when it is the whole User-Agent
CHALLENGE_SCOPES = ("challenge:write", "bot:play", "board:play", "web:mobile")
BIGGEST_NUMBER = 2**53
USER = web.RequestKey("user", str)
SCOPES = web.RequestKey("scopes", list[str])
ACCEPTED = web.RequestKey("accepted", Sequence[str])


class Site:
    def __init__(
        self,
        world: World,
        faults: Faults,
        limits: Limits,
        *,
        keep_alive_s: float = KEEP_ALIVE_S,
        reply_delay_s: float = REPLY_DELAY_S,
    ) -> None:
        self.world = world
        self.faults = faults
        self.limits = limits
        self.keep_alive_s = keep_alive_s
        self.slow_keep_alive_s = keep_alive_s * SLOWER
        self._reply_delay_s = reply_delay_s
        self.measured = Measurements()
        self.streams = Streams(self.measured)
        faults.on_change = self.streams.poke
        self.is_down = False
        self._deeds: set[asyncio.Future[Any]] = set()
        self._moved_on: list[Callable[[World], None]] = []
        self._stirred = asyncio.Event()
        self._leave: list[Callable[[], None]] = []
        self._look_at(world)

    def stream(self, kind: str, user: str = "", game: str = "") -> Stream:
        return Stream(Label(kind, user, game), self.faults, self.measured)

    async def carry_out(self, deed: Awaitable[T]) -> T:
        """A request once begun is carried out even if its sender has left meanwhile, as on lila."""
        task = asyncio.ensure_future(deed)
        self._deeds.add(task)
        task.add_done_callback(self._deeds.discard)
        return await asyncio.shield(task)

    async def pause(self) -> None:
        await asyncio.sleep(self._reply_delay_s)

    def _look_at(self, world: World) -> None:
        for leave in self._leave:
            leave()
        self._leave = [world.subscribe_deadline(self._stirred.set), world.subscribe_all(self._on_news)]
        self.world = world
        self._stirred.set()

    def _on_news(self, kind: str, facts: Json) -> None:
        if kind == "gameFinish":
            self.measured.forget(facts["id"])
            self._count(facts["match"])

    def _count(self, match: Match) -> None:
        for side, seat in match.seats.items():
            if seat.user_id is not None:
                flagged = match.status is Status.OUT_OF_TIME and match.turn is side
                self.measured.finished(seat.user_id, score_of(match, side), flagged=flagged)

    def replace_world(self, world: World) -> None:
        """Another world takes the place of this one: every stream is torn, and whoever asked is told."""
        world.site = self.world.site
        self._look_at(world)
        self.streams.end_all(Ending.RESET)
        for listener in tuple(self._moved_on):
            listener(world)

    def subscribe_world(self, listener: Callable[[World], None]) -> Callable[[], None]:
        """`listener` hears of every world that takes the place of the last; undone by what is returned."""
        self._moved_on.append(listener)

        def undo() -> None:
            with suppress(ValueError):
                self._moved_on.remove(listener)

        return undo

    async def keep_time(self) -> None:
        """Tick the world whenever it has something due; for ever, whatever a tick may run into."""
        while True:
            self._stirred.clear()
            deadline_ms = self.world.next_deadline_ms()
            wait_s = None
            if deadline_ms is not None:
                wait_s = max(CLOCK_STEP_S, (deadline_ms - self.world.now_ms()) / 1000)
            with suppress(TimeoutError):
                async with asyncio.timeout(wait_s):  # `wait_for` of 3.11 may swallow the end of this task
                    await self._stirred.wait()
            try:
                self.world.tick()
            except Exception:  # noqa: BLE001  time goes on for all other games
                _log.exception("sandbox_tick_failed")
                self.measured.failures += 1

    def clock(self) -> SandboxClock | None:
        """None when this world was given a clock nobody can move."""
        return self.world.now_ms if isinstance(self.world.now_ms, SandboxClock) else None

    def jump(self, ms: int) -> None:
        """Time leaps, if it can."""
        clock = self.clock()
        if clock is not None:
            clock.advance(ms)
            self.world.tick()
            self._stirred.set()

    def stir(self) -> None:
        """Time was stopped or set going: look at it again."""
        self._stirred.set()

    def go_down(self) -> None:
        """Every stream is torn, and until `come_up` every request is answered by the proxy alone."""
        self.is_down = True
        self.streams.end_all(Ending.RESET)

    def come_up(self) -> None:
        """Back from a restart, with the time lila gives to all clocks for it. Nothing when it is not down."""
        if self.is_down:
            self.is_down = False
            self.world.restart_bonus()

    def restart(self, down_ms: int) -> None:
        self.go_down()
        if down_ms:
            asyncio.get_running_loop().call_later(down_ms / 1000, self.come_up)
        else:
            self.come_up()

    def reopen(self) -> None:
        """Serve again, after `close`, the same world with the same figures."""
        self._look_at(self.world)

    async def close(self) -> None:
        """End what is open; deeds under way are given up."""
        self.streams.end_all(Ending.CLEAN)
        for leave in self._leave:
            leave()
        for deed in tuple(self._deeds):
            deed.cancel()
        await asyncio.gather(*self._deeds, return_exceptions=True)


SITE = web.AppKey("site", Site)


class Asked(NamedTuple):
    site: Site
    account: Account
    secret: str


def secret_of(request: web.Request) -> str | None:
    header = request.headers.get("Authorization", "")
    return header.removeprefix(BEARER).strip() if header.startswith(BEARER) else None


def asked(request: web.Request, *any_of: str) -> Asked:
    """The account behind the token; 401 or 403 as lila refuses. No scope named: any token will do."""
    site, secret = request.app[SITE], secret_of(request)
    request[ACCEPTED] = any_of
    if secret is None:
        raise refuse("Missing authorization header", 401)
    account, token = site.world.accounts.authenticate(secret)
    request[USER] = account.id
    request[SCOPES] = sorted(token.scopes)
    if any_of and token.scopes.isdisjoint(any_of):
        raise refuse(f"Missing scope: {' || '.join(any_of)}", 403)
    named = NAMED_AGENT.fullmatch(agent(request))
    if named and named[1].lower() != account.id:
        raise refuse("The user in the user-agent doesn't match the token bearer", 401)
    return Asked(site, account, secret)


def asked_or_anonymous(request: web.Request, *any_of: str) -> tuple[Site, Account | None]:
    """Without a token nobody in particular; with a wrong one a 401 all the same."""
    if secret_of(request) is None:
        return request.app[SITE], None
    known = asked(request, *any_of)
    return known.site, known.account


async def form_of(request: web.Request) -> Mapping[str, Any]:
    """The fields of a form or of a JSON object; an empty or foreign body has none."""
    try:
        if request.content_type == "application/json":
            text = await request.text()
            data = json.loads(text) if text.strip() else {}
            if not isinstance(data, dict):
                raise refuse("Invalid Json: an object is expected")
            return data
        if request.content_type in {"application/x-www-form-urlencoded", "multipart/form-data"}:
            posted = await request.post()
            return {name: value for name, value in posted.items() if isinstance(value, str)}
        await request.read()
    except (ValueError, LookupError, RecursionError) as error:  # not JSON, not that charset, not multipart
        raise refuse(f"Invalid body: {error}") from error
    return {}


async def text_of(request: web.Request) -> str:
    """The body as text, whatever its type says; 400 when it is none."""
    try:
        return (await request.read()).decode()
    except UnicodeDecodeError as error:
        raise refuse(f"Invalid body: {error}") from error


def agent(request: web.Request) -> str:
    return request.headers.get("User-Agent", "")


def address(request: web.Request) -> str:
    return request.remote or "-"


def game_id(request: web.Request) -> str:
    """Lila takes the player's twelve letters for the game's eight."""
    return request.match_info["game_id"][:8]


def flag(request: web.Request, name: str, default: bool = False) -> bool:
    value = request.query.get(name)
    return default if value is None else value.lower() in {"true", "1", "yes", "on"}


def number(request: web.Request, name: str) -> int | None:
    """None when it is not given, or is no number: lila ignores what it cannot read."""
    value = request.query.get(name, "")
    if not re.fullmatch(r"-?[0-9]{1,16}", value):
        return None
    return max(-BIGGEST_NUMBER, min(BIGGEST_NUMBER, int(value)))


def ok() -> web.Response:
    return answer({"ok": True})


def answer(data: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    return web.Response(
        body=_encoded(data), status=status, headers=headers, content_type="application/json", charset="utf-8"
    )


def ndjson(lines: Iterable[Any]) -> web.Response:
    """All lines at once: for downloads, not for streams."""
    body = b"".join(_encoded(line) + b"\n" for line in lines)
    return web.Response(body=body, content_type="application/x-ndjson")


def _encoded(data: Any) -> bytes:
    """A lone half of a pair of surrogates, which a client may well send, becomes a question mark."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False).encode(errors="replace")
