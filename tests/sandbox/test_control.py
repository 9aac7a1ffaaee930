"""The control API: off unless asked for; then accounts, challenges, faults, time, figures, the world."""

import asyncio
import json
from typing import Any

import aiohttp
import pytest

from bot.sandbox.clock import wall_ms
from bot.sandbox.world import World
from tests.sandbox.serving import BLITZ, PATIENCE_S, Box, Client, Reply, run

TORN = (aiohttp.ClientError, ConnectionError)


async def tell(box: Box, path: str, data: Any = None, method: str = "POST") -> Reply:
    return await box.anyone.ask(method, f"/sandbox{path}", json={} if data is None else data)


@pytest.mark.parametrize("path", ["", "/accounts", "/faults", "/clock", "/measurements", "/games", "/world"])
def test_it_is_not_there_unless_asked_for(path: str) -> None:
    async def story(box: Box) -> None:
        assert (await box.anyone.get(f"/sandbox{path}")).status == 404

    run(story)


def test_accounts_and_tokens_are_made_and_used() -> None:
    async def story(box: Box) -> None:
        made = await tell(
            box, "/accounts", {"name": "Krait", "title": "BOT", "bio": "a snake", "token": "lip_krait"}
        )
        assert made.status == 201
        assert made.body["token"] == "lip_krait"  # noqa: S105  a made-up one
        account = await Client(box.http, "lip_krait").get("/api/account")
        assert account.body["title"] == "BOT"
        second = await tell(box, "/tokens", {"user": "krait", "scopes": ["challenge:read"]})
        assert (await Client(box.http, second.body["token"]).get("/api/challenge")).status == 200
        assert (await tell(box, f"/tokens/{second.body['token']}", method="DELETE")).status == 200
        assert (await Client(box.http, second.body["token"]).get("/api/challenge")).status == 401
        assert [each["id"] for each in (await box.anyone.get("/sandbox/accounts")).body] == ["krait"]

    run(story, control=True)


@pytest.mark.parametrize(
    "data",
    [
        {}, {"name": 1}, {"name": ""}, {"name": "a b"}, {"name": "okay", "rating": "high"},
        {"name": "okay", "scopes": "all"}, {"name": "okay", "scopes": ["nonsense"]},
        {"name": "okay", "scopes": [[]]}, {"name": "okay", "token": "a b"},
    ],
)  # fmt: skip
def test_an_account_that_cannot_be_is_refused_with_a_reason(data: dict[str, Any]) -> None:
    async def story(box: Box) -> None:
        reply = await tell(box, "/accounts", data)
        assert (reply.status, type(reply.body["error"])) == (400, str)
        assert box.world.accounts.all() == []

    run(story, control=True)


def test_a_token_that_is_taken_makes_no_account() -> None:
    async def story(box: Box) -> None:
        taken = box.enter("Krait").token
        reply = await tell(box, "/accounts", {"name": "Other", "token": taken})
        assert (reply.status, reply.body) == (400, {"error": "that token is taken"})
        assert (await box.anyone.get("/api/user/other")).status == 404

    run(story, control=True)


def test_a_challenge_comes_from_a_named_opponent() -> None:
    async def story(box: Box) -> None:
        krait = box.enter("Krait")
        box.enter("Rival")
        async with krait.events() as lines:
            made = await tell(box, "/challenges", {"from": "Rival", "to": "Krait", **BLITZ, "color": "white"})
            assert made.status == 201
            event = await lines.next()
            assert event["challenge"]["challenger"]["id"] == "rival"
        missing = await tell(box, "/challenges", {"from": "Nobody", "to": "Krait"})
        assert missing.status == 404

    run(story, control=True)


def test_a_rematch_is_offered_by_the_human() -> None:
    async def story(box: Box) -> None:
        krait = box.enter("Krait")
        box.enter("Human", title=None)
        game = box.start("Human", "Krait")
        box.play(game, "f2f3", "e7e5", "g2g4", "d8h4")
        async with krait.events() as lines:
            assert (await tell(box, f"/games/{game}/rematch", {"from": "Human"})).status == 201
            offer = (await lines.until("challenge"))["challenge"]
            assert offer["rematchOf"] == game
            assert (await krait.post(f"/api/challenge/{offer['id']}/accept")).body == {"ok": True}
            assert (await lines.until("gameStart"))["game"]["color"] == "white"

    run(story, control=True)


