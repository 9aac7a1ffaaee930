"""Figures for Prometheus: counted from facts, and looked up when they are asked for.

Labels are words of ours and few: no player, no game, no address is ever among them.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from bot.dashboard.health import reasons
from bot.dashboard.vitals import Vitals
from bot.game import facts
from bot.store.rows import kind_of

if TYPE_CHECKING:
    from bot.game.nouns import GameId, GameInfo

SOURCES = frozenset({"book", "tablebase", "emergency"})
TROUBLES_NAMED = 64  # any more are counted together
THINK_S = (0.01, 0.03, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60)
OVERHEAD_S = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2)
disable_created_metrics()  # type: ignore[no-untyped-call]  # it carries no types; nobody asks when we began
STATES = ("starting", "idle", "thinking", "pondering", "settling", "down")


class Metrics:
    """A witness, with a registry of its own."""

    def __init__(self, look: Callable[[], Vitals]) -> None:
        self._look = look
        self._games: dict[GameId, GameInfo] = {}
        self._connection: facts.ConnectionChanged | None = None
        self._was_online = False
        self._troubles_named: set[str] = set()
        self.registry = CollectorRegistry()
        self._count()
        self._time()
        self.registry.register(_Looked(self._look, lambda: self._connection, lambda: len(self._games)))
        PlatformCollector(registry=self.registry)
        ProcessCollector(registry=self.registry)

    def text(self) -> bytes:
        """In Prometheus's own format."""
        return generate_latest(self.registry)

    def tell(self, fact: facts.Fact) -> None:
        match fact:
            case facts.GameOpened():
                self._opened(fact)
            case facts.MovePlayed():
                self._moved(fact)
            case facts.GameClosed():
                self._closed(fact)
            case facts.ChallengeJudged(verdict=verdict):
                self._challenges.labels(verdict).inc()
            case facts.ConnectionChanged():
                self._connected(fact)
            case facts.EngineChanged(name=name, state="restarted"):
                self._restarts.labels(name).inc()
            case facts.Trouble():
                self._troubled(fact)
            case _:
                pass

    def _count(self) -> None:
        def counter(name: str, what: str, *labels: str) -> Counter:
            return Counter(f"krait_{name}", what, labels, registry=self.registry)

        self._begun = counter("games_started", "Games begun or taken up", "speed", "kind")
        self._ended = counter("games_finished", "Games that are over", "speed", "kind", "result")
        self._moves = counter("moves", "Moves of ours that Lichess took", "source")
        self._challenges = counter("challenges", "Challenges judged", "verdict")
        self._reconnects = counter("stream_reconnects", "Times the account's stream was opened anew")
        self._restarts = counter("engine_restarts", "Engine processes replaced", "engine")
        self._troubles = counter("troubles", "What was survived", "what")

    def _time(self) -> None:
        self._think = Histogram(
            "krait_move_think_seconds",
            "What a move's source says it took",
            ["speed"],
            buckets=THINK_S,
            registry=self.registry,
        )
        self._overhead = Histogram(
            "krait_move_overhead_seconds",
            "From the line that asked for a move to Lichess's answer, less the thinking",
            buckets=OVERHEAD_S,
            registry=self.registry,
        )
        self._lag = Histogram(
            "krait_move_lag_seconds",
            "The round trip to Lichess, as estimated after each move",
            buckets=OVERHEAD_S,
            registry=self.registry,
        )

    def _opened(self, fact: facts.GameOpened) -> None:
        info = fact.info
        if info.id not in self._games:
            self._games[info.id] = info
            self._begun.labels(str(info.speed), kind_of(info.opponent)).inc()

    def _closed(self, fact: facts.GameClosed) -> None:
        info = self._games.pop(fact.game, None)
        if info is not None:
            self._ended.labels(str(info.speed), kind_of(info.opponent), fact.result).inc()

    def _moved(self, fact: facts.MovePlayed) -> None:
        thought, info = fact.thought, self._games.get(fact.game)
        self._moves.labels(thought.source if thought.source in SOURCES else "engine").inc()
        self._think.labels(str(info.speed) if info else "unknown").observe(thought.time_ms / 1000)
        self._overhead.observe(max(0, fact.spent_ms - thought.time_ms) / 1000)
        self._lag.observe(fact.lag_ms / 1000)

    def _connected(self, fact: facts.ConnectionChanged) -> None:
        self._connection = fact
        if fact.state == "online":
            if self._was_online:
                self._reconnects.inc()
            self._was_online = True

    def _troubled(self, fact: facts.Trouble) -> None:
        what = fact.what
        if what not in self._troubles_named and len(self._troubles_named) >= TROUBLES_NAMED:
            what = "other"
        self._troubles_named.add(what)
        self._troubles.labels(what).inc()
        if fact.what == "game_vanished" and fact.game:
            self._games.pop(fact.game, None)


