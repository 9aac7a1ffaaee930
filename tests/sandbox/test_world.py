"""The streams: what they carry and in which order, and what time does to a game nobody touches."""

from typing import Any

import chess

from bot.sandbox.seats import Seat
from bot.sandbox.speeds import TimeControl
from tests.sandbox.scene import FOOLS_MATE, START_MS, Line, Scene, error_of, kinds, moved, refused, states

# The game stream


def test_a_game_stream_begins_with_the_whole_game() -> None:
    scene = Scene()
    match = moved(scene)
    [full] = scene.game_stream(match)
    assert full is not None
    assert full["type"] == "gameFull"
    assert full["state"]["type"] == "gameState"
    assert full["state"]["moves"] == "e2e4 e7e5"


def test_every_move_is_pushed_to_both_and_the_last_ends_the_stream() -> None:
    scene = Scene()
    match = scene.game()
    mine, theirs = scene.game_stream(match), scene.game_stream(match, "opal")
    scene.play(match, *FOOLS_MATE)
    assert kinds(mine) == ["gameFull", *["gameState"] * 4, None]
    assert mine[1:] == theirs[1:]
    assert states(mine)[-1]["status"] == "mate"
    assert states(mine)[-1]["winner"] == "black"


def test_the_stream_of_a_finished_game_is_the_game_and_the_end() -> None:
    scene = Scene()
    match = scene.game()
    scene.play(match, *FOOLS_MATE)
    full, end = scene.game_stream(match)
    assert full is not None
    assert full["state"]["status"] == "mate"
    assert end is None


def test_a_game_is_followed_by_its_players_alone() -> None:
    scene = Scene()
    match = scene.game()
    scene.world.accounts.create("Third")
    for act in (scene.world.subscribe_game, scene.world.games.move):
        refusal = refused(act, match.id, "third", lambda _: None)
        assert (refusal.status, refusal.body) == (404, {"error": "Not your game"})
    refusal = refused(scene.world.subscribe_game, "unknown1", "opal", lambda _: None)
    assert (refusal.status, refusal.body) == (404, {"error": "No such game"})


def test_a_players_own_id_of_a_game_names_it_too() -> None:
    scene = Scene()
    match = scene.game()
    assert scene.world.games.get(match.id + "abcd") is match


def test_a_bot_cannot_play_what_bots_do_not_play() -> None:
    scene = Scene()
    seats = [Seat(each.id, each.name, each.title, 1500) for each in (scene.bot, scene.opal)]
    match = scene.world.games.start(*seats, control=TimeControl(15, 0), source="lobby")
    follow = scene.world.subscribe_game
    error = "This game cannot be played with the Bot API."
    assert error_of(follow, match.id, "numbarine", lambda _: None) == error
    follow(match.id, "opal", lambda _: None)


def test_whoever_stops_listening_hears_no_more() -> None:
    scene = Scene()
    match = scene.game()
    heard: list[Any] = []
    leave = scene.world.subscribe_game(match.id, "opal", heard.append)
    leave()
    scene.play(match, "e2e4")
    assert len(heard) == 1


def test_an_answer_given_at_once_is_heard_after_the_question() -> None:
    """A listener may act from inside: everybody still hears the moves in the order they were played."""
    scene = Scene()
    match = scene.game()
    replies = iter(("e7e5", "b8c6"))

    def answer(line: Line | None) -> None:
        if line and line["type"] == "gameState" and len(line["moves"].split()) % 2 == 1:
            scene.world.games.move(match.id, "numbarine", next(replies))

    scene.world.subscribe_game(match.id, "numbarine", answer)
    heard = scene.game_stream(match, "opal")
    scene.play(match, "e2e4")
    scene.play(match, "g1f3")
    assert [len(state["moves"].split()) for state in states(heard)] == [1, 2, 3, 4]


def test_nobody_is_spoken_to_while_still_answering() -> None:
    scene = Scene()
    match = scene.game()
    depths: list[int] = []

    def answer(line: Line | None) -> None:
        depths.append(1)
        if line and len(line.get("moves", "").split()) == 1:
            scene.world.games.move(match.id, "numbarine", "e7e5")
            assert len(depths) == 2  # the reply is heard when this is done
        assert line

    scene.world.subscribe_game(match.id, "numbarine", answer)
    scene.play(match, "e2e4")
    assert len(depths) == 3


# Time


