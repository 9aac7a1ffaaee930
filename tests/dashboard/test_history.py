"""What the page reads in the database: any selection, one game, openings, ratings, and all of it as PGN."""

import asyncio
import io
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import aiohttp
import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.dashboard.gameshapes import detail
from bot.dashboard.history import DAY_MS, BadQueryError, page_of, stored, wanted_of
from bot.dashboard.picture import Picture
from bot.dashboard.watched import Said
from bot.dashboard.window import read_challenges, read_recent, read_results
from bot.game.facts import ChatHeard, Fact, GameRated
from bot.game.nouns import GameId, Player, Speed, TimeControl
from bot.store.store import Store
from tests.dashboard.shown import Shown, Tale, judged, page, run
from tests.store.telling import START_MS, Teller, game_info, url_of

if TYPE_CHECKING:
    from bot.store.queries import Queries

ANNA, MAIA = Player("anna", "Anna", None, 1900), Player("maia", "maia", "BOT", 1700)
SPANISH = ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5")
FRENCH = ("e2e4", "e7e6", "d2d4")


def a_game(number: int, opponent: Player, moves: tuple[str, ...], result: str, **more: Any) -> list[Fact]:
    at_ms = START_MS + number * DAY_MS
    info = game_info(f"game{number:04d}", opponent=opponent, created_at_ms=at_ms, **more)
    teller = Teller(info, now_ms=at_ms)
    facts: list[Fact] = [teller.opened(), *teller.plies(*moves)]
    facts += [ChatHeard(info.id, "player", opponent.name, "hi <b>", at_ms), teller.closed(result)]
    return [*facts, GameRated(info.id, 5 - number, teller.now_ms)] if info.rated else facts


GAMES = [
    a_game(0, ANNA, SPANISH, "win"),
    a_game(1, MAIA, FRENCH, "loss", speed=Speed.BULLET, control=TimeControl(60, 0)),
    a_game(2, ANNA, FRENCH, "draw", rated=False),
    a_game(3, MAIA, (), "aborted", rated=False),
]
Story = Callable[[aiohttp.ClientSession, Store], Awaitable[None]]


def told(folder: Path, story: Story) -> None:
    """A page over a database with the games above."""

    async def whole() -> None:
        async with Store(url_of(folder)) as store:
            for fact in (fact for facts in GAMES for fact in facts):
                store.tell(fact)
            await store.settle()
            window = Shown()
            window.asked = store.ask
            async with page(window) as http:
                await story(http, store)

    run(whole)


async def get(http: aiohttp.ClientSession, path: str, status: int = 200) -> Any:
    async with http.get(path) as answer:
        assert answer.status == status, await answer.text()
        return await answer.json()


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ("", [3, 2, 1, 0]),
        ("opponent=ann", [2, 0]),
        ("kind=bot", [3, 1]),
        ("speed=bullet", [1]),
        ("result=draw", [2]),
        ("opening=french", [2, 1]),
        ("opening=C6", [0]),
        ("rated=no", [3, 2]),
        ("rated=yes&opponent=anna", [0]),
        ("variant=chess960", []),
        ("since=2026-09-23", [3, 2]),
        ("until=2026-09-22", [1, 0]),
        ("since=2026-09-22&until=2026-09-22", [1]),
        ("opponent=", [3, 2, 1, 0]),
    ],
)
def test_games_are_found_by_what_is_wanted(tmp_path: Path, query: str, numbers: list[int]) -> None:
    async def story(http: aiohttp.ClientSession, _: Store) -> None:
        found = await get(http, f"/api/games?{query}")
        assert [game["id"] for game in found["games"]] == [f"game{number:04d}" for number in numbers]
        assert found["total"] == len(numbers)
        async with http.get(f"/api/games.pgn?{query}") as answer:
            text = io.StringIO(await answer.text())
        sites = []
        while game := chess.pgn.read_game(text):
            assert not game.errors
            sites.append(game.headers["GameId"])
        assert sites == [f"game{number:04d}" for number in numbers]

    told(tmp_path, story)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("since=yesterday", "since is a day such as 2026-11-18, not 'yesterday'"),
        ("rated=perhaps", "rated is yes or no, not 'perhaps'"),
        ("page=0", "page is a number from 1, not '0'"),
        ("page=x", "page is a number from 1, not 'x'"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, query: str, words: str) -> None:
    async def story(http: aiohttp.ClientSession, _: Store) -> None:
        assert await get(http, f"/api/games?{query}", 400) == {"error": words}

    told(tmp_path, story)


