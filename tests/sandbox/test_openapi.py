"""What the sandbox answers validates against Lichess's own description of its API, where that is at hand.

Where the real server departs from the description, so does the sandbox; each such place is named here (GAPS)
and forgiven nowhere else.
"""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.sandbox.serving import BLITZ, Box, Client, run

jsonschema = pytest.importorskip("jsonschema")
referencing = pytest.importorskip("referencing")

SPEC = Path(__file__).parents[3] / "shared" / "lichess-openapi.json"
pytestmark = pytest.mark.skipif(not SPEC.exists(), reason="the description of Lichess's API is not here")

URN = "urn:lichess"
NDJSON = "application/x-ndjson"
JSON = "application/json"
EVENTS = {
    "gameStart": "GameStartEvent",
    "gameFinish": "GameFinishEvent",
    "challenge": "ChallengeEvent",
    "challengeCanceled": "ChallengeCanceledEvent",
    "challengeDeclined": "ChallengeDeclinedEvent",
    "gameFull": "GameFullEvent",
    "gameState": "GameStateEvent",
    "chatLine": "ChatLineEvent",
    "opponentGone": "OpponentGoneEvent",
}
ALL = ("bot:play", "challenge:read", "challenge:write")

Gap = Callable[[Any], bool]
GAPS: dict[str, Gap] = {  # how the validator complains where lila departs from its description
    "status of a game being played is an object": lambda e: (
        "nowPlaying" in e.absolute_path
        and e.absolute_path[-1] == "status"
        and set(e.instance) == {"id", "name"}
    ),
    "the AI has a level and nothing else": lambda e: set(e.instance) == {"aiLevel"},
    "what is played is an object when its metas are asked for": lambda e: (
        e.absolute_path[-1] == "playing" and "clock" in e.instance
    ),
}


@cache
def _registry() -> Any:
    contents = json.loads(SPEC.read_text(encoding="utf-8"))
    resource = referencing.Resource.from_contents(
        contents, default_specification=referencing.jsonschema.DRAFT202012
    )
    return referencing.Registry().with_resource(URN, resource)


def complaints(data: Any, pointer: str) -> list[Any]:
    schema = {"$ref": f"{URN}#{pointer}"}
    return list(jsonschema.Draft202012Validator(schema, registry=_registry()).iter_errors(data))


def valid(data: Any, pointer: str, *gaps: str) -> None:
    """No complaint but those of the gaps named, each of which must be there."""
    found = complaints(data, pointer)
    left = [error for error in found if not any(GAPS[gap](error) for gap in gaps)]
    assert not left, "\n".join(f"{list(error.absolute_path)}: {error.message}" for error in left)
    for gap in gaps:
        assert any(GAPS[gap](error) for error in found), f"no longer a gap: {gap}"


def answer_of(path: str, method: str = "get", status: int = 200, kind: str = JSON) -> str:
    """Where the description keeps the schema of an answer."""
    parts = ("paths", path, method, "responses", str(status), "content", kind, "schema")
    return "".join(f"/{part.replace('~', '~0').replace('/', '~1')}" for part in parts)


def valid_event(event: dict[str, Any], *gaps: str) -> None:
    valid(event, f"/components/schemas/{EVENTS[event['type']]}", *gaps)


def pair(box: Box) -> tuple[Client, Client]:
    return box.enter("Krait", scopes=ALL), box.enter("Rival", scopes=ALL)


@pytest.mark.parametrize(
    "form",
    [
        BLITZ,
        {"days": 2},
        {},
        BLITZ | {"variant": "chess960"},
        BLITZ | {"variant": "crazyhouse", "rated": "true"},
        BLITZ | {"variant": "fromPosition", "fen": "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"},
    ],
)
def test_every_line_of_the_event_stream(form: dict[str, Any]) -> None:
    async def story(box: Box) -> None:
        krait, rival = pair(box)
        async with krait.events() as lines:
            first = box.world.lobby.create("rival", "Krait", form | {"color": "white"})["id"]
            box.world.lobby.decline(first, "krait", "tooSlow")
            second = box.world.lobby.create("rival", "Krait", form)["id"]
            box.world.lobby.cancel(second, "rival")
            third = box.world.lobby.create("krait", "Rival", form)["id"]
            box.world.lobby.accept(third, "rival")
            match = box.world.games.get(third)
            box.play(third, next(iter(match.board.legal_moves)).uci())
            box.world.games.abort(third, "krait")
            kinds: list[str] = []
            while kinds[-1:] != ["gameFinish"]:
                event = await lines.next()
                kinds.append(event["type"])
                valid_event(event)
            assert set(kinds) == {
                "challenge",
                "challengeDeclined",
                "challengeCanceled",
                "gameStart",
                "gameFinish",
            }
        assert rival

    run(story)


