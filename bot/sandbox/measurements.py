"""What the sandbox saw of its clients: how fast they answer, what they ask, what they should not have asked.

The latency of a move is the time from the moment a position was written to a player's stream to the moment
the same player's move for that very position arrived, if it was then accepted.
"""

import math
import time
from collections import Counter, deque
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]
KEPT = 10_000  # latencies a bot, oldest forgotten
KEPT_ILLEGAL = 1_000
ILLEGAL = ("Piece on ", "Can't drop ", "Invalid UCI")  # how a move is refused that no rule allows
PLAYED = ("games", "wins", "draws", "losses", "aborted", "timeLosses", "illegalMoves", "refusedMoves")


def quantile(sorted_values: list[float], q: float) -> float:
    """The smallest value with at least the share `q` of all at or below it."""
    return sorted_values[max(0, math.ceil(q * len(sorted_values)) - 1)]


def _by(counts: Counter[tuple[str, str]], part: int) -> dict[str, int]:
    """Summed over the other part of the keys."""
    sums: Counter[str] = Counter()
    for key, count in counts.items():
        sums[key[part]] += count
    return dict(sums)


class Measurements:
    """Counts and times; `now_s` runs on while the sandbox's clock is frozen or leaps."""

    def __init__(self, now_s: Callable[[], float] = time.perf_counter) -> None:
        self._now_s = now_s
        self.reset()

    def reset(self) -> None:
        self.lines_lost = 0
        self._requests: Counter[str] = Counter()
        self._illegal: Counter[tuple[str, int, str]] = Counter()
        self._last_illegal: deque[Json] = deque(maxlen=KEPT_ILLEGAL)
        self._opened: Counter[tuple[str, str]] = Counter()
        self._evicted: Counter[tuple[str, str]] = Counter()
        self._lines = 0
        self._beats = 0
        self._latest_beat_ms = 0.0
        self._shown: dict[tuple[str, str], tuple[int, float]] = {}
        self._moves: dict[str, deque[Json]] = {}
        self._players: dict[str, Counter[str]] = {}
        self.failures = 0

    def requested(self, endpoint: str) -> None:
        self._requests[endpoint] += 1

    def refused(self, endpoint: str, user: str, status: int, reason: str, at_ms: int) -> None:
        self._illegal[endpoint, status, reason] += 1
        self._last_illegal.append(
            {"endpoint": endpoint, "user": user, "status": status, "reason": reason, "atMs": at_ms}
        )

        if endpoint == "move" and status == 400:
            self._count(user, "illegalMoves" if reason.startswith(ILLEGAL) else "refusedMoves")

    def finished(self, user: str, score: float | None, *, flagged: bool) -> None:
        """A game of `user` is over with 1, ½ or 0 points, or was aborted (None); `flagged`: its flag fell."""
        results = {1.0: "wins", 0.5: "draws", 0.0: "losses", None: "aborted"}
        self._count(user, "games", results[score], *(("timeLosses",) if flagged else ()))

    def _count(self, user: str, *what: str) -> None:
        self._players.setdefault(user, Counter()).update(what)

    def player(self, user: str) -> dict[str, int]:
        """How the finished games of `user` went, and the moves it should not have sent (see PLAYED)."""
        counts = self._players.get(user.lower(), Counter())
        return {name: counts[name] for name in PLAYED}

    def summary(self, user: str) -> Json | None:
        """How long its moves took, from the line written to the move received; None: none was timed."""
        return self._summary(user.lower()) if user.lower() in self._moves else None

    def opened(self, kind: str, user: str) -> None:
        self._opened[kind, user] += 1

    def evicted(self, kind: str, user: str) -> None:
        self._evicted[kind, user] += 1

    def beat(self, late_ms: float) -> None:
        self._beats += 1
        self._latest_beat_ms = max(self._latest_beat_ms, late_ms)

    def pushed(self, user: str, game: str, ply: int | None) -> None:
        """A line was written; if it shows a position not shown to this player before, its clock starts."""
        self._lines += 1
        if ply is not None and self._shown.get((user, game), (-1, 0.0))[0] != ply:
            self._shown[user, game] = ply, self._now_s()

    def latency(self, user: str, game: str, ply: int) -> float | None:
        """How many ms ago the position after `ply` plies was shown to this player; None when it was not."""
        shown_ply, at_s = self._shown.get((user, game), (-1, 0.0))
        return (self._now_s() - at_s) * 1000 if shown_ply == ply else None

    def moved(self, user: str, game: str, ply: int, uci: str, latency_ms: float | None) -> None:
        """A move was accepted; `latency_ms` is what `latency` said when it arrived."""
        if latency_ms is not None:
            moves = self._moves.setdefault(user, deque(maxlen=KEPT))
            moves.append({"game": game, "ply": ply, "uci": uci, "ms": round(latency_ms, 3)})

    def forget(self, game: str) -> None:
        """The game is over: nothing shown of it waits for an answer."""
        for key in [key for key in self._shown if key[1] == game]:
            del self._shown[key]

    def moves(self, user: str) -> list[Json]:
        """Each timed move of a bot: game, ply, uci, ms."""
        return list(self._moves.get(user, ()))

    def snapshot(self, open_streams: int = 0) -> Json:
        return {
            "requests": dict(self._requests),
            "illegal": [
                {"endpoint": endpoint, "status": status, "reason": reason, "count": count}
                for (endpoint, status, reason), count in self._illegal.most_common()
            ],
            "lastIllegal": list(self._last_illegal),
            "streams": {
                "open": open_streams,
                "opened": _by(self._opened, 0),
                "evicted": _by(self._evicted, 0),
                "openedBy": _by(self._opened, 1),
                "evictedBy": _by(self._evicted, 1),
                "lines": self._lines,
                "lost": self.lines_lost,
                "keepAlives": self._beats,
                "keepAliveLateMs": round(self._latest_beat_ms, 3),
            },
            "latency": {user: self._summary(user) for user in self._moves},
            "players": {user: self.player(user) for user in self._players},
            "failures": self.failures,
        }

    def _summary(self, user: str) -> Json:
        times = sorted(move["ms"] for move in self._moves[user])
        return {
            "count": len(times),
            "p50Ms": quantile(times, 0.5),
            "p95Ms": quantile(times, 0.95),
            "p99Ms": quantile(times, 0.99),
            "maxMs": times[-1],
        }
