"""Orders in, legal moves out, whatever the engines do."""

import asyncio
import os
from pathlib import Path

import chess
import pytest

from bot.engines.emergency import NO_MOVE, SOURCE
from bot.game.facts import EngineChanged
from bot.game.nouns import Score, Speed, Thought
from tests.engines.helping import LONG_MS, RIVAL, Story, log, order, spec, tell


def test_an_engines_move_comes_with_what_it_said_of_it(tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        found = await scene.ask()
        assert (found.uci, found.source, found.score, found.depth) == ("a2a3", "good", Score(cp=12), 3)
        assert (found.nodes, found.nps, found.pv) == (77, 1000, ("a2a3",))

    tell([spec("good", tmp_path)], story)


def test_the_first_process_is_warm_before_the_second_is_started(tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        await scene.until(lambda: "missing" in scene.states())
        assert log(tmp_path) == ["uci"]

    tell([spec("slow-start", tmp_path, processes=3, start_s=1.0)], story)


def test_all_processes_are_brought_up(tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        await scene.all_ready()
        assert scene.states() == ["ready"] * 3
        assert {view.state for view in scene.pool.snapshot()} == {"idle"}
        assert scene.pool.can_play("standard", Speed.BLITZ)

    tell([spec("good", tmp_path, processes=3)], story)


def test_a_game_goes_back_to_the_process_that_served_it_last(tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        await scene.all_ready()
        for moves in ((), ("a2a3", "a7a5"), ("a2a3", "a7a5", "a3a4", "b7b5")):
            for game in "ab":
                await scene.ask(game, *moves)
        assert [view.game for view in scene.pool.snapshot()] == ["a", "b"]
        assert log(tmp_path).count("ucinewgame") == 2

    tell([spec("good", tmp_path, processes=2)], story)


def test_games_that_share_a_process_do_not_empty_its_table_for_each_other(tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        for game in "abab":
            await scene.ask(game)
        assert log(tmp_path).count("ucinewgame") == 1
        for game in "ab":
            await scene.pool.forget(order(game).game)
        await scene.ask("c")
        assert log(tmp_path).count("ucinewgame") == 2

    tell([spec("good", tmp_path)], story)


@pytest.mark.parametrize("mode", ["crash-once", "illegal-once", "hang-once"])
def test_a_move_that_fails_is_asked_again_of_another_process(mode: str, tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        await scene.all_ready()
        found = await scene.ask(left_ms=20_000, within_ms=10)
        assert (found.uci, found.source) == ("a2a3", mode)
        await scene.until(lambda: "restarted" in scene.states())
        assert scene.states().count("silent" if mode == "hang-once" else "died") == 1

    tell([spec(mode, tmp_path, processes=2)], story)


def test_an_engine_that_always_dies_is_rested_and_legal_moves_are_played_without_it(tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        found = await scene.ask(left_ms=2000, within_ms=1000)
        assert chess.Move.from_uci(found.uci) in chess.Board().legal_moves
        assert found.source == SOURCE
        died = [
            fact.detail for fact in scene.facts if isinstance(fact, EngineChanged) and fact.state == "died"
        ]
        assert died[:2] == ["out of luck", "out of luck; next start in 1 s"]
        assert not scene.pool.can_play("standard", Speed.BLITZ)

    tell([spec("crash-always", tmp_path)], story)


def test_another_engine_that_fits_stands_in_for_one_that_is_broken(tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        await scene.all_ready()
        assert (await scene.ask()).source == "good"

    tell([spec("crash-always", tmp_path, speeds=frozenset({Speed.BLITZ})), spec("good", tmp_path)], story)


def test_an_engine_that_cannot_be_started_is_told_with_its_reason(tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        await scene.until(lambda: scene.states().count("missing") == 2)
        assert "mute does not start: no licence" in str(scene.facts)
        assert (await scene.ask(left_ms=500)).source == SOURCE

    tell([spec("mute", tmp_path)], story)


def test_a_handshake_has_an_end(tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        await scene.until(lambda: "missing" in scene.states())
        assert "not ready within 0.2 s" in str(scene.facts)

    tell([spec("slow-start", tmp_path, start_s=0.2)], story)


def test_an_engine_past_its_time_is_stopped_and_its_move_taken(tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        found = await scene.ask(within_ms=20)
        assert found.source == "until-stop"
        assert "stop" in log(tmp_path)
        assert scene.states() == ["ready"]

    tell([spec("until-stop", tmp_path)], story)


def test_the_emergency_move_is_what_a_silent_engine_liked(tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        found = await scene.ask("a", left_ms=600, within_ms=30)
        assert (found.uci, found.source) == ("d2d4", SOURCE)

    tell([spec("likes-deaf", tmp_path)], story)


def test_an_engine_that_does_not_obey_stop_is_replaced(tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        await scene.ask(left_ms=3000, within_ms=10)
        await scene.until(lambda: "silent" in scene.states())

    tell([spec("deaf", tmp_path)], story)


def test_garbage_between_the_lines_harms_nothing(tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        seen: list[Thought] = []
        found = await scene.pool.think(order("a"), seen.append)
        assert found.uci == "a2a3"
        assert all(thought.uci for thought in seen)

    tell([spec("garbage", tmp_path)], story)


def test_a_flood_of_lines_is_told_five_times_a_second_at_most(tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        seen: list[Thought] = []
        before = asyncio.get_running_loop().time()
        await scene.pool.think(order("a"), seen.append)
        spent = asyncio.get_running_loop().time() - before
        assert 1 <= len(seen) <= 1 + spent * 5

    tell([spec("flood", tmp_path)], story)


def test_a_listener_that_fails_costs_no_move(tmp_path: Path) -> None:
    def fail(_: Thought) -> None:
        raise ZeroDivisionError

    async def story(scene: Story) -> None:
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        assert (await scene.pool.think(order("a"), fail)).source == "good"

    tell([spec("good", tmp_path)], story)


def test_cancelling_stops_the_search_and_frees_the_process(tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        await scene.all_ready()
        seen = asyncio.Event()
        thinking = asyncio.create_task(scene.pool.think(order("a"), lambda _: seen.set()))
        await seen.wait()
        thinking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await thinking
        assert (await scene.ask("b", within_ms=20)).source == "likes"
        assert scene.states() == ["ready"]

    tell([spec("likes", tmp_path)], story)


def test_an_engine_that_thinks_on_after_a_cancel_is_replaced_before_anyone_needs_it(tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        await scene.all_ready()
        seen = asyncio.Event()
        thinking = asyncio.create_task(scene.pool.think(order("a"), lambda _: seen.set()))
        await seen.wait()
        thinking.cancel()
        await scene.until(lambda: "restarted" in scene.states())
        assert scene.states() == ["ready", "silent", "restarted"]

    tell([spec("likes-deaf", tmp_path)], story)


def test_an_order_cancelled_while_it_waits_takes_no_process_with_it(tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        await scene.all_ready()
        first = asyncio.create_task(scene.pool.think(order("a", move_ms=LONG_MS), lambda _: None))
        second = asyncio.create_task(scene.pool.think(order("b"), lambda _: None))
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.gather(second, return_exceptions=True)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        assert (await scene.ask("c", within_ms=20)).source == "until-stop"

    tell([spec("until-stop", tmp_path)], story)


def test_whoever_thinks_long_is_hurried_when_somebody_short_of_time_waits(tmp_path: Path) -> None:
    """Without it the second order would see its flag fall: the first may think for ten minutes."""

    async def story(scene: Story) -> None:
        await scene.all_ready()
        slow = asyncio.create_task(scene.pool.think(order("slow"), lambda _: None))
        await asyncio.sleep(0)
        quick = asyncio.create_task(scene.pool.think(order("quick", left_ms=2000), lambda _: None))
        assert (await slow).source == "until-stop"
        assert (await quick).source == "until-stop"

    tell([spec("until-stop", tmp_path)], story)


def test_the_most_urgent_order_is_served_first(tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        await scene.all_ready()
        done: list[str] = []

        async def play(game: str, left_ms: int) -> None:
            await scene.ask(game, left_ms=left_ms, within_ms=50)
            done.append(game)

        await asyncio.gather(
            *(play(game, left) for game, left in (("x", 50_000), ("c", 40_000), ("b", 9000), ("a", 7000)))
        )
        assert done == ["x", "a", "b", "c"]

    tell([spec("until-stop", tmp_path)], story)


def test_time_spent_waiting_is_not_told_to_the_engine(tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        await scene.all_ready()
        late = order("a", left_ms=60_000)
        await scene.pool.think(order("b"), lambda _: None)
        await scene.pool.think(late, lambda _: None)
        told = [line for line in log(tmp_path) if line.startswith("go")][-1].split()
        assert int(told[told.index("wtime") + 1]) < 60_000

    tell([spec("good", tmp_path)], story)


def test_the_guess_that_comes_true_is_a_ponder_hit(tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        await scene.all_ready()
        first = await scene.ask("a", ponder=True, opponent=RIVAL)
        assert scene.pool.snapshot()[0].state == "pondering"
        second = await scene.ask("a", first.uci, "a7a5", ponder=True, opponent=RIVAL)
        assert "ponderhit" in log(tmp_path)
        assert (second.depth, second.score) == (9, Score(cp=90))

    tell([spec("ponder", tmp_path)], story)


def test_a_wrong_guess_costs_nothing_but_a_stop(tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        await scene.all_ready()
        first = await scene.ask("a", ponder=True)
        second = await scene.ask("a", first.uci, "h7h6", ponder=True)
        assert (second.source, second.depth) == ("ponder", 3)
        assert "ponderhit" not in log(tmp_path)

    tell([spec("ponder", tmp_path)], story)


def test_another_game_takes_a_process_that_only_ponders(tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        await scene.all_ready()
        await scene.ask("a", ponder=True)
        assert (await scene.ask("b")).depth == 3

    tell([spec("ponder", tmp_path)], story)


def test_a_game_that_is_over_is_not_pondered_on(tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        await scene.all_ready()
        await scene.ask("a", ponder=True)
        await scene.pool.forget(order("a").game)
        await asyncio.gather(*scene.pool._tasks)
        assert scene.pool.snapshot()[0].state == "idle"
        assert log(tmp_path).count("stop") == 1

    tell([spec("ponder", tmp_path)], story)


def test_nobody_ponders_where_games_share_a_process(tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        await scene.all_ready()
        await scene.ask("a")
        await scene.ask("b", ponder=True)
        assert scene.pool.snapshot()[0].state == "idle"

    tell([spec("ponder", tmp_path)], story)


def test_an_idle_process_that_is_killed_is_replaced_before_anyone_asks(tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        await scene.all_ready()
        os.kill(scene.pool.snapshot()[0].pid, 9)
        await scene.until(lambda: "restarted" in scene.states())
        assert scene.pool.snapshot()[0].restarts == 1
        assert (await scene.ask()).source == "good"

    tell([spec("good", tmp_path)], story)


@pytest.mark.parametrize("variant", ["chess960", "atomic", "crazyhouse", "fromPosition"])
def test_a_variant_is_told_by_its_board(variant: str, tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        assert (await scene.ask(variant=variant)).source == "good"

    tell([spec("good", tmp_path, variants=frozenset({variant}))], story)


def test_a_variant_the_engine_does_not_offer_never_reaches_it(tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        await scene.all_ready()
        assert (await scene.ask(variant="horde", left_ms=100)).source == SOURCE
        assert scene.states() == ["ready"]

    tell([spec("good", tmp_path, variants=frozenset({"horde"}))], story)


def test_a_set_up_position_needs_no_chess960_of_the_engine_when_its_castling_is_plain(tmp_path: Path) -> None:
    fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"

    async def story(scene: Story) -> None:
        await scene.all_ready()
        found = await scene.ask("a", "e1h1", "e8a8", variant="fromPosition", fen=fen)
        assert found.source == "no-960"
        assert any(line.endswith("moves e1g1 e8c8") for line in log(tmp_path))

    tell([spec("no-960", tmp_path)], story)


def test_a_position_without_a_move_is_answered_all_the_same(tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        assert (await scene.ask("a", "f2f3", "e7e5", "g2g4", "d8h4")).uci == NO_MOVE
        assert (await scene.ask("a", "e2e5")).uci == NO_MOVE
        assert [trouble.what for trouble in scene.troubles()] == ["position_unreadable"]

    tell([spec("good", tmp_path)], story)


def test_a_closing_pool_leaves_no_process_behind(tmp_path: Path) -> None:
    pids: list[int] = []

    async def story(scene: Story) -> None:
        await scene.all_ready()
        pids.extend(view.pid for view in scene.pool.snapshot())

    tell([spec("good", tmp_path, processes=2), spec("deaf", tmp_path)], story)
    assert len(pids) == 3
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_options_of_an_order_hold_for_it_alone_and_those_not_offered_are_left_out(tmp_path: Path) -> None:
    async def story(scene: Story) -> None:
        wishes = {"Style": "Wild", "UCI_Elo": 1000}
        await scene.pool.think(order("a", options=wishes), lambda _: None)
        await scene.pool.think(order("a"), lambda _: None)
        told = [
            line for line in log(tmp_path) if "Style" in line or "UCI_Elo" in line or line.startswith("go")
        ]
        assert told[0] == "setoption name Style value Wild"
        assert told[1].startswith("go")
        assert told[2:-1] == ["setoption name Style value Solid"]

    tell([spec("good", tmp_path)], story)