def test_every_line_of_a_replay() -> None:
    async def story(box: Box) -> None:
        krait, _ = pair(box)
        box.start("Krait", "Rival")
        box.world.lobby.create("rival", "Krait", BLITZ)
        async with krait.events() as lines:
            for kind in ("gameStart", "challenge"):
                event = await lines.next()
                assert event["type"] == kind
                valid_event(event)

    run(story)


def test_every_line_of_a_game_stream() -> None:
    async def story(box: Box) -> None:
        krait, _ = pair(box)
        game = box.start("Krait", "Rival")
        async with krait.game(game) as lines:
            box.world.games.say(game, "rival", {"room": "player", "text": "good luck"})
            box.play(game, "e2e4", "e7e5")
            box.world.games.draw(game, "rival", accept=True)
            box.play(game, "g1f3")
            for _ in range(4):
                box.advance(5_000)
            box.play(game, "b8c6")
            box.world.games.resign(game, "krait")
            events = await lines.rest()
            for event in events:
                valid_event(event)
            kinds = {event["type"] for event in events}
            assert kinds == {"gameFull", "gameState", "chatLine", "opponentGone"}

    run(story)


@pytest.mark.parametrize(
    "form", [{"days": "3"}, {}, {"clock.limit": "60", "clock.increment": "0", "variant": "atomic"}]
)
def test_a_game_with_any_clock_or_none(form: dict[str, str]) -> None:
    async def story(box: Box) -> None:
        krait, _ = pair(box)
        challenge = box.world.lobby.create("krait", "Rival", form)
        box.world.lobby.accept(challenge["id"], "rival")
        async with krait.game(challenge["id"]) as lines:
            valid_event(await lines.next())

    run(story)


def test_the_ais_seat_is_one_the_description_does_not_know() -> None:
    async def story(box: Box) -> None:
        krait, _ = pair(box)
        form = {"level": "3", "clock.limit": "60", "clock.increment": "1", "color": "white"}
        reply = await krait.post("/api/challenge/ai", form)
        valid(reply.body, answer_of("/api/challenge/ai", "post", 201))
        async with krait.game(reply.body["id"]) as lines:
            valid_event(await lines.next(), "the AI has a level and nothing else")

    run(story)


def test_challenges_as_answers() -> None:
    async def story(box: Box) -> None:
        krait, rival = pair(box)
        made = await krait.post("/api/challenge/rival", {"clock.limit": "60", "clock.increment": "1"})
        valid(made.body, answer_of("/api/challenge/{username}", "post"))
        valid(
            (await krait.get(f"/api/challenge/{made.body['id']}/show")).body,
            answer_of("/api/challenge/{challengeId}/show"),
        )
        for client in (krait, rival):
            valid((await client.get("/api/challenge")).body, answer_of("/api/challenge"))
        opened = await krait.post("/api/challenge/open", {"clock.limit": "60", "clock.increment": "1"})
        valid(opened.body, answer_of("/api/challenge/open", "post"))
        accepted = await rival.post(f"/api/challenge/{made.body['id']}/accept")
        valid(accepted.body, answer_of("/api/challenge/{challengeId}/accept", "post"))
        unknown = await rival.post("/api/challenge/nothing1/accept")
        valid(unknown.body, answer_of("/api/challenge/{challengeId}/accept", "post", 404))
        refused = await krait.post("/api/challenge/krait", {})
        valid(refused.body, answer_of("/api/challenge/{username}", "post", 400))

    run(story)


def test_what_is_said_of_accounts_and_users() -> None:
    async def story(box: Box) -> None:
        krait, _ = pair(box)
        box.enter("Human", title=None)
        box.start("Krait", "Rival")
        valid((await krait.get("/api/account")).body, answer_of("/api/account"))
        playing = (await krait.get("/api/account/playing")).body
        valid(playing, answer_of("/api/account/playing"), "status of a game being played is an object")
        for name in ("krait", "human"):
            valid((await krait.get(f"/api/user/{name}")).body, answer_of("/api/user/{username}"))
        users = await krait.ask("POST", "/api/users", data=b"krait,rival,human")
        valid(users.body, answer_of("/api/users", "post"))
        status = "/api/users/status?ids=krait,rival,human"
        plain = await krait.get(f"{status}&withSignal=true&withGameIds=true")
        valid(plain.body, answer_of("/api/users/status"))
        metas = await krait.get(f"{status}&withGameMetas=true")
        gap = "what is played is an object when its metas are asked for"
        valid(metas.body, answer_of("/api/users/status"), gap)
        async with krait.events() as lines:
            await lines.next()
            online = (await krait.get("/api/bot/online")).raw.splitlines()
            assert online
            for line in online:
                valid(json.loads(line), answer_of("/api/bot/online", kind=NDJSON))
        tested = await krait.ask("POST", "/api/token/test", data=f"{krait.token},none".encode())
        valid(tested.body, answer_of("/api/token/test", "post"))
        valid(
            (await krait.get("/api/crosstable/krait/rival")).body,
            answer_of("/api/crosstable/{user1}/{user2}"),
        )

    run(story)


