"""The part of the control API that makes what only people make on Lichess: arenas, teams, evaluations."""

from collections.abc import Mapping
from typing import Any

from aiohttp import web

from bot.sandbox.arena import Arena
from bot.sandbox.asking import answer, form_of, ok
from bot.sandbox.control_trouble import control_route, field
from bot.sandbox.refusal import refuse
from bot.sandbox.site import SITE

Json = dict[str, Any]
LONGEST_WAIT_S = 30 * 86_400
LONGEST_ARENA_MIN = 720
MOST = 10**9
OF_THE_ARENA = frozenset({"name", "minutes", "startsInS", "bots", "team", "password", "createdBy"})


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


def routes() -> list[web.RouteDef]:
    return [
        control_route("GET", "/arenas", arenas, "arenas"),
        control_route("POST", "/arenas", create_arena, "arena_create"),
        control_route("POST", "/arenas/{id}", change_arena, "arena_change"),
        control_route("POST", "/arenas/{id}/players", enter_arena, "arena_enter"),
        control_route("POST", "/teams", create_team, "team_create"),
        control_route("POST", "/teams/{team_id}/members", enter_team, "team_enter"),
        control_route("POST", "/cloud", add_evaluation, "cloud_add"),
    ]
