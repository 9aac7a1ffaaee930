"""The two streams as they are on the wire: framing, order, keep-alives, replay, who ends whom."""

import asyncio
import json

import pytest

from bot.sandbox.server import make_app
from bot.sandbox.site import SITE
from tests.sandbox.serving import PATIENCE_S, Box, Client, run

FOOLS_MATE = ("f2f3", "e7e5", "g2g4", "d8h4")


async def chunks(box: Box, path: str, token: str | None, wanted: int) -> list[bytes]:
    """The first chunks of an answer, as they are framed on the socket."""
    reader, writer = await box.connect()
    writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    assert b"Transfer-Encoding: chunked" in head
    assert b"Content-Type: application/x-ndjson" in head
    assert b"X-Accel-Buffering: no" in head
    found: list[bytes] = []
    while len(found) < wanted:
        size = int(await reader.readline(), 16)
        found.append((await reader.readexactly(size + 2))[:-2])
    writer.close()
    await writer.wait_closed()
    return found


def beats(box: Box) -> int:
    """How often the timers of its streams have struck."""
    return int(box.site.measured.snapshot()["streams"]["keepAlives"])


def test_every_line_is_a_chunk_of_its_own() -> None:
    async def story(box: Box) -> None:
        token = box.enter("Krait").token
        box.enter("Rival")
        games = [box.start("Rival", "Krait") for _ in range(3)]
        found = await chunks(box, "/api/stream/event", token, 3)
        assert all(chunk.endswith(b"\n") and chunk.count(b"\n") == 1 for chunk in found)
        assert {json.loads(chunk)["game"]["id"] for chunk in found} == set(games)

    run(story)


def test_a_blank_line_comes_on_its_timer_whatever_the_traffic() -> None:
    async def story(box: Box) -> None:
        async with box.enter("Krait").events() as lines:
            (stream,) = box.site.streams._open
            seen: list[bytes] = []
            while beats(box) < 3:  # never idle: a line is followed by another at once
                stream.tell({"type": "traffic"})
                seen.append(await lines.raw())
            due = beats(box)
            stream.tell({"type": "last"})
            while seen[-1] != b'{"type":"last"}\n':
                seen.append(await lines.raw())
            assert seen.count(b"\n") >= due

    run(story, keep_alive_s=0.05)


def test_lichess_sends_a_blank_line_every_seven_seconds() -> None:
    async def story(box: Box) -> None:
        site = make_app(box.world)[SITE]
        assert (site.keep_alive_s, site.slow_keep_alive_s) == (7.0, 50.0)

    run(story)


def test_an_idle_event_stream_opens_at_once_and_is_kept_alive() -> None:
    async def story(box: Box) -> None:
        bot = box.enter("Krait")
        async with bot.events() as lines:
            assert [await lines.raw() for _ in range(3)] == [b"\n"] * 3
        assert beats(box) >= 3

    run(story, keep_alive_s=0.01)


def test_the_event_stream_replays_live_games_and_then_open_challenges_without_compat() -> None:
    async def story(box: Box) -> None:
        bot = box.enter("Krait")
        box.enter("Rival")
        games = {box.start("Rival", "Krait") for _ in range(2)}
        challenge = box.world.lobby.create("rival", "Krait", {"clock.limit": 60, "clock.increment": 1})
        mine = box.world.lobby.create("krait", "Rival", {"clock.limit": 60, "clock.increment": 1})
        async with bot.events() as lines:
            first = [await lines.next() for _ in range(3)]
            assert [event["type"] for event in first] == ["gameStart", "gameStart", "challenge"]
            assert {event["game"]["gameId"] for event in first[:2]} == games
            assert first[2]["challenge"]["id"] == challenge["id"] != mine["id"]
            assert "compat" not in first[2]
            box.world.lobby.create("rival", "Krait", {"clock.limit": 60, "clock.increment": 1})
            assert "compat" in await lines.next()

    run(story)


