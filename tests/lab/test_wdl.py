"""What a score means is found from the results, and the command says so in constants."""

import re
from io import StringIO
from pathlib import Path
from random import Random

import chess
import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

from engine.core.board import new_board
from engine.core.packed import POSITION, pack
from engine.lab import games, logistic, wdl, wdl_report
from engine.lab.cli import lab
from engine.lab.games import Positions
from engine.lab.wdl import Results, Sample
from engine.meaning import Floats
from engine.notation import set_fen
from tests.lab.test_games import random_game, written


def results_of(scores: Floats, half: float | Floats, spread: float | Floats, seed: int = 6) -> Results:
    """Drawn by the model itself."""
    win, loss = (logistic.chance((way * scores - half) / spread) for way in (1, -1))
    drawn = np.random.default_rng(seed).random(len(scores))
    return np.where(drawn < win, 2, np.where(drawn > 1 - loss, 0, 1)).astype(np.uint8)


def made_up(size: int, per_game: int = 1) -> Sample:
    """Half 200 cp with bare kings, 80 with everything on the board; spread 90."""
    rng = np.random.default_rng(7)
    scores, material = rng.uniform(-800, 800, size), rng.uniform(0, 1, size)
    results = results_of(scores, 200 - 120 * material, 90)
    return Sample(scores, results, material, np.arange(size, dtype=np.uint32) // np.uint32(per_game))


def test_wins_draws_and_losses_are_found_from_the_results() -> None:
    scores = np.random.default_rng(5).uniform(-800, 800, 100_000)
    assert wdl.fit_wdl(scores, results_of(scores, 120, 80)) == pytest.approx((120, 80), rel=0.03)


def test_the_fit_does_not_care_whose_scores_they_are() -> None:
    scores = np.random.default_rng(1).uniform(-800, 800, 5_000)
    results = results_of(scores, 120, 80)
    mirrored = wdl.fit_wdl(-scores, (2 - results).astype(np.uint8))
    assert mirrored == pytest.approx(wdl.fit_wdl(scores, results))


def test_the_part_of_the_material_is_found_where_it_has_one() -> None:
    sample = made_up(100_000)
    model = wdl.fit_by_material(sample)
    for share in (0.1, 0.5, 0.9):
        assert model.at(share) == pytest.approx((200 - 120 * share, 90), rel=0.06)
    *_, plain, fine = re.findall(r" (0\.\d{4})", wdl_report.compare(sample))
    assert float(fine) < float(plain)


def test_the_material_s_part_in_the_spread_is_found_too() -> None:
    whole = made_up(100_000)
    results = results_of(whole.scores, 150, 40 + 60 * whole.material)
    model = wdl.fit_by_material(whole._replace(results=results))
    assert model.spread(0.1) == pytest.approx(46, rel=0.1)
    assert model.spread(0.9) == pytest.approx(94, rel=0.1)


def test_the_errors_are_those_of_the_fit() -> None:
    """The spread of fits to many samples is what one sample foretells."""
    fits = []
    for seed in range(60):
        scores = np.random.default_rng(seed).uniform(-600, 600, 2_000)
        fits.append(wdl.fit_wdl(scores, results_of(scores, 120, 80, seed + 1_000)))
    sample = Sample(scores, results_of(scores, 120, 80), scores, np.arange(2_000, dtype=np.uint32))
    foretold = wdl.deviations(sample, wdl.fit_wdl(sample.scores, sample.results))
    assert foretold == pytest.approx(np.std(fits, axis=0).tolist(), rel=0.35)


def test_ten_positions_of_a_game_weigh_no_more_than_one() -> None:
    once = made_up(3_000)
    often = Sample(*(np.repeat(column, 10) for column in once))  # type: ignore[arg-type]
    model = wdl.fit_wdl(once.scores, once.results)
    assert wdl.deviations(often, model) == pytest.approx(wdl.deviations(once, model))


def test_chances_sum_to_one_and_half_means_half() -> None:
    likely = wdl.chances(np.array([-500.0, 0.0, 120.0]), 120, 80)
    assert likely.sum(axis=1) == pytest.approx([1, 1, 1])
    assert likely[2, 2] == pytest.approx(0.5)


def test_certainty_that_was_wrong_is_a_finite_surprise() -> None:
    likely = wdl.chances(np.array([30_000.0]), 120, 80)
    assert wdl.surprise(likely, np.array([2], np.uint8)) == pytest.approx(0)
    assert 10 < wdl.surprise(likely, np.array([0], np.uint8)) < 30


@pytest.mark.parametrize("results", [[1, 1, 1], []])
def test_games_without_a_winner_are_refused(results: list[int]) -> None:
    with pytest.raises(ValueError, match="too few games"):
        wdl.fit_wdl(np.arange(len(results), dtype=np.float64), np.array(results, np.uint8))


def test_scores_that_foretell_nothing_are_refused() -> None:
    scores = np.array([300.0, 200.0, -300.0, -200.0, 10.0])
    with pytest.raises(ValueError, match="do not foretell"):
        wdl.fit_wdl(scores, np.array([0, 0, 2, 2, 1], np.uint8))


def packed(*fens: str) -> Positions:
    positions, board = np.zeros(len(fens), POSITION), new_board()
    for fen, row in zip(fens, positions, strict=True):
        set_fen(board, fen)
        pack(board, row)
    return positions


def test_material_is_counted_as_python_chess_sees_it() -> None:
    worth = dict(zip(chess.PIECE_TYPES, (1, 3, 3, 5, 9, 0), strict=True))
    fens = [chess.STARTING_FEN, "4k3/8/8/8/8/8/8/4K3 w - - 0 1"]
    for seed in range(10):
        board = chess.Board()
        for text in random_game(seed):
            board.push_uci(text)
        fens.append(board.fen())
    wanted = [sum(worth[p.piece_type] for p in chess.Board(fen).piece_map().values()) / 78 for fen in fens]
    assert wdl.material(packed(*fens)).tolist() == pytest.approx(wanted)


def decided_games(folder: Path, count: int = 40) -> Path:
    """Random games; the winner's scores rise on the way, the loser's fall, and draws stay level."""
    rng, parts = Random(4), []
    for seed in range(count):
        moves, result = random_game(seed, 40), rng.randrange(3)
        signs = [(result - 1) * (1 if ply % 2 == 0 else -1) for ply in range(len(moves))]
        scores = [sign * 8 * ply + rng.randint(-60, 60) for ply, sign in enumerate(signs)]
        parts.append(written(moves, result, 4, scores))
    path = folder / "ours.bin"
    path.write_bytes(b"".join(parts))
    return path


def test_the_command_prints_the_constants_and_what_speaks_for_them(tmp_path: Path) -> None:
    said = StringIO()
    model = wdl_report.run([decided_games(tmp_path)], 2_000, 10**6, Console(file=said, width=200))
    found = re.search(r"MODEL = (Model\(.*\))", said.getvalue())
    assert found
    numbers = [float(number) for number in re.findall(r"-?\d+\.\d+", found[1])]
    assert numbers == pytest.approx([*model.slope, *model.edge], abs=1e-4)
    assert "40 games" in said.getvalue()


def test_another_source_of_scores_may_be_asked(tmp_path: Path) -> None:
    path, nowhere = decided_games(tmp_path), Console(file=StringIO())

    def doubled(positions: Positions) -> Floats:
        return 2 * wdl.stored(positions)

    plain = wdl_report.run([path], 2_000, 10**6, nowhere)
    twice = wdl_report.run([path], 2_000, 10**6, nowhere, doubled)
    assert twice.half(0.9) == pytest.approx(2 * plain.half(0.9), rel=1e-4)
    assert twice.spread(0.9) == pytest.approx(2 * plain.spread(0.9), rel=1e-4)


def test_every_scored_ply_counts_and_what_is_decided_does_not(tmp_path: Path) -> None:
    path, said = decided_games(tmp_path, 30), StringIO()
    wdl_report.run([path], 100, 10**6, Console(file=said, width=200))
    everything = games.read(path, games.Filter(quiet=False, mend=False, max_score=29_000))
    assert f"{(np.abs(everything['score']) <= 100).sum():,} positions within 100 cp" in said.getvalue()


def test_no_more_positions_are_used_than_asked_for(tmp_path: Path) -> None:
    said = StringIO()
    wdl_report.run([decided_games(tmp_path)], 2_000, 500, Console(file=said, width=200))
    assert said.getvalue().startswith("500 positions")


def test_the_table_sets_what_was_seen_beside_what_is_foretold() -> None:
    sample = made_up(50_000)
    likely = wdl.chances_by_material(sample, wdl.fit_by_material(sample))
    rows = wdl_report.table(sample, likely).splitlines()[1:]
    counts = [int(row[16:32].replace(",", "")) for row in rows]
    assert sum(counts) == 50_000
    for row in rows:
        seen, foretold = row[32:].split()[:3], row[32:].split()[3:]
        assert [float(x) for x in foretold] == pytest.approx([float(x) for x in seen], abs=8)


def test_each_range_of_material_stands_beside_what_the_model_says_of_it() -> None:
    sample = made_up(50_000)
    rows = wdl_report.by_material(sample, wdl.fit_by_material(sample)).splitlines()[1:]
    assert len(rows) == len(wdl_report.POINTS) - 1
    for row in rows:
        alone, modelled = re.findall(r"\d+\.\d+", row)[::2][:2]
        assert float(alone) == pytest.approx(float(modelled), rel=0.12)


def test_a_range_in_which_nobody_won_says_so_and_no_more() -> None:
    sample = made_up(2_000)
    drawn = np.where(sample.material < 0.1, 1, sample.results).astype(np.uint8)
    rows = wdl_report.by_material(sample._replace(results=drawn), wdl.fit_by_material(sample)).splitlines()
    assert "?" in rows[1]
    assert "?" not in rows[-1]


def test_the_command_line_names_what_is_wrong_with_a_file(tmp_path: Path) -> None:
    path = decided_games(tmp_path, 3)
    path.write_bytes(path.read_bytes()[:-1])
    answer = CliRunner().invoke(lab, ["wdl", str(path)])
    assert answer.exit_code == 2
    assert "ours.bin: the file ends inside a game at offset" in answer.output
