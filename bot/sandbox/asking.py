"""Who asks, and what for: tokens, forms, queries; and the plain answers.

A body may be a form or JSON, as with lila's form binder; whatever cannot be read is a 400, never a 500.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from aiohttp import web

from bot.sandbox.accounts import Account
from bot.sandbox.refusal import refuse
from bot.sandbox.site import SITE, Site

Json = dict[str, Any]
BEARER = "Bearer "
NAMED_AGENT = re.compile(r"(?:user|as):\s?([\w\-]{3,31})")  # only when it is the whole User-Agent
CHALLENGE_SCOPES = ("challenge:write", "bot:play", "board:play", "web:mobile")
BIGGEST_NUMBER = 2**53
USER = web.RequestKey("user", str)
SCOPES = web.RequestKey("scopes", list[str])
ACCEPTED = web.RequestKey("accepted", Sequence[str])


class Asked(NamedTuple):
    site: Site
    account: Account
    secret: str


def secret_of(request: web.Request) -> str | None:
    header = request.headers.get("Authorization", "")
    return header.removeprefix(BEARER).strip() if header.startswith(BEARER) else None


def asked(request: web.Request, *any_of: str) -> Asked:
    """The account behind the token; 401 or 403 as lila refuses. No scope named: any token will do."""
    site, secret = request.app[SITE], secret_of(request)
    request[ACCEPTED] = any_of
    if secret is None:
        raise refuse("Missing authorization header", 401)
    account, token = site.world.accounts.authenticate(secret)
    request[USER] = account.id
    request[SCOPES] = sorted(token.scopes)
    if any_of and token.scopes.isdisjoint(any_of):
        raise refuse(f"Missing scope: {' || '.join(any_of)}", 403)
    named = NAMED_AGENT.fullmatch(agent(request))
    if named and named[1].lower() != account.id:
        raise refuse("The user in the user-agent doesn't match the token bearer", 401)
    return Asked(site, account, secret)


def asked_or_anonymous(request: web.Request, *any_of: str) -> tuple[Site, Account | None]:
    """Without a token nobody in particular; with a wrong one a 401 all the same."""
    if secret_of(request) is None:
        return request.app[SITE], None
    known = asked(request, *any_of)
    return known.site, known.account


async def form_of(request: web.Request) -> Mapping[str, Any]:
    """The fields of a form or of a JSON object; an empty or foreign body has none."""
    try:
        if request.content_type == "application/json":
            text = await request.text()
            data = json.loads(text) if text.strip() else {}
            if not isinstance(data, dict):
                raise refuse("Invalid Json: an object is expected")
            return data
        if request.content_type in {"application/x-www-form-urlencoded", "multipart/form-data"}:
            posted = await request.post()
            return {name: value for name, value in posted.items() if isinstance(value, str)}
        await request.read()
    except (ValueError, LookupError, RecursionError) as error:  # not JSON, not that charset, not multipart
        raise refuse(f"Invalid body: {error}") from error
    return {}


async def text_of(request: web.Request) -> str:
    """The body as text, whatever its type says; 400 when it is none."""
    try:
        return (await request.read()).decode()
    except UnicodeDecodeError as error:
        raise refuse(f"Invalid body: {error}") from error


def agent(request: web.Request) -> str:
    return request.headers.get("User-Agent", "")


def address(request: web.Request) -> str:
    return request.remote or "-"


def game_id(request: web.Request) -> str:
    """Lila takes the player's twelve letters for the game's eight."""
    return request.match_info["game_id"][:8]


def flag(request: web.Request, name: str, default: bool = False) -> bool:
    value = request.query.get(name)
    return default if value is None else value.lower() in {"true", "1", "yes", "on"}


def number(request: web.Request, name: str) -> int | None:
    """None when it is not given, or is no number: lila ignores what it cannot read."""
    value = request.query.get(name, "")
    if not re.fullmatch(r"-?[0-9]{1,16}", value):
        return None
    return max(-BIGGEST_NUMBER, min(BIGGEST_NUMBER, int(value)))


def ok() -> web.Response:
    return answer({"ok": True})


def answer(data: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    return web.Response(
        body=_encoded(data), status=status, headers=headers, content_type="application/json", charset="utf-8"
    )


def ndjson(lines: Iterable[Any]) -> web.Response:
    """All lines at once: for downloads, not for streams."""
    body = b"".join(_encoded(line) + b"\n" for line in lines)
    return web.Response(body=body, content_type="application/x-ndjson")


def _encoded(data: Any) -> bytes:
    """A lone half of a pair of surrogates, which a client may well send, becomes a question mark."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False).encode(errors="replace")
