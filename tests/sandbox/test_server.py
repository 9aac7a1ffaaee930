"""A game over HTTP, deed by deed, and every refusal with lila's status and body."""

import asyncio

import pytest

from bot.sandbox.clock import wall_ms
from tests.sandbox.serving import (
    BLITZ,
    NOT_A_BOT,
    OK,
    Box,
    error,
    pair,
    run,
    said,
)


def test_two_bots_play_a_game_over_http_from_challenge_to_mate() -> None:
    async def story(box: Box) -> None:
        krait, rival = box.enter("Krait"), box.enter("Rival")
        async with rival.events() as events:
            form = BLITZ | {"color": "white", "rated": "false"}
            made = await krait.ask("POST", "/api/challenge/Rival", json=form)
            challenge = (await events.until("challenge"))["challenge"]
            assert challenge["id"] == made.body["id"]
            assert said(await rival.post(f"/api/challenge/{challenge['id']}/accept")) == OK
            game = (await events.until("gameStart"))["game"]["id"]
            async with krait.game(game) as lines:
                await lines.next()
                for player, uci in ((krait, "f2f3"), (rival, "e7e5"), (krait, "g2g4"), (rival, "d8h4")):
                    assert said(await player.move(game, uci)) == OK
                assert (await lines.rest())[-1]["status"] == "mate"
            assert (await events.until("gameFinish"))["game"]["winner"] == "black"
        assert box.site.measured.snapshot()["illegal"] == []

    run(story)


@pytest.mark.parametrize(
    ("uci", "refusal"),
    [("nonsense", "Invalid UCI: nonsense"), ("e7e5", None), ("e2e5", None)],
)
def test_a_move_that_is_none_is_refused(uci: str, refusal: str | None) -> None:
    async def story(box: Box) -> None:
        krait, _, game = pair(box)
        reply = await krait.move(game, uci)
        assert reply.status == 400
        assert isinstance(reply.body["error"], str)
        assert refusal is None or reply.body["error"] == refusal

    run(story)


def test_a_move_out_of_turn_or_after_the_end_is_refused() -> None:
    async def story(box: Box) -> None:
        krait, rival, game = pair(box)
        late = error("Not your turn, or game already over")
        assert said(await rival.move(game, "e7e5")) == late
        box.play(game, "f2f3", "e7e5", "g2g4", "d8h4")
        assert said(await krait.move(game, "e2e4")) == late

    run(story)


@pytest.mark.parametrize(
    ("word", "status"), [("true", 200), ("false", 200), ("1", 200), ("True", 400), ("x", 400)]
)
def test_offering_a_draw_takes_lower_case_words(word: str, status: int) -> None:
    async def story(box: Box) -> None:
        krait, _, game = pair(box)
        box.play(game, "e2e4", "e7e5")
        reply = await krait.post(f"/api/bot/game/{game}/move/g1f3?offeringDraw={word}")
        assert reply.status == status

    run(story)


@pytest.mark.parametrize(
    "deed", ["move/e2e4", "chat", "abort", "resign", "draw/yes", "takeback/no", "claim-victory"]
)
def test_a_game_that_is_not_there_or_not_yours_is_not_found(deed: str) -> None:
    async def story(box: Box) -> None:
        _, _, game = pair(box)
        stranger = box.enter("Stranger", title=None)  # no bot either, but that is asked later
        form = {"room": "player", "text": "hello"}
        assert said(await stranger.post(f"/api/bot/game/nothing1/{deed}", form)) == error("No such game", 404)
        assert said(await stranger.post(f"/api/bot/game/{game}/{deed}", form)) == error("Not your game", 404)

    run(story)


def test_a_stream_of_a_game_that_is_not_there_or_not_yours_is_not_found() -> None:
    async def story(box: Box) -> None:
        _, _, game = pair(box)
        stranger = box.enter("Stranger")
        assert said(await stranger.get("/api/bot/game/stream/nothing1")) == error("No such game", 404)
        assert said(await stranger.get(f"/api/bot/game/stream/{game}")) == error("Not your game", 404)

    run(story)


