"""The database: what is told is there, whatever happened on the way."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.errors import ConfigError
from bot.game.facts import (
    ChallengeGone,
    ChallengeJudged,
    ChatHeard,
    Fact,
    GameRated,
    PliesSeen,
    TakebackGiven,
    Trouble,
)
from bot.game.nouns import Challenge, ChallengeId, GameId, State, TimeControl
from bot.store import schema
from bot.store.store import Store
from tests.store.telling import (
    ANNA,
    FOOLS_MATE,
    START_MS,
    VARIANTS,
    Teller,
    game_info,
    random_game,
    rows,
    run,
    url_of,
)

POSTGRES = os.environ.get("KRAIT_TEST_POSTGRES", "")


def store_in(folder: Path, troubles: list[Fact] | None = None, **more: Any) -> Store:
    tell = (lambda _: None) if troubles is None else troubles.append
    busy_ms = int(more.pop("busy_ms", 20))
    return Store(url_of(folder), tell=tell, pause_s=0.0, retry_s=0.02, busy_ms=busy_ms, **more)


def whole_game(teller: Teller, *ucis: str) -> list[Fact]:
    return [teller.opened(), *teller.plies(*ucis), teller.closed()]


async def write(folder: Path, *facts: Fact) -> None:
    async with store_in(folder) as store:
        for fact in facts:
            store.tell(fact)


def test_a_game_and_its_moves_are_there_after_closing(tmp_path: Path) -> None:
    run(write(tmp_path, *whole_game(Teller(), *FOOLS_MATE)))
    assert rows(tmp_path, "select id, result, plies, opening from games") == [
        ("game0001", "win", 4, "Barnes Opening")
    ]
    assert rows(tmp_path, "select ply, san, ours, clock_ms, cp, depth from moves order by ply") == [
        (0, "f3", 1, 181_000, 25, 10),
        (1, "e5", 0, 181_000, None, None),
        (2, "g4", 1, 182_000, 27, 12),
        (3, "Qh4#", 0, 182_000, None, None),
    ]


def test_the_file_is_written_ahead_and_has_foreign_keys(tmp_path: Path) -> None:
    run(write(tmp_path, *whole_game(Teller())))
    assert rows(tmp_path, "pragma journal_mode") == [("wal",)]
    assert rows(tmp_path, "pragma foreign_key_list(moves)")[0][2:4] == ("games", "game")


def test_a_resumed_game_goes_on_in_its_row(tmp_path: Path) -> None:
    teller = Teller()
    run(write(tmp_path, teller.opened(), *teller.plies("e2e4", "e7e5")))
    run(write(tmp_path, teller.opened(resumed=True), *teller.plies("g1f3"), teller.closed()))
    assert rows(tmp_path, "select id, plies, result from games") == [("game0001", 3, "win")]
    assert rows(tmp_path, "select uci, depth from moves order by ply") == [
        ("e2e4", 10),
        ("e7e5", None),
        ("g1f3", 12),
    ]


def test_a_takeback_while_we_were_away_leaves_no_ply_behind(tmp_path: Path) -> None:
    teller = Teller()
    run(write(tmp_path, teller.opened(), *teller.plies("e2e4", "e7e5", "g1f3")))
    teller.taken_back(2)
    run(write(tmp_path, teller.opened(resumed=True)))
    assert rows(tmp_path, "select uci from moves") == [("e2e4",)]


def test_a_game_that_ended_while_we_were_away_can_be_closed_later(tmp_path: Path) -> None:
    teller = Teller()
    run(write(tmp_path, teller.opened(), *teller.plies("e2e4", "e7e5")))
    teller.plies("g1f3")
    run(write(tmp_path, teller.closed("loss", "outoftime"), GameRated(teller.info.id, -6, START_MS)))
    assert rows(tmp_path, "select result, status, plies, rating_diff from games") == [
        ("loss", "outoftime", 3, -6)
    ]
    assert rows(tmp_path, "select san, depth from moves order by ply")[::2] == [("e4", 10), ("Nf3", None)]
    assert rows(tmp_path, "select perf, rating, diff from ratings") == [("blitz", 2494, -6)]


def test_a_fact_about_a_game_nobody_knows_is_passed_over(tmp_path: Path) -> None:
    troubles: list[Fact] = []

    async def story() -> None:
        async with store_in(tmp_path, troubles) as store:
            store.tell(PliesSeen(GameId("unknown1"), State(("e2e4",), 1, 1), START_MS))
            store.tell(Teller().opened())

    run(story())
    assert rows(tmp_path, "select id from games") == [("game0001",)]
    assert not troubles


def test_a_rating_told_twice_is_one_point_of_the_curve(tmp_path: Path) -> None:
    teller = Teller()
    rated = GameRated(teller.info.id, 8, START_MS)
    run(write(tmp_path, *whole_game(teller), rated))
    run(write(tmp_path, replace(rated, rating_diff=9)))
    assert rows(tmp_path, "select game, rating from ratings") == [("game0001", 2509)]


def test_chat_and_challenges_are_kept(tmp_path: Path) -> None:
    teller = Teller()
    challenge = Challenge(
        ChallengeId("ch000001"), None, None, "standard", False, TimeControl(60, 0), "random"
    )
    named = replace(challenge, id=ChallengeId("ch000002"), challenger=replace(ANNA, name="Ännä ♞"))
    run(
        write(
            tmp_path,
            teller.opened(),
            ChatHeard(teller.info.id, "player", "Ännä ♞", "góðan daginn 你好 \0\ud800", START_MS),
            ChallengeJudged(challenge, "queued", "", "full", START_MS),
            ChallengeGone(challenge.id, "canceled", START_MS),
            ChallengeJudged(named, "declined", "tooFast", "too fast", START_MS + 1),
        )
    )
    assert rows(tmp_path, "select name, text from chats") == [("Ännä ♞", "góðan daginn 你好 ?")]
    found = rows(tmp_path, "select challenger_name, kind, control, verdict, gone from challenges order by id")
    assert found == [
        ("Anonymous", "anonymous", "1+0", "queued", "canceled"),
        ("Ännä ♞", "human", "1+0", "declined", None),
    ]


def test_takebacks_given_are_counted_over_restarts(tmp_path: Path) -> None:
    teller = Teller()
    given_one = TakebackGiven(teller.info.id, START_MS)
    run(write(tmp_path, teller.opened(), given_one))

    async def story() -> int:
        async with store_in(tmp_path) as store:
            store.tell(teller.opened(resumed=True))
            store.tell(given_one)
            await store.settle()
            return await store.ask.takebacks_given(teller.info.id)

    assert run(story()) == 2


_KILLED = """
import asyncio, os, signal, sys
from tests.store.telling import Teller
from bot.store.store import Store

