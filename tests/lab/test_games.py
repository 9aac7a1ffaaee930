"""The reader of scored games: what is written comes back, damage is named, parts never share a game."""

import lzma
import struct
from pathlib import Path
from random import Random

import chess
import numpy as np
import pytest

from engine.core.board import new_board
from engine.core.packed import unpack
from engine.lab import games
from engine.lab.games import Filter, GamesError
from engine.notation import TABLES, to_fen

EVERYTHING = Filter(quiet=False, max_score=29_000)
HEADER, ENTRY = 4, 4


def encoded(board: chess.Board, move: chess.Move) -> int:
    promotion = {None: 0, chess.KNIGHT: 1, chess.BISHOP: 2, chess.ROOK: 3, chess.QUEEN: 4}[move.promotion]
    return move.from_square | move.to_square << 6 | promotion << 12


def written(moves: list[str], result: int = 1, opening: int = 0, scores: list[int] | None = None) -> bytes:
    """One game in the file's format; moves in UCI, scores for the side to move."""
    board = chess.Board()
    body = b""
    for ply, text in enumerate(moves):
        move = chess.Move.from_uci(text)
        score = games.NO_SCORE if ply < opening else scores[ply] if scores else ply
        body += struct.pack("<Hh", encoded(board, move), score)
        board.push(move)
    return struct.pack("<HBB", len(moves), result, opening) + body


def random_game(seed: int, plies: int = 120) -> list[str]:
    rng, board = Random(seed), chess.Board()
    moves: list[str] = []
    while len(moves) < plies and not board.is_game_over():
        move = rng.choice(list(board.legal_moves))
        moves.append(move.uci())
        board.push(move)
    return moves


def stored(folder: Path, *parts: bytes) -> Path:
    path = folder / "games.bin"
    path.write_bytes(b"".join(parts))
    return path


def placements(positions: games.Positions) -> list[str]:
    """Pieces and side to move of every position."""
    board, texts = new_board(), []
    for position in positions:
        unpack(TABLES, position, board)
        texts.append(" ".join(to_fen(board).split()[:2]))
    return texts


def replayed(moves: list[str]) -> list[str]:
    board, texts = chess.Board(), []
    for text in moves:
        texts.append(" ".join(board.fen().split()[:2]))
        board.push_uci(text)
    return texts


# Both castlings, en passant by both colours, under-promotion with capture
SPECIAL = [
    "e2e4", "d7d5", "e4e5", "f7f5", "e5f6", "g8f6", "g1f3", "c8g4", "f1e2", "b8c6", "e1g1", "d8d6",
    "h2h3", "e8c8", "h3g4", "d5d4", "c2c4", "d4c3", "g4g5", "c3b2", "g5f6", "b2a1n", "f6g7", "d6d2",
    "g7h8q", "d2d1", "f1d1",
]  # fmt: skip


@pytest.mark.parametrize("name", ["games.bin", "games.bin.xz"])
def test_every_position_comes_back_as_python_chess_sees_it(tmp_path: Path, name: str) -> None:
    played = [SPECIAL, *(random_game(seed) for seed in range(20))]
    data = b"".join(written(moves) for moves in played)
    path = tmp_path / name
    path.write_bytes(lzma.compress(data) if name.endswith("xz") else data)
    assert placements(games.read(path, EVERYTHING)) == [text for moves in played for text in replayed(moves)]


def test_scores_and_results_are_whites(tmp_path: Path) -> None:
    path = stored(tmp_path, written(["e2e4", "e7e5", "g1f3"], result=2, scores=[30, -25, -1]))
    positions = games.read(path, EVERYTHING)
    assert positions["score"].tolist() == [30, 25, -1]
    assert positions["result"].tolist() == [2, 2, 2]
    assert positions["side"].tolist() == [0, 1, 0]


def test_opening_plies_have_no_score_and_are_left_out(tmp_path: Path) -> None:
    path = stored(tmp_path, written(["e2e4", "e7e5", "g1f3", "g8f6"], opening=3))
    assert games.read(path, EVERYTHING)["score"].tolist() == [-3]


def test_the_first_plies_can_be_left_out(tmp_path: Path) -> None:
    path = stored(tmp_path, written(["e2e4", "e7e5", "g1f3", "g8f6"]))
    assert games.read(path, Filter(first_ply=2))["score"].tolist() == [2, -3]


