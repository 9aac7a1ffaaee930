"""berserk's own client, used as its documentation shows, plays whole games on the sandbox."""

import asyncio
import random
from collections.abc import Iterator
from typing import Any

import berserk
import chess
import pytest
from berserk.exceptions import ResponseError

from tests.sandbox.serving import Box, run

SHORT_GAME = ("f2f3", "e7e5", "g2g4", "d8h4")


def client(box: Box, name: str) -> berserk.Client:
    secret = str(box.enter(name, scopes=("bot:play", "challenge:read", "challenge:write")).token)
    return berserk.Client(session=berserk.TokenSession(secret), base_url=box.url)


async def beside(*deeds: Any) -> list[Any]:
    """Each in a thread of its own, since berserk blocks."""
    return await asyncio.gather(*(asyncio.to_thread(deed) for deed in deeds))


def play_out(me: berserk.Client, game_id: str, moves: Iterator[str] | None, rng: random.Random) -> str:
    """Follow a game's stream and move when it is my turn; the status it ended with."""
    my_id = me.account.get()["id"]
    is_white = False
    for event in me.bots.stream_game_state(game_id):
        if event["type"] == "gameFull":
            is_white = event["white"]["id"] == my_id
            state = event["state"]
        elif event["type"] == "gameState":
            state = event
        else:
            continue
        if state["status"] != "started":
            return str(state["status"])
        board = chess.Board()
        for uci in state["moves"].split():
            board.push_uci(uci)
        if board.turn is is_white:
            uci = next(moves) if moves else rng.choice(list(board.legal_moves)).uci()
            me.bots.make_move(game_id, uci)
    raise AssertionError("the stream ended before the game")


def accept_first(me: berserk.Client) -> str:
    """Wait at the event stream, accept what comes, and say which game has started."""
    for event in me.bots.stream_incoming_events():
        if event["type"] == "challenge":
            me.bots.accept_challenge(event["challenge"]["id"])
        elif event["type"] == "gameStart":
            return str(event["game"]["id"])
    raise AssertionError("the event stream ended")


def challenge(me: berserk.Client, name: str) -> str:
    made = me.challenges.create(name, rated=False, clock_limit=180, clock_increment=2, color="white")
    return str(made["id"])


def test_berserk_plays_from_challenge_to_mate() -> None:
    async def story(box: Box) -> None:
        white, black = client(box, "White"), client(box, "Black")
        accepting = asyncio.create_task(asyncio.to_thread(accept_first, black))
        game = await asyncio.to_thread(challenge, white, "Black")
        assert await accepting == game
        rng = random.Random(1)
        endings = await beside(
            lambda: play_out(white, game, iter(SHORT_GAME[::2]), rng),
            lambda: play_out(black, game, iter(SHORT_GAME[1::2]), rng),
        )
        assert endings == ["mate", "mate"]
        pgn = await asyncio.to_thread(white.games.export, game, as_pgn=True)
        assert "Qh4#" in str(pgn)
        assert box.site.measured.snapshot()["illegal"] == []

    run(story)


@pytest.mark.slow
def test_berserk_plays_random_games_to_their_end() -> None:
    async def story(box: Box) -> None:
        white, black = client(box, "White"), client(box, "Black")
        for seed in range(2):
            accepting = asyncio.create_task(asyncio.to_thread(accept_first, black))
            game = await asyncio.to_thread(challenge, white, "Black")
            await accepting
            first, second = random.Random(seed), random.Random(seed + 100)
            endings = await beside(
                lambda game=game, rng=first: play_out(white, game, None, rng),
                lambda game=game, rng=second: play_out(black, game, None, rng),
            )
            assert len(set(endings)) == 1
            assert endings[0] in {"mate", "stalemate", "draw"}

    run(story)


def test_berserk_reads_what_a_bot_reads() -> None:
    async def story(box: Box) -> None:
        me = client(box, "Krait")
        box.enter("Rival")
        game = box.start("Krait", "Rival")

        def read() -> None:
            assert me.account.get()["title"] == "BOT"
            assert [each["gameId"] for each in me.games.get_ongoing()] == [game]
            assert me.users.get_public_data("Rival")["id"] == "rival"
            assert [each["id"] for each in me.users.get_realtime_statuses("krait", "rival")] == [
                "krait",
                "rival",
            ]
            assert me.challenges.get_mine() == {"in": [], "out": []}
            assert me.oauth.test_tokens(secret)[secret]["userId"] == "krait"
            assert list(me.bots.get_online_bots(limit=5)) == []
            me.bots.post_message(game, "good luck")
            me.bots.abort_game(game)

        secret = box.world.accounts.tokens_of("krait")[0].secret
        await beside(read)
        assert box.world.games.get(game).status.label == "aborted"

    run(story)


def test_a_refusal_reaches_berserk_as_its_own_error() -> None:
    async def story(box: Box) -> None:
        me = client(box, "Krait")
        box.enter("Rival")
        game = box.start("Rival", "Krait")

        def refused() -> None:
            with pytest.raises(ResponseError) as caught:
                me.bots.make_move(game, "e7e5")
            assert caught.value.status_code == 400
            assert caught.value.cause == {"error": "Not your turn, or game already over"}

        await beside(refused)

    run(story)
