"""Figures: counted from facts or looked up when asked for; every one the dashboard asks for is there."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from bot.dashboard.metrics import TROUBLES_NAMED, Metrics
from bot.engines.orders import EngineView
from bot.game.facts import ConnectionChanged, EngineChanged, Fact, GameClosed, GameOpened, MovePlayed, Trouble
from bot.game.nouns import Player
from bot.lichess.limits import Kind, Limits
from tests.dashboard.shown import ONLINE, WELL, Shown, interleaved, judged, page, run, without
from tests.store.telling import START_MS, Teller, game_info

GRAFANA = Path(__file__).parents[2] / "deploy" / "grafana-dashboard.json"
LABELS = {"speed", "kind", "result", "source", "verdict", "engine", "what", "version", "state", "perf"}
LABELS |= {"window_s", "le", "implementation", "major", "minor", "patchlevel"}


def figures(metrics: Metrics) -> dict[str, float]:
    """By name and labels, as `krait_moves_total{source=engine}`."""
    found = {}
    for family in text_string_to_metric_families(metrics.text().decode()):
        for sample in family.samples:
            labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()))
            found[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return found


def told(*facts: Fact, **vitals: Any) -> dict[str, float]:
    metrics = Metrics(lambda: without(WELL, **vitals))
    for fact in facts:
        metrics.tell(fact)
    return figures(metrics)


@given(st.lists(st.integers(0, 400), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_games_and_moves_are_counted_as_they_are_told(seeds: list[int], order: Any) -> None:
    facts, _ = interleaved(seeds, order)
    found = told(*facts)

    def total(name: str) -> float:
        return sum(value for key, value in found.items() if key.partition("{")[0] == name)

    opened, closed = (sum(isinstance(fact, kind) for fact in facts) for kind in (GameOpened, GameClosed))
    moves = [fact for fact in facts if isinstance(fact, MovePlayed)]
    assert total("krait_games_started_total") == opened
    assert total("krait_games_finished_total") == closed
    assert found["krait_games_running"] == opened - closed
    assert total("krait_moves_total") == len(moves) == total("krait_move_think_seconds_count")
    assert found["krait_move_overhead_seconds_sum"] == pytest.approx(
        sum(move.spent_ms - move.thought.time_ms for move in moves) / 1000
    )


def test_results_are_told_apart_by_speed_and_kind_of_opponent() -> None:
    human, bot = Teller(), Teller(game_info("game0002", opponent=Player("maia", "maia", "BOT")))
    found = told(human.opened(), bot.opened(), human.closed("win"), bot.closed("draw"))
    assert found["krait_games_finished_total{kind=human,result=win,speed=blitz}"] == 1
    assert found["krait_games_finished_total{kind=bot,result=draw,speed=blitz}"] == 1


def test_a_stream_that_is_opened_again_is_a_reconnect() -> None:
    lost = ConnectionChanged("lost", "silence", START_MS)
    assert told(ONLINE)["krait_stream_reconnects_total"] == 0
    assert told(ONLINE, lost, ONLINE, lost, ONLINE)["krait_stream_reconnects_total"] == 2
    assert told(ONLINE, lost)["krait_stream_up"] == 0


def test_the_age_of_the_stream_is_what_it_is_when_asked() -> None:
    assert told(ONLINE, stream_age_s=3.5)["krait_stream_age_seconds"] == 3.5
    assert "krait_stream_age_seconds" not in told(stream_age_s=None)


def test_what_lichess_refused_for_being_too_much_is_counted_by_kind() -> None:
    limits = Limits()
    limits.limited(Kind.CHALLENGE, 0.0, 60.0)
    limits.limited(Kind.CHALLENGE, 0.0, 60.0)
    limits.limited(Kind.CHAT, 0.0)
    found = told(limited={str(kind): count for kind, count in limits.heard.items()})
    assert found["krait_rate_limited_total{kind=challenge}"] == 2
    assert found["krait_rate_limited_total{kind=chat}"] == 1


def test_budgets_show_what_is_left() -> None:
    limits = Limits()
    limits.spend(Kind.CHALLENGE, 1000.0, cost=5)
    found = told(budgets=limits.standings(1000.0))
    assert found["krait_budget_left{kind=challenge,window_s=60}"] == 15
    assert found["krait_budget_left{kind=challenge,window_s=86400}"] == 175
    later = {(each.kind, each.budget.window_s): each.left for each in limits.standings(1100.0)}
    assert (later[Kind.CHALLENGE, 60.0], later[Kind.CHALLENGE, 86_400.0]) == (20, 175)


def test_what_rests_is_shown_although_it_has_no_budget() -> None:
    limits = Limits()
    limits.limited(Kind.CHAT, 1000.0, 30.0)
    resting = [each for each in limits.standings(1010.0) if each.kind is Kind.CHAT]
    assert [each.wait_s for each in resting] == [20.0]
    assert not [each for each in limits.standings(1031.0) if each.kind is Kind.CHAT]


def test_engines_that_were_replaced_are_counted() -> None:
    restarted = EngineChanged("Krait", 12, "restarted", "", START_MS)
    died = EngineChanged("Krait", 12, "died", "", START_MS)
    assert told(died, restarted)["krait_engine_restarts_total{engine=Krait}"] == 1


def test_the_pool_is_counted_by_what_each_process_does() -> None:
    busy = EngineView("Krait", 1, None, 9, 1000, 7, 0, "thinking")
    idle = EngineView("Krait", 2, None, 9, 500, 7, 0, "idle")
    found = told(engines=(busy, busy, idle))
    assert found["krait_engine_processes{state=thinking}"] == 2
    assert found["krait_engine_processes{state=idle}"] == 1
    assert found["krait_engine_processes{state=down}"] == 0
    assert found["krait_engine_memory_bytes"] == 21
    assert found["krait_engine_nodes_per_second"] == 2000


def test_troubles_have_names_but_not_without_end() -> None:
    found = told(*(Trouble(f"trouble_{number}", "", START_MS) for number in range(TROUBLES_NAMED + 10)))
    named = {key: value for key, value in found.items() if key.startswith("krait_troubles_total")}
    assert len(named) == TROUBLES_NAMED + 1
    assert named["krait_troubles_total{what=other}"] == 10


def test_no_label_names_a_player_a_game_or_an_address() -> None:
    teller = Teller()
    metrics = Metrics(lambda: WELL)
    for fact in (teller.opened(), *teller.plies("e2e4", "e7e5"), judged(1), teller.closed(), ONLINE):
        metrics.tell(fact)
    text = metrics.text().decode()
    assert "anna" not in text.lower()
    assert "otto" not in text.lower()
    assert teller.info.id not in text
    used = {
        name
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        for name in sample.labels
    }
    assert used <= LABELS


def test_they_are_served_in_the_format_prometheus_reads() -> None:
    async def story() -> None:
        async with page(Shown()) as http, http.get("/metrics") as answer:
            assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
            names = {family.name for family in text_string_to_metric_families(await answer.text())}
            assert {"krait_ready", "krait_moves", "process_resident_memory_bytes"} <= names

    run(story)


def queries() -> Iterator[tuple[str, str]]:
    """Every expression of the dashboard, with the title of its panel."""
    for panel in json.loads(GRAFANA.read_text(encoding="utf-8"))["panels"]:
        for target in panel.get("targets", ()):
            yield panel["title"], target["expr"]


@pytest.mark.parametrize(("title", "expression"), list(queries()))
def test_every_figure_the_dashboard_asks_for_exists(title: str, expression: str) -> None:
    teller = Teller()
    metrics = Metrics(lambda: without(WELL, limited={"chat": 1}, budgets=Limits().standings(0.0)))
    restarted = EngineChanged("Krait", 12, "restarted", "", START_MS)
    trouble = Trouble("move_unsure", "", START_MS)
    facts = (teller.opened(), *teller.plies("e2e4"), teller.closed(), judged(1), ONLINE, restarted, trouble)
    for fact in facts:
        metrics.tell(fact)
    samples = list(text_string_to_metric_families(metrics.text().decode()))
    known = {sample.name: set(sample.labels) for family in samples for sample in family.samples}
    asked = re.findall(r"\b((?:krait|process)_\w+)(?:\{([^}]*)\})?", expression)
    assert asked, title
    for name, labels in asked:
        assert name in known
        assert set(re.findall(r"(\w+)\s*(?:=|!=|=~)\s*\"", labels)) <= known[name] | {"instance", "job"}
    for grouped in re.findall(r"by \(([^)]*)\)", expression):
        used = {label.strip() for label in grouped.split(",")}
        assert used <= set().union(*(known[name] for name, _ in asked)) | {"instance", "job"}


def test_the_dashboard_asks_for_every_figure_of_ours() -> None:
    asked = " ".join(expression for _, expression in queries())
    names = {
        re.sub(r"_(bucket|sum|count)$", "", key.partition("{")[0])
        for key in told(Trouble("a", "", START_MS), judged(1), ONLINE, limited={"chat": 1})
        if key.startswith("krait_")
    }
    assert [name for name in sorted(names) if name not in asked] == []
