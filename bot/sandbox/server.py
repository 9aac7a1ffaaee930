"""The local Lichess: an aiohttp application any bot can be pointed at, and how it is served.

Paths are at the root, because bots join them to a bare origin. One process, one world, one event loop.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple

from aiohttp import web

from bot.sandbox import control as controls
from bot.sandbox import (
    routes_account,
    routes_arena,
    routes_challenge,
    routes_game,
    routes_public,
    routes_watch,
)
from bot.sandbox.faults import Faults
from bot.sandbox.guard import guard, say_scopes
from bot.sandbox.limits import Limits
from bot.sandbox.site import REPLY_DELAY_S, SITE, Site
from bot.sandbox.streams import KEEP_ALIVE_S
from bot.sandbox.world import World

BACKLOG = 2048  # a thousand streams may be opened at once
SHUTDOWN_S = 2.0


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
    rooms = [
        routes_account,
        routes_public,
        routes_arena,
        routes_watch,
        routes_challenge,
        routes_game,
    ]  # the last takes what is left
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
        if SITE in app:
            app[SITE].world.site = served.url
        yield served
    finally:
        await runner.cleanup()
