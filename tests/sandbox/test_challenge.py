"""Challenges: what a body may ask for, who may be asked, and what becomes of it."""

from typing import Any

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sandbox.challenge import Wish, read_wish
from bot.sandbox.refusal import Refusal
from bot.sandbox.speeds import TimeControl
from tests.sandbox.scene import Scene, error_of, patient, refused

FEN = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"


def wish(by_bot: bool = False, **form: Any) -> Wish:
    return read_wish(form, by_bot=by_bot)


def form_error(by_bot: bool = False, **form: Any) -> object:
    refusal = refused(read_wish, form, by_bot=by_bot)
    assert refusal.status == 400
    [(field, [text])] = refusal.body["error"].items()
    assert refusal.body[field] == [text]
    return field


# What a body may say


@pytest.mark.parametrize(
    "form",
    [
        {"clock.limit": "60", "clock.increment": "1"},
        {"clock.limit": 60, "clock.increment": 1},
        {"clock": {"limit": 60, "increment": "1"}},
    ],
)
def test_a_clock_may_come_as_a_form_or_as_json(form: dict[str, Any]) -> None:
    assert wish(**form).control == TimeControl(60, 1)


def test_days_or_nothing_is_a_slow_game() -> None:
    assert wish(days="3").control.is_correspondence
    assert wish().control.is_unlimited


@pytest.mark.parametrize(
    ("field", "form"),
    [
        ("clock.limit", {"clock.limit": 61, "clock.increment": 0}),
        ("clock.limit", {"clock.limit": 10_860, "clock.increment": 0}),
        ("clock.limit", {"clock.limit": "soon", "clock.increment": 0}),
        ("clock.limit", {"clock.increment": 0}),
        ("clock.increment", {"clock.limit": 60}),
        ("clock.increment", {"clock.limit": 60, "clock.increment": 61}),
        ("clock", {"clock.limit": 0, "clock.increment": 0}),
        ("days", {"days": 4}),
        ("variant", {"variant": "bughouse"}),
        ("variant", {"variant": ["standard"]}),
        ("color", {"color": "green"}),
        ("rated", {"rated": "perhaps"}),
        ("rules", {"rules": "noAbort,noFun"}),
        ("global", {"variant": "fromPosition"}),
        ("global", {"variant": "fromPosition", "fen": "hello"}),
        ("global", {"fen": 7, "variant": "chess960"}),
        ("global", {"variant": "fromPosition", "fen": FEN, "rated": True}),
        ("global", {"variant": "atomic", "rated": True, "days": 3}),
    ],
)
def test_what_a_body_may_not_say(field: str, form: dict[str, Any]) -> None:
    assert form_error(**form) == field


def test_a_bot_cannot_ask_for_ultrabullet() -> None:
    assert form_error(by_bot=True, clock={"limit": 15, "increment": 0}) == "global"
    assert wish(clock={"limit": 15, "increment": 0}).control.speed == "ultraBullet"


def test_a_position_makes_a_standard_game_one_from_it() -> None:
    assert wish(fen=FEN).variant.key == "fromPosition"
    assert wish(fen=chess.STARTING_FEN).variant.key == "standard"
    assert wish(fen="").initial_fen is None


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)
KEYS = ("clock", "clock.limit", "clock.increment", "days", "variant", "fen", "rated", "color", "rules")


@patient(150)
@given(st.dictionaries(st.sampled_from(KEYS), JUNK))
def test_no_body_crashes_the_reader(form: dict[str, Any]) -> None:
    try:
        assert read_wish(form, by_bot=True).variant
    except Refusal as refusal:
        body = refusal.body
    else:
        return
    assert body["error"]


# Who may be asked


def test_both_sides_hear_of_a_challenge() -> None:
    scene = Scene()
    mine, theirs = scene.events(), scene.events("opal")
    challenge_id = scene.challenge(rated=True)
    for heard in (mine, theirs):
        assert [line["type"] for line in heard] == ["challenge"]
        assert heard[0]["challenge"]["id"] == challenge_id
        assert heard[0]["compat"] == {"bot": True, "board": True}
        assert "direction" not in heard[0]["challenge"]


def test_nobody_challenges_themselves_or_nobody() -> None:
    lobby = Scene().world.lobby
    assert error_of(lobby.create, "opal", "Opal", {}) == "You cannot challenge yourself"
    assert error_of(lobby.create, "opal", "nobody", {}) == "No such user: nobody"


def test_rules_are_not_for_bots() -> None:
    assert error_of(Scene().challenge, rules="noAbort") == "Rules not applicable for bots"


def test_one_may_ask_only_followers() -> None:
    scene = Scene()
    assert error_of(scene.challenge, onlyIfOpponentFollowsMe="true") == "Numbarine does not follow you"
    scene.bot.follows.add("opal")
    assert scene.challenge(onlyIfOpponentFollowsMe="true")


def test_bots_do_not_play_ultrabullet() -> None:
    error = error_of(Scene().challenge, **{"clock.limit": 15, "clock.increment": 0})
    assert error == "Bots cannot play UltraBullet. Choose a slower time control."
    people = Scene()
    people.bot.title = None
    assert people.challenge(**{"clock.limit": 15, "clock.increment": 0})


def test_who_is_not_welcome_is_told_so() -> None:
    scene = Scene()
    scene.bot.blocks.add("opal")
    assert error_of(scene.challenge) == "You cannot challenge BOT Numbarine."
    scene.bot.blocks.clear()
    scene.bot.challenges_from = "never"
    assert error_of(scene.challenge) == "BOT Numbarine does not accept challenges."
    scene.bot.challenges_from = "friends"
    assert error_of(scene.challenge) == "BOT Numbarine only accepts challenges from friends."
    scene.bot.follows.add("opal")
    assert scene.challenge()


def test_a_rating_may_be_too_far_or_too_new() -> None:
    scene = Scene()
    scene.bot.challenges_from = "rating"
    assert scene.challenge()
    scene.opal.perfs["blitz"].rating = 1801
    assert error_of(scene.challenge) == "Your Blitz rating is too far from BOT Numbarine."
    scene.opal.perfs["blitz"].games = 0
    assert error_of(scene.challenge) == "Cannot challenge due to provisional Blitz rating."


def test_a_variant_too_fast_to_be_rated_is_played_for_nothing() -> None:
    scene = Scene()
    fast = {"clock.limit": 0, "clock.increment": 1, "variant": "atomic", "rated": True}
    assert not scene.game(**fast).rated
    assert scene.game(variant="atomic", rated=True).rated