@given(st.dictionaries(st.sampled_from(["opponent", "since", "until", "rated", "page", "speed"]), st.text()))
def test_no_query_is_anything_but_read_or_refused(query: dict[str, str]) -> None:
    with suppress(BadQueryError):
        wanted_of(query)
        assert page_of(query) >= 1


def test_a_game_of_the_past_is_shown_as_it_was_while_it_was_played(tmp_path: Path) -> None:
    async def story(http: aiohttp.ClientSession, _: Store) -> None:
        picture = Picture()
        for fact in GAMES[0]:
            picture.tell(fact)
        view = picture.game("game0000")
        assert view is not None
        live, past = json.loads(json.dumps(detail(view))), await get(http, "/api/games/game0000")
        of_the_moment = {"clocks", "seen_ms", "lag_ms", "san", "depth", "nps"}
        assert past == {name: value for name, value in live.items() if name not in of_the_moment}
        assert past["chat"][0]["text"] == "hi <b>"

    told(tmp_path, story)


@given(st.integers(0, 300))
def test_replay_goes_through_every_position(seed: int) -> None:
    tale = Tale(seed)
    picture = Picture()
    for fact in tale.facts():
        picture.tell(fact)
    view = picture.game(tale.teller.info.id)
    assert view is not None
    past = stored(view.row, view.moves, (Said("player", "a", "b", 0),))
    assert tuple(past["fens"]) == view.fens
    assert len(past["fens"]) == len(past["moves"]) + 1


def test_a_game_nobody_knows_is_not_found(tmp_path: Path) -> None:
    async def story(http: aiohttp.ClientSession, _: Store) -> None:
        assert await get(http, "/api/games/nosuch01", 404) == {"error": "there is no game nosuch01"}
        async with http.get("/api/games/nosuch01.pgn") as answer:
            assert answer.status == 404

    told(tmp_path, story)


def test_one_game_can_be_had_as_pgn(tmp_path: Path) -> None:
    async def story(http: aiohttp.ClientSession, _: Store) -> None:
        async with http.get("/api/games/game0000.pgn") as answer:
            game = chess.pgn.read_game(io.StringIO(await answer.text()))
            assert answer.headers["Content-Disposition"] == "attachment; filename=game0000.pgn"
        assert game is not None
        assert [move.uci() for move in game.mainline_moves()] == list(SPANISH)

    told(tmp_path, story)


def test_openings_have_their_games_and_their_score(tmp_path: Path) -> None:
    async def story(http: aiohttp.ClientSession, _: Store) -> None:
        rows = (await get(http, "/api/openings"))["openings"]
        french = next(row for row in rows if row["opening"].startswith("French"))
        assert (french["games"], french["wins"], french["draws"], french["losses"]) == (2, 0, 1, 1)
        assert french["score"] == 0.25
        assert (await get(http, "/api/openings?opponent=maia"))["openings"][0]["games"] == 1

    told(tmp_path, story)


def test_the_rating_has_a_curve_for_each_kind_of_game(tmp_path: Path) -> None:
    async def story(http: aiohttp.ClientSession, _: Store) -> None:
        curves = (await get(http, "/api/ratings"))["curves"]
        assert {perf: [rating for _, rating in points] for perf, points in curves.items()} == {
            "blitz": [2505],
            "bullet": [2504],
        }
        assert (await get(http, "/api/ratings?since=2026-09-22"))["curves"].keys() == {"bullet"}

    told(tmp_path, story)


