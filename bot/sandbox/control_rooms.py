"""The control API beside people and games: faults, time and figures; arenas, teams and evaluations."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from aiohttp import web

from bot.sandbox.arena import Arena
from bot.sandbox.clock import SandboxClock
from bot.sandbox.faults import LONGEST_MS, read_fault
from bot.sandbox.refusal import refuse
from bot.sandbox.site import SITE, Site, answer, form_of, ok

Json = dict[str, Any]
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
KIND_WORDS = {str: "text", int: "a number", bool: "true or false", list: "a list"}
_REQUIRED = object()
CONTROL = "sandbox_"  # how the names of its endpoints begin; no fault strikes them
LONGEST_WAIT_S = 30 * 86_400
LONGEST_ARENA_MIN = 720
MOST = 10**9
OF_THE_ARENA = frozenset({"name", "minutes", "startsInS", "bots", "team", "password", "createdBy"})


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
        *making_routes(),
    ]


def _shown_arena(arena: Arena) -> Json:
    return {
        "id": arena.id,
        "name": arena.full_name,
        "bots": arena.bots_allowed,
        "players": list(arena.entrants),
        "games": arena.games,
        "played": arena.played,
        "finished": arena.is_finished,
    }


def _number(form: Mapping[str, Any], name: str, default: int, least: int, most: int) -> int:
    value: int = field(form, name, int, default)
    if not least <= value <= most:
        raise refuse(f"{name} must be from {least} to {most}")
    return value


async def create_arena(request: web.Request) -> web.StreamResponse:
    """What is played is said as for a challenge: clock.limit, clock.increment, variant, rated."""
    form = await form_of(request)
    world = request.app[SITE].world
    arena = world.arenas.create(
        field(form, "name", str, "Sandbox"),
        {name: value for name, value in form.items() if name not in OF_THE_ARENA},
        minutes=_number(form, "minutes", 45, 1, LONGEST_ARENA_MIN),
        starts_in_ms=_number(form, "startsInS", 0, 0, LONGEST_WAIT_S) * 1000,
        bots=field(form, "bots", bool, True),
        team_id=field(form, "team", str, None),
        password=field(form, "password", str, None),
        created_by=field(form, "createdBy", str, "lichess"),
    )
    return answer(_shown_arena(arena), 201)


async def arenas(request: web.Request) -> web.StreamResponse:
    return answer([_shown_arena(arena) for arena in request.app[SITE].world.arenas.all()])


async def change_arena(request: web.Request) -> web.StreamResponse:
    """The organiser's switch: `bots` true or false."""
    allowed = field(await form_of(request), "bots", bool)
    request.app[SITE].world.arenas.allow_bots(request.match_info["id"], allowed)
    return ok()


async def enter_arena(request: web.Request) -> web.StreamResponse:
    """`user` joins, as it would through the API."""
    form = await form_of(request)
    password = field(form, "password", str, None)
    request.app[SITE].world.arenas.join(request.match_info["id"], field(form, "user", str).lower(), password)
    return ok()


async def create_team(request: web.Request) -> web.StreamResponse:
    form = await form_of(request)
    world = request.app[SITE].world
    leader = field(form, "leader", str, None)
    try:
        team = world.teams.create(
            field(form, "name", str),
            description=field(form, "description", str, ""),
            leader_id=None if leader is None else world.accounts.require(leader).id,
        )
    except ValueError as error:
        raise refuse(str(error)) from error
    return answer(world.teams.show(team.id), 201)


async def enter_team(request: web.Request) -> web.StreamResponse:
    world = request.app[SITE].world
    world.teams.join(request.match_info["team_id"], field(await form_of(request), "user", str))
    return ok()


async def add_evaluation(request: web.Request) -> web.StreamResponse:
    """`fen`, `pvs` (each `moves` with `cp` or `mate`, White's view), perhaps `variant`, `depth`, `knodes`."""
    form = await form_of(request)
    pvs = field(form, "pvs", list)
    if not all(isinstance(pv, dict) for pv in pvs):
        raise refuse("pvs must be a list of objects")
    request.app[SITE].world.cloud.add(
        field(form, "variant", str, "standard"),
        field(form, "fen", str),
        pvs,
        depth=_number(form, "depth", 20, 1, 245),
        knodes=_number(form, "knodes", 1000, 1, MOST),
    )
    return ok()


def making_routes() -> list[web.RouteDef]:
    return [
        control_route("GET", "/arenas", arenas, "arenas"),
        control_route("POST", "/arenas", create_arena, "arena_create"),
        control_route("POST", "/arenas/{id}", change_arena, "arena_change"),
        control_route("POST", "/arenas/{id}/players", enter_arena, "arena_enter"),
        control_route("POST", "/teams", create_team, "team_create"),
        control_route("POST", "/teams/{team_id}/members", enter_team, "team_enter"),
        control_route("POST", "/cloud", add_evaluation, "cloud_add"),
    ]
