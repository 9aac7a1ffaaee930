"""The control API under /sandbox/: accounts, challenges and games on request, and the whole world as JSON.

It is there only when asked for, needs no token, and acts on the world through the same methods as everybody.
What is broken on purpose, and what was measured, is in `control_rooms`.
"""

import json
import random
import re
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from bot.sandbox import control_rooms
from bot.sandbox.accounts import SCOPES, Account, Token
from bot.sandbox.control_rooms import control_route, field
from bot.sandbox.match import Match
from bot.sandbox.refusal import refuse
from bot.sandbox.site import SITE, answer, form_of, game_id, ok
from bot.sandbox.world import World

Json = dict[str, Any]
BIGGEST_WORLD = 256 * 2**20
USUAL_SCOPES = ("bot:play", "challenge:read", "challenge:write")
SECRET = re.compile(r"[A-Za-z0-9_]{1,512}")


def _shown_account(account: Account) -> Json:
    return {"id": account.id, "name": account.name, "title": account.title, "games": account.games_played}


def _shown_token(token: Token) -> Json:
    return {"token": token.secret, "user": token.user_id, "scopes": sorted(token.scopes)}


def _shown_game(match: Match) -> Json:
    players = {("white" if color else "black"): seat.name for color, seat in match.seats.items()}
    return {
        "id": match.id,
        **players,
        "variant": match.variant.key,
        "status": match.status.label,
        "winner": None if match.winner is None else ("white" if match.winner else "black"),
        "moves": " ".join(match.moves),
    }


async def summary(request: web.Request) -> web.StreamResponse:
    site = request.app[SITE]
    endpoints = {
        route.name: f"{route.method} {route.resource.canonical}"
        for route in request.app.router.routes()
        if route.name and route.resource
    }
    return answer(
        {
            "accounts": len(site.world.accounts.all()),
            "games": len(site.world.games.all()),
            "ongoing": len(site.world.games.ongoing()),
            "streams": len(site.streams),
            "faults": len(site.faults.listed()),
            "isDown": site.is_down,
            "endpoints": endpoints,  # the names that faults and figures use
        }
    )


async def accounts(request: web.Request) -> web.StreamResponse:
    return answer([_shown_account(account) for account in request.app[SITE].world.accounts.all()])


def _scopes(form: Mapping[str, Any]) -> list[str]:
    found: list[Any] = field(form, "scopes", list, list(USUAL_SCOPES))
    unknown = [str(scope) for scope in found if not isinstance(scope, str) or scope not in SCOPES]
    if unknown:
        raise refuse(f"no such scope: {', '.join(unknown)}")
    return found


def _free_secret(world: World, form: Mapping[str, Any]) -> str | None:
    """The token wished for; 400 when it is taken or malformed, before anything is made."""
    secret: str | None = field(form, "token", str, None)
    if secret is None:
        return None
    if not SECRET.fullmatch(secret):
        raise refuse("a token is made of letters, digits and _")
    if world.accounts.test_tokens(secret)[secret] is not None:
        raise refuse("that token is taken")
    return secret


async def create_account(request: web.Request) -> web.StreamResponse:
    """An account and a token for it."""
    form = await form_of(request)
    world = request.app[SITE].world
    scopes = _scopes(form)
    secret = _free_secret(world, form)
    try:
        account = world.accounts.create(
            field(form, "name", str),
            title=field(form, "title", str, None),
            rating=field(form, "rating", int, 1500),
            bio=field(form, "bio", str, None),
            games=field(form, "games", int, 0),
            takebacks=field(form, "takebacks", bool, None),
        )
        token = world.accounts.issue_token(account.id, scopes, secret=secret)
    except ValueError as error:
        raise refuse(str(error)) from error
    return answer({**_shown_account(account), **_shown_token(token)}, 201)


async def create_token(request: web.Request) -> web.StreamResponse:
    form = await form_of(request)
    world = request.app[SITE].world
    account = world.accounts.require(field(form, "user", str))
    try:
        token = world.accounts.issue_token(
            account.id,
            _scopes(form),
            secret=_free_secret(world, form),
            expires_at_ms=field(form, "expiresAt", int, None),
        )
    except ValueError as error:
        raise refuse(str(error)) from error
    return answer(_shown_token(token), 201)


async def revoke_token(request: web.Request) -> web.StreamResponse:
    request.app[SITE].world.accounts.revoke(request.match_info["token"])
    return ok()


async def challenge(request: web.Request) -> web.StreamResponse:
    """`from` challenges `to`; all other fields are those of POST /api/challenge/{username}."""
    form = dict(await form_of(request))
    world = request.app[SITE].world
    challenger = world.accounts.require(field(form, "from", str))
    username = field(form, "to", str)
    rest = {name: value for name, value in form.items() if name not in {"from", "to"}}
    return answer(world.lobby.create(challenger.id, username, rest), 201)


async def rematch(request: web.Request) -> web.StreamResponse:
    """`from` presses the button no API has."""
    world = request.app[SITE].world
    player = world.accounts.require(field(await form_of(request), "from", str))
    return answer(world.lobby.offer_rematch(game_id(request), player.id), 201)


async def games(request: web.Request) -> web.StreamResponse:
    return answer([_shown_game(match) for match in request.app[SITE].world.games.all()])


async def games_pgn(request: web.Request) -> web.StreamResponse:
    world = request.app[SITE].world
    text = "\n\n".join(world.export_pgn(match.id) for match in world.games.all())
    return web.Response(text=text, content_type="application/x-chess-pgn")


async def game(request: web.Request) -> web.StreamResponse:
    return answer(_shown_game(request.app[SITE].world.games.get(game_id(request))))


async def save(request: web.Request) -> web.StreamResponse:
    return answer(request.app[SITE].world.save())


async def load(request: web.Request) -> web.StreamResponse:
    """The world that was saved takes the place of this one; every stream is torn."""
    site = request.app[SITE]
    raw = bytearray()
    async for chunk in request.content.iter_any():
        raw += chunk
        if len(raw) > BIGGEST_WORLD:
            raise refuse("That world is too big", 413)
    try:
        data = json.loads(raw)
        world = World.load(data, now_ms=site.world.now_ms, rng=random.Random())
    except (ValueError, RecursionError) as error:
        raise refuse(f"That is no saved world: {error}") from error
    site.replace_world(world)
    return ok()


def routes() -> list[web.RouteDef]:
    return [
        control_route("GET", "", summary, "summary"),
        control_route("GET", "/accounts", accounts, "accounts"),
        control_route("POST", "/accounts", create_account, "account_create"),
        control_route("POST", "/tokens", create_token, "token_create"),
        control_route("DELETE", "/tokens/{token}", revoke_token, "token_revoke"),
        control_route("POST", "/challenges", challenge, "challenge"),
        control_route("GET", "/games", games, "games"),
        control_route("GET", "/games.pgn", games_pgn, "games_pgn"),
        control_route("GET", "/games/{game_id}", game, "game"),
        control_route("POST", "/games/{game_id}/rematch", rematch, "rematch"),
        control_route("GET", "/world", save, "save"),
        control_route("PUT", "/world", load, "load"),
        *control_rooms.routes(),
    ]
