"""Games, challenges and people as Lichess writes them; where its published schema is found, they validate."""

import io
import json
from functools import cache
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest

from bot.sandbox import views
from bot.sandbox.match import NO_CLOCK_MS, Match
from bot.sandbox.variants import VARIANTS
from tests.sandbox.scene import FOOLS_MATE, START_MS, Scene, a_match, moved, refused

SPEC = Path(__file__).parents[3] / "shared" / "lichess-openapi.json"
SLOW = {"clock.limit": None, "clock.increment": None}
with_spec = pytest.mark.skipif(not SPEC.exists(), reason="the published schema is not here")


@cache
def registry() -> Any:
    from referencing import Registry
    from referencing.jsonschema import DRAFT202012

    contents = json.loads(SPEC.read_text(encoding="utf-8"))
    return Registry().with_resource("urn:lichess", DRAFT202012.create_resource(contents))


def validate(schema: str, value: object) -> None:
    """`value` is what the published API calls `schema`."""
    from jsonschema import Draft202012Validator

    reference = {"$ref": f"urn:lichess#/components/schemas/{schema}"}
    Draft202012Validator(reference, registry=registry()).validate(value)


# The published schema


@with_spec
@pytest.mark.parametrize("key", VARIANTS)
@pytest.mark.parametrize("slow", [{}, SLOW | {"days": 3}, SLOW])
def test_streams_validate_in_every_variant_and_time_control(key: str, slow: dict[str, Any]) -> None:
    scene = Scene(takebacks=True)
    heard = scene.events()
    fen = {"fen": "4k3/8/8/8/8/8/4P3/4K2R w K - 0 1"} if key == "fromPosition" else {}
    match = scene.game(variant=key, **slow, **fen)
    lines = scene.game_stream(match)
    scene.play(match, *first_moves(match, 3))
    scene.world.games.draw(match.id, "numbarine", accept=True)
    scene.world.games.takeback(match.id, "numbarine", accept=True)
    scene.world.games.say(match.id, "opal", {"room": "player", "text": "hello there"})
    scene.world.games.resign(match.id, "numbarine")
    events = {"challenge": "ChallengeEvent", "gameStart": "GameStartEvent", "gameFinish": "GameFinishEvent"}
    for event in heard:
        validate(events[event["type"]], event)
    for line in lines[:-1]:
        assert line is not None
        validate(line["type"][0].upper() + line["type"][1:] + "Event", line)
    validate("GameJson", scene.world.export_json(match.id, clocks=True, pgnInJson=True))


def first_moves(match: Match, count: int) -> list[str]:
    board, moves = match.board.copy(), []
    for _ in range(count):
        moves.append(min(move.uci() for move in board.legal_moves))
        board.push_uci(moves[-1])
    return moves


@with_spec
def test_what_becomes_of_a_challenge_validates() -> None:
    scene = Scene()
    heard = scene.events()
    shown = scene.world.lobby.create("opal", "Numbarine", {"variant": "horde", "color": "black"})
    validate("ChallengeJson", shown)
    scene.world.lobby.decline(shown["id"], "numbarine", "later")
    scene.world.lobby.cancel(scene.challenge(), "opal")
    validate("ChallengeDeclinedEvent", heard[1])
    validate("ChallengeCanceledEvent", heard[3])
    validate("ChallengeOpenJson", scene.world.lobby.create_open(None, {}))


@with_spec
def test_people_validate() -> None:
    scene = Scene()
    moved(scene)
    validate("UserExtended", scene.world.account("numbarine"))
    validate("UserExtended", scene.world.user("opal"))
    for user in scene.world.users(["opal", "numbarine"]):
        validate("User", user)
    validate("Crosstable", scene.world.crosstable("opal", "numbarine"))


@with_spec
def test_words_about_the_opponent_validate() -> None:
    validate("OpponentGoneEvent", views.opponent_gone(25_999))
    validate("OpponentGoneEvent", views.opponent_gone(None))


# What the schema cannot say


def test_a_claim_is_counted_in_whole_seconds_and_never_below_none() -> None:
    assert views.opponent_gone(25_999)["claimWinInSeconds"] == 25
    assert views.opponent_gone(-5)["claimWinInSeconds"] == 0


def test_a_state_shows_only_the_flags_that_are_up() -> None:
    state = views.game_state(a_match(), START_MS)
    assert set(state) == {"type", "moves", "wtime", "btime", "winc", "binc", "status"}
    assert (state["moves"], state["wtime"], state["winc"]) == ("", 180_000, 2000)


def test_a_state_in_mid_thought_has_the_thought_taken_off() -> None:
    match = a_match()
    for side, uci in ((chess.WHITE, "e2e4"), (chess.BLACK, "e7e5")):
        match.play(side, uci, START_MS)
    assert views.game_state(match, START_MS + 1234)["wtime"] == 178_770


def test_without_a_clock_the_time_shown_is_the_largest_number() -> None:
    scene = Scene()
    state = views.game_state(scene.game(**SLOW), START_MS)
    assert (state["wtime"], state["winc"]) == (NO_CLOCK_MS, 0)
    days = views.game_full(scene.game(**SLOW, days=2), START_MS)
    assert (days["daysPerTurn"], days["state"]["wtime"]) == (2, 172_800_000)
    assert "clock" not in days


def test_a_first_move_that_is_waited_for_shows_how_long() -> None:
    state = views.game_state(a_match(source="lobby"), START_MS + 300)
    assert state["expiration"] == {"idleMillis": 300, "millisToMove": 25_000}


