"""Lichess's JSON as it really comes: the everyday, the anonymous, the artificial and the unheard of."""

import ast
import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import BadToken, LichessError, RateLimited, Refused, Unreachable
from bot.game.events import ChatSeen, GameSeen, OpponentCameBack, OpponentLeft, StateSeen
from bot.game.nouns import NO_CLOCK_MS, Player, Speed, TimeControl
from bot.lichess import wire, wire_rest
from bot.lichess.lines import (
    ChallengeCanceled,
    ChallengeClosed,
    ChallengeDeclined,
    ChallengeSeen,
    GameFinished,
    GameStarted,
    Unknown,
)

Json = dict[str, Any]
ME, AT = "numbarine", 12.5
OPAL: Json = {"id": "opalrook", "name": "OpalRook", "rating": 1874, "title": "BOT", "online": True, "lag": 4}
CHALLENGE: Json = {
    "id": "Qw3rTy7u",
    "url": "https://lichess.org/Qw3rTy7u",
    "status": "created",
    "challenger": OPAL,
    "destUser": {"id": ME, "name": "Numbarine", "rating": 2011, "provisional": True, "title": "BOT"},
    "variant": {"key": "standard", "name": "Standard", "short": "Std"},
    "rated": True,
    "speed": "bullet",
    "timeControl": {"type": "clock", "limit": 60, "increment": 1, "show": "1+1"},
    "color": "random",
    "finalColor": "white",
    "perf": {"icon": "x", "name": "Bullet"},
}
GAME: Json = {
    "fullId": "Qw3rTy7uAb1c",
    "gameId": "Qw3rTy7u",
    "fen": "8/8/8/8/8/8/8/8 w - - 0 1",
    "color": "black",
    "lastMove": "",
    "source": "friend",
    "status": {"id": 20, "name": "started"},
    "variant": {"key": "standard", "name": "Standard"},
    "speed": "bullet",
    "perf": "bullet",
    "rated": True,
    "hasMoved": False,
    "opponent": {"id": "opalrook", "username": "BOT OpalRook", "rating": 1874},
    "isMyTurn": False,
    "secondsLeft": 60,
    "rating": 2011,
    "compat": {"bot": True, "board": False},
    "id": "Qw3rTy7u",
}
STATE: Json = {
    "type": "gameState",
    "moves": "e2e4 c7c5",
    "wtime": 60000,
    "btime": 59000,
    "winc": 1000,
    "binc": 1000,
    "bdraw": True,
    "status": "started",
}
FULL: Json = {
    "type": "gameFull",
    "id": "Qw3rTy7u",
    "variant": {"key": "standard", "name": "Standard", "short": "Std"},
    "speed": "bullet",
    "perf": {"name": "Bullet"},
    "rated": True,
    "createdAt": 1787400000123,
    "white": {"id": "opalrook", "name": "OpalRook", "title": "BOT", "rating": 1874},
    "black": {"id": ME, "name": "Numbarine", "title": None, "rating": 2011, "provisional": True},
    "initialFen": "startpos",
    "clock": {"initial": 60000, "increment": 1000},
    "state": STATE | {"moves": ""},
}
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "game", "challenge", "state", "moves", "x"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)


def told(data: Json) -> Any:
    return wire.account_event(data)


def seen(data: Json) -> Any:
    return wire.game_line(data, ME, AT)


def test_a_challenge_is_read() -> None:
    found = told({"type": "challenge", "challenge": CHALLENGE, "compat": {"bot": True, "board": False}})
    assert isinstance(found, ChallengeSeen)
    assert found.for_bots
    asked = found.challenge
    assert asked.challenger == Player("opalrook", "OpalRook", "BOT", 1874)
    assert asked.dest == Player(ME, "Numbarine", "BOT", 2011, provisional=True)
    assert (asked.control, asked.rated, asked.color, asked.final_color) == (
        TimeControl(60, 1),
        True,
        "random",
        "white",
    )


def test_a_replayed_challenge_without_compat_is_for_bots() -> None:
    assert told({"type": "challenge", "challenge": CHALLENGE}).for_bots
    assert not told({"type": "challenge", "challenge": CHALLENGE, "compat": {"bot": False}}).for_bots


