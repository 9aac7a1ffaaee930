"""What the page, the policy and the book may ask."""

import datetime as dt
import io
import sqlite3
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest

from bot.errors import BotError
from bot.game.facts import ChatHeard, Fact, GameRated
from bot.game.nouns import GameId, Player, Speed, TimeControl
from bot.store.queries import DAY_MS, Queries
from bot.store.store import Store
from bot.store.wanted import Wanted
from tests.store.telling import ANNA, START_MS, Teller, game_info, run, url_of

ROBO = Player("robo", "RoBo", "BOT", 2600)
STOCKFISH = Player(None, "Stockfish", ai_level=3)


def history() -> list[Fact]:
    """Four games over two days, and one that runs."""
    sicilian, french = ("e2e4", "c7c5", "g1f3"), ("e2e4", "e7e6")
    plan: tuple[tuple[str, dict[str, Any], tuple[str, ...], str, str], ...] = (
        ("one", {}, sicilian, "win", "mate"),
        ("two", {"opponent": ROBO, "rated": False}, sicilian, "loss", "outoftime"),
        ("three", {"speed": Speed.BULLET, "control": TimeControl(60, 0)}, french, "draw", "stalemate"),
        ("four", {"opponent": STOCKFISH, "variant": "atomic", "white": False}, (), "aborted", "aborted"),
    )
    facts: list[Fact] = []
    for number, (game, more, moves, result, status) in enumerate(plan):
        at_ms = START_MS + number * DAY_MS // 2
        teller = Teller(game_info(game, created_at_ms=at_ms, **more), now_ms=at_ms)
        facts += [teller.opened(), *teller.plies(*moves), teller.closed(result, status)]
        facts.append(ChatHeard(teller.info.id, "player", "Anna", f"hello {number}", at_ms))
        if teller.info.rated and result != "aborted":
            facts.append(GameRated(teller.info.id, 5 - number, at_ms))
    running = Teller(game_info("five", created_at_ms=START_MS + 3 * DAY_MS), now_ms=START_MS + 3 * DAY_MS)
    return [*facts, running.opened(), *running.plies("d2d4")]


def asked(folder: Path, question: Callable[[Queries], Awaitable[Any]]) -> Any:
    async def story() -> Any:
        async with Store(url_of(folder), pause_s=0.0) as store:
            for fact in history():
                store.tell(fact)
            await store.settle()
            return await question(store.ask)

    return run(story())


@pytest.mark.parametrize(
    ("wanted", "games"),
    [
        (None, ["five", "four", "three", "two", "one"]),
        (Wanted(opponent="ann"), ["five", "three", "one"]),
        (Wanted(opponent="%"), []),
        (Wanted(kind="bot"), ["two"]),
        (Wanted(kind="ai"), ["four"]),
        (Wanted(speed="bullet"), ["three"]),
        (Wanted(variant="atomic"), ["four"]),
        (Wanted(perf="atomic"), ["four"]),
        (Wanted(result="loss"), ["two"]),
        (Wanted(rated=False), ["two"]),
        (Wanted(opening="sicilian"), ["two", "one"]),
        (Wanted(opening="C0"), ["three"]),
        (Wanted(since_ms=START_MS + DAY_MS), ["five", "four", "three"]),
        (Wanted(until_ms=START_MS + DAY_MS), ["two", "one"]),
        (Wanted(over=False), ["five"]),
        (Wanted(opponent="anna", result="win", over=True), ["one"]),
    ],
)
def test_games_are_found_by_what_a_person_chooses(
    tmp_path: Path, wanted: Wanted | None, games: list[str]
) -> None:
    async def question(ask: Queries) -> tuple[list[str], int]:
        return [game.id for game in await ask.games(wanted)], await ask.count(wanted)

    assert asked(tmp_path, question) == (games, len(games))


def test_a_long_list_comes_in_pages(tmp_path: Path) -> None:
    page = asked(tmp_path, lambda ask: ask.games(limit=2, offset=1))
    assert [game.id for game in page] == ["four", "three"]


def test_one_game_comes_with_its_moves_and_its_chat(tmp_path: Path) -> None:
    async def question(ask: Queries) -> tuple[Any, ...]:
        return await ask.game(GameId("one")), await ask.chat(GameId("one")), await ask.game(GameId("none"))

    (game, moves), chat, nothing = asked(tmp_path, question)
    assert game.info.opponent == ANNA
    assert [move.san for move in moves] == ["e4", "c5", "Nf3"]
    assert [line[:3] for line in chat] == [("player", "Anna", "hello 0")]
    assert nothing is None


