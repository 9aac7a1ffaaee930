"""The page of a service: it shows and never touches. Mountable anywhere, or served on an address of its own.

GET /           the page                      GET /events    what happens, as it happens (server-sent events)
GET /healthz    alive                         GET /readyz    can play: 200, or 503 and the reasons
GET /metrics    figures for Prometheus        GET /api/…     history.py, and /api/state: all that is shown now
"""

import asyncio
import errno
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager, suppress

from aiohttp import web

from bot.config.sections import Web
from bot.dashboard import history
from bot.dashboard.assets import STATIC, add_assets, file_response
from bot.dashboard.guard import WRONG_S, guard, say_headers
from bot.dashboard.health import reasons
from bot.dashboard.window import WINDOW, Window
from bot.errors import BotError, ConfigError
from bot.game.facts import Trouble, Witness
from bot.play.walltime import wall_ms

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
STREAMS = web.AppKey("streams", set[asyncio.Task[None]])  # they end before the server can
PLAY = web.AppKey("play", str)
SHUTDOWN_S = 1.0
RETRY_S = 30.0
FRESH = {"Cache-Control": "no-store"}


@web.middleware
async def explained(request: web.Request, handler: Handler) -> web.StreamResponse:
    """What cannot be answered is said in one line."""
    try:
        response = await handler(request)
    except history.BadQueryError as error:
        response = web.json_response({"error": str(error)}, status=400)
    except BotError as error:
        response = web.json_response({"error": str(error)}, status=503)
    if "/api/" in request.path:
        response.headers.setdefault("Cache-Control", "no-store")
    return response


async def page(request: web.Request) -> web.StreamResponse:
    return file_response(request, STATIC / "watch.html")


async def about(request: web.Request) -> web.StreamResponse:
    return web.json_response({"play": request.app[PLAY]})


async def state(request: web.Request) -> web.StreamResponse:
    text = request.app[WINDOW].feed.since(-1)
    return web.Response(text=text, content_type="application/json")


async def events(request: web.Request) -> web.StreamResponse:
    """Until the page leaves or the server does; a page that reads slowly is told less often."""
    response = web.StreamResponse(headers=FRESH | {"X-Accel-Buffering": "no"})
    response.content_type, response.charset = "text/event-stream", "utf-8"
    await response.prepare(request)
    pump = asyncio.create_task(_pump(response, request.app[WINDOW], request.query.get("game", "")))
    request.app[STREAMS].add(pump)
    try:
        with suppress(ConnectionError, asyncio.CancelledError):
            await pump
    finally:
        pump.cancel()
        request.app[STREAMS].discard(pump)
    return response


async def _pump(response: web.StreamResponse, window: Window, game: str) -> None:
    await response.write(b"retry: 1000\n\n")
    async with aclosing(window.feed.follow(game)) as texts:
        async for text in texts:
            await response.write(f"data: {text}\n\n".encode())


async def healthz(request: web.Request) -> web.StreamResponse:
    uptime_s = round(request.app[WINDOW].look().uptime_s)
    return web.json_response({"alive": True, "uptime_s": uptime_s}, headers=FRESH)


async def readyz(request: web.Request) -> web.StreamResponse:
    window = request.app[WINDOW]
    found = reasons(window.look(), window.feed.rest.connection)
    return web.json_response(
        {"ready": not found, "reasons": found}, status=503 if found else 200, headers=FRESH
    )


async def metrics(request: web.Request) -> web.StreamResponse:
    body = request.app[WINDOW].metrics.text()
    headers = FRESH | {"Content-Type": "text/plain; version=0.0.4; charset=utf-8"}
    response = web.Response(body=body, headers=headers)
    response.enable_compression()
    return response


async def _end_streams(app: web.Application) -> None:
    streams = app[STREAMS]
    for stream in tuple(streams):
        stream.cancel()


async def _remember(app: web.Application) -> AsyncIterator[None]:
    task = asyncio.create_task(app[WINDOW].remember(), name="page remembers")
    yield
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def make_app(
    window: Window, *, password: str = "", play: str = "", wrong_s: float = WRONG_S
) -> web.Application:
    """`play` is where the page to play on is, for a link; nothing: there is none."""
    app = web.Application(middlewares=[guard(password, wrong_s=wrong_s), explained])
    streams: set[asyncio.Task[None]] = set()
    app[WINDOW], app[STREAMS], app[PLAY] = window, streams, play
    app.add_routes(
        [
            web.get("/", page),
            web.get("/events", events),
            web.get("/healthz", healthz, name="healthz"),
            web.get("/readyz", readyz, name="readyz"),
            web.get("/metrics", metrics),
            web.get("/api/about", about),
            web.get("/api/state", state),
            *history.routes(),
        ]
    )
    add_assets(app)
    app.on_response_prepare.append(say_headers)
    app.on_shutdown.append(_end_streams)
    app.cleanup_ctx.append(_remember)
    return app


def mount(app: web.Application, window: Window, prefix: str = "/watch", *, play: str = "/") -> None:
    """The page under `prefix` of another application, which sees to passwords itself."""

    async def with_slash(_: web.Request) -> web.StreamResponse:
        raise web.HTTPMovedPermanently(f"{prefix}/")

    app.router.add_get(prefix, with_slash)
    app.add_subapp(f"{prefix}/", make_app(window, play=play))


async def show(window: Window, web_: Web, tell: Witness, served: Callable[[str | None], None]) -> None:
    """For ever. An address that cannot be had is told, and tried again: perhaps somebody is just leaving."""
    told = ""
    while True:
        try:
            app = make_app(window, password=web_.password.get_secret_value())
            async with serve(app, web_.host, web_.port) as url:
                served(url)
                await asyncio.Event().wait()
        except ConfigError as error:
            if str(error) != told:
                told = str(error)
                tell(Trouble("page_unavailable", told, wall_ms()))
            await asyncio.sleep(RETRY_S)
        finally:
            served(None)


@asynccontextmanager
async def serve(app: web.Application, host: str, port: int) -> AsyncIterator[str]:
    """The address of the page, while inside. ConfigError: it cannot be had, and what to do."""
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=SHUTDOWN_S)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            raise ConfigError(unheard(error, host, port)) from None
        shown = f"[{host}]" if ":" in host else host
        yield f"http://{shown}:{runner.addresses[0][1]}/"
    finally:
        await runner.cleanup()


def unheard(error: OSError, host: str, port: int) -> str:
    """Why nobody can listen there, for the person who can change it."""
    if error.errno == errno.EADDRINUSE:
        return (
            f"web.port {port}: another program listens there; choose another port, or 0 for any that is free"
        )
    if error.errno == errno.EACCES:
        return f"web.port {port}: this user may not listen there; choose a port above 1023"
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        return f"web.host {host}: no address of this machine; 127.0.0.1 is this machine alone, 0.0.0.0 all"
    return f"web.host {host}, web.port {port}: {error.strerror or error}"
