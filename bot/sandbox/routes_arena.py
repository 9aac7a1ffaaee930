"""Arenas, teams and cloud evaluations over HTTP."""

from aiohttp import web

from bot.sandbox.asking import (
    address,
    answer,
    asked,
    asked_or_anonymous,
    flag,
    form_of,
    ndjson,
    number,
    ok,
)
from bot.sandbox.cloud import STANDARD
from bot.sandbox.refusal import not_found

ARENA_SCOPES = ("tournament:write", "bot:play", "web:mobile")
COST_WITH_TOKEN, COST_WITHOUT = 1, 2  # of a day's 3,000 points for cloud evaluations


async def arena(request: web.Request) -> web.StreamResponse:
    site, account = asked_or_anonymous(request)
    viewer = None if account is None else account.id
    return answer(site.world.arenas.show(request.match_info["id"], viewer, number(request, "page") or 1))


async def join_arena(request: web.Request) -> web.StreamResponse:
    site, me, _ = asked(request, *ARENA_SCOPES)
    site.limits.charge("tournament.user.joinOrResume", me.id)
    password = (await form_of(request)).get("password")
    site.world.arenas.join(request.match_info["id"], me.id, None if password is None else str(password))
    return ok()


async def leave_arena(request: web.Request) -> web.StreamResponse:
    site, me, _ = asked(request, *ARENA_SCOPES)
    site.world.arenas.withdraw(request.match_info["id"], me.id)
    return ok()


async def team(request: web.Request) -> web.StreamResponse:
    site, account = asked_or_anonymous(request)
    return answer(site.world.teams.show(request.match_info["team_id"], account.id if account else None))


async def teams_of(request: web.Request) -> web.StreamResponse:
    site, account = asked_or_anonymous(request)
    return answer(site.world.teams.of(request.match_info["username"], account.id if account else None))


async def team_users(request: web.Request) -> web.StreamResponse:
    site, _ = asked_or_anonymous(request)
    return ndjson(site.world.teams.users(request.match_info["team_id"], full=flag(request, "full")))


async def join_team(request: web.Request) -> web.StreamResponse:
    site, me, _ = asked(request, "team:write")
    site.world.teams.join(request.match_info["team_id"], me.id)
    return ok()


async def quit_team(request: web.Request) -> web.StreamResponse:
    site, me, _ = asked(request, "team:write")
    site.world.teams.quit(request.match_info["team_id"], me.id)
    return ok()


async def cloud_eval(request: web.Request) -> web.StreamResponse:
    site, account = asked_or_anonymous(request)
    cost = COST_WITHOUT if account is None else COST_WITH_TOKEN
    site.limits.charge("cloud-eval.api.ip", address(request), cost)
    fen = request.query.get("fen")
    if fen is None:
        raise not_found("Missing FEN")
    variant = request.query.get("variant", STANDARD)
    return answer(site.world.cloud.find(variant, fen, number(request, "multiPv") or 1))


def routes() -> list[web.RouteDef]:
    return [
        web.route("GET", "/api/tournament/{id}", arena, name="arena"),
        web.route("POST", "/api/tournament/{id}/join", join_arena, name="arena_join"),
        web.route("POST", "/api/tournament/{id}/withdraw", leave_arena, name="arena_withdraw"),
        web.route("GET", "/api/team/{team_id}", team, name="team"),
        web.route("GET", "/api/team/of/{username}", teams_of, name="teams_of"),
        web.route("GET", "/api/team/{team_id}/users", team_users, name="team_users"),
        web.route("POST", "/team/{team_id}/join", join_team, name="team_join"),
        web.route("POST", "/team/{team_id}/quit", quit_team, name="team_quit"),
        web.route("GET", "/api/cloud-eval", cloud_eval, name="cloud_eval"),
    ]
