"""What is done in a game, by the Bot API and the Board API: they differ in scope and in who may use them."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from aiohttp import web

from bot.sandbox.accounts import Account
from bot.sandbox.asking import agent, answer, asked, form_of, game_id, ok
from bot.sandbox.games import parse_accept, parse_bool
from bot.sandbox.match import Match
from bot.sandbox.refusal import refuse
from bot.sandbox.site import Site
from bot.sandbox.views import suits_boards, suits_bots

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Deed = Callable[["Seated", web.Request], Awaitable[web.StreamResponse]]


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
    found = [
        web.route(method, api.path + path, _as_handler(deed, api), name=f"{api.prefix}{name}")
        for api in (BOT, BOARD)
        for method, path, name, deed in DEEDS
    ]
    for api in (BOT, BOARD):  # after all others
        rest = f"{api.path}/{{rest:.*}}"
        found.append(web.route("*", rest, _refuse_command(api), name=f"{api.prefix}no_command"))
    return found
