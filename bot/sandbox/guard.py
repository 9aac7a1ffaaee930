"""The two layers before every handler.

`guard` turns whatever happens into an answer: a refusal into lila's status and body, anything unforeseen into
a 500 that is counted and logged. Behind it `_troubled` lets the faults strike.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from http import HTTPStatus

from aiohttp import web

from bot.sandbox.asking import ACCEPTED, SCOPES, USER, answer, secret_of
from bot.sandbox.faults import Fault, Kind
from bot.sandbox.limits import TOO_MANY
from bot.sandbox.refusal import Refusal
from bot.sandbox.site import SITE, Site
from bot.sandbox.streams import IS_STREAMING, tear

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
STREAMING = frozenset(
    {"event", "game", "board_game", "challenge_create", "spectator", "games_by_users", "games_by_ids"}
)
CONTROL = "sandbox_"  # how the names of the control API's endpoints begin; no fault strikes them
UNKNOWN = "unknown"
_log = logging.getLogger(__name__)


def endpoint(request: web.Request) -> str:
    """The name faults and figures know it by."""
    route = request.match_info.route
    return route.name or UNKNOWN


@web.middleware
async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
    site, name = request.app[SITE], endpoint(request)
    site.measured.requested(name)
    try:
        troubled = _troubled(site, name, request, handler)
        return await (troubled if name in STREAMING else site.carry_out(troubled))
    except Refusal as refusal:
        return _refused(site, name, request, refusal)
    except web.HTTPException as error:  # aiohttp's own: no such route, not that method, too long a body
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
