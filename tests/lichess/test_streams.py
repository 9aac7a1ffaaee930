"""Streams: whatever happens to them, the last thing heard is one `Ended`, and nothing is left behind."""

import asyncio
import threading
import time
from collections.abc import Callable
from contextlib import aclosing
from typing import Any

import pytest

from bot.errors import RateLimited, Refused, Unreachable
from bot.game.events import GameSeen, StateSeen
from bot.game.nouns import GameId
from bot.lichess.client import Lichess, Patience
from bot.lichess.limits import Kind
from bot.lichess.lines import ChallengeSeen, Ended, GameStarted, Opened, Unknown
from bot.sandbox.faults import Faults, parse_fault
from tests.lichess.entering import collect, entered, secret_of, whole
from tests.lichess.test_lanes import game_of
from tests.sandbox.serving import Box, run

ENDLESS = Patience(event_silence_s=3600.0, game_silence_s=3600.0)  # no silence ends a stream
QUICK_TO_DOUBT = Patience(event_silence_s=0.3, game_silence_s=0.3)


def faults(*texts: str) -> Faults:
    return Faults(*(parse_fault(text) for text in texts))


async def until(reached: Callable[[], bool]) -> None:
    """Let the loop and the threads go on until it is so; the timeout around says when that is too long."""
    while not reached():  # noqa: ASYNC110  what a thread has left behind has no event
        await asyncio.sleep(0)


def readers() -> list[str]:
    names = [thread.name for thread in threading.enumerate()]
    return [
        name for name in names if name.startswith("lichess") and name.split()[1] not in {"moves", "calls"}
    ]


def test_the_stamp_of_a_line_is_of_the_loops_own_clock() -> None:
    async def story(box: Box) -> None:
        game = game_of(box)
        async with entered(box) as lichess, aclosing(lichess.game(game)) as lines:
            before = asyncio.get_running_loop().time()
            first = await anext(lines)
            assert isinstance(first, GameSeen)
            assert before <= first.at <= asyncio.get_running_loop().time()
        earlier, loops, later = time.monotonic(), asyncio.get_running_loop().time(), time.monotonic()
        assert earlier <= loops <= later

    run(story)


def test_the_account_is_followed_from_its_opening_on() -> None:
    async def story(box: Box) -> None:
        running = game_of(box)
        async with entered(box) as lichess, aclosing(lichess.events()) as events:
            opened, replayed = await collect(events, 2)
            assert isinstance(opened, Opened)
            assert isinstance(replayed, GameStarted)
            assert replayed.brief.id == running
            box.start("Rival", "Krait")
            kinds = [type(each) for each in await collect(events, 2)]
            assert kinds == [ChallengeSeen, GameStarted]

    run(story)


def test_a_game_is_followed_to_its_end() -> None:
    async def story(box: Box) -> None:
        game = game_of(box)
        async with entered(box) as lichess, aclosing(lichess.game(game)) as lines:
            assert isinstance(await anext(lines), GameSeen)
            box.play(game, "f2f3", "e7e5", "g2g4", "d8h4")
            *states, ended = await collect(lines)
            assert [each.state.ply for each in states if isinstance(each, StateSeen)] == [1, 2, 3, 4]
            assert isinstance(ended, Ended)
            assert ended.error is None

    run(story)


@pytest.mark.parametrize("which", ["event", "game"])
@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("drop@{},after=1", None),
        ("drop@{},after=1,how=reset", "broke off"),
        ("silence@{},after=1", "silence"),
        ("502@{}", "502"),
        ("reset@{},how=before", "no connection"),
        ("restart@{}", "502"),
    ],
)
def test_every_end_of_a_stream_is_one_ended_that_says_why(which: str, fault: str, why: str | None) -> None:
    async def story(box: Box) -> None:
        game = game_of(box)
        async with entered(box, patience=QUICK_TO_DOUBT) as lichess:
            await lichess.whoami()
            box.site.faults.add(parse_fault(fault.format(which)))
            items: list[Any] = await whole(lichess.events() if which == "event" else lichess.game(game))
        ended = items[-1]
        assert [type(each) for each in items].count(Ended) == 1
        assert isinstance(ended, Ended)
        if why is None:
            assert ended.error is None
        else:
            assert isinstance(ended.error, Unreachable)
            assert why in str(ended.error)
        assert (ended.lived_s == 0.0) is (len(items) == 1)

    run(story)


def test_a_game_that_is_not_ours_ends_with_the_refusal() -> None:
    async def story(box: Box) -> None:
        async with entered(box) as lichess:
            (ended,) = await whole(lichess.game(GameId("nowhere1")))
            assert isinstance(ended, Ended)
            assert isinstance(ended.error, Refused)
            assert ended.error.status == 404

    run(story)


def test_a_server_that_is_not_there_ends_the_stream_before_it_began() -> None:
    async def story(box: Box) -> None:
        async with entered(box, url="http://127.0.0.1:9", patience=Patience(retry_s=0.0)) as lichess:
            for stream in (lichess.events(), lichess.game(GameId("abcdefgh"))):
                (ended,) = await whole(stream)
                assert isinstance(ended, Ended)
                assert isinstance(ended.error, Unreachable)
                assert "refused" in str(ended.error)

    run(story)


