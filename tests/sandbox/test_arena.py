"""Arenas: points, pairings and time as pure rules; then joined, paired, played and counted in a world."""

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sandbox.arena import Arena, Entrant, Outcome, pairings, points
from bot.sandbox.match import Match
from bot.sandbox.world import World
from tests.sandbox.scene import START_MS, Scene, error_of, patient, refused

WIN, DRAW, LOSS = Outcome(1, 50), Outcome(0.5, 50), Outcome(0, 50)
BULLET = {"clock.limit": 60, "clock.increment": 0}


@pytest.mark.parametrize(
    ("outcomes", "earned"),
    [
        ([WIN, WIN, WIN, WIN], [2, 2, 4, 4]),
        ([WIN, WIN, LOSS, WIN], [2, 2, 0, 2]),
        ([WIN, WIN, DRAW, WIN], [2, 2, 2, 2]),
        ([DRAW, DRAW, LOSS, DRAW, WIN, DRAW], [1, 0, 0, 0, 2, 1]),
        ([DRAW, Outcome(0.5, 60)], [1, 1]),
        ([Outcome(0.5, 19)], [0]),
    ],
)
def test_a_win_is_two_points_a_streak_doubles_and_idle_draws_are_none(
    outcomes: list[Outcome], earned: list[int]
) -> None:
    assert points(outcomes) == earned


OUTCOMES = st.lists(st.builds(Outcome, st.sampled_from([0.0, 0.5, 1.0]), st.integers(2, 200)), max_size=12)


@given(OUTCOMES)
@patient(100)
def test_every_game_earns_from_nothing_to_four_and_a_loss_nothing(outcomes: list[Outcome]) -> None:
    earned = points(outcomes)
    assert len(earned) == len(outcomes)
    for outcome, each in zip(outcomes, earned, strict=True):
        assert each in {0.0: {0}, 0.5: {0, 1, 2}, 1.0: {2, 4}}[outcome.score]


def tables() -> st.SearchStrategy[dict[str, Entrant]]:
    names = [f"p{number}" for number in range(8)]
    one = st.builds(
        Entrant, st.integers(800, 2800), whites=st.integers(-3, 3), last_met=st.sampled_from(names)
    )
    return st.dictionaries(st.sampled_from(names), one, max_size=8)


@given(tables(), st.booleans(), st.randoms())
@patient(200)
def test_nobody_is_paired_twice_nor_with_whom_they_have_just_met(
    entrants: dict[str, Entrant],
    few: bool,
    rng: random.Random,
) -> None:
    free = list(entrants)
    rng.shuffle(free)
    made = pairings(free, entrants, few=few)
    players = [user for pair in made for user in pair]
    assert len(players) == len(set(players))
    assert set(players) <= set(free)
    for white, black in made:
        assert entrants[white].whites <= entrants[black].whites
        assert few or (entrants[white].last_met, entrants[black].last_met) != (black, white)
    left = [user for user in free if user not in players]
    assert len(left) < 2 or not few


DEEDS = st.sampled_from(["join", "leave", "resign", "wait"])


@given(st.lists(st.tuples(DEEDS, st.integers(0, 4))))
@patient(100)
def test_an_arena_whatever_happens_to_it_is_what_its_json_says(deeds: Sequence[tuple[str, int]]) -> None:
    scene = Scene()
    arena = scene.world.arenas.create("Cup", BULLET, minutes=5, starts_in_ms=10_000, bots=True)
    for number in range(5):
        scene.world.accounts.create(f"p{number}", title="BOT")
        scene.world.stream_opened(f"p{number}")
    for deed, number in deeds:
        running = [game for game in arena.games if scene.world.games.get(game).ply == 0]
        if deed == "join" and not arena.is_finished:
            scene.world.arenas.join(arena.id, f"p{number}")
        elif deed == "leave":
            arena.leave(f"p{number}", scene.now_ms)
        elif deed == "wait":
            scene.wait(5000)
        elif running:
            match = scene.world.games.get(running[number % len(running)])
            scene.world.games.resign(match.id, match.seats[number % 2 == 0].user_id or "")
    assert Arena.from_json(arena.to_json()) == arena
    playing = [seat.user_id for game in arena.games for seat in scene.world.games.get(game).seats.values()]
    assert len(playing) == len(set(playing))
    assert all(not scene.world.games.get(game).is_over for game in arena.games)
    assert arena.played * 2 == sum(len(entrant.outcomes) for entrant in arena.entrants.values())