def test_games_as_they_are_exported_and_watched() -> None:
    async def story(box: Box) -> None:
        krait, _ = pair(box)
        game = box.start("Krait", "Rival")
        async with krait.stream(f"/api/stream/game/{game}") as lines:
            box.play(game, "f2f3", "e7e5", "g2g4", "d8h4")
            for line in await lines.rest():
                valid(line, "/components/schemas/MoveStreamEntry")
        for path in (f"/game/export/{game}", f"/game/export/{game}?clocks=true&pgnInJson=true"):
            data = await krait.get(path, headers={"Accept": JSON})
            valid(data.body, "/components/schemas/GameJson")
        games = await krait.get("/api/games/user/krait", headers={"Accept": NDJSON})
        for each in games.raw.splitlines():
            valid(json.loads(each), "/components/schemas/GameJson")

    run(story)


def test_what_a_bot_does_in_a_game_is_answered_with_ok_or_an_error() -> None:
    async def story(box: Box) -> None:
        krait, _ = pair(box)
        game = box.start("Krait", "Rival")
        api = "/api/bot/game/{gameId}"
        moved = await krait.move(game, "e2e4")
        valid(moved.body, answer_of(f"{api}/move/{{move}}", "post"))
        valid((await krait.move(game, "e2e4")).body, answer_of(f"{api}/move/{{move}}", "post", 400))
        form = {"room": "player", "text": "hello"}
        valid((await krait.post(f"/api/bot/game/{game}/chat", form)).body, answer_of(f"{api}/chat", "post"))
        chat = (await krait.get(f"/api/bot/game/{game}/chat")).body
        valid(chat, "/components/schemas/PlayerGameChat")
        for deed in ("abort", "resign"):
            reply = await krait.post(f"/api/bot/game/{game}/{deed}")
            valid(reply.body, answer_of(f"{api}/{deed}", "post", reply.status))

    run(story)


def test_arenas_teams_and_evaluations() -> None:
    async def story(box: Box) -> None:
        krait, rival = pair(box)
        arenas, teams = box.world.arenas, box.world.teams
        teams.create("The Team", description="for all", leader_id="krait")
        arena = arenas.create("Cup", BLITZ, bots=True, minutes=20, starts_in_ms=5_000, team_id="the-team")
        path, where = f"/api/tournament/{arena.id}", "/api/tournament/{id}"
        valid((await rival.get(path)).body, answer_of(where))
        refused = await rival.post(f"{path}/join")
        valid(refused.body, answer_of(f"{where}/join", "post", 400))
        teams.join("the-team", "rival")
        async with krait.events() as lines, rival.events():
            for client in (krait, rival):
                valid((await client.post(f"{path}/join")).body, answer_of(f"{where}/join", "post"))
            box.advance(5_000)
            start = await lines.until("gameStart")
            valid_event(start)
            async with krait.game(start["game"]["id"]) as game:
                valid_event(await game.next())
            valid((await krait.get(path)).body, answer_of(where))
            box.world.games.resign(start["game"]["id"], "krait")
            valid_event(await lines.until("gameFinish"))
            box.advance(20 * 60_000)
            valid((await krait.get(path)).body, answer_of(where))
        for user in (await krait.get("/api/team/the-team/users")).raw.splitlines():
            valid(json.loads(user), answer_of("/api/team/{teamId}/users", kind=NDJSON))
        valid((await krait.get("/api/team/of/krait")).body, answer_of("/api/team/of/{username}"))
        valid((await krait.get("/api/team/the-team")).body, answer_of("/api/team/{teamId}"))
        fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
        valid((await krait.get("/api/cloud-eval", params={"fen": fen})).body, answer_of("/api/cloud-eval"))
        unknown = await krait.get("/api/cloud-eval", params={"fen": "8/8/8/8/8/8/8/8"})
        valid(unknown.body, answer_of("/api/cloud-eval", status=404))

    run(story)


def test_many_games_on_one_stream_and_imported_ones() -> None:
    async def story(box: Box) -> None:
        pair(box)
        async with box.anyone.stream("/api/stream/games-by-users", "POST", data=b"krait,rival") as lines:
            game = box.start("Krait", "Rival")
            box.play(game, "f2f3", "e7e5", "g2g4", "d8h4")
            for _ in range(2):
                valid(await lines.next(), "/components/schemas/GameStreamGame")
        made = await box.anyone.post("/api/import", {"pgn": "1. e4 e5 1-0"})
        valid(made.body, answer_of("/api/import", "post"))

    run(story)
