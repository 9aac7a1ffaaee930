"""Every fault, over the wire: as it is set at the start, and as a client meets it."""

import asyncio
import json

import aiohttp
import pytest

from bot.sandbox.faults import Faults, parse_fault
from tests.sandbox.serving import Box, Client, Json, run

TORN = (aiohttp.ClientError, ConnectionError)


def faults(*texts: str) -> Faults:
    return Faults(*(parse_fault(text) for text in texts))


def seats(box: Box) -> tuple[Client, Client, str]:
    """Krait with white against Rival."""
    return box.enter("Krait"), box.enter("Rival"), box.start("Krait", "Rival")


def moves(box: Box, game: str) -> list[str]:
    return box.world.games.get(game).moves


def test_a_stream_is_dropped_cleanly_after_so_many_lines_and_the_next_one_is_whole() -> None:
    async def story(box: Box) -> None:
        bot, _, game = seats(box)
        async with bot.game(game) as lines:
            await lines.next()
            box.play(game, "e2e4", "e7e5", "g1f3")
            assert [each["moves"] for each in await lines.rest()] == ["e2e4", "e2e4 e7e5"]
        async with bot.game(game) as again:
            assert (await again.next())["state"]["moves"] == "e2e4 e7e5 g1f3"

    run(story, faults=faults("drop@game,after=3"))


def test_a_stream_is_torn() -> None:
    async def story(box: Box) -> None:
        bot, _, game = seats(box)
        async with bot.game(game) as lines:
            await lines.next()
            with pytest.raises(TORN):
                await lines.raw()

    run(story, faults=faults("drop@game,after=1,how=reset"))


def test_every_stream_of_a_bot_is_dropped_as_often_as_was_asked() -> None:
    async def story(box: Box) -> None:
        bot, rival, game = seats(box)
        async with rival.game(game) as theirs:
            assert (await theirs.next())["type"] == "gameFull"
            for _ in range(2):
                async with bot.game(game) as lines:
                    assert [each["type"] for each in await lines.rest()] == ["gameFull"]
            async with bot.game(game) as lines:
                await lines.next()
                box.play(game, "e2e4")
                assert (await lines.next())["moves"] == (await theirs.next())["moves"] == "e2e4"

    run(story, faults=faults("drop@game,user=krait,after=1,times=2"))


def test_a_silent_stream_says_nothing_not_even_that_it_lives() -> None:
    async def story(box: Box) -> None:
        bot, rival, game = seats(box)
        async with bot.game(game) as silent, rival.game(game) as other:
            await silent.next()
            await other.next()
            box.play(game, "e2e4")
            blanks = 0
            while blanks < 5:  # five heartbeats of the other stream
                blanks += (await other.raw()) == b"\n"
            assert silent.response.content.read_nowait() == b""
            assert not silent.response.content.is_eof()
            box.site.faults.clear()
            box.site.streams.poke()
            assert (await silent.until("gameState"))["moves"] == "e2e4"

    run(story, faults=faults("silence@game,user=krait,after=1"), keep_alive_s=0.01)


def test_an_event_comes_twice() -> None:
    async def story(box: Box) -> None:
        bot = box.enter("Krait")
        box.enter("Rival")
        async with bot.events() as lines:
            game = box.start("Rival", "Krait")
            found = [await lines.next() for _ in range(3)]
            assert [each["type"] for each in found] == ["challenge", "gameStart", "gameStart"]
            assert found[1] == found[2]
            assert found[1]["game"]["id"] == game

    run(story, faults=faults("duplicate@event,after=1"))


def test_events_come_in_the_wrong_order() -> None:
    async def story(box: Box) -> None:
        bot = box.enter("Krait")
        box.enter("Rival")
        async with bot.events() as lines:
            box.start("Rival", "Krait")
            assert [(await lines.next())["type"] for _ in range(2)] == ["gameStart", "challenge"]

    run(story, faults=faults("reorder@event"))


def test_a_line_lichess_never_sends_is_sent() -> None:
    async def story(box: Box) -> None:
        bot = box.enter("Krait")
        async with bot.events() as lines:
            assert await lines.next() == {"unheard": "of"}

    run(story, faults=faults('line@event,body={"unheard":"of"}'))


@pytest.mark.parametrize("code", [502, 503, 504, 500])
def test_the_proxy_answers_in_html_and_nothing_is_done(code: int) -> None:
    async def story(box: Box) -> None:
        bot, _, game = seats(box)
        for _ in range(2):
            reply = await bot.move(game, "e2e4")
            assert reply.status == code
            assert reply.headers["Content-Type"].startswith("text/html")
            assert moves(box, game) == []
        assert (await bot.move(game, "e2e4")).status == 200

    run(story, faults=faults(f"{code}@move,times=2"))