def test_a_quiet_position_is_no_check_and_its_move_neither_captures_nor_promotes(tmp_path: Path) -> None:
    board, kept = chess.Board(), []
    for text in SPECIAL:
        move = board.parse_uci(text)
        if not board.is_check() and not board.is_capture(move) and move.promotion is None:
            kept.append(" ".join(board.fen().split()[:2]))
        board.push(move)
    positions = games.read(stored(tmp_path, written(SPECIAL)), Filter())
    assert placements(positions) == kept
    assert 5 < len(kept) < len(SPECIAL) - 5


def test_positions_with_a_bare_king_can_be_left_out(tmp_path: Path) -> None:
    moves = stripping_game(chess.BLACK)
    board = chess.Board()
    for text in moves:
        board.push_uci(text)
    moves.append(next(iter(board.legal_moves)).uci())
    path = stored(tmp_path, written(moves))
    kept = games.read(path, EVERYTHING._replace(bare=False))
    board, expected = chess.Board(), []
    for text in moves:
        if chess.popcount(board.occupied_co[chess.BLACK]) > 1:
            expected.append(" ".join(board.fen().split()[:2]))
        board.push_uci(text)
    assert placements(kept) == expected
    assert len(expected) < len(moves)


def test_decided_positions_and_mate_scores_are_left_out(tmp_path: Path) -> None:
    game = written(["e2e4", "e7e5", "g1f3", "g8f6"], scores=[900, -1001, 29_990, -29_991])
    path = stored(tmp_path, game)
    assert games.read(path, Filter(max_score=1000))["score"].tolist() == [900]
    assert games.read(path, Filter(max_score=32_000))["score"].tolist() == [900, 1001]


def stripping_game(loser: chess.Color) -> list[str]:
    """A game that ends once `loser` has a bare king that is not stalemate and can take nothing."""
    rng, board, moves = Random(2), chess.Board(), list[str]()
    while chess.popcount(board.occupied_co[loser]) > 1 or not is_settled(board, loser):
        legal = list(board.legal_moves)
        takes = [move for move in legal if board.is_capture(move)]
        others = [move for move in legal if move not in takes]
        move = rng.choice((others or takes) if board.turn == loser else (takes or others))
        moves.append(move.uci())
        board.push(move)
    return moves


def is_settled(board: chess.Board, loser: chess.Color) -> bool:
    king = board.king(loser)
    assert king is not None
    return not chess.BB_KING_ATTACKS[king] & board.occupied_co[not loser] and not board.is_game_over()


@pytest.mark.parametrize(("loser", "won"), [(chess.BLACK, 2), (chess.WHITE, 0)])
def test_a_game_drawn_against_a_bare_king_counts_as_won(tmp_path: Path, loser: chess.Color, won: int) -> None:
    path = stored(tmp_path, written(SPECIAL), written(stripping_game(loser)), written(SPECIAL))
    mended, as_written = (games.read(path, EVERYTHING._replace(mend=mend)) for mend in (True, False))
    assert set(as_written["result"]) == {1}
    assert mended["result"][: len(SPECIAL)].tolist() == [1] * len(SPECIAL)
    assert set(mended["result"][len(SPECIAL) : -len(SPECIAL)]) == {won}
    assert mended["result"][-len(SPECIAL) :].tolist() == [1] * len(SPECIAL)


def test_a_decided_game_is_never_mended(tmp_path: Path) -> None:
    path = stored(tmp_path, written(stripping_game(chess.BLACK), result=0))
    assert set(games.read(path, EVERYTHING)["result"]) == {0}


def test_an_empty_file_holds_no_games(tmp_path: Path) -> None:
    assert len(games.read(stored(tmp_path))) == 0


