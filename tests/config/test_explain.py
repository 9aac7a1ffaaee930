"""What is in force, and the table of all settings in the README."""

from pathlib import Path

from bot.config.explain import CLOSE, OPEN, render_markdown, rows
from bot.config.load import load
from bot.config.settings import overlays, settings

README = Path(__file__).parents[2] / "README.md"


def shown(**environ: str) -> dict[str, tuple[str, str]]:
    return {row.key: (row.value, row.origin) for row in rows(load(None, environ, None))}


def test_every_setting_has_a_row() -> None:
    assert {setting.key.replace("[]", "[0]") for setting in settings()} <= shown().keys()


def test_a_row_says_where_its_value_comes_from() -> None:
    values = shown(KRAIT_GAMES__MAX_GAMES="4", KRAIT_CHALLENGES__BOT__MODES="rated")
    assert values["games.max_games"] == ("4", "KRAIT_GAMES__MAX_GAMES")
    assert values["challenges.bot.modes"] == ('["rated"]', "KRAIT_CHALLENGES__BOT__MODES")
    assert values["challenges.bot.per_user_hour"] == ("5", "default")
    assert values["games.drain"] == ('"finish"', "default")


def test_each_of_several_engines_has_its_rows() -> None:
    values = shown(KRAIT_ENGINES='[{"name": "one"}, {"name": "two"}]')
    assert (values["engines[0].name"][0], values["engines[1].name"][0]) == ('"one"', '"two"')


def test_secrets_are_hidden() -> None:
    secrets = {
        "KRAIT_TOKEN": "lip_secretsecret",
        "KRAIT_WEB__PASSWORD": "opensesame",
        "KRAIT_DATABASE__URL": "postgresql+asyncpg://me:hunter2@db/krait",
    }
    text = str(shown(**secrets))
    assert "secretsecret" not in text
    assert "opensesame" not in text
    assert "hunter2" not in text
    assert shown(**secrets)["token"] == ("(hidden)", "KRAIT_TOKEN")
    assert shown()["token"] == ("(none)", "default")


def test_the_table_has_a_line_for_each_setting() -> None:
    lines = render_markdown().splitlines()
    assert (lines[0], lines[-1]) == (OPEN, CLOSE)
    assert len(lines) == 4 + len(settings()) + len(overlays())
    assert {line.replace("\\|", "").count("|") for line in lines[1:-1]} == {3}


def test_the_table_in_the_readme_is_the_model() -> None:
    assert render_markdown() in README.read_text(encoding="utf-8")
