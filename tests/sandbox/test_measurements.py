"""The figures: how long a bot took from a line to its move, and what it should not have asked."""

from bot.sandbox.measurements import Measurements, quantile


class Seconds:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def measured() -> tuple[Measurements, Seconds]:
    seconds = Seconds()
    return Measurements(seconds), seconds


def move(figures: Measurements, user: str, ply: int, uci: str = "e2e4") -> None:
    figures.moved(user, "g", ply, uci, figures.latency(user, "g", ply))


def test_a_moves_latency_runs_from_the_line_that_first_showed_its_position() -> None:
    figures, time = measured()
    figures.pushed("krait", "g", 4)
    time.now = 0.25
    figures.pushed("krait", "g", 4)  # a draw offer, a duplicate: the position is the same
    time.now = 0.5
    move(figures, "krait", 4)
    assert figures.moves("krait") == [{"game": "g", "ply": 4, "uci": "e2e4", "ms": 500.0}]


def test_a_move_for_a_position_nobody_was_shown_has_no_latency() -> None:
    figures, _ = measured()
    figures.pushed("krait", "g", 4)
    move(figures, "krait", 6)
    move(figures, "other", 4)
    assert figures.snapshot()["latency"] == {}


def test_a_takeback_starts_the_clock_anew() -> None:
    figures, time = measured()
    figures.pushed("krait", "g", 4)
    figures.pushed("krait", "g", 6)
    time.now = 2.0
    figures.pushed("krait", "g", 4)
    time.now = 3.0
    move(figures, "krait", 4)
    assert figures.moves("krait")[0]["ms"] == 1000.0


def test_a_game_that_is_over_is_forgotten_but_its_moves_are_not() -> None:
    figures, _ = measured()
    figures.pushed("krait", "g", 0)
    move(figures, "krait", 0)
    figures.pushed("krait", "g", 2)
    figures.forget("g")
    move(figures, "krait", 2, "d2d4")
    assert figures.snapshot()["latency"]["krait"]["count"] == 1


def test_refused_requests_are_counted_by_reason() -> None:
    figures, _ = measured()
    for _ in range(2):
        figures.refused("move", "krait", 400, "Not your turn", 5)
    assert figures.snapshot()["illegal"] == [
        {"endpoint": "move", "status": 400, "reason": "Not your turn", "count": 2}
    ]
    assert figures.snapshot()["lastIllegal"][-1]["user"] == "krait"


def test_a_quantile_is_a_value_that_was_seen() -> None:
    values = [1.0, 2.0, 3.0, 4.0]
    assert [quantile(values, q) for q in (0.0, 0.5, 0.51, 0.99, 1.0)] == [1.0, 2.0, 3.0, 4.0, 4.0]