def test_progress_ends_at_the_whole_file(tmp_path: Path) -> None:
    path = stored(tmp_path, written(SPECIAL))
    told: list[tuple[int, int]] = []
    games.read(path, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (path.stat().st_size, path.stat().st_size)


def test_more_positions_than_a_kernel_call_can_hold_are_all_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(games, "CHUNK", 150)
    played = [random_game(seed) for seed in range(10)]
    path = stored(tmp_path, *(written(moves) for moves in played))
    assert placements(games.read(path, EVERYTHING)) == [text for moves in played for text in replayed(moves)]


def fault(path: Path) -> str:
    with pytest.raises(GamesError) as caught:
        games.read(path, EVERYTHING)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_a_file_cut_in_a_game_is_refused_with_the_games_offset(tmp_path: Path) -> None:
    first, second = written(SPECIAL), written(random_game(1))
    assert f"ends inside a game at offset {len(first)}" in fault(stored(tmp_path, first, second[:-1]))


def test_a_file_cut_in_a_header_is_refused_with_its_offset(tmp_path: Path) -> None:
    first = written(SPECIAL)
    assert f"header at offset {len(first)} (game 2)" in fault(stored(tmp_path, first, b"\x01\x00"))


def test_an_illegal_move_is_refused_with_its_offset(tmp_path: Path) -> None:
    first, second = written(SPECIAL), bytearray(written(["e2e4", "e7e5", "g1f3"]))
    second[HEADER + ENTRY : HEADER + ENTRY + 2] = struct.pack("<H", chess.E7 | chess.E4 << 6)
    where = len(first) + HEADER + ENTRY
    assert f"illegal move at offset {where}" in fault(stored(tmp_path, first, bytes(second)))


@pytest.mark.parametrize("promotion", [1, 5, 15])
def test_a_promotion_that_does_not_exist_is_an_illegal_move(tmp_path: Path, promotion: int) -> None:
    game = struct.pack("<HBBHh", 1, 1, 0, chess.E2 | chess.E4 << 6 | promotion << 12, 0)
    assert "illegal move at offset 4" in fault(stored(tmp_path, game))


def test_castling_without_the_right_is_an_illegal_move(tmp_path: Path) -> None:
    moves = ["g1f3", "g8f6", "g2g3", "g7g6", "f1g2", "f8g7", "h1g1", "h7h6", "g1h1", "h6h5"]
    lost = bytearray(written([*moves, "e1f1"]))
    lost[-4:-2] = struct.pack("<H", chess.E1 | chess.G1 << 6)
    assert f"illegal move at offset {len(lost) - ENTRY}" in fault(stored(tmp_path, bytes(lost)))


def test_a_result_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    assert "result" in fault(stored(tmp_path, struct.pack("<HBB", 0, 3, 0)))


@pytest.mark.parametrize("damage", ["cut", "flipped"])
def test_damaged_compression_is_refused(tmp_path: Path, damage: str) -> None:
    packed = bytearray(lzma.compress(b"".join(written(random_game(seed)) for seed in range(30))))
    if damage == "cut":
        del packed[len(packed) // 2 :]
    else:
        packed[len(packed) // 2] ^= 0xFF
    path = tmp_path / "games.bin.xz"
    path.write_bytes(bytes(packed))
    assert "after offset" in fault(path)


def test_the_parts_share_no_game_and_are_always_the_same(tmp_path: Path) -> None:
    data = [written(random_game(seed, 30)) for seed in range(300)]
    positions = games.read(stored(tmp_path, *data), EVERYTHING)
    training, validation = games.split(positions, 0.2)
    assert not set(training["game"]) & set(validation["game"])
    assert len(training) + len(validation) == len(positions)
    assert 30 < len(set(validation["game"])) < 90
    shuffled = games.read(stored(tmp_path, *reversed(data)), EVERYTHING)
    assert set(games.split(shuffled, 0.2).validation["game"]) == set(validation["game"])


def test_three_parts_share_no_game_and_validation_is_that_of_two(tmp_path: Path) -> None:
    data = [written(random_game(seed, 30)) for seed in range(300)]
    positions = games.read(stored(tmp_path, *data), EVERYTHING)
    training, validation, test = (set(part["game"]) for part in games.parts(positions, 0.2, 0.1))
    assert not training & validation
    assert not training & test
    assert not validation & test
    assert len(training | validation | test) == np.unique(positions["game"]).size
    assert validation == set(games.split(positions, 0.2).validation["game"])
    assert 10 < len(test) < 50


def test_the_shared_games_can_be_read() -> None:
    path = Path(__file__).parents[2] / "../shared/data/games/a.bin.xz"
    if not path.exists():
        pytest.skip("the shared data are not here")
    positions = games.read(path)
    assert len(positions) > 3_000_000
    assert np.unique(positions["game"]).size > 37_000