@pytest.mark.parametrize("body", ["<html>oops</html>", '{"type":', "[1]", "null", '{"type":"gameState"}'])
def test_a_line_that_makes_no_sense_is_unknown_and_the_stream_goes_on(body: str) -> None:
    async def story(box: Box) -> None:
        game = game_of(box)
        async with entered(box) as lichess, aclosing(lichess.game(game)) as lines:
            found = [await anext(lines), await anext(lines)]
            assert [type(each) for each in found] == [GameSeen, Unknown]
            box.play(game, "e2e4")
            assert isinstance(await anext(lines), StateSeen)

    run(story, faults=faults(f"line@game,after=1,body={body}"))


def test_blank_lines_are_heard_as_signs_of_life() -> None:
    async def story(box: Box) -> None:
        async with entered(box) as lichess, aclosing(lichess.events()) as events:
            assert lichess.stream_age_s() is None
            await anext(events)
            reading = lichess._readings["events"]
            await until(lambda: reading.blanks > 3)
            age_s = lichess.stream_age_s()
            assert age_s is not None
            assert age_s < reading.lived_s
        assert lichess.stream_age_s() is None

    run(story, keep_alive_s=0.01)


def test_whoever_stops_following_leaves_no_thread_and_no_connection_behind() -> None:
    async def story(box: Box) -> None:
        game = game_of(box)
        async with entered(box, patience=ENDLESS) as lichess:
            for _ in range(10):
                async with aclosing(lichess.events()) as events, aclosing(lichess.game(game)) as lines:
                    await anext(events)
                    await anext(lines)
            await until(lambda: not readers() and not len(box.site.streams))
            assert lichess.stream_age_s(game) is None

    run(story)


def test_a_task_that_is_cancelled_ends_its_stream() -> None:
    async def story(box: Box) -> None:
        async with entered(box, patience=ENDLESS) as lichess:
            following = asyncio.create_task(whole(lichess.events()))
            await until(lambda: len(box.site.streams) == 1)
            following.cancel()
            await until(lambda: not readers() and not len(box.site.streams))

    run(story)


def test_leaving_the_gateway_ends_every_stream() -> None:
    async def story(box: Box) -> None:
        async with entered(box, patience=ENDLESS) as lichess:
            events = lichess.events()
            await anext(events)
        last = await collect(events)
        assert isinstance(last[-1], Ended)
        await until(lambda: not readers())

    run(story)


def test_a_stream_may_be_given_up_while_it_is_being_opened() -> None:
    """The other side has taken the connection and says nothing."""

    async def story(box: Box) -> None:
        callers: list[asyncio.StreamWriter] = []
        left = asyncio.Event()

        async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            callers.append(writer)
            while await reader.read(65536):
                pass
            writer.close()
            await writer.wait_closed()
            left.set()

        deaf = await asyncio.start_server(hold, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{deaf.sockets[0].getsockname()[1]}"
        async with entered(box, url=url, patience=ENDLESS) as lichess:
            following = asyncio.create_task(whole(lichess.events()))
            await until(lambda: bool(callers))
            following.cancel()
            await left.wait()
            await until(lambda: not readers())
        deaf.close()

    run(story)


def test_our_budget_of_openings_ends_before_that_of_lichess() -> None:
    async def story(box: Box) -> None:
        async with entered(box, now=lambda: 1e9) as lichess:
            for _ in range(25):
                async with aclosing(lichess.events()) as events:
                    assert isinstance(await anext(events), Opened)
            (ended,) = await whole(lichess.events())
            assert isinstance(ended, Ended)
            assert isinstance(ended.error, RateLimited)
            assert box.site.measured.snapshot()["requests"]["event"] == 25

    run(story, limited=True)


def test_a_429_on_the_account_stream_rests_that_stream_alone() -> None:
    async def story(box: Box) -> None:
        async with entered(box) as lichess:
            (ended,) = await whole(lichess.events())
            assert isinstance(ended, Ended)
            assert isinstance(ended.error, RateLimited)
            assert ended.error.seconds == 60
            resting = [kind for kind in Kind if lichess.limits.wait_s(kind, time.time())]
            assert resting == [Kind.EVENT_STREAM]

    run(story, faults=faults("429@event"))


def test_a_second_program_on_the_token_ends_our_stream_politely() -> None:
    async def story(box: Box) -> None:
        token = secret_of(box)
        async with (
            entered(box, token=token) as ours,
            entered(box, token=token) as theirs,
            aclosing(ours.events()) as events,
            aclosing(theirs.events()) as others,
        ):
            await anext(events)
            await anext(others)
            (ended,) = await collect(events)
            assert isinstance(ended, Ended)
            assert ended.error is None

    run(story)


def test_games_with_bots_are_counted_once_however_often_they_are_told() -> None:
    async def story(box: Box) -> None:
        game_of(box)
        async with entered(box) as lichess:
            for _ in range(3):
                async with aclosing(lichess.events()) as events:
                    await collect(events, 2)
            assert len(spent(lichess)) == 1

    def spent(lichess: Lichess) -> list[Any]:
        found: list[Any] = lichess.limits.to_json()["spent"][Kind.BOT_GAME]
        return found

    run(story)
