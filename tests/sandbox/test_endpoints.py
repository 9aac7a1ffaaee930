"""Every route a bot uses, asked once over the wire and held against what Lichess is described to answer.

What needs more than one question to be seen has tests elsewhere.
"""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from tests.sandbox.serving import ALL, BLITZ, NOT_A_BOT, Box, Client, Reply, error, run, said

Check = Callable[[Reply], object]
OK = (200, {"ok": True})
FORM = {"clock.limit": "180", "clock.increment": "2"}
PGN = '[White "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 1-0\n'


class Row(NamedTuple):
    """`who` asks (krait, rival, human, anyone); holes are filled: {game} runs, {ours} and {theirs} wait."""

    who: str
    method: str
    path: str
    expected: tuple[int, Any] | Check
    body: Any = None


def has(code: int, *names: str, **values: Any) -> Check:
    """An object (or the first line or element) with these fields."""

    def check(reply: Reply) -> object:
        assert reply.status == code, reply
        found = reply.body if reply.body is not None else json.loads(reply.raw.splitlines()[0])
        first = found[0] if isinstance(found, list) else found
        assert all(name in first for name in names), first
        assert {name: first.get(name) for name in values} == values
        return first

    return check


def form_error(*fields: str) -> Check:
    """Errors of a form stand under `error`, as an object, and beside it."""

    def check(reply: Reply) -> object:
        assert reply.status == 400
        assert set(reply.body) == {"error", *fields}
        assert set(reply.body["error"]) == set(fields)
        return reply

    return check


def kind(status: int, content_type: str, text: bytes) -> Check:
    def check(reply: Reply) -> object:
        assert reply.status == status
        assert reply.headers["Content-Type"].startswith(content_type), reply.headers
        assert text in reply.raw, reply.raw
        return reply

    return check


