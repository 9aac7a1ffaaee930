"""Other doors to a game: the cap between bots, open challenges, rematches, the built-in AI."""

from typing import Any

import chess
import pytest

from bot.sandbox.challenge import Challenge
from bot.sandbox.limits import DAY_MS, MAX_GAMES
from tests.sandbox.scene import FOOLS_MATE, START_MS, Scene, error_of, refused

# The cap on games between bots


def test_a_bot_may_play_a_hundred_bots_a_day() -> None:
    scene = Scene(other_is_bot=True)
    for _ in range(MAX_GAMES):
        scene.world.games.day_cap.count("numbarine", scene.now_ms)
    theirs = refused(scene.challenge)
    assert (theirs.status, theirs.body["ratelimit"]) == (400, {"key": "bot.vsBot.day", "seconds": 86_400})
    mine = refused(scene.world.lobby.create, "numbarine", "Opal", {})
    assert mine.status == 429
    scene.now_ms += DAY_MS
    assert scene.challenge()


def test_accepting_is_capped_too() -> None:
    scene = Scene(other_is_bot=True)
    challenge_id = scene.challenge()
    for _ in range(MAX_GAMES):
        scene.world.games.day_cap.count("numbarine", scene.now_ms)
    assert refused(scene.world.lobby.accept, challenge_id, "numbarine").status == 429
    assert scene.world.lobby.bot_games_today("numbarine") == MAX_GAMES


def test_games_are_counted_when_they_start_and_only_between_bots() -> None:
    scene = Scene(other_is_bot=True)
    scene.game()
    assert scene.world.lobby.bot_games_today("opal") == scene.world.lobby.bot_games_today("numbarine") == 1
    with_person = Scene()
    with_person.game()
    assert with_person.world.lobby.bot_games_today("numbarine") == 0


def test_two_hundred_games_at_once_are_enough() -> None:
    scene = Scene()
    for _ in range(200):
        scene.game()
    assert error_of(scene.challenge) == "Challenge not created"


# Open challenges, rematches, the AI


def test_an_open_challenge_is_for_the_first_two_who_come() -> None:
    scene = Scene()
    made = scene.world.lobby.create_open(None, {"clock.limit": 60, "clock.increment": 0})
    assert made["challenger"] is made["destUser"] is None
    assert made["urlWhite"].endswith("?color=white")
    assert made["open"] == {}
    scene.world.lobby.accept(made["id"], "opal", "black")
    scene.world.lobby.accept(made["id"], "numbarine")
    match = scene.world.games.get(made["id"])
    assert match.color_of("opal") is chess.BLACK


def test_an_open_challenge_may_be_for_two_who_are_named() -> None:
    scene = Scene()
    scene.world.accounts.create("Third")
    made = scene.world.lobby.create_open("opal", {"users": "Numbarine,Opal", "days": 1})
    assert made["open"] == {"userIds": ["numbarine", "opal"]}
    assert (
        error_of(scene.world.lobby.accept, made["id"], "third") == "The challenge is not for you to accept."
    )
    scene.world.lobby.accept(made["id"], "opal")
    scene.world.lobby.accept(made["id"], "numbarine")
    assert scene.world.games.get(made["id"]).color_of("numbarine") is chess.WHITE
    assert refused(scene.world.lobby.create_open, None, {"users": "Opal,Nobody"}).status == 400


def test_an_open_challenge_is_forgotten_after_a_day_or_when_its_maker_says() -> None:
    scene = Scene()
    made = scene.world.lobby.create_open("opal", {})
    scene.world.lobby.cancel(made["id"], "opal")
    lasting = scene.world.lobby.create_open("opal", {"expiresAt": START_MS + 5000})
    scene.wait(5000)
    assert refused(scene.world.lobby.show, lasting["id"], "opal").status == 404


