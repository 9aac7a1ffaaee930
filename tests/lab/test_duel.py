"""Games in this process: fair, repeatable, ended by the rules of chess, by agreement or by the clock."""

from typing import cast

import chess
import pytest

from engine.driver import Answer, Engine, Limits
from engine.lab import duel
from engine.lab.adjudicate import BLACK, DRAW, WHITE, Ending, Rules
from engine.lab.duel import Arena, Game, Score, Terms
from engine.lab.openings import Opening
from engine.lab.settings import Limit

START = Opening(chess.STARTING_FEN, ("e2e4", "e7e5"))
FEW = Terms(Limit(nodes=60), Rules(max_plies=30), hash_mb=1)
FREE = Terms(Limit(nodes=1), Rules(), hash_mb=1)
SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")


class Puppet:
    """Plays what it is told, and remembers what it was asked."""

    def __init__(self, *moves: str, score: int = 0) -> None:
        self._moves, self._score = list(moves), score
        self.asked: list[tuple[str, list[str]]] = []
        self.limits: list[Limits] = []

    def new_game(self) -> None:
        self.asked.clear()

    def set_position(self, fen: str, moves: list[str]) -> None:
        self.asked.append((fen, list(moves)))

    def search(self, limits: Limits) -> Answer:
        self.limits.append(limits)
        return Answer(self._moves.pop(0), None, self._score, 1)


def played(white: Puppet, black: Puppet, opening: Opening, terms: Terms = FREE) -> Ending:
    return Game(cast("tuple[Engine, Engine]", (white, black)), opening, terms).play()


def test_a_setting_against_itself_is_even_game_by_game() -> None:
    arena = Arena(FEW)
    assert arena.pair({}, {}, START).half_points == 2


def test_the_same_games_are_played_whatever_was_played_before() -> None:
    used, bold = Arena(FEW), {"rfp_margin": 30, "lmr_base": 1_500}
    first = used.pair(bold, {}, START)
    used.pair({}, bold, Opening("4k3/pppp4/8/8/8/8/4PPPP/4K3 w - - 0 1", ()))
    assert used.pair(bold, {}, START) == Arena(FEW).pair(bold, {}, START) == first


def test_each_side_searches_with_its_own_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def look(self: Game) -> Ending:
        seen.append(tuple(int(engine.numbers["lmr_base"]) for engine in self._engines))
        return Ending(WHITE, "")

    monkeypatch.setattr(Game, "play", look)
    score = Arena(FEW).pair({"lmr_base": 500}, {"lmr_base": 600}, START)
    assert seen == [(500, 600), (600, 500)]
    assert score.half_points == 2  # White won both


@pytest.mark.parametrize(
    ("results", "half_points"),
    [((WHITE, BLACK), 4), ((BLACK, WHITE), 0), ((DRAW, BLACK), 3), ((WHITE, DRAW), 3), ((DRAW, WHITE), 1)],
)
def test_the_second_game_is_played_with_colours_swapped(
    monkeypatch: pytest.MonkeyPatch, results: tuple[str, str], half_points: int
) -> None:
    endings = iter([Ending(result, "") for result in results])
    monkeypatch.setattr(Game, "play", lambda _: next(endings))
    assert Arena(FEW).pair({}, {}, START).half_points == half_points


def test_the_difference_is_the_mean_of_a_game() -> None:
    pairs = [Score(half_points, 0, ("", "")) for half_points in (4, 2, 1)]
    assert duel.difference(pairs) == pytest.approx((2 + 0 - 1) / 6)
    assert duel.difference(pairs[:1]) == 1


def test_mate_ends_the_game() -> None:
    fools = Opening(chess.STARTING_FEN, ("f2f3", "e7e5", "g2g4"))
    assert played(Puppet(), Puppet("d8h4"), fools) == Ending(BLACK, "checkmate")