def test_a_fault_set_at_run_time_strikes_a_stream_that_is_already_open() -> None:
    async def story(box: Box) -> None:
        krait = box.enter("Krait")
        async with krait.events() as lines:
            assert (await tell(box, "/faults", {"kind": "drop", "on": "event"})).body == {"number": 1}
            assert await lines.rest() == []
        async with krait.events() as lines:
            await tell(box, "/faults", {"kind": "drop", "on": "event", "how": "reset", "user": "krait"})
            with pytest.raises(TORN):
                await lines.raw()

    run(story, control=True)


def test_faults_are_listed_taken_back_and_cleared() -> None:
    async def story(box: Box) -> None:
        for code in (502, 503):
            await tell(box, "/faults", {"kind": "status", "on": "*", "code": code, "times": 0})
        listed = (await box.anyone.get("/sandbox/faults")).body
        assert [(each["number"], each["code"], each["left"]) for each in listed] == [
            (1, 502, None),
            (2, 503, None),
        ]
        krait = box.enter("Krait")
        assert (await krait.get("/api/account")).status == 502
        assert (await tell(box, "/faults/1", method="DELETE")).status == 200
        assert (await tell(box, "/faults/1", method="DELETE")).status == 404
        assert (await krait.get("/api/account")).status == 503
        assert (await tell(box, "/faults", method="DELETE")).status == 200
        assert (await krait.get("/api/account")).status == 200

    run(story, control=True)


@pytest.mark.parametrize(
    "data", [{}, {"kind": "x"}, {"kind": "drop", "after": "3"}, {"kind": "status", "code": 200}]
)
def test_a_fault_that_makes_no_sense_is_refused(data: dict[str, Any]) -> None:
    async def story(box: Box) -> None:
        assert (await tell(box, "/faults", data)).status == 400

    run(story, control=True)


def test_time_is_advanced_frozen_and_let_go() -> None:
    async def story(box: Box) -> None:
        krait = box.enter("Krait")
        box.enter("Rival")
        game = box.start("Krait", "Rival")
        box.play(game, "e2e4", "e7e5")
        before = (await box.anyone.get("/sandbox/clock")).body
        assert before["frozen"] is False
        moved = (await tell(box, "/clock", {"frozen": True, "advanceMs": 5_000})).body
        assert moved == {"nowMs": before["nowMs"] + 5_000, "frozen": True}
        async with krait.game(game) as lines:
            assert (await lines.next())["state"]["wtime"] == 175_000
            assert (await tell(box, "/clock", {"frozen": False, "advanceMs": 180_000})).body[
                "frozen"
            ] is False
            assert (await lines.rest())[-1]["status"] == "outoftime"
        for wrong in ({"advanceMs": -1}, {"advanceMs": "x"}, {"frozen": 1}, {"advanceMs": 10**12}):
            assert (await tell(box, "/clock", wrong)).status == 400

    run(story, control=True)


def test_a_restart_tears_streams_and_keeps_games() -> None:
    async def story(box: Box) -> None:
        krait = box.enter("Krait")
        box.enter("Rival")
        game = box.start("Krait", "Rival")
        async with krait.game(game) as lines:
            await lines.next()
            assert (await tell(box, "/restart")).status == 200
            with pytest.raises(TORN):
                await lines.rest()
        async with krait.game(game) as lines:
            assert (await lines.next())["id"] == game
        await tell(box, "/down")
        assert (await krait.get("/api/account")).status == 502
        summary = (await box.anyone.get("/sandbox")).body
        assert (summary["isDown"], summary["ongoing"]) == (True, 1)
        assert summary["endpoints"]["move"] == "POST /api/bot/game/{game_id}/move/{uci}"
        await tell(box, "/up")
        assert (await krait.get("/api/account")).status == 200
        assert (await tell(box, "/restart", {"downMs": "long"})).status == 400

    run(story, control=True)