def test_a_replay_of_more_than_the_queue_holds_loses_its_first_lines() -> None:
    async def story(box: Box) -> None:
        bot = box.enter("Krait")
        box.enter("Rival")
        for _ in range(40):
            box.start("Rival", "Krait", days=2, **{"clock.limit": None, "clock.increment": None})
        async with bot.events() as lines:
            for _ in range(32):
                await lines.next()
            box.start("Rival", "Krait")
            kinds = [(await lines.next())["type"], (await lines.next())["type"]]
            assert kinds == ["challenge", "gameStart"]  # live again: 33 to 40 were the last of the replay
        assert box.site.measured.lines_lost == 8

    run(story)


def test_my_own_challenge_is_echoed_and_the_others_decline_arrives() -> None:
    async def story(box: Box) -> None:
        bot, rival = box.enter("Krait"), box.enter("Rival")
        async with bot.events() as mine, rival.events() as theirs:
            made = await bot.post("/api/challenge/rival", {"clock.limit": "60", "clock.increment": "0"})
            assert (made.status, made.body["direction"]) == (200, "out")
            echo, seen = await mine.next(), await theirs.next()
            assert echo["challenge"]["id"] == seen["challenge"]["id"] == made.body["id"]
            assert "direction" not in echo["challenge"]
            await rival.post(f"/api/challenge/{made.body['id']}/decline", {"reason": "tooFast"})
            for lines in (mine, theirs):
                declined = await lines.next()
                assert declined["type"] == "challengeDeclined"
                assert declined["challenge"]["declineReasonKey"] == "toofast"

    run(story)


def test_a_second_event_stream_of_the_token_ends_the_first_cleanly() -> None:
    async def story(box: Box) -> None:
        bot = box.enter("Krait")
        async with bot.events() as older, bot.events() as newer:
            assert await older.rest() == []
            box.enter("Rival")
            box.start("Rival", "Krait")
            assert (await newer.next())["type"] == "challenge"
        assert box.site.measured.snapshot()["streams"]["evicted"] == {"event": 1}

    run(story)


def test_another_token_of_the_same_account_has_an_event_stream_of_its_own() -> None:
    async def story(box: Box) -> None:
        bot = box.enter("Krait")
        second = Client(box.http, box.world.accounts.issue_token("krait").secret)
        box.enter("Rival")
        async with bot.events() as one, second.events() as two:
            box.start("Rival", "Krait")
            assert (await one.next())["type"] == (await two.next())["type"] == "challenge"

    run(story)


def test_a_game_stream_makes_room_for_one_of_the_same_player_and_agent_only() -> None:
    async def story(box: Box) -> None:
        bot, rival = box.enter("Krait"), box.enter("Rival")
        other_agent = Client(box.http, bot.token, "another/1.0")
        game = box.start("Rival", "Krait")
        async with bot.game(game) as older, rival.game(game) as theirs, other_agent.game(game) as other:
            for lines in (older, theirs, other):
                assert (await lines.next())["type"] == "gameFull"
            async with bot.game(game) as newer:
                assert (await newer.next())["type"] == "gameFull"
                assert await older.rest() == []
                box.play(game, "e2e4")
                for lines in (newer, theirs, other):
                    assert (await lines.until("gameState"))["moves"] == "e2e4"
        assert box.site.measured.snapshot()["streams"]["evicted"] == {"game": 1}

    run(story)


def test_a_game_stream_begins_with_the_whole_game_and_ends_with_it() -> None:
    async def story(box: Box) -> None:
        bot = box.enter("Krait")
        box.enter("Rival")
        game = box.start("Krait", "Rival")
        async with bot.game(game) as lines:
            full = await lines.next()
            assert (full["type"], full["state"]["type"], full["state"]["moves"]) == (
                "gameFull",
                "gameState",
                "",
            )
            box.play(game, *FOOLS_MATE)
            states = [each for each in await lines.rest() if each["type"] == "gameState"]
            assert [len(state["moves"].split()) for state in states] == [1, 2, 3, 4]
            assert (states[-1]["status"], states[-1]["winner"]) == ("mate", "black")
        async with bot.game(game) as again:
            assert [each["type"] for each in await again.rest()] == ["gameFull"]

    run(story)


