"""No order of events, legal or not, breaks a match."""

from collections.abc import Callable

import chess
from hypothesis import given
from hypothesis import strategies as st

from bot.sandbox.match import Match
from bot.sandbox.offers import answer_draw, answer_takeback, claim, claim_threefold, settle_after_move
from bot.sandbox.refusal import Refusal
from bot.sandbox.speeds import TimeControl
from bot.sandbox.variants import Status, new_board, read_move
from tests.sandbox.scene import BLITZ, START_MS, a_match, patient

W, B = chess.WHITE, chess.BLACK

Event = Callable[[Match, int], object]
SIDES = st.sampled_from([W, B])


def _move(index: int) -> Event:
    def act(match: Match, now_ms: int) -> None:
        moves = sorted(move.uci() for move in match.board.legal_moves) or ["e2e4"]
        match.play(match.turn, moves[index % len(moves)], now_ms)

    return act


EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.integers(0, 400).map(_move),
    st.integers(0, 400).map(_move),  # mostly games go on
    st.integers(0, 400).map(_move),
    st.builds(
        lambda side, uci: lambda m, t: m.play(side, uci, t), SIDES, st.sampled_from(["e2e4", "a1a8", "x"])
    ),
    st.builds(lambda side, yes: lambda m, t: answer_draw(m, side, yes, t), SIDES, st.booleans()),
    st.builds(
        lambda side, yes, allowed: lambda m, t: answer_takeback(m, side, yes, t, allowed=allowed),
        SIDES,
        st.booleans(),
        st.sampled_from([True, True, False]),
    ),
    st.builds(lambda side: lambda m, t: m.resign(side, t), SIDES),
    st.just(lambda m, t: m.abort(t)),
    st.just(lambda m, t: m.expire(t)),
    st.just(claim_threefold),
    st.builds(lambda side: lambda m, t: settle_after_move(m, side, t), SIDES),
    st.builds(
        lambda side, gone, win: lambda m, t: claim(m, side, t, is_gone=gone, victory=win),
        SIDES,
        st.booleans(),
        st.booleans(),
    ),
)
KINDS = st.sampled_from(["standard", "chess960", "crazyhouse", "antichess", "atomic", "threeCheck", "horde"])
CONTROLS = st.sampled_from([BLITZ, TimeControl(15, 0), TimeControl(days=1), TimeControl()])
STEPS = st.lists(st.tuples(EVENTS, st.sampled_from([0, 7, 1500, 9000])), max_size=40)


def snapshot(match: Match, now_ms: int) -> tuple[object, ...]:
    times = tuple(match.left_ms(side, now_ms) for side in chess.COLORS)
    return match.status, match.winner, tuple(match.moves), match.board.fen(), times, match.rematch_id


def attempt(event: Event, match: Match, now_ms: int) -> Refusal | None:
    try:
        event(match, now_ms)
    except Refusal as refusal:
        return refusal
    return None


def check(match: Match, now_ms: int) -> None:
    fold = new_board(match.variant, match.initial_fen)
    for uci in match.moves:
        fold.push(read_move(match.variant, fold, uci))
    assert fold.fen() == match.board.fen()
    assert (match.status is Status.ABORTED) <= (match.ply < 2)
    assert match.winner is None or match.is_over
    assert not match.is_over or not (match.offers.draw or match.offers.takeback)
    for side in chess.COLORS:
        assert match.left_ms(side, now_ms) >= 0
    if match.clock is not None:
        assert len(match.clock_log) == match.ply
        assert match.clock.ticking in {None, match.turn}
        assert all(left % 10 == 0 for left in match.clock.left.values())


@patient(60)
@given(KINDS, CONTROLS, st.sampled_from([None, 3]), STEPS)
def test_no_order_of_events_breaks_a_match(
    kind: str, control: TimeControl, ai: int | None, steps: list[tuple[Event, int]]
) -> None:
    match, now_ms = a_match(kind, control=control, ai=ai), START_MS
    ever_ran = False
    for event, pause_ms in steps:
        now_ms += pause_ms
        before, ply, was_over = snapshot(match, now_ms), match.ply, match.is_over
        refusal = attempt(event, match, now_ms)
        assert refusal is None or refusal.status == 400
        # a claim without material is refused although it draws; any other refusal changes nothing
        assert refusal is None or match.status is Status.TIMEOUT or snapshot(match, now_ms) == before
        check(match, now_ms)
        assert match.status.id >= before[0].id  # type: ignore[attr-defined]
        assert match.ply - ply in {1, 0, -1, -2}
        assert not was_over or snapshot(match, now_ms) == before
        ever_ran = ever_ran or match.ply >= 2
        assert ever_ran or match.clock is None or match.clock.ticking is None
