"""What the database tells the page: games by what is wanted, one game, openings, ratings, PGN. Only reads.

GET api/games?opponent=&kind=&speed=&variant=&result=&rated=&opening=&since=&until=&page=
GET api/games.pgn?…      the same selection, as it is read
GET api/games/{id}       one game; also of one that is being played
GET api/games/{id}.pgn
GET api/openings?…       name, games and score over the same selection
GET api/ratings?since=   our rating over time, by kind of game
"""

import asyncio
import datetime as dt
from collections.abc import Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from aiohttp import web

from bot.dashboard import gameshapes
from bot.dashboard.watched import Said, Trail
from bot.dashboard.window import WINDOW
from bot.errors import BotError
from bot.game.nouns import GameId
from bot.play.walltime import wall_ms
from bot.store.pgn import pgn_of
from bot.store.rows import GameRow, MoveRow
from bot.store.wanted import Wanted

if TYPE_CHECKING:
    from bot.store.queries import Queries

PAGE = 25
OPENINGS = 200
POINTS = 400  # of a curve
DAY_MS = 86_400_000
TEXTS = ("opponent", "kind", "speed", "variant", "result", "opening")
ATTACHED = "attachment; filename={}"


class BadQueryError(ValueError):
    """What was asked for cannot be read; the message says what and how it is written."""


def wanted_of(query: Mapping[str, str]) -> Wanted:
    """What a person chose; empty is any. BadQueryError says what cannot be read."""
    texts = {name: query[name].strip() for name in TEXTS if query.get(name, "").strip()}
    rated = query.get("rated", "")
    if rated not in {"", "yes", "no"}:
        raise BadQueryError(f"rated is yes or no, not {rated!r}")
    since, until = (_day_ms(name, query.get(name, "")) for name in ("since", "until"))
    return Wanted(
        **texts,
        rated={"yes": True, "no": False}.get(rated),
        since_ms=since,
        until_ms=None if until is None else until + DAY_MS,
        over=True,
    )


def _day_ms(name: str, text: str) -> int | None:
    if not text:
        return None
    try:
        day = dt.datetime.combine(dt.date.fromisoformat(text), dt.time(), dt.UTC)
    except ValueError:
        raise BadQueryError(f"{name} is a day such as 2026-11-18, not {text!r}") from None
    return round(day.timestamp() * 1000)


def page_of(query: Mapping[str, str]) -> int:
    """From 1."""
    text = query.get("page", "1")
    if not text.isascii() or not text.isdecimal() or not 1 <= len(text) <= 7 or not int(text):
        raise BadQueryError(f"page is a number from 1, not {text!r}")
    return int(text)


def _ask(request: web.Request) -> "Queries":
    ask = request.app[WINDOW].ask
    if ask is None:
        raise BotError("the database is not open yet")
    return ask


async def games(request: web.Request) -> web.Response:
    wanted, page, ask = wanted_of(request.query), page_of(request.query), _ask(request)
    rows = await ask.games(wanted, limit=PAGE, offset=(page - 1) * PAGE)
    total = await ask.count(wanted)
    pages = max(1, -(-total // PAGE))
    found = [gameshapes.row(row) for row in rows]
    return web.json_response({"total": total, "page": page, "pages": pages, "games": found})


async def game(request: web.Request) -> web.Response:
    id_ = GameId(request.match_info["game"])
    if view := request.app[WINDOW].feed.game(id_):
        return web.json_response(gameshapes.detail(view))
    found = await _ask(request).game(id_)
    if found is None:
        return web.json_response({"error": f"there is no game {id_}"}, status=404)
    said = tuple(Said(*line) for line in await _ask(request).chat(id_))
    return web.json_response(await asyncio.to_thread(stored, *found, said))


def stored(row: GameRow, moves: tuple[MoveRow, ...], said: tuple[Said, ...]) -> dict[str, Any]:
    """A game of the database, in the shape of one that is watched; it takes some milliseconds."""
    trail = Trail(row.info)
    trail.follow(tuple(move.uci for move in moves))
    last = moves[-1] if moves else None
    return {
        **gameshapes.row(row),
        "fen": trail.fens[-1],
        "last": last.uci if last else None,
        "check": trail.is_check,
        "scores": [gameshapes.score(move.cp, move.mate, row.info.we_are_white) for move in moves],
        "spent": [move.spent_ms for move in moves],
        "fens": trail.fens,
        "moves": gameshapes.moves(row.info, moves, trail.fens),
        "chat": gameshapes.chat(said),
    }


async def game_pgn(request: web.Request) -> web.Response:
    found = await _ask(request).game(GameId(request.match_info["game"]))
    if found is None:
        raise web.HTTPNotFound(text="there is no such game")
    row, moves = found
    headers = {"Content-Disposition": ATTACHED.format(f"{row.id}.pgn")}
    text = pgn_of(row, moves, site=request.app[WINDOW].look().site)
    return web.Response(text=text, content_type="application/x-chess-pgn", headers=headers)


async def games_pgn(request: web.Request) -> web.StreamResponse:
    """However many: read, written and forgotten page by page."""
    wanted, ask = wanted_of(request.query), _ask(request)
    site = request.app[WINDOW].look().site
    headers = {"Content-Disposition": ATTACHED.format("krait-games.pgn")}
    response = web.StreamResponse(headers=headers)
    response.content_type, response.charset = "application/x-chess-pgn", "utf-8"
    async with aclosing(ask.pgn(wanted, site=site)) as texts:  # type: ignore[type-var]  # it is a generator
        first = await anext(texts, "")  # a database that fails is told before anything was sent
        await response.prepare(request)
        await response.write(first.encode())
        async for text in texts:
            await response.write(text.encode())
            await asyncio.sleep(0)  # games are played meanwhile
    return response


async def openings(request: web.Request) -> web.Response:
    tallies = await _ask(request).tally(("eco", "opening"), wanted_of(request.query), limit=OPENINGS)
    rows = [
        {
            "eco": tally.key[0],
            "opening": tally.key[1],
            "games": tally.games,
            "wins": tally.wins,
            "draws": tally.draws,
            "losses": tally.losses,
            "score": round(tally.score, 4),
        }
        for tally in tallies
        if tally.key[1]
    ]
    return web.json_response({"openings": rows})


async def ratings(request: web.Request) -> web.Response:
    since_ms, now_ms = _day_ms("since", request.query.get("since", "")) or 0, wall_ms()
    ask = _ask(request)
    first_ms = await ask.first_rating_ms(since_ms)
    every_ms = max(1, (now_ms - first_ms) // POINTS) if first_ms is not None else 1
    curves: dict[str, list[list[int]]] = {}
    for point in await ask.ratings(since_ms=since_ms, every_ms=every_ms):
        curves.setdefault(point.perf, []).append([point.when_ms, point.rating])
    return web.json_response({"curves": curves})


def routes() -> list[web.RouteDef]:
    return [
        web.get("/api/games", games),
        web.get("/api/games.pgn", games_pgn),
        web.get(r"/api/games/{game:[A-Za-z0-9_-]+}", game),
        web.get(r"/api/games/{game:[A-Za-z0-9_-]+}.pgn", game_pgn),
        web.get("/api/openings", openings),
        web.get("/api/ratings", ratings),
    ]