def test_the_figures_are_read_and_reset() -> None:
    async def story(box: Box) -> None:
        krait = box.enter("Krait")
        box.enter("Rival")
        game = box.start("Krait", "Rival")
        async with krait.game(game) as lines:
            await lines.next()
            await krait.move(game, "e2e4")
            await krait.move(game, "d2d4")
        figures = (await box.anyone.get("/sandbox/measurements")).body
        assert figures["requests"]["move"] == 2
        assert figures["latency"]["krait"]["count"] == 1
        assert figures["streams"]["opened"] == {"game": 1}
        assert figures["illegal"][0]["reason"] == "Not your turn, or game already over"
        moves = (await box.anyone.get("/sandbox/measurements/Krait")).body
        assert [(each["game"], each["ply"], each["uci"]) for each in moves] == [(game, 0, "e2e4")]
        await tell(box, "/measurements", method="DELETE")
        assert (await box.anyone.get("/sandbox/measurements")).body["illegal"] == []

    run(story, control=True)


def test_games_are_listed_and_exported() -> None:
    async def story(box: Box) -> None:
        box.enter("Krait")
        box.enter("Rival")
        game = box.start("Krait", "Rival")
        box.play(game, "f2f3", "e7e5", "g2g4", "d8h4")
        listed = (await box.anyone.get("/sandbox/games")).body
        assert [(each["id"], each["white"], each["status"], each["winner"]) for each in listed] == [
            (game, "Krait", "mate", "black")
        ]
        assert (await box.anyone.get(f"/sandbox/games/{game}")).body == listed[0]
        assert b"Qh4#" in (await box.anyone.get("/sandbox/games.pgn")).raw
        assert (await box.anyone.get("/sandbox/games/nothing1")).status == 404

    run(story, control=True)


def test_a_saved_world_takes_the_place_of_another_and_games_go_on() -> None:
    async def story(box: Box) -> None:
        krait, rival = box.enter("Krait"), box.enter("Rival")
        game = box.start("Krait", "Rival")
        box.play(game, "e2e4", "e7e5")
        saved = (await box.anyone.get("/sandbox/world")).raw
        heard: list[object] = []
        undo = box.site.subscribe_world(heard.append)
        box.play(game, "g1f3")
        async with krait.game(game) as lines:
            assert (await lines.next())["state"]["moves"] == "e2e4 e7e5 g1f3"
            assert (await box.anyone.ask("PUT", "/sandbox/world", data=saved)).body == {"ok": True}
            with pytest.raises(TORN):
                await lines.rest()
        assert heard == [box.site.world]
        undo()
        async with krait.game(game) as lines:
            assert (await lines.next())["state"]["moves"] == "e2e4 e7e5"
            assert (await krait.move(game, "d2d4")).body == {"ok": True}
            assert (await rival.move(game, "d7d5")).body == {"ok": True}

    run(story, control=True)


def test_time_runs_in_a_world_that_was_loaded_though_nobody_asks_anything() -> None:
    async def story(box: Box) -> None:
        box.enter("Krait")
        box.enter("Rival")
        game = box.start("Krait", "Rival")
        box.play(game, "e2e4", "e7e5")
        box.site.jump(179_500)
        saved = box.world.save()
        box.world.games.resign(game, "krait")
        over = asyncio.Event()

        def watch(world: World) -> None:
            world.subscribe_all(lambda kind, _: over.set() if kind == "gameFinish" else None)

        box.site.subscribe_world(watch)
        assert (await box.anyone.ask("PUT", "/sandbox/world", json=saved)).status == 200
        async with asyncio.timeout(PATIENCE_S):
            await over.wait()
        assert box.site.world.games.get(game).status.label == "outoftime"

    run(story, control=True, source=wall_ms)


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"{}", b"null", b'{"accounts": 3}', b"\xff"])
def test_what_is_no_world_is_refused_and_the_old_one_stays(raw: bytes) -> None:
    async def story(box: Box) -> None:
        krait = box.enter("Krait")
        reply = await box.anyone.ask("PUT", "/sandbox/world", data=raw)
        assert (reply.status, "error" in reply.body) == (400, True)
        assert (await krait.get("/api/account")).status == 200

    run(story, control=True)