@pytest.mark.parametrize(
    ("fen", "move", "reason"),
    [
        ("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "g6f7", "stalemate"),
        ("7k/8/8/8/8/8/1p6/K7 w - - 0 1", "a1b2", "insufficient material"),
        ("7k/8/8/8/8/8/8/KR6 w - - 99 80", "b1b2", "fifty moves"),
    ],
)
def test_a_draw_by_the_rules_ends_the_game(fen: str, move: str, reason: str) -> None:
    assert played(Puppet(move), Puppet(), Opening(fen, ())) == Ending(DRAW, reason)


def test_a_position_seen_three_times_ends_the_game_and_openings_count() -> None:
    white, black = Puppet("g1f3", "f3g1"), Puppet("g8f6", "f6g8")
    ending = played(white, black, Opening(chess.STARTING_FEN, SHUFFLE))
    assert ending == Ending(DRAW, "threefold repetition")
    assert len(white.asked) == 2


def test_scores_are_believed_when_both_sides_agree() -> None:
    rules = Rules(resign_moves=1, resign_cp=600)
    white, black = Puppet("g1f3", "f3g1", score=-700), Puppet("g8f6", "f6g8", score=650)
    ending = played(white, black, START, FREE._replace(rules=rules))
    assert ending.result == BLACK
    assert ending.reason.startswith("adjudication")


def test_what_the_engine_is_told_is_the_game_since_nothing_can_come_again() -> None:
    white, black = Puppet("g1f3", "f3e5", "e5f3"), Puppet("b8c6", "g8f6", "f6e4")
    played(white, black, START, FREE._replace(rules=Rules(max_plies=8)))
    board = chess.Board()
    for text in ("e2e4", "e7e5", "g1f3", "b8c6"):
        board.push_uci(text)
    before = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
    assert white.asked[1] == (before, ["g1f3", "b8c6"])
    told = chess.Board(white.asked[1][0])
    for text in white.asked[1][1]:
        told.push_uci(text)
    assert told.fen() == board.fen()
    assert black.asked[1][1] == []  # the knight took on e5


class Watch:
    """A clock that goes on by so many milliseconds each time it is looked at."""

    def __init__(self, *steps_ms: float) -> None:
        self._steps_ms, self._now_s = list(steps_ms), 0.0

    def perf_counter(self) -> float:
        self._now_s += self._steps_ms.pop(0) / 1000
        return self._now_s


def timed(monkeypatch: pytest.MonkeyPatch, *thoughts_ms: float) -> tuple[Ending, Puppet, Puppet]:
    """A second and 10 ms a move; looks at the clock come in pairs, before and after each thought."""
    monkeypatch.setattr(duel, "time", Watch(*(step for each in thoughts_ms for step in (0, each))))
    white, black = Puppet("g1f3", "f3g1", "g1f3"), Puppet("g8f6", "f6g8", "g8f6")
    terms = Terms(Limit(base_ms=1_000, inc_ms=10), Rules(max_plies=2 + len(thoughts_ms)), hash_mb=1)
    return played(white, black, START, terms), white, black


def test_who_thinks_too_long_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    ending, _, _ = timed(monkeypatch, 400, 10, 700)
    assert ending == Ending(BLACK, "time forfeit")


def test_a_little_too_long_is_the_machines_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    ending, _, _ = timed(monkeypatch, 1_000 + duel.MARGIN_MS - 1, 10)
    assert ending.reason == "adjudication: too long"


def test_each_side_is_told_its_own_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    _, white, black = timed(monkeypatch, 400, 100, 0, 0)
    clocks = [limits.clock for puppet in (white, black) for limits in puppet.limits]
    assert [clock.left_ms for clock in clocks if clock] == [1_000, 610, 1_000, 910]
    assert {clock.inc_ms for clock in clocks if clock} == {10}


def test_a_limit_of_nodes_is_passed_on() -> None:
    white = Puppet("g1f3")
    played(white, Puppet(), START, Terms(Limit(nodes=77), Rules(max_plies=3), hash_mb=1))
    assert white.limits == [Limits(nodes=77)]
