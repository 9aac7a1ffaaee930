"""One process: its leash, its options, its other protocol."""

import asyncio
import os
import select
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import chess.engine
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.engines.options import check_options
from bot.engines.process import Engine
from bot.engines.spec import EngineSpec, ranked
from bot.errors import EngineMissing
from bot.game.nouns import STANDARD_SETUPS, Score, Speed
from tests.engines.helping import PATIENCE_S, Story, log, spec, tell

OFFERED = {
    option.name: option
    for option in (
        chess.engine.Option("Hash", "spin", 16, 1, 1024, None),
        chess.engine.Option("Move Overhead", "spin", 300, 0, 5000, None),
        chess.engine.Option("Style", "combo", "Solid", None, None, ["Solid", "Wild"]),
        chess.engine.Option("OwnBook", "check", False, None, None, None),
        chess.engine.Option("UCI_Chess960", "check", False, None, None, None),
    )
}
PARENT = """
import asyncio, sys
from bot.engines.process import Engine
from bot.engines.spec import EngineSpec
async def main():
    engine = await Engine.start(EngineSpec("x", (sys.executable, *sys.argv[1:])), print)
    print(engine.pid, flush=True)
    await engine.gone()
asyncio.run(main())
"""


def test_an_unknown_option_is_skipped_and_the_nearest_named() -> None:
    accepted, warnings = check_options("X", {"Hsah": 64}, OFFERED)
    assert "Hsah" not in accepted
    assert warnings == ("X has no option 'Hsah' (did you mean 'Hash'?): skipped",)


def test_an_option_is_known_by_its_name_without_case_and_spaces() -> None:
    assert check_options("X", {"hash": 64, "MoveOverhead": 50}, OFFERED).accepted == {
        "Hash": 64,
        "Move Overhead": 50,
    }


def test_an_overhead_nobody_asked_for_is_small_because_lag_is_off_the_clock_already() -> None:
    assert check_options("X", {}, OFFERED).accepted == {"Move Overhead": 10}


def test_an_option_that_follows_the_game_cannot_be_fixed() -> None:
    accepted, warnings = check_options("X", {"UCI_Chess960": True}, OFFERED)
    assert "UCI_Chess960" not in accepted
    assert len(warnings) == 1


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("Hash", 0, "at least 1"),
        ("Hash", 4096, "at most 1024"),
        ("Hash", "much", "integer"),
        ("Style", "Odd", "Wild"),
        ("OwnBook", 3, "true or false"),
    ],
)
def test_a_value_out_of_range_is_refused_with_what_is_allowed(name: str, value: str | int, why: str) -> None:
    with pytest.raises(EngineMissing, match=why):
        check_options("X", {name: value}, OFFERED)


def test_options_reach_the_engine(tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        await scene.all_ready()
        assert {"setoption name Hash value 64", "setoption name Move Overhead value 10"} <= set(log(tmp_path))
        assert [trouble.what for trouble in scene.troubles()] == ["engine_option"]

    tell([spec("good", tmp_path, options={"Hash": 64, "Treads": 2})], story)


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(EngineMissing, match="no program '/nowhere/fish'"):
        asyncio.run(Engine.start(EngineSpec("fish", ("/nowhere/fish",)), print))


def test_a_file_that_is_no_program_is_told_as_that(tmp_path: Path) -> None:
    file = tmp_path / "engine"
    file.write_bytes(b"\x7fELFnot really")
    file.chmod(0o755)
    with pytest.raises(EngineMissing, match="does not start"):
        asyncio.run(Engine.start(EngineSpec("fish", (str(file),)), print))


def test_an_engine_has_a_process_group_of_its_own(tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        await scene.all_ready()
        pid = scene.pool.snapshot()[0].pid
        assert os.getpgid(pid) == pid == os.getsid(pid)

    tell([spec("good", tmp_path)], story)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's death")
def test_an_engine_dies_with_its_parent_even_if_that_is_killed_and_its_input_ignored(tmp_path: Path) -> None:
    command = spec("undead", tmp_path).command[1:]
    with subprocess.Popen([sys.executable, "-c", PARENT, *command], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        engine = os.pidfd_open(int(parent.stdout.readline()))
        parent.kill()
        ended = select.poll()
        ended.register(engine, select.POLLIN)
        assert ended.poll(PATIENCE_S * 1000)
        os.close(engine)


def test_an_xboard_engine_plays_as_well(tmp_path: Path) -> None:
    script = str(Path(__file__).with_name("scripted_xboard.py"))
    engine = EngineSpec("x", (sys.executable, script), protocol="xboard", options={"Style": "Wild"})

    async def story(scene: Story) -> None:
        await scene.all_ready()
        first = await scene.ask("a")
        assert (first.uci, first.source, first.depth, first.score) == ("a2a3", "x", 6, Score(cp=45))
        assert (await scene.ask("a", "a2a3", "e7e5")).uci == "a1a2"
        assert (await scene.ask("b")).uci == "a2a3"
        assert scene.states() == ["ready"]

    tell([engine], story)


ANY = EngineSpec("any", ("x",))
BULLET = replace(ANY, name="bullet", speeds=frozenset({Speed.BULLET}))
ALL_RULES = replace(ANY, name="all", variants=STANDARD_SETUPS | {"atomic", "horde"})


def test_the_most_specific_engine_plays() -> None:
    specs = (ALL_RULES, ANY, BULLET)
    assert [spec.name for spec in ranked(specs, "standard", Speed.BULLET)] == ["bullet", "any", "all"]
    assert [spec.name for spec in ranked(specs, "standard", Speed.RAPID)] == ["any", "all"]
    assert [spec.name for spec in ranked(specs, "horde", Speed.BULLET)] == ["all"]


@given(st.permutations([ALL_RULES, ANY, BULLET]))
def test_which_engine_plays_does_not_depend_on_the_order_they_are_written_in(specs: list[EngineSpec]) -> None:
    assert ranked(specs, "standard", Speed.BULLET) == (BULLET, ANY, ALL_RULES)