def test_the_ai_and_the_nameless_are_shown_without_names() -> None:
    match = a_match(ai=5)
    match.seats[chess.WHITE].user_id = None
    full = views.game_full(match, START_MS)
    assert (full["white"], full["black"]) == ({}, {"aiLevel": 5})
    assert views.opponent_json(match.seats[chess.WHITE]) == {"id": None, "username": "White", "rating": 1500}


def test_a_title_stands_before_the_name_and_none_is_null() -> None:
    full = views.game_full(a_match(), START_MS)
    assert (full["white"]["title"], full["black"]["title"]) == (None, "BOT")
    assert views.opponent_json(a_match().seats[chess.BLACK])["username"] == "BOT Black"


def test_castling_is_written_as_the_variant_has_it() -> None:
    castles = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1"
    match = a_match("fromPosition", castles)
    match.play(chess.WHITE, "e1g1", START_MS)
    assert views.game_state(match, START_MS)["moves"] == "e1h1"
    assert views.game_info(match, chess.WHITE, START_MS)["lastMove"] == "e1g1"


@pytest.mark.parametrize(
    ("key", "written"),
    [("standard", "startpos"), ("atomic", "startpos"), ("horde", None), ("chess960", None)],
)
def test_the_first_position_is_written_where_it_is_not_the_usual_one(key: str, written: str | None) -> None:
    match = Scene().game(variant=key)
    shown = views.game_full(match, START_MS)["initialFen"]
    assert shown == (written or match.initial_fen)
    assert shown


def test_a_finished_game_is_nobodys_turn() -> None:
    match = a_match()
    match.resign(chess.WHITE, START_MS)
    assert not any(views.game_info(match, side, START_MS)["isMyTurn"] for side in chess.COLORS)


def test_a_game_says_whom_it_suits() -> None:
    scene = Scene()
    fast = scene.game(**{"clock.limit": 60, "clock.increment": 0})
    assert views.game_info(fast, chess.WHITE, START_MS)["compat"] == {"bot": True, "board": False}
    assert views.game_info(a_match(source="lobby"), chess.WHITE, START_MS)["compat"]["bot"] is False


def test_a_challenge_shows_its_rules_and_its_colour() -> None:
    scene = Scene()
    scene.bot.title = None
    shown = scene.world.lobby.create("opal", "Numbarine", {"rules": "noAbort,noRematch", "color": "random"})
    assert shown["rules"] == ["noAbort", "noRematch"]
    assert shown["color"] == "random"
    assert shown["finalColor"] in {"white", "black"}
    assert shown["timeControl"] == {"type": "unlimited"}


# Files


def test_a_game_is_exported_as_pgn() -> None:
    scene = Scene()
    match = scene.game(rated=True)
    scene.play(match, *FOOLS_MATE, each_ms=1000)
    game = chess.pgn.read_game(io.StringIO(scene.world.export_pgn(match.id)))
    assert game is not None
    assert not game.errors
    assert game.end().board().is_checkmate()
    assert game.headers["Event"] == "rated blitz game"
    assert game.headers["GameId"] == match.id
    assert (game.headers["White"], game.headers["BlackTitle"]) == ("Opal", "BOT")
    assert (game.headers["Result"], game.headers["Termination"]) == ("0-1", "Normal")
    assert (game.headers["TimeControl"], game.headers["BlackRatingDiff"]) == ("180+2", "+5")
    assert game.end().clock() == 179


@pytest.mark.parametrize("key", VARIANTS)
def test_every_variant_is_read_back_from_its_pgn(key: str) -> None:
    scene = Scene()
    fen = {"fen": "4k3/8/8/8/8/8/4P3/4K2R w K - 0 1"} if key == "fromPosition" else {}
    match = scene.game(variant=key, **fen)
    scene.play(match, *first_moves(match, 4))
    scene.world.games.resign(match.id, "opal")
    game = chess.pgn.read_game(io.StringIO(scene.world.export_pgn(match.id)))
    assert game is not None
    assert not game.errors
    assert game.headers["Variant"] == match.variant.name
    assert game.end().board().fen() == match.board.fen()


def test_a_running_game_is_exported_three_plies_late() -> None:
    scene = Scene()
    match = scene.game()
    scene.play(match, "e2e4", "e7e5", "g1f3", "b8c6")
    assert scene.world.export_json(match.id)["moves"] == "e4"
    assert "1. e4" in scene.world.export_pgn(match.id, clocks=False)
    assert "e5" not in scene.world.export_pgn(match.id, tags=False)
    assert '[Result "*"]' in scene.world.export_pgn(match.id, moves=False)


def test_how_a_game_ended_is_said_in_its_pgn() -> None:
    scene = Scene()
    flagged, aborted = moved(scene), scene.game()
    scene.world.games.abort(aborted.id, "opal")
    scene.wait(200_000)
    assert '[Termination "Time forfeit"]' in scene.world.export_pgn(flagged.id)
    assert '[Termination "Abandoned"]' in scene.world.export_pgn(aborted.id)
    assert '[Result "*"]' in scene.world.export_pgn(aborted.id)


def test_a_game_is_exported_as_json() -> None:
    scene = Scene()
    match = scene.game()
    scene.play(match, *FOOLS_MATE, each_ms=1000)
    shown = scene.world.export_json(match.id, clocks=True, pgnInJson=True, opening=True)
    assert shown["moves"] == "f3 e5 g4 Qh4#"
    assert shown["clocks"] == [18_000, 18_000, 18_100, 17_900]
    assert shown["clock"] == {"initial": 180, "increment": 2, "totalTime": 260}
    assert shown["pgn"].startswith("[Event")
    assert "moves" not in scene.world.export_json(match.id, moves=False)
    assert refused(scene.world.export_json, "unknown1").status == 404
