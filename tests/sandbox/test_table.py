"""What is seen of a running sandbox: the table on a terminal, the lines elsewhere."""

import io

import pytest
from rich.console import Console

from bot.sandbox.table import clock_text, news_text, overview, rows_that_fit
from bot.sandbox.world import World
from tests.sandbox.scene import FOOLS_MATE, Scene


def shown(world: World, remarks: tuple[str, ...] = (), rows: int = 10) -> str:
    paper = io.StringIO()
    Console(file=paper, width=160).print(overview(world, remarks, rows))
    return paper.getvalue()


def test_the_table_shows_running_games_before_finished_ones() -> None:
    scene = Scene()
    scene.play(over := scene.game(), *FOOLS_MATE)
    scene.play(running := scene.game(), "e2e4")
    text = shown(scene.world, ("a remark",))
    assert "1 running, 1 finished" in text
    assert text.index(running.id) < text.index(over.id)
    for fact in ("0-1 mate", "BOT Numbarine", "3+2 casual", "3:00 3:00", "e2e4", "a remark"):
        assert fact in text


def test_the_table_has_no_more_rows_than_fit() -> None:
    scene = Scene()
    games = [scene.game() for _ in range(5)]
    assert sum(game.id in shown(scene.world, rows=3) for game in games) == 3
    assert rows_that_fit(5) == 3
    assert rows_that_fit(1000) == 16


@pytest.mark.parametrize(
    ("left_ms", "text"),
    [(179_990, "2:59"), (9_420, "0:09.4"), (0, "0:00.0"), (2_147_483_647, ""), (183_600_000, "2d 03h")],
)
def test_clocks_are_written_as_a_player_reads_them(left_ms: int, text: str) -> None:
    assert clock_text(left_ms) == text


def test_news_are_one_line_each() -> None:
    scene = Scene()
    match = scene.game(variant="atomic", rated=True)
    assert (
        news_text("gameStart", match)
        == f"{match.id} begins: Opal 1500 - BOT Numbarine 1500, atomic 3+2 rated"
    )
    assert news_text("move", match) is None
    scene.world.games.abort(match.id, "opal")
    assert str(news_text("gameFinish", match)).endswith("aborted after 0 plies")


def test_the_ai_is_shown_by_its_level() -> None:
    scene = Scene()
    scene.world.lobby.create_ai("numbarine", {"level": 4})
    assert "AI level 4" in shown(scene.world)
    assert "unlimited casual" in shown(scene.world)
