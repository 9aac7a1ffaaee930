"""What anybody may read: users, who is online, games, their export and streams of them; and the import."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from aiohttp import web

from bot.sandbox.accounts import Account
from bot.sandbox.records import read_pgn
from bot.sandbox.refusal import not_found, refuse_form
from bot.sandbox.site import (
    SITE,
    Site,
    address,
    answer,
    asked_or_anonymous,
    flag,
    form_of,
    game_id,
    ndjson,
    number,
    ok,
    text_of,
)
from bot.sandbox.spectators import Watch

Json = dict[str, Any]
PGN = "application/x-chess-pgn"
NDJSON = "application/x-ndjson"
BOTS_BY_DEFAULT = 100
MOST_BOTS = 512
MOST_USERS = 300
MOST_STATUSES = 100
COST_OF_A_USER = 2  # of a day's 16,000 points; lila asks 2 to 7
MOST_GAMES, MOST_GAMES_WITH_TOKEN = 500, 1000
IMPORT_COST, ANONYMOUS_IMPORT_COST = 1, 2


async def user(request: web.Request) -> web.StreamResponse:
    site, _ = asked_or_anonymous(request)
    site.limits.charge("user.show.api.ip", address(request), COST_OF_A_USER)
    return answer(site.world.user(request.match_info["username"]))


async def users(request: web.Request) -> web.StreamResponse:
    site = request.app[SITE]
    names = (await text_of(request)).split(",")[:MOST_USERS]
    site.limits.charge("users.api.ip", address(request), max(1, len(names) // 4))
    return answer(site.world.users(name.strip() for name in names))


async def users_status(request: web.Request) -> web.StreamResponse:
    names = request.query.get("ids", "").split(",")[:MOST_STATUSES]
    found = request.app[SITE].world.users_status(
        [name.strip() for name in names if name.strip()],
        with_signal=flag(request, "withSignal"),
        with_game_ids=flag(request, "withGameIds"),
        with_game_metas=flag(request, "withGameMetas"),
    )
    return answer(found)


async def bots_online(request: web.Request) -> web.StreamResponse:
    nb = number(request, "nb")
    wanted = max(1, min(MOST_BOTS, BOTS_BY_DEFAULT if nb is None else nb))
    return ndjson(request.app[SITE].world.bots_online(wanted))


async def crosstable(request: web.Request) -> web.StreamResponse:
    site = request.app[SITE]
    site.limits.charge("crosstable.api.ip", address(request))
    return answer(site.world.crosstable(request.match_info["one"], request.match_info["other"]))


def _options(request: web.Request) -> dict[str, bool]:
    """How a game is exported, as far as the sandbox knows the options."""
    return {
        "moves": flag(request, "moves", default=True),
        "tags": flag(request, "tags", default=True),
        "clocks": flag(request, "clocks"),
        "opening": flag(request, "opening"),
        "pgnInJson": flag(request, "pgnInJson"),
    }


def _accepts(request: web.Request, kind: str) -> bool:
    return kind in request.headers.get("Accept", "")


async def export(request: web.Request) -> web.StreamResponse:
    """PGN unless JSON is asked for; the id may carry `.pgn`, as links on the site do."""
    world, wanted = request.app[SITE].world, game_id(request)
    if _accepts(request, "application/json"):
        return answer(world.export_json(wanted, **_options(request)))
    return web.Response(text=world.export_pgn(wanted, **_options(request)), content_type=PGN)


@contextmanager
def _download(request: web.Request, site: Site, account: Account | None) -> Iterator[None]:
    with ExitStack() as held:
        held.enter_context(site.limits.hold("api.ip.downloads", address(request)))
        if account is not None:
            held.enter_context(site.limits.hold("api.user.downloads", account.id))
        yield


def _games(request: web.Request, site: Site, ids: list[str]) -> web.StreamResponse:
    options = _options(request)
    if _accepts(request, NDJSON):
        return ndjson(site.world.export_json(each, **options) for each in ids)
    text = "\n\n".join(site.world.export_pgn(each, **options) for each in ids)
    return web.Response(text=text, content_type=PGN)


async def export_user(request: web.Request) -> web.StreamResponse:
    site, account = asked_or_anonymous(request)
    with _download(request, site, account):
        ids = site.world.export_user(
            request.match_info["username"],
            max_games=number(request, "max"),
            since=number(request, "since"),
            until=number(request, "until"),
            vs=request.query.get("vs"),
            rated=flag(request, "rated") if "rated" in request.query else None,
            color=request.query.get("color"),
            ongoing=flag(request, "ongoing"),
            finished=flag(request, "finished", default=True),
        )
        return _games(request, site, ids)


async def export_ids(request: web.Request) -> web.StreamResponse:
    """Those it knows of the ids asked for, at most 300."""
    site, account = asked_or_anonymous(request)
    asked_for = [each.strip()[:8] for each in (await text_of(request)).split(",")[:MOST_USERS]]
    known = {match.id for match in site.world.games.all()}
    with _download(request, site, account):
        return _games(request, site, [each for each in dict.fromkeys(asked_for) if each in known])


async def spectator(request: web.Request) -> web.StreamResponse:
    site, _ = asked_or_anonymous(request)
    wanted = game_id(request)
    stream = site.stream("spectator", game=wanted)
    with site.limits.hold("api.ip.game", address(request)), site.streams.opened(stream):
        leave = site.world.subscribe_spectator(wanted, stream.tell)
        try:
            return await stream.run(request, site.slow_keep_alive_s)
        finally:
            leave()


async def spectator_chat(request: web.Request) -> web.StreamResponse:
    return answer(request.app[SITE].world.games.chat(game_id(request)))


async def ping(_: web.Request) -> web.StreamResponse:
    return web.Response(text="pong")


def routes() -> list[web.RouteDef]:
    return [
        web.route("GET", "/api/user/{username}", user, name="user"),
        web.route("POST", "/api/users", users, name="users"),
        web.route("GET", "/api/users/status", users_status, name="users_status"),
        web.route("GET", "/api/bot/online", bots_online, name="bots_online"),
        web.route("GET", "/api/crosstable/{one}/{other}", crosstable, name="crosstable"),
        web.route("GET", "/game/export/{game_id}", export, name="export"),
        web.route("GET", "/api/games/user/{username}", export_user, name="export_user"),
        web.route("POST", "/api/games/export/_ids", export_ids, name="export_ids"),
        web.route("GET", "/api/stream/game/{game_id}", spectator, name="spectator"),
        web.route("GET", "/api/game/{game_id}/chat", spectator_chat, name="spectator_chat"),
        web.route("GET", "/__ping", ping, name="ping"),
        *watch_routes(),
    ]


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


def watch_routes() -> list[web.RouteDef]:
    return [
        web.route("POST", "/api/stream/games-by-users", by_users, name="games_by_users"),
        web.route("POST", "/api/stream/games/{stream_id}", by_ids, name="games_by_ids"),
        web.route("POST", "/api/stream/games/{stream_id}/add", add_ids, name="games_add"),
        web.route("POST", "/api/import", import_game, name="import_game"),
    ]
