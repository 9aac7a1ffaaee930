"""What becomes of challenges: accepted, declined, canceled, faded, kept alive."""

from typing import Any

import chess
import pytest

from bot.sandbox.challenge import REASONS
from bot.sandbox.variants import Status
from tests.sandbox.scene import Scene, error_of, refused

# What becomes of it


def test_accepting_begins_the_game_under_the_challenges_id() -> None:
    scene = Scene()
    heard = scene.events()
    match = scene.game(color="black")
    assert [line["type"] for line in heard] == ["challenge", "gameStart"]
    assert heard[1]["game"]["id"] == match.id == heard[0]["challenge"]["id"]
    assert match.color_of("opal") is chess.BLACK
    assert scene.world.lobby.show(match.id, "opal")["status"] == "accepted"


def test_a_challenge_is_accepted_once_and_by_whom_it_is_for() -> None:
    scene = Scene()
    challenge_id = scene.challenge()
    assert refused(scene.world.lobby.accept, challenge_id, "opal").status == 404
    scene.world.lobby.accept(challenge_id, "numbarine")
    assert refused(scene.world.lobby.accept, challenge_id, "numbarine").status == 404
    assert refused(scene.world.lobby.accept, "unknown1", "numbarine").status == 404


@pytest.mark.parametrize("sent", ["tooFast", "toofast", "TOOFAST"])
def test_declining_tells_both_why(sent: str) -> None:
    scene = Scene()
    heard = scene.events("opal")
    challenge_id = scene.challenge()
    scene.world.lobby.decline(challenge_id, "numbarine", sent)
    assert heard[1]["type"] == "challengeDeclined"
    assert heard[1]["challenge"]["declineReasonKey"] == "toofast"
    assert heard[1]["challenge"]["declineReason"] == REASONS["tooFast"]
    assert "compat" not in heard[1]
    assert error_of(scene.world.lobby.accept, challenge_id, "numbarine") == "The challenge has been declined."
    assert refused(scene.world.lobby.decline, challenge_id, "numbarine").status == 404


def test_an_unknown_reason_is_the_general_one() -> None:
    scene = Scene()
    challenge_id = scene.challenge()
    scene.world.lobby.decline(challenge_id, "numbarine", "because")
    assert scene.world.lobby.show(challenge_id, "opal")["declineReasonKey"] == "generic"


def test_a_challenge_is_canceled_by_its_maker() -> None:
    scene = Scene()
    heard = scene.events()
    challenge_id = scene.challenge()
    scene.world.lobby.cancel(challenge_id, "opal")
    assert heard[1]["type"] == "challengeCanceled"
    assert heard[1]["challenge"]["status"] == "canceled"
    assert error_of(scene.world.lobby.accept, challenge_id, "numbarine") == "The challenge has been canceled."


def test_canceling_a_challenge_to_oneself_declines_it() -> None:
    scene = Scene()
    challenge_id = scene.challenge()
    scene.world.lobby.cancel(challenge_id, "numbarine")
    assert scene.world.lobby.show(challenge_id, "opal")["status"] == "declined"


def test_canceling_a_game_needs_both_once_it_is_under_way() -> None:
    scene = Scene()
    match = scene.game()
    scene.play(match, "e2e4", "e7e5")
    cancel = scene.world.lobby.cancel
    assert error_of(cancel, match.id, "opal") == "Missing opponentToken"
    mine = scene.world.accounts.issue_token("opal", ["challenge:write"]).secret
    assert error_of(cancel, match.id, "opal", mine) == "Not the opponent token"
    theirs = scene.world.accounts.issue_token("numbarine", ["challenge:write"]).secret
    cancel(match.id, "opal", theirs)
    assert match.status is Status.ABORTED
    assert refused(cancel, match.id, "opal", theirs).status == 404


def test_canceling_a_fresh_game_aborts_it() -> None:
    scene = Scene()
    match = scene.game()
    scene.world.lobby.cancel(match.id, "numbarine")
    assert match.status is Status.ABORTED


def test_a_real_time_challenge_fades_after_twenty_seconds_without_a_word() -> None:
    scene = Scene()
    heard = scene.events()
    challenge_id = scene.challenge()
    scene.wait(19_999)
    assert scene.world.lobby.list("opal")["out"]
    scene.wait(1)
    assert scene.world.lobby.list("opal") == {"in": [], "out": []}
    assert scene.world.lobby.show(challenge_id, "opal")["status"] == "offline"
    assert len(heard) == 1
    assert scene.events() == []  # nor does a new stream hear of it
    scene.world.lobby.accept(challenge_id, "numbarine")  # though it is not too late


def test_a_slow_challenge_does_not_fade() -> None:
    scene = Scene()
    slow = {"clock.limit": None, "clock.increment": None, "days": 3}
    scene.challenge(**slow)
    scene.wait(3_600_000)
    assert len(scene.world.lobby.list("numbarine")["in"]) == 1


def test_a_challenge_lives_as_long_as_somebody_listens_to_it() -> None:
    scene = Scene()
    challenge_id = scene.challenge()
    heard: list[Any] = []
    scene.world.subscribe_challenge(challenge_id, heard.append)
    scene.wait(300_000)
    assert scene.world.lobby.list("opal")["out"]
    scene.world.lobby.accept(challenge_id, "numbarine")
    assert [line and line.get("done") for line in heard] == [None, "accepted", None]
    assert heard[0]["direction"] == "out"


def test_a_challenge_nobody_listens_to_any_more_fades() -> None:
    scene = Scene()
    challenge_id = scene.challenge()
    leave = scene.world.subscribe_challenge(challenge_id, lambda _: None)
    scene.wait(60_000)
    leave()
    leave()
    scene.wait(40_000)
    assert scene.world.lobby.show(challenge_id, "opal")["status"] == "offline"


def test_listening_to_a_challenge_that_is_over_tells_how_it_ended() -> None:
    scene = Scene()
    challenge_id = scene.challenge()
    scene.world.lobby.decline(challenge_id, "numbarine")
    heard: list[Any] = []
    scene.world.subscribe_challenge(challenge_id, heard.append)
    assert heard[1:] == [{"done": "declined"}, None]


def test_a_fresh_stream_hears_of_challenges_to_it_and_not_whom_they_suit() -> None:
    scene = Scene()
    scene.challenge()
    assert scene.events("opal") == []
    [line] = scene.events()
    assert line["type"] == "challenge"
    assert "compat" not in line


def test_a_fresh_stream_hears_of_fifty_challenges_at_most() -> None:
    scene = Scene()
    for _ in range(51):
        scene.challenge()
    assert len(scene.events()) == 50