def test_an_anonymous_challenger_is_nobody() -> None:
    found = told({"type": "challenge", "challenge": CHALLENGE | {"challenger": None, "destUser": None}})
    assert (found.challenge.challenger, found.challenge.dest) == (None, None)


@pytest.mark.parametrize(
    ("control", "expected"),
    [
        ({"type": "unlimited"}, TimeControl()),
        ({"type": "correspondence", "daysPerTurn": 3}, TimeControl(days=3)),
        ({"type": "clock", "limit": 30, "increment": 0}, TimeControl(30, 0)),
    ],
)
def test_every_time_control_is_read(control: Json, expected: TimeControl) -> None:
    found = told({"type": "challenge", "challenge": CHALLENGE | {"timeControl": control}})
    assert found.challenge.control == expected


def test_what_a_challenge_may_also_say_is_kept() -> None:
    more = {"rematchOf": "aaaaaaaa", "initialFen": "8/8/8/8/8/8/8/K1k5 w - - 0 1", "rules": ["noAbort"]}
    found = told({"type": "challenge", "challenge": CHALLENGE | more | {"news": 1}}).challenge
    assert (found.rematch_of, found.initial_fen, found.rules) == (
        "aaaaaaaa",
        more["initialFen"],
        frozenset({"noAbort"}),
    )


def test_a_declined_and_a_canceled_challenge_are_read() -> None:
    reason = {"declineReason": "Too fast.", "declineReasonKey": "tooFast"}
    declined = told({"type": "challengeDeclined", "challenge": CHALLENGE | reason})
    assert declined == ChallengeDeclined(CHALLENGE["id"], "toofast", "Too fast.")
    assert told({"type": "challengeCanceled", "challenge": CHALLENGE}) == ChallengeCanceled(CHALLENGE["id"])


def test_a_game_that_started_is_read() -> None:
    found = told({"type": "gameStart", "game": GAME})
    assert isinstance(found, GameStarted)
    brief = found.brief
    assert (brief.id, brief.we_are_white, brief.speed) == ("Qw3rTy7u", False, Speed.BULLET)
    assert brief.opponent == Player("opalrook", "OpalRook", "BOT", 1874)
    assert (brief.seconds_left, brief.for_bots, brief.status) == (60, True, "started")


def test_a_game_that_finished_is_read() -> None:
    ending = {"status": {"id": 30, "name": "mate"}, "winner": "black", "ratingDiff": 6}
    found = told({"type": "gameFinish", "game": GAME | ending})
    assert isinstance(found, GameFinished)
    assert (found.brief.status, found.brief.winner, found.brief.rating_diff) == ("mate", False, 6)


@pytest.mark.parametrize(
    ("opponent", "expected"),
    [
        ({"id": None, "username": "Anonymous"}, Player()),
        (
            {"id": None, "username": "Stockfish level 3", "ai": 3},
            Player(name="Stockfish level 3", ai_level=3),
        ),
        ({"id": "anna", "username": "GM Anna", "rating": 2600}, Player("anna", "Anna", "GM", 2600)),
        ({"id": "ben", "username": "Ben"}, Player("ben", "Ben")),
        (None, Player()),
    ],
)
def test_every_kind_of_opponent_is_read(opponent: Json | None, expected: Player) -> None:
    assert told({"type": "gameStart", "game": GAME | {"opponent": opponent}}).brief.opponent == expected


def test_a_status_is_an_object_or_a_word() -> None:
    for status in ("aborted", {"id": 25, "name": "aborted"}):
        assert told({"type": "gameFinish", "game": GAME | {"status": status}}).brief.status == "aborted"


def test_what_is_left_out_has_its_usual_value() -> None:
    brief = told({"type": "gameStart", "game": {"id": "Qw3rTy7u", "color": "white"}}).brief
    assert (brief.variant, brief.rated, brief.for_bots, brief.seconds_left) == ("standard", False, True, None)


def test_the_first_line_of_a_game_is_read() -> None:
    found = seen(FULL)
    assert isinstance(found, GameSeen)
    assert (found.info.we_are_white, found.info.opponent.name, found.info.initial_fen) == (
        False,
        "OpalRook",
        None,
    )
    assert (found.info.control, found.info.created_at_ms) == (TimeControl(60, 1), 1787400000123)
    assert (found.state.moves, found.state.white_ms, found.at) == ((), 60000, AT)


