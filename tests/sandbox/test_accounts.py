"""Accounts, tokens and scopes; ratings; who blocks and follows whom."""

import random

import pytest

from bot.sandbox.accounts import SCOPES, Account, Accounts, Perf, Token
from tests.sandbox.scene import START_MS, Scene, error_of, refused


class Time:
    ms = START_MS

    def __call__(self) -> int:
        return self.ms


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def people(time: Time) -> Accounts:
    made = Accounts(time, random.Random(1))
    made.create("Numbarine", title="BOT")
    made.create("Opal")
    return made


def test_a_name_is_found_whatever_its_capitals(people: Accounts) -> None:
    found = people.require("NUMBARINE")
    assert (found.id, found.name, found.is_bot) == ("numbarine", "Numbarine", True)


@pytest.mark.parametrize("name", ["opal", "OPAL", "", "x", "two words", "-dash", "é" * 5, "a" * 31])
def test_a_bad_or_taken_name_is_refused(people: Accounts, name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        people.create(name)


def test_whoever_is_not_there_is_not_found(people: Accounts) -> None:
    assert people.get("nobody") is None
    assert refused(people.require, "nobody").status == 404


def test_only_bots_may_use_the_bot_api(people: Accounts) -> None:
    assert people.require_bot("numbarine").is_bot
    assert str(error_of(people.require_bot, "opal")).startswith(
        "This endpoint can only be used with a Bot account"
    )


# Tokens


def test_a_token_says_who_speaks(people: Accounts) -> None:
    secret = people.issue_token("Opal", ["challenge:read"]).secret
    account, token = people.authenticate(secret, ["bot:play", "challenge:read"])
    assert account.id == token.user_id == "opal"
    assert people.authenticate(secret)[0].id == "opal"
    assert [each.secret for each in people.tokens_of("opal")] == [secret]


@pytest.mark.parametrize("secret", [None, "", "lip_unknown"])
def test_without_a_good_token_nobody_speaks(people: Accounts, secret: str | None) -> None:
    refusal = refused(people.authenticate, secret)
    assert (refusal.status, refusal.body) == (401, {"error": "No such token"})


def test_a_scope_that_is_missing_is_named(people: Accounts) -> None:
    secret = people.issue_token("opal", ["challenge:read"]).secret
    refusal = refused(people.authenticate, secret, ["bot:play", "board:play"])
    assert (refusal.status, refusal.body["error"]) == (403, "Missing scope: bot:play, board:play")
    assert refusal.headers == {
        "X-OAuth-Scopes": "challenge:read",
        "X-Accepted-OAuth-Scopes": "bot:play, board:play",
    }


def test_a_token_ends(people: Accounts, time: Time) -> None:
    secret = people.issue_token("opal", expires_at_ms=START_MS + 10).secret
    assert people.authenticate(secret)
    time.ms += 10
    assert refused(people.authenticate, secret).status == 401


def test_a_revoked_token_is_nothing(people: Accounts) -> None:
    secret = people.issue_token("opal").secret
    people.revoke(secret)
    people.revoke(secret)
    assert refused(people.authenticate, secret).status == 401


@pytest.mark.parametrize("secret", ["has space", "", "lip_é", "taken"])
def test_a_token_is_letters_and_one_persons(people: Accounts, secret: str) -> None:
    people.issue_token("opal", secret="taken")  # noqa: S106  nothing is guarded by it
    with pytest.raises(ValueError, match="token"):
        people.issue_token("numbarine", secret=secret)


def test_no_token_for_a_scope_or_a_person_that_is_not(people: Accounts) -> None:
    with pytest.raises(ValueError, match="scope"):
        people.issue_token("opal", ["bot:fly"])
    with pytest.raises(ValueError, match="account"):
        people.issue_token("nobody")
    assert "bot:play" in SCOPES


def test_tokens_are_tested_in_a_comma_list(people: Accounts) -> None:
    secret = people.issue_token("opal", ["bot:play", "challenge:read"], expires_at_ms=START_MS + 5).secret
    tested = people.test_tokens(f"{secret}, nothing")
    assert tested == {
        secret: {"userId": "opal", "scopes": "bot:play,challenge:read", "expires": START_MS + 5},
        "nothing": None,
    }
    assert refused(people.test_tokens, ",".join(map(str, range(1001)))).status == 400


# Relations


def test_who_blocks_and_follows_whom(people: Accounts) -> None:
    opal = people.require("opal")
    people.relate("opal", "Numbarine", "block")
    people.relate("opal", "Numbarine", "follow")
    assert (opal.blocks, opal.follows) == ({"numbarine"}, {"numbarine"})
    people.relate("opal", "Numbarine", "unblock")
    people.relate("opal", "Numbarine", "unfollow")
    assert (opal.blocks, opal.follows) == (set(), set())
    assert refused(people.relate, "opal", "nobody", "block").status == 404


# Ratings


def test_equals_win_and_lose_the_same() -> None:
    assert [Perf(1500, 30).diff(1500, score) for score in (1, 0.5, 0)] == [5, 0, -5]
    assert Perf(1500, 0).diff(1500, 1) == 20  # a new rating moves faster


def test_beating_the_strong_is_worth_more() -> None:
    assert Perf(1500, 30).diff(2500, 1) > Perf(1500, 30).diff(1600, 1) > Perf(1500, 30).diff(900, 1)


def test_a_rating_has_a_floor() -> None:
    assert Perf(400, 30).diff(400, 0) == 0


def test_a_rating_is_provisional_for_ten_games() -> None:
    assert Perf(games=9).provisional
    assert not Perf(games=10).provisional


def test_an_account_and_a_token_survive_being_written() -> None:
    account = Account("opal", "Opal", None, 5, blocks={"x"})
    account.perfs["blitz"].rating = 1777
    account.count_game(rated=True, ai=False, score=0.5)
    assert Account.from_json(account.to_json()) == account
    token = Token("s", "opal", frozenset({"bot:play"}), 9)
    assert Token.from_json(token.to_json()) == token


def test_an_account_that_has_played_cannot_become_a_bot() -> None:
    scene = Scene()
    fresh = scene.world.accounts.create("Fresh")
    scene.world.upgrade("fresh")
    assert fresh.is_bot
    assert (fresh.takebacks, fresh.perfs["blitz"].rating, fresh.perfs["blitz"].provisional) == (
        False,
        3000,
        True,
    )
    scene.game()
    assert error_of(scene.world.upgrade, "opal") is not None
