"""Challenges: made, answered, listed; the built-in AI; open ones; and what may be done to a clock."""

import re

from aiohttp import web

from bot.sandbox.asking import (
    CHALLENGE_SCOPES,
    address,
    answer,
    asked,
    asked_or_anonymous,
    form_of,
    game_id,
    ok,
)
from bot.sandbox.refusal import refuse
from bot.sandbox.site import SITE, Site

READ_SCOPES = ("challenge:read", "web:mobile")
COST_OF_A_HUMAN = 5  # of the points for challenging; a bot costs 1, and who follows the challenger nothing
WORDS_FOR_TRUE = frozenset({"true", "1", "on", "yes"})


def _cost(site: Site, challenger: str, username: str) -> int:
    dest = site.world.accounts.get(username)
    if dest is None or challenger in dest.follows:
        return 0
    return 1 if dest.is_bot else COST_OF_A_HUMAN


async def create(request: web.Request) -> web.StreamResponse:
    site, account, _ = asked(request, *CHALLENGE_SCOPES)
    username = request.match_info["username"]
    form = await form_of(request)
    site.limits.charge("challenge.create.ip", address(request))
    site.limits.charge("challenge.create.user", account.id, _cost(site, account.id, username))
    challenge = site.world.lobby.create(account.id, username, form)
    if str(form.get("keepAliveStream", "")).lower() not in WORDS_FOR_TRUE:
        return answer(challenge)
    stream = site.stream("challenge", account.id, challenge["id"])
    leave = site.world.subscribe_challenge(challenge["id"], stream.tell)
    try:
        with site.streams.opened(stream):
            return await stream.run(request, site.slow_keep_alive_s)
    finally:
        leave()


async def create_ai(request: web.Request) -> web.StreamResponse:
    site, account, _ = asked(request, *CHALLENGE_SCOPES)
    form = await form_of(request)
    if account.is_bot:
        site.limits.charge("setup.post.bot.ai", account.id)
    site.limits.charge("setup.post", address(request))
    return answer(site.world.lobby.create_ai(account.id, form), 201)


async def create_open(request: web.Request) -> web.StreamResponse:
    site, account = asked_or_anonymous(request, "challenge:write")
    form = await form_of(request)
    site.limits.charge("challenge.create.ip", address(request))
    return answer(site.world.lobby.create_open(account.id if account else None, form))


async def listed(request: web.Request) -> web.StreamResponse:
    site, account, _ = asked(request, *READ_SCOPES)
    return answer(site.world.lobby.list(account.id))


async def show(request: web.Request) -> web.StreamResponse:
    site, account, _ = asked(request, *READ_SCOPES)
    return answer(site.world.lobby.show(request.match_info["challenge_id"], account.id))


async def accept(request: web.Request) -> web.StreamResponse:
    site, account, _ = asked(request, *CHALLENGE_SCOPES)
    color = request.query.get("color")
    site.world.lobby.accept(request.match_info["challenge_id"], account.id, color)
    return ok()


async def decline(request: web.Request) -> web.StreamResponse:
    site, account, _ = asked(request, *CHALLENGE_SCOPES)
    reason = (await form_of(request)).get("reason")
    reason = reason if isinstance(reason, str) else "generic"
    site.world.lobby.decline(request.match_info["challenge_id"], account.id, reason)
    return ok()


async def cancel(request: web.Request) -> web.StreamResponse:
    site, account, _ = asked(request, *CHALLENGE_SCOPES)
    opponent_token = request.query.get("opponentToken")
    site.world.lobby.cancel(request.match_info["challenge_id"], account.id, opponent_token)
    return ok()


async def start_clocks(request: web.Request) -> web.StreamResponse:
    site = request.app[SITE]
    secrets = [request.query[name] for name in ("token1", "token2") if name in request.query]
    site.world.lobby.start_clocks(game_id(request), secrets)
    return ok()


async def add_time(request: web.Request) -> web.StreamResponse:
    site, account, _ = asked(request, "challenge:write", "web:mobile")
    seconds = request.match_info["seconds"]
    if not re.fullmatch(r"-?[0-9]{1,9}", seconds):
        raise refuse(f"Cannot parse parameter seconds as Int: {seconds}")
    site.world.games.add_time(game_id(request), account.id, int(seconds))
    return ok()


def routes() -> list[web.RouteDef]:
    return [
        web.route("GET", "/api/challenge", listed, name="challenge_list"),
        web.route("POST", "/api/challenge/ai", create_ai, name="challenge_ai"),
        web.route("POST", "/api/challenge/open", create_open, name="challenge_open"),
        web.route("POST", "/api/challenge/{username}", create, name="challenge_create"),
        web.route("GET", "/api/challenge/{challenge_id}/show", show, name="challenge_show"),
        web.route("POST", "/api/challenge/{challenge_id}/accept", accept, name="accept"),
        web.route("POST", "/api/challenge/{challenge_id}/decline", decline, name="decline"),
        web.route("POST", "/api/challenge/{challenge_id}/cancel", cancel, name="cancel"),
        web.route("POST", "/api/challenge/{game_id}/start-clocks", start_clocks, name="start_clocks"),
        web.route("POST", "/api/round/{game_id}/add-time/{seconds}", add_time, name="add_time"),
    ]