def test_a_human_may_not_use_the_bots_api_nor_a_bot_the_boards() -> None:
    async def story(box: Box) -> None:
        krait = box.enter("Krait", scopes=("bot:play", "board:play"))
        human = box.enter("Human", title=None, scopes=("bot:play", "board:play"))
        game = box.start("Human", "Krait")
        assert said(await human.move(game, "e2e4")) == error(NOT_A_BOT)
        assert said(await human.get(f"/api/bot/game/stream/{game}")) == error(NOT_A_BOT)
        refusal = error("This API endpoint is not for Bot accounts.", 403)
        assert said(await krait.post(f"/api/board/game/{game}/move/e7e5")) == refusal

    run(story)


def test_a_game_the_api_is_not_for_cannot_be_played_with_it() -> None:
    async def story(box: Box) -> None:
        krait, _, game = pair(box)
        box.world.games.get(game).source = "pool"
        refused = error("This game cannot be played with the Bot API.")
        assert said(await krait.move(game, "e2e4")) == refused
        assert said(await krait.get(f"/api/bot/game/stream/{game}")) == refused
        human = box.enter("Human", title=None, scopes=("board:play",))
        bullet = box.start("Human", "Krait", **{"clock.limit": 60, "clock.increment": 0})
        refused = error("This game cannot be played with the Board API.")
        assert said(await human.post(f"/api/board/game/{bullet}/move/e2e4")) == refused

    run(story)


def test_a_human_plays_by_the_board_api() -> None:
    async def story(box: Box) -> None:
        krait = box.enter("Krait")
        human = box.enter("Human", title=None, scopes=("board:play",))
        game = box.start("Human", "Krait", **{"clock.limit": 600, "clock.increment": 0})
        async with human.stream(f"/api/board/game/stream/{game}") as lines:
            await lines.next()
            assert said(await human.post(f"/api/board/game/{game}/move/e2e4")) == OK
            assert said(await krait.move(game, "e7e5")) == OK
            assert [(await lines.next())["moves"] for _ in range(2)] == ["e2e4", "e2e4 e7e5"]

    run(story)


def test_a_game_is_aborted_only_at_its_beginning() -> None:
    async def story(box: Box) -> None:
        krait, _, game = pair(box)
        box.play(game, "e2e4", "e7e5")
        assert said(await krait.post(f"/api/bot/game/{game}/abort")) == error(
            "This game can no longer be aborted"
        )
        young = box.start("Krait", "Rival")
        assert said(await krait.post(f"/api/bot/game/{young}/abort")) == OK
        assert box.world.games.get(young).status.label == "aborted"

    run(story)


def test_resigning_too_early_aborts_and_too_late_is_refused() -> None:
    async def story(box: Box) -> None:
        krait, rival, game = pair(box)
        assert said(await krait.post(f"/api/bot/game/{game}/resign")) == OK
        assert box.world.games.get(game).status.label == "aborted"
        assert said(await rival.post(f"/api/bot/game/{game}/resign")) == error("This game cannot be resigned")

    run(story)


@pytest.mark.parametrize("word", ["yes", "no", "true", "false", "1", "0", "nonsense"])
@pytest.mark.parametrize("what", ["draw", "takeback"])
def test_draws_and_takebacks_are_always_answered_with_ok(what: str, word: str) -> None:
    async def story(box: Box) -> None:
        krait, _, game = pair(box)
        assert said(await krait.post(f"/api/bot/game/{game}/{what}/{word}")) == OK

    run(story)


def test_a_draw_is_offered_and_taken() -> None:
    async def story(box: Box) -> None:
        krait, rival, game = pair(box)
        box.play(game, "e2e4", "e7e5")
        async with rival.game(game) as lines:
            await lines.next()
            assert said(await krait.post(f"/api/bot/game/{game}/draw/yes")) == OK
            assert (await lines.until("gameState"))["wdraw"] is True
            assert said(await rival.post(f"/api/bot/game/{game}/draw/yes")) == OK
            assert (await lines.rest())[-1]["status"] == "draw"

    run(story)


def test_victory_is_claimed_only_from_somebody_who_left() -> None:
    async def story(box: Box) -> None:
        krait, _, game = pair(box)
        too_soon = error("This is not the time to claim victory")
        assert said(await krait.post(f"/api/bot/game/{game}/claim-victory")) == too_soon
        box.play(game, "e2e4", "e7e5", "g1f3")
        async with krait.game(game) as lines:
            await lines.next()
            box.advance(100)
            not_gone = error("You cannot claim victory in this game")
            assert said(await krait.post(f"/api/bot/game/{game}/claim-victory")) == not_gone
            for _ in range(20):
                box.advance(5_000)
            assert (await lines.until("opponentGone"))["gone"] is True
            assert said(await krait.post(f"/api/bot/game/{game}/claim-victory")) == OK
            last = (await lines.rest())[-1]
            assert (last["status"], last["winner"]) == ("timeout", "white")

    run(story)


