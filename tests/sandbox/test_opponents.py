"""Opponents inside a world: they challenge, accept or decline, and play whole games."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from bot.sandbox.movers import RandomMover, parse_specs
from bot.sandbox.opponents import Entry, Opponent, challenge_in_turn, enter, make_entries, settle
from tests.sandbox.scene import Scene
from tests.sandbox.thinking import BLITZ, QUIET, Ears, StandIn, invite, living, opponent_of, scripted


def test_two_opponents_play_a_whole_game_through_the_world() -> None:
    scene = Scene()
    entries = [Entry(name, 1000, RandomMover(random.Random(name))) for name in ("Ada", "Bob")]
    ada, bob = settle(scene.world, entries, QUIET, random.Random(1))

    async def story() -> None:
        ears = Ears(scene.world)
        async with living(ada, bob):
            ada.challenge("Bob", BLITZ)
            match = scene.world.games.get(await ears.until("gameFinish"))
        assert match.ply > 10
        assert match.status.label in {"mate", "draw", "stalemate", "insufficientMaterialClaim"}

    asyncio.run(story())


def test_an_opponent_accepts_a_challenge_and_plays_its_script() -> None:
    scene = Scene()

    async def story() -> None:
        ears = Ears(scene.world)
        async with living(opponent_of(scene, scripted("f3 e5 g4 Qh4"))):
            game_id = invite(scene)
            await ears.until("gameStart")
            for uci in ("f2f3", "g2g4"):
                scene.world.games.move(game_id, "numbarine", uci)
                await ears.until("move")
                await ears.until("move")
            match = scene.world.games.get(game_id)
        assert (match.status.label, match.moves) == ("mate", ["f2f3", "e7e5", "g2g4", "d8h4"])

    asyncio.run(story())


def test_the_echo_of_its_own_challenge_is_not_accepted() -> None:
    scene = Scene()

    async def story() -> None:
        opponent = opponent_of(scene)
        async with living(opponent):
            opponent.challenge("Numbarine", BLITZ)
            await asyncio.sleep(0)
        assert not scene.world.games.all()

    asyncio.run(story())


def test_a_variant_its_engine_does_not_know_is_declined(tmp_path: Path) -> None:
    scene = Scene()

    async def story() -> None:
        ears = Ears(scene.world)
        async with AsyncExitStack() as stack:
            specs = parse_specs(str(StandIn(tmp_path).path))
            (entry,) = await make_entries(specs, random.Random(1), lambda _: None, stack)
            async with living(opponent_of(scene, entry.mover)):
                challenge_id = invite(scene, variant="atomic")
                await ears.until("challengeDone")
        shown = scene.world.lobby.show(challenge_id, "numbarine")
        assert (shown["status"], shown["declineReasonKey"]) == ("declined", "variant")

    asyncio.run(story())


def test_an_opponent_with_enough_games_asks_for_patience() -> None:
    scene = Scene()

    async def story() -> None:
        ears = Ears(scene.world)
        async with living(opponent_of(scene, habits=QUIET._replace(most_games=1))):
            invite(scene)
            await ears.until("gameStart")
            await asyncio.sleep(0)  # it sits down
            second = invite(scene)
            while await ears.until("challengeDone") != second:
                pass
        assert scene.world.lobby.show(second, "numbarine")["declineReasonKey"] == "later"

    asyncio.run(story())


def test_a_saved_worlds_account_is_entered_again_not_made_twice() -> None:
    scene = Scene()
    entry = Entry("Ada", 1234, scripted())
    assert enter(scene.world, entry) is enter(scene.world, entry)
    assert enter(scene.world, Entry("Bob", 1, scripted()), as_bot=True).is_bot


def test_an_opponent_asked_for_twice_has_two_names() -> None:
    async def story() -> None:
        async with AsyncExitStack() as stack:
            specs = parse_specs("random,random,random")
            entries = await make_entries(specs, random.Random(1), lambda _: None, stack)
        assert [entry.name for entry in entries] == ["RandomMover", "RandomMover-2", "RandomMover-3"]

    asyncio.run(story())


class Bell:
    """A wait that ends when the test rings, and tells when it is waited for again."""

    def __init__(self) -> None:
        self._rings: asyncio.Queue[None] = asyncio.Queue()
        self.waits = asyncio.Event()

    async def wait(self) -> None:
        self.waits.set()
        await self._rings.get()

    async def ring(self) -> None:
        """All that follows from one ring is done when this returns."""
        self.waits.clear()
        self._rings.put_nowait(None)
        await self.waits.wait()


@asynccontextmanager
async def challenging(
    scene: Scene, opponents: list[Opponent], remarks: list[str], form: dict[str, Any]
) -> AsyncIterator[Bell]:
    bell = Bell()
    task = asyncio.ensure_future(challenge_in_turn(scene.world, opponents, form, bell.wait, remarks.append))
    await bell.waits.wait()
    yield bell
    task.cancel()


def incoming(scene: Scene) -> list[str]:
    return [one["challenger"]["name"] for one in scene.world.lobby.list("numbarine")["in"]]


def test_only_a_guest_who_is_online_is_challenged() -> None:
    scene = Scene()

    async def story() -> None:
        async with challenging(scene, [opponent_of(scene)], [], BLITZ) as bell:
            await bell.ring()
            assert incoming(scene) == []
            scene.world.stream_opened("numbarine")
            await bell.ring()
            assert incoming(scene) == ["Opal"]

    asyncio.run(story())


def test_an_opponent_waits_for_an_answer_before_it_asks_again() -> None:
    scene = Scene()

    async def story() -> None:
        scene.world.stream_opened("numbarine")
        async with challenging(scene, [opponent_of(scene)], [], BLITZ) as bell:
            await bell.ring()
            await bell.ring()
            assert incoming(scene) == ["Opal"]
            scene.wait(60_000)  # nobody answered
            await bell.ring()
            assert len(incoming(scene)) == 1

    asyncio.run(story())


def test_a_challenge_lila_would_refuse_is_told_and_tried_again() -> None:
    scene = Scene()
    remarks: list[str] = []

    async def story() -> None:
        scene.world.stream_opened("numbarine")
        async with challenging(scene, [opponent_of(scene)], remarks, {"clock.limit": 7}) as bell:
            await bell.ring()
            await bell.ring()
        assert len(remarks) == 2
        assert "Opal may not challenge Numbarine" in remarks[0]

    asyncio.run(story())
