"""Accounts, challenges, users, exports over HTTP, and every refusal with lila's status and body."""

from typing import Any

import pytest

from tests.sandbox.serving import (
    ALL,
    BLITZ,
    OK,
    Box,
    error,
    pair,
    run,
    said,
)


def test_an_account_is_what_its_token_says() -> None:
    async def story(box: Box) -> None:
        reply = await box.enter("Krait").get("/api/account")
        assert reply.headers["Content-Type"].startswith("application/json")
        assert (reply.body["id"], reply.body["username"], reply.body["title"]) == ("krait", "Krait", "BOT")
        assert "bullet" in reply.body["perfs"]

    run(story)


@pytest.mark.parametrize(
    ("username", "form", "words"),
    [
        ("nobody", BLITZ, "No such user"),
        ("krait", BLITZ, "You cannot challenge yourself"),
        ("rival", {"clock.limit": "15", "clock.increment": "0"}, "Invalid speed"),
        ("rival", {"clock.limit": "17", "clock.increment": "0"}, "clock.limit"),
        ("rival", BLITZ | {"variant": "fromPosition", "fen": "x"}, "fen"),
        ("rival", BLITZ | {"rules": "noAbort"}, "Rules not applicable for bots"),
    ],
)
def test_a_challenge_lila_would_not_make_is_refused(username: str, form: dict[str, Any], words: str) -> None:
    async def story(box: Box) -> None:
        krait = box.enter("Krait")
        box.enter("Rival")
        reply = await krait.post(f"/api/challenge/{username}", {key: str(form[key]) for key in form})
        assert reply.status == 400
        assert words.lower() in str(reply.body["error"]).lower()

    run(story)


def test_an_answer_to_a_challenge_that_is_not_there_is_not_found() -> None:
    async def story(box: Box) -> None:
        krait = box.enter("Krait", scopes=ALL)
        for deed in ("accept", "decline", "cancel"):
            assert said(await krait.post(f"/api/challenge/nothing1/{deed}")) == error("Not found", 404)
        assert (await krait.get("/api/challenge/nothing1/show")).status == 404

    run(story)


def test_a_challenge_that_was_canceled_cannot_be_accepted() -> None:
    async def story(box: Box) -> None:
        krait, rival = box.enter("Krait", scopes=ALL), box.enter("Rival", scopes=ALL)
        made = await krait.post("/api/challenge/rival", {"clock.limit": "60", "clock.increment": "1"})
        path = f"/api/challenge/{made.body['id']}"
        listed = (await rival.get("/api/challenge")).body
        assert [each["id"] for each in listed["in"]] == [made.body["id"]]
        assert said(await krait.post(f"{path}/cancel")) == OK
        assert said(await rival.post(f"{path}/accept")) == error("The challenge has been canceled.")
        assert (await rival.get(f"{path}/show")).body["status"] == "canceled"

    run(story)


def test_a_challenge_nobody_answers_expires_without_an_event() -> None:
    async def story(box: Box) -> None:
        krait, rival = box.enter("Krait", scopes=ALL), box.enter("Rival", scopes=ALL)
        made = await krait.post("/api/challenge/rival", {"clock.limit": "60", "clock.increment": "1"})
        box.advance(25_000)
        assert (await krait.get(f"/api/challenge/{made.body['id']}/show")).body["status"] == "offline"
        assert (await rival.get("/api/challenge")).body["in"] == []

    run(story)


def test_the_ai_is_challenged_and_the_game_is_there_at_once() -> None:
    async def story(box: Box) -> None:
        krait = box.enter("Krait")
        form = {"level": "3", "clock.limit": "60", "clock.increment": "1", "color": "white"}
        reply = await krait.post("/api/challenge/ai", form)
        assert reply.status == 201
        async with krait.game(reply.body["id"]) as lines:
            assert (await lines.next())["black"] == {"aiLevel": 3}
        assert said(await krait.move(reply.body["id"], "e2e4")) == OK
        assert (await krait.post("/api/challenge/ai", form | {"level": "9"})).status == 400

    run(story)


def test_an_open_challenge_has_an_address_for_each_side() -> None:
    async def story(box: Box) -> None:
        reply = await box.anyone.post("/api/challenge/open", {"clock.limit": "60", "clock.increment": "1"})
        assert reply.status == 200
        assert reply.body["urlWhite"] == f"{box.url}/{reply.body['id']}?color=white"

    run(story)


def test_an_account_without_games_becomes_a_bot_once() -> None:
    async def story(box: Box) -> None:
        human = box.enter("Human", title=None)
        assert "title" not in (await human.get("/api/account")).body
        assert said(await human.post("/api/bot/account/upgrade")) == OK
        assert (await human.get("/api/account")).body["title"] == "BOT"

    run(story)


def test_who_plays_and_who_is_online_is_public() -> None:
    async def story(box: Box) -> None:
        krait, _, game = pair(box)
        box.world.accounts.require("krait").bio = "I am a snake."
        playing = (await krait.get("/api/account/playing?nb=50")).body
        assert [each["gameId"] for each in playing["nowPlaying"]] == [game]
        assert playing["nbMyTurn"] == 1
        async with krait.events() as lines:
            await lines.next()
            status = (await box.anyone.get("/api/users/status?ids=krait,RIVAL,nobody&withGameIds=true")).body
            assert [each["id"] for each in status] == ["krait", "rival"]
            assert (status[0]["online"], status[0]["playingId"]) == (True, game)
            online = await box.anyone.get("/api/bot/online?nb=512")
            assert online.headers["Content-Type"].startswith("application/x-ndjson")
            assert online.raw.count(b"\n") == 1
        assert (await box.anyone.get("/api/user/krait")).body["username"] == "Krait"
        assert (await box.anyone.get("/api/user/nobody")).status == 404
        users = await box.anyone.ask("POST", "/api/users", data=b"krait, rival,nobody")
        assert [each["id"] for each in users.body] == ["krait", "rival"]
        assert "nbGames" in (await box.anyone.get("/api/crosstable/krait/rival")).body

    run(story)


