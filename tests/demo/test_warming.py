"""The engine is compiled before the first game, and everybody sees how far that is."""

import asyncio

import pytest

from bot.demo import warming
from bot.errors import BotError


async def steps() -> list[warming.Progress]:
    return [step async for step in warming.warm_up()]


def test_every_step_is_told_and_the_last_says_that_all_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warming, "SCRIPT", "print('0 2 the first thing')\nprint('2 2 ready')")
    assert asyncio.run(steps()) == [(0, 2, "the first thing"), (2, 2, "ready")]


def test_what_goes_wrong_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warming, "SCRIPT", "print('0 2 a')\nraise SystemExit('no space left')")
    with pytest.raises(BotError, match="cannot be compiled: no space left"):
        asyncio.run(steps())


def test_the_script_is_one_the_engine_understands() -> None:
    told = asyncio.run(steps())
    assert told[-1].done == told[-1].total
