"""Faults as data: where they strike, what passes first, how often; the wire is in test_trouble."""

import pytest

from bot.sandbox.faults import Fault, Faults, Kind, parse_fault, read_fault
from bot.sandbox.streams import Ending, Label, Line, Tap

MOVE = ("move", "krait", "abcdefgh")


def kinds(faults: Faults, *request: str) -> list[Kind]:
    return [fault.kind for fault in faults.of_request(*(request or MOVE))]


def test_a_fault_strikes_once_unless_told_otherwise() -> None:
    faults = Faults(Fault(Kind.STATUS, on="move"))
    assert (kinds(faults), kinds(faults)) == ([Kind.STATUS], [])
    assert faults.struck == 1


def test_a_fault_of_no_times_strikes_until_cleared() -> None:
    faults = Faults(Fault(Kind.SLOW, times=0))
    assert all(kinds(faults) for _ in range(20))
    faults.clear()
    assert not kinds(faults)


def test_the_first_requests_pass() -> None:
    faults = Faults(Fault(Kind.RESET, on="move", after=2, times=2))
    assert [bool(kinds(faults)) for _ in range(6)] == [False, False, True, True, False, False]


@pytest.mark.parametrize(
    ("fault", "strikes"),
    [
        (Fault(Kind.STATUS), True),
        (Fault(Kind.STATUS, on="mo*"), True),
        (Fault(Kind.STATUS, on="chat"), False),
        (Fault(Kind.STATUS, user="Krait"), True),
        (Fault(Kind.STATUS, user="other"), False),
        (Fault(Kind.STATUS, game="abcdefgh"), True),
        (Fault(Kind.STATUS, game="hgfedcba"), False),
    ],
)
def test_a_fault_strikes_where_it_says(fault: Fault, strikes: bool) -> None:
    assert fault.strikes(*MOVE) is strikes


def test_a_fault_of_streams_never_strikes_a_request() -> None:
    assert not kinds(
        Faults(*(Fault(kind) for kind in (Kind.DROP, Kind.SILENCE, Kind.DUPLICATE, Kind.REORDER)))
    )


def test_a_fault_can_be_taken_back_by_its_number() -> None:
    faults = Faults()
    number = faults.add(Fault(Kind.STATUS))
    assert faults.remove(number)
    assert not faults.remove(number)
    assert faults.listed() == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("drop@game,after=3", Fault(Kind.DROP, on="game", after=3)),
        ("drop@game, how=reset, user=krait", Fault(Kind.DROP, on="game", how="reset", user="krait")),
        ("502@move,times=3", Fault(Kind.STATUS, on="move", code=502, times=3)),
        ("slow@move,ms=4000", Fault(Kind.SLOW, on="move", ms=4000)),
        ("silence", Fault(Kind.SILENCE)),
        ("jump@move,ms=60000,game=12345678", Fault(Kind.JUMP, on="move", ms=60_000, game="12345678")),
    ],
)
def test_a_fault_can_be_written_in_a_line(text: str, fault: Fault) -> None:
    assert parse_fault(text) == fault


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense@move",
        "drop@game,after",
        "drop,after=x",
        "drop,how=softly",
        "200@move",
        "slow,ms=-1",
        "drop,x=1",
    ],
)
def test_a_fault_that_cannot_be_read_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse_fault(text)


@pytest.mark.parametrize(
    "data", [{}, {"kind": 1}, {"kind": "drop", "after": True}, {"kind": "drop", "on": 2}]
)
def test_json_of_the_wrong_types_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read_fault(data)


GAME = Label("game", "krait", "abcdefgh")


def tap(*faults: Fault) -> Tap:
    return Tap(Faults(*faults), GAME)


def through(tapped: Tap, *lines: bytes) -> list[bytes]:
    written = []
    for line in lines:
        altered = tapped.alter(Line(line))
        tapped.sent += len(altered)
        written += altered
    return [line.data for line in [*written, *tapped.rest()]]


def test_a_line_is_doubled() -> None:
    assert through(tap(Fault(Kind.DUPLICATE, after=1)), b"1", b"2", b"3") == [b"1", b"2", b"2", b"3"]


def test_a_line_comes_after_its_successor() -> None:
    assert through(tap(Fault(Kind.REORDER, after=1)), b"1", b"2", b"3", b"4") == [b"1", b"3", b"2", b"4"]


def test_a_line_held_back_is_not_lost_when_the_stream_ends() -> None:
    assert through(tap(Fault(Kind.REORDER, after=1)), b"1", b"2") == [b"1", b"2"]


def test_a_stream_ends_after_so_many_lines() -> None:
    tapped = tap(Fault(Kind.DROP, on="game", after=2, how="reset"))
    assert tapped.ending() is None
    tapped.sent = 2
    assert tapped.ending() is Ending.RESET


def test_a_silenced_stream_stays_silent_until_faults_are_cleared() -> None:
    faults = Faults(Fault(Kind.SILENCE, on="game"))
    tapped, other = Tap(faults, GAME), Tap(faults, GAME)
    assert [tapped.is_silent(), tapped.is_silent(), other.is_silent()] == [True, True, False]
    faults.clear()
    assert not tapped.is_silent()


def test_a_body_may_hold_commas_and_stands_last() -> None:
    fault = parse_fault('line@event,after=2,body={"type":"news","is":[1,2]}')
    assert (fault.after, fault.body) == (2, '{"type":"news","is":[1,2]}')


def test_a_fault_is_added_as_text_or_by_name_and_whoever_listens_hears_of_it() -> None:
    faults, heard = Faults(), []
    faults.on_change = lambda: heard.append(len(faults.listed()))
    faults.add("502@move,times=2")
    faults.add("slow", on="chat", ms=50)
    faults.clear()
    assert heard == [1, 2, 0]
    with pytest.raises(ValueError, match="kind is one of"):
        faults.add("nonsense")
