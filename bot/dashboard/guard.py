"""Who may look: whoever has the password, or without one this machine alone; and what browsers are told.

Health checks are open to all: they say nothing but whether the service can play.
"""

import asyncio
import base64
import binascii
import hmac
from collections.abc import Awaitable, Callable

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
OPEN_TO_ALL = frozenset({"healthz", "readyz"})
WRONG_S = 1.0  # whoever guesses shall not guess quickly
OWN_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
POLICY = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


async def say_headers(_: web.Request, response: web.StreamResponse) -> None:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)


def guard(password: str, *, wrong_s: float = WRONG_S) -> Callable[..., Awaitable[web.StreamResponse]]:
    """A middleware. With a password everybody is asked for it, from wherever they come.

    Without one only this machine is served, and only under its own name: a page from elsewhere whose name was
    made to lead here does not get in.
    """

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.match_info.route.name in OPEN_TO_ALL:
            return await handler(request)
        if not password and host_name(request.host) not in OWN_NAMES:
            raise web.HTTPForbidden(
                text=f"{request.host} is not this machine: use localhost, or set web.password"
            )
        if password and not is_password(request.headers.get("Authorization", ""), password):
            if "Authorization" in request.headers:
                await asyncio.sleep(wrong_s)
            raise web.HTTPUnauthorized(
                text="the password, please (any user name)",
                headers={"WWW-Authenticate": 'Basic realm="Krait", charset="UTF-8"'},
            )
        return await handler(request)

    return check


def is_password(header: str, password: str) -> bool:
    """Whether `Authorization: Basic …` carries it; takes as long whether it does or not."""
    scheme, _, coded = header.partition(" ")
    if scheme.lower() != "basic":
        return False
    try:
        given = base64.b64decode(coded.strip(), validate=True).partition(b":")[2]
    except (binascii.Error, ValueError):
        return False
    return hmac.compare_digest(given, password.encode())


def host_name(host: str) -> str:
    """`localhost` of `localhost:8000`, `::1` of `[::1]:8000`."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()