def test_a_full_id_is_as_good_as_a_games_id() -> None:
    async def story(box: Box) -> None:
        bot = box.enter("Krait")
        box.enter("Rival")
        game = box.start("Krait", "Rival")
        async with bot.game(f"{game}Ab1c") as lines:
            assert (await lines.next())["id"] == game

    run(story)


def departures(box: Box, monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Set whenever the world has been told of a stream that closed."""
    left = asyncio.Event()
    closed = box.world.stream_closed

    def noted(user: str, game: str | None = None) -> None:
        closed(user, game)
        left.set()

    monkeypatch.setattr(box.world, "stream_closed", noted)
    return left


def test_a_reader_of_events_who_leaves_goes_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(box: Box) -> None:
        bot = box.enter("Krait")
        left = departures(box, monkeypatch)
        async with bot.events() as lines:
            assert box.world.is_online("krait")
            lines.close()
            async with asyncio.timeout(PATIENCE_S):
                await left.wait()
        box.advance(11_000)
        assert not box.world.is_online("krait")
        assert len(box.site.streams) == 0

    run(story)


def test_a_player_whose_stream_of_the_game_has_closed_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(box: Box) -> None:
        krait, rival = box.enter("Krait"), box.enter("Rival")
        game = box.start("Krait", "Rival")
        box.play(game, "e2e4", "e7e5", "g1f3")
        left = departures(box, monkeypatch)
        async with krait.game(game) as lines:
            async with rival.game(game) as theirs:
                await theirs.next()
                for _ in range(6):
                    box.advance(5_000)
                theirs.close()
                async with asyncio.timeout(PATIENCE_S):
                    await left.wait()
            box.world.games.say(game, "krait", {"room": "player", "text": "still here?"})
            for _ in range(6):
                box.advance(5_000)
            kinds = [(await lines.next())["type"] for _ in range(3)]
            assert kinds == ["gameFull", "chatLine", "opponentGone"]

    run(story)


def test_a_challenge_that_is_kept_alive_says_how_it_ended() -> None:
    async def story(box: Box) -> None:
        bot, rival = box.enter("Krait"), box.enter("Rival")
        form = {"clock.limit": "60", "clock.increment": "1", "keepAliveStream": "true"}
        async with bot.stream("/api/challenge/rival", "POST", data=form) as lines:
            challenge = await lines.next()
            box.advance(60_000)  # one that is not kept alive would be gone by now
            accepted = await rival.post(f"/api/challenge/{challenge['id']}/accept")
            assert accepted.body == {"ok": True}
            assert await lines.rest() == [{"done": "accepted"}]

    run(story)


def test_a_spectator_sees_the_game_from_outside() -> None:
    async def story(box: Box) -> None:
        box.enter("Krait")
        box.enter("Rival")
        game = box.start("Krait", "Rival")
        async with box.anyone.stream(f"/api/stream/game/{game}") as lines:
            assert (await lines.next())["id"] == game
            box.play(game, *FOOLS_MATE)
            last = (await lines.rest())[-1]
            assert (last["id"], last["winner"]) == (game, "black")

    run(story)


@pytest.mark.parametrize("limited", [True])
def test_an_address_may_watch_eight_games_at_once(limited: bool) -> None:
    async def story(box: Box) -> None:
        box.enter("Krait")
        box.enter("Rival")
        game = box.start("Krait", "Rival")
        path = f"/api/stream/game/{game}"
        watching = [box.anyone.stream(path) for _ in range(8)]
        for each in watching:
            await each.__aenter__()
        reply = await box.anyone.get(path)
        assert (reply.status, reply.body) == (429, {"error": "Please only run 8 request(s) at a time"})
        for each in watching:
            await each.__aexit__(None, None, None)

    run(story, limited=limited)