GAME = "/api/bot/game/{game}"
BOT_ROWS = [  # A.1
    Row("rival", "GET", "/api/bot/game/stream/nothing1", error("No such game", 404)),
    Row("third", "GET", "/api/bot/game/stream/{game}", error("Not your game", 404)),
    Row("human", "GET", "/api/bot/game/stream/{humans}", error(NOT_A_BOT)),
    Row("krait", "POST", f"{GAME}/move/e2e4", OK),
    Row("krait", "POST", f"{GAME}/move/e2e4?offeringDraw=true", OK),
    Row("krait", "POST", f"{GAME}/move/e2e4?offeringDraw=True", lambda reply: reply.status == 400),
    Row("krait", "POST", f"{GAME}/move/nonsense", error("Invalid UCI: nonsense")),
    Row("krait", "POST", f"{GAME}/move/e2e5", error("Piece on e2 cannot move to e5")),
    Row("rival", "POST", f"{GAME}/move/e7e5", error("Not your turn, or game already over")),
    Row("krait", "POST", f"{GAME}/chat", OK, {"room": "player", "text": "hello"}),
    Row("krait", "POST", f"{GAME}/chat", form_error("text"), {"room": "player", "text": "x" * 141}),
    Row("krait", "POST", f"{GAME}/chat", form_error("room"), {"room": "kitchen", "text": "x"}),
    Row("krait", "GET", f"{GAME}/chat", (200, [])),
    Row("krait", "GET", "/api/bot/game/nothing1/chat", error("No such game", 404)),
    Row("krait", "POST", f"{GAME}/abort", OK),
    Row("krait", "POST", "/api/bot/game/{begun}/abort", error("This game can no longer be aborted")),
    Row("krait", "POST", f"{GAME}/resign", OK),
    Row("krait", "POST", "/api/bot/game/{begun}/resign", OK),
    Row("krait", "POST", "/api/bot/game/{over}/resign", error("This game cannot be resigned")),
    *(Row("krait", "POST", f"{GAME}/draw/{word}", OK) for word in ("yes", "no", "true", "nonsense")),
    *(Row("krait", "POST", f"{GAME}/takeback/{word}", OK) for word in ("yes", "no", "true", "nonsense")),
    Row("krait", "POST", f"{GAME}/claim-victory", error("This is not the time to claim victory")),
    Row(
        "rival", "POST", "/api/bot/game/{begun}/claim-victory", error("You cannot claim victory in this game")
    ),
    Row("rival", "POST", "/api/bot/game/{begun}/claim-draw", error("You cannot claim a draw in this game")),
    Row("krait", "POST", f"{GAME}/berserk", error("Cannot berserk")),
    Row("fresh", "POST", "/api/bot/account/upgrade", OK),
    Row("krait", "POST", "/api/bot/account/upgrade", lambda reply: reply.status == 400),
    Row("anyone", "GET", "/api/bot/online?nb=512", has(200, "id", "perfs", username="Listener")),
]
CHALLENGE = "/api/challenge/{theirs}"
CHALLENGE_ROWS = [  # A.2
    Row("krait", "GET", "/api/challenge", has(200, "in", "out")),
    Row(
        "krait",
        "GET",
        f"{CHALLENGE}/show",
        has(200, "timeControl", "finalColor", status="created", direction="in"),
    ),
    Row("krait", "GET", "/api/challenge/nothing1/show", lambda reply: reply.status == 404),
    Row("krait", "POST", "/api/challenge/rival", has(200, "id", direction="out", speed="blitz"), FORM),
    Row("krait", "POST", "/api/challenge/rival", has(200, "id"), {"days": "2"}),
    Row("krait", "POST", "/api/challenge/rival", has(200, timeControl={"type": "unlimited"}), {}),
    Row("krait", "POST", "/api/challenge/nobody", error("No such user: nobody"), FORM),
    Row("krait", "POST", "/api/challenge/krait", error("You cannot challenge yourself"), FORM),
    Row(
        "krait",
        "POST",
        "/api/challenge/rival",
        error("Rules not applicable for bots"),
        FORM | {"rules": "noAbort"},
    ),
    Row(
        "krait",
        "POST",
        "/api/challenge/rival",
        form_error("global"),
        {"clock.limit": "15", "clock.increment": "0"},
    ),
    Row(
        "krait", "POST", "/api/challenge/rival", form_error("global"), {"rated": "true", "variant": "atomic"}
    ),
    Row("krait", "POST", "/api/challenge/rival", form_error("days"), {"days": "4"}),
    Row("krait", "POST", f"{CHALLENGE}/accept", OK),
    Row("krait", "POST", "/api/challenge/{ours}/accept", error("Not found", 404)),
    Row("krait", "POST", f"{CHALLENGE}/decline", OK, {"reason": "tooFast"}),
    Row("krait", "POST", f"{CHALLENGE}/decline", OK, {"reason": "nonsense"}),
    Row("krait", "POST", "/api/challenge/nothing1/decline", error("Not found", 404)),
    Row("krait", "POST", "/api/challenge/{ours}/cancel", OK),
    Row("krait", "POST", f"{CHALLENGE}/cancel", OK),
    Row("krait", "POST", "/api/challenge/{game}/cancel", OK),
    Row("krait", "POST", "/api/challenge/{begun}/cancel", error("Missing opponentToken")),
    Row("krait", "POST", "/api/challenge/ai", has(201, "id", "fullId", source="ai"), FORM | {"level": "3"}),
    Row("krait", "POST", "/api/challenge/ai", form_error("level"), FORM | {"level": "9"}),
    Row("anyone", "POST", "/api/challenge/open", has(200, "urlWhite", "urlBlack"), FORM),
    Row("krait", "POST", "/api/round/{begun}/add-time/15", OK),
]
ACCOUNT_ROWS = [  # A.3 and PEERS 5.4
    Row("krait", "GET", "/api/account", has(200, "perfs", id="krait", username="Krait", title="BOT")),
    Row("nobody", "GET", "/api/account", error("No such token", 401)),
    Row("krait", "GET", "/api/account/playing?nb=50", has(200, "nowPlaying", nbMyTurn=2)),
    Row("anyone", "POST", "/api/token/test", (200, {"lip_none": None}), b"lip_none"),
    Row("krait", "DELETE", "/api/token", lambda reply: (reply.status, reply.raw) == (204, b"")),
    Row("anyone", "GET", "/api/user/Rival", has(200, "count", "perfs", id="rival", blocking=False)),
    Row("anyone", "GET", "/api/user/nobody", lambda reply: reply.status == 404),
    Row("anyone", "POST", "/api/users", has(200, "perfs", id="krait"), b"krait,nobody"),
    Row("anyone", "GET", "/api/users/status?ids=listener", has(200, id="listener", online=True)),
    Row("anyone", "GET", "/api/users/status?ids=krait", has(200, id="krait", online=None, playing=True)),
    Row(
        "anyone",
        "GET",
        "/api/crosstable/krait/rival",
        (200, {"users": {"krait": 0.0, "rival": 1.0}, "nbGames": 1}),
    ),
    Row("anyone", "GET", "/game/export/{over}", kind(200, "application/x-chess-pgn", b"[Termination ")),
    Row("anyone", "GET", "/game/export/nothing1", lambda reply: reply.status == 404),
    Row("anyone", "GET", "/api/games/user/krait?max=1", kind(200, "application/x-chess-pgn", b"[Event ")),
    Row(
        "anyone",
        "POST",
        "/api/games/export/_ids",
        kind(200, "application/x-chess-pgn", b"[Event "),
        b"{over}",
    ),
    Row("anyone", "GET", "/api/game/{game}/chat", (200, [])),
    Row("krait", "POST", "/api/import", has(200, "id", "url"), {"pgn": PGN}),
    Row("krait", "POST", "/api/import", form_error("pgn"), {}),
    Row("krait", "POST", "/api/rel/block/rival", OK),
    Row("krait", "POST", "/api/rel/unfollow/rival", OK),
    Row("krait", "POST", "/inbox/rival", OK, {"text": "hello"}),
    Row("krait", "POST", "/team/the-team/join", OK),
    Row("krait", "POST", "/team/no-team/join", error("Not found", 404)),
    Row("human", "POST", "/team/the-team/quit", OK),
    Row("anyone", "GET", "/api/team/the-team", has(200, id="the-team", nbMembers=1, open=True)),
    Row("anyone", "GET", "/api/team/of/human", has(200, id="the-team", name="The Team")),
    Row("anyone", "GET", "/api/team/of/nobody", (200, [])),
    Row("anyone", "GET", "/api/team/the-team/users", kind(200, "application/x-ndjson", b'{"id":"human"')),
    Row(
        "krait",
        "GET",
        "/api/tournament/{arena}",
        has(200, "startsAt", minutes=45, fullName="Cup Arena", botsAllowed=True),
    ),
    Row("krait", "GET", "/api/tournament/nothing1", error("Not found", 404)),
    Row("krait", "POST", "/api/tournament/{arena}/join", OK),
    Row("krait", "POST", "/api/tournament/{closed}/join", error("Tournament restrictions")),
    Row("krait", "POST", "/api/tournament/nothing1/join", error("This tournament no longer exists")),
    Row("krait", "POST", "/api/tournament/{arena}/withdraw", OK),
    Row("krait", "POST", "/api/tournament/nothing1/withdraw", error("Not found", 404)),
    Row(
        "krait",
        "GET",
        "/api/cloud-eval?fen=rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        has(200, "depth", "knodes", "pvs"),
    ),
    Row(
        "krait",
        "GET",
        "/api/cloud-eval?fen=8/8/8/8/8/8/8/8",
        error("No cloud evaluation available for that position", 404),
    ),
    Row("anyone", "GET", "/__ping", lambda reply: reply.status == 200),
]


