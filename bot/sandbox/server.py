"""The local Lichess: an aiohttp application any bot can be pointed at, and how it is served.

Paths are at the root, because bots join them to a bare origin. One process, one world, one event loop. Before
every handler `guard` turns whatever happens into an answer (a refusal into lila's status and body, anything
unforeseen into a 500 that is counted and logged), and behind it `_troubled` lets the faults strike.
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from typing import NamedTuple

from aiohttp import web

from bot.sandbox import control as controls
from bot.sandbox import routes_account, routes_game, routes_public
from bot.sandbox.control_rooms import CONTROL
from bot.sandbox.faults import Fault, Faults, Kind
from bot.sandbox.limits import TOO_MANY, Limits
from bot.sandbox.refusal import Refusal
from bot.sandbox.site import ACCEPTED, REPLY_DELAY_S, SCOPES, SITE, USER, Site, answer, secret_of
from bot.sandbox.streams import IS_STREAMING, KEEP_ALIVE_S, tear
from bot.sandbox.world import World

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
STREAMING = frozenset(
    {"event", "game", "board_game", "challenge_create", "spectator", "games_by_users", "games_by_ids"}
)
UNKNOWN = "unknown"
_log = logging.getLogger(__name__)
BACKLOG = 2048  # a thousand streams may be opened at once
SHUTDOWN_S = 2.0


def endpoint(request: web.Request) -> str:
    """The name faults and figures know it by."""
    route = request.match_info.route
    return route.name or UNKNOWN


@web.middleware
async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
    if len(request.match_info.apps) > 1:
        return await handler(request)  # a page beside the sandbox: none of its figures, none of its faults
    site, name = request.app[SITE], endpoint(request)
    site.measured.requested(name)
    try:
        troubled = _troubled(site, name, request, handler)
        return await (troubled if name in STREAMING else site.carry_out(troubled))
    except Refusal as refusal:
        return _refused(site, name, request, refusal)
    except web.HTTPException as error:  # aiohttp's own: no such route, not that method, too long a body
        if error.status < 400:
            raise  # it leads to a page beside the sandbox
        status = 404 if error.status == 405 else error.status
        text = "Not found" if status == 404 else error.reason
        return _refused(site, name, request, Refusal(status, {"error": text}))
    except ConnectionError:
        raise  # the other side has left; aiohttp knows what to do
    except Exception:  # noqa: BLE001  no request may end the server
        _log.exception("sandbox_failed endpoint=%s", name)
        site.measured.failures += 1
        if request.get(IS_STREAMING):
            tear(request)  # too late for an answer
        return answer({"error": "Internal server error"}, 500)


def _refused(site: Site, name: str, request: web.Request, refusal: Refusal) -> web.Response:
    user = request.get(USER) or _user(site, request)
    reason = refusal.body.get("error")
    site.measured.refused(name, user, refusal.status, str(reason), site.world.now_ms())
    return answer(refusal.body, refusal.status, refusal.headers)


async def _troubled(site: Site, name: str, request: web.Request, handler: Handler) -> web.StreamResponse:
    if name.startswith(CONTROL):
        return await handler(request)
    if site.is_down:
        return broken(502)
    game = request.match_info.get("game_id", "")[:8]
    later: list[Fault] = []
    for fault in site.faults.of_request(name, _user(site, request), game):
        struck = await _strike(site, request, fault)
        if struck is not None:
            return struck
        if fault.how == "after":
            later.append(fault)
    response = await handler(request)
    for fault in later:
        await _strike_late(request, fault)
    return response


async def _strike(site: Site, request: web.Request, fault: Fault) -> web.Response | None:
    """An answer in the handler's stead, or None: go on."""
    match fault.kind, fault.how:
        case Kind.STATUS, _:
            return broken(fault.code, fault.body)
        case Kind.SLOW, "before":
            await asyncio.sleep(fault.ms / 1000)
        case Kind.RESET, "before":
            tear(request)
            return web.Response()  # to nobody
        case Kind.JUMP, _:
            site.jump(fault.ms)
        case Kind.RESTART, _:
            site.restart(fault.ms)
            return broken(502)
    return None


async def _strike_late(request: web.Request, fault: Fault) -> None:
    if fault.kind is Kind.SLOW:
        await asyncio.sleep(fault.ms / 1000)
    else:
        tear(request)


def broken(status: int, body: str = "") -> web.Response:
    """Below 500 lila itself answers, in JSON; from 500 on the proxy before it, in HTML whatever is asked."""
    if status < 500:
        text = body or json.dumps({"error": TOO_MANY if status == 429 else HTTPStatus(status).phrase})
        return web.Response(status=status, text=text, content_type="application/json")
    title = f"{status} {HTTPStatus(status).phrase}"
    page = f"<html><head><title>{title}</title></head><body><center><h1>{title}</h1></center></body></html>\n"
    return web.Response(status=status, text=body or page, content_type="text/html")


def _user(site: Site, request: web.Request) -> str:
    """Whose token it is, if anybody's; nothing is checked."""
    try:
        account, _ = site.world.accounts.authenticate(secret_of(request))
    except Refusal:
        return ""
    return account.id


async def say_scopes(request: web.Request, response: web.StreamResponse) -> None:
    """Lila tells with every scoped answer which scopes the token has, and which would have done."""
    accepted = request.get(ACCEPTED)
    if accepted is not None:
        response.headers.setdefault("X-OAuth-Scopes", ",".join(request.get(SCOPES, ())))
        response.headers.setdefault("X-Accepted-OAuth-Scopes", ",".join(accepted))


class Served(NamedTuple):
    url: str  # a bare origin, without a slash at its end
    host: str
    port: int


def make_app(
    world: World,
    *,
    faults: Faults | None = None,
    control: bool = False,
    limits: Limits | None = None,
    keep_alive_s: float = KEEP_ALIVE_S,
    reply_delay_s: float = REPLY_DELAY_S,
) -> web.Application:
    """The application of one world; `control` opens /sandbox/. No limits given: lila's, on its clock."""
    site = Site(
        world,
        Faults() if faults is None else faults,
        Limits(world.now_ms) if limits is None else limits,
        keep_alive_s=keep_alive_s,
        reply_delay_s=reply_delay_s,
    )
    return app_of(site, control=control)


def app_of(site: Site, *, control: bool = False) -> web.Application:
    """An application for a site, which may have had another before: a server that comes back."""
    app = web.Application(middlewares=[guard])
    app[SITE] = site
    rooms = [routes_account, routes_public, routes_game]  # the last takes what is left
    for room in [controls, *rooms] if control else rooms:
        app.add_routes(room.routes())
    app.on_response_prepare.append(say_scopes)
    app.on_shutdown.append(_close)
    app.cleanup_ctx.append(_keep_time)
    return app


async def _close(app: web.Application) -> None:
    await app[SITE].close()


async def _keep_time(app: web.Application) -> AsyncIterator[None]:
    task = asyncio.create_task(app[SITE].keep_time(), name="sandbox time")
    yield
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


@asynccontextmanager
async def serve(app: web.Application, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[Served]:
    """The application is reachable inside; port 0 takes a free one. OSError when the port is taken."""
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=SHUTDOWN_S)
    await runner.setup()
    try:
        door = web.TCPSite(runner, host, port, backlog=BACKLOG)
        await door.start()
        bound = runner.addresses[0][1]
        shown = f"[{host}]" if ":" in host else host
        served = Served(f"http://{shown}:{bound}", host, bound)
        app[SITE].world.site = served.url
        yield served
    finally:
        await runner.cleanup()