def test_a_rematch_comes_as_a_challenge_with_colours_changed() -> None:
    scene = Scene()
    match = scene.game(rated=True)
    scene.play(match, *FOOLS_MATE)
    heard = scene.events()
    offer = scene.world.lobby.offer_rematch(match.id, "opal")
    assert heard[0]["challenge"]["rematchOf"] == match.id
    assert offer["id"] != match.id
    scene.world.lobby.accept(offer["id"], "numbarine")
    again = scene.world.games.get(offer["id"])
    assert again.color_of("opal") is chess.BLACK
    assert again.rated
    assert match.rematch_id == again.id


def test_a_rematch_can_be_declined_or_withdrawn() -> None:
    scene = Scene()
    match = scene.game()
    scene.play(match, *FOOLS_MATE)
    heard = scene.events()
    offer = scene.world.lobby.offer_rematch(match.id, "opal")
    assert error_of(scene.world.lobby.offer_rematch, match.id, "opal") == "A rematch is offered already"
    scene.world.lobby.cancel(offer["id"], "opal")
    assert heard[-1]["type"] == "challengeCanceled"
    again = scene.world.lobby.offer_rematch(match.id, "opal")
    scene.world.lobby.decline(again["id"], "numbarine")
    assert refused(scene.world.lobby.accept, again["id"], "numbarine").status == 400


def test_who_offers_what_the_other_has_offered_accepts_it() -> None:
    scene = Scene()
    scene.bot.title = None
    match = scene.game()
    scene.play(match, *FOOLS_MATE)
    offer = scene.world.lobby.offer_rematch(match.id, "opal")
    assert scene.world.lobby.offer_rematch(match.id, "numbarine")["id"] == offer["id"]
    assert match.rematch_id == offer["id"]
    assert error_of(scene.world.lobby.offer_rematch, match.id, "opal") == "There has been a rematch"


def test_bots_and_running_games_have_no_rematch_button() -> None:
    scene = Scene()
    match = scene.game()
    assert error_of(scene.world.lobby.offer_rematch, match.id, "opal") == "This game cannot be played again"
    scene.play(match, *FOOLS_MATE)
    assert refused(scene.world.lobby.offer_rematch, match.id, "numbarine").status == 403


def test_a_game_against_the_ai_begins_at_once() -> None:
    scene = Scene()
    heard = scene.events()
    turns: list[Any] = []
    scene.world.subscribe_ai(turns.append)
    form = {"level": "3", "clock.limit": 60, "clock.increment": 1, "color": "black"}
    made = scene.world.lobby.create_ai("numbarine", form)
    assert made["status"] == {"id": 20, "name": "started"}
    assert made["fullId"].startswith(made["id"])
    assert heard[0]["game"]["opponent"] == {"id": None, "username": "Stockfish level 3", "ai": 3}
    [turn] = turns
    assert (turn.game_id, turn.level, turn.ply, turn.moves, turn.left_ms) == (made["id"], 3, 0, [], 60_000)


@pytest.mark.parametrize("level", [None, 0, 9, "x"])
def test_the_ai_has_eight_levels(level: object) -> None:
    assert refused(Scene().world.lobby.create_ai, "opal", {"level": level}).status == 400


def test_clocks_can_be_started_with_both_tokens() -> None:
    scene = Scene()
    match = scene.game()
    tokens = [
        scene.world.accounts.issue_token(user, ["challenge:write"]).secret for user in ("opal", "numbarine")
    ]
    assert refused(scene.world.lobby.start_clocks, match.id, tokens[:1]).status == 404
    scene.world.lobby.start_clocks(match.id, tokens)
    scene.wait(1000)
    assert match.left_ms(chess.WHITE, scene.now_ms) == 179_000


def test_a_challenge_survives_being_written() -> None:
    scene = Scene()
    challenge = scene.world.lobby.find(scene.challenge(variant="atomic", color="random"))
    assert Challenge.from_json(challenge.to_json()) == challenge
