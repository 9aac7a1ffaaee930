"""The front desk, one story a rule. Time begins at 0 and is handed in."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from bot.game.lobby import (
    AbortSurplus,
    AcceptChallenge,
    AcceptFailed,
    Capacity,
    ChallengeArrived,
    ChallengeRefused,
    ChallengeSent,
    ChallengeWithdrawn,
    DeclineChallenge,
    Draining,
    EnginesReady,
    ForgetChallenge,
    GameBegan,
    GameEnded,
    Lobby,
    LobbyCommand,
    LobbyEvent,
    PlayGame,
    Sort,
    TimePassed,
    free,
    held_by,
    queue_position,
    reconcile,
    step,
    wake_at,
)
from bot.game.nouns import Challenge, ChallengeId, GameBrief, GameId, Player, Speed, TimeControl
from bot.game.policy import DeclineReason, Verdict

YES = Verdict(accept=True)
NO = Verdict(False, DeclineReason.NO_BOT, "bots are not accepted")
BLITZ, CORRESPONDENCE = TimeControl(limit_s=180, increment_s=2), TimeControl(days=3)


def human(name: str = "anna", **fields: Any) -> Player:
    return Player(id=name, name=name.title(), rating=fields.pop("rating", 1500), **fields)


def robot(name: str = "opalrook", **fields: Any) -> Player:
    return human(name, title="BOT", **fields)


def asked(id_: str, player: Player | None = None, **fields: Any) -> Challenge:
    facts = {"variant": "standard", "rated": False, "control": BLITZ, "color": "random", **fields}
    return Challenge(ChallengeId(id_), player or human(f"player-{id_}"), dest=human("krait"), **facts)


def arrived(
    id_: str, player: Player | None = None, verdict: Verdict = YES, **fields: Any
) -> ChallengeArrived:
    return ChallengeArrived(asked(id_, player, **fields), verdict)


def brief(id_: str, **fields: Any) -> GameBrief:
    facts = {"speed": Speed.BLITZ, "opponent": human(f"player-{id_}"), "is_my_turn": True, **fields}
    return GameBrief(GameId(id_), we_are_white=True, variant="standard", rated=False, **facts)


def began(id_: str, *, live: bool = True, **fields: Any) -> GameBegan:
    return GameBegan(brief(id_, **fields), live)


def opened(max_games: int = 1, **fields: Any) -> Lobby:
    return Lobby(Capacity(max_games=max_games, **fields), ready=True)


def tell(lobby: Lobby, *events: LobbyEvent, at: float = 0.0) -> tuple[Lobby, list[LobbyCommand]]:
    said: list[LobbyCommand] = []
    for event in events:
        lobby, commands = step(lobby, event, at)
        said += commands
    return lobby, said


def accepted(said: Iterable[LobbyCommand]) -> list[str]:
    return [command.id for command in said if isinstance(command, AcceptChallenge)]


def declined(said: Iterable[LobbyCommand]) -> list[tuple[str, str]]:
    return [(command.id, command.reason.value) for command in said if isinstance(command, DeclineChallenge)]


def played(said: Iterable[LobbyCommand]) -> list[str]:
    return [command.brief.id for command in said if isinstance(command, PlayGame)]


def test_a_challenge_is_accepted_while_there_is_room_and_waits_otherwise() -> None:
    lobby, said = tell(opened(2), arrived("a"), arrived("b"), arrived("c"))
    assert said == [AcceptChallenge(ChallengeId("a")), AcceptChallenge(ChallengeId("b"))]
    assert [waiting.challenge.id for waiting in lobby.queue] == ["c"]


def test_a_verdict_against_it_is_carried_out_at_once() -> None:
    assert tell(opened(), arrived("a", verdict=NO))[1] == [
        DeclineChallenge(ChallengeId("a"), DeclineReason.NO_BOT, "bots are not accepted")
    ]


def test_a_promise_becomes_the_game_of_the_same_id_without_a_second_slot() -> None:
    lobby, said = tell(opened(2), arrived("a"), began("a"), arrived("b"))
    assert (accepted(said), played(said)) == (["a", "b"], ["a"])
    assert (set(lobby.playing), set(lobby.promised)) == ({"a"}, {"b"})


def test_a_promise_that_is_never_kept_ends_by_itself() -> None:
    lobby, _ = tell(opened(promise_s=30), arrived("a"), arrived("b"))
    assert wake_at(lobby) == 30
    assert accepted(tell(lobby, TimePassed(), at=29.9)[1]) == []
    assert accepted(tell(lobby, TimePassed(), at=30)[1]) == ["b"]


def test_a_failed_accept_gives_the_slot_to_the_next() -> None:
    _, said = tell(opened(), arrived("a"), arrived("b"), AcceptFailed(ChallengeId("a"), "404"))
    assert accepted(said) == ["a", "b"]


def test_a_game_that_ends_gives_its_slot_to_the_next() -> None:
    lobby, said = tell(opened(), arrived("a"), began("a"), arrived("b"), GameEnded(GameId("a")))
    assert accepted(said) == ["a", "b"]
    assert not lobby.playing


def test_a_game_that_ends_before_it_was_seen_to_begin_frees_its_promise() -> None:
    lobby, _ = tell(opened(), arrived("a"), GameEnded(GameId("a")))
    assert lobby.is_idle


def test_a_replayed_game_start_begins_nothing_twice() -> None:
    lobby, said = tell(opened(2), began("a"), began("a"), began("a", live=False))
    assert played(said) == ["a"]
    assert free(lobby) == 1


def test_a_replayed_challenge_is_answered_once() -> None:
    _, said = tell(opened(), arrived("a"), arrived("a"), began("a"), arrived("a"), arrived("b"), arrived("b"))
    assert accepted(said) == ["a"]


def test_a_replayed_challenge_in_the_queue_keeps_its_place_and_lives_on() -> None:
    full, _ = tell(opened(sort=Sort.FIRST, bot_waits_s=20), began("x"), arrived("a", robot()), arrived("b"))
    lobby, _ = tell(full, arrived("a", robot()), at=15)
    assert [waiting.challenge.id for waiting in lobby.queue] == ["a", "b"]
    assert tell(lobby, TimePassed(), at=34)[1] == []


def test_a_challenge_that_is_replayed_at_its_last_instant_is_alive() -> None:
    full, _ = tell(opened(bot_waits_s=20), began("x"), arrived("a", robot()))
    lobby, said = tell(full, arrived("a", robot()), at=20)
    assert (said, wake_at(lobby)) == ([], 40)


def test_a_live_game_nobody_promised_is_aborted_when_there_is_no_room() -> None:
    lobby, said = tell(opened(), began("a"), began("b"), began("b"))
    assert said == [PlayGame(brief("a")), AbortSurplus(brief("b"))]
    assert set(lobby.playing) == {"a"}


def test_a_promise_to_another_is_no_room_for_a_game_nobody_promised() -> None:
    assert tell(opened(), arrived("a"), began("b"))[1][1:] == [AbortSurplus(brief("b"))]


@pytest.mark.parametrize("facts", [{"has_moved": True}, {"tournament": "arena"}, {"live": False}])
def test_a_game_that_is_under_way_is_played_however_many_there_are(facts: dict[str, Any]) -> None:
    assert played(tell(opened(), began("a"), began("b", **facts))[1]) == ["a", "b"]


def test_a_surplus_game_that_could_not_be_aborted_is_played() -> None:
    lobby, said = tell(opened(), began("a"), began("b"), began("b", live=False))
    assert played(said) == ["a", "b"]
    assert not lobby.surplus


def test_all_games_found_at_start_are_played_and_no_more_until_there_is_room() -> None:
    found = [began(id_, live=False) for id_ in "abcd"]
    lobby, said = tell(opened(), *found, arrived("e"))
    assert played(said) == list("abcd")
    assert free(lobby) == 0
    lobby, said = tell(lobby, *(GameEnded(GameId(id_)) for id_ in "abc"))
    assert accepted(said) == []
    assert accepted(tell(lobby, GameEnded(GameId("d")))[1]) == ["e"]


@pytest.mark.parametrize("facts", [{"for_bots": False}, {"status": "aborted"}])
def test_a_game_that_is_not_ours_to_play_takes_no_slot(facts: dict[str, Any]) -> None:
    lobby, said = tell(opened(), began("a", **facts), began("b", live=False, **facts))
    assert (said, lobby.is_idle) == ([], True)


def test_our_own_challenge_takes_a_slot_until_it_is_answered() -> None:
    lobby, said = tell(opened(), ChallengeSent(asked("a")), ChallengeSent(asked("a")), arrived("b"))
    assert said == []
    assert accepted(tell(lobby, ChallengeRefused(ChallengeId("a")))[1]) == ["b"]
    assert accepted(tell(lobby, ChallengeWithdrawn(ChallengeId("a")))[1]) == ["b"]
    assert accepted(tell(lobby, TimePassed(), at=30)[1]) == ["b"]
    assert played(tell(lobby, began("a"))[1]) == ["a"]


def test_the_echo_of_our_own_challenge_does_not_prolong_it() -> None:
    lobby, _ = tell(opened(), ChallengeSent(asked("a")))
    lobby, _ = tell(lobby, ChallengeSent(asked("a")), at=10)
    assert wake_at(lobby) == 30


def test_the_game_of_our_own_challenge_is_played_however_late() -> None:
    lobby, _ = tell(opened(), ChallengeSent(asked("a")))
    lobby, said = tell(lobby, TimePassed(), arrived("b"), began("b"), began("a"), at=40)
    assert played(said) == ["b", "a"]
    assert not lobby.ours


def test_correspondence_has_slots_of_its_own() -> None:
    slow = [arrived(id_, control=control) for id_, control in (("a", CORRESPONDENCE), ("b", TimeControl()))]
    lobby, said = tell(opened(1, max_correspondence=1), *slow, arrived("c"))
    assert accepted(said) == ["a", "c"]
    surplus = brief("d", speed=Speed.CORRESPONDENCE)
    assert tell(lobby, GameBegan(surplus, live=True))[1] == [AbortSurplus(surplus)]
    assert free(lobby, timed=False) == 0


def test_while_no_engine_is_ready_challenges_wait() -> None:
    lobby, said = tell(Lobby(Capacity(max_games=1)), arrived("a"))
    assert said == []
    assert accepted(tell(lobby, EnginesReady(ready=True))[1]) == ["a"]


def test_draining_tells_everybody_to_come_later_and_keeps_the_games() -> None:
    full, _ = tell(opened(), arrived("a"), arrived("b"))
    lobby, said = tell(full, Draining(draining=True), arrived("c"), began("a"))
    assert declined(said) == [("b", "later"), ("c", "later")]
    assert played(said) == ["a"]
    assert accepted(tell(lobby, GameEnded(GameId("a")), arrived("d"))[1]) == []
    assert accepted(tell(lobby, GameEnded(GameId("a")), Draining(draining=False), arrived("e"))[1]) == ["e"]


def test_a_new_game_that_nobody_promised_is_aborted_while_draining() -> None:
    assert tell(opened(), Draining(draining=True), began("a"))[1] == [AbortSurplus(brief("a"))]


def test_a_withdrawn_challenge_leaves_the_queue() -> None:
    full, _ = tell(opened(), began("x"), arrived("a"))
    lobby, said = tell(full, ChallengeWithdrawn(ChallengeId("a")), GameEnded(GameId("x")))
    assert said == [ForgetChallenge(ChallengeId("a"), "withdrawn")]
    assert lobby.is_idle


def test_a_challenge_declined_by_hand_leaves_the_queue() -> None:
    full, _ = tell(opened(), began("x"), arrived("a"))
    lobby, said = tell(full, ChallengeRefused(ChallengeId("a")))
    assert (lobby.queue, said) == ((), [ForgetChallenge(ChallengeId("a"), "declined elsewhere")])


def test_a_withdrawal_after_our_accept_leaves_the_promise_to_lichess() -> None:
    lobby, said = tell(opened(), arrived("a"), ChallengeWithdrawn(ChallengeId("a")), arrived("b"))
    assert accepted(said) == ["a"]
    assert set(lobby.promised) == {"a"}


def test_a_queued_challenge_whose_game_begins_without_us_waits_no_more() -> None:
    """Somebody accepted it on the web page."""
    lobby, said = tell(opened(), began("x"), arrived("a"), began("a", live=False))
    assert played(said) == ["x", "a"]
    assert not lobby.queue


def test_a_bot_that_waited_too_long_is_forgotten_and_a_person_is_told() -> None:
    full, _ = tell(
        opened(bot_waits_s=20, human_waits_s=60, correspondence_waits_s=900, max_correspondence=0),
        began("x"),
        arrived("a", robot()),
        arrived("b"),
        arrived("c", robot("slow"), control=CORRESPONDENCE),
    )
    assert wake_at(full) == 20
    assert tell(full, TimePassed(), at=20)[1] == [
        ForgetChallenge(ChallengeId("a"), "no slot became free in time")
    ]
    assert declined(tell(full, TimePassed(), at=60)[1]) == [("b", "later")]
    assert declined(tell(full, TimePassed(), at=900)[1]) == [("b", "later"), ("c", "later")]


def test_the_queue_keeps_its_best_and_the_others_are_told_to_come_later() -> None:
    full, _ = tell(opened(queue_length=1), began("x"))
    assert declined(
        tell(full, arrived("a", human(rating=1500)), arrived("b", human("b", rating=1900)))[1]
    ) == [("a", "later")]
    assert declined(
        tell(full, arrived("a", human(rating=1900)), arrived("b", human("b", rating=1500)))[1]
    ) == [("b", "later")]


def test_without_a_queue_whoever_does_not_fit_is_told_at_once() -> None:
    _, said = tell(opened(queue_length=0), arrived("a"), arrived("b"))
    assert (accepted(said), declined(said)) == (["a"], [("b", "later")])


@pytest.mark.parametrize(
    ("sort", "order"),
    [(Sort.BEST, "dcbea"), (Sort.FIRST, "abcde"), (Sort.HUMANS, "bcdea")],
)
def test_the_queue_is_served_in_the_order_asked_for(sort: Sort, order: str) -> None:
    lobby, _ = tell(
        opened(sort=sort),
        began("x"),
        arrived("a", robot("a", rating=1690)),
        arrived("b", human("b", rating=1700)),
        arrived("c", human("c", rating=1501), rated=True),
        arrived("d", human("d", rating=1502, title="FM")),
        arrived("e", human("e", rating=1700)),
    )
    served = []
    assert [queue_position(lobby, user.upper()) for user in order] == [1, 2, 3, 4, 5]
    game = "x"
    for _ in order:
        lobby, said = tell(lobby, GameEnded(GameId(game)))
        game = accepted(said)[0]
        served.append(game)
        lobby, _said = tell(lobby, began(game))
    assert "".join(served) == order


def test_whoever_does_not_wait_has_no_place_in_the_queue() -> None:
    assert queue_position(opened(), "anna") is None


def test_slots_reserved_for_humans_are_never_held_by_bots() -> None:
    lobby, said = tell(
        opened(2, reserved_for_humans=1),
        *(arrived(id_, robot(id_, rating=3000)) for id_ in "ab"),
        arrived("c"),
    )
    assert accepted(said) == ["a", "c"]
    assert [waiting.challenge.id for waiting in lobby.queue] == ["b"]


def test_a_bot_that_must_wait_does_not_stand_in_the_way_of_a_human() -> None:
    full, _ = tell(opened(1, reserved_for_humans=1, sort=Sort.FIRST), arrived("a", robot()), arrived("b"))
    assert set(full.promised) == {"b"}


def test_one_opponent_may_not_fill_the_lobby() -> None:
    twice = replace(YES, at_once=2)
    lobby, said = tell(
        opened(1),
        arrived("a", human(), twice),
        began("a", opponent=human()),
        *(arrived(id_, human(), twice) for id_ in "bc"),
    )
    assert declined(said) == [("c", "later")]
    assert held_by(lobby, "anna") == 2


def test_nobody_counts_the_games_of_the_anonymous() -> None:
    lobby, said = tell(opened(3), *(arrived(id_, Player(), replace(YES, at_once=1)) for id_ in "ab"))
    assert accepted(said) == ["a", "b"]
    assert held_by(lobby, None) == 0


def test_reconciling_drops_what_neither_lichess_nor_a_task_knows() -> None:
    """lichess-bot: a game that ended between the list and the stream held its slot for ever (PEERS 2.4)."""
    lobby, _ = tell(opened(2), began("ghost"), began("a"), arrived("b"))
    lobby, said = reconcile(lobby, [], {GameId("a")}, at=1)
    assert set(lobby.playing) == {"a"}
    assert said == (AcceptChallenge(ChallengeId("b")),)


def test_reconciling_plays_what_lichess_lists_and_nobody_has_in_hand() -> None:
    lobby, _ = tell(opened(2), began("a"), began("lost"), began("surplus"))
    listed = [brief(id_) for id_ in ("a", "lost", "missed", "surplus")] + [brief("odd", for_bots=False)]
    lobby, said = reconcile(lobby, listed, {GameId("a")}, at=1)
    assert played(said) == ["lost", "missed", "surplus"]
    assert set(lobby.playing) == {"a", "lost", "missed", "surplus"}


def test_reconciling_gives_no_slot_to_the_queue_before_every_listed_game_has_its_own() -> None:
    full, _ = tell(opened(2), began("ghost"), began("ghost2"), arrived("b"), arrived("c"))
    lobby, said = reconcile(full, [brief("m"), brief("n")], (), at=1)
    assert (played(said), accepted(said)) == (["m", "n"], [])
    assert free(lobby) == 0


def test_reconciling_counts_a_task_whose_beginning_was_missed() -> None:
    lobby, said = reconcile(opened(), [brief("a")], {GameId("a")}, at=1)
    assert (set(lobby.playing), said) == ({"a"}, ())


def test_reconciling_turns_a_promise_into_its_game() -> None:
    lobby, _ = tell(opened(), arrived("a"))
    lobby, said = reconcile(lobby, [brief("a")], (), at=1)
    assert (played(said), lobby.promised) == (["a"], {})


def test_reconciling_with_a_cut_list_drops_nothing() -> None:
    lobby, _ = tell(opened(), began("a"), began("surplus"))
    cut, _ = reconcile(lobby, [], (), at=1, complete=False)
    assert (set(cut.playing), cut.surplus) == ({"a"}, frozenset({GameId("surplus")}))
    whole, _ = reconcile(lobby, [], (), at=1)
    assert (set(whole.playing), whole.surplus) == (set(), frozenset())


def test_a_bot_known_by_its_challenge_stays_one_when_its_game_begins() -> None:
    lobby, _ = tell(opened(2, reserved_for_humans=1), arrived("a", robot("player-a")), began("a"))
    assert accepted(tell(lobby, arrived("b", robot()))[1]) == []
