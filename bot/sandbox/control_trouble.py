"""The part of the control API that breaks things, moves time and reads the figures."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from aiohttp import web

from bot.sandbox.asking import answer, form_of, ok
from bot.sandbox.clock import SandboxClock
from bot.sandbox.faults import LONGEST_MS, read_fault
from bot.sandbox.guard import CONTROL
from bot.sandbox.refusal import refuse
from bot.sandbox.site import SITE, Site

Json = dict[str, Any]
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
KIND_WORDS = {str: "text", int: "a number", bool: "true or false", list: "a list"}
_REQUIRED = object()


def control_route(method: str, path: str, handler: Handler, name: str) -> web.RouteDef:
    return web.route(method, f"/sandbox{path}", handler, name=f"{CONTROL}{name}")


def field(form: Mapping[str, Any], name: str, kind: type, default: Any = _REQUIRED) -> Any:
    """A field of the right type, or `default` when it is left out; 400 otherwise."""
    value = form.get(name, default)
    if value is default and default is not _REQUIRED:
        return value
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise refuse(f"{name} must be {KIND_WORDS[kind]}")
    return value


async def faults(request: web.Request) -> web.StreamResponse:
    return answer(request.app[SITE].faults.listed())


async def add_fault(request: web.Request) -> web.StreamResponse:
    """A fault as `faults.py` describes it; open streams look at once."""
    site = request.app[SITE]
    try:
        fault = read_fault(dict(await form_of(request)))
    except ValueError as error:
        raise refuse(str(error)) from error
    return answer({"number": site.faults.add(fault)}, 201)


async def clear_faults(request: web.Request) -> web.StreamResponse:
    request.app[SITE].faults.clear()
    return ok()


async def remove_fault(request: web.Request) -> web.StreamResponse:
    if not request.app[SITE].faults.remove(int(request.match_info["number"])):
        raise refuse("No such fault", 404)
    return ok()


def _clock(site: Site) -> SandboxClock:
    clock = site.clock()
    if clock is None:
        raise refuse("This sandbox was started with a clock that cannot be moved")
    return clock


async def clock(request: web.Request) -> web.StreamResponse:
    site = request.app[SITE]
    return answer({"nowMs": site.world.now_ms(), "frozen": _clock(site).is_frozen})


async def set_clock(request: web.Request) -> web.StreamResponse:
    """`frozen` stops or starts time, then `advanceMs` makes it leap."""
    site = request.app[SITE]
    form = await form_of(request)
    frozen = field(form, "frozen", bool, None)
    advance_ms = field(form, "advanceMs", int, 0)
    if not 0 <= advance_ms <= LONGEST_MS:
        raise refuse(f"advanceMs must be from 0 to {LONGEST_MS}")
    moved = _clock(site)
    if frozen is not None:
        (moved.freeze if frozen else moved.thaw)()
    site.jump(advance_ms)
    return await clock(request)


async def restart(request: web.Request) -> web.StreamResponse:
    """Streams are torn and, for `downMs`, the proxy answers 502; then lila is back and has given time."""
    down_ms = field(await form_of(request), "downMs", int, 0)
    if not 0 <= down_ms <= LONGEST_MS:
        raise refuse(f"downMs must be from 0 to {LONGEST_MS}")
    request.app[SITE].restart(down_ms)
    return ok()


async def down(request: web.Request) -> web.StreamResponse:
    request.app[SITE].go_down()
    return ok()


async def up(request: web.Request) -> web.StreamResponse:
    request.app[SITE].come_up()
    return ok()


async def measurements(request: web.Request) -> web.StreamResponse:
    site = request.app[SITE]
    return answer(site.measured.snapshot(len(site.streams)))


async def moves(request: web.Request) -> web.StreamResponse:
    """Every timed move of one bot: game, ply, uci, ms from push to POST."""
    return answer(request.app[SITE].measured.moves(request.match_info["user"].lower()))


async def reset_measurements(request: web.Request) -> web.StreamResponse:
    request.app[SITE].measured.reset()
    return ok()


def routes() -> list[web.RouteDef]:
    return [
        control_route("GET", "/faults", faults, "faults"),
        control_route("POST", "/faults", add_fault, "fault_add"),
        control_route("DELETE", "/faults", clear_faults, "faults_clear"),
        control_route("DELETE", "/faults/{number:[0-9]{1,9}}", remove_fault, "fault_remove"),
        control_route("GET", "/clock", clock, "clock"),
        control_route("POST", "/clock", set_clock, "clock_set"),
        control_route("POST", "/restart", restart, "restart"),
        control_route("POST", "/down", down, "down"),
        control_route("POST", "/up", up, "up"),
        control_route("GET", "/measurements", measurements, "measurements"),
        control_route("GET", "/measurements/{user}", moves, "moves"),
        control_route("DELETE", "/measurements", reset_measurements, "measurements_reset"),
    ]
