"""From a clock to a budget. Pure arithmetic, in milliseconds; nothing here looks at the time.

    usable   what is left, less the overhead of this move, less what the next HELD_MOVES moves (or all
             moves to go) cost beyond their increment when each is answered at the floor
    want     usable / moves expected  +  3/4 of the increment
    ceiling  a safe share of usable: 45 %, more when moves_to_go says that new time is near
    soft     want, at most 2/3 of the ceiling: the depth under way when it passes needs room to end
    hard     4 x want, at most the ceiling

A depth costs 1.6 to 2 times the one before it, so a search that starts no depth after `soft` ends at about
1.4 x soft on average, and earlier once `soft_scale` has seen a quiet position: `want` allows for that.
"""

from typing import NamedTuple

FLOOR_MS = 5  # a flagging clock still gets a move: some thousand nodes
HELD_MOVES = 30  # moves at the floor that are always paid for in advance
HELD_TO_GO = 100  # the same when the moves until new time are counted: all of them, if the number is sane
CLOCK_CAP_MS = 2_000_000_000  # 23 days: more is a wrong number, and timers overflow on it

MOVES_AT_START, MOVES_AT_LEAST = 34, 25  # expected moves left, at the first ply and late in the game
PLIES_A_MOVE = 6  # the expectation falls by one move in so many plies
SLIM_MOVES = 10  # more moves to expect when no increment will come to the rescue
CEILING_PERCENT, LAST_MOVE_PERCENT = 45, 85
HARD_RATIO = 4

STABILITY_FIRST, STABILITY_STEP, STABILITY_DEPTHS = 1.35, 0.09, 7
DROP_CP, DROP_LEAST, DROP_MOST = 100, 0.9, 1.6  # the factor is 1 + drop / DROP_CP, within these bounds
SHARE_ZERO = 1.6  # at a share of 0.6 of the nodes on the best move the time stands as planned
SCALE_LEAST, SCALE_MOST = 0.45, 2.4


class Clock(NamedTuple):
    left_ms: int
    inc_ms: int
    moves_to_go: int | None


class Budget(NamedTuple):
    soft_ms: int  # start no new depth after it, once scaled
    hard_ms: int  # stop inside a depth at it; equal to soft_ms: only this limit counts


class Progress(NamedTuple):
    stable_depths: int  # depths completed in a row with the same best move, the newest not counted
    score_drop_cp: int  # how far the score fell below that of earlier depths; negative: it rose
    best_share: float  # 0..1 of the nodes of the search spent on the best move


def budget(clock: Clock, overhead_ms: int, ply: int) -> Budget:
    """FLOOR_MS <= soft_ms <= hard_ms <= max(FLOOR_MS, ceiling), for any numbers whatever.

    While the clock pays for it, hard_ms + overhead_ms leaves enough to answer HELD_MOVES more moves, or all
    the moves to go, at the floor. A clock that cannot pay even for one (left_ms < overhead_ms + FLOOR_MS, or
    negative) gets Budget(FLOOR_MS, FLOOR_MS): flagging is then likely, but a move has to be made.
    """
    overhead = max(overhead_ms, 0)
    left = min(clock.left_ms, CLOCK_CAP_MS)
    inc = max(clock.inc_ms, 0)
    to_go = clock.moves_to_go if clock.moves_to_go and clock.moves_to_go > 0 else None
    held = HELD_MOVES if to_go is None else min(to_go - 1, HELD_TO_GO)
    usable = left - overhead - held * max(overhead + FLOOR_MS - inc, 0)  # below zero too; the floor mends it
    want = usable // _moves_left(left, inc, to_go, max(ply, 0)) + inc * 3 // 4
    ceiling = usable * _ceiling_percent(to_go) // 100
    hard = max(min(want * HARD_RATIO, ceiling), FLOOR_MS)
    soft = max(min(want, ceiling * 2 // 3), FLOOR_MS)
    return Budget(soft_ms=soft, hard_ms=hard)


def movetime(ms: int, overhead_ms: int) -> Budget:
    """The whole time asked for, less the overhead, and never below FLOOR_MS; soft_ms == hard_ms."""
    limit = max(min(ms, CLOCK_CAP_MS) - max(overhead_ms, 0), FLOOR_MS)
    return Budget(soft_ms=limit, hard_ms=limit)


def soft_scale(progress: Progress) -> float:
    """What the soft limit is multiplied by: a settled best move needs less, a falling score more.

    SCALE_LEAST <= scale <= SCALE_MOST. Stable depths and best share never raise it, a drop never lowers it.
    """
    stable = min(max(progress.stable_depths, 0), STABILITY_DEPTHS)
    stability = STABILITY_FIRST - STABILITY_STEP * stable
    drop = min(max(1 + progress.score_drop_cp / DROP_CP, DROP_LEAST), DROP_MOST)
    effort = SHARE_ZERO - min(max(progress.best_share, 0.0), 1.0)
    return min(max(stability * drop * effort, SCALE_LEAST), SCALE_MOST)


def is_spent(limits: Budget, elapsed_ms: float, progress: Progress) -> bool:
    """Between two depths: the next must not begin. A budget with soft_ms == hard_ms is not scaled."""
    if limits.soft_ms == limits.hard_ms:
        return elapsed_ms >= limits.hard_ms
    return elapsed_ms >= min(limits.soft_ms * soft_scale(progress), limits.hard_ms)


def _moves_left(left: int, inc: int, to_go: int | None, ply: int) -> int:
    moves = max(MOVES_AT_START - ply // PLIES_A_MOVE, MOVES_AT_LEAST)
    if to_go is not None:
        return min(moves, to_go)
    # An increment of 1 % of the clock carries a game of any length; less must be made up by thrift.
    return moves + max(SLIM_MOVES - inc * SLIM_MOVES * 100 // max(left, 1), 0)


def _ceiling_percent(to_go: int | None) -> int:
    if to_go is None:
        return CEILING_PERCENT
    return max(min(LAST_MOVE_PERCENT, 120 // to_go), CEILING_PERCENT)
