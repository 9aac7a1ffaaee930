"""What waits for a stream, and who makes room for whom; the wire is in test_server."""

import asyncio
import json

from hypothesis import given
from hypothesis import strategies as st

from bot.sandbox.faults import Faults
from bot.sandbox.measurements import Measurements
from bot.sandbox.streams import BLANK, QUEUE_SIZE, Ending, Label, Line, LineQueue, Stream, Streams, line_of


def drained(queue: LineQueue) -> list[bytes]:
    return [line.data for line in iter(queue.take, None)]


def numbered(count: int) -> list[Line]:
    return [Line(str(number).encode()) for number in range(count)]


@given(st.integers(0, 100))
def test_a_full_queue_loses_its_oldest_and_nothing_else(count: int) -> None:
    queue, lines = LineQueue(), numbered(count)
    lost = sum(queue.put(line) for line in lines)
    assert drained(queue) == [line.data for line in lines[-QUEUE_SIZE:]]
    assert lost == max(0, count - QUEUE_SIZE)


def test_a_blank_line_takes_a_place_as_any_other() -> None:
    queue = LineQueue(2)
    assert [queue.put(line) for line in (*numbered(2), BLANK)] == [False, False, True]
    assert drained(queue) == [b"1", b"\n"]


def test_the_end_is_not_lost_in_a_full_queue_and_nothing_follows_it() -> None:
    queue = LineQueue(1)
    queue.put(Line(b"a"))
    queue.end()
    queue.put(Line(b"b"))
    assert queue.ending is Ending.CLEAN
    assert drained(queue) == [b"a"]


def test_a_reset_overrules_a_clean_end_but_not_the_other_way_round() -> None:
    queue = LineQueue()
    queue.end()
    queue.end(Ending.RESET)
    queue.end()
    assert queue.ending is Ending.RESET


def test_a_waiting_writer_is_woken_by_a_line_by_an_end_and_by_a_poke() -> None:
    async def story() -> None:
        queue = LineQueue()
        for wake in (lambda: queue.put(BLANK), queue.poke, queue.end):
            waiting = asyncio.create_task(queue.wait())
            await asyncio.sleep(0)
            assert not waiting.done()
            wake()
            await waiting

    asyncio.run(story())


def test_a_line_is_one_line_of_json_whatever_is_in_it() -> None:
    data = line_of({"type": "chatLine", "text": "a\nb\u2028c\ud800 é"}).data
    assert data.count(b"\n") == 1
    assert data.endswith(b"\n")
    assert json.loads(data)["text"] == "a\nb\u2028c? é"


def test_a_line_that_shows_a_position_knows_its_ply() -> None:
    state = {"type": "gameState", "moves": "e2e4 e7e5"}
    assert line_of(state).ply == 2
    assert line_of({"type": "gameFull", "state": {"type": "gameState", "moves": ""}}).ply == 0
    assert line_of({"type": "chatLine", "text": "e2e4"}).ply is None
    assert line_of({"type": "gameStart", "game": {}}).ply is None


def stream(kind: str = "event") -> Stream:
    return Stream(Label(kind, "krait"), Faults(), Measurements())


def test_a_newer_stream_of_the_same_key_ends_the_older_and_no_other() -> None:
    measured = Measurements()
    streams = Streams(measured)
    older, newer, other = stream(), stream(), stream()
    with streams.opened(older, "token"), streams.opened(other, "another"), streams.opened(newer, "token"):
        endings = [each.queue.ending for each in (older, newer, other)]
    assert endings == [Ending.CLEAN, None, None]
    counts = measured.snapshot()["streams"]
    assert (counts["opened"], counts["evicted"]) == ({"event": 3}, {"event": 1})
    assert (counts["openedBy"], counts["evictedBy"]) == ({"krait": 3}, {"krait": 1})


def test_an_older_stream_that_closes_late_does_not_free_the_newers_place() -> None:
    streams = Streams(Measurements())
    older, newer, newest = stream(), stream(), stream()
    first = streams.opened(older, "token")
    first.__enter__()
    with streams.opened(newer, "token"):
        first.__exit__(None, None, None)
        with streams.opened(newest, "token"):
            assert newer.queue.ending is Ending.CLEAN
        assert len(streams) == 1


def test_streams_without_a_key_live_side_by_side() -> None:
    streams = Streams(Measurements())
    one, two = stream("spectator"), stream("spectator")
    with streams.opened(one), streams.opened(two):
        assert len(streams) == 2
        assert one.queue.ending is None
        streams.end_all(Ending.RESET)
    assert {one.queue.ending, two.queue.ending} == {Ending.RESET}
