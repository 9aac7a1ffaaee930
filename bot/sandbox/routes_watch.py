"""Streams of many games at once, by their players or their ids, and games imported from elsewhere."""

from aiohttp import web

from bot.sandbox.asking import address, answer, asked_or_anonymous, flag, form_of, ok, text_of
from bot.sandbox.importing import read_pgn
from bot.sandbox.refusal import not_found, refuse_form
from bot.sandbox.site import SITE, Site
from bot.sandbox.spectators import Watch

MOST_USERS = 300
MOST_GAMES, MOST_GAMES_WITH_TOKEN = 500, 1000
IMPORT_COST, ANONYMOUS_IMPORT_COST = 1, 2


async def _names(request: web.Request, most: int) -> list[str]:
    names = (await text_of(request)).split(",")[:most]
    return [name.strip() for name in names if name.strip()]


async def by_users(request: web.Request) -> web.StreamResponse:
    """Games between any two of them as they begin and end; those that run already only if asked for."""
    users = frozenset(name.lower() for name in await _names(request, MOST_USERS))
    site = request.app[SITE]
    running = site.world.games.ongoing() if flag(request, "withCurrentGames") else []
    watch = Watch(users=users)
    return await _stream(request, "games_by_users", watch, [match.id for match in running])


async def by_ids(request: web.Request) -> web.StreamResponse:
    """The games named as they stand, and then when they end; `add_ids` names more."""
    ids = await _game_ids(request)
    return await _stream(request, "games_by_ids", Watch(request.match_info["stream_id"]), ids)


async def add_ids(request: web.Request) -> web.StreamResponse:
    ids = await _game_ids(request)
    if not request.app[SITE].world.add_to_watch(request.match_info["stream_id"], ids):
        raise not_found()
    return ok()


async def _game_ids(request: web.Request) -> list[str]:
    _, account = asked_or_anonymous(request)
    return await _names(request, MOST_GAMES if account is None else MOST_GAMES_WITH_TOKEN)


async def _stream(request: web.Request, kind: str, watch: Watch, ids: list[str]) -> web.StreamResponse:
    site, account = asked_or_anonymous(request)
    limit = "api.ip.events.anon" if account is None else "api.ip.events.token"
    stream = site.stream(kind, "" if account is None else account.id)
    with site.limits.hold(limit, address(request)), site.streams.opened(stream):
        leave = site.world.subscribe_games(watch, ids, stream.tell)
        try:
            return await stream.run(request, site.slow_keep_alive_s)
        finally:
            leave()


async def import_game(request: web.Request) -> web.StreamResponse:
    site, account = asked_or_anonymous(request)
    cost = ANONYMOUS_IMPORT_COST if account is None else IMPORT_COST
    site.limits.charge("import.game.ip", address(request), cost)
    pgn = (await form_of(request)).get("pgn")
    if not isinstance(pgn, str) or not pgn.strip():
        raise refuse_form(pgn="This field is required")
    return answer(_imported(site, pgn))


def _imported(site: Site, pgn: str) -> dict[str, str]:
    world = site.world
    match = read_pgn(pgn, world.games.free_id(), world.now_ms())
    world.games.put(match)
    return {"id": match.id, "url": f"{world.site}/{match.id}"}


def routes() -> list[web.RouteDef]:
    return [
        web.route("POST", "/api/stream/games-by-users", by_users, name="games_by_users"),
        web.route("POST", "/api/stream/games/{stream_id}", by_ids, name="games_by_ids"),
        web.route("POST", "/api/stream/games/{stream_id}/add", add_ids, name="games_add"),
        web.route("POST", "/api/import", import_game, name="import_game"),
    ]