def test_a_flag_falls_without_anybody_asking() -> None:
    scene = Scene()
    match = moved(scene)
    heard = scene.game_stream(match)
    scene.wait(180_000)
    assert states(heard)[-1]["status"] == "outoftime"
    assert states(heard)[-1]["wtime"] == 0
    assert heard[-1] is None


def test_whoever_keeps_the_watch_is_told_of_new_appointments() -> None:
    scene = Scene()
    rung: list[int | None] = []
    scene.world.subscribe_deadline(lambda: rung.append(scene.world.next_deadline_ms()))
    assert scene.world.next_deadline_ms() is None
    scene.challenge()
    assert rung == [START_MS + 20_000]


def test_a_tick_leaves_nothing_due() -> None:
    scene = Scene()
    for _ in range(3):
        scene.game()
    scene.challenge()
    scene.now_ms += 10**9
    scene.world.tick()
    due_ms = scene.world.next_deadline_ms()
    assert due_ms is None or due_ms > scene.now_ms


def test_time_can_be_given_whoever_plays() -> None:
    scene = Scene()
    match = moved(scene)
    heard = scene.game_stream(match, "opal")
    scene.world.games.add_time(match.id, "opal", 15)
    assert states(heard)[-1]["btime"] == 195_000
    scene.world.games.add_time(match.id, "opal", 9999)
    assert states(heard)[-1]["btime"] == 255_000


def test_days_are_given_anew_and_nothing_where_time_is_endless() -> None:
    scene = Scene()
    slow = {"clock.limit": None, "clock.increment": None}
    match = moved(scene, **slow, days=1)
    scene.wait(3_600_000)
    scene.world.games.add_time(match.id, "numbarine", 15)
    assert match.left_ms(chess.WHITE, scene.now_ms) == 86_400_000
    endless = scene.game(**slow)
    assert (
        error_of(scene.world.games.add_time, endless.id, "opal", 15) == "This game doesn't allow giving time"
    )


def test_a_restart_of_lichess_adds_time() -> None:
    scene = Scene()
    match = moved(scene)
    scene.world.restart_bonus(15_000)
    assert match.left_ms(chess.WHITE, scene.now_ms) == 195_000


def test_nobody_berserks() -> None:
    scene = Scene()
    assert error_of(scene.world.games.berserk, scene.game().id, "opal") == "Cannot berserk"


# The event stream


def test_a_fresh_event_stream_hears_of_running_games_the_most_urgent_first() -> None:
    scene = Scene()
    waiting, mine, hurried = scene.game(**{"clock.limit": 60}), moved(scene), moved(scene)
    scene.play(mine, "g1f3")
    scene.play(hurried, "g1f3")
    scene.wait(60_000)
    scene.play(mine, "b8c6", "d2d4")
    ids = [line["game"]["id"] for line in scene.events()]
    assert ids == [hurried.id, mine.id, waiting.id]


def test_both_hear_of_the_end_with_their_ratings() -> None:
    scene = Scene()
    mine, theirs = scene.events(), scene.events("opal")
    match = scene.game(rated=True)
    scene.play(match, *FOOLS_MATE)
    assert [line["type"] for line in mine] == ["challenge", "gameStart", "gameFinish"]
    game = mine[-1]["game"]
    assert (game["status"]["name"], game["winner"], game["ratingDiff"]) == ("mate", "black", 5)
    assert theirs[-1]["game"]["ratingDiff"] == game["opponent"]["ratingDiff"] == -5
    assert scene.bot.perfs["blitz"].rating == 1505
    assert scene.opal.counts == {"all": 1, "rated": 1, "ai": 0, "draw": 0, "loss": 1, "win": 0}


def test_an_aborted_game_counts_for_nothing() -> None:
    scene = Scene()
    heard = scene.events()
    match = scene.game(rated=True)
    scene.world.games.abort(match.id, "numbarine")
    assert heard[-1]["game"]["status"] == {"id": 25, "name": "aborted"}
    assert "ratingDiff" not in heard[-1]["game"]
    assert scene.bot.games_played == 0


def test_everything_can_be_listened_to_at_once() -> None:
    scene = Scene()
    news: list[str] = []
    scene.world.subscribe_all(lambda kind, facts: news.append(kind) if facts["id"] else None)
    match = scene.game()
    scene.play(match, *FOOLS_MATE)
    assert news == ["challenge", "challengeDone", "gameStart", *["move"] * 4, "gameFinish"]
