"""Challenges, and what is done in a game by the Bot API and the Board API.

The two APIs differ in scope and in who may use them.
"""

import re
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from aiohttp import web

from bot.sandbox.accounts import Account
from bot.sandbox.games import parse_accept, parse_bool
from bot.sandbox.match import Match
from bot.sandbox.refusal import refuse
from bot.sandbox.site import (
    CHALLENGE_SCOPES,
    SITE,
    Site,
    address,
    agent,
    answer,
    asked,
    asked_or_anonymous,
    form_of,
    game_id,
    ok,
)
from bot.sandbox.views import suits_boards, suits_bots

READ_SCOPES = ("challenge:read", "web:mobile")
COST_OF_A_HUMAN = 5  # of the points for challenging; a bot costs 1, and who follows the challenger nothing
WORDS_FOR_TRUE = frozenset({"true", "1", "on", "yes"})
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Deed = Callable[["Seated", web.Request], Awaitable[web.StreamResponse]]


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


def challenge_routes() -> list[web.RouteDef]:
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


class Api(NamedTuple):
    name: str
    path: str
    scope: str
    prefix: str  # of the names its endpoints go by in faults and figures
    suits: Callable[[Match], bool]


BOT = Api("Bot", "/api/bot", "bot:play", "", suits_bots)
BOARD = Api("Board", "/api/board", "board:play", "board_", suits_boards)


class Seated(NamedTuple):
    """A player at a game of theirs."""

    site: Site
    account: Account
    match: Match
    api: Api

    @property
    def place(self) -> tuple[str, str]:
        return self.match.id, self.account.id


def seated(request: web.Request, api: Api) -> Seated:
    """404 for a game that is not theirs; 400 or 403 for an account, 400 for a game not of this API's kind."""
    site, account, _ = asked(request, api.scope)
    match, _ = site.world.games.mine(game_id(request), account.id)
    if api is BOT:
        site.world.accounts.require_bot(account.id)
    elif account.is_bot:
        raise refuse("This API endpoint is not for Bot accounts.", 403)
    if not api.suits(match):
        raise refuse(f"This game cannot be played with the {api.name} API.")
    return Seated(site, account, match, api)


async def game(me: Seated, request: web.Request) -> web.StreamResponse:
    site, world = me.site, me.site.world
    game, user = me.place
    stream = site.stream(f"{me.api.prefix}game", user, game)
    with site.streams.opened(stream, ("game", game, user, agent(request))):
        leave = world.subscribe_game(game, user, stream.tell)
        world.stream_opened(user, game)
        try:
            return await stream.run(request, site.keep_alive_s)
        finally:
            leave()
            world.stream_closed(user, game)


async def move(me: Seated, request: web.Request) -> web.StreamResponse:
    uci = request.match_info["uci"]
    offering_draw = parse_bool(request.query.get("offeringDraw", "false"))
    measured, ply = me.site.measured, me.match.ply
    latency_ms = measured.latency(me.account.id, me.match.id, ply)
    if any(seat.ai_level is not None for seat in me.match.seats.values()):
        await me.site.pause()
    me.site.world.games.move(*me.place, uci, offering_draw=offering_draw)
    measured.moved(me.account.id, me.match.id, ply, uci, latency_ms)
    return ok()


async def write_chat(me: Seated, request: web.Request) -> web.StreamResponse:
    me.site.world.games.say(*me.place, await form_of(request))
    return ok()


async def read_chat(me: Seated, _: web.Request) -> web.StreamResponse:
    return answer(me.site.world.games.chat(*me.place))


async def abort(me: Seated, _: web.Request) -> web.StreamResponse:
    me.site.world.games.abort(*me.place)
    return ok()


async def resign(me: Seated, _: web.Request) -> web.StreamResponse:
    me.site.world.games.resign(*me.place)
    return ok()


async def draw(me: Seated, request: web.Request) -> web.StreamResponse:
    me.site.world.games.draw(*me.place, parse_accept(request.match_info["accept"]))
    return ok()


async def takeback(me: Seated, request: web.Request) -> web.StreamResponse:
    me.site.world.games.takeback(*me.place, parse_accept(request.match_info["accept"]))
    return ok()


async def claim_victory(me: Seated, _: web.Request) -> web.StreamResponse:
    me.site.world.games.claim_victory(*me.place)
    await me.site.pause()
    return ok()


async def claim_draw(me: Seated, _: web.Request) -> web.StreamResponse:
    me.site.world.games.claim_draw(*me.place)
    await me.site.pause()
    return ok()


async def berserk(me: Seated, _: web.Request) -> web.StreamResponse:
    me.site.world.games.berserk(*me.place)
    return ok()


DEEDS: tuple[tuple[str, str, str, Deed], ...] = (
    ("GET", "/game/stream/{game_id}", "game", game),
    ("POST", "/game/{game_id}/move/{uci}", "move", move),
    ("POST", "/game/{game_id}/chat", "chat", write_chat),
    ("GET", "/game/{game_id}/chat", "chat_read", read_chat),
    ("POST", "/game/{game_id}/abort", "abort", abort),
    ("POST", "/game/{game_id}/resign", "resign", resign),
    ("POST", "/game/{game_id}/draw/{accept}", "draw", draw),
    ("POST", "/game/{game_id}/takeback/{accept}", "takeback", takeback),
    ("POST", "/game/{game_id}/claim-victory", "claim_victory", claim_victory),
    ("POST", "/game/{game_id}/claim-draw", "claim_draw", claim_draw),
    ("POST", "/game/{game_id}/berserk", "berserk", berserk),
)


def _as_handler(deed: Deed, api: Api) -> Handler:
    async def handler(request: web.Request) -> web.StreamResponse:
        return await deed(seated(request, api), request)

    return handler


def _refuse_command(api: Api) -> Handler:
    async def handler(request: web.Request) -> web.StreamResponse:
        asked(request, api.scope)
        raise refuse("No such command", 404)

    return handler


def routes() -> list[web.RouteDef]:
    found = challenge_routes()
    found += [
        web.route(method, api.path + path, _as_handler(deed, api), name=f"{api.prefix}{name}")
        for api in (BOT, BOARD)
        for method, path, name, deed in DEEDS
    ]
    for api in (BOT, BOARD):  # after all others
        rest = f"{api.path}/{{rest:.*}}"
        found.append(web.route("*", rest, _refuse_command(api), name=f"{api.prefix}no_command"))
    return found
