"""Other people's packages: one example of each kind, and what happens to those that do not fit."""

import asyncio
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import chess
import pytest

from bot.game.chatter import BUILT_IN, ChatContext, answer
from bot.game.nouns import (
    Challenge,
    ChallengeId,
    GameId,
    GameInfo,
    Player,
    Position,
    Speed,
    TimeControl,
)
from bot.game.policy import Policy, Situation, judge_all
from bot.plugins import COMMANDS, FILTERS, SOURCES, Plugins, discover
from bot.sources.source import Question

PACKAGE = '''
"""A source of moves, a filter of challenges, a chat command: all that a plug-in needs."""

from bot.game.nouns import Thought
from bot.game.policy import DeclineReason, Verdict


class KingsPawn:
    name = "kings-pawn"

    async def find(self, question):
        return Thought("e2e4", self.name) if not question.position.moves else None


class NoRatedBullet:
    name = "no-rated-bullet"

    def judge(self, challenge, situation):
        if challenge.rated and challenge.control.speed == "bullet":
            return Verdict(accept=False, reason=DeclineReason.CASUAL, why="bullet is for fun")
        return None


class Coffee:
    name = "coffee"
    help = "how I like mine"

    def answer(self, context, words):
        return f"Black, please, {context.asker}."


class Speechless:
    name = "speechless"


class Blocking:
    name = "blocking"

    def find(self, question):
        return None


class Broken:
    def __init__(self):
        raise RuntimeError("no coffee left")


class Leaving:
    def __init__(self):
        raise SystemExit(3)
'''
GOOD = """
[krait.sources]
kings-pawn = krait_example:KingsPawn

[krait.filters]
no-rated-bullet = krait_example:NoRatedBullet

[krait.commands]
coffee = krait_example:Coffee

[console_scripts]
example = krait_example:main
"""
BAD = """
[krait.commands]
absent = krait_example:Absent
broken = krait_example:Broken
leaving = krait_example:Leaving
missing = no_such_module:Thing
speechless = krait_example:Speechless

[krait.sources]
blocking = krait_example:Blocking
"""
INFO = GameInfo(
    GameId("g"),
    Player("krait", "Krait"),
    Player("ann", "Ann"),
    "standard",
    Speed.BULLET,
    rated=True,
    control=TimeControl(60),
    we_are_white=True,
)


def install(folder: Path, name: str, entry_points: str) -> None:
    """A distribution as pip leaves it behind."""
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(entry_points, encoding="utf-8")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "krait_example.py").write_text(PACKAGE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("krait_example", None)


@pytest.fixture
def plugins(site: Path) -> Plugins:
    install(site, "krait-example", GOOD)
    return discover()


def test_a_move_source_is_a_class_of_anyones_package(plugins: Plugins) -> None:
    (source,) = plugins.sources
    question = Question(INFO, Position("standard", None, ()), chess.Board(), 60_000)
    thought = asyncio.run(source.find(question))
    assert thought
    assert (thought.uci, thought.source) == ("e2e4", "kings-pawn")


def test_a_challenge_filter_is_a_class_of_anyones_package(plugins: Plugins) -> None:
    from datetime import UTC, datetime

    situation = Situation(now=datetime(2026, 11, 18, tzinfo=UTC), our_id="krait")
    ann, control = Player("ann", "Ann"), TimeControl(60)
    asked = Challenge(ChallengeId("c"), ann, None, "standard", rated=True, control=control, color="random")
    assert judge_all(asked, Policy(), situation, ()).accept
    assert judge_all(asked, Policy(), situation, plugins.filters).why == "bullet is for fun"


def test_a_chat_command_is_a_class_of_anyones_package(plugins: Plugins) -> None:
    context = ChatContext("player", "Ann", is_player=True, info=INFO, engine="Krait", version="1")
    commands = (*BUILT_IN, *plugins.commands)
    assert answer("!coffee", context, commands) == "Black, please, Ann."
    assert "how I like mine" in (answer("!help coffee", context, commands) or "")


def test_a_plug_in_that_does_not_fit_is_named_and_left_out_and_the_others_work(site: Path) -> None:
    install(site, "krait-example", GOOD)
    install(site, "krait-bad", BAD)
    plugins = discover()
    assert (len(plugins.sources), len(plugins.filters), len(plugins.commands)) == (1, 1, 1)
    told = {skipped.name: skipped.why for skipped in plugins.skipped}
    assert told.keys() == {
        f"{name} (krait-bad)" for name in ("absent", "broken", "leaving", "missing", "speechless", "blocking")
    }
    assert told["broken (krait-bad)"] == "RuntimeError: no coffee left"
    assert told["leaving (krait-bad)"] == "SystemExit: 3"
    assert told["missing (krait-bad)"].startswith("ModuleNotFoundError")
    assert told["speechless (krait-bad)"] == "it has no `help`"
    assert told["blocking (krait-bad)"] == "its `find` is not what the protocol asks for"
    assert f"{SOURCES} is left out" in str(plugins.skipped[1])


def test_without_packages_there_are_no_plug_ins() -> None:
    assert discover(()) == Plugins()


def test_plug_ins_come_in_the_order_of_their_names(site: Path) -> None:
    points = [
        metadata.EntryPoint(name, "krait_example:Coffee", COMMANDS) for name in ("zebra", "ant", "moth")
    ] + [metadata.EntryPoint("bee", "krait_example:Speechless", FILTERS)]
    plugins = discover(points)
    assert len(plugins.commands) == 3
    assert [skipped.name for skipped in plugins.skipped] == ["bee"]