def cup(scene: Scene, **more: object) -> Arena:
    """An arena for bots, with both of the scene in it and online."""
    arena = scene.world.arenas.create("Cup", BULLET, **({"bots": True, "minutes": 5} | more))  # type: ignore[arg-type]  # whatever a test wants
    for user in ("numbarine", "opal"):
        scene.world.arenas.join(arena.id, user)
        scene.world.stream_opened(user)
    return arena


def game_of(scene: Scene) -> Match:
    (match,) = scene.world.games.ongoing()
    return match


def test_two_who_are_online_are_paired_when_it_starts_and_again_when_they_are_done() -> None:
    scene = Scene()
    arena = cup(scene, starts_in_ms=60_000)
    scene.wait(59_999)
    assert not scene.world.games.all()
    scene.wait(1)
    first = game_of(scene)
    assert (first.source, first.tournament_id) == ("arena", arena.id)
    white = first.seats[True].user_id
    scene.world.games.resign(first.id, white or "")
    scene.wait(1000)
    assert game_of(scene).seats[False].user_id == white  # colours change
    assert sorted(sum(each.points) for each in arena.entrants.values()) == [0, 2]


def test_nobody_is_paired_who_is_not_online_or_has_withdrawn() -> None:
    scene = Scene()
    arena = cup(scene, starts_in_ms=60_000)
    scene.world.stream_closed("opal")
    scene.wait(90_000)
    assert not scene.world.games.all()
    scene.world.arenas.withdraw(arena.id, "opal")
    scene.world.stream_opened("opal")
    scene.wait(10_000)
    assert not scene.world.games.all()
    scene.world.arenas.join(arena.id, "opal")
    scene.wait(1000)
    assert game_of(scene)


def test_who_does_not_make_the_first_move_loses_and_is_paired_no_more() -> None:
    scene = Scene()
    arena = cup(scene)
    scene.wait(0)
    match = game_of(scene)
    white, black = (match.seats[side].user_id or "" for side in (True, False))
    scene.wait(17_000)
    assert (match.status.label, match.winner) == ("noStart", False)
    assert (arena.entrants[white].is_away, arena.entrants[black].is_away) == (True, False)
    scene.wait(30_000)
    assert len(scene.world.games.all()) == 1


def test_an_arena_game_is_not_aborted_taken_back_or_talked_in() -> None:
    scene = Scene()
    cup(scene)
    scene.wait(0)
    match = game_of(scene)
    heard = scene.game_stream(match)
    assert heard[0] is not None
    assert heard[0]["tournamentId"] == match.tournament_id
    assert heard[0]["state"]["expiration"] == {"idleMillis": 0, "millisToMove": 16_000}
    assert error_of(scene.world.games.abort, match.id, "numbarine") == "This game can no longer be aborted"
    assert not scene.world.games.say(match.id, "opal", {"room": "player", "text": "hello"})
    scene.play(match, "e2e4", "e7e5")
    scene.world.games.takeback(match.id, "opal", accept=True)
    assert "takeback" not in str(heard)
    scene.world.games.resign(match.id, "numbarine")
    assert error_of(scene.world.lobby.offer_rematch, match.id, "opal") == "This game cannot be played again"


def test_a_game_that_outlasts_the_arena_counts_for_nothing_and_one_without_games_is_forgotten() -> None:
    scene = Scene()
    played, empty = cup(scene, minutes=1), scene.world.arenas.create("None", BULLET, minutes=1)
    scene.wait(0)
    match = game_of(scene)
    scene.world.games.resign(match.id, "opal")
    scene.wait(1000)
    late = game_of(scene)
    scene.play(late, "e2e4", "e7e5")
    scene.wait(60_000)
    assert (played.is_finished, played.games) == (True, [])
    assert not late.is_over or late.status.label == "outoftime"
    assert sum(sum(each.points) for each in played.entrants.values()) == 2
    assert refused(scene.world.arenas.get, empty.id).status == 404
    assert error_of(scene.world.arenas.join, played.id, "opal") == "This tournament no longer exists"


