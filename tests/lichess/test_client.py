"""Every call of the gateway against the local Lichess, and what it makes of the ways a call can fail."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Any

import pytest

from bot.errors import BadToken, LichessError, RateLimited, Refused, Unreachable
from bot.game.nouns import Challenge, ChallengeId, GameId, TimeControl
from bot.lichess.client import Lichess, Patience
from bot.lichess.limits import Kind
from bot.lichess.lines import ChallengeClosed, ChatLine, Ended
from bot.sandbox.faults import Fault, Faults, parse_fault
from bot.sandbox.faults import Kind as FaultKind
from tests.lichess.entering import entered, secret_of, whole
from tests.lichess.test_lanes import game_of
from tests.sandbox.serving import BLITZ, Box, run

CLOCK = TimeControl(180, 2)
HASTY = Patience(retry_s=0.0)
ENOUGH = '{"error":"enough","ratelimit":{"key":"bot.vsBot.day","seconds":4000}}'


def faults(*texts: str) -> Faults:
    return Faults(*(parse_fault(text) for text in texts))


def requests(box: Box, endpoint: str) -> int:
    return int(box.site.measured.snapshot()["requests"].get(endpoint, 0))


def challenged(box: Box) -> ChallengeId:
    """Rival challenges Krait."""
    for name in ("Krait", "Rival"):
        if box.world.accounts.get(name) is None:
            box.enter(name)
    return ChallengeId(box.world.lobby.create("rival", "Krait", BLITZ)["id"])


def test_who_we_are() -> None:
    async def story(box: Box) -> None:
        async with entered(box) as lichess:
            me = await lichess.whoami()
            assert (me.id, me.name, me.is_bot, me.ratings["blitz"]) == ("krait", "Krait", True, 1500)
            info = await lichess.test_token()
            assert (info.user_id, info.expires_at_ms) == ("krait", None)
            assert "bot:play" in info.scopes

    run(story)


def test_an_unknown_token_is_named_as_that_by_test_and_by_use() -> None:
    async def story(box: Box) -> None:
        async with entered(box, token="lip_nobody") as lichess:  # noqa: S106  of nobody
            for asking in (lichess.test_token, lichess.whoami):
                with pytest.raises(BadToken, match="does not know this token; make a new one"):
                    await asking()

    run(story)


def test_a_token_without_the_scope_is_named_as_that() -> None:
    async def story(box: Box) -> None:
        game = game_of(box)
        async with entered(box, token=secret_of(box, scopes=("challenge:read",))) as lichess:
            with pytest.raises(BadToken, match="Missing scope: bot:play"):
                await lichess.move(game, "e2e4")

    run(story)


def test_an_account_becomes_a_bot() -> None:
    async def story(box: Box) -> None:
        async with entered(box, token=secret_of(box, "Newcomer", title=None)) as lichess:
            assert not (await lichess.whoami()).is_bot
            await lichess.upgrade()
            assert (await lichess.whoami()).is_bot

    run(story)


def test_games_under_way_are_listed() -> None:
    async def story(box: Box) -> None:
        games = {game_of(box) for _ in range(12)}
        async with entered(box) as lichess:
            assert {brief.id for brief in await lichess.playing()} == games

    run(story)


def test_a_move_is_made_and_may_offer_a_draw() -> None:
    async def story(box: Box) -> None:
        game = game_of(box)
        async with entered(box) as lichess:
            assert await lichess.move(game, "e2e4") > 0
            box.play(game, "e7e5")
            await lichess.move(game, "g1f3", offer_draw=True)
        match = box.world.games.get(game)
        assert match.moves == ["e2e4", "e7e5", "g1f3"]
        assert match.offers.draw

    run(story)


@pytest.mark.parametrize(
    ("fault", "error", "made"),
    [
        ("429@move", RateLimited, []),
        ("502@move", Unreachable, []),
        ("reset@move", Unreachable, ["e2e4"]),
        ("reset@move,how=before", Unreachable, []),
        ("400@move", Refused, []),
    ],
)
def test_a_move_is_tried_once_and_its_failure_told(
    fault: str, error: type[LichessError], made: list[str]
) -> None:
    async def story(box: Box) -> None:
        game = game_of(box)
        async with entered(box) as lichess:
            with pytest.raises(error):
                await lichess.move(game, "e2e4")
        assert requests(box, "move") == 1
        assert box.world.games.get(game).moves == made

    run(story, faults=faults(fault))


def test_a_move_whose_answer_does_not_come_is_given_up() -> None:
    async def story(box: Box) -> None:
        game = game_of(box)
        async with entered(box, patience=Patience(move_s=0.05)) as lichess:
            with pytest.raises(Unreachable, match="no answer in time") as caught:
                await lichess.move(game, "e2e4")
            assert caught.value.status is None
        assert requests(box, "move") == 1

    run(story, faults=faults("slow@move,ms=300"))


def test_a_limited_move_is_told_to_come_back_in_a_second_and_is_never_held_back() -> None:
    async def story(box: Box) -> None:
        game = game_of(box)
        async with entered(box) as lichess:
            with pytest.raises(RateLimited) as caught:
                await lichess.move(game, "e2e4")
            assert caught.value.seconds == 1
            await lichess.move(game, "e2e4")

    run(story, faults=faults("429@move"))


def test_a_game_is_left_aborted_or_resigned() -> None:
    async def story(box: Box) -> None:
        fresh, begun = game_of(box), game_of(box)
        box.play(begun, "e2e4", "e7e5")
        async with entered(box) as lichess:
            await lichess.abort(fresh)
            await lichess.resign(begun)
            with pytest.raises(Refused, match="can no longer be aborted"):
                await lichess.abort(begun)
        found = [box.world.games.get(game).status.label for game in (fresh, begun)]
        assert found == ["aborted", "resign"]

    run(story)


def test_draws_and_takebacks_are_answered() -> None:
    async def story(box: Box) -> None:
        box.world.accounts.create("Krait", title="BOT", takebacks=True)
        box.world.accounts.create("Rival", title="BOT", takebacks=True)
        game = game_of(box)
        box.play(game, "e2e4", "e7e5")
        async with entered(box) as lichess:
            box.world.games.takeback(game, "rival", True)
            await lichess.takeback(game, accept=True)
            assert box.world.games.get(game).moves == ["e2e4"]
            box.play(game, "c7c5")
            box.world.games.draw(game, "rival", True)
            await lichess.draw(game, accept=False)
            assert not box.world.games.get(game).offers.draw
            await lichess.draw(game, accept=True)
            assert box.world.games.get(game).offers.draw

    run(story)


def test_a_claim_out_of_time_is_refused() -> None:
    async def story(box: Box) -> None:
        game = game_of(box)
        async with entered(box) as lichess:
            for claim in (lichess.claim_victory, lichess.claim_draw):
                with pytest.raises(Refused):
                    await claim(game)
        assert (requests(box, "claim_victory"), requests(box, "claim_draw")) == (1, 1)

    run(story)


def test_chat_is_written_once_and_read() -> None:
    async def story(box: Box) -> None:
        game = game_of(box)
        async with entered(box) as lichess:
            with pytest.raises(Unreachable):
                await lichess.say(game, "player", "first")
            assert requests(box, "chat") == 1
            await lichess.say(game, "player", "second")
            assert await lichess.chat(game) == (ChatLine("player", "Krait", "second"),)
            with pytest.raises(Refused, match="text: "):
                await lichess.say(game, "player", "")

    run(story, faults=faults("502@chat"))


def test_a_challenge_is_accepted_or_declined_with_its_reason() -> None:
    async def story(box: Box) -> None:
        async with entered(box) as lichess:
            wanted, unwanted = challenged(box), challenged(box)
            await lichess.decline(unwanted, "tooFast")
            assert box.world.lobby.show(unwanted, "krait")["declineReasonKey"] == "toofast"
            await lichess.accept(wanted)
            assert [str(brief.id) for brief in await lichess.playing()] == [str(wanted)]
            with pytest.raises(Refused):
                await lichess.accept(ChallengeId("nowhere1"))

    run(story)


def test_a_challenge_is_made_shown_and_taken_back() -> None:
    async def story(box: Box) -> None:
        box.enter("Rival")
        async with entered(box) as lichess:
            made = await lichess.challenge("Rival", CLOCK, rated=True, color="white", to_bot=True)
            assert (made.control, made.rated, made.final_color) == (CLOCK, True, "white")
            assert await lichess.show(made.id) == made
            await lichess.cancel(made.id)
            with pytest.raises(Refused):
                await lichess.challenge("Nobody", CLOCK, rated=False)

    run(story)


def test_a_challenge_that_is_kept_alive_tells_what_became_of_it() -> None:
    async def story(box: Box) -> None:
        box.enter("Rival")
        async with entered(box) as lichess:
            kept = lichess.challenge_kept("Rival", CLOCK, rated=False, to_bot=True)
            async with aclosing(kept) as lines:
                first = await anext(lines)
                assert isinstance(first, Challenge)
                box.world.lobby.decline(first.id, "rival", "later")
                closed, ended = [line async for line in lines]
                assert closed == ChallengeClosed("declined")
                assert isinstance(ended, Ended)

    run(story)


def test_the_built_in_ai_is_challenged() -> None:
    async def story(box: Box) -> None:
        async with entered(box) as lichess:
            game = await lichess.challenge_ai(1, CLOCK, color="white")
            (brief,) = await lichess.playing()
            assert (brief.id, brief.opponent.ai_level) == (game, 1)

    run(story)


def test_people_are_looked_up() -> None:
    async def story(box: Box) -> None:
        game_of(box)
        async with entered(box) as lichess, aclosing(lichess.events()) as events:
            await anext(events)
            krait, rival = await lichess.users_status(["krait", "rival"])
            assert (krait.player.name, krait.is_online, krait.is_playing) == ("Krait", True, True)
            assert not rival.is_online
            assert [bot.name for bot in await lichess.online_bots(5)] == ["Krait"]

    run(story)


def test_an_arena_that_is_not_there_is_refused() -> None:
    async def story(box: Box) -> None:
        async with entered(box) as lichess:
            for asking in (lichess.join_arena, lichess.withdraw_from_arena):
                with pytest.raises(Refused, match=r"^40[04]: "):
                    await asking("spring")

    run(story)


def test_a_name_cannot_lead_to_another_path() -> None:
    async def story(box: Box) -> None:
        game = game_of(box)
        async with entered(box) as lichess:
            with pytest.raises(Refused):
                await lichess.challenge(f"../bot/game/{game}/resign", CLOCK, rated=False)
        assert not box.world.games.get(game).is_over

    run(story)


Deed = Callable[[Lichess, GameId, ChallengeId], Awaitable[Any]]
TWICE_SAFE: list[tuple[str, Deed]] = [
    ("account", lambda lichess, _, __: lichess.whoami()),
    ("playing", lambda lichess, _, __: lichess.playing()),
    ("accept", lambda lichess, _, challenge: lichess.accept(challenge)),
    ("decline", lambda lichess, _, challenge: lichess.decline(challenge)),
    ("cancel", lambda lichess, _, challenge: lichess.cancel(challenge)),
    ("abort", lambda lichess, game, _: lichess.abort(game)),
    ("resign", lambda lichess, game, _: lichess.resign(game)),
    ("draw", lambda lichess, game, _: lichess.draw(game, accept=True)),
    ("takeback", lambda lichess, game, _: lichess.takeback(game, accept=False)),
]


@pytest.mark.parametrize("fault", ["502@{}", "reset@{}", "reset@{},how=before"])
@pytest.mark.parametrize(("endpoint", "deed"), TWICE_SAFE)
def test_what_may_be_done_twice_survives_a_failure_even_if_the_first_was_heard(
    endpoint: str, deed: Deed, fault: str
) -> None:
    async def story(box: Box) -> None:
        async with entered(box) as lichess:
            await deed(lichess, game_of(box), challenged(box))
        assert requests(box, endpoint) == 2

    run(story, faults=faults(fault.format(endpoint)))


def test_patience_ends() -> None:
    async def story(box: Box) -> None:
        async with entered(box, patience=HASTY) as lichess:
            with pytest.raises(Unreachable, match="502"):
                await lichess.playing()
        assert requests(box, "playing") == 1

    run(story, faults=faults("502@playing,times=0"))


def test_an_answer_that_is_no_json_is_as_good_as_none() -> None:
    async def story(box: Box) -> None:
        async with entered(box, patience=HASTY) as lichess:
            with pytest.raises(Unreachable, match="not JSON"):
                await lichess._surely(Kind.LOOKUP, lambda door: door.ask.get("/__ping"))

    run(story)


def test_the_opponents_limit_benches_the_opponent_and_nobody_else() -> None:
    async def story(box: Box) -> None:
        box.enter("Rival")
        box.enter("Other")
        box.site.faults.add(Fault(FaultKind.STATUS, "challenge_create", code=400, body=ENOUGH))
        async with entered(box) as lichess:
            for _ in range(2):
                with pytest.raises(RateLimited) as caught:
                    await lichess.challenge("Rival", CLOCK, rated=False, to_bot=True)
                assert caught.value.theirs
            assert requests(box, "challenge_create") == 1
            await lichess.challenge("Other", CLOCK, rated=False, to_bot=True)

    run(story, faults=Faults())


def test_while_challenges_rest_moves_and_streams_go_on() -> None:
    async def story(box: Box) -> None:
        game = game_of(box)
        async with entered(box) as lichess:
            for _ in range(2):
                with pytest.raises(RateLimited):
                    await lichess.challenge("Rival", CLOCK, rated=False, to_bot=True)
            assert requests(box, "challenge_create") == 1
            async with aclosing(lichess.game(game)) as lines, aclosing(lichess.events()) as events:
                await anext(lines)
                await anext(events)
                await lichess.move(game, "e2e4")

    run(story, faults=faults("429@challenge_create"))


def test_challenges_stop_before_lichess_stops_them() -> None:
    async def story(box: Box) -> None:
        box.enter("Rival")
        async with entered(box, now=lambda: 1e9) as lichess:
            for _ in range(20):
                made = await lichess.challenge("Rival", CLOCK, rated=False, to_bot=True)
                await lichess.cancel(made.id)
            with pytest.raises(RateLimited, match="our own limit: challenge"):
                await lichess.challenge("Rival", CLOCK, rated=False, to_bot=True)
            (ended,) = await whole(lichess.challenge_kept("Rival", CLOCK, rated=False, to_bot=True))
            assert isinstance(ended, Ended)
            assert isinstance(ended.error, RateLimited)
        assert requests(box, "challenge_create") == 20

    run(story, limited=True)


def test_our_own_day_of_games_is_remembered_when_a_bot_cannot_be_accepted() -> None:
    async def story(box: Box) -> None:
        box.site.faults.add(Fault(FaultKind.STATUS, "accept", code=429, body=ENOUGH))
        async with entered(box) as lichess:
            with pytest.raises(RateLimited) as caught:
                await lichess.accept(challenged(box), opponent="rival")
            assert not caught.value.theirs
            assert lichess.limits.challenge_wait_s("rival", time.time(), is_bot=True) > 3000
            await lichess.accept(challenged(box))  # of a human, say

    run(story, faults=Faults())


def test_many_things_at_once() -> None:
    async def story(box: Box) -> None:
        games = [game_of(box) for _ in range(8)]
        async with entered(box) as lichess:
            await asyncio.gather(
                *(lichess.move(game, "e2e4") for game in games),
                *(lichess.say(game, "player", "good luck") for game in games),
                *(lichess.playing() for _ in games),
            )
        assert all(box.world.games.get(game).ply == 1 for game in games)

    run(story)
