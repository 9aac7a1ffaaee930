"""Moves have connections of their own, warm ones, and wait for nobody."""

import asyncio
import threading
from contextlib import aclosing

from blockbuster import BlockBuster

from bot.game.nouns import GameId
from bot.lichess.client import Patience
from bot.sandbox.faults import Faults, parse_fault
from tests.lichess.entering import entered
from tests.lichess.passage import corridor
from tests.sandbox.serving import Box, run

IMPATIENT = Patience(warm_s=0.01)


def game_of(box: Box) -> GameId:
    """Krait has white against Rival."""
    for name in ("Krait", "Rival"):
        if box.world.accounts.get(name) is None:
            box.enter(name)
    return GameId(box.start("Krait", "Rival"))


def test_while_a_game_is_followed_a_pause_of_the_opponent_costs_no_new_connection() -> None:
    async def story(box: Box) -> None:
        game = game_of(box)
        async with (
            corridor(box.url) as passage,
            entered(box, url=passage.url, patience=IMPATIENT) as lichess,
            aclosing(lichess.game(game)) as lines,
        ):
            await anext(lines)
            await lichess.move(game, "e2e4")
            await passage.until(lambda: passage.on("/__ping").total() > 10)  # a long think
            before, moves = passage.connections, passage.on("/move/")
            box.play(game, "e7e5")
            await lichess.move(game, "g1f3")
            assert passage.connections == before
            assert set(passage.on("/move/") - moves) <= set(passage.on("/__ping"))

    run(story)


def test_the_first_move_of_a_game_finds_a_connection_that_is_open() -> None:
    async def story(box: Box) -> None:
        game = game_of(box)
        async with (
            corridor(box.url) as passage,
            entered(box, url=passage.url) as lichess,
            aclosing(lichess.game(game)) as lines,
        ):
            await anext(lines)
            await passage.until(lambda: passage.on("/__ping").total() >= 2)
            before = passage.connections
            await lichess.move(game, "e2e4")
            assert passage.connections == before

    run(story)


def test_nobody_is_pinged_while_no_game_is_followed() -> None:
    async def story(box: Box) -> None:
        async with corridor(box.url) as passage, entered(box, url=passage.url, patience=IMPATIENT) as lichess:
            for _ in range(30):
                await lichess.playing()
            assert not passage.on("/__ping")

    run(story)


def test_a_server_without_a_ping_is_warmed_all_the_same() -> None:
    async def story(box: Box) -> None:
        game = game_of(box)
        async with (
            corridor(box.url) as passage,
            entered(box, url=passage.url, patience=IMPATIENT) as lichess,
            aclosing(lichess.game(game)) as lines,
        ):
            await anext(lines)
            await passage.until(lambda: passage.on("/__ping").total() > 6)
            assert len(passage.on("/__ping")) == 2

    run(story, faults=Faults(parse_fault("404@ping,times=0")))


def test_a_move_never_waits_for_chat() -> None:
    async def story(box: Box) -> None:
        game = game_of(box)
        async with entered(box) as lichess:
            talk = [asyncio.create_task(lichess.say(game, "player", f"line {n}")) for n in range(20)]
            await lichess.move(game, "e2e4")
            assert not any(each.done() for each in talk)
            box.site.faults.clear()
            for each in talk:
                each.cancel()

    run(story, faults=Faults(parse_fault("slow@chat,ms=3000,times=0")))


def test_more_moves_than_workers_are_all_made() -> None:
    async def story(box: Box) -> None:
        games = [game_of(box) for _ in range(32)]
        async with entered(box, lanes=3) as lichess:
            await asyncio.gather(*(lichess.move(game, "e2e4") for game in games))
        assert all(box.world.games.get(game).moves == ["e2e4"] for game in games)

    run(story)


def test_whoever_is_cancelled_leaves_the_move_to_be_made() -> None:
    async def story(box: Box) -> None:
        game = game_of(box)
        async with entered(box, lanes=1) as lichess:
            moving = asyncio.create_task(lichess.move(game, "e2e4"))
            await asyncio.sleep(0)
            moving.cancel()
            other = game_of(box)
            await lichess.move(other, "d2d4")  # the only worker is free again, so the first is through
            assert box.world.games.get(game).moves == ["e2e4"]

    run(story)


def test_a_call_that_hangs_keeps_nobody_from_leaving() -> None:
    async def story(box: Box) -> None:
        game = game_of(box)
        async with entered(box) as lichess:
            talk = asyncio.create_task(lichess.say(game, "player", "hello"))
            await lichess.move(game, "e2e4")
            talk.cancel()
        assert all(thread.daemon for thread in threading.enumerate() if thread.name.startswith("lichess"))

    run(story, faults=Faults(parse_fault("slow@chat,ms=2000,times=0")))


def test_nothing_the_gateway_does_blocks_the_loop() -> None:
    async def story(box: Box) -> None:
        game = game_of(box)
        async with entered(box) as lichess:
            guard = BlockBuster()
            guard.activate()
            try:
                await lichess.whoami()
                async with aclosing(lichess.events()) as events, aclosing(lichess.game(game)) as lines:
                    await anext(events)
                    await anext(lines)
                    await lichess.move(game, "e2e4")
                    await lichess.say(game, "player", "hello")
                    await lichess.online_bots()
            finally:
                guard.deactivate()

    run(story)