def test_a_game_is_exported_as_pgn_and_as_json() -> None:
    async def story(box: Box) -> None:
        _, _, game = pair(box)
        box.play(game, "f2f3", "e7e5", "g2g4", "d8h4")
        pgn = await box.anyone.get(f"/game/export/{game}")
        assert pgn.headers["Content-Type"].startswith("application/x-chess-pgn")
        assert b"Qh4#" in pgn.raw
        data = await box.anyone.get(f"/game/export/{game}", headers={"Accept": "application/json"})
        assert (data.body["id"], data.body["status"], data.body["winner"]) == (game, "mate", "black")
        many = await box.anyone.get("/api/games/user/krait", headers={"Accept": "application/x-ndjson"})
        assert many.raw.count(b"\n") == 1
        ids = await box.anyone.ask("POST", "/api/games/export/_ids", data=f"{game},nothing1".encode())
        assert ids.raw.count(b"[Event ") == 1
        assert (await box.anyone.get("/game/export/nothing1")).status == 404

    run(story)


def test_relations_and_messages_are_taken() -> None:
    async def story(box: Box) -> None:
        krait, _, game = pair(box)
        assert said(await krait.post("/api/rel/block/rival")) == OK
        assert (await krait.post("/api/rel/block/nobody")).status == 404
        assert said(await krait.post("/inbox/rival", {"text": "hello"})) == OK
        assert (await krait.post("/inbox/rival", {})).status == 400
        assert (await krait.get("/__ping")).status == 200
        assert (await krait.get(f"/api/game/{game}/chat")).body == []

    run(story)


def test_time_is_given_to_the_opponent_within_bounds() -> None:
    async def story(box: Box) -> None:
        krait, _, game = pair(box)
        box.play(game, "e2e4", "e7e5")
        async with krait.game(game) as lines:
            had_ms = (await lines.next())["state"]["btime"]
            for seconds, given_s in (("15", 15), ("999", 60), ("-3", 5)):
                assert said(await krait.post(f"/api/round/{game}/add-time/{seconds}")) == OK
                now_ms = (await lines.until("gameState"))["btime"]
                assert now_ms == had_ms + given_s * 1000
                had_ms = now_ms
        refused = error("Cannot parse parameter seconds as Int: x")
        assert said(await krait.post(f"/api/round/{game}/add-time/x")) == refused

    run(story)


LIMITED = error("Too many requests. Try again later.", 429)


def test_the_event_stream_is_opened_thirty_times_in_ten_minutes() -> None:
    async def story(box: Box) -> None:
        bot = box.enter("Krait")
        for _ in range(30):
            async with bot.events():
                pass
        assert said(await bot.get("/api/stream/event")) == LIMITED
        box.advance(600_000)
        async with bot.events():
            pass

    run(story, limited=True)


def test_the_account_is_asked_for_thirty_times_in_five_minutes() -> None:
    async def story(box: Box) -> None:
        bot = box.enter("Krait")
        replies = [await bot.get("/api/account") for _ in range(31)]
        assert [reply.status for reply in replies] == [200] * 30 + [429]

    run(story, limited=True)


@pytest.mark.parametrize(("title", "passed"), [("BOT", 25), (None, 5)])
def test_a_human_costs_five_times_as_much_to_challenge_as_a_bot(title: str | None, passed: int) -> None:
    async def story(box: Box) -> None:
        bot = box.enter("Krait")
        box.enter("Other", title=title)
        statuses = []
        for _ in range(passed + 1):
            reply = await bot.post("/api/challenge/other", {"clock.limit": "60", "clock.increment": "1"})
            statuses.append(reply.status)
            if reply.status == 200:
                await bot.post(f"/api/challenge/{reply.body['id']}/cancel")
        assert statuses == [200] * passed + [429]

    run(story, limited=True)


def test_the_ai_is_challenged_five_times_a_minute() -> None:
    async def story(box: Box) -> None:
        bot = box.enter("Krait")
        form = {"level": "1", "clock.limit": "60", "clock.increment": "1"}
        statuses = [(await bot.post("/api/challenge/ai", form)).status for _ in range(6)]
        assert statuses == [201] * 5 + [429]

    run(story, limited=True)


def test_an_arena_is_joined_thirty_times_in_ten_minutes() -> None:
    async def story(box: Box) -> None:
        bot = box.enter("Krait")
        arena = box.world.arenas.create("Cup", BLITZ, bots=True, starts_in_ms=3_600_000).id
        statuses = [(await bot.post(f"/api/tournament/{arena}/join")).status for _ in range(31)]
        assert statuses == [200] * 30 + [429]
        assert said(await bot.post(f"/api/tournament/{arena}/withdraw")) == OK

    run(story, limited=True)


def test_a_cloud_evaluation_costs_two_points_of_three_thousand_a_day_and_one_with_a_token() -> None:
    async def story(box: Box) -> None:
        bot = box.enter("Krait")
        path = "/api/cloud-eval?fen=8/8/8/8/8/8/8/8"
        box.site.limits.charge("cloud-eval.api.ip", "127.0.0.1", 2997)
        statuses = [(await client.get(path)).status for client in (bot, box.anyone, bot)]
        assert statuses == [404, 404, 429]
        box.advance(86_400_000)
        assert (await bot.get(path)).status == 404

    run(story, limited=True)
