"""Time controls, the speed they amount to, and the rating category (`perf`) a game counts in. Pure."""

from typing import NamedTuple

DAY_S = 86_400
DAYS_ALLOWED = (1, 2, 3, 5, 7, 10, 14)
SPEEDS = (  # the estimated seconds a side needs, below which a game is of that speed
    (30, "ultraBullet"),
    (180, "bullet"),
    (480, "blitz"),
    (1500, "rapid"),
    (21_600, "classical"),
)
SLOWEST = "correspondence"
PERF_NAMES = {
    "ultraBullet": "UltraBullet",
    "bullet": "Bullet",
    "blitz": "Blitz",
    "rapid": "Rapid",
    "classical": "Classical",
    "correspondence": "Correspondence",
    "chess960": "Chess960",
    "crazyhouse": "Crazyhouse",
    "antichess": "Antichess",
    "atomic": "Atomic",
    "horde": "Horde",
    "kingOfTheHill": "King of the Hill",
    "racingKings": "Racing Kings",
    "threeCheck": "Three-check",
}
# Glyphs of Lichess's icon font: a client may show them, none reads them, so one serves for the rarer perfs.
_ICONS = {"rapid": "\ue017", "classical": "\ue00a", "correspondence": "\ue019", "chess960": "\ue006"}
_ANY_ICON = "\ue002"
_FRACTIONS: dict[float, str] = {15: "¼", 30: "½", 45: "¾", 90: "1.5"}


class TimeControl(NamedTuple):
    """A clock (`limit_s` and `increment_s`), days a turn, or neither: unlimited."""

    limit_s: float | None = None
    increment_s: float = 0
    days: int | None = None

    @property
    def is_clock(self) -> bool:
        return self.limit_s is not None

    @property
    def is_correspondence(self) -> bool:
        return self.limit_s is None and self.days is not None

    @property
    def is_unlimited(self) -> bool:
        return self.limit_s is None and self.days is None

    @property
    def estimate_s(self) -> float:
        """What a side is expected to spend in forty moves; only meaningful with a clock."""
        return round((self.limit_s or 0) + 40 * self.increment_s)

    @property
    def initial_ms(self) -> int:
        """What each clock starts with: without a limit it is the increment, 3 s at least."""
        return round((self.limit_s or max(3, self.increment_s)) * 1000)

    @property
    def increment_ms(self) -> int:
        return round(self.increment_s * 1000)

    @property
    def speed(self) -> str:
        if self.limit_s is None:
            return SLOWEST
        return next((name for below_s, name in SPEEDS if self.estimate_s < below_s), SLOWEST)

    @property
    def show(self) -> str:
        """`3+2`, `½+0`: minutes, then seconds a move."""
        seconds = self.limit_s or 0
        minutes = _FRACTIONS.get(round(seconds)) or f"{seconds / 60:.2f}".rstrip("0").rstrip(".")
        return f"{minutes}+{self.increment_s:g}"


def is_slower(speed: str, than: str) -> bool:
    order = [name for _, name in SPEEDS] + [SLOWEST]
    return order.index(speed) > order.index(than)


def perf_key(variant: str, speed: str) -> str:
    """Standard games count by speed, variants by themselves; a set-up position counts as standard."""
    return speed if variant in {"standard", "fromPosition"} else variant


def perf_icon(perf: str) -> str:
    return _ICONS.get(perf, _ANY_ICON)


def may_be_rated(variant: str, control: TimeControl) -> bool:
    """Whether Lichess would rate such a game at all."""
    if variant == "fromPosition":
        return False
    if variant == "standard":
        return True
    return (
        control.is_clock and control.estimate_s >= 30 and (bool(control.limit_s) or control.increment_s > 1)
    )


DEADLINE_SOURCES = frozenset({"lobby", "pool", "arena", "swiss"})
_FIRST_MOVE_S = {"ultraBullet": (20, 16), "bullet": (20, 16), "blitz": (25, 21), "rapid": (30, 25)}


def first_move_ms(source: str, speed: str, variant: str) -> int | None:
    """How long a first move is waited for, by where the game came from; None (challenges): for ever."""
    if source not in DEADLINE_SOURCES:
        return None
    usual_s, arena_s = _FIRST_MOVE_S.get(speed, (35, 30))
    return (arena_s if source == "arena" else usual_s) * (1500 if variant == "chess960" else 1000)
