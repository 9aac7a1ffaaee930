"""The account behind a token: events, games, upgrade, relations; arenas, teams and cloud evaluations."""

from typing import Literal, cast

from aiohttp import web

from bot.sandbox.cloud import STANDARD
from bot.sandbox.refusal import not_found, refuse_form
from bot.sandbox.site import (
    SITE,
    address,
    answer,
    asked,
    asked_or_anonymous,
    flag,
    form_of,
    ndjson,
    number,
    ok,
    text_of,
)

PLAYING_BY_DEFAULT = 9
Verb = Literal["block", "unblock", "follow", "unfollow"]
ARENA_SCOPES = ("tournament:write", "bot:play", "web:mobile")
COST_WITH_TOKEN, COST_WITHOUT = 1, 2  # of a day's 3,000 points for cloud evaluations


async def event(request: web.Request) -> web.StreamResponse:
    """One event stream a token: this one ends the last, and each opening is counted."""
    site, account, secret = asked(request, "bot:play", "board:play", "challenge:read", "web:mobile")
    site.limits.charge("api.stream.event.bearer", secret)
    world, user = site.world, account.id
    stream = site.stream("event", user)
    with site.streams.opened(stream, ("event", secret)):
        leave = world.subscribe_events(user, stream.tell)
        world.stream_opened(user)
        try:
            return await stream.run(request, site.keep_alive_s)
        finally:
            leave()
            world.stream_closed(user)


async def account(request: web.Request) -> web.StreamResponse:
    site, me, _ = asked(request)
    site.limits.charge("api.account.user", me.id)
    return answer(site.world.account(me.id))


async def playing(request: web.Request) -> web.StreamResponse:
    site, me, _ = asked(request)
    nb = number(request, "nb")
    return answer(site.world.playing(me.id, PLAYING_BY_DEFAULT if nb is None else nb))


async def upgrade(request: web.Request) -> web.StreamResponse:
    site, me, _ = asked(request, "bot:play")
    site.world.upgrade(me.id)
    return ok()


async def token_test(request: web.Request) -> web.StreamResponse:
    site = request.app[SITE]
    body = await text_of(request)
    site.limits.charge("api.token.test", request.remote or "-", body.count(",") + 1)
    return answer(site.world.accounts.test_tokens(body))


async def revoke(request: web.Request) -> web.StreamResponse:
    site, _, secret = asked(request)
    site.world.accounts.revoke(secret)
    return web.Response(status=204)


async def relate(request: web.Request) -> web.StreamResponse:
    site, me, _ = asked(request, "follow:write", "web:mobile")
    verb = cast("Verb", request.match_info["verb"])  # the route takes no other
    if verb == "follow":
        site.limits.charge("follow", me.id)
    site.world.accounts.relate(me.id, request.match_info["username"], verb)
    return ok()


async def inbox(request: web.Request) -> web.StreamResponse:
    """The message is checked and thrown away: nobody reads here."""
    site, _, _ = asked(request, "msg:write")
    site.world.accounts.require(request.match_info["username"])
    text = (await form_of(request)).get("text")
    if not isinstance(text, str) or not text.strip():
        raise refuse_form(text="This field is required")
    return ok()


def routes() -> list[web.RouteDef]:
    relation = "/api/rel/{verb:block|unblock|follow|unfollow}/{username}"
    return [
        web.route("GET", "/api/stream/event", event, name="event"),
        web.route("GET", "/api/account", account, name="account"),
        web.route("GET", "/api/account/playing", playing, name="playing"),
        web.route("POST", "/api/bot/account/upgrade", upgrade, name="upgrade"),
        web.route("POST", "/api/token/test", token_test, name="token_test"),
        web.route("DELETE", "/api/token", revoke, name="token_revoke"),
        web.route("POST", relation, relate, name="relation"),
        web.route("POST", "/inbox/{username}", inbox, name="inbox"),
        *arena_routes(),
    ]


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


def arena_routes() -> list[web.RouteDef]:
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
