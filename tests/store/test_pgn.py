"""PGN: the text, and the files it goes to."""

import io
import re
from dataclasses import replace
from io import RawIOBase
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import BotError, ConfigError
from bot.game.facts import Fact, MovePlayed, PliesSeen, Trouble
from bot.game.nouns import GameId, Player, State, TimeControl
from bot.store import disk
from bot.store.openings import own_openings
from bot.store.pgn import pgn_of
from bot.store.pgnfiles import PgnWriter
from bot.store.record import Record
from bot.store.rows import GameRow, MoveRow
from tests.store.telling import ANNA, FOOLS_MATE, START_MS, VARIANTS, Teller, game_info, random_game, run

NAMES = own_openings()
DAY = "2026-09-21"


def written(teller: Teller, *ucis: str, result: str = "win", status: str = "mate") -> str:
    record = Record(GameRow(teller.info, START_MS, "0.1.0"), NAMES)
    for fact in (teller.opened(), *teller.plies(*ucis), teller.closed(result, status)):
        record.tell(fact)
    return pgn_of(record.game, record.moves)


def read(text: str) -> chess.pgn.Game:
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert not game.errors
    return game


def test_the_headers_say_what_was_played_by_whom() -> None:
    headers = read(written(Teller(), *FOOLS_MATE, result="loss")).headers
    expected = {
        "Event": "Rated blitz game",
        "Site": "https://lichess.org/game0001",
        "Date": DAY.replace("-", "."),
        "Round": "-",
        "White": "Krait",
        "Black": "Anna",
        "Result": "0-1",
        "WhiteElo": "2500",
        "BlackElo": "1900",
        "WhiteTitle": "BOT",
        "Variant": "Standard",
        "TimeControl": "180+2",
        "ECO": "A00",
        "Opening": "Barnes Opening",
        "Termination": "Normal",
        "BotVersion": "0.1.0",
    }
    assert {name: headers.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    ("result", "status", "white", "shown"),
    [
        ("win", "mate", True, ("1-0", "Normal")),
        ("win", "outoftime", False, ("0-1", "Time forfeit")),
        ("loss", "timeout", False, ("1-0", "Abandoned")),
        ("draw", "stalemate", True, ("1/2-1/2", "Normal")),
        ("aborted", "aborted", True, ("*", "Abandoned")),
    ],
)
def test_the_result_is_that_of_the_sides(
    result: str, status: str, white: bool, shown: tuple[str, str]
) -> None:
    headers = read(written(Teller(game_info(white=white)), result=result, status=status)).headers
    assert (headers["Result"], headers["Termination"]) == shown


def test_comments_have_clock_time_score_and_depth() -> None:
    first, second = read(written(Teller(), "e2e4", "e7e5")).mainline()
    assert (first.clock(), first.emt()) == (181.0, 1.0)
    assert "[%depth 10]" in first.comment
    score = first.eval()
    assert score is not None
    assert score.white().score() == 25
    assert second.clock() == 181.0
    assert second.eval() is None


def test_a_move_of_black_after_a_comment_has_its_number() -> None:
    text = written(Teller(), "e2e4", "e7e5", "g1f3")
    assert re.findall(r"(\d+\.+ \w+) {", text) == ["1. e4", "1... e5", "2. Nf3"]


def test_a_score_is_written_for_white_whoever_we_are() -> None:
    teller = Teller(game_info(white=False))
    _, ours = read(written(teller, "e2e4", "e7e5")).mainline()
    score = ours.eval()
    assert score is not None
    assert score.white().score() == -26


def test_a_mate_is_written_as_one() -> None:
    teller = Teller()
    moves = ("e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5", "d2d3")
    score = list(read(written(teller, *moves)).mainline())[6].eval()
    assert score is not None
    assert score.white().mate() == 3


@pytest.mark.parametrize(
    ("control", "shown"), [(TimeControl(days=2), "1/172800"), (TimeControl(), "-"), (TimeControl(30), "30+0")]
)
def test_every_time_control_has_its_words(control: TimeControl, shown: str) -> None:
    assert read(written(Teller(game_info(control=control)))).headers["TimeControl"] == shown


def test_names_are_quoted_and_the_ai_has_one() -> None:
    odd = replace(ANNA, name='Ä "quoted"\n[x] \\')
    assert '[Black "Ä \\"quoted\\" [x] \\\\"]' in written(Teller(game_info(opponent=odd)))
    level = Player(None, "Stockfish", ai_level=5)
    assert read(written(Teller(game_info(opponent=level)))).headers["Black"] == "lichess AI level 5"


@given(
    seed=st.integers(0, 2**32),
    variant=st.sampled_from(VARIANTS),
    plies=st.integers(0, 80),
    white=st.booleans(),
)
def test_any_game_is_read_back_to_the_same_moves(seed: int, variant: str, plies: int, white: bool) -> None:
    fen, moves = random_game(seed, variant, plies)
    teller = Teller(game_info(variant=variant, initial_fen=fen, white=white))
    game = read(written(teller, *moves))
    board = game.board()
    seen = []
    for move in game.mainline_moves():
        seen.append(board.uci(move, chess960=variant != "standard"))
        board.push(move)
    assert tuple(seen) == moves


def test_the_checks_of_three_check_are_not_taken_for_move_numbers() -> None:
    fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 3+3 0 7"
    text = written(Teller(game_info(variant="threeCheck", initial_fen=fen)), "b8c6")
    assert "\n7... Nc6" in text


# --- files


def whole_game(game: str = "game0001", **more: Any) -> list[Fact]:
    teller = Teller(game_info(game, **more))
    return [teller.opened(), *teller.plies(*FOOLS_MATE), teller.closed("loss")]


