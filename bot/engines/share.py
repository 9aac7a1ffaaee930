"""Who is served first, and how long he may think, when games outnumber engines. Pure.

A move may cost a game a thirtieth of its clock and most of its increment: at that rate no clock runs dry.
Where w orders wait for n engines, n + w games share them, so each may think for n/(n+w) of that: a whole
round then takes no longer than one move may cost.
"""

from dataclasses import dataclass, replace

from bot.game.clockwork import Allowance

MOVES_TO_COME = 30
INCREMENT_SPENT = 0.7  # less than all of it: what latency costs must come from somewhere
LEAST_THINK_MS = 5
LEAST_ASK_MS = 15  # nearer to the flag than that, asking another process is a gamble
GRACE_MS = (150, 1000)  # after `stop`, before the kill: at least, at most
UNTIMED_WAIT_MS = 60_000.0  # a game without a clock may wait so long before it is as urgent as the rest
CORRESPONDENCE_PATIENCE_MS = (
    120_000.0,
    3_600_000.0,
)  # for an engine: when all are broken, when one will come


@dataclass(frozen=True, slots=True)
class Told:
    """What one search gets: told `allowance`, hurried after `stop_ms`, killed after `kill_ms`."""

    allowance: Allowance
    stop_ms: float
    kill_ms: float

    @property
    def is_patient(self) -> bool:
        """Whether an engine that is silent until the end had its grace; else it may have been unlucky."""
        return self.kill_ms - self.stop_ms >= GRACE_MS[0]


def due_ms(allowance: Allowance, we_are_white: bool) -> float:
    """How long this order can wait before the wait costs more than a move may; the least is served first.

    Always well before the flag, later the more is on the clock; and since it grows with the clock but slower
    than the clock itself, a long game is not put off until it is as short of time as the shortest.
    """
    if allowance.flag_in_ms is None:
        return min(UNTIMED_WAIT_MS, allowance.answer_within_ms)  # a first move: somebody sits and waits
    left = max(0, allowance.flag_in_ms)
    return left / 20 + min(_increment(allowance, we_are_white), left / 4)


def fraction(engines: int, waiting: int) -> float:
    """The part of its usual time that a search may take."""
    return 1.0 if waiting <= 0 else max(1, engines) / (max(1, engines) + waiting)


def ceiling_ms(allowance: Allowance, we_are_white: bool, part: float, waited_ms: float = 0.0) -> float:
    """How long a search may last when others wait; at most what a healthy engine needs anyway."""
    limit = float(allowance.answer_within_ms)
    clock = _clock(allowance, we_are_white)
    if part >= 1 or clock is None:
        return max(LEAST_THINK_MS, limit * part)
    usual = max(0.0, clock - waited_ms) / MOVES_TO_COME
    usual += INCREMENT_SPENT * _increment(allowance, we_are_white)
    if allowance.move_ms is not None:
        usual = min(usual, allowance.move_ms)
    return max(LEAST_THINK_MS, min(limit, usual * part))


def told(
    allowance: Allowance, we_are_white: bool, waited_ms: float, part: float, tries: int = 0
) -> Told | None:
    """What to tell an engine `waited_ms` after `allowance` was true. None: there is no time to ask one.

    `tries` searches of this move have failed: each next one may take a smaller part of what is left.
    """
    left = None if allowance.flag_in_ms is None else allowance.flag_in_ms - waited_ms
    if left is not None and left < LEAST_ASK_MS:
        return None
    within = float(allowance.answer_within_ms)
    if left is not None:
        within = min(within, left * 0.6 / (1 + tries))
    grace = min(max(GRACE_MS[0], within / 4), GRACE_MS[1])
    kill = within + grace if left is None else min(within + grace, left * 0.8 / (1 + tries / 4))
    stop = min(within, kill, ceiling_ms(allowance, we_are_white, part, waited_ms) if part < 1 else within)
    return Told(_scaled(allowance, we_are_white, waited_ms, part, within), stop, kill)


def patience_ms(allowance: Allowance, hopeful: bool) -> float:
    """How long to wait for an engine before moving without. `hopeful`: one is there or will be."""
    if allowance.flag_in_ms is None:
        return CORRESPONDENCE_PATIENCE_MS[hopeful]
    return max(0, allowance.flag_in_ms) * (0.5 if hopeful else 0.1)


def pause_s(failures: int) -> float:
    """Before the next start of an engine that failed so often in a row: none, then 1, 2, 4 ... 60."""
    return 0.0 if failures < 2 else min(60.0, 2.0 ** min(failures - 2, 6))


def _clock(allowance: Allowance, we_are_white: bool) -> int | None:
    return allowance.white_ms if we_are_white else allowance.black_ms


def _increment(allowance: Allowance, we_are_white: bool) -> int:
    return allowance.white_inc_ms if we_are_white else allowance.black_inc_ms


def _scaled(
    allowance: Allowance, we_are_white: bool, waited_ms: float, part: float, within: float
) -> Allowance:
    """Our clock less the wait, and of that our part: an engine's own sense of time does the rest."""
    clock = _clock(allowance, we_are_white)
    # A first move is not on the clock yet: only where a flag is near has waiting taken from it.
    spent = waited_ms if allowance.flag_in_ms is not None else 0.0
    ours = None if clock is None else max(1, int((clock - spent) * part))
    increment = int(_increment(allowance, we_are_white) * part)
    move = allowance.move_ms
    exactly = None if move is None else max(1, int(min(move * part, within)))
    common = replace(allowance, move_ms=exactly, answer_within_ms=max(1, int(within)))
    if we_are_white:
        return replace(common, white_ms=ours, white_inc_ms=increment)
    return replace(common, black_ms=ours, black_inc_ms=increment)