def test_no_bot_goes_berserk() -> None:
    async def story(box: Box) -> None:
        krait, _, game = pair(box)
        assert said(await krait.post(f"/api/bot/game/{game}/berserk")) == error("Cannot berserk")
        assert said(await krait.post(f"/api/bot/game/{game}/dance")) == error("No such command", 404)

    run(story)


def test_chat_is_echoed_to_both_and_kept() -> None:
    async def story(box: Box) -> None:
        krait, rival, game = pair(box)
        async with krait.game(game) as mine, rival.game(game) as theirs:
            chat = f"/api/bot/game/{game}/chat"
            assert said(await krait.post(chat, {"room": "player", "text": "good luck"})) == OK
            for lines in (mine, theirs):
                line = await lines.until("chatLine")
                assert (line["username"], line["text"], line["room"]) == ("Krait", "good luck", "player")
            kept = (await krait.get(chat)).body
            assert {"text": "good luck", "user": "Krait"} in kept

    run(story)


@pytest.mark.parametrize(
    "form", [{}, {"room": "player"}, {"room": "player", "text": "x" * 141}, {"room": "x", "text": "y"}]
)
def test_chat_that_does_not_bind_is_a_form_error(form: dict[str, str]) -> None:
    async def story(box: Box) -> None:
        krait, _, game = pair(box)
        reply = await krait.post(f"/api/bot/game/{game}/chat", form)
        assert reply.status == 400
        assert isinstance(reply.body["error"], dict)

    run(story)


def test_an_unknown_path_is_not_found() -> None:
    async def story(box: Box) -> None:
        assert said(await box.anyone.get("/api/nothing")) == error("Not found", 404)
        assert said(await box.anyone.ask("DELETE", "/api/account")) == error("Not found", 404)

    run(story)


def test_a_flag_falls_without_anybody_asking() -> None:
    async def story(box: Box) -> None:
        krait, _, game = pair(box)
        box.play(game, "e2e4", "e7e5")
        async with krait.game(game) as lines:
            await lines.next()
            box.site.jump(179_000)  # the last second passes by itself
            assert (await lines.rest())[-1]["status"] == "outoftime"

    run(story, source=wall_ms)


def test_a_tick_that_fails_does_not_stop_time(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(box: Box) -> None:
        krait, _, game = pair(box)
        box.play(game, "e2e4", "e7e5")
        ticks = iter([RuntimeError("a fault of ours")])
        tick = box.world.tick

        def failing_once() -> None:
            for fault in ticks:
                raise fault
            tick()

        monkeypatch.setattr(box.world, "tick", failing_once)
        async with krait.game(game) as lines:
            await lines.next()
            box.clock.advance(181_000)
            box.site.stir()
            assert (await lines.rest())[-1]["status"] == "outoftime"
        assert box.site.measured.failures == 1
        box.site.measured.reset()

    run(story)


def test_what_a_client_should_not_have_asked_is_counted_with_its_reason() -> None:
    async def story(box: Box) -> None:
        krait, rival, game = pair(box)
        await rival.move(game, "e7e5")
        await krait.get("/api/nothing")
        illegal = box.site.measured.snapshot()["lastIllegal"]
        assert [(each["endpoint"], each["user"], each["status"]) for each in illegal] == [
            ("move", "rival", 400),
            ("unknown", "krait", 404),
        ]
        assert illegal[0]["reason"] == "Not your turn, or game already over"

    run(story)


def test_the_time_from_a_push_to_its_move_is_measured() -> None:
    async def story(box: Box) -> None:
        krait, rival, game = pair(box)
        async with krait.game(game) as mine, rival.game(game) as theirs:
            await asyncio.gather(mine.next(), theirs.next())
            await krait.move(game, "e2e4")
            await theirs.next()
            await rival.move(game, "e7e5")
        moves = {user: box.site.measured.moves(user) for user in ("krait", "rival")}
        assert [(each["ply"], each["uci"]) for each in moves["krait"]] == [(0, "e2e4")]
        assert [(each["ply"], each["uci"]) for each in moves["rival"]] == [(1, "e7e5")]

    run(story)