async def tell(writer: PgnWriter, *facts: Fact) -> None:
    async with writer:
        for fact in facts:
            writer.tell(fact)


def in_folder(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir()}


def test_a_day_has_one_file_and_no_other_is_left(tmp_path: Path) -> None:
    run(tell(PgnWriter(tmp_path / "pgn", late_s=0.0), *whole_game("one"), *whole_game("two")))
    ((name, text),) = in_folder(tmp_path / "pgn").items()
    stream = io.StringIO(text)
    games = [chess.pgn.read_game(stream), chess.pgn.read_game(stream)]
    assert name == f"{DAY}.pgn"
    assert [game.headers["GameId"] for game in games if game] == ["one", "two"]


def test_a_game_may_have_a_file_of_its_own(tmp_path: Path) -> None:
    odd = replace(ANNA, name="../Ä b")
    run(tell(PgnWriter(tmp_path, per="game", late_s=0.0), *whole_game("one", opponent=odd)))
    assert list(in_folder(tmp_path)) == [f"{DAY}_Krait_---Ä-b_one.pgn"]


def test_a_game_under_way_is_not_written(tmp_path: Path) -> None:
    run(tell(PgnWriter(tmp_path, late_s=0.0), *whole_game()[:-1]))
    assert in_folder(tmp_path) == {}


def test_the_thought_of_our_last_move_may_come_after_the_end(tmp_path: Path) -> None:
    teller = Teller(game_info(white=False))
    opened = teller.opened()
    *facts, played, seen = teller.plies(*FOOLS_MATE)
    assert isinstance(played, MovePlayed)
    assert isinstance(seen, PliesSeen)

    async def story() -> None:
        writer = PgnWriter(tmp_path, late_s=0.0)
        async with writer:
            for fact in (opened, *facts, seen, teller.closed()):
                writer._fold(fact)
            await writer._save()
            assert not in_folder(tmp_path)
            writer.tell(played)

    run(story())
    assert "Qh4# { [%eval -0.28] [%depth 13]" in in_folder(tmp_path)[f"{DAY}.pgn"]


def test_a_resumed_game_has_its_earlier_moves_with_the_comments_of_the_database(tmp_path: Path) -> None:
    teller = Teller()
    before = Record(GameRow(teller.info, START_MS), NAMES)
    for fact in (teller.opened(), *teller.plies("e2e4", "e7e5")):
        before.tell(fact)

    async def recall(game: GameId) -> tuple[GameRow, tuple[MoveRow, ...]]:
        assert game == teller.info.id
        return before.game, tuple(before.moves)

    async def forgotten(game: GameId) -> None:
        raise BotError("database: gone")

    facts = (teller.opened(resumed=True), *teller.plies("g1f3"), teller.closed())
    run(tell(PgnWriter(tmp_path / "with", recall=recall, late_s=0.0), *facts))
    run(tell(PgnWriter(tmp_path / "without", recall=forgotten, late_s=0.0), *facts))
    depths = [
        ["depth" in node.comment for node in read((tmp_path / folder / f"{DAY}.pgn").read_text()).mainline()]
        for folder in ("with", "without")
    ]
    assert depths == [[True, False, True], [False, False, True]]


def test_a_resumed_game_that_is_there_already_is_not_added_again(tmp_path: Path) -> None:
    run(tell(PgnWriter(tmp_path, late_s=0.0), *whole_game()))
    teller = Teller(state=State(FOOLS_MATE, 1, 1))
    run(tell(PgnWriter(tmp_path, late_s=0.0), teller.opened(resumed=True), teller.closed("loss")))
    assert in_folder(tmp_path)[f"{DAY}.pgn"].count("[GameId") == 1


@pytest.mark.parametrize("got", [0, 1, 40, -1, None])
def test_what_a_crash_left_half_way_is_finished_at_the_next_start(tmp_path: Path, got: int | None) -> None:
    first, second = '[GameId "a"]\n\n*\n\n', '[GameId "b"]\n\n1. e4 { ä } *\n\n'
    (tmp_path / "day.pgn").write_bytes(first.encode() + second.encode()[:got])
    (tmp_path / ".day.pgn~b.part").write_text(second, encoding="utf-8")
    (tmp_path / ".other.pgn.part").write_text("half", encoding="utf-8")
    disk.recover(tmp_path)
    assert in_folder(tmp_path) == {"day.pgn": first + second}


def test_a_part_that_is_no_whole_text_is_dropped(tmp_path: Path) -> None:
    (tmp_path / ".day.pgn~b.part").write_text("[GameId", encoding="utf-8")
    disk.recover(tmp_path)
    assert in_folder(tmp_path) == {}


def test_a_full_disk_costs_no_game_and_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    troubles: list[Fact] = []
    failures = iter([OSError(28, "No space left on device")] * 3)
    real = disk._put_all

    def full(file: RawIOBase, data: bytes) -> None:
        if error := next(failures, None):
            file.write(data[:40])
            raise error
        real(file, data)

    monkeypatch.setattr(disk, "_put_all", full)
    writer = PgnWriter(tmp_path, tell=troubles.append, late_s=0.0, retry_s=0.01)
    run(tell(writer, *whole_game()))
    assert in_folder(tmp_path)[f"{DAY}.pgn"].count("[Event") == 1
    assert [fact.what for fact in troubles if isinstance(fact, Trouble)] == ["pgn_failed"]


def test_a_folder_that_cannot_be_written_is_refused_at_the_door(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="cannot be written"):
        run(tell(PgnWriter(tmp_path / "file")))
