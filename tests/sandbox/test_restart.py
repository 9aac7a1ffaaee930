"""What survives a restart: all of it, and nobody pays for the time the sandbox was off."""

import json
import random
from typing import Any

import chess
import pytest

from bot.sandbox.seats import Seat
from bot.sandbox.world import World
from tests.sandbox.scene import (
    BLITZ,
    FOOLS_MATE,
    START_MS,
    Scene,
    moved,
)

# A restart


def reload(scene: Scene) -> World:
    data = json.loads(json.dumps(scene.world.save()))
    return World.load(data, now_ms=lambda: scene.now_ms, rng=random.Random(1), site=scene.world.site)


def test_a_restart_keeps_games_challenges_accounts_tokens_and_chat() -> None:
    scene = Scene(takebacks=True, other_is_bot=True)
    secret = scene.world.accounts.issue_token("opal").secret
    over, running = scene.game(rated=True), moved(scene, variant="crazyhouse")
    scene.play(over, *FOOLS_MATE)
    scene.game(variant="chess960")
    scene.world.games.draw(running.id, "opal", accept=True)
    scene.world.games.takeback(running.id, "opal", accept=True)
    scene.world.games.say(running.id, "numbarine", {"room": "player", "text": "back soon"})
    scene.wait(1500)
    challenge_id = scene.challenge(variant="horde")
    world = reload(scene)
    assert world.save() == scene.world.save()
    assert world.accounts.authenticate(secret)[0].id == "opal"
    assert world.lobby.show(challenge_id, "opal")["status"] == "created"
    assert {"text": "back soon", "user": "Numbarine"} in world.games.chat(running.id, "opal")
    assert world.games.get(running.id).offers == running.offers
    assert world.games.get(over.id).seats == over.seats
    assert world.lobby.bot_games_today("opal") == 3


def test_nobody_is_charged_for_the_time_the_sandbox_was_off() -> None:
    scene = Scene()
    match = moved(scene)
    scene.wait(10_005)
    data = scene.world.save()
    scene.now_ms += 3_600_000
    world = World.load(data, now_ms=lambda: scene.now_ms, rng=random.Random(1))
    again = world.games.get(match.id)
    assert again.left_ms(chess.WHITE, scene.now_ms) == 170_000
    assert again.left_ms(chess.WHITE, scene.now_ms + 1000) == 169_000
    world.games.move(match.id, "opal", "g1f3")
    assert [line for line in again.moves if line] == ["e2e4", "e7e5", "g1f3"]


def test_no_challenge_fades_while_the_sandbox_is_off() -> None:
    scene = Scene()
    challenge_id = scene.challenge()
    data = scene.world.save()
    scene.now_ms += 3_600_000
    world = World.load(data, now_ms=lambda: scene.now_ms, rng=random.Random(1))
    world.tick()
    assert world.lobby.show(challenge_id, "opal")["status"] == "created"


def test_a_game_goes_on_after_a_restart() -> None:
    scene = Scene()
    match = moved(scene, variant="threeCheck")
    world = reload(scene)
    heard: list[Any] = []
    world.subscribe_game(match.id, "opal", heard.append)
    world.games.move(match.id, "opal", "f1b5")
    world.games.move(match.id, "numbarine", "a7a6")
    world.games.move(match.id, "opal", "b5d7")
    assert heard[-1]["moves"].endswith("b5d7")
    assert world.games.get(match.id).board.fen().split()[4] == "2+3"


@pytest.mark.parametrize("data", [None, [], {}, {"format": 99}, {"format": 1}, {"format": 1, "people": 5}])
def test_what_is_no_saved_world_is_refused(data: object) -> None:
    with pytest.raises(ValueError, match="saved world"):
        World.load(data, now_ms=lambda: 0, rng=random.Random(1))


@pytest.mark.parametrize(
    "change", [{"moves": ["e2e5"]}, {"variant": "go"}, {"status": "lost"}, {"seats": {}}]
)
def test_a_spoilt_game_is_refused(change: dict[str, object]) -> None:
    scene = Scene()
    moved(scene)
    data = scene.world.save()
    data["games"][0] |= change
    with pytest.raises(ValueError, match="saved world"):
        World.load(data, now_ms=lambda: 0, rng=random.Random(1))


def test_the_control_of_time_is_the_injected_source_alone() -> None:
    scene = Scene()
    match = scene.world.games.start(Seat("opal", "Opal"), Seat("numbarine", "Numbarine"), control=BLITZ)
    assert match.created_at_ms == START_MS
    assert scene.world.site == "https://lichess.org"
    scene.world.site = "http://127.0.0.1:8080/"
    assert scene.world.lobby.find(scene.challenge())
    assert scene.world.lobby.list("opal")["out"][0]["url"].startswith("http://127.0.0.1:8080/")
