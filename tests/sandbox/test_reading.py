"""Looking on and looking things up: spectators, people, lists of games."""

from typing import Any

from tests.sandbox.scene import FOOLS_MATE, START_MS, Scene, moved, refused

# Watching


def test_spectators_see_moves_three_plies_late_and_all_of_them_at_the_end() -> None:
    scene = Scene()
    match = scene.game()
    heard: list[Any] = []
    scene.world.subscribe_spectator(match.id, heard.append)
    assert ["players" in line for line in heard] == [True, False]
    scene.play(match, "f2f3", "e7e5", "g2g4")
    assert len(heard) == 2
    scene.play(match, "d8h4")
    assert [line.get("lm") for line in heard[2:-2]] == ["f2f3", "e7e5", "g2g4", "d8h4"]
    assert heard[-2]["winner"] == "black"
    assert heard[-1] is None
    over: list[Any] = []
    scene.world.subscribe_spectator(match.id, over.append)
    assert over[-1] is None
    assert len(over) == 7


# Looking things up


def test_the_games_being_played_are_listed_for_each_player() -> None:
    scene = Scene()
    match = moved(scene)
    listed = scene.world.playing("opal")
    assert listed["nbMyTurn"] == 1
    assert [game["gameId"] for game in listed["nowPlaying"]] == [match.id]
    assert not {"compat", "id"} & set(listed["nowPlaying"][0])
    for _ in range(60):
        scene.game()
    assert len(scene.world.playing("opal")["nowPlaying"]) == 9
    assert len(scene.world.playing("opal", 99)["nowPlaying"]) == 50
    assert scene.world.playing("opal")["nbMyTurn"] == 61


def test_users_are_looked_up_by_name() -> None:
    scene = Scene()
    assert [user["id"] for user in scene.world.users(["OPAL", "nobody", "numbarine"])] == [
        "opal",
        "numbarine",
    ]
    assert scene.world.user("NUMBARINE")["title"] == "BOT"
    assert refused(scene.world.user, "nobody").status == 404


def test_bots_that_are_there_and_have_a_bio_are_listed() -> None:
    scene = Scene()
    silent = scene.world.accounts.create("Silent", title="BOT", bio="")
    for account in (scene.bot, scene.opal, silent):
        scene.world.stream_opened(account.id)
    assert [bot["id"] for bot in scene.world.bots_online()] == ["numbarine"]
    assert scene.world.bots_online(0)


def test_who_is_online_and_who_plays() -> None:
    scene = Scene()
    match = scene.game()
    scene.world.stream_opened("opal")
    opal, bot = scene.world.users_status(
        ["opal", "numbarine", "nobody"], with_signal=True, with_game_ids=True
    )
    assert (opal["online"], opal["signal"], opal["playingId"]) == (True, 4, match.id)
    assert "online" not in bot
    [meta] = scene.world.users_status(["opal"], with_game_metas=True)
    assert meta["playing"] == {"id": match.id, "variant": "standard", "clock": "3+2"}


def test_the_score_of_two_players() -> None:
    scene = Scene()
    scene.play(scene.game(), *FOOLS_MATE)
    drawn = moved(scene)
    scene.world.games.draw(drawn.id, "opal", accept=True)
    scene.world.games.draw(drawn.id, "numbarine", accept=True)
    scene.game()
    table = scene.world.crosstable("Opal", "Numbarine")
    assert table == {"users": {"opal": 0.5, "numbarine": 1.5}, "nbGames": 2}


def test_the_games_of_a_user_are_found_newest_first() -> None:
    scene = Scene()
    first = scene.game(rated=True)
    scene.play(first, *FOOLS_MATE)
    scene.now_ms += 1000
    second = scene.game(color="black")
    scene.play(second, *FOOLS_MATE)
    running = scene.game()
    find = scene.world.export_user
    assert find("opal") == [second.id, first.id]
    assert find("opal", ongoing=True, finished=False) == [running.id]
    assert find("opal", max_games=1) == [second.id]
    assert (
        find("opal", rated=True) == find("opal", until=START_MS) == find("opal", color="white") == [first.id]
    )
    assert find("opal", since=START_MS + 1) == [second.id]
    assert find("opal", vs="Numbarine", color="black") == [second.id]
    assert refused(find, "nobody").status == 404