def test_a_long_curve_is_thinned_to_the_last_of_each_stretch(tmp_path: Path) -> None:
    async def story() -> None:
        async with Store(url_of(tmp_path)) as store:
            for number in range(40):
                info = replace(game_info(f"rate{number:04d}"), created_at_ms=START_MS + number)
                for fact in (Teller(info).opened(), GameRated(info.id, number, START_MS + 100 * number)):
                    store.tell(fact)
            await store.settle()
            thinned = await store.ask.ratings(every_ms=1000)
            assert [point.diff for point in thinned] == [9, 19, 29, 39]
            assert await store.ask.first_rating_ms() == START_MS
            assert await store.ask.first_rating_ms(START_MS + 10_000) is None

    run(story)


def test_pages_follow_one_another(tmp_path: Path) -> None:
    async def story() -> None:
        async with Store(url_of(tmp_path)) as store:
            for number in range(30):
                for fact in a_game(number, ANNA, (), "draw", rated=False):
                    store.tell(fact)
            await store.settle()
            window = Shown()
            window.asked = store.ask
            async with page(window) as http:
                first, last = await get(http, "/api/games"), await get(http, "/api/games?page=2")
                assert (first["pages"], first["total"]) == (2, 30)
                ids = [game["id"] for game in first["games"] + last["games"]]
                assert ids == [f"game{number:04d}" for number in range(29, -1, -1)]

    run(story)


def test_what_the_database_remembers_is_shown_from_the_start(tmp_path: Path) -> None:
    async def story(_: aiohttp.ClientSession, store: Store) -> None:
        for number in (1, 2):
            store.tell(judged(number))
        await store.settle()
        window = Shown()
        results = await read_results(store.ask, START_MS + 2 * DAY_MS)
        assert {key: tuple(score) for key, score in results.today.items()} == {("blitz", "human"): (0, 1, 0)}
        window.feed.remember(results, await read_recent(store.ask), await read_challenges(store.ask))
        snapshot = window.feed.snapshot()
        assert {key: tuple(score) for key, score in snapshot.results.ever.items()} == {
            ("blitz", "human"): (1, 1, 0),
            ("bullet", "bot"): (0, 0, 1),
        }
        assert [row.id for row in snapshot.recent] == ["game0003", "game0002", "game0001", "game0000"]
        assert [asked.id for asked in snapshot.challenges] == ["ask00002", "ask00001"]

    told(tmp_path, story)


def test_without_a_database_the_page_says_so() -> None:
    async def story() -> None:
        async with page(Shown()) as http:
            assert await get(http, "/api/games", 503) == {"error": "the database is not open yet"}

    run(story)


def test_a_game_being_played_is_found_where_no_database_knows_it() -> None:
    async def story() -> None:
        window, teller = Shown(), Teller()
        window.tell(teller.opened())
        async with page(window) as http:
            assert (await get(http, f"/api/games/{teller.info.id}"))["id"] == GameId("game0001")

    run(story)


class ManyGames:
    """Stands in for a database of many games, and notes at which turn of everybody else each is written."""

    def __init__(self) -> None:
        self.turns, self.noted = 0, list[int]()

    async def pgn(self, *_: object, **__: object) -> AsyncIterator[str]:
        for _number in range(60):
            self.noted.append(self.turns)
            yield "[GameId]"

    async def somebody_else(self) -> None:
        while True:
            self.turns += 1
            await asyncio.sleep(0)


def test_between_two_games_of_a_download_everybody_else_has_his_turn() -> None:
    async def story() -> None:
        window, many = Shown(), ManyGames()
        window.asked = cast("Queries", many)
        async with page(window) as http:
            other = asyncio.create_task(many.somebody_else())
            async with http.get("/api/games.pgn") as answer:
                assert (await answer.text()).count("[GameId]") == 60
            other.cancel()
        assert len(set(many.noted[1:])) == 59

    run(story)
