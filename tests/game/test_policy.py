"""Which challenges are accepted, and what the others are told."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.game.hours import parse_hours
from bot.game.nouns import Challenge, ChallengeId, GameId, Player, TimeControl
from bot.game.policy import (
    DeclineReason,
    Kind,
    Policy,
    Situation,
    Verdict,
    is_own,
    judge,
    judge_all,
    parse_names,
)
from bot.game.timecontrol import parse_all

ANNA = Player(id="anna", name="Anna", rating=1450)
ROOK = Player(id="opalrook", name="OpalRook", title="BOT", rating=1874)
ASKED = Challenge(
    id=ChallengeId("Qw3rTy7u"),
    challenger=ANNA,
    dest=Player(id="krait", name="Krait", title="BOT"),
    variant="standard",
    rated=True,
    control=TimeControl(limit_s=180, increment_s=2),
    color="random",
)
WEDNESDAY = datetime(2026, 11, 18, 20, 30)  # noqa: DTZ001 -- the operator's own clock, whatever its zone
NOW = Situation(now=WEDNESDAY, our_id="krait", ratings={"blitz": 1700, "chess960": 2000})


def asked(player: Player | None = ANNA, **fields: Any) -> Challenge:
    return replace(ASKED, challenger=player, **fields)


def now(**fields: Any) -> Situation:
    return replace(NOW, **fields)


def rules(**fields: Any) -> Policy:
    return Policy.of(fields)


def told(verdict: Verdict) -> tuple[str, str]:
    assert not verdict.accept
    return verdict.reason.value, verdict.why


@pytest.mark.parametrize("player", [ANNA, ROOK, None, Player()])
def test_by_default_everybody_may_play_chess(player: Player | None) -> None:
    assert judge(asked(player), Policy(), NOW).accept


def test_the_reasons_are_the_keys_that_lichess_knows() -> None:
    keys = "generic later tooFast tooSlow timeControl rated casual standard variant noBot onlyBot"
    assert [reason.value for reason in DeclineReason] == keys.split()


def test_our_own_challenge_is_recognised_by_its_sender() -> None:
    assert is_own(asked(Player(id="krait", name="Krait")), "Krait")
    assert not is_own(ASKED, "krait")
    assert not is_own(asked(None), "krait")


@pytest.mark.parametrize(
    ("kinds", "player", "reason"),
    [
        ({Kind.HUMAN, Kind.ANONYMOUS}, ROOK, "noBot"),
        ({Kind.BOT}, ANNA, "onlyBot"),
        ({Kind.BOT}, None, "onlyBot"),
        ({Kind.HUMAN, Kind.BOT}, None, "generic"),
        (set(), ROOK, "noBot"),
    ],
)
def test_a_kind_of_opponent_can_be_refused(kinds: set[Kind], player: Player | None, reason: str) -> None:
    assert told(judge(asked(player), Policy(kinds=frozenset(kinds)), NOW))[0] == reason


def test_humans_and_bots_have_rules_of_their_own() -> None:
    policy = Policy.of({"casual": False}, human={"variants": frozenset({"standard"})}, bot={"casual": True})
    assert told(judge(asked(rated=False), policy, NOW))[0] == "rated"
    assert judge(asked(ROOK, rated=False, variant="chess960"), policy, NOW).accept
    assert told(judge(asked(None, variant="chess960"), policy, NOW))[0] == "standard"


@pytest.mark.parametrize(
    ("policy", "fields", "reason"),
    [
        (rules(time_controls=parse_all(["5+0"])), {}, "tooFast"),
        (rules(time_controls=parse_all(["1+0"])), {}, "tooSlow"),
        (rules(time_controls=parse_all(["1+0", "10+0"])), {}, "timeControl"),
        (rules(), {"control": TimeControl()}, "tooSlow"),
        (rules(min_minutes=10), {}, "tooFast"),
        (rules(max_minutes=8), {}, "tooSlow"),
        (rules(rated=False), {}, "casual"),
        (rules(casual=False), {"rated": False}, "rated"),
        (rules(rated=False, casual=False), {}, "generic"),
        (rules(variants=frozenset({"standard"})), {"variant": "chess960"}, "standard"),
        (rules(variants=frozenset({"standard"})), {"variant": "fromPosition"}, "standard"),
        (rules(variants=frozenset({"standard", "fromPosition"})), {"variant": "atomic"}, "standard"),
        (rules(), {"variant": "atomic"}, "variant"),
        (rules(variants=frozenset({"atomic"})), {}, "variant"),
        (rules(variants=frozenset({"fromPosition"})), {}, "variant"),
        (rules(colors=frozenset({"white"})), {"color": "white"}, "generic"),
        (rules(colors=frozenset({"white"})), {"final_color": "white"}, "generic"),
        (rules(), {"rules": frozenset({"noAbort", "noRematch"})}, "generic"),
        (rules(rematches=0), {"rematch_of": GameId("before")}, "generic"),
    ],
)
def test_each_filter_has_its_reason(policy: Policy, fields: dict[str, Any], reason: str) -> None:
    assert told(judge(asked(**fields), policy, NOW))[0] == reason


@pytest.mark.parametrize(
    ("policy", "fields"),
    [
        (rules(min_minutes=8, max_minutes=9), {}),  # both clocks: 2 * (180 + 80) s
        (rules(max_minutes=8), {"control": TimeControl(days=3)}),
        (rules(colors=frozenset({"white"})), {"color": "black"}),
        (rules(colors=frozenset({"white"})), {"color": "random"}),
        (rules(colors=frozenset({"white"})), {"color": "random", "final_color": "black"}),
        (rules(refused_rules=frozenset()), {"rules": frozenset({"noAbort"})}),
        (rules(rematches=0), {}),
    ],
)
def test_a_filter_lets_pass_what_it_does_not_mean(policy: Policy, fields: dict[str, Any]) -> None:
    assert judge(asked(**fields), policy, NOW).accept


def test_ultrabullet_is_too_fast_for_any_bot_and_anybody() -> None:
    quick = TimeControl(limit_s=15)
    everything = Policy.of({"time_controls": parse_all(["..+.."])}, welcome=frozenset({"anna"}))
    assert told(judge(asked(control=quick), everything, NOW))[0] == "tooFast"


@pytest.mark.parametrize(("playable", "reason"), [({"standard"}, "standard"), ({"chess960"}, "variant")])
def test_a_variant_without_an_engine_is_refused_even_to_the_welcome(playable: set[str], reason: str) -> None:
    policy = rules(variants=frozenset({"atomic"}))
    for each in (policy, replace(policy, welcome=frozenset({"anna"}))):
        verdict = judge(asked(variant="atomic"), each, now(playable=frozenset(playable)))
        assert told(verdict) == (reason, "no engine plays atomic")


@pytest.mark.parametrize(
    ("fen", "playable"),
    [
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", True),
        ("qqqqkqqq/8/8/8/8/8/8/4K3 w - - 0 1", True),
        ("8/8/8/8/8/8/4P3/4K3 w - - 0 1", False),
        ("4k3/8/8/8/8/8/8/P3K3 w - - 0 1", False),
        ("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", False),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", False),
        ("nonsense", False),
    ],
)
def test_a_position_must_be_one_that_can_be_played(fen: str, playable: bool) -> None:
    assert judge(asked(variant="fromPosition", initial_fen=fen), Policy(), NOW).accept is playable


@pytest.mark.parametrize(
    ("policy", "rating", "why"),
    [
        (rules(min_rating=1600), 1450, "rating 1450 is below 1600"),
        (rules(max_rating=1400), 1450, "rating 1450 is above 1400"),
        (rules(max_weaker=200), 1499, "rating 1499 is below 1500"),
        (rules(max_stronger=100), 1801, "rating 1801 is above 1800"),
        (rules(min_rating=1600, max_weaker=300), 1599, "rating 1599 is below 1600"),
        (rules(min_rating=1000), None, "no rating, and one is asked for"),
        (rules(provisional=False), None, "no rating, and one is asked for"),
    ],
)
def test_a_rating_outside_the_range_is_told_to_the_operator(
    policy: Policy, rating: int | None, why: str
) -> None:
    assert told(judge(asked(replace(ANNA, rating=rating)), policy, NOW)) == ("generic", why)


def test_ratings_at_the_bounds_are_inside() -> None:
    policy = rules(min_rating=1450, max_rating=1450, max_weaker=250, max_stronger=0)
    assert judge(ASKED, policy, NOW).accept


def test_our_rating_is_that_of_the_variant_or_else_of_the_speed() -> None:
    policy = rules(max_weaker=400)
    assert judge(ASKED, policy, NOW).accept
    set_up = judge(asked(variant="fromPosition"), rules(max_weaker=200), NOW)
    assert told(set_up)[1] == "rating 1450 is below 1500"
    assert told(judge(asked(variant="chess960"), policy, NOW))[1] == "rating 1450 is below 1600"


def test_where_we_have_no_rating_ours_is_the_one_everybody_starts_with() -> None:
    assert told(judge(ASKED, rules(max_weaker=49), now(ratings={})))[1] == "rating 1450 is below 1451"


def test_a_provisional_rating_can_be_refused() -> None:
    newcomer = asked(replace(ANNA, provisional=True))
    assert judge(newcomer, Policy(), NOW).accept
    assert told(judge(newcomer, rules(provisional=False), NOW))[1] == "rating 1450 is provisional"


def test_titles_can_be_asked_for_and_refused_and_do_not_concern_bots() -> None:
    master, any_case = asked(replace(ANNA, title="IM")), rules(titles=frozenset({"gm", "im"}))
    assert judge(master, any_case, NOW).accept
    assert told(judge(ASKED, any_case, NOW))[1] == "title none is not one of GM, IM"
    assert told(judge(master, rules(refused_titles=frozenset({"IM"})), NOW))[1] == "title IM is refused"
    assert judge(asked(ROOK), any_case, NOW).accept


def test_a_blocked_name_is_refused_in_any_case_even_if_welcome() -> None:
    policy = Policy(block=frozenset({"ANNA"}), welcome=frozenset({"anna"}))
    assert told(judge(ASKED, policy, NOW)) == ("generic", "anna is blocked")


def test_the_welcome_pass_every_filter_and_every_list_of_others() -> None:
    policy = Policy.of(
        {"rated": False, "min_rating": 3000, "games_a_day": 0, "at_once": 2},
        kinds=frozenset({Kind.BOT}),
        only=frozenset({"bertha"}),
        welcome=frozenset({"Anna"}),
        teams_only=True,
        hours=(parse_hours("sun"),),
    )
    assert judge(ASKED, policy, now(blocked=frozenset({"anna"}))) == Verdict(True, why="welcome", at_once=2)


def test_an_exclusive_list_keeps_everybody_else_out() -> None:
    policy = Policy(only=frozenset({"Anna"}))
    assert judge(ASKED, policy, NOW).accept
    assert told(judge(asked(ROOK), policy, NOW))[0] == "generic"
    assert told(judge(asked(None), policy, NOW))[1].startswith("anonymous is not on the list")


def test_loaded_block_lists_are_heeded() -> None:
    assert told(judge(ASKED, Policy(), now(blocked=frozenset({"anna"}))))[1] == "anna is on a block list"


def test_teams_only_waits_until_the_members_are_known() -> None:
    policy = Policy(teams_only=True)
    assert told(judge(ASKED, policy, NOW))[0] == "later"
    assert judge(ASKED, policy, now(team_mates=frozenset({"anna"}))).accept
    assert told(judge(asked(None), policy, now(team_mates=frozenset({"anna"}))))[0] == "generic"


def test_rematches_end_after_so_many_in_a_row() -> None:
    again, policy = asked(rematch_of=GameId("before")), rules(rematches=2)
    assert judge(again, policy, now(rematches_in_a_row=1)).accept
    assert told(judge(again, policy, now(rematches_in_a_row=2)))[0] == "later"
    assert judge(ASKED, policy, now(rematches_in_a_row=2)).accept
    assert judge(again, Policy(), now(rematches_in_a_row=99)).accept


def test_bots_have_a_budget_by_hour_and_day_unless_told_otherwise() -> None:
    """lichess-bot's issue 597: one bot's rematches filled the day."""
    assert told(judge(asked(ROOK), Policy(), now(games_this_hour=5)))[0] == "later"
    assert told(judge(asked(ROOK), Policy(), now(games_today=20)))[0] == "later"
    assert judge(asked(ROOK), Policy(), now(games_this_hour=4, games_today=19)).accept
    assert judge(ASKED, Policy(), now(games_this_hour=99, games_today=99)).accept
    free = Policy.of(bot={"games_an_hour": None, "games_a_day": None})
    assert judge(asked(ROOK), free, now(games_this_hour=99, games_today=99)).accept


def test_games_at_once_with_one_opponent_are_capped_and_the_lobby_is_told_the_cap() -> None:
    policy = Policy.of({"at_once": 2}, human={"at_once": 1})
    assert told(judge(ASKED, policy, now(games_running=1)))[0] == "later"
    assert judge(asked(ROOK), policy, now(games_running=1)).at_once == 2
    assert judge(asked(None), policy, now(games_running=9)).accept


def test_what_will_not_change_is_told_before_what_will() -> None:
    policy = replace(rules(min_rating=1600), hours=(parse_hours("sun"),))
    assert told(judge(ASKED, policy, NOW))[1] == "rating 1450 is below 1600"


@pytest.mark.parametrize(
    ("hours", "is_open"),
    [
        ("18:00-23:30", True),
        ("20:30-20:31", True),
        ("18:00-20:30", False),
        ("wed", True),
        ("Mon-Fri 19:00-24:00", True),
        ("sat,sun", False),
        ("fri-mon", False),
        ("tue-thu", True),
        ("tue 22:00-21:00", True),  # Tuesday night, until Wednesday at nine in the evening
        ("thu 22:00-21:00", False),
        ("wed 20:00-02:00", True),
        ("wed 21:00-20:00", False),
        ("21:00-00:00", False),
        ("20:00-00:00", True),
    ],
)
def test_hours_open_and_close_the_door(hours: str, is_open: bool) -> None:
    verdict = judge(ASKED, Policy(hours=(parse_hours(hours),)), NOW)
    assert verdict.accept is is_open
    assert is_open or told(verdict)[0] == "later"


def test_any_of_several_hours_is_enough() -> None:
    assert judge(ASKED, Policy(hours=(parse_hours("sun"), parse_hours("wed"))), NOW).accept


@pytest.mark.parametrize(
    "text", ["", "someday", "25:00-26:00", "18:00", "18:60-19:00", "9:00-9:00", "mon tue wed", "mon 18-20"]
)
def test_hours_that_mean_nothing_are_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="write for example") as refusal:
        parse_hours(text)
    assert repr(text) in str(refusal.value)


@given(
    st.datetimes(), st.sampled_from(["18:00-23:30", "22:00-06:00", "mon-fri 19:00-24:00", "fri 22:00-02:00"])
)
def test_hours_hold_until_their_end_and_are_closed_then(when: datetime, words: str) -> None:
    """Walk to the next change by minutes: an opening is as long as its words say."""
    hours = parse_hours(words)
    length = (hours.end - hours.start) % (24 * 60)
    minute = when.hour * 60 + when.minute
    began = (minute - hours.start) % (24 * 60)
    day = when.weekday() if minute >= hours.start else (when.weekday() - 1) % 7
    assert hours.holds(when) is (began < length and day in hours.days)


def test_names_are_read_from_lines_and_commas_without_comments_and_junk() -> None:
    text = "\ufeffAnna, OpalRook # two friends\n\n# nobody\n@Bertha\r\n<html>\nNot Found, x\n"
    assert parse_names(text) == (frozenset({"anna", "opalrook", "bertha"}), 3)


@given(st.text())
def test_any_text_is_a_list_of_names_or_junk(text: str) -> None:
    assert all(name == name.lower() and 2 <= len(name) <= 30 for name in parse_names(text).names)


@dataclass
class QuietDay:
    """An example of a plug-in: no rated games on one day of the week; casual ones it likes."""

    weekday: int
    name: str = "quiet_day"

    def judge(self, challenge: Challenge, situation: Situation) -> Verdict | None:
        if situation.now.weekday() != self.weekday:
            return None
        return Verdict(not challenge.rated, DeclineReason.CASUAL, "a quiet day")


def test_a_filter_may_decline_what_the_policy_accepts() -> None:
    assert told(judge_all(ASKED, Policy(), NOW, [QuietDay(1), QuietDay(2)])) == ("casual", "a quiet day")


def test_a_filter_cannot_accept_what_the_policy_declines() -> None:
    assert not judge_all(asked(rated=False), rules(casual=False), NOW, [QuietDay(2)]).accept


def test_a_filter_that_accepts_does_not_silence_the_next() -> None:
    verdict = Verdict(False, DeclineReason.LATER, "the moon is full")

    class FullMoon:
        name = "full_moon"

        def judge(self, _challenge: Challenge, _situation: Situation) -> Verdict | None:
            return verdict

    assert judge_all(asked(rated=False), Policy(), NOW, [QuietDay(2), FullMoon()]) == verdict


def test_filters_without_an_opinion_leave_the_verdict_as_it_is() -> None:
    assert judge_all(ASKED, Policy(), NOW, [QuietDay(1)]) == judge(ASKED, Policy(), NOW)
