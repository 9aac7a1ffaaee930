"""Opening books: what is chosen, how often, and what is refused at the door."""

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import chess
import chess.polyglot
import pytest

from bot.errors import ConfigError
from bot.sources.book import ENTRY, Book, BookRules
from tests.sources.asking import ask, question

CODES = {None: 0, chess.KNIGHT: 1, chess.BISHOP: 2, chess.ROOK: 3, chess.QUEEN: 4}
START = {"e2e4": 60, "d2d4": 30, "c2c4": 9, "g1f3": 1, "a2a3": 0}
KEY = chess.polyglot.zobrist_hash(chess.Board())


def write(file: Path, positions: Mapping[str, Mapping[str, int]] | None = None) -> Path:
    """A Polyglot book of positions given as FEN."""
    entries = []
    for fen, moves in (positions or {chess.STARTING_FEN: START}).items():
        key = chess.polyglot.zobrist_hash(chess.Board(fen))
        for uci, weight in moves.items():
            move = chess.Move.from_uci(uci)
            raw = CODES[move.promotion] << 12 | move.from_square << 6 | move.to_square
            entries.append((key, raw, weight, 0))
    file.write_bytes(b"".join(ENTRY.pack(*entry) for entry in sorted(entries, key=lambda entry: entry[0])))
    return file


def book(file: Path, *, history: Mapping[int, Iterable[str]] | None = None, **rules: object) -> Book:
    hook = None if history is None else lambda _: history
    wanted = BookRules(**({"variety": history is not None} | rules))  # type: ignore[arg-type] # named by each test
    return Book({"standard": [file]}, wanted, rng=random.Random(3), history=hook)


def choices(source: Book, times: int = 400) -> Counter[str]:
    found = (ask(source, question(game=str(number))) for number in range(times))
    return Counter(thought.uci for thought in found if thought)


def test_a_book_move_is_told_as_one(tmp_path: Path) -> None:
    found = ask(book(write(tmp_path / "b"), selection="best"), question())
    assert found is not None
    assert (found.uci, found.source) == ("e2e4", "book")


def test_weights_are_how_often(tmp_path: Path) -> None:
    seen = choices(book(write(tmp_path / "b")))
    assert seen["e2e4"] > seen["d2d4"] > seen["c2c4"]
    assert "a2a3" not in seen


def test_the_exponent_makes_the_popular_more_or_less_so(tmp_path: Path) -> None:
    file = write(tmp_path / "b")
    flat, plain, steep = (choices(book(file, exponent=exponent))["e2e4"] for exponent in (0.0, 1.0, 3.0))
    assert flat < plain < steep


def test_uniform_gives_every_move_its_chance(tmp_path: Path) -> None:
    seen = choices(book(write(tmp_path / "b"), selection="uniform"))
    assert set(seen) == {"e2e4", "d2d4", "c2c4", "g1f3"}
    assert min(seen.values()) > 60


def test_light_moves_can_be_left_out(tmp_path: Path) -> None:
    assert set(choices(book(write(tmp_path / "b"), selection="uniform", min_weight=30))) == {"e2e4", "d2d4"}


def test_the_book_ends_where_it_was_told_to(tmp_path: Path) -> None:
    board = chess.Board()
    board.push_uci("e2e4")
    file = write(tmp_path / "b", {chess.STARTING_FEN: START, board.fen(): {"e7e5": 1}})
    assert ask(book(file, max_ply=2), question("e2e4")) is not None
    assert ask(book(file, max_ply=1), question("e2e4")) is None


def test_what_is_not_in_the_book_is_not_known(tmp_path: Path) -> None:
    assert ask(book(write(tmp_path / "b")), question("e2e4")) is None


def test_a_book_move_never_brings_a_position_back(tmp_path: Path) -> None:
    board = chess.Board()
    for uci in ("g1f3", "g8f6", "f3g1"):
        board.push_uci(uci)
    file = write(tmp_path / "b", {board.fen(): {"f6g8": 99, "d7d5": 1}})
    found = ask(book(file, selection="best"), question("g1f3", "g8f6", "f3g1"))
    assert found is not None
    assert found.uci == "d7d5"


def test_the_same_opponent_sees_something_else_next_time(tmp_path: Path) -> None:
    source = book(write(tmp_path / "b"), selection="best", variety=True)
    seen = [ask(source, question(game=game)) for game in ("one", "one", "two", "three")]
    assert [thought.uci for thought in seen if thought] == ["e2e4", "e2e4", "d2d4", "c2c4"]
    stranger = ask(source, question(game="four", opponent="stranger"))
    assert stranger is not None
    assert stranger.uci == "e2e4"


def test_games_before_this_process_count_as_well(tmp_path: Path) -> None:
    found = ask(book(write(tmp_path / "b"), selection="best", history={KEY: ["e2e4"]}), question())
    assert found is not None
    assert found.uci == "d2d4"


def test_castling_is_written_as_the_game_writes_it(tmp_path: Path) -> None:
    fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    file = write(tmp_path / "b", {fen: {"e1h1": 1}})
    plain = ask(book(file), question(fen=fen))
    set_up = ask(book(file), question(fen=fen, variant="fromPosition"))
    assert plain is not None
    assert set_up is not None
    assert (plain.uci, set_up.uci) == ("e1g1", "e1h1")


def test_a_variant_has_books_of_its_own(tmp_path: Path) -> None:
    source = book(write(tmp_path / "b"))
    assert ask(source, question(variant="atomic")) is None


def test_an_entry_that_is_not_legal_is_passed_over(tmp_path: Path) -> None:
    file = write(tmp_path / "b", {chess.STARTING_FEN: {"e2e5": 99, "d2d4": 1}})
    found = ask(book(file, selection="best"), question())
    assert found is not None
    assert found.uci == "d2d4"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "cannot be read"),
        (b"", "is empty"),
        (b"PGN or what", "invalid file size"),
        (b"\xff" * 16 + b"\x00" * 16, "not in order"),
    ],
)
def test_a_file_that_is_no_book_is_named_at_the_start(
    content: bytes | None, why: str, tmp_path: Path
) -> None:
    file = tmp_path / "openings.bin"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigError, match=why) as refused:
        Book({"standard": [file]})
    assert str(file) in str(refused.value)


def test_a_closed_book_is_not_known_instead_of_an_error(tmp_path: Path) -> None:
    source = book(write(tmp_path / "b"))
    source.close()
    assert ask(source, question()) is None