def test_no_game_begins_when_it_could_not_be_finished() -> None:
    scene = Scene()
    cup(scene, minutes=1, starts_in_ms=20_000)
    scene.world.stream_closed("opal")
    scene.wait(51_000)
    scene.world.stream_opened("opal")
    scene.wait(60_000)
    assert not scene.world.games.all()


def test_the_organisers_switch_a_team_and_a_password_keep_people_out() -> None:
    scene = Scene()
    world = scene.world
    plain = world.arenas.create("Plain", BULLET)
    assert error_of(world.arenas.join, plain.id, "numbarine") == "Tournament restrictions"
    world.arenas.join(plain.id, "opal")
    world.arenas.allow_bots(plain.id, allowed=True)
    world.arenas.join(plain.id, "numbarine")
    world.teams.create("The Team", leader_id="opal")
    closed = world.arenas.create("Closed", BULLET, bots=True, team_id="the-team", password="key")  # noqa: S106  made up
    assert error_of(world.arenas.join, closed.id, "opal") == "Wrong entry code"
    assert error_of(world.arenas.join, closed.id, "numbarine", "key") == "Tournament restrictions"
    world.teams.join("the-team", "numbarine")
    world.arenas.join(closed.id, "numbarine", "key")
    assert error_of(world.arenas.join, "nothing1", "opal") == "This tournament no longer exists"


def test_arenas_teams_and_evaluations_are_saved_with_the_world_and_go_on() -> None:
    scene = Scene()
    arena = cup(scene)
    scene.world.teams.create("The Team", leader_id="opal")
    fen = "8/8/8/8/8/4k3/4p3/4K3 w - - 0 1"
    scene.world.cloud.add(
        "standard", "8/8/8/8/8/4k3/8/4K2R w K - 0 1", [{"moves": "h1h3", "cp": 500}], depth=9, knodes=1
    )
    assert refused(scene.world.cloud.find, "standard", fen).status == 404
    scene.wait(0)
    loaded = World.load(scene.world.save(), now_ms=lambda: scene.now_ms, rng=scene.world._core.rng)
    assert loaded.save() == scene.world.save()
    match = loaded.games.get(game_of(scene).id)
    loaded.games.resign(match.id, "opal")
    assert sum(sum(each.points) for each in loaded.arenas.get(arena.id).entrants.values()) == 2


def test_what_an_arena_shows_is_where_it_stands() -> None:
    scene = Scene()
    arena = cup(scene, starts_in_ms=60_000)
    before = scene.world.arenas.show(arena.id, "numbarine")
    assert before["startsAt"] == "2023-11-14T22:14:20.000Z"
    assert arena.starts_at_ms == START_MS + 60_000
    assert (before["secondsToStart"], before["botsAllowed"], before["fullName"]) == (60, True, "Cup Arena")
    assert "isStarted" not in before
    scene.wait(60_000)
    during = scene.world.arenas.show(arena.id, None)
    assert (during["isStarted"], during["secondsToFinish"], len(during["duels"])) == (True, 300, 1)
    scene.world.games.resign(game_of(scene).id, "opal")
    standing = scene.world.arenas.show(arena.id, None)["standing"]["players"]
    assert [(each["name"], each["score"], each["sheet"]["scores"]) for each in standing] == [
        ("Numbarine", 2, "2"),
        ("Opal", 0, "0"),
    ]
    scene.wait(300_000)
    after = scene.world.arenas.show(arena.id, None)
    assert after["isFinished"]
    assert after["podium"][0]["nb"]["win"] >= 1


@pytest.mark.parametrize(
    ("form", "more"),
    [
        ({}, {}),
        ({"days": 2}, {}),
        (BULLET, {"minutes": 0}),
        (BULLET, {"starts_in_ms": -1}),
        ({"clock.limit": 15, "clock.increment": 0}, {"bots": True}),
    ],
)
def test_an_arena_that_cannot_be_is_refused(form: dict[str, int], more: dict[str, int]) -> None:
    scene = Scene()
    assert refused(scene.world.arenas.create, "Cup", form, **more).status == 400
