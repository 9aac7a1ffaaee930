"""What is said in a game and what is answered: greetings, commands, draws, resignation, takebacks, claims."""

from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from bot.game.facts import ChatHeard, GameClosed, GameOpened, MovePlayed, PliesSeen, TakebackGiven
from bot.sandbox.embed import Sandbox
from tests.service.company import PUPPET, Ear, Hand, watcher_says
from tests.service.scene import engine, running, tell

QUIET = {"greeting": "", "greeting_spectators": "", "goodbye": "", "goodbye_spectators": ""}
GREETING, GOODBYE = "good luck!", "Thank you for the game"
SYZYGY = Path(__file__).parents[3] / "shared" / "data" / "syzygy"


@pytest.fixture(autouse=True)
def talkative(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is made to wait between two lines."""
    monkeypatch.setattr("bot.play.desk.WINDOW_S", 0.0)
    monkeypatch.setattr("bot.sandbox.chatroom.FLOOD_LINES", 100)


async def sit_down(box: Sandbox, **wishes: Any) -> Hand:
    """A game against the puppet, which has white."""
    return Hand(box, await box.challenge(PUPPET, **({"clock": "3+2", "color": "white"} | wishes)))


# --- words


def test_a_greeting_and_a_goodbye_are_said_once_each(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        ear = Ear(box)
        async with running(box, tmp_path):
            game = await box.challenge("random", clock="3+2")
            await box.finished(game)
            await ear.hears(GOODBYE, name=box.bot, room="player")
            await ear.hears("Thank you for watching", name=box.bot, room="spectator")
        said = ear.of(box.bot, "player")
        assert [GREETING in said[0], GOODBYE in said[-1], len(said)] == [True, True, 2]
        assert len(ear.of(box.bot, "spectator")) == 2

    tell(story)


@pytest.mark.parametrize("ply", [0, 4])
def test_a_greeting_is_not_repeated_on_a_new_stream_nor_after_a_restart(tmp_path: Path, ply: int) -> None:
    async def story(box: Sandbox) -> None:
        ear = Ear(box)
        async with running(box, tmp_path):
            hand = await sit_down(box)
            await ear.hears("Welcome!", name=box.bot, room="spectator")
            box.faults.add("drop@game,user=" + box.bot)
            if ply:
                await hand.plays("e2e4", "d2d4")
        async with running(box, tmp_path) as bot:
            await bot.until(GameOpened, lambda fact: fact.resumed)
            await hand.plays("a2a3", "b2b3")
            box.world.games.resign(hand.game, PUPPET)
            await ear.hears("Thank you for watching", name=box.bot)
        assert GREETING in ear.of(box.bot, "player")[0]
        assert (
            box.measured.snapshot()["requests"]["chat"] == 4
        )  # the sandbox would drop a fifth, as Lichess does

    tell(story)


COMMANDS = {
    "!depth": "Depth 1",
    "!help": "I understand",
    "!engine": "instant plays this game",
    "!queue": "1 game now",
    "!name": "a bot run by Krait",
}


def test_commands_are_answered_in_the_room_they_were_asked_in(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        ear = Ear(box)
        async with running(box, tmp_path, chat=QUIET):
            hand = await sit_down(box)
            await hand.plays("e2e4")
            for asked, answer in COMMANDS.items():
                hand.say(asked)
                await ear.hears(answer, name=box.bot, room="player")
            watcher_says(box, hand.game, "!engine")
            await ear.hears("instant plays this game", name=box.bot, room="spectator")

    tell(story)


def test_players_are_kept_from_the_evaluation_while_they_play_and_spectators_are_not(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        ear = Ear(box)
        async with running(box, tmp_path, chat=QUIET):
            hand = await sit_down(box)
            await hand.plays("e2e4")
            hand.say("!eval")
            await ear.hears("keep that to myself", name=box.bot, room="player")
            watcher_says(box, hand.game, "!eval")
            await ear.hears("+0.10 for me (Black), depth 1", name=box.bot, room="spectator")

    tell(story)


def test_players_see_the_evaluation_where_the_operator_allows_it(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        ear = Ear(box)
        async with running(box, tmp_path, chat=QUIET | {"eval_for_players": True}):
            hand = await sit_down(box)
            await hand.plays("e2e4")
            hand.say("!eval")
            await ear.hears("+0.10 for me (Black)", name=box.bot, room="player")

    tell(story)


class Burning:
    """A chat command of somebody else's package that breaks."""

    name = "burn"
    help = "breaks"

    def answer(self, *_: object) -> str:
        raise RuntimeError("it burns")


def test_neither_an_unknown_command_nor_one_that_breaks_is_answered_or_harms_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    point = metadata.EntryPoint("burn", f"{__name__}:Burning", "krait.commands")
    monkeypatch.setattr(metadata.EntryPoint, "load", lambda _: Burning)
    monkeypatch.setattr(metadata, "entry_points", lambda group: [point] if group == point.group else [])

    async def story(box: Sandbox) -> None:
        ear = Ear(box)
        async with running(box, tmp_path, chat=QUIET) as bot:
            hand = await sit_down(box)
            await hand.plays("g1f3")
            hand.say("!burn")
            hand.say("!weather tomorrow")
            hand.say("hello there")
            await bot.until(ChatHeard, lambda fact: fact.text == "hello there")
            hand.say("!name")
            await ear.hears("a bot run by Krait", name=box.bot)
            assert (await hand.plays("e2e4", "d2d4")).ply == 6
            assert len(ear.of(box.bot)) == 1
            assert "chat_command_failed" in bot.troubles()

    tell(story)


# --- draws and resignation

EAGER = {"score_cp": 20, "moves": 2, "from_move": 3}


@pytest.mark.parametrize(("score", "status"), [("5", "draw"), ("300", "started")])
def test_an_offer_is_taken_when_the_scores_have_been_level_and_else_refused(
    tmp_path: Path, score: str, status: str
) -> None:
    async def story(box: Sandbox) -> None:
        settings: dict[str, Any] = {
            "engines": [engine("score", score)],
            "draw": EAGER | {"offer_to_humans": False},
        }
        async with running(box, tmp_path, chat=QUIET, **settings) as bot:
            hand = await sit_down(box)
            await hand.plays("e2e4", "d2d4", "a2a3")
            hand.draw()
            answer = {"draw": "Draw offer accepted", "started": "Black declines draw"}[status]
            if status == "draw":
                assert (await box.finished(hand.game)).status.label == "draw"
                await bot.until(GameClosed, lambda fact: fact.result == "draw")
            else:
                await bot.until(ChatHeard, lambda fact: fact.text == answer)
                assert not hand.match.is_over

    tell(story)


def test_a_draw_is_offered_with_a_move_when_the_scores_have_been_level(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path, engines=[engine("score", "0")], draw=EAGER) as bot:
            hand = await sit_down(box)
            await hand.plays("e2e4", "d2d4")
            assert not bot.told(ChatHeard) or not hand.match.offers.draw
            await hand.plays("a2a3", "b2b3")
            offered = await bot.until(MovePlayed, lambda fact: fact.offered_draw)
            assert offered.ply >= 4
            assert [fact.offered_draw for fact in bot.told(MovePlayed)].count(True) == 1

    tell(story)


LOST = {"enabled": True, "score_cp": 500, "moves": 2}


def test_a_lost_game_is_resigned_where_that_is_asked_for(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        settings: dict[str, Any] = {"engines": [engine("score", "-900")], "resign": LOST}
        async with running(box, tmp_path, **settings) as bot:
            hand = await sit_down(box)
            match = await hand.plays("e2e4", "d2d4")
            assert match.status.label == "resign"
            await bot.until(GameClosed, lambda fact: fact.result == "loss")

    tell(story)


def test_a_lost_game_is_played_on_unless_resigning_is_asked_for(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        settings: dict[str, Any] = {"engines": [engine("score", "-900")], "resign": LOST | {"enabled": False}}
        async with running(box, tmp_path, **settings):
            hand = await sit_down(box)
            assert not (await hand.plays("e2e4", "d2d4", "a2a3", "b2b3")).is_over

    tell(story)


@pytest.mark.skipif(not SYZYGY.is_dir(), reason="no Syzygy tables on this machine")
def test_an_engine_that_despairs_does_not_resign_what_a_table_knows_to_be_drawn(tmp_path: Path) -> None:
    drawn = "8/8/8/8/3k4/8/3P4/3K4 w - - 0 1"

    async def story(box: Sandbox) -> None:
        settings: dict[str, Any] = {"engines": [engine("score", "-900")], "resign": LOST}
        tables = {"paths": [str(SYZYGY)]}
        async with running(box, tmp_path, tablebase=tables, draw={"enabled": False}, **settings) as bot:
            hand = await sit_down(box, variant="fromPosition", fen=drawn)
            assert not (await hand.plays("d1e2", "e2d1", "d1c1")).is_over
            known = [fact.thought.tablebase_wdl for fact in bot.told(MovePlayed)]
            assert known
            assert set(known) == {0}

    tell(story)


# --- takebacks


def test_a_takeback_while_we_think_is_given_at_once_and_the_search_begins_anew(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path, engines=[engine("ponder", "d2d4")]) as bot:
            hand = await sit_down(box)
            await hand.plays("e2e4")
            hand.move("d2d4")  # it thinks about this for as long as it is let
            await bot.until(PliesSeen, lambda fact: fact.state.ply == 3)
            bot.facts.clear()
            hand.takeback()
            await bot.until(PliesSeen, lambda fact: fact.state.ply == 2)
            assert bot.told(TakebackGiven)
            assert all(fact.ply < 3 for fact in bot.told(MovePlayed))  # that of ply 1 may be told late
            match = await hand.plays("a2a3")
            assert match.moves[2] == "a2a3"
            assert match.ply == 4
            await bot.until(MovePlayed, lambda fact: fact.ply == 3)

    tell(story, takebacks=True)


def test_takebacks_given_before_a_restart_still_count(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        once = {"max_a_game": 1}
        async with running(box, tmp_path, takeback=once) as bot:
            hand = await sit_down(box)
            await hand.plays("e2e4", "d2d4")
            bot.facts.clear()
            hand.takeback()
            await bot.until(PliesSeen, lambda fact: fact.state.ply == 2)
            await hand.plays("a2a3")
        async with running(box, tmp_path, takeback=once) as bot:
            await hand.plays("b2b3")
            hand.takeback()
            await bot.until(ChatHeard, lambda fact: fact.text == "Takeback declined")
            assert not bot.told(TakebackGiven)

    tell(story, takebacks=True)


# --- who has left, and who never came


def test_victory_is_claimed_when_the_opponent_has_left(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path) as bot:
            game = await box.challenge("leaver:2", clock="3+2", color="white")
            await box.moved(game, 4)
            await box.left(game, "leaver")
            box.advance(61_000)
            match = await box.finished(game)
            assert (match.status.label, match.winner) == ("timeout", False)
            await bot.until(GameClosed, lambda fact: fact.result == "win")

    tell(story)


def test_a_draw_is_claimed_when_the_opponent_has_left_and_we_could_not_win(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        fen = "4k3/8/8/8/8/8/PPPPPPPP/4K3 w - - 0 1"
        async with running(box, tmp_path) as bot:
            game = await box.challenge(
                "leaver:2", clock="3+2", color="white", variant="fromPosition", fen=fen
            )
            await box.moved(game, 4)
            await box.left(game, "leaver")
            box.advance(61_000)
            match = await box.finished(game)
            assert (match.status.label, match.winner) == ("timeout", None)
            assert "claim_victory" not in box.measured.snapshot()["requests"]
            await bot.until(GameClosed, lambda fact: fact.result == "draw")

    tell(story)


@pytest.mark.parametrize("color", ["white", "black"])
def test_a_game_that_the_opponent_does_not_begin_is_aborted(tmp_path: Path, color: str) -> None:
    async def story(box: Sandbox) -> None:
        async with running(box, tmp_path, games={"abort_after_human_s": 1}) as bot:
            hand = await sit_down(box, color=color)
            match = await box.finished(hand.game)
            assert match.status.label == "aborted"
            assert match.ply < 2
            await bot.until(GameClosed, lambda fact: fact.result == "aborted")

    tell(story)


def test_a_game_of_an_arena_is_never_aborted_by_us(tmp_path: Path) -> None:
    async def story(box: Sandbox) -> None:
        arenas = box.world.arenas
        async with running(box, tmp_path, games={"abort_after_human_s": 1, "max_games": 2}) as bot:
            arena = arenas.create("Bots welcome", {"clock.limit": 180, "clock.increment": 2}, bots=True)
            await box.opponent(PUPPET)
            for user in (PUPPET, box.bot.lower()):
                arenas.join(arena.id, user)
            box.advance(60_000)
            of_the_arena = await bot.until(GameOpened)
            assert of_the_arena.info.tournament == arena.id
            later = await sit_down(box)  # it is aborted after a second: the other has waited for longer
            assert (await box.finished(later.game)).status.label == "aborted"
            assert not box.world.games.get(of_the_arena.info.id).is_over
            assert box.measured.snapshot()["requests"]["abort"] == 1

    tell(story)
