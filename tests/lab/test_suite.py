"""EPD suites: reading, judging, running."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

import pytest

from engine import suite
from engine.driver import MATE, Answer, Engine, Info, Limits

WAC_1 = '2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id "WAC.001";'
CASTLE = "4k3/8/8/8/8/8/8/4K2R w K - bm O-O;"
MATE_IN_1 = "7k/8/5KQ1/8/8/8/8/8 w - - 0 1 dm 1;"
SHARED = Path(__file__).parents[2].parent / "shared" / "data" / "suites"
LIMITS = cast("Limits", None)  # the scripted engine knows no limits


class Scripted:
    """Stands in for the engine: shows these lines in turn, then plays the last."""

    chess960 = False

    def __init__(self, *lines: tuple[int, str, int]) -> None:
        self.lines = lines  # time in ms, move, score
        self.asked: list[str] = []

    def new_game(self) -> None:
        self.asked.append("new game")

    def set_position(self, fen: str, moves: Sequence[str]) -> None:
        assert not moves
        self.asked.append(fen)

    def search(self, _: Limits, on_info: Callable[[Info], None]) -> Answer:
        for time_ms, move, score in self.lines:
            on_info(Info(1, 1, 1, score, "", 10, 10, 0, 0, time_ms, (move,)))
        return Answer(self.lines[-1][1], None, self.lines[-1][2], 10)


def run(folder: Path, text: str, engine: Scripted) -> tuple[suite.Summary, list[suite.Result]]:
    (folder / "suite.epd").write_text(text)
    seen: list[suite.Result] = []
    return suite.run(folder / "suite.epd", cast("Engine", engine), LIMITS, seen.append), seen


def test_a_line_names_its_best_moves() -> None:
    case = suite.parse(WAC_1)
    assert (case.name, case.best, case.avoid, case.mate) == (
        "WAC.001",
        frozenset({"g3g6"}),
        frozenset(),
        None,
    )


def test_the_counters_of_a_fen_may_stand_before_the_operations() -> None:
    case = suite.parse(MATE_IN_1)
    assert (case.fen, case.mate) == ("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", 1)


def test_any_of_several_best_moves_is_right_and_no_other() -> None:
    case = suite.parse("4k3/8/8/8/8/8/8/4K2R w K - bm Rh8+ Rh7;")
    assert [suite.is_right(case, move) for move in ("h1h8", "h1h7", "h1h6", None)] == [
        True,
        True,
        False,
        False,
    ]


def test_a_move_to_avoid_is_wrong_and_every_other_right() -> None:
    case = suite.parse("4k3/8/8/8/8/8/8/4K2R w K - am Rh8+;")
    assert [suite.is_right(case, move) for move in ("h1h8", "h1h7")] == [False, True]


def test_castling_is_right_in_either_notation() -> None:
    case = suite.parse(CASTLE)
    assert suite.is_right(case, "e1g1")
    assert suite.is_right(case, "e1h1")


def test_a_mate_must_be_seen_in_as_many_moves() -> None:
    case = suite.parse(MATE_IN_1)
    assert suite.is_passed(case, "g6g7", MATE - 1)
    assert not suite.is_passed(case, "g6g7", MATE - 3)
    assert not suite.is_passed(case, "g6g7", 900)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("hello", "expected a position"),
        ("8/8/8/8/8/8/8/8 w - - bm Ke2;", "not a legal position|illegal san|invalid"),
        ("4k3/8/8/8/8/8/8/4K2R w K - bm Qh8;", "Qh8"),
        ('4k3/8/8/8/8/8/8/4K2R w K - id "nothing asked";', "nothing to judge by"),
        ("4k3/8/8/8/8/8/8/4K2R w K - dm soon;", "soon"),
    ],
)
def test_a_malformed_line_is_named_with_its_file(tmp_path: Path, line: str, complaint: str) -> None:
    path = tmp_path / "suite.epd"
    path.write_text(f"# comment\n\n{line}\n")
    with pytest.raises(suite.SuiteError, match=complaint) as caught:
        suite.load(path)
    assert str(caught.value).startswith(f"{path}:3: ")


def test_a_missing_or_empty_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "empty.epd").write_text("\n")
    for name in ("empty.epd", "missing.epd"):
        with pytest.raises(suite.SuiteError, match=name):
            suite.load(tmp_path / name)


def test_a_case_without_a_name_is_called_by_its_line(tmp_path: Path) -> None:
    (tmp_path / "suite.epd").write_text(f"\n{CASTLE}\n")
    assert suite.load(tmp_path / "suite.epd")[0].name == "line 2"


def test_every_position_is_searched_afresh_and_reported(tmp_path: Path) -> None:
    engine = Scripted((5, "g3g6", 100))
    summary, seen = run(tmp_path, f"{WAC_1}\n{WAC_1.replace('bm', 'am')}\n", engine)
    assert (summary.passed, summary.total, summary.nodes) == (1, 2, 20)
    assert [(result.number, result.total, result.passed) for result in seen] == [(1, 2, True), (2, 2, False)]
    fen = "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1"
    assert engine.asked == ["new game", fen] * 2


def test_the_time_of_the_solution_is_that_of_the_last_change_of_mind(tmp_path: Path) -> None:
    lines = (1, "g3g6", 0), (2, "g3g5", 0), (3, "g3g6", 0), (4, "g3g6", 0)
    _, seen = run(tmp_path, WAC_1, Scripted(*lines))
    assert seen[0].settled_ms == 3
    _, seen = run(tmp_path, WAC_1, Scripted(*lines[:2]))
    assert seen[0].settled_ms is None


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared suites are not on this machine")
@pytest.mark.parametrize(
    ("name", "size"), [("wac_300", 300), ("bratko_kopec_24", 24), ("kaufman_25", 25), ("mate_in_2", None)]
)
def test_the_shared_suites_are_read_whole(name: str, size: int | None) -> None:
    cases = suite.load(SHARED / f"{name}.epd")
    assert size is None or len(cases) == size
