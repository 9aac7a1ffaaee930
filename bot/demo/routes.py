"""The page's own endpoints, beside those of the local Lichess through which the game itself is played.

GET  /                       the page
GET  /play/status            how far the start is; what can be played
POST /play/guest             a guest account and its token
POST /play/strength          how strong the bot shall be in this guest's next game
POST /play/rules             positions and legal moves of a list of moves
GET  /play/coach/{game}      what the bot thinks, as it thinks it (server-sent events)
GET  /play/review/{game}     a finished game, judged position by position (server-sent events)
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, suppress
from typing import Any

from aiohttp import web

from bot.dashboard.assets import STATIC, add_assets, file_response
from bot.dashboard.server import mount
from bot.demo.coach import review
from bot.demo.guests import ELO_MAX, ELO_MIN, LEVELS, read_elo
from bot.demo.house import Parlour
from bot.demo.rules import seen
from bot.game.nouns import Position
from bot.sandbox.refusal import Refusal

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
PARLOUR = web.AppKey("parlour", Parlour)
OPEN = web.AppKey("open", set[asyncio.Task[Any]])  # streams that must end before the server can
BEAT_S = 15.0  # a comment now and then tells either side that the other is there
BEARER = "Bearer "
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


@web.middleware
async def ours_only(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Another site's page in the same browser may not use what is here."""
    origin = request.headers.get("Origin")
    if origin is not None and origin.partition("://")[2] != request.host:
        raise web.HTTPForbidden(text=f"this page is not for {origin}")
    return await handler(request)


async def page(request: web.Request) -> web.StreamResponse:
    response = file_response(request, STATIC / "play.html")
    response.headers.update(HEADERS)
    return response


async def status(request: web.Request) -> web.StreamResponse:
    parlour = request.app[PARLOUR]
    return web.json_response(
        parlour.status()
        | {"levels": [level._asdict() for level in LEVELS], "elo": {"min": ELO_MIN, "max": ELO_MAX}}
    )


async def guest(request: web.Request) -> web.StreamResponse:
    name, token = request.app[PARLOUR].guests.welcome(request.app[PARLOUR].box)
    return web.json_response({"name": name, "token": token}, headers={"Cache-Control": "no-store"})


async def strength(request: web.Request) -> web.StreamResponse:
    parlour, wish = request.app[PARLOUR], await _body(request)
    secret = request.headers.get("Authorization", "").removeprefix(BEARER)
    try:
        account, _ = parlour.box.world.accounts.authenticate(secret)
        parlour.guests.ask(account.id, read_elo(wish.get("elo")))
    except Refusal as refusal:
        return web.json_response(refusal.body, status=refusal.status)
    except ValueError as error:
        return web.json_response({"error": str(error)}, status=400)
    return web.json_response({"ok": True})


async def rules(request: web.Request) -> web.StreamResponse:
    wish = await _body(request)
    variant, fen, moves = wish.get("variant"), wish.get("fen"), wish.get("moves", "")
    if not isinstance(variant, str) or not isinstance(moves, str) or not isinstance(fen, str | None):
        return web.json_response({"error": "variant and moves are texts, fen one or null"}, status=400)
    try:
        position = Position(variant, fen, tuple(moves.split()))
        return web.json_response(seen(position, request.app[PARLOUR].lines))
    except ValueError as error:
        return web.json_response({"error": str(error)}, status=400)


async def coach(request: web.Request) -> web.StreamResponse:
    parlour = request.app[PARLOUR]
    return await _events(request, parlour.coach.follow(request.match_info["game"]))


async def review_game(request: web.Request) -> web.StreamResponse:
    parlour = request.app[PARLOUR]
    notes, pool = parlour.coach.notes(request.match_info["game"]), parlour.pool
    if notes is None or pool is None or not notes.over:
        raise web.HTTPNotFound(text="there is no such game, or it is not over")
    return await _events(request, review(notes, pool))


async def _body(request: web.Request) -> dict[str, Any]:
    try:
        body = await request.json()
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise web.HTTPBadRequest(text="a JSON object is expected")
    return body


async def _events(request: web.Request, lines: AsyncIterator[dict[str, Any]]) -> web.StreamResponse:
    """Server-sent events until the lines end, the page leaves or the server does."""
    headers = {"Content-Type": "text/event-stream", "Cache-Control": "no-store"}
    response = web.StreamResponse(headers=headers)
    await response.prepare(request)
    pump = asyncio.create_task(_pump(response, lines))
    request.app[OPEN].add(pump)
    try:
        with suppress(ConnectionError, asyncio.CancelledError):
            await pump
    finally:
        pump.cancel()
        request.app[OPEN].discard(pump)
    return response


async def _pump(response: web.StreamResponse, lines: AsyncIterator[dict[str, Any]]) -> None:
    beating = asyncio.create_task(_beat(response))
    try:
        async with aclosing(lines) as each:  # type: ignore[type-var]  # both are generators
            async for line in each:
                await response.write(f"data: {json.dumps(line)}\n\n".encode())
        await response.write(b"event: done\ndata: {}\n\n")
    finally:
        beating.cancel()


async def _beat(response: web.StreamResponse) -> None:
    with suppress(ConnectionError):
        while True:
            await response.write(b":\n\n")
            await asyncio.sleep(BEAT_S)


async def _end_streams(app: web.Application) -> None:
    streams = app[OPEN]
    for task in tuple(streams):
        task.cancel()


def add_page(parlour: Parlour, api: web.Application) -> None:
    """The page, at the address of the local Lichess it plays on."""
    app = web.Application(middlewares=[ours_only])
    app[PARLOUR] = parlour
    app[OPEN] = set()
    app.add_routes(
        [
            web.get("/status", status),
            web.post("/guest", guest),
            web.post("/strength", strength),
            web.post("/rules", rules),
            web.get("/coach/{game}", coach),
            web.get("/review/{game}", review_game),
        ]
    )
    app.on_shutdown.append(_end_streams)
    api.router.add_get("/", page, name="page")
    api.add_subapp("/play", app)
    add_assets(api)
    mount(api, parlour.window)
