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


def test_a_player_is_counted_by_result_flag_and_moves_it_should_not_have_sent() -> None:
    figures, _ = measured()
    for score, flagged in ((1.0, False), (0.5, True), (0.0, True), (None, False)):
        figures.finished("krait", score, flagged=flagged)
    for reason in ("Piece on e2 cannot move to e5", "Invalid UCI: x", "Can't drop P on e4", "Not your turn"):
        figures.refused("move", "krait", 400, reason, 0)
    figures.refused("chat", "krait", 400, "Piece on e2 cannot move to e5", 0)
    assert figures.player("Krait") == {
        "games": 4, "wins": 1, "draws": 1, "losses": 1, "aborted": 1,
        "timeLosses": 2, "illegalMoves": 3, "refusedMoves": 1,
    }  # fmt: skip
    assert figures.snapshot()["players"] == {"krait": figures.player("krait")}
    assert set(figures.player("nobody").values()) == {0}
    figures.reset()
    assert figures.snapshot()["players"] == {}


def test_latencies_are_summed_up_in_quantiles() -> None:
    figures, time = measured()
    for ply in range(100):
        figures.pushed("krait", "g", ply)
        time.now += (ply + 1) / 1000
        move(figures, "krait", ply)
    summary = figures.summary("Krait")
    assert summary is not None
    assert [round(summary[key]) for key in ("p50Ms", "p95Ms", "p99Ms", "maxMs")] == [50, 95, 99, 100]
    assert figures.summary("nobody") is None