def test_no_fault_strikes_the_control_api() -> None:
    async def story(box: Box) -> None:
        await tell(box, "/faults", {"kind": "status", "on": "*", "times": 0})
        replies = await asyncio.gather(
            *(box.anyone.get(f"/sandbox{path}") for path in ("", "/faults", "/world"))
        )
        assert {reply.status for reply in replies} == {200}
        assert json.loads(replies[2].raw)

    run(story, control=True)


def test_an_arena_is_made_opened_to_bots_and_played() -> None:
    async def story(box: Box) -> None:
        krait, rival = box.enter("Krait"), box.enter("Rival")
        form = {"name": "Cup", "clock.limit": 60, "clock.increment": 0, "minutes": 5, "bots": False}
        arena = (await tell(box, "/arenas", form)).body["id"]
        path = f"/api/tournament/{arena}"
        assert (await krait.post(f"{path}/join")).body == {"error": "Tournament restrictions"}
        assert (await tell(box, f"/arenas/{arena}", {"bots": True})).status == 200
        async with krait.events() as mine, rival.events() as theirs:
            assert (await krait.post(f"{path}/join")).status == 200
            assert (await tell(box, f"/arenas/{arena}/players", {"user": "rival"})).status == 200
            game = (await mine.until("gameStart"))["game"]
            assert (game["source"], game["tournamentId"]) == ("arena", arena)
            assert (await theirs.until("gameStart"))["game"]["id"] == game["id"]
            async with krait.game(game["id"]) as lines:
                full = await lines.next()
                assert full["tournamentId"] == arena
                assert full["state"]["expiration"]["millisToMove"] == 16_000
        listed = (await box.anyone.get("/sandbox/arenas")).body
        assert (listed[0]["players"], len(listed[0]["games"])) == (["krait", "rival"], 1)

    run(story, control=True)


def test_a_team_is_made_and_joined() -> None:
    async def story(box: Box) -> None:
        box.enter("Krait")
        made = await tell(box, "/teams", {"name": "The Team", "leader": "krait"})
        assert (made.status, made.body["id"]) == (201, "the-team")
        box.enter("Rival")
        assert (await tell(box, "/teams/the-team/members", {"user": "rival"})).status == 200
        users = (await box.anyone.get("/api/team/the-team/users")).raw.splitlines()
        assert {json.loads(line)["id"] for line in users} == {"krait", "rival"}
        assert (await tell(box, "/teams", {"name": "the team"})).status == 400

    run(story, control=True)


def test_an_evaluation_is_added_and_found() -> None:
    async def story(box: Box) -> None:
        fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
        pvs = [{"moves": "e2e4 e8e7", "cp": 250}]
        assert (await tell(box, "/cloud", {"fen": fen, "pvs": pvs, "depth": 30, "knodes": 5})).status == 200
        found = await box.anyone.get("/api/cloud-eval", params={"fen": fen})
        assert found.body == {"fen": fen, "knodes": 5, "depth": 30, "pvs": pvs}

    run(story, control=True)


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("/arenas", {}),
        ("/arenas", {"clock.limit": 60, "clock.increment": 0, "minutes": 0}),
        ("/arenas", {"clock.limit": 60, "clock.increment": 0, "bots": "yes"}),
        ("/teams", {}),
        ("/teams", {"name": "…"}),
        ("/cloud", {"fen": "x", "pvs": []}),
        ("/cloud", {"fen": "x", "pvs": [1]}),
        ("/cloud", {"fen": "x", "pvs": [], "depth": 0}),
    ],
)
def test_what_cannot_be_made_is_refused_with_a_reason(path: str, data: dict[str, Any]) -> None:
    async def story(box: Box) -> None:
        reply = await tell(box, path, data)
        assert reply.status == 400
        assert reply.body["error"]

    run(story, control=True)