@pytest.mark.parametrize(
    ("white", "expected"),
    [({"aiLevel": 3}, Player(name="Stockfish level 3", ai_level=3)), ({}, Player()), (None, Player())],
)
def test_a_game_against_the_ai_or_somebody_without_a_name(white: Json | None, expected: Player) -> None:
    found = seen(FULL | {"white": white})
    assert (found.info.opponent, found.info.we_are_white) == (expected, False)


def test_a_game_without_a_clock_is_timed_by_nobody() -> None:
    plain = {key: value for key, value in FULL.items() if key != "clock"}
    state = {"moves": "", "wtime": NO_CLOCK_MS, "btime": NO_CLOCK_MS, "status": "started"}
    found = seen(plain | {"state": state})
    assert found.info.control.is_unlimited
    assert (found.state.white_ms, found.state.white_inc_ms) == (NO_CLOCK_MS, 0)
    assert seen(plain | {"daysPerTurn": 2}).info.control == TimeControl(days=2)


def test_clocks_are_whole_milliseconds_whatever_berserk_made_of_them() -> None:
    """Its models turn the clocks of a state, but not those inside gameFull, into timedeltas."""
    made = STATE | {"wtime": dt.timedelta(seconds=59, milliseconds=120), "winc": dt.timedelta(seconds=1)}
    state = seen(made).state
    assert (state.white_ms, state.black_ms, state.white_inc_ms) == (59_120, 59_000, 1000)
    made = FULL | {"createdAt": dt.datetime.fromtimestamp(1787400000.123, dt.UTC)}
    assert seen(made).info.created_at_ms == 1787400000123


def test_flags_are_up_only_where_lichess_says_so() -> None:
    state = seen(STATE).state
    assert (state.black_draw, state.white_draw, state.white_takeback) == (True, False, False)
    assert seen(STATE | {"bdraw": False}).state.black_draw is False


def test_the_last_state_of_a_game_is_read() -> None:
    state = seen(STATE | {"status": "mate", "winner": "black", "rematch": "zzzzzzzz"}).state
    assert (state.is_over, state.winner, state.rematch) == (True, False, "zzzzzzzz")


def test_chat_and_absence_are_read() -> None:
    line = {"type": "chatLine", "room": "player", "username": "OpalRook", "text": "good luck"}
    assert seen(line) == ChatSeen("player", "OpalRook", "good luck", AT)
    gone = {"type": "opponentGone", "gone": True, "claimWinInSeconds": 25}
    assert seen(gone) == OpponentLeft(25, AT)
    assert seen({"type": "opponentGone", "gone": True}) == OpponentLeft(None, AT)
    assert seen({"type": "opponentGone", "gone": False}) == OpponentCameBack(AT)


@pytest.mark.parametrize("line", [{}, {"type": None}, {"type": "confetti"}, {"unheard": "of"}])
def test_a_line_of_an_unknown_type_is_unknown_and_nothing_else(line: Json) -> None:
    assert isinstance(told(line), Unknown)
    assert isinstance(seen(line), Unknown)


def test_an_unreadable_line_names_its_type_and_its_fault() -> None:
    assert told({"type": "gameStart", "game": {}}) == Unknown("gameStart", "KeyError: 'id'")
    assert seen({"type": "gameState", "moves": 3}).kind == "gameState"
    assert seen(FULL | {"black": OPAL}).why == "ValueError: numbarine plays neither side"


KINDS = ["gameStart", "gameFinish", "challenge", "gameFull", "gameState", "chatLine", "opponentGone", "odd"]


@given(ANYTHING, st.sampled_from(KINDS))
def test_no_line_whatever_raises(data: object, kind: str) -> None:
    for line in (data, data | {"type": kind} if isinstance(data, dict) else data):
        wire.account_event(line)
        wire.game_line(line, ME, AT)
        wire.challenge_line(line)


@given(ANYTHING, st.sampled_from(sorted(GAME)))
def test_a_game_with_one_odd_field_is_still_a_line(value: object, key: str) -> None:
    assert isinstance(told({"type": "gameStart", "game": GAME | {key: value}}), GameStarted | Unknown)