def test_results_are_summed_up_by_speed_and_kind_of_opponent(tmp_path: Path) -> None:
    found = asked(tmp_path, lambda ask: ask.tally(("speed", "kind")))
    assert {row.key: row[1:] for row in found} == {
        ("blitz", "human"): (1, 0, 0),
        ("blitz", "bot"): (0, 0, 1),
        ("bullet", "human"): (0, 1, 0),
    }


def test_results_of_today_are_a_matter_of_since_when(tmp_path: Path) -> None:
    (found,) = asked(tmp_path, lambda ask: ask.tally(wanted=Wanted(since_ms=START_MS + DAY_MS)))
    assert found == ((), 0, 1, 0)
    assert asked(tmp_path, lambda ask: ask.tally(wanted=Wanted(since_ms=START_MS + 9 * DAY_MS))) == ()


def test_openings_have_games_and_a_score(tmp_path: Path) -> None:
    found = asked(tmp_path, lambda ask: ask.tally(("eco", "opening")))
    assert [(row.key, row.games, row.score) for row in found] == [
        (("B27", "Sicilian Defense"), 2, 0.5),
        (("C00", "French Defense"), 1, 0.5),
    ]


def test_days_are_dates_in_their_order(tmp_path: Path) -> None:
    first = dt.datetime.fromtimestamp(START_MS / 1000, dt.UTC).date()
    last = dt.datetime.fromtimestamp(START_MS / 1000 + 86_400, dt.UTC).date()
    keys = [row.key[0] for row in asked(tmp_path, lambda ask: ask.tally(("day",)))]
    assert keys == sorted(keys)
    assert (keys[0], keys[-1]) == (first.isoformat(), last.isoformat())


def test_the_rating_curve_has_a_point_after_each_rated_game(tmp_path: Path) -> None:
    async def question(ask: Queries) -> tuple[Any, ...]:
        return await ask.ratings(), await ask.ratings("bullet")

    every, bullet = asked(tmp_path, question)
    assert [(point.perf, point.rating, point.diff) for point in every] == [
        ("blitz", 2505, 5),
        ("bullet", 2503, 3),
    ]
    assert [point.game for point in bullet] == ["three"]


def test_caps_are_counted_from_when_games_began(tmp_path: Path) -> None:
    async def question(ask: Queries) -> tuple[Any, ...]:
        since_ms = START_MS + DAY_MS // 2
        return (
            await ask.games_with("anna", START_MS),
            await ask.games_with("anna", START_MS + 1),
            await ask.games_by_opponent(since_ms),
        )

    assert asked(tmp_path, question) == (3, 2, {"anna": 2, "robo": 1})


def test_the_cap_is_read_from_an_index(tmp_path: Path) -> None:
    asked(tmp_path, lambda ask: ask.count())
    connection = sqlite3.connect(tmp_path / "data" / "krait.db")
    plan = connection.execute(
        "explain query plan select count(*) from games where opponent = 'anna' and began_ms >= 1"
    ).fetchall()
    connection.close()
    assert "COVERING INDEX games_by_opponent" in str(plan)


def test_the_book_learns_what_was_played_against_somebody_in_a_position(tmp_path: Path) -> None:
    async def question(ask: Queries) -> tuple[Any, ...]:
        start = chess.Board()
        return (
            await ask.last_moves("anna", start),
            await ask.last_moves("anna", start, limit=1),
            await ask.last_moves("robo", start),
            await ask.last_moves("anna", chess.Board("8/8/8/8/8/8/8/K1k5 w - - 0 1")),
        )

    assert asked(tmp_path, question) == (("d2d4", "e2e4", "e2e4"), ("d2d4",), ("e2e4",), ())


def test_a_selection_is_downloaded_as_pgn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.store.queries._PAGE", 1)

    async def question(ask: Queries) -> str:
        return "".join([text async for text in ask.pgn(Wanted(opponent="anna", over=True))])

    stream = io.StringIO(asked(tmp_path, question))
    sites = []
    while game := chess.pgn.read_game(stream):
        assert not game.errors
        sites.append(game.headers["Site"])
    assert sites == ["https://lichess.org/three", "https://lichess.org/one"]


def test_a_database_that_fails_is_an_error_of_one_line(tmp_path: Path) -> None:
    async def story() -> None:
        async with Store(url_of(tmp_path), pause_s=0.0) as store:
            async with store._engine.begin() as connection:
                await connection.exec_driver_sql("drop table ratings")
            await store.ask.ratings()

    with pytest.raises(BotError, match=r"^database: no such table: ratings$"):
        run(story())


def test_a_game_of_an_anonymous_opponent_counts_for_no_cap(tmp_path: Path) -> None:
    async def story() -> dict[str, int]:
        async with Store(url_of(tmp_path), pause_s=0.0) as store:
            store.tell(Teller(game_info(opponent=replace(ANNA, id=None))).opened())
            await store.settle()
            return await store.ask.games_by_opponent(0)

    assert run(story()) == {}
