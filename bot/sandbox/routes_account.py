"""The account behind a token: its games, its event stream, its upgrade; tokens; relations and messages."""

from typing import Literal, cast

from aiohttp import web

from bot.sandbox.asking import answer, asked, form_of, number, ok, text_of
from bot.sandbox.refusal import refuse_form
from bot.sandbox.site import SITE

PLAYING_BY_DEFAULT = 9
Verb = Literal["block", "unblock", "follow", "unfollow"]


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
    ]
