"""Whom we play and with what, through the whole service: lists, teams, caps, variants, sources, plug-ins."""

import struct
import sys
from pathlib import Path
from typing import Any

import chess
import chess.polyglot
import pytest

from bot.game.facts import ChallengeJudged, GameClosed, MovePlayed
from bot.sandbox.embed import NotPlayedError, Sandbox
from tests.service.company import PUPPET, Ear, Hand
from tests.service.scene import engine, running, tell

SYZYGY = Path(__file__).parents[3] / "shared" / "data" / "syzygy"
XBOARD = Path(__file__).parents[1] / "engines" / "scripted_xboard.py"
REGULAR = {"mate", "stalemate", "draw", "resign", "insufficientMaterialClaim", "variantEnd"}


# --- whom


def test_whoever_stands_in_the_block_list_is_declined_and_nobody_else(tmp_path: Path) -> None:
    names = tmp_path / "blocked.txt"
    names.write_text("# of my friends\nSilent\n")

    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path / "state", challenges={"block": [f"file:{names}"]}):
            with pytest.raises(NotPlayedError):
                await box.challenge(PUPPET, clock="3+2")
            await box.challenge("random", clock="3+2")

    tell(story)


def test_only_members_of_the_teams_may_play(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        team = box.world.teams.create("Good Friends")
        box.world.teams.join(team.id, await box.opponent("random"))
        async with running(box, tmp_path, challenges={"teams": [team.id]}):
            with pytest.raises(NotPlayedError):
                await box.challenge(PUPPET, clock="3+2")
            await box.challenge("random", clock="3+2")

    tell(story)


def test_the_games_of_a_day_are_counted_over_a_restart(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        once = {"per_user_day": 1}
        async with running(box, tmp_path, challenges=once) as bot:
            await box.finished(await box.challenge("random", clock="1+1"))
            await bot.until(GameClosed)
        async with running(box, tmp_path, challenges=once) as bot:
            with pytest.raises(NotPlayedError, match="later"):
                await box.challenge("random", clock="1+1")
            await box.challenge(PUPPET, clock="1+1")

    tell(story)


def test_a_rematch_is_played_and_no_more_than_allowed(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path, challenges={"rematches": 1}) as bot:
            first = await box.finished(await box.challenge("random", clock="1+1"))
            await bot.until(GameClosed)
            second = box.world.lobby.offer_rematch(first.id, "randommover")["id"]
            await box.until(lambda world: world.games.get(first.id).rematch_id)
            assert (await box.finished(second)).status.label in REGULAR
            await bot.until(GameClosed, lambda fact: fact.game == second)
            box.world.lobby.offer_rematch(second, "randommover")
            await bot.until(ChallengeJudged, lambda fact: fact.verdict == "declined")

    tell(story)


# --- what

CASTLES = {
    "standard": ("r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1", "fromPosition", {"e8h8", "e8a8"}),
    "chess960": ("bbqnrkrn/pppppppp/8/8/8/8/PPPPPPPP/BBQNRKRN w KQkq - 0 1", "chess960", {"f8g8", "f8e8"}),
}


@pytest.mark.parametrize("setup", CASTLES)
def test_castling_is_written_as_the_variant_writes_it(tmp_path: Path, setup: str) -> None:
    fen, variant, spellings = CASTLES[setup]

    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path, engines=[engine("castle")]):
            game = await box.challenge(PUPPET, clock="3+2", color="white", variant=variant, fen=fen)
            match = await Hand(box, game).plays("a2a3")
            assert match.moves[1] in spellings
            assert box.measured.player(box.bot)["illegalMoves"] == 0

    tell(story)


def test_whole_games_of_chess960_and_from_a_position_are_played(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path) as bot:
            for variant, fen in (("chess960", None), ("fromPosition", CASTLES["standard"][0])):
                match = await box.finished(
                    await box.challenge("random", clock="1+1", variant=variant, fen=fen)
                )
                assert match.status.label in REGULAR
            assert box.measured.player(box.bot)["illegalMoves"] == 0
            assert bot.troubles() == set()

    tell(story)


VARIANTS = ("antichess", "atomic", "crazyhouse", "horde", "kingOfTheHill", "racingKings", "threeCheck")


@pytest.mark.slow
def test_variants_are_played_by_the_textbook_as_a_second_engine(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        textbook = {"name": "textbook", "variants": VARIANTS, "processes": 1}
        settings: dict[str, Any] = {
            "engines": [engine(), textbook],
            "challenges": {"variants": ["standard", *VARIANTS], "per_user_at_once": 0},
            "games": {"max_games": len(VARIANTS)},
        }
        ear = Ear(box)
        async with running(box, tmp_path, **settings) as bot:
            games = [await box.challenge("random", clock="1+1", variant=variant) for variant in VARIANTS]
            for game in games:
                assert (await box.finished(game)).status.label in REGULAR
                await bot.until(GameClosed, lambda fact, game=game: fact.game == game)  # type: ignore[misc]  # its own
            assert box.measured.player(box.bot)["timeLosses"] == 0
            assert box.measured.player(box.bot)["illegalMoves"] == 0
            assert {fact.thought.source for fact in bot.told(MovePlayed)} == {"textbook"}
            assert "I am textbook" in await ear.hears("I am", name=box.bot)

    tell(story)


def test_an_xboard_engine_plays(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        xboard = {"name": "X", "command": [sys.executable, str(XBOARD)], "protocol": "xboard", "processes": 1}
        async with running(box, tmp_path, engines=[xboard]) as bot:
            assert (await box.finished(await box.challenge("random", clock="1+1"))).status.label in REGULAR
            await bot.until(GameClosed)
            assert {fact.thought.source for fact in bot.told(MovePlayed)} == {"X"}
            assert box.measured.player(box.bot)["illegalMoves"] == 0

    tell(story)


# --- where moves come from


def write_book(file: Path) -> None:
    """After 1. e4 it knows 1... c5, and nothing else."""
    board = chess.Board()
    board.push_uci("e2e4")
    move = chess.Move.from_uci("c7c5")
    raw = move.from_square << 6 | move.to_square
    file.write_bytes(struct.pack(">QHHI", chess.polyglot.zobrist_hash(board), raw, 1, 0))


def test_the_book_is_asked_before_the_engine(tmp_path: Path) -> None:
    write_book(tmp_path / "book.bin")

    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path, book={"files": [str(tmp_path / "book.bin")]}) as bot:
            hand = Hand(box, await box.challenge(PUPPET, clock="3+2", color="white"))
            match = await hand.plays("e2e4", "d2d4")
            assert match.moves[1] == "c7c5"
            await bot.until(MovePlayed, lambda fact: fact.ply == 3)
            assert [fact.thought.source for fact in bot.told(MovePlayed)] == ["book", "instant"]

    tell(story)


@pytest.mark.skipif(not SYZYGY.is_dir(), reason="no Syzygy tables on this machine")
def test_the_tables_are_asked_before_the_engine(tmp_path: Path) -> None:
    won = "8/8/8/8/4k3/4p3/8/4K3 w - - 0 1"

    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path, tablebase={"paths": [str(SYZYGY)]}) as bot:
            game = await box.challenge(PUPPET, clock="3+2", color="white", variant="fromPosition", fen=won)
            await Hand(box, game).plays("e1d1")
            played = await bot.until(MovePlayed)
            assert played.thought.source == "tablebase"
            assert played.thought.tablebase_wdl is not None

    tell(story)


# --- other people's packages

PACKAGE = """
from bot.game.nouns import Thought
from bot.game.policy import DeclineReason, Verdict


class Sicilian:
    name = "sicilian"

    async def find(self, question):
        return Thought("c7c5", self.name) if question.position.moves == ("e2e4",) else None


class Failing:
    name = "failing"

    async def find(self, question):
        raise RuntimeError("no idea")


class NoThreeMinutes:
    name = "no-three-minutes"

    def judge(self, challenge, situation):
        if challenge.control.limit_s == 180:
            return Verdict(accept=False, reason=DeclineReason.TIME_CONTROL, why="not my pace")
        return None


class Coffee:
    name = "coffee"
    help = "how I like mine"

    def answer(self, context, words):
        return f"Black, please, {context.asker}."
"""
POINTS = """
[krait.sources]
a-failing = krait_live:Failing
sicilian = krait_live:Sicilian
[krait.filters]
no-three-minutes = krait_live:NoThreeMinutes
[krait.commands]
coffee = krait_live:Coffee
"""


def test_a_source_a_filter_and_a_command_of_another_package_take_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = tmp_path / "krait_live-1.dist-info"
    about.mkdir()
    (tmp_path / "krait_live.py").write_text(PACKAGE)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: krait-live\nVersion: 1\n")
    (about / "entry_points.txt").write_text(POINTS)
    monkeypatch.syspath_prepend(tmp_path)

    async def story(box: Sandbox) -> None:
        ear = Ear(box)
        async with running(box, tmp_path / "state") as bot:
            with pytest.raises(NotPlayedError):
                await box.challenge(PUPPET, clock="3+2")
            hand = Hand(box, await box.challenge(PUPPET, clock="5+2", color="white"))
            assert (await hand.plays("e2e4")).moves[1] == "c7c5"
            hand.say("!coffee")
            await ear.hears("Black, please, Silent.", name=box.bot)
            assert "source_failed" in bot.troubles()

    tell(story)
    monkeypatch.delitem(sys.modules, "krait_live", raising=False)
