"""`krait check`, `krait init`, `krait import-config`: what they print, and how they end."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from bot.config.cli import FAILED, FINE, USAGE, Probe, check, import_settings, init
from bot.config.model import Config
from bot.errors import EngineMissing

SECRET = "lip_AbCdEf123456"  # noqa: S105  - nobody's


class Screen(Console):
    def __init__(self) -> None:
        self.paper = io.StringIO()
        super().__init__(file=self.paper, width=200)

    @property
    def text(self) -> str:
        return self.paper.getvalue()


@pytest.fixture
def screen() -> Screen:
    return Screen()


async def fine(config: Config) -> str:
    return f"{config.engines[0].name} [ready]"


async def missing(config: Config) -> str:
    raise EngineMissing(f"there is no /opt/engine, and {SECRET} is nobody's business")


async def broken(config: Config) -> str:
    raise ZeroDivisionError("oops")


def test_check_shows_every_value_with_its_origin(screen: Screen) -> None:
    environ = {"KRAIT_GAMES__MAX_GAMES": "4", "KRAIT_TOKEN": SECRET}
    assert check(screen, None, environ, dotenv=None) == FINE
    lines = [line.split() for line in screen.text.splitlines()]
    assert ["games.max_games", "4", "KRAIT_GAMES__MAX_GAMES"] in lines
    assert ["games.drain", '"finish"', "default"] in lines
    assert ["token", "(hidden)", "KRAIT_TOKEN"] in lines
    assert ["challenges.modes", '["casual",', '"rated"]', "default"] in lines


def test_check_shows_only_what_was_changed_if_asked_to(screen: Screen) -> None:
    check(screen, None, {"KRAIT_GAMES__MAX_GAMES": "4"}, changed_only=True, dotenv=None)
    assert len(screen.text.splitlines()) == 2


def test_check_tries_everything_and_fails_if_anything_does(screen: Screen) -> None:
    probes = [Probe("engine", missing), Probe("book", broken), Probe("token", fine)]
    assert check(screen, None, {"KRAIT_TOKEN": SECRET}, probes, dotenv=None) == FAILED
    assert screen.text.splitlines()[-3:] == [
        "failed engine: there is no /opt/engine, and [token] is nobody's business",
        "failed book: ZeroDivisionError: oops",
        "ok     token: Krait [ready]",
    ]


def test_check_is_content_when_every_trial_is(screen: Screen) -> None:
    assert check(screen, None, {}, [Probe("engine", fine)], dotenv=None) == FINE


def test_check_names_each_problem_in_a_line(screen: Screen, tmp_path: Path) -> None:
    (tmp_path / "krait.toml").write_text("[games]\nmax_game = 1\ndrain = 'x'", encoding="utf-8")
    assert check(screen, tmp_path / "krait.toml", {}, [Probe("engine", fine)], dotenv=None) == USAGE
    assert len(screen.text.splitlines()) == 2
    assert "did you mean games.max_games?" in screen.text


def test_init_writes_a_file_that_check_is_content_with(screen: Screen, tmp_path: Path) -> None:
    assert init(screen, tmp_path / "krait.toml") == FINE
    assert check(screen, tmp_path / "krait.toml", {}, dotenv=None) == FINE


def test_init_never_writes_over_a_file_unless_told_so(screen: Screen, tmp_path: Path) -> None:
    file = tmp_path / "krait.toml"
    file.write_text("mine", encoding="utf-8")
    assert init(screen, file) == USAGE
    assert file.read_text(encoding="utf-8") == "mine"
    assert "--force" in screen.text
    assert init(screen, file, force=True) == FINE
    assert init(screen, tmp_path / "none" / "krait.toml") == USAGE


def test_import_writes_the_file_and_lists_what_became_of_each_key(screen: Screen, tmp_path: Path) -> None:
    theirs, ours = tmp_path / "config.yml", tmp_path / "krait.toml"
    theirs.write_text(
        f"token: {SECRET}\nchallenge: {{concurrency: 3}}\nfake_think_time: true", encoding="utf-8"
    )
    assert import_settings(screen, "lichess-bot", theirs, ours) == FINE
    assert "max_games = 3" in ours.read_text(encoding="utf-8")
    assert "challenge.concurrency games.max_games" in " ".join(screen.text.split())
    assert "fake_think_time - Krait does not pretend" in " ".join(screen.text.split())
    assert "1 settings taken over, 2 not." in screen.text
    assert SECRET not in screen.text
    assert SECRET not in ours.read_text(encoding="utf-8")


def test_import_refuses_what_it_cannot_read_and_keeps_what_is_there(screen: Screen, tmp_path: Path) -> None:
    theirs, ours = tmp_path / "config.yml", tmp_path / "krait.toml"
    assert import_settings(screen, "botli", theirs, ours) == USAGE
    theirs.write_text("a: [", encoding="utf-8")
    assert import_settings(screen, "botli", theirs, ours) == USAGE
    theirs.write_text("challenge: {concurrency: 3}", encoding="utf-8")
    ours.write_text("mine", encoding="utf-8")
    assert import_settings(screen, "botli", theirs, ours) == USAGE
    assert ours.read_text(encoding="utf-8") == "mine"
    assert len(screen.text.splitlines()) == 3
