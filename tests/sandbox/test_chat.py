"""What is said in a game, who hears it, and what is dropped without a word."""

import pytest

from bot.sandbox.match import Match
from tests.sandbox.scene import Scene, error_of, kinds

# Chat


def say(scene: Scene, match: Match, text: str, *, user: str = "numbarine", room: str = "player") -> bool:
    return scene.world.games.say(match.id, user, {"room": room, "text": text})


def test_what_is_said_is_heard_by_both_and_kept() -> None:
    scene = Scene()
    match = scene.game()
    mine, theirs = scene.game_stream(match), scene.game_stream(match, "opal")
    assert say(scene, match, "good luck")
    line = {"type": "chatLine", "room": "player", "username": "Numbarine", "text": "good luck"}
    assert mine[-1] == theirs[-1] == line
    assert scene.world.games.chat(match.id, "opal") == [{"text": "good luck", "user": "Numbarine"}]
    assert scene.world.games.chat(match.id) == []


def test_the_spectators_room_is_heard_by_bots_alone() -> None:
    scene = Scene()
    match = scene.game()
    mine, theirs = scene.game_stream(match), scene.game_stream(match, "opal")
    assert say(scene, match, "hello all", room="spectator")
    assert kinds(mine) == ["gameFull", "chatLine"]
    assert kinds(theirs) == ["gameFull"]
    assert scene.world.games.chat(match.id) == [{"text": "hello all", "user": "Numbarine"}]


@pytest.mark.parametrize(
    "form", [{}, {"room": "player"}, {"room": "attic", "text": "x"}, {"room": "player", "text": "x" * 141}]
)
def test_a_line_needs_a_room_and_a_text(form: dict[str, str]) -> None:
    scene = Scene()
    assert isinstance(error_of(scene.world.games.say, scene.game().id, "opal", form), dict)


def test_what_was_just_said_is_dropped_in_silence() -> None:
    scene = Scene()
    match = scene.game()
    heard = scene.game_stream(match)
    assert say(scene, match, "I am thinking")
    assert not say(scene, match, "I am thinking")
    assert not say(scene, match, "I am thinking!")
    assert say(scene, match, "a different thing")
    assert not say(scene, match, "I am thinking")
    assert kinds(heard) == ["gameFull", "chatLine", "chatLine"]


def test_a_greeting_may_be_repeated() -> None:
    scene = Scene()
    match = scene.game()
    assert [say(scene, match, "Good game") for _ in range(3)] == [True] * 3


def test_the_fifth_line_within_ten_seconds_is_dropped() -> None:
    scene = Scene()
    match = scene.game()
    assert [say(scene, match, word * 9) for word in "abcde"] == [True] * 4 + [False]
    scene.wait(10_000)
    assert say(scene, match, "fffffffff")


def test_a_bot_that_sends_links_is_not_heard() -> None:
    scene = Scene()
    match = scene.game()
    assert not say(scene, match, "see https://example.org")
    assert say(scene, match, "see https://example.org", user="opal")


def test_the_ai_is_not_spoken_to_by_the_server() -> None:
    scene = Scene(takebacks=True)
    made = scene.world.lobby.create_ai("numbarine", {"level": 1, "color": "white"})
    match = scene.world.games.get(made["id"])
    heard = scene.game_stream(match)
    scene.play(match, "e2e4")
    scene.world.games.ai_move(match.id, "e7e5", ply=1)
    scene.world.games.takeback(match.id, "numbarine", accept=True)
    assert match.ply == 0
    assert "chatLine" not in kinds(heard)