class _Looked(Collector):
    """What is looked up when somebody asks."""

    def __init__(
        self,
        look: Callable[[], Vitals],
        connection: Callable[[], facts.ConnectionChanged | None],
        games: Callable[[], int],
    ) -> None:
        self._look, self._connection, self._games = look, connection, games

    def collect(self) -> Iterator[Metric]:
        vitals, connection = self._look(), self._connection()
        info = GaugeMetricFamily("krait_info", "What runs", labels=["version"])
        info.add_metric([vitals.version], 1)
        yield info
        ready = not reasons(vitals, connection)
        yield GaugeMetricFamily("krait_ready", "1: can play, as /readyz says", value=int(ready))
        is_online = connection is not None and connection.state == "online"
        yield GaugeMetricFamily("krait_stream_up", "1: the account's stream is open", value=int(is_online))
        if vitals.stream_age_s is not None:
            age = "Seconds since the account's stream was last heard, keep-alives included"
            yield GaugeMetricFamily("krait_stream_age_seconds", age, value=vitals.stream_age_s)
        yield GaugeMetricFamily("krait_games_running", "Games being played", value=self._games())
        yield GaugeMetricFamily("krait_queue_length", "Challenges that wait", value=len(vitals.queue))
        yield from _slots(vitals)
        yield from _pool(vitals)
        yield from _budgets(vitals)


def _slots(vitals: Vitals) -> Iterator[Metric]:
    slots = GaugeMetricFamily("krait_slots", "Places for games with a clock", labels=["state"])
    for state in ("playing", "promised", "free"):
        slots.add_metric([state], getattr(vitals.slots, state))
    yield slots
    ratings = GaugeMetricFamily("krait_rating", "Of the account when it was asked for", labels=["perf"])
    for perf, rating in (vitals.account.ratings if vitals.account else {}).items():
        ratings.add_metric([perf], rating)
    yield ratings


def _pool(vitals: Vitals) -> Iterator[Metric]:
    pool = GaugeMetricFamily("krait_engine_processes", "Engine processes", labels=["state"])
    for state in STATES:
        pool.add_metric([state], sum(each.state == state for each in vitals.engines))
    yield pool
    memory = sum(each.memory_bytes for each in vitals.engines)
    yield GaugeMetricFamily("krait_engine_memory_bytes", "Resident memory of the engines", value=memory)
    nps = sum(each.nps for each in vitals.engines if each.state in {"thinking", "pondering"})
    yield GaugeMetricFamily("krait_engine_nodes_per_second", "Of all engines that think", value=nps)


def _budgets(vitals: Vitals) -> Iterator[Metric]:
    limited = CounterMetricFamily("krait_rate_limited", "Times Lichess answered 429", labels=["kind"])
    for kind, count in vitals.limited.items():
        limited.add_metric([kind], count)
    yield limited
    left = GaugeMetricFamily("krait_budget_left", "Requests left to us", labels=["kind", "window_s"])
    for each in vitals.budgets:
        if each.budget.points:
            left.add_metric([str(each.kind), f"{each.budget.window_s:.0f}"], each.left)
    yield left
