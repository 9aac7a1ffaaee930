"""What stays of a game: PGN and rows, whole over restarts and whatever the database does meanwhile."""

import io
import sqlite3
from pathlib import Path
from typing import Any

import chess.pgn
import pytest

from bot.game.facts import GameClosed, GameOpened, MovePlayed, Trouble
from bot.game.nouns import GameId
from bot.lichess.backoff import Backoff
from bot.sandbox.embed import Sandbox
from bot.sandbox.match import Match
from bot.store.rows import GameRow, MoveRow
from bot.store.store import Store
from tests.service.company import PUPPET, Hand
from tests.service.scene import engine, running, tell


def address(state: Path) -> str:
    return f"sqlite+aiosqlite:///{state / 'krait.db'}"


def games_in(folder: Path) -> dict[str, chess.pgn.Game]:
    """By id, as python-chess reads them; nothing it complains about."""
    found = {}
    for file in sorted(folder.glob("*.pgn")):
        text = io.StringIO(file.read_text(encoding="utf-8"))
        while (game := chess.pgn.read_game(text)) is not None:
            assert not game.errors
            found[game.headers["GameId"]] = game
    return found


async def rows_of(state: Path, game: str) -> tuple[GameRow, tuple[MoveRow, ...]]:
    async with Store(address(state)) as store:
        found = await store.ask.game(GameId(game))
        assert found is not None
        return found


def lacking(match: Match, row: GameRow, moves: tuple[MoveRow, ...]) -> list[str]:
    """What is not there of a game that is over: a move, or of one of ours what we thought."""
    lost = [] if row.result is not None and [move.uci for move in moves] == match.moves else ["moves"]
    thoughts = {move.ply: (move.depth, move.cp, move.clock_ms) for move in moves if move.ours}
    return lost + [f"ply {ply}: {known}" for ply, known in thoughts.items() if None in known]


@pytest.mark.parametrize("per", ["day", "game"])
def test_every_game_has_a_pgn_with_clocks_scores_and_depths(tmp_path: Path, per: str) -> None:
    async def story(box: Sandbox) -> None:
        matches = []
        async with running(box, tmp_path, pgn={"per": per}) as bot:
            for _ in range(2):
                matches.append(await box.finished(await box.challenge("random", clock="1+1")))
                await bot.until(GameClosed, lambda fact: fact.game == matches[-1].id)
        games = games_in(tmp_path / "pgn")
        assert len(list((tmp_path / "pgn").iterdir())) == {"day": 1, "game": 2}[per]
        assert set(games) == {match.id for match in matches}
        for match in matches:
            nodes = list(games[match.id].mainline())
            assert [node.move.uci() for node in nodes] == match.moves
            ours = [node for node in nodes if node.turn() is (match.color_of(box.bot.lower()) is False)]
            assert all(node.clock() is not None for node in nodes)
            assert all(node.eval() is not None and "[%depth 1]" in node.comment for node in ours)

    tell(story)


def test_every_game_and_every_move_has_a_row(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path, games={"max_games": 3}) as bot:
            games = [await box.challenge("random", clock="1+1") for _ in range(3)]
            matches = [await box.finished(game) for game in games]
            for match in matches:
                await bot.until(GameClosed, lambda fact, id_=match.id: fact.game == id_)  # type: ignore[misc]  # its own
        for match in matches:
            assert not lacking(match, *await rows_of(tmp_path, match.id))

    tell(story)


def test_a_locked_database_costs_no_game_and_is_written_later(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path) as bot:
            await box.finished(await box.challenge("random", clock="1+1"))
            await bot.until(GameClosed)
            assert bot.service.store is not None
            await bot.service.store.settle()
            with sqlite3.connect(tmp_path / "krait.db", isolation_level=None) as other:
                other.execute("BEGIN IMMEDIATE")
                match = await box.finished(await box.challenge("random", clock="1+1"))
                await bot.until(GameClosed, lambda fact: fact.game == match.id)
                other.execute("ROLLBACK")
            other.close()
        assert not lacking(match, *await rows_of(tmp_path, match.id))

    tell(story)


def test_a_database_that_cannot_be_opened_at_the_start_costs_no_game_and_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.records.Backoff", lambda **_: Backoff(first_s=0.05, cap_s=0.05))

    async def story(box: Sandbox) -> None:
        (tmp_path / "krait.db").mkdir()
        async with running(box, tmp_path) as bot:
            match = await box.finished(await box.challenge("random", clock="1+1"))
            await bot.until(GameClosed, lambda fact: fact.game == match.id)
            await bot.until(Trouble, lambda fact: fact.what == "records_wait")
            (tmp_path / "krait.db").rmdir()
            second = await box.finished(await box.challenge("random", clock="1+1"))
            await bot.service.records.settle()
        for each in (match, second):
            assert not lacking(each, *await rows_of(tmp_path, each.id))
        assert len(games_in(tmp_path / "pgn")) == 2

    tell(story)


def test_a_game_that_is_resumed_is_whole_in_the_end(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path):
            hand = Hand(box, await box.challenge(PUPPET, clock="3+2", color="white"))
            await hand.plays("e2e4", "d2d4")
        hand.move("g1f3")
        async with running(box, tmp_path) as bot:
            await bot.until(GameOpened, lambda fact: fact.resumed)
            await hand.plays("b1c3")
            await bot.until(MovePlayed, lambda fact: fact.ply == 7)
            box.world.games.resign(hand.game, PUPPET)
            await bot.until(GameClosed)
        assert not lacking(hand.match, *await rows_of(tmp_path, hand.game))
        nodes = list(games_in(tmp_path / "pgn")[hand.game].mainline())
        assert [node.move.uci() for node in nodes] == hand.match.moves
        assert all("[%depth 1]" in node.comment for node in nodes[1::2])

    tell(story)


def test_a_game_of_another_program_is_resumed_with_what_can_be_known_of_it(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path / "first"):
            hand = Hand(box, await box.challenge(PUPPET, clock="3+2", color="white"))
            await hand.plays("e2e4", "d2d4")
        async with running(box, tmp_path / "second") as bot:
            await hand.plays("g1f3")
            box.world.games.resign(hand.game, PUPPET)
            await bot.until(GameClosed)
        row, moves = await rows_of(tmp_path / "second", hand.game)
        assert [move.uci for move in moves] == hand.match.moves
        assert row.result == "win"

    tell(story)


def test_a_move_source_without_a_score_leaves_a_pgn_that_can_be_read(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        settings: dict[str, Any] = {"engines": [engine("crash", processes=1)]}
        async with running(box, tmp_path, **settings) as bot:
            hand = Hand(box, await box.challenge(PUPPET, clock="0.5+0", color="white"))
            await hand.plays("e2e4", "d2d4")
            box.world.games.resign(hand.game, PUPPET)
            await bot.until(GameClosed)
        nodes = list(games_in(tmp_path / "pgn")[hand.game].mainline())
        assert [node.move.uci() for node in nodes] == hand.match.moves

    tell(story)