def cast(box: Box) -> dict[str, Client]:
    """Who may ask, and what they have: games in every state, challenges both ways, a team, two arenas."""
    people = {name: box.enter(name.title(), scopes=ALL) for name in ("krait", "rival", "third", "listener")}
    people |= {name: box.enter(name.title(), title=None, scopes=ALL) for name in ("human", "fresh")}
    return people | {"anyone": box.anyone, "nobody": Client(box.http, "lip_nobody")}


def places(box: Box) -> dict[str, str]:
    world = box.world
    ids = {"game": box.start("Krait", "Rival"), "begun": box.start("Krait", "Rival")}
    box.play(ids["begun"], "e2e4", "e7e5", "g1f3", "b8c6")
    ids |= {"over": box.start("Krait", "Rival"), "humans": box.start("Human", "Rival")}
    box.play(ids["over"], "f2f3", "e7e5", "g2g4", "d8h4")
    ids["ours"] = world.lobby.create("krait", "Rival", BLITZ)["id"]
    ids["theirs"] = world.lobby.create("rival", "Krait", BLITZ)["id"]
    world.teams.create("The Team", leader_id="human")
    ids["arena"] = world.arenas.create("Cup", BLITZ, bots=True, starts_in_ms=60_000).id
    ids["closed"] = world.arenas.create("Closed", BLITZ, starts_in_ms=60_000).id
    return ids


@pytest.mark.parametrize(
    "row", BOT_ROWS + CHALLENGE_ROWS + ACCOUNT_ROWS, ids=lambda row: f"{row.method} {row.path}"
)
def test_a_route_answers_as_it_is_described(row: Row) -> None:
    async def story(box: Box) -> None:
        people, ids = cast(box), places(box)
        async with people["listener"].events():
            body = row.body
            if isinstance(body, bytes):
                body = body.decode().format(**ids).encode()
            path = row.path.format(**ids)
            reply = await people[row.who].ask(row.method, path, data=body)
        if isinstance(row.expected, tuple):
            assert said(reply) == row.expected
        else:
            assert row.expected(reply)

    run(story)
