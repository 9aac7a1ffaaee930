"""Streams of many games, and games imported from a PGN."""

import pytest

from tests.sandbox.serving import OK as FINE
from tests.sandbox.serving import Box, Reply, error, run, said

BY_USERS = "/api/stream/games-by-users"


def test_games_between_the_users_named_are_told_when_they_begin_and_end() -> None:
    async def story(box: Box) -> None:
        for name in ("Krait", "Rival", "Third"):
            box.enter(name)
        running = box.start("Krait", "Rival")
        async with (
            box.anyone.stream(BY_USERS, "POST", data=b"krait,rival") as new,
            box.anyone.stream(f"{BY_USERS}?withCurrentGames=true", "POST", data=b"krait, Rival") as all_,
        ):
            assert (await all_.next())["id"] == running
            box.start("Krait", "Third")
            game = box.start("Rival", "Krait")
            box.play(game, "f2f3", "e7e5", "g2g4", "d8h4")
            for lines in (new, all_):
                first, last = await lines.next(), await lines.next()
                assert [(each["id"], each["statusName"]) for each in (first, last)] == [
                    (game, "started"),
                    (game, "mate"),
                ]
                assert last["winner"] == "black"

    run(story)


def test_games_named_by_their_ids_are_told_and_more_can_be_added() -> None:
    async def story(box: Box) -> None:
        box.enter("Krait")
        box.enter("Rival")
        games = [box.start("Krait", "Rival") for _ in range(3)]
        ids = f"{games[0]},nothing1".encode()
        async with box.anyone.stream("/api/stream/games/mine", "POST", data=ids) as lines:
            assert (await lines.next())["id"] == games[0]
            more = await box.anyone.ask("POST", "/api/stream/games/mine/add", data=games[1].encode())
            assert said(more) == FINE
            assert (await lines.next())["id"] == games[1]
            box.world.games.abort(games[2], "krait")
            box.world.games.abort(games[1], "krait")
            last = await lines.next()
            assert (last["id"], last["status"]) == (games[1], 25)
        unknown = await box.anyone.ask("POST", "/api/stream/games/other/add", data=b"x")
        assert said(unknown) == error("Not found", 404)

    run(story)


async def imported(box: Box, pgn: str) -> Reply:
    return await box.anyone.post("/api/import", {"pgn": pgn})


@pytest.mark.parametrize(
    ("pgn", "status", "winner"),
    [
        ("1. e4 e5 2. Nf3 1-0", "resign", "white"),
        ("1. f3 e5 2. g4 Qh4# 0-1", "mate", "black"),
        ("1. e4 e5 1/2-1/2", "draw", None),
        ("1. e4 *", "unknownFinish", None),
        ('[Variant "Crazyhouse"]\n\n1. e4 d5 2. exd5 Qxd5 3. P@e4 0-1', "resign", "black"),
        ('[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n[SetUp "1"]\n\n1. e4 Ke7 1-0', "resign", "white"),
    ],
)
def test_an_imported_game_is_over_and_can_be_exported(pgn: str, status: str, winner: str | None) -> None:
    async def story(box: Box) -> None:
        made = await imported(box, f'[White "Ann"]\n[Black "Bob"]\n{pgn}')
        assert made.body["url"] == f"{box.url}/{made.body['id']}"
        path = f"/game/export/{made.body['id']}"
        game = (await box.anyone.get(path, headers={"Accept": "application/json"})).body
        assert (game["status"], game.get("winner"), game["source"]) == (status, winner, "import")
        assert game["players"]["white"] == {"name": "Ann"}
        assert b'[White "Ann"]' in (await box.anyone.get(path)).raw

    run(story)


@pytest.mark.parametrize("pgn", ["1. e5", "1. e4 e4", '[Variant "Checkers"]\n\n1. e4 *', "x" * 70_000])
def test_what_is_no_game_is_not_imported(pgn: str) -> None:
    async def story(box: Box) -> None:
        assert (await imported(box, pgn)).status == 400
        assert box.world.games.all() == []

    run(story)


def test_ten_games_a_minute_are_imported_and_half_as_many_without_a_token() -> None:
    async def story(box: Box) -> None:
        bot = box.enter("Krait")
        for client, passed in ((box.anyone, 5), (bot, 10)):
            replies = [await client.post("/api/import", {"pgn": "1. e4 *"}) for _ in range(passed + 1)]
            assert [reply.status for reply in replies] == [200] * passed + [429]
            box.advance(60_000)

    run(story, limited=True)