@given(ANYTHING, st.sampled_from(sorted(STATE)))
def test_a_state_with_one_odd_field_is_still_a_line(value: object, key: str) -> None:
    assert isinstance(seen(STATE | {key: value} | {"type": "gameState"}), StateSeen | Unknown)


def test_a_list_of_games_survives_an_unreadable_one() -> None:
    assert [each.id for each in wire.briefs({"nowPlaying": [{"color": 1}, GAME]})] == ["Qw3rTy7u"]


def test_a_kept_challenge_tells_what_became_of_it() -> None:
    assert wire.challenge_line({"done": "declined"}) == ChallengeClosed("declined")
    assert wire.challenge_line({"challenge": CHALLENGE}) == wire.challenge_line(CHALLENGE)


def test_teams_and_chat_are_read() -> None:
    assert wire_rest.teams([{"id": "pawns", "name": "Pawns"}, {}]) == {"pawns"}
    assert wire_rest.chat([{"user": "Anna", "text": "hi"}]) == (("player", "Anna", "hi"),)


def test_a_form_has_a_clock_or_days_or_neither() -> None:
    def form(control: TimeControl) -> Json:
        return wire_rest.challenge_form(control, rated=False, color="white", variant="standard")

    plain = {"rated": False, "color": "white", "variant": "standard"}
    assert form(TimeControl(180, 2)) == plain | {"clock.limit": 180, "clock.increment": 2}
    assert form(TimeControl(days=3)) == plain | {"days": 3}
    assert form(TimeControl()) == plain


def refused(status: int, body: Any) -> LichessError:
    return wire_rest.refusal(status, body, json.dumps(body))


def test_a_form_error_is_an_object_and_is_read_aloud() -> None:
    body = {"error": {"text": ["This field is required"], "": ["can't be rated"]}, "text": ["This field"]}
    assert str(refused(400, body)) == "400: text: This field is required; can't be rated"


def test_a_429_and_a_400_with_a_limit_are_told_apart() -> None:
    body = {"error": "enough", "ratelimit": {"key": "bot.vsBot.day", "seconds": 86398}}
    for status, theirs in ((429, False), (400, True)):
        error = refused(status, body)
        assert isinstance(error, RateLimited)
        assert (error.seconds, error.key, error.theirs) == (86398, "bot.vsBot.day", theirs)
    assert isinstance(wire_rest.refusal(429, None, "<html>slow down</html>"), RateLimited)


@pytest.mark.parametrize(("status", "reason"), [(401, "No such token"), (403, "Missing scope: bot:play")])
def test_a_bad_token_comes_with_advice(status: int, reason: str) -> None:
    error = refused(status, {"error": reason})
    assert isinstance(error, BadToken)
    assert reason in str(error)
    assert "lichess.org/account/oauth/token" in str(error)


def test_a_proxys_page_is_shortened_to_its_title() -> None:
    page = "<html><head><title>502 Bad Gateway</title></head><body>" + "x" * 9000 + "</body></html>"
    error = wire_rest.refusal(502, None, page)
    assert isinstance(error, Unreachable)
    assert (str(error), error.status) == ("502: 502 Bad Gateway", 502)
    assert len(str(wire_rest.refusal(404, None, "<p>" + "y " * 9000))) < 200


def test_any_other_refusal_is_one() -> None:
    error = refused(404, {"error": "No such game"})
    assert type(error) is Refused
    assert (error.status, error.reason) == (404, "No such game")


def keys_of(file: Path) -> set[str]:
    """The words this file looks up in, or writes into, a dict."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Subscript):
            found |= words(node.slice)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            found |= words(*node.args[:1])
        elif isinstance(node, ast.Dict):
            found |= words(*node.keys)
    return found


def words(*nodes: ast.expr | None) -> set[str]:
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def test_only_the_wire_knows_a_key_of_lichess() -> None:
    files = {file.stem: keys_of(file) for file in Path(wire.__file__).parent.glob("*.py")}
    lichess = set().union(*(keys for name, keys in files.items() if name.startswith("wire")))
    assert {"wtime", "gameId", "ratelimit", "clock.limit"} <= lichess
    others = {name: keys & lichess for name, keys in files.items() if not name.startswith("wire")}
    assert not {name: keys for name, keys in others.items() if keys}
