"""Where opponents' moves come from, and what is said when an engine is not what was hoped for."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from pathlib import Path

import chess
import chess.variant
import pytest

from bot.sandbox import uci_engine
from bot.sandbox.accounts import Accounts
from bot.sandbox.movers import (
    GoneAway,
    IdleMover,
    Mover,
    RandomMover,
    ScriptedMover,
    Spec,
    make_mover,
    parse_specs,
    read_move,
    think_ms,
)
from bot.sandbox.uci_engine import NoEngineError, UciEngine, find_engine
from bot.sandbox.variants import VARIANTS, new_board
from tests.sandbox.thinking import StandIn, first_turn


def with_engine(stand_in: StandIn, elo: int | None, story: Callable[[Mover], Awaitable[None]]) -> list[str]:
    """Tell `story` about a mover that thinks with `stand_in`; the remarks that were made."""
    remarks: list[str] = []

    async def tell() -> None:
        mover = await make_mover(Spec("engine", str(stand_in.path), elo), random.Random(1), remarks.append)
        try:
            await story(mover)
        finally:
            await mover.close()

    asyncio.run(tell())
    return remarks


async def one_move(mover: Mover) -> None:
    thought = await mover.choose(first_turn())
    assert thought.move in chess.Board().legal_moves


@pytest.mark.parametrize("key", VARIANTS)
def test_the_random_mover_plays_every_variant_by_its_rules(key: str) -> None:
    mover = RandomMover(random.Random(3))
    fen = chess.STARTING_FEN if key == "fromPosition" else None
    board = new_board(VARIANTS[key], fen)
    assert mover.can_play(board)
    for _ in range(30):
        if not any(board.legal_moves):
            break
        board.push(asyncio.run(mover.choose(first_turn(board))).move)
    assert board.move_stack


def test_a_script_is_played_by_either_side_in_either_notation() -> None:
    mover = ScriptedMover(["e4", "e7e5", "Nf3"], random.Random(1))
    board = chess.Board()
    for expected in ("e2e4", "e7e5", "g1f3"):
        move = asyncio.run(mover.choose(first_turn(board))).move
        assert move.uci() == expected
        board.push(move)


def test_off_its_script_a_mover_goes_on_with_legal_moves() -> None:
    mover = ScriptedMover(["e2e4", "e7e5"], random.Random(1))
    board = chess.Board()
    board.push_uci("d2d4")
    board.push_uci("e7e5")
    assert asyncio.run(mover.choose(first_turn(board))).move in board.legal_moves


@pytest.mark.parametrize("text", ["0000", "--", "e2e5", "castle"])
def test_passing_is_no_move_of_a_script(text: str) -> None:
    assert read_move(chess.Board(), text) is None


def test_the_list_of_opponents_is_read() -> None:
    assert parse_specs("random, stockfish:1500,script:e4 e5,/opt/engine,") == [
        Spec("random"),
        Spec("engine", "stockfish", 1500),
        Spec("script", "e4 e5"),
        Spec("engine", "/opt/engine"),
    ]


@pytest.mark.parametrize("text", ["stockfish:strong", "script:", "script:e4 !?", ":1500"])
def test_an_opponent_that_cannot_be_read_is_named(text: str) -> None:
    with pytest.raises(ValueError, match=text.replace("?", r"\?")):
        parse_specs(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("random", "RandomMover"),
        ("script:e4", "Scripted"),
        ("stockfish:1500", "Stockfish1500"),
        ("/usr/bin/ethereal-chess", "Ethereal-chess"),
        (r"C:\engines\toga.exe", "Toga"),
        ("./a-very-long-name-for-an-engine:2400", "A-very-long-name2400"),
        ("./-x", "Engine"),
    ],
)
def test_an_opponents_name_tells_what_it_is_and_may_be_registered(text: str, name: str) -> None:
    (spec,) = parse_specs(text)
    assert spec.account_name == name
    accounts = Accounts(lambda: 0, random.Random(1))
    assert accounts.create(spec.account_name, rating=spec.rating)


@pytest.mark.parametrize(("asked", "played"), [(1500, 1500), (800, 1300), (2600, 2000)])
def test_an_engine_plays_at_the_nearest_strength_it_offers(tmp_path: Path, asked: int, played: int) -> None:
    stand_in = StandIn(tmp_path, "elo")
    remarks = with_engine(stand_in, asked, one_move)
    assert f"setoption name UCI_Elo value {played}" in stand_in.heard
    assert "setoption name UCI_LimitStrength value true" in stand_in.heard
    assert bool(remarks) == (asked != played)
    assert all("1300 to 2000" in remark for remark in remarks)


def test_an_engine_that_cannot_be_weakened_says_so(tmp_path: Path) -> None:
    stand_in = StandIn(tmp_path)
    (remark,) = with_engine(stand_in, 1500, one_move)
    assert "cannot be told a strength" in remark


def test_an_engine_that_dies_is_started_anew_and_still_answers(tmp_path: Path) -> None:
    stand_in = StandIn(tmp_path, "dies-once")
    remarks = with_engine(stand_in, None, one_move)
    assert stand_in.heard.count("uci") == 2
    assert ["started anew" in remark for remark in remarks] == [True]


def test_a_game_goes_on_at_random_when_its_engine_keeps_dying(tmp_path: Path) -> None:
    remarks = with_engine(StandIn(tmp_path, "dies"), None, one_move)
    assert "a random move" in remarks[-1]


def test_a_game_goes_on_when_its_engine_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uci_engine, "GRACE_S", 0.0)
    remarks = with_engine(StandIn(tmp_path, "hangs"), None, one_move)
    assert "a random move" in remarks[-1]


def test_an_engine_is_asked_to_leave(tmp_path: Path) -> None:
    stand_in = StandIn(tmp_path)
    with_engine(stand_in, None, one_move)
    assert stand_in.heard[-1] == "quit"


def test_an_engine_that_is_silent_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uci_engine, "START_TIMEOUT_S", 0.2)
    with pytest.raises(NoEngineError, match="uciok"):
        with_engine(StandIn(tmp_path, "mute"), None, one_move)


def test_a_program_that_is_no_engine_is_refused(tmp_path: Path) -> None:
    program = tmp_path / "hello"
    program.write_text("#!/bin/sh\necho hello\n", encoding="utf-8")
    program.chmod(0o755)
    with pytest.raises(NoEngineError, match="hello does not start"):
        asyncio.run(UciEngine(str(program), lambda _: None).start())


def test_an_engine_that_is_not_there_is_named() -> None:
    with pytest.raises(NoEngineError, match="no-such-engine"):
        find_engine("no-such-engine")


def test_an_engine_is_found_where_debian_keeps_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = StandIn(tmp_path).path
    monkeypatch.setattr(uci_engine, "FURTHER_PLACES", (str(tmp_path),))
    assert find_engine("standin") == str(program)


def test_only_the_variants_an_engine_offers_are_played_with_it(tmp_path: Path) -> None:
    async def story(mover: Mover) -> None:
        assert mover.can_play(chess.Board())
        assert mover.can_play(chess.variant.AtomicBoard())
        assert not mover.can_play(chess.variant.HordeBoard())
        assert not mover.can_play(chess.Board(chess960=True))

    with_engine(StandIn(tmp_path, "variants"), None, story)


def test_an_engine_is_given_a_moment_and_less_when_the_clock_is_low() -> None:
    assert think_ms(None) == think_ms(180_000) == 100
    assert think_ms(3_000) == 50
    assert think_ms(0) > 0


@pytest.mark.parametrize(
    ("word", "kind", "moves"),
    [("silent", "silent", "0"), ("silent:3", "silent", "3"), ("leaver", "leaver", "1")],
)
def test_an_idle_opponent_is_asked_for_by_a_word(word: str, kind: str, moves: str) -> None:
    (spec,) = parse_specs(word)
    assert (spec.kind, spec.text, spec.account_name) == (kind, moves, kind.title())


def test_an_idle_opponent_with_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="says no number"):
        parse_specs("leaver:soon")


def test_an_idle_mover_moves_as_often_as_said_and_then_never_or_leaves() -> None:
    async def story() -> None:
        board = chess.Board()
        for leaves in (True, False):
            mover = IdleMover(1, random.Random(1), leaves=leaves)
            assert (await mover.choose(first_turn(board))).move in board.legal_moves
        later = board.copy()
        later.push_san("e4")
        later.push_san("e5")
        with pytest.raises(GoneAway):
            await IdleMover(1, random.Random(1), leaves=True).choose(first_turn(later))
        waiting = asyncio.create_task(IdleMover(1, random.Random(1), leaves=False).choose(first_turn(later)))
        await asyncio.sleep(0)
        assert not waiting.done()
        waiting.cancel()

    asyncio.run(story())