async def main():
    store = await Store(sys.argv[1]).__aenter__()
    teller = Teller()
    store.tell(teller.opened())
    for fact in teller.plies("e2e4", "e7e5"):
        store.tell(fact)
    await store.settle()
    for fact in teller.plies("g1f3"):
        store.tell(fact)
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


def test_kill_9_costs_nothing_that_was_settled_and_the_game_goes_on(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    killed = subprocess.run([sys.executable, "-c", _KILLED, url_of(tmp_path)], cwd=root, check=False)
    assert killed.returncode == -signal.SIGKILL
    teller = Teller()
    teller.plies("e2e4", "e7e5", "g1f3")
    run(write(tmp_path, teller.opened(resumed=True), *teller.plies("b8c6"), teller.closed()))
    assert rows(tmp_path, "select san, depth from moves order by ply") == [
        ("e4", 10),
        ("e5", None),
        ("Nf3", None),
        ("Nc6", None),
    ]


def test_a_locked_database_costs_no_game_and_is_told_once(tmp_path: Path) -> None:
    troubles: list[Fact] = []
    told = asyncio.Event()

    def tell(fact: Fact) -> None:
        troubles.append(fact)
        told.set()

    async def story() -> None:
        store = Store(url_of(tmp_path), tell=tell, pause_s=0.0, retry_s=0.02, busy_ms=1)
        async with store:
            other = sqlite3.connect(tmp_path / "data" / "krait.db", isolation_level=None)
            other.execute("begin immediate")
            for number in range(20):
                for fact in whole_game(Teller(game_info(f"game{number:04}")), *FOOLS_MATE):
                    store.tell(fact)
            await told.wait()
            other.execute("rollback")
            other.close()
            await store.settle()
            store.tell(Teller(game_info("after")).opened())

    run(story())
    assert rows(tmp_path, "select count(*) from games") == [(21,)]
    assert rows(tmp_path, "select count(*) from moves") == [(80,)]
    assert [fact.what for fact in troubles if isinstance(fact, Trouble)] == ["store_failed"]


def test_a_database_that_stays_locked_does_not_keep_us_from_leaving(tmp_path: Path) -> None:
    troubles: list[Fact] = []

    async def story() -> None:
        async with store_in(tmp_path, troubles, busy_ms=1, close_s=0.2) as store:
            other = sqlite3.connect(tmp_path / "data" / "krait.db", isolation_level=None)
            other.execute("begin immediate")
            store.tell(Teller().opened())
        other.close()

    run(story())
    assert [fact.what for fact in troubles if isinstance(fact, Trouble)] == ["store_failed", "store_lost"]


def test_a_row_that_can_never_be_written_costs_no_other(tmp_path: Path) -> None:
    troubles: list[Fact] = []
    bad = Teller(game_info("bad", created_at_ms=2**70))

    async def story() -> None:
        async with store_in(tmp_path, troubles) as store:
            for fact in (*whole_game(bad, "e2e4"), *whole_game(Teller(), "e2e4")):
                store.tell(fact)

    run(story())
    assert rows(tmp_path, "select id from games") == [("game0001",)]
    assert [fact.what for fact in troubles if isinstance(fact, Trouble)] == ["store_row_refused"]


def test_too_many_unwritten_games_are_dropped_oldest_first_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.store.store.UNSAVED_KEPT", 2)
    troubles: list[Fact] = []

    async def story() -> None:
        async with store_in(tmp_path, troubles) as store:
            for number in range(3):
                for fact in whole_game(Teller(game_info(f"game{number}")), "e2e4"):
                    store.tell(fact)

    run(story())
    assert rows(tmp_path, "select id from games order by id") == [("game1",), ("game2",)]
    assert [fact.what for fact in troubles if isinstance(fact, Trouble)] == ["store_game_lost"]


def test_a_game_whose_record_was_let_go_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.store.store.SAVED_KEPT", 1)
    one, two = Teller(game_info("one")), Teller(game_info("two"))

    async def story() -> None:
        async with store_in(tmp_path) as store:
            for begun in (one.opened(), *one.plies("e2e4"), two.opened()):
                store.tell(begun)
            await store.settle()
            assert len(store._records) == 1
            for later in (*one.plies("e7e5"), one.closed()):
                store.tell(later)

    run(story())
    assert rows(tmp_path, "select san, depth from moves order by ply") == [("e4", 10), ("e5", None)]


@pytest.mark.parametrize(
    ("url", "hint"),
    [
        ("krait.db", "not a URL"),
        ("mysql://localhost/krait", "mysql is not known"),
        ("sqlite://", "name a file"),
        ("sqlite:////proc/none/krait.db", "may we write"),
    ],
)
def test_a_database_that_cannot_be_is_refused_in_one_line(url: str, hint: str) -> None:
    async def story() -> None:
        async with Store(url):
            pass

    with pytest.raises(ConfigError, match=hint) as refused:
        run(story())
    assert "\n" not in str(refused.value)


def test_a_read_only_database_is_refused_at_the_door(tmp_path: Path) -> None:
    run(write(tmp_path, Teller().opened()))
    url = f"sqlite:///file:{tmp_path}/data/krait.db?mode=ro&uri=true"

    async def story() -> None:
        async with Store(url):
            pass

    with pytest.raises(ConfigError, match="readonly"):
        run(story())


def test_a_password_is_never_shown() -> None:
    async def story() -> None:
        async with Store("postgresql://krait:hunter2@127.0.0.1:1/krait"):
            pass

    with pytest.raises(ConfigError) as refused:
        run(story())
    assert "hunter2" not in str(refused.value)
    assert "krait" in str(refused.value)


def test_a_newer_database_is_refused(tmp_path: Path) -> None:
    run(write(tmp_path))
    connection = sqlite3.connect(tmp_path / "data" / "krait.db")
    with connection:
        connection.execute("update meta set value = '99'")
    connection.close()
    with pytest.raises(ConfigError, match="newer Krait"):
        run(write(tmp_path))


def test_an_older_database_is_migrated_or_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(write(tmp_path, Teller().opened()))
    monkeypatch.setattr(schema, "VERSION", 2)
    with pytest.raises(ConfigError, match="too old"):
        run(write(tmp_path))
    monkeypatch.setitem(schema.MIGRATIONS, 1, ("update games set opening = 'migrated'",))
    run(write(tmp_path))
    assert rows(tmp_path, "select opening from games") == [("migrated",)]
    assert rows(tmp_path, "select value from meta where key = 'version'") == [("2",)]


@pytest.mark.parametrize("made", [1, 3])
def test_a_database_whose_making_was_cut_short_is_finished(tmp_path: Path, made: int) -> None:
    run(write(tmp_path))
    connection = sqlite3.connect(tmp_path / "data" / "krait.db")
    names = [name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")]
    with connection:
        connection.execute("delete from meta")
        for name in set(names) - set(["meta", "games", "moves"][:made]):
            connection.execute(f"drop table {name}")
    connection.close()
    run(write(tmp_path, Teller().opened()))
    assert len(rows(tmp_path, "select id from games")) == 1


def test_the_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    connection = sqlite3.connect(tmp_path / "data" / "krait.db")
    connection.execute("create table games (title text)")
    connection.close()
    with pytest.raises(ConfigError, match="something else"):
        run(write(tmp_path))


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    variant=st.sampled_from(VARIANTS),
    plies=st.integers(0, 60),
    cut=st.integers(0, 60),
    white=st.booleans(),
)
def test_any_game_comes_back_equal_even_over_a_restart(
    tmp_path_factory: pytest.TempPathFactory, seed: int, variant: str, plies: int, cut: int, white: bool
) -> None:
    folder = tmp_path_factory.mktemp("any")
    fen, moves = random_game(seed, variant, plies)
    teller = Teller(game_info(variant=variant, initial_fen=fen, white=white))
    run(write(folder, teller.opened(), *teller.plies(*moves[:cut])))

    async def story() -> None:
        async with store_in(folder) as store:
            for fact in (teller.opened(resumed=True), *teller.plies(*moves[cut:]), teller.closed("draw")):
                store.tell(fact)
            await store.settle()
            found = await store.ask.game(teller.info.id)
            assert found is not None
            game, rows = found
            assert (game.info, game.result, game.plies) == (teller.info, "draw", len(moves))
            assert tuple(row.uci for row in rows) == moves
            for row in rows:
                thought = teller.thoughts.get(row.ply)
                assert row.ours == (thought is not None)
                assert row.depth == (thought.depth if thought else None)
                assert row.clock_ms is not None

    run(story())


@pytest.mark.skipif(not POSTGRES, reason="KRAIT_TEST_POSTGRES names no PostgreSQL database to use")
def test_postgresql_holds_a_game_as_well() -> None:
    pytest.importorskip("asyncpg")
    teller = Teller(game_info(f"pg{os.getpid()}"))

    async def story() -> None:
        for resumed in (False, True):
            async with Store(POSTGRES, pause_s=0.0) as store:
                store.tell(teller.opened(resumed=resumed))
                for fact in teller.plies("e2e4") if not resumed else (*teller.plies("e7e5"), teller.closed()):
                    store.tell(fact)
                store.tell(GameRated(teller.info.id, 5, START_MS))
                store.tell(ChatHeard(teller.info.id, "player", "Ännä", "♞ \0", START_MS))
                await store.settle()
                found = await store.ask.game(teller.info.id)
                assert found is not None
                assert [move.depth for move in found[1]] == ([10, None] if resumed else [10])
                assert (await store.ask.tally(("day", "speed")) != ()) == resumed
                assert await store.ask.games_with("anna", START_MS) >= 1
                assert [text async for text in store.ask.pgn()]

    run(story())
