"""What players do in a game, as the streams show it: draws, takebacks, and games against the built-in AI."""

from typing import Any

import chess
import pytest

from bot.sandbox.games import parse_accept, parse_bool
from bot.sandbox.match import Match
from bot.sandbox.variants import Status
from tests.sandbox.scene import SHUFFLE, Scene, kinds, moved, refused, states

# Draws and takebacks on the wire


def test_a_draw_offer_is_pushed_and_its_refusal_is_not() -> None:
    scene = Scene()
    match = moved(scene)
    heard = scene.game_stream(match)
    scene.world.games.draw(match.id, "opal", accept=True)
    assert states(heard)[-1]["wdraw"] is True
    assert "bdraw" not in states(heard)[-1]
    count = len(states(heard))
    scene.world.games.draw(match.id, "numbarine", accept=False)
    assert len(states(heard)) == count
    assert [line["text"] for line in heard if line and line["type"] == "chatLine"][
        -1
    ] == "Black declines draw"


def test_a_draw_offered_with_a_move_is_shown_with_it_and_gone_after_the_reply() -> None:
    scene = Scene()
    match = moved(scene)
    heard = scene.game_stream(match)
    scene.world.games.move(match.id, "opal", "g1f3", offering_draw=True)
    assert states(heard)[-1]["wdraw"] is True
    assert states(heard)[-1]["moves"].endswith("g1f3")
    scene.play(match, "b8c6", "d2d4")
    assert "wdraw" not in states(heard)[-1]


def test_accepting_a_draw_with_a_move_ends_the_game_without_it() -> None:
    scene = Scene()
    match = moved(scene)
    scene.world.games.draw(match.id, "numbarine", accept=True)
    scene.world.games.move(match.id, "opal", "g1f3", offering_draw=True)
    assert match.status is Status.DRAW
    assert match.ply == 2


def test_out_of_turn_nothing_is_offered_with_a_move() -> None:
    scene = Scene()
    match = moved(scene)
    assert refused(scene.world.games.move, match.id, "numbarine", "b8c6", offering_draw=True).status == 400
    assert not match.offers.draw


def test_a_threefold_repetition_is_shown_and_then_drawn() -> None:
    scene = Scene()
    match = scene.game()
    heard = scene.game_stream(match)
    scene.play(match, *SHUFFLE, *SHUFFLE)
    last, final = states(heard)[-2:]
    assert (last["status"], final["status"]) == ("started", "draw")
    assert last["moves"] == final["moves"]


def test_a_takeback_shortens_the_moves() -> None:
    scene = Scene(takebacks=True)
    match = moved(scene)
    heard = scene.game_stream(match)
    scene.world.games.takeback(match.id, "opal", accept=True)
    assert states(heard)[-1]["wtakeback"] is True
    scene.world.games.takeback(match.id, "numbarine", accept=True)
    assert not states(heard)[-1]["moves"]
    assert "wtakeback" not in states(heard)[-1]


def test_a_bot_takes_nothing_back_unless_it_wants_to() -> None:
    scene = Scene()
    match = moved(scene)
    heard = scene.game_stream(match)
    scene.world.games.takeback(match.id, "opal", accept=True)
    assert kinds(heard) == ["gameFull"]


def test_a_move_turns_a_takeback_down_and_that_is_pushed() -> None:
    scene = Scene(takebacks=True)
    match = moved(scene)
    scene.world.games.takeback(match.id, "numbarine", accept=True)
    heard = scene.game_stream(match)
    scene.play(match, "g1f3")
    assert ["btakeback" in state for state in states(heard)] == [True, False]


@pytest.mark.parametrize("text", ["yes", "true", "1", "on", "True"])
def test_what_counts_as_yes(text: str) -> None:
    assert parse_accept(text)
    assert not parse_accept("no")
    assert not parse_accept("YES")


def test_a_boolean_of_the_query_is_small_letters_or_a_digit() -> None:
    assert [parse_bool(text) for text in (None, "false", "0", "true", "1")] == [False] * 3 + [True] * 2
    assert refused(parse_bool, "True").status == 400


# The built-in AI


def ai_game(scene: Scene) -> Match:
    form = {"level": 2, "color": "white", "clock.limit": 60, "clock.increment": 0}
    return scene.world.games.get(scene.world.lobby.create_ai("numbarine", form)["id"])


def test_the_ai_is_asked_for_a_move_when_it_is_its_turn() -> None:
    scene = Scene()
    match = ai_game(scene)
    turns: list[Any] = []
    scene.world.subscribe_ai(turns.append)
    assert turns == []
    scene.play(match, "e2e4")
    assert [(turn.ply, turn.moves) for turn in turns] == [(1, ["e2e4"])]
    late: list[Any] = []
    scene.world.subscribe_ai(late.append)
    assert late == turns


def test_a_late_move_of_the_ai_is_ignored() -> None:
    scene = Scene()
    match = ai_game(scene)
    scene.world.games.ai_move(match.id, "e7e5")  # not its turn
    scene.play(match, "e2e4")
    scene.world.games.ai_move(match.id, "e7e5", ply=3)
    assert match.ply == 1
    scene.world.games.ai_move(match.id, "e7e5", ply=1)
    assert match.ply == 2
    scene.world.games.resign(match.id, "numbarine")
    scene.world.games.ai_move(match.id, "b8c6")
    assert match.ply == 2


def test_a_game_against_the_ai_moves_no_rating() -> None:
    scene = Scene()
    match = ai_game(scene)
    scene.play(match, "e2e4")
    scene.world.games.ai_move(match.id, "e7e5")
    scene.world.games.resign(match.id, "numbarine")
    assert match.seats[chess.WHITE].rating_diff is None
    assert scene.bot.counts["ai"] == 1
