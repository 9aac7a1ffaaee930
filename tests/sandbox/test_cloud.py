"""Cloud evaluations and teams, without a server."""

import chess
import pytest

from bot.sandbox.cloud import OPENINGS, Cloud
from tests.sandbox.scene import Scene, error_of, refused

START = chess.STARTING_FEN


def test_the_openings_are_known_whatever_their_counters_say() -> None:
    cloud = Cloud()
    assert len(cloud) == len(OPENINGS)
    for fen in (START, START.replace("0 1", "7 30"), START.replace(" 0 1", ""), START.replace(" ", "_")):
        found = cloud.find("standard", fen)
        assert (found["fen"], found["depth"], found["pvs"][0]["cp"]) == (fen, 22, 38)
        assert found["pvs"][0]["moves"].startswith("d2d4 g8f6")


def test_castling_is_king_takes_rook_in_a_line() -> None:
    board = chess.Board()
    board.push_san("e4")
    assert Cloud().find("standard", board.fen())["pvs"][0]["moves"].endswith("e1h1")


@pytest.mark.parametrize("fen", ["", "x", "8/8/8/8/8/8/8/8 w - - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"])
def test_what_nobody_has_analysed_is_not_found(fen: str) -> None:
    refusal = refused(Cloud().find, "standard", fen)
    assert refusal.status == 404
    assert refusal.body == {"error": "No cloud evaluation available for that position"}


def test_as_many_lines_are_given_as_asked_for_or_none_at_all() -> None:
    cloud = Cloud()
    lines = [{"moves": "e2e4", "cp": 30}, {"moves": "d2d4 d7d5", "mate": 5}]
    cloud.add("standard", START, lines, depth=30, knodes=99)
    assert len(cloud.find("standard", START, 1)["pvs"]) == 1
    assert cloud.find("standard", START, 2)["pvs"] == lines
    assert refused(cloud.find, "standard", START, 3).status == 404
    only = "7k/8/8/8/8/8/6q1/7K w - - 0 1"  # one legal move is all the lines there can be
    cloud.add("standard", only, [{"moves": "Kxg2", "cp": 0}], depth=1, knodes=1)
    assert len(cloud.find("standard", only, 3)["pvs"]) == 1


def test_a_position_is_of_its_variant() -> None:
    cloud = Cloud()
    cloud.add("atomic", START, [{"moves": "g1f3", "cp": 90}], depth=20, knodes=10)
    assert cloud.find("atomic", START)["pvs"][0]["cp"] == 90
    assert cloud.find("standard", START)["pvs"][0]["cp"] == 38
    assert cloud.find("nonsense", START)["pvs"][0]["cp"] == 38  # as lila, which then takes standard


@pytest.mark.parametrize(
    "pvs",
    [
        [],
        [{}],
        [{"moves": "e2e5", "cp": 1}],
        [{"moves": "e2e4"}],
        [{"moves": "e4", "cp": 1, "mate": 2}],
        [{"cp": 1}],
    ],
)
def test_an_evaluation_that_cannot_be_is_refused(pvs: list[dict[str, object]]) -> None:
    assert refused(Cloud().add, "standard", START, pvs, depth=1, knodes=1).status == 400


def test_a_team_is_joined_shown_and_left() -> None:
    scene = Scene()
    teams = scene.world.teams
    team = teams.create("Les Échecs & Co", description="for all", leader_id="opal")
    assert team.id == "les-checs-co"
    scene.now_ms += 5
    teams.join(team.id, "numbarine")
    scene.now_ms += 5
    teams.join(team.id, "Numbarine")
    assert [each["id"] for each in teams.users(team.id)] == ["numbarine", "opal"]
    assert teams.users(team.id)[0]["joinedTeamAt"] == scene.now_ms - 5
    assert "perfs" in teams.users(team.id, full=True)[0]
    assert [(each["id"], each["nbMembers"], each["joined"]) for each in teams.of("NUMBARINE", "opal")] == [
        (team.id, 2, True)
    ]
    assert teams.of("nobody") == []
    teams.quit(team.id, "numbarine")
    assert not teams.has(team.id, "numbarine")
    assert refused(teams.quit, team.id, "numbarine").status == 404
    assert error_of(teams.kick, team.id, "opal") == "A team does not throw out its leader"


def test_a_team_without_a_name_of_its_own_is_not_made() -> None:
    scene = Scene()
    scene.world.teams.create("One")
    for name in ("one", "…"):
        with pytest.raises(ValueError, match="team"):
            scene.world.teams.create(name)
