"""Tokens and scopes: who may ask, and lila's words for who may not."""

import pytest

from tests.sandbox.serving import Box, Client, run


def test_a_request_without_a_token_is_told_so() -> None:
    async def story(box: Box) -> None:
        reply = await box.anyone.get("/api/account")
        assert (reply.status, reply.body) == (401, {"error": "Missing authorization header"})

    run(story)


@pytest.mark.parametrize("header", ["Basic abc", "bearer", "", "Token x"])
def test_another_kind_of_authorization_is_no_token(header: str) -> None:
    async def story(box: Box) -> None:
        reply = await box.anyone.get("/api/account", headers={"Authorization": header})
        assert reply.status == 401

    run(story)


def test_an_unknown_or_revoked_token_is_no_such_token() -> None:
    async def story(box: Box) -> None:
        bot = box.enter("Krait")
        assert (await Client(box.http, "lip_nobody").get("/api/account")).body == {"error": "No such token"}
        revoked = await bot.ask("DELETE", "/api/token")
        assert (revoked.status, revoked.raw) == (204, b"")
        reply = await bot.get("/api/account")
        assert (reply.status, reply.body) == (401, {"error": "No such token"})

    run(story)


@pytest.mark.parametrize(
    ("method", "path", "scopes"),
    [
        ("GET", "/api/stream/event", "bot:play || board:play || challenge:read || web:mobile"),
        ("GET", "/api/bot/game/stream/abcdefgh", "bot:play"),
        ("POST", "/api/bot/game/abcdefgh/move/e2e4", "bot:play"),
        ("POST", "/api/bot/account/upgrade", "bot:play"),
        ("GET", "/api/challenge", "challenge:read || web:mobile"),
        ("POST", "/api/challenge/somebody", "challenge:write || bot:play || board:play || web:mobile"),
        ("POST", "/api/round/abcdefgh/add-time/10", "challenge:write || web:mobile"),
        ("POST", "/api/rel/block/somebody", "follow:write || web:mobile"),
        ("POST", "/inbox/somebody", "msg:write"),
        ("POST", "/team/some-team/join", "team:write"),
    ],
)
def test_a_token_without_the_scope_is_told_which_would_do(method: str, path: str, scopes: str) -> None:
    async def story(box: Box) -> None:
        box.enter("Somebody")
        bot = box.enter("Krait", scopes=("puzzle:read",))
        reply = await bot.ask(method, path)
        assert (reply.status, reply.body) == (403, {"error": f"Missing scope: {scopes}"})
        assert reply.headers["X-OAuth-Scopes"] == "puzzle:read"
        assert reply.headers["X-Accepted-OAuth-Scopes"] == scopes.replace(" || ", ",")

    run(story)


def test_a_scoped_answer_names_the_scopes_too() -> None:
    async def story(box: Box) -> None:
        bot = box.enter("Krait")
        reply = await bot.get("/api/account/playing")
        assert reply.status == 200
        assert reply.headers["X-OAuth-Scopes"] == "bot:play"
        async with bot.events() as lines:
            assert lines.response.headers["X-OAuth-Scopes"] == "bot:play"

    run(story)


@pytest.mark.parametrize(
    ("agent", "status"),
    [("user:krait", 200), ("as: Krait", 200), ("user:somebody", 401), ("mine/1 user:somebody", 200)],
)
def test_a_user_agent_that_is_nothing_but_a_user_must_be_the_tokens(agent: str, status: int) -> None:
    async def story(box: Box) -> None:
        token = box.enter("Krait").token
        reply = await Client(box.http, token, agent).get("/api/account")
        assert reply.status == status
        if status == 401:
            assert reply.body == {"error": "The user in the user-agent doesn't match the token bearer"}

    run(story)


def test_tokens_are_tested_without_one_in_a_body_of_any_type() -> None:
    async def story(box: Box) -> None:
        token = box.enter("Krait", scopes=("bot:play", "challenge:read")).token
        for headers in ({}, {"Content-Type": "text/plain"}, {"Content-Type": "application/json"}):
            reply = await box.anyone.ask(
                "POST", "/api/token/test", data=f"{token},nobody".encode(), headers=headers
            )
            assert reply.body["nobody"] is None
            assert reply.body[token]["userId"] == "krait"
            assert set(reply.body[token]["scopes"].split(",")) == {"bot:play", "challenge:read"}

    run(story)