def test_a_429_on_a_move_has_lilas_body_and_is_not_held_against_the_bot() -> None:
    async def story(box: Box) -> None:
        bot, _, game = seats(box)
        reply = await bot.move(game, "e2e4")
        assert (reply.status, reply.body) == (429, {"error": "Too many requests. Try again later."})
        assert (await bot.move(game, "e2e4")).status == 200
        assert box.site.measured.snapshot()["illegal"] == []

    run(story, faults=faults("429@move"))


def test_a_status_may_come_with_a_body_of_ones_own() -> None:
    async def story(box: Box) -> None:
        bot = box.enter("Krait")
        box.enter("Rival")
        body = {"error": "wait", "ratelimit": {"key": "bot.vsBot.day", "seconds": 99}}
        control = await box.anyone.ask(
            "POST",
            "/sandbox/faults",
            json={"kind": "status", "on": "challenge_create", "code": 429, "body": json.dumps(body)},
        )
        assert control.status == 201
        reply = await bot.post("/api/challenge/rival", {"clock.limit": "60", "clock.increment": "0"})
        assert (reply.status, reply.body) == (429, body)

    run(story, control=True)


def test_a_slow_move_is_made_even_if_the_bot_has_given_up_waiting() -> None:
    async def story(box: Box) -> None:
        bot, rival, game = seats(box)
        async with rival.game(game) as lines:
            await lines.next()
            with pytest.raises(TimeoutError):
                await bot.post(f"/api/bot/game/{game}/move/e2e4", timeout=aiohttp.ClientTimeout(total=0.02))
            assert moves(box, game) == []
            assert (await lines.next())["moves"] == "e2e4"

    run(story, faults=faults("slow@move,ms=200"))


def test_a_slow_answer_comes_after_the_move_was_made() -> None:
    async def story(box: Box) -> None:
        bot, rival, game = seats(box)
        async with rival.game(game) as lines:
            await lines.next()
            answering = asyncio.create_task(bot.move(game, "e2e4"))
            assert (await lines.next())["moves"] == "e2e4"
            assert not answering.done()
            assert (await answering).body == {"ok": True}

    run(story, faults=faults("slow@move,ms=200,how=after"))


def test_a_move_is_accepted_and_its_answer_lost() -> None:
    async def story(box: Box) -> None:
        bot, _, game = seats(box)
        with pytest.raises(TORN):
            await bot.move(game, "e2e4")
        assert moves(box, game) == ["e2e4"]
        again = await bot.move(game, "e2e4")
        assert (again.status, again.body) == (400, {"error": "Not your turn, or game already over"})

    run(story, faults=faults("reset@move"))


def test_a_connection_is_torn_before_the_move_was_made() -> None:
    async def story(box: Box) -> None:
        bot, _, game = seats(box)
        with pytest.raises(TORN):
            await bot.move(game, "e2e4")
        assert moves(box, game) == []
        assert (await bot.move(game, "e2e4")).status == 200

    run(story, faults=faults("reset@move,how=before"))


def test_the_clock_jumps_and_a_flag_falls() -> None:
    async def story(box: Box) -> None:
        bot, rival, game = seats(box)
        box.play(game, "e2e4", "e7e5")
        async with rival.game(game) as lines:
            await lines.next()
            reply = await bot.move(game, "g1f3")
            assert (reply.status, reply.body) == (400, {"error": "Not your turn, or game already over"})
            last = (await lines.rest())[-1]
            assert (last["status"], last["winner"], last["wtime"]) == ("outoftime", "black", 0)

    run(story, faults=faults("jump@move,ms=181000"))


def test_the_clock_jumps_a_little_and_the_move_pays_for_it() -> None:
    async def story(box: Box) -> None:
        bot, rival, game = seats(box)
        box.play(game, "e2e4", "e7e5")
        async with rival.game(game) as lines:
            await lines.next()
            assert (await bot.move(game, "g1f3")).status == 200
            assert (await lines.until("gameState"))["wtime"] == 180_000 - 60_000 + 2_000

    run(story, faults=faults("jump@move,ms=60000"))


def test_a_restart_tears_every_stream_and_gives_time_to_every_clock() -> None:
    async def story(box: Box) -> None:
        bot, rival, game = seats(box)
        box.play(game, "e2e4", "e7e5")
        async with bot.events() as events, bot.game(game) as mine, rival.game(game) as theirs:
            await mine.next()
            await theirs.next()
            await events.until("gameStart")
            reply = await bot.move(game, "g1f3")
            assert reply.status == 502
            for lines in (events, mine, theirs):
                with pytest.raises(TORN):
                    await lines.rest()
        async with bot.game(game) as lines:
            state: Json = (await lines.next())["state"]
            assert state["moves"] == "e2e4 e7e5"
            assert state["wtime"] >= 190_000

    run(story, faults=faults("restart@move"))


def test_while_it_is_down_the_proxy_answers_everything() -> None:
    async def story(box: Box) -> None:
        bot, _, game = seats(box)
        box.site.go_down()
        for reply in (
            await bot.move(game, "e2e4"),
            await bot.get("/api/stream/event"),
            await bot.get("/api/account"),
        ):
            assert (reply.status, reply.headers["Content-Type"]) == (502, "text/html; charset=utf-8")
        box.site.come_up()
        assert (await bot.move(game, "e2e4")).status == 200

    run(story)


def test_a_restart_comes_up_again_by_itself() -> None:
    async def story(box: Box) -> None:
        bot = box.enter("Krait")
        assert (await bot.get("/api/account")).status == 502
        while (await bot.get("/api/account")).status == 502:
            pass
        assert not box.site.is_down

    run(story, faults=faults("restart@account,ms=30"))


@pytest.mark.parametrize("kind", ["event", "game"])
@pytest.mark.parametrize("how", ["clean", "reset"])
def test_each_kind_of_stream_ends_by_itself_and_the_other_stays(kind: str, how: str) -> None:
    async def story(box: Box) -> None:
        bot, _, game = seats(box)
        async with bot.events() as events, bot.game(game) as moves_:
            await events.next()
            await moves_.next()
            box.site.faults.add("drop", on=kind, how=how)
            ended, other = (events, moves_) if kind == "event" else (moves_, events)
            if how == "clean":
                assert await ended.raw() == b""
            else:
                with pytest.raises(TORN):
                    await ended.raw()
            box.play(game, "e2e4")
            box.world.games.abort(game, "krait")
            assert await other.next()

    run(story)


@pytest.mark.parametrize(("kind", "wanted"), [("event", "gameFinish"), ("game", "gameState")])
def test_each_kind_of_stream_falls_silent_by_itself(kind: str, wanted: str) -> None:
    async def story(box: Box) -> None:
        bot, _, game = seats(box)
        async with bot.events() as events, bot.game(game) as moves_:
            await events.next()
            await moves_.next()
            box.site.faults.add("silence", on=kind)
            silent, other = (events, moves_) if kind == "event" else (moves_, events)
            box.world.games.abort(game, "krait")
            await other.next()
            assert silent.response.content.read_nowait() == b""
            box.site.faults.clear()
            assert (await silent.next())["type"] == wanted

    run(story)


@pytest.mark.parametrize(
    "body", [{"type": "newThing", "x": 1}, {"noType": True}, {"type": "challenge", "challenge": None}]
)
def test_an_event_nobody_knows_stands_between_those_one_knows(body: Json) -> None:
    async def story(box: Box) -> None:
        bot = box.enter("Krait")
        box.enter("Rival")
        async with bot.events() as events:
            box.site.faults.add("line", on="event", body=json.dumps(body))
            box.start("Rival", "Krait")
            assert [(await events.next()).get("type") for _ in range(3)] == [
                body.get("type"),
                "challenge",
                "gameStart",
            ]

    run(story)


def test_chat_is_limited_or_slow_while_moves_are_not() -> None:
    async def story(box: Box) -> None:
        bot, _, game = seats(box)
        chat, form = f"/api/bot/game/{game}/chat", {"room": "player", "text": "hello"}
        assert (await bot.post(chat, form)).status == 429
        slow = asyncio.create_task(bot.post(chat, form))
        assert (await bot.move(game, "e2e4")).status == 200
        assert not slow.done()
        assert (await slow).status == 200

    run(story, faults=faults("429@chat", "slow@chat,after=1,ms=300"))


def test_a_move_may_stall_till_the_bot_gives_up() -> None:
    async def story(box: Box) -> None:
        bot, _, game = seats(box)
        with pytest.raises(TimeoutError):
            await bot.post(f"/api/bot/game/{game}/move/e2e4", timeout=aiohttp.ClientTimeout(total=0.02))
        assert moves(box, game) == []
        assert (await bot.move(game, "e2e4")).status == 200

    run(story, faults=faults("slow@move,ms=3600000"))
